// Cost-sensitive boosting on stumps, trained while a reader drags points: what figures need of the Python package csb,
// to which a test holds hypotheses, votes, stops and decisions. No dependency, no network. Names are csb's in camel case:
//
//   boost(key, X, y, {fnCost, ...})       CostSensitiveBoosting(fn_cost, variant=key, ...).fit(X, y); LogitBoost, AsyBL
//   model.hypotheses, .coefficients       estimators_, estimator_weights_ (step_ of Newton steps)
//   model.weights[t], .masses[t]          what round t + 1 sees (csb does not keep it), estimator_masses_
//   stump.below, .above                   what it says up to its threshold and beyond: -polarity, polarity
//   first, vote, update, decision, loss   Rules.initial, .alpha, .log_factors, .threshold, .loss
//   platt, isotonic                       PlattScaling().fit, IsotonicCalibration().fit; each returns a function
//   savings                               savings_score, and case_interval of what is saved in each case
//
// A label above zero is positive. Papers: N16 Nikolaou et al. (2016), C08 Cai, Song and Zhang (2008), C13 Cao et al.
// (2013), K98 Karakoulas and Shawe-Taylor (1998). E-N10 and the like stand on the book's page of errata.

const TIE = 1e-12; // edges closer than this are equal, and a vote no larger is no vote
const LARGEST_ALPHA = 11.512925464920228; // vote of a stump without error: half the log odds of 1 - 1e-10
const SMALLEST = -650; // logarithm of the smallest weight beside the largest

const { abs, cos, exp, log, max, min, sin, sqrt } = Math;
const sum = (values) => values.reduce((total, each) => total + each, 0);
const dot = (a, b) => sum(a.map((each, i) => each * b[i]));
const mean = (values) => sum(values) / values.length;
const expit = (x) => (x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x)));
const inOrder = (values) => values.map((_, i) => i).sort((i, j) => values[i] - values[j]);
const place = (y) => (y > 0 ? 1 : 0); // of a class in [negative, positive]
const sizes = (y) => [0, 1].map((k) => y.filter((label) => place(label) === k).length);
function bisect(low, high, below) {
  for (let half = (low + high) / 2; low < half && half < high; half = (low + high) / 2)
    if (below(half)) low = half;
    else high = half;
  return (low + high) / 2;
}

// ---- Sums over the examples ----

// A sum of D_i f(c_i, u_i, y_i), of the weight of an example, the cost c of an error on it, its hit sign u = y h(x) and
// its class y, has four different terms: table[y][h] is the weight by class and prediction, negative first.
class Masses {
  constructor(cost, table) {
    this.outcomes = [-1, 1].flatMap((y) => [-1, 1].map((h) => [table[place(y)][place(h)], cost(y), y * h, y]));
  }
  sum(f) {
    return sum(this.outcomes.map(([D, c, u, y]) => (D > 0 ? D * f(c, u, y) : 0)));
  }
  argmin(w, kappa) { // the alpha that minimises the sum of D w exp(-alpha kappa)
    return exponentialStep(this.outcomes.map(([D, c, u, y]) => [log(D * w(c, y)), kappa(c, u, y)]));
  }
}
const right = (w) => (c, u) => (u > 0 ? w(c) : 0), wrong = (w) => (c, u) => (u < 0 ? w(c) : 0);

// Minimiser of the sum of exp(l - alpha kappa) over terms [l, kappa]: the derivative has a rising part and a falling
// one, whose logarithms are equal there. Infinite if only one sign of kappa has weight.
function exponentialStep(terms) {
  const [rising, falling] = [-1, 1].map((sign) => terms.filter(([l, kappa]) => kappa * sign > 0 && l > -Infinity));
  if (!rising.length || !falling.length) return falling.length ? Infinity : rising.length ? -Infinity : 0;
  const part = (side, alpha) => {
    const logs = side.map(([l, kappa]) => l + log(abs(kappa)) - alpha * kappa), top = max(...logs);
    return top + log(sum(logs.map((each) => exp(each - top))));
  };
  const gap = (alpha) => part(rising, alpha) - part(falling, alpha); // its slope is a sum of two sizes of kappa
  const size = (of, side) => of(...side.map(([, kappa]) => abs(kappa)));
  const ends = [min, max].map((of) => -gap(0) / (size(of, rising) + size(of, falling)));
  return bisect(min(...ends), max(...ends), (alpha) => gap(alpha) < 0);
}

// ---- The methods: four rules each, and the loss to which the weights belong ----
//
//   first(c, y)              weight of an example before the first round
//   vote(M)                  alpha, from the masses of the round
//   update(alpha, c, u, y)   logarithm of the factor on the weight of an example
//   decision(t, A)           score above which to predict positive, after t rounds whose votes sum to A
//   loss(c, y, t, A)         [log a, k] of the loss a exp(-k m) at the margin m
//
// T is the planned number of rounds, rho the cost ratio. The first value of an option is the default.

const one = () => 1, cost = (c) => c, costlier = (c, u) => c * u;
const weighted = (w) => (M) => 0.5 * log(M.sum(right(w)) / M.sum(wrong(w)));
const bounding = (w, kappa) => (M) => // minimises a bound on the sum of D w exp(-alpha kappa)
  0.5 * log(M.sum((c, u) => w(c) * (1 + kappa(c, u))) / M.sum((c, u) => w(c) * (1 - kappa(c, u))));
const searching = (w, kappa) => (M) => max(M.argmin(w, kappa), 0); // E-C09
const shareOfVotes = (rho) => (t, A) => ((1 - rho) / (1 + rho)) * A; // N16 Eq. (9)

const adaboost = {
  first: one,
  vote: weighted(one), // N16 Eq. (5)
  update: (alpha, c, u) => -alpha * u, // Eq. (6)
  decision: () => 0, // Eq. (7)
  loss: () => [0, 1], // Eq. (14)
};
const cgada = { ...adaboost, first: cost, loss: (c) => [log(c), 1] };
const csada = {
  ...cgada,
  vote: (M) => M.argmin((c) => 1 / c, costlier), // on exp(-c m), which is D / c
  update: (alpha, c, u) => -alpha * c * u,
  loss: (c) => [0, c],
};
const csb = (step) => ({ rho, rule }) => ({
  ...cgada,
  update: (alpha, c, u) => (u < 0 ? log(c) : 0) - step(alpha) * u,
  decision: rule === "vote" ? shareOfVotes(rho) : adaboost.decision,
  loss: null,
});
const adacostLoss = (c, y, t, A) => [log(c) + (c * A) / 2, 0.5];
const adacost = (voting) => ({ beta, vote }) => {
  const kappa = (c, u) => (beta ? beta(c, u) : (1 - c * u) / 2) * u;
  return {
    ...cgada,
    vote: voting(kappa, vote),
    update: (alpha, c, u) => -alpha * kappa(c, u),
    loss: beta ? null : adacostLoss,
  };
};
const descent = (objective, loss) => () => { // C08 Eqs. (17) to (19); the objective gives [w0, a, b]
  const size = (c, y) => abs(objective(y, c)[1]);
  const kappa = (c, u, y) => objective(y, c)[1] * u * y + objective(y, c)[2];
  return {
    ...adaboost,
    first: (c, y) => objective(y, c)[0] * size(c, y),
    vote: searching((c, y) => 1 / size(c, y), kappa),
    update: (alpha, c, u, y) => -alpha * kappa(c, u, y),
    loss,
  };
};
const perClass = descent((y, c) => [1, y * c, 0], csada.loss);

const INIT = { init: ["cost", "uniform"] }, FORM = { form: ["corrected", "paper"] }, RULE = { rule: ["sign", "vote"] };
const start = { cost, uniform: one };
const row = (name, equations, rules, options = {}, settings = {}) =>
  ({ name, equations, rules, options, costsAct: "training", ...settings });

const METHODS = {
  adaboost: row("AdaBoost", "N16 Eqs. (5)-(7)", () => adaboost, {}, { costsAct: "never" }),
  adamec: row("AdaMEC", "N16 Eqs. (9), (20), (22)", ({ rho, rule }) => ({
    ...adaboost,
    decision: rule === "vote" ? shareOfVotes(rho) : () => -0.5 * log(rho),
  }), { rule: ["logistic", "vote"] }, { costsAct: "decision" }),
  cgada: row("CGAda", "N16 Tables 1-3", () => cgada),
  asymada: row("AsymAda", "N16 Tables 1-3, E-N10", ({ rho, T, form }) => ({
    first: (c) => c ** (1 / T),
    vote: weighted(form === "paper" ? (c) => c ** (1 / T) : one),
    update: (alpha, c, u) => log(c) / T - alpha * u,
    decision: (t) => (form === "paper" ? 0 : 0.5 * (t / T - 1) * log(rho)),
    loss: (c, y, t) => [((t + (form === "paper")) / T) * log(c), 1],
  }), FORM),
  csada: row("CSAda", "N16 Tables 1-3, E-N23", ({ selection }) => ({
    ...csada,
    gain: selection === "joint" && ((M) => { // part of the loss that the best step along a stump takes away
      const alpha = csada.vote(M);
      return 1 - M.sum((c, u) => exp(-alpha * c * u) / c) / M.sum((c) => 1 / c);
    }),
  }), { selection: ["gradient", "joint"] }),
  adadb: row("AdaDB", "N16 Tables 1-3", () => csada), // the one positive root of its polynomial is CSAda's vote
  adac1: row("AdaC1", "N16 Tables 1-3", ({ init, alpha }) => ({
    ...csada,
    first: start[init],
    vote: { closed: bounding(one, costlier), exact: (M) => M.argmin(one, costlier), fgd: csada.vote }[alpha],
  }), { ...INIT, alpha: ["closed", "exact", "fgd"] }, { largest: 1 }),
  adac2: row("AdaC2", "N16 Tables 1-3, E-N05", ({ init }) => ({
    ...adaboost,
    first: start[init],
    vote: weighted(cost),
    update: (alpha, c, u) => log(c) - alpha * u,
    loss: (c, y, t) => [(t + (init === "cost")) * log(c), 1],
  }), INIT),
  adac3: row("AdaC3", "N16 Tables 1-3, E-N05", ({ init }) => ({
    ...adaboost,
    first: start[init],
    vote: bounding(cost, costlier),
    update: (alpha, c, u) => log(c) - alpha * c * u,
    loss: (c, y, t) => [(t - 1 + (init === "cost")) * log(c), c],
  }), INIT, { largest: 1 }),
  csb0: row("CSB0", "N16 Tables 1-2, E-N06", csb(() => 0), RULE, { smallest: 1 }),
  csb1: row("CSB1", "N16 Tables 1-2, E-N06", csb(() => 1), RULE, { smallest: 1 }),
  csb2: row("CSB2", "N16 Tables 1-2, E-N06", csb((alpha) => alpha), RULE, { smallest: 1 }),
  adacost: row("AdaCost", "N16 Tables 1-2, C08 Eqs. (4)-(5), E-N14, E-C11",
    adacost((kappa, vote) => (vote === "line_search" ? searching : bounding)(one, kappa)),
    { vote: ["closed_form", "line_search"], beta: [null] }, { largest: 0.5 }),
  adacost_beta2: row("AdaCost(β₂)", "N16 Tables 1-2, E-N15", adacost(() => weighted(one)), { beta: [null] }, { largest: 1 }),
  gd_adacost: row("GD-AdaCost", "C08 Eqs. (13), (17)-(19), E-C09", descent((y, c) => [c, y / 2, -c / 2], adacostLoss),
    {}, { largest: 0.5 }),
  gd_adac1: row("GD-AdaC1", "C08 Eqs. (14), (17)-(19)", perClass),
  gd_asymboost: row("GD-AsymBoost", "C08 Eqs. (16)-(19)", perClass), // the factor in Eq. (16) is the cost of the class
  asyb: row("AsyB", "C13 Algorithm 1, E-A05, E-A06", ({ form }) => ({
    ...cgada,
    vote: weighted(form === "paper" ? cost : one), // the cost times D / c, the weights without costs; or times D
  }), FORM),
  adauboost: row("AdaUBoost", "K98 Figure 1, Eqs. (4)-(6), E-K04 to E-K06", ({ rho, form, init, learnerWeights, omega }) => {
    const printed = form === "paper", times = { auto: printed ? 1 : 2, beta2: 2, beta: 1, uniform: 0 }[init];
    const onGradient = { auto: !printed, gradient: true, z: false }[learnerWeights];
    const k = (y) => (y > 0 ? 1 / rho : 1), slope = (y) => (onGradient ? k(y) : 1); // k is beta_i of Figure 1
    const logOmega = (y) => (y > 0 ? (omega ? log(omega) : times * log(rho)) : 0);
    return {
      ...adaboost,
      first: (c, y) => exp(logOmega(y)) * slope(y),
      vote: (M) => M.argmin((c, y) => 1 / slope(y), (c, u, y) => k(y) * u), // on Z, Eq. (4)
      update: (alpha, c, u, y) => -alpha * k(y) * u,
      loss: (c, y) => [logOmega(y), k(y)],
    };
  }, { ...FORM, init: ["auto", "beta2", "beta", "uniform"], learnerWeights: ["auto", "gradient", "z"], omega: [null] }),
  // Newton steps: expit(2 (gamma f + eta)) is the probability at the score f
  logitboost: row("LogitBoost", "Friedman et al. (2000), Algorithm 3", () => ({ gamma: 1, eta: 0 }), {}, { costsAct: "never" }),
  asybl: row("AsyBL", "C13 Algorithm 2, E-A07 to E-A09", ({ rho }) => ({ gamma: 1, eta: -0.5 * log(rho) })),
  asymmetric_logitboost: row("asymmetric LogitBoost", "C13, E-A09",
    ({ rho, costs }) => ({ gamma: mean(costs), eta: -0.5 * log(rho) })),
};

// ---- Stumps ----

const ask = ({ feature, threshold, below, above }, x) => (x[feature] > threshold ? above : below);
const firstWithin = (values, tie) => {
  const best = max(...values);
  return values.findIndex((value) => value >= best - tie);
};

// All cuts of a column, the constant first: how many rows lie below, and what each class weighs on either side.
function cutsOf(rows, value, y, D) {
  const running = (rows) => {
    const held = [0, 0];
    return [[0, 0], ...rows.map((i) => ((held[place(y[i])] += D[i]), [...held]))];
  };
  const below = running(rows), above = running([...rows].reverse()).reverse();
  const cuts = rows.map((_, k) => k).filter((k) => k === 0 || value(rows[k - 1]) < value(rows[k]));
  return cuts.map((k) => ({ k, below: below[k], above: above[k] }));
}

// The stump of largest edge, or of largest gain. Of those within a tie the one of lowest feature, then of lowest
// threshold, then that of polarity +. A threshold is midway between two values; minus infinity is the constant.
function findStump(X, order, y, D, cost, gain) {
  const edge = ({ below, above }) => above[1] - above[0] + below[0] - below[1];
  const worth = gain ? ({ below, above }) => gain(new Masses(cost, [0, 1].map((y) => [below[y], above[y]])))
    : (cut) => abs(edge(cut));
  const columns = order.map((rows, j) => cutsOf(rows, (i) => X[i][j], y, D)), worths = columns.map((cuts) => cuts.map(worth));
  const feature = firstWithin(worths.map((each) => max(...each)), TIE), rows = order[feature];
  const cut = columns[feature][firstWithin(worths[feature], TIE)], above = edge(cut) >= 0 ? 1 : -1;
  const low = X[rows[cut.k - 1]]?.[feature], high = X[rows[cut.k]][feature], middle = 0.5 * low + 0.5 * high;
  const threshold = cut.k === 0 ? -Infinity : middle < high ? middle : low; // rounding may take the middle to the upper
  return { feature, threshold, below: -above, above };
}

// The stump of least weighted squared error. Of gains within a tie the lowest cut counts, and the lowest feature.
function findRegressionStump(X, order, w, z) {
  const moments = w.map((each, i) => each * z[i]), tie = TIE * dot(moments, z);
  const total = sum(w), totalMoment = sum(moments), whole = totalMoment / total;
  const found = order.map((rows, feature) => {
    let best = { gain: totalMoment * whole, feature, threshold: -Infinity, below: whole, above: whole };
    for (let k = 0, mass = 0, moment = 0; k < rows.length - 1; k++) {
      mass += w[rows[k]];
      moment += moments[rows[k]];
      const [low, high] = [rows[k], rows[k + 1]].map((i) => X[i][feature]);
      const below = moment / mass, above = (totalMoment - moment) / (total - mass);
      const gain = moment * below + (totalMoment - moment) * above;
      if (low < high && total - mass > 1e-14 * total && gain > best.gain + tie)
        best = { gain, feature, threshold: 0.5 * low + 0.5 * high, below, above };
    }
    return best;
  });
  return found[firstWithin(found.map((each) => each.gain), tie)];
}

// ---- Training ----

class Model { // a sum of stumps, and what is made of it after t rounds, all by default
  hypotheses = [];
  coefficients = [];
  weights = [];
  masses = [];
  threshold = [];
  logOddsLine = [];
  decisionFunction(X, t) {
    const used = this.hypotheses.slice(0, t);
    return X.map((x) => sum(used.map((stump, k) => this.coefficients[k] * ask(stump, x))));
  }
  predict(X, t = this.threshold.length) {
    return this.decisionFunction(X, t).map((score) => place(score - this.threshold[t - 1]));
  }
  predictProba(X, t = this.threshold.length) { // of the positive class, for a method with a loss
    const [slope, gap] = this.logOddsLine[t - 1];
    return this.decisionFunction(X, t).map((score) => expit(slope * score - gap));
  }
}

function boost(key, X, labels, parameters = {}) {
  const {
    fnCost = 1, fpCost = 1, nEstimators: T = 50, learningRate = 1, sampleWeight: q = labels.map(one), costScale,
    largestResponse = 4, ...given
  } = parameters;
  const { rules, options, costsAct, largest, smallest } = METHODS[key], chosen = {};
  for (const name in options) chosen[name] = given[name] ?? options[name][0];
  const unit = largest ? max(fnCost, fpCost) / (costScale ?? largest) : smallest ? min(fnCost, fpCost) : 1;
  const costs = [fpCost / unit, fnCost / unit], rho = fnCost / fpCost, method = rules({ rho, T, costs, ...chosen });
  const y = labels.map((label) => 2 * place(label) - 1), order = X[0].map((_, j) => inOrder(X.map((x) => x[j])));
  if (method.gamma) return newton(X, y, q, order, method, T, learningRate, largestResponse);
  return vote(X, y, q, order, method, (y) => costs[place(y)], log(rho), costsAct, T, learningRate);
}

function vote(X, y, q, order, rules, cost, logRho, costsAct, T, learningRate) {
  const classes = (f) => [f(cost(-1), -1), f(cost(1), 1)], model = new Model();
  const k = classes((c, y) => rules.loss?.(c, y, 0, 0)[1] ?? 1);
  let logs = y.map((y, i) => log(q[i] * rules.first(cost(y), y))), A = 0;
  for (let t = 1; ; t++) {
    const top = max(...logs);
    logs = logs.map((each) => each - top);
    const floored = logs.map((each) => exp(max(each, SMALLEST))), total = sum(floored);
    const D = floored.map((each) => each / total), table = [[0, 0], [0, 0]];
    model.weights.push(D);
    if (t > T) model.stopReason ??= "max_rounds";
    if (model.stopReason) break;
    const stump = findStump(X, order, y, D, cost, rules.gain), h = X.map((x) => ask(stump, x));
    D.forEach((each, i) => { table[place(y[i])][place(h[i])] += each; });
    const M = new Masses(cost, table), missed = M.sum(wrong(one));
    let alpha = rules.vote(M);
    if (M.sum(right(one)) - missed <= TIE) model.stopReason = "no_edge";
    else if (missed === 0) model.stopReason = "perfect"; // the one after which the stump is kept
    else if (!Number.isFinite(alpha)) model.stopReason = "not_finite";
    else if (alpha * max(...k) <= TIE) model.stopReason = "alpha";
    if (model.stopReason && missed > 0) break;
    alpha = learningRate * (Number.isFinite(alpha) ? alpha : LARGEST_ALPHA / min(...k));
    A += alpha;
    model.hypotheses.push(stump);
    model.coefficients.push(alpha);
    model.masses.push(table);
    model.threshold.push(rules.decision(t, A));
    if (rules.loss) {
      const [[a0, k0], [a1, k1]] = classes((c, y) => rules.loss(c, y, t, A));
      model.logOddsLine.push([k0 + k1, a1 + log(k1) - a0 - log(k0)]);
    }
    logs = logs.map((each, i) => each + rules.update(alpha, cost(y[i]), y[i] * h[i], y[i]));
  }
  if ((model.constant = !model.hypotheses.length)) { // the decision of least cost
    const [N, P] = [-1, 1].map((sign) => sum(q.filter((_, i) => y[i] === sign)));
    const trained = costsAct === "training" ? logRho : 0, score = 0.5 * (log(P) - log(N) + trained);
    const above = score > TIE ? 1 : -1;
    model.hypotheses.push({ feature: 0, threshold: -Infinity, below: -above, above });
    model.coefficients.push(abs(score) <= TIE ? 0 : abs(score));
    model.threshold.push(costsAct === "decision" ? -0.5 * logRho : 0);
    model.logOddsLine.push([2, trained]);
  }
  return model;
}

// LogitBoost and its kin: each round fits the working response by weighted least squares.
function newton(X, y, q, order, { gamma, eta }, T, learningRate, largest) {
  const model = new Model(), step = (0.5 * learningRate) / gamma, total = sum(q);
  let score = y.map(() => 0);
  for (let t = 0; t < T && !model.stopReason; t++) {
    const odds = score.map((f) => 2 * (gamma * f + eta));
    const curved = odds.map((f, i) => (q[i] / total) * max(expit(f) * expit(-f), 2 ** -51)), whole = sum(curved);
    const z = odds.map((f, i) => (y[i] > 0 ? min(1 / expit(f), largest) : max(-1 / expit(-f), -largest)));
    const w = curved.map((each) => each / whole), stump = findRegressionStump(X, order, w, z);
    const values = X.map((x) => ask(stump, x));
    model.weights.push(w);
    if (max(...values.map(abs)) < TIE) model.stopReason = "no_edge";
    else model.hypotheses.push(stump) && model.coefficients.push(step);
    score = score.map((f, i) => f + step * values[i]);
  }
  model.stopReason ??= "max_rounds";
  model.threshold = model.weights.map(() => 0);
  model.logOddsLine = model.weights.map(() => [2 * gamma, -2 * eta]);
  return model;
}

// ---- Calibration, N16 Section 4: of scores and labels a function from scores to probabilities ----

const centred = (scores) => {
  const low = min(...scores) / 2, high = max(...scores) / 2;
  return (score) => (score - (low + high)) / (high - low || 1);
};

// A logistic curve, fitted to Platt's targets by maximum likelihood. A Newton step that moves the log odds by m at most
// is shortened by log(1 + m) / m; so it lowers the loss (Bach 2010).
function platt(scores, y) {
  const put = centred(scores), x = scores.map(put), flat = max(...x) === min(...x), [N, P] = sizes(y);
  const target = y.map((label) => (label > 0 ? (P + 1) / (P + 2) : 1 / (N + 2)));
  let slope = 0, offset = log((P + 1) / (N + 1));
  for (let step = 0, m = 1; m > 1e-14 && step < 1000; step++) {
    const p = x.map((each) => expit(slope * each + offset)), w = p.map((each) => each * (1 - each));
    const miss = p.map((each, i) => each - target[i]), middle = dot(w, x) / sum(w), apart = x.map((each) => each - middle);
    const bySlope = flat ? 0 : dot(miss, apart) / dot(w, apart.map((each) => each ** 2));
    const byOffset = sum(miss) / sum(w) - middle * bySlope;
    m = max(abs(byOffset + bySlope), abs(byOffset - bySlope));
    const part = m > 0 ? Math.log1p(m) / m : 1;
    slope -= part * bySlope;
    offset -= part * byOffset;
  }
  return (score) => expit(slope * put(score) + offset);
}

// The non-decreasing function closest to the labels, straight between scores and constant beyond. Scores that differ by
// rounding only are ties.
function isotonic(scores, y) {
  const pool = (a, b) => ({ x: [...a.x, ...b.x], count: a.count + b.count, positives: a.positives + b.positives });
  const put = centred(scores), groups = [], blocks = [];
  let before = -Infinity;
  for (const i of inOrder(scores)) {
    const at = put(scores[i]), own = { x: [at], count: 1, positives: place(y[i]) };
    groups.push(at - before > 2 ** -49 ? own : pool(groups.pop(), { ...own, x: [] }));
    before = at;
  }
  for (let block of groups) {
    while (blocks.length && blocks.at(-1).positives * block.count >= block.positives * blocks.at(-1).count)
      block = pool(blocks.pop(), block); // shares that do not rise
    blocks.push(block);
  }
  const x = blocks.flatMap((each) => each.x), share = blocks.flatMap((each) => each.x.map(() => each.positives / each.count));
  return (score) => interpolate(put(score), x, share);
}

function interpolate(at, x, y) { // at a jump the value on its right
  const next = x.findIndex((each) => each > at);
  if (next <= 0) return next < 0 ? y.at(-1) : y[0];
  return y[next - 1] + ((y[next] - y[next - 1]) / (x[next] - x[next - 1])) * (at - x[next - 1]);
}

// ---- Decisions and what they cost ----

const bayesThreshold = (fnCost, fpCost) => 1 / (1 + fnCost / fpCost); // N16 Eq. (2)
const decidePositive = (p, fnCost, fpCost) => // whether p exceeds it, rounding aside
  p * fnCost - (1 - p) * fpCost > 2 ** -49 * (p * fnCost + fpCost);

// What each decision costs. Each of the four costs is a number, or has one for every case.
function caseCosts(y, called, { fnCost = 1, fpCost = 1, tpCost = 0, tnCost = 0 } = {}) {
  return y.map((label, i) => {
    const cost = label > 0 ? (called[i] > 0 ? tpCost : fnCost) : called[i] > 0 ? fpCost : tnCost;
    return cost.length ? cost[i] : cost;
  });
}
const expectedCost = (y, called, costs) => mean(caseCosts(y, called, costs));

// What a case saves beside calling none positive, and beside calling all so; and the share of what the better costs.
function savings(y, called, costs, level) {
  const [never, always, paid] = [y.map(() => 0), y.map(one), called].map((each) => caseCosts(y, each, costs));
  const over = (other) => caseInterval(other.map((each, i) => each - paid[i]), level);
  return { score: 1 - mean(paid) / min(mean(never), mean(always)), overNever: over(never), overAlways: over(always) };
}

// Mean over single cases, with an interval that allows for their skewness (Hall 1992).
function caseInterval(values, level = 0.95) {
  const n = values.length, m = mean(values), apart = values.map((value) => value - m), spread = sqrt(dot(apart, apart) / n);
  const a = spread && mean(apart.map((each) => (each / spread) ** 3)) / sqrt(n), t = studentQuantile(0.5 + level / 2, n - 1);
  const g = (q) => (abs(a) > 1e-6 ? (3 / a) * (Math.cbrt(1 + a * q - a ** 2 / 6) - 1) : q);
  const [low, high] = [t, -t].map((q) => m - (g(q) * spread) / sqrt(n - 1));
  return { mean: m, low, high };
}

// Quantile of Student's t above one half: the angle of tangent t / sqrt(df) has a distribution that is a finite sum
// (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4).
function studentQuantile(p, df) {
  const odd = df % 2, inside = (angle) => {
    let total = 0, term = odd ? cos(angle) : 1;
    for (let j = odd; j <= df - 2; j += 2, term *= (cos(angle) ** 2 * (j - 1)) / j) total += term;
    return odd ? (2 / Math.PI) * (angle + sin(angle) * total) : sin(angle) * total;
  };
  return sqrt(df) * Math.tan(bisect(0, Math.PI / 2, (angle) => inside(angle) < 2 * p - 1));
}

// ---- Curves over costs ----

// Positives up to each threshold on a score and negatives above it, from the threshold below all upwards.
function errorsByThreshold(y, score) {
  const found = [{ threshold: -Infinity, missed: 0, alarms: sizes(y)[0] }];
  for (const i of inOrder(score)) {
    if (score[i] > found.at(-1).threshold) found.push({ ...found.at(-1), threshold: score[i] });
    if (y[i] > 0) found.at(-1).missed += 1;
    else found.at(-1).alarms -= 1;
  }
  return found;
}

// Loss of thresholding probabilities at the condition: N16 Eq. (26) over the skew, twice the mean cost over the cost.
function brierCurve(y, prob, over = "skew") {
  const [N, P] = over === "skew" ? sizes(y) : [y.length / 2, y.length / 2];
  const levels = errorsByThreshold(y, prob), condition = [], loss = [];
  let area = 0;
  levels.forEach(({ threshold, missed, alarms }, k) => {
    const ends = [max(threshold, 0), levels[k + 1]?.threshold ?? 1];
    const values = ends.map((at) => (missed / P) * (1 - at) + (alarms / N) * at);
    condition.push(...ends);
    loss.push(...values);
    area += mean(values) * (ends[1] - ends[0]);
  });
  return { condition, loss, area, over, at: (c) => interpolate(c, condition, loss) };
}

// Cost lines of all thresholds of a score (Drummond and Holte), and their lower envelope.
function costCurve(y, score) {
  const [N, P] = sizes(y), levels = errorsByThreshold(y, score), thresholds = levels.map((each) => each.threshold);
  const fpr = levels.map((each) => each.alarms / N), fnr = levels.map((each) => each.missed / P), hull = [];
  for (const k of [...levels.keys()].sort((i, j) => fnr[i] - fnr[j] || fpr[i] - fpr[j])) {
    if (hull.length && fpr[k] >= fpr[hull.at(-1)]) continue; // no better in either rate
    const beyond = ([a, b]) => (fpr[b] - fpr[a]) * (fnr[k] - fnr[a]) - (fnr[b] - fnr[a]) * (fpr[k] - fpr[a]) >= 0;
    while (hull.length > 1 && beyond(hull.slice(-2))) hull.pop();
    hull.push(k);
  }
  const skew = [0, 1], envelope = [fnr[hull[0]], fpr[hull.at(-1)]]; // and between them where each line crosses the next
  hull.slice(1).forEach((b, i) => {
    const a = hull[i], z = (fnr[b] - fnr[a]) / (fnr[b] - fnr[a] + fpr[a] - fpr[b]);
    skew.splice(-1, 0, z);
    envelope.splice(-1, 0, fnr[a] * (1 - z) + fpr[a] * z);
  });
  const area = sum(skew.slice(1).map((z, i) => ((z - skew[i]) * (envelope[i] + envelope[i + 1])) / 2));
  return { fpr, fnr, thresholds, skew, envelope, area };
}

export {
  METHODS, bayesThreshold, boost, brierCurve, caseCosts, caseInterval, costCurve, decidePositive, expectedCost, isotonic,
  platt, savings,
};
