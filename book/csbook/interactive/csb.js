// Cost-sensitive boosting on stumps, trained while a reader drags points: what figures need of the Python package csb,
// to which a test holds hypotheses, votes, stops and decisions. Names are csb's in camel case:
//
//   boost(key, X, y, {fnCost, ...})       CostSensitiveBoosting(fn_cost, variant=key, ...).fit(X, y); LogitBoost, AsyBL
//   model.hypotheses, .coefficients       estimators_, estimator_weights_ (step_ of Newton steps)
//   model.weights[t]                      what round t + 1 sees, whose sums are estimator_masses_
//   stump.below, .above                   what it says up to its threshold and beyond: -polarity, polarity
//   first, vote, update, decision, loss   Rules.initial, .alpha, .log_factors, .threshold, .loss
//   platt, isotonic                       PlattScaling().fit, IsotonicCalibration().fit; each returns a function
//   savings                               savings_score, and case_interval of what is saved in each case
//
// A label above zero is positive. Papers: N16 Nikolaou et al. (2016), C08 Cai et al. (2008), C13 Cao et al. (2013),
// K98 Karakoulas and Shawe-Taylor (1998).

const TIE = 1e-12; // edges closer than this are equal, a vote no larger is none
const LARGEST_ALPHA = 0.5 * Math.log(1e10 - 1); // of a stump without error
const SMALLEST = -650; // log of the smallest weight beside the largest

const { abs, cos, exp, log, max, min, sin, sqrt } = Math;
const sum = (values) => values.reduce((total, v) => total + v, 0);
const dot = (a, b) => sum(a.map((v, i) => v * b[i]));
const mean = (values) => sum(values) / values.length;
const shares = (values, total = sum(values)) => values.map((v) => v / total);
const expit = (x) => 1 / (1 + exp(-x));
const inOrder = (values) => values.map((_, i) => i).sort((i, j) => values[i] - values[j]);
const place = (y) => (y > 0 ? 1 : 0); // of a class in [negative, positive]
const sizes = (y) => [y.length - y.filter(place).length, y.filter(place).length];
function root(low, high, f) { // of an increasing f, which gives value and slope: Newton's method in a bracket
  for (let x = (low + high) / 2; ; ) {
    const [value, slope] = f(x);
    if (value <= 0) low = x;
    if (value >= 0) high = x;
    const before = x, half = (low + high) / 2, next = x - value / slope;
    x = low < next && next < high ? next : half;
    if (abs(x - before) <= 2 ** -51 * abs(x) || half <= low || half >= high) return x;
  }
}

// ---- Sums over the examples

// A sum of D_i f(c_i, u_i, y_i), of the weight D of an example, the cost c of an error on it, its hit sign u = y h(x) and
// its class y, has four different terms; table[y][h] has their weights.
class Masses {
  constructor(cost, table) {
    this.outcomes = [-1, 1].flatMap((y) => [-1, 1].map((h) => [table[place(y)][place(h)], cost(y), y * h, y]));
  }
  sum(f) {
    return sum(this.outcomes.map(([D, c, u, y]) => (D > 0 ? D * f(c, u, y) : 0)));
  }
  argmin(w, kappa) { // minimiser of the sum of D w exp(-alpha kappa)
    return exponentialStep(this.outcomes.map(([D, c, u, y]) => [log(D * w(c, y)), kappa(c, u, y)]));
  }
}

// Minimiser of the sum of exp(l - alpha kappa) over terms [l, kappa]: there the rising and the falling part of the
// derivative have one logarithm. Infinite if kappa has one sign only.
function exponentialStep(terms) {
  const sides = [-1, 1].map((sign) => terms.flatMap(([l, kappa]) =>
    (kappa * sign > 0 && l > -Infinity ? { l: l + log(kappa * sign), kappa, size: kappa * sign } : [])));
  if (sides.some((side) => !side.length)) return (sides[1].length - sides[0].length) * Infinity;
  const gap = (alpha) => { // of the logarithms, and its slope: the mean sizes of kappa
    const [rising, falling] = sides.map((side) => {
      const logs = side.map(({ l, kappa }) => l - alpha * kappa), top = max(...logs), parts = logs.map((v) => exp(v - top));
      return [top + log(sum(parts)), dot(shares(parts), side.map((v) => v.size))];
    });
    return [rising[0] - falling[0], rising[1] + falling[1]];
  };
  const ends = [min, max].map((of) => -gap(0)[0] / sum(sides.map((side) => of(...side.map((v) => v.size)))));
  return root(min(...ends), max(...ends), gap);
}

// ---- The methods: four rules each, and the loss of their weights
//
//   first(c, y)              weight before round one
//   vote(M)                  alpha, from the masses of the round
//   update(alpha, c, u, y)   logarithm of the factor on a weight
//   decision(t, A)           score above which to predict positive after t rounds, whose votes sum to A
//   loss(c, y, t, A)         [log a, k] of the loss a exp(-k m) at the margin m
//
// T rounds are planned; rho is the cost ratio. The first value of an option is the default.

const halfLogOdds = (right, wrong) => 0.5 * (log(right) - log(wrong));
const one = () => 1, cost = (c) => c, cu = (c, u) => c * u;
const weighted = (w) => (M) => halfLogOdds(M.sum((c, u) => (u > 0 ? w(c) : 0)), M.sum((c, u) => (u < 0 ? w(c) : 0)));
const bounding = (w, kappa) => (M) => // minimises a bound on the sum of D w exp(-alpha kappa)
  halfLogOdds(M.sum((c, u) => w(c) * (1 + kappa(c, u))), M.sum((c, u) => w(c) * (1 - kappa(c, u))));
const exactly = (w, kappa) => (M) => M.argmin(w, kappa);
const searching = (w, kappa) => (M) => max(M.argmin(w, kappa), 0); // C08 Eq. (19), not below zero
const byShare = (rho) => (t, A) => ((1 - rho) / (1 + rho)) * A; // N16 Eq. (9)

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
  vote: exactly((c) => 1 / c, cu), // on exp(-c m), which is D / c
  update: (alpha, c, u) => -alpha * c * u,
  loss: (c) => [0, c],
};
const csb = (step) => ({ rho, rule }) => ({
  ...cgada,
  update: (alpha, c, u) => (u < 0 ? log(c) : 0) - step(alpha) * u,
  ...(rule === "vote" && { decision: byShare(rho) }),
  loss: null,
});
const adacost = (voting) => ({ beta, vote }) => {
  const kappa = (c, u) => (beta ? beta(c, u) : (1 - c * u) / 2) * u;
  return {
    ...cgada,
    vote: (vote === "line_search" ? searching : voting)(one, kappa),
    update: (alpha, c, u) => -alpha * kappa(c, u),
    loss: beta ? null : (c, y, t, A) => [log(c) + (c * A) / 2, 0.5],
  };
};

const INIT = { init: ["cost", "uniform"] }, FORM = { form: ["corrected", "paper"] }, RULE = { rule: ["sign", "vote"] };
const start = { cost, uniform: one };
const row = (name, equations, rules, options = {}, settings = {}) =>
  ({ name, equations, rules, options, costsAct: "training", ...settings });

const METHODS = {
  adaboost: row("AdaBoost", "N16 Eqs. (5)-(7)", () => adaboost, {}, { costsAct: "never" }),
  adamec: row("AdaMEC", "N16 Eqs. (9), (20), (22)", ({ rho, rule }) => ({
    ...adaboost,
    decision: rule === "vote" ? byShare(rho) : () => -0.5 * log(rho),
  }), { rule: ["logistic", "vote"] }, { costsAct: "decision" }),
  cgada: row("CGAda", "N16 Tables 1-3", () => cgada),
  asymada: row("AsymAda", "N16 Tables 1-3", ({ rho, T, form }) => ({
    first: (c) => c ** (1 / T),
    vote: weighted(form === "paper" ? (c) => c ** (1 / T) : one),
    update: (alpha, c, u) => log(c) / T - alpha * u,
    decision: (t) => (form === "paper" ? 0 : 0.5 * (t / T - 1) * log(rho)),
    loss: (c, y, t) => [((t + (form === "paper")) / T) * log(c), 1],
  }), FORM),
  csada: row("CSAda", "N16 Tables 1-3", ({ selection }) => ({
    ...csada,
    gain: selection === "joint" && ((M) => { // what the best step takes from the loss
      const alpha = csada.vote(M);
      return 1 - M.sum((c, u) => exp(-alpha * c * u) / c) / M.sum((c) => 1 / c);
    }),
  }), { selection: ["gradient", "joint"] }),
  adadb: row("AdaDB", "N16 Tables 1-3", () => csada), // whose polynomial has CSAda's vote for a root
  adac1: row("AdaC1", "N16 Tables 1-3", ({ init, alpha }) => ({
    ...csada,
    first: start[init],
    vote: { closed: bounding(one, cu), exact: exactly(one, cu), fgd: csada.vote }[alpha],
    loss: (c) => [init === "cost" ? 0 : -log(c), c],
  }), { ...INIT, alpha: ["closed", "exact", "fgd"] }, { largest: 1 }),
  adac2: row("AdaC2", "N16 Tables 1-3", ({ init }) => ({
    ...adaboost,
    first: start[init],
    vote: weighted(cost),
    update: (alpha, c, u) => log(c) - alpha * u,
    loss: (c, y, t) => [(t + (init === "cost")) * log(c), 1],
  }), INIT),
  adac3: row("AdaC3", "N16 Tables 1-3", ({ init }) => ({
    ...adaboost,
    first: start[init],
    vote: bounding(cost, cu),
    update: (alpha, c, u) => log(c) - alpha * c * u,
    loss: (c, y, t) => [(t - 1 + (init === "cost")) * log(c), c],
  }), INIT, { largest: 1 }),
  csb0: row("CSB0", "N16 Tables 1-2", csb(() => 0), RULE, { smallest: 1 }),
  csb1: row("CSB1", "N16 Tables 1-2", csb(() => 1), RULE, { smallest: 1 }),
  csb2: row("CSB2", "N16 Tables 1-2", csb((alpha) => alpha), RULE, { smallest: 1 }),
  adacost: row("AdaCost", "N16 Tables 1-2, C08 Eqs. (4)-(5)", adacost(bounding),
    { vote: ["closed_form", "line_search"], beta: [null] }, { largest: 0.5 }),
  adacost_beta2: row("AdaCost(β₂)", "N16 Tables 1-2", adacost(weighted), { beta: [null] }, { largest: 1 }),
  // terms w exp(-alpha (a h + b)), C08 Eq. (17), whose a h + b is (u - c) / 2, or c u
  gd_adacost: row("GD-AdaCost", "C08 Eqs. (13), (17)-(19)", adacost(searching), {}, { largest: 0.5 }),
  gd_adac1: row("GD-AdaC1", "C08 Eqs. (14), (17)-(19)", () => csada),
  gd_asymboost: row("GD-AsymBoost", "C08 Eqs. (16)-(19)", () => csada),
  asyb: row("AsyB", "C13 Algorithm 1", ({ form }) => ({
    ...cgada,
    vote: weighted(form === "paper" ? cost : one), // costs times D / c, which has none, or times D
  }), FORM),
  adauboost: row("AdaUBoost", "K98 Figure 1, Eqs. (4)-(6)", ({ rho, form, init, learnerWeights, omega }) => {
    const printed = form === "paper", times = { auto: printed ? 1 : 2, beta2: 2, beta: 1, uniform: 0 }[init];
    const onGradient = { auto: !printed, gradient: true, z: false }[learnerWeights];
    const k = (y) => (y > 0 ? 1 / rho : 1), slope = (y) => (onGradient ? k(y) : 1); // k is beta_i of Figure 1
    const logOmega = (y) => (y > 0 ? (omega ? log(omega) : times * log(rho)) : 0);
    return {
      ...adaboost,
      first: (c, y) => exp(logOmega(y)) * slope(y),
      vote: exactly((c, y) => 1 / slope(y), (c, u, y) => k(y) * u), // on Z, Eq. (4)
      update: (alpha, c, u, y) => -alpha * k(y) * u,
      loss: (c, y) => [logOmega(y), k(y)],
    };
  }, { ...FORM, init: ["auto", "beta2", "beta", "uniform"], learnerWeights: ["auto", "gradient", "z"], omega: [null] }),
  // Newton steps: expit(2 (f + eta)) is the probability at the score f
  logitboost: row("LogitBoost", "Friedman et al. (2000), Algorithm 3", () => ({ eta: 0 }), {}, { costsAct: "never" }),
  asybl: row("AsyBL", "C13 Algorithm 2", ({ rho }) => ({ eta: -0.5 * log(rho) })),
};

// ---- Stumps

const ask = ({ feature, threshold, below, above }, x) => (x[feature] > threshold ? above : below);
const firstWithin = (values, tie) => {
  const least = max(...values) - tie;
  return values.findIndex((v) => v >= least);
};

function lowest(tried, tie) { // the first within a tie of the best
  const worths = tried.map((cuts) => cuts.map((cut) => cut.worth));
  const feature = firstWithin(worths.map((v) => max(...v)), tie);
  return { feature, ...tried[feature][firstWithin(worths[feature], tie)] };
}

// Rows of a column in order, and its cuts, the constant first: how many rows lie below, and where.
function columnOf(values) {
  const rows = inOrder(values);
  const cuts = rows.flatMap((i, k) => {
    const low = k ? values[rows[k - 1]] : -Infinity, high = values[i], middle = 0.5 * low + 0.5 * high;
    return low < high ? { k, threshold: middle < high ? middle : low } : []; // rounding may lift the middle
  });
  return { rows, cuts };
}
function sides(rows, v) { // sums over the first k rows, and over the others
  const n = rows.length, below = new Float64Array(n + 1), above = new Float64Array(n + 1);
  for (let k = 0; k < n; k++) {
    below[k + 1] = below[k] + v[rows[k]];
    above[n - k - 1] = above[n - k] + v[rows[n - k - 1]];
  }
  return [below, above];
}

// The stump of largest edge, or gain; within a tie that of lowest feature, then lowest threshold.
function findStump(columns, y, D, cost, gain) {
  const classes = [-1, 1].map((sign) => D.map((v, i) => (y[i] === sign ? v : 0)));
  const tried = columns.map(({ rows, cuts }) => {
    const [negative, positive] = classes.map((v) => sides(rows, v));
    return cuts.map(({ k, threshold }) => {
      const table = [negative, positive].map((of) => of.map((v) => v[k]));
      const edge = table[0][0] - table[0][1] - table[1][0] + table[1][1];
      return { threshold, above: edge >= 0 ? 1 : -1, worth: gain ? gain(new Masses(cost, table)) : abs(edge) };
    });
  });
  const { feature, threshold, above } = lowest(tried, TIE);
  return { feature, threshold, below: -above, above };
}

// The stump of least weighted squared error, in the same order.
function findRegressionStump(columns, w, z) {
  const moments = w.map((v, i) => v * z[i]), tie = TIE * dot(moments, z), total = sum(w);
  const tried = columns.map(({ rows, cuts }) => {
    const mass = sides(rows, w), moment = sides(rows, moments);
    return cuts.map(({ k, threshold }) => {
      const above = moment[1][k] / mass[1][k], below = k ? moment[0][k] / mass[0][k] : above;
      const worth = mass[1][k] > 1e-14 * total ? moment[0][k] * below + moment[1][k] * above : -Infinity;
      return { threshold, below, above, worth };
    });
  });
  return lowest(tried, tie);
}

// ---- Training

class Model { // a sum of stumps, and what is made of it after t rounds, all by default
  hypotheses = []; coefficients = []; weights = []; threshold = []; logOddsLine = [];
  decisionFunction(X, t) {
    const used = this.hypotheses.slice(0, t);
    return X.map((x) => sum(used.map((stump, k) => this.coefficients[k] * ask(stump, x))));
  }
  predict(X, t) {
    return this.decisionFunction(X, t).map((score) => place(score - this.threshold.at((t ?? 0) - 1)));
  }
  predictProba(X, t) { // of the positive class, for a method with a loss
    const [slope, gap] = this.logOddsLine.at((t ?? 0) - 1);
    return this.decisionFunction(X, t).map((score) => expit(slope * score - gap));
  }
}

function boost(key, X, labels, { fnCost = 1, fpCost = 1, nEstimators: T = 50, learningRate = 1, costScale, ...given } = {}) {
  const { rules: make, options, costsAct, largest, smallest } = METHODS[key], chosen = {}, rho = fnCost / fpCost;
  for (const name in options) chosen[name] = given[name] ?? options[name][0];
  const y = labels.map((label) => 2 * place(label) - 1), columns = X[0].map((_, j) => columnOf(X.map((x) => x[j])));
  const rules = make({ rho, T, ...chosen }), model = new Model();
  if (rules.eta !== undefined) return newton(model, X, y, columns, rules.eta, T, learningRate);

  const unit = largest ? max(fnCost, fpCost) / (costScale ?? largest) : smallest ? min(fnCost, fpCost) : 1;
  const cost = (y) => (y > 0 ? fnCost : fpCost) / unit, classes = (f) => [f(cost(-1), -1), f(cost(1), 1)];
  const k = classes((c, y) => rules.loss?.(c, y, 0, 0)[1] ?? 1);
  let logs = y.map((y) => log(rules.first(cost(y), y))), A = 0;
  for (let t = 1; ; t++) {
    const top = max(...logs);
    logs = logs.map((v) => v - top);
    const D = shares(logs.map((v) => exp(max(v, SMALLEST)))), table = [[0, 0], [0, 0]];
    model.weights.push(D);
    if (t > T) model.stopReason ||= "max_rounds";
    if (model.stopReason) break;
    const stump = findStump(columns, y, D, cost, rules.gain), h = X.map((x) => ask(stump, x));
    D.forEach((v, i) => { table[place(y[i])][place(h[i])] += v; });
    const missed = table[0][1] + table[1][0];
    let alpha = rules.vote(new Masses(cost, table));
    model.stopReason = table[0][0] + table[1][1] - missed <= TIE ? "no_edge" : !missed ? "perfect"
      : !isFinite(alpha) ? "not_finite" : alpha * max(...k) <= TIE ? "alpha" : "";
    if (model.stopReason && missed) break; // after a perfect stump, which is kept, it ends too
    alpha = learningRate * (isFinite(alpha) ? alpha : LARGEST_ALPHA / min(...k));
    A += alpha;
    model.hypotheses.push(stump);
    model.coefficients.push(alpha);
    model.threshold.push(rules.decision(t, A));
    if (rules.loss) {
      const [[a0, k0], [a1, k1]] = classes((c, y) => rules.loss(c, y, t, A));
      model.logOddsLine.push([k0 + k1, a1 + log(k1) - a0 - log(k0)]);
    }
    logs = logs.map((v, i) => v + rules.update(alpha, cost(y[i]), y[i] * h[i], y[i]));
  }
  if ((model.constant = !model.hypotheses.length)) { // the decision of least cost
    const [N, P] = sizes(y), trained = costsAct === "training" ? log(rho) : 0;
    const score = 0.5 * (log(P) - log(N) + trained), above = score > TIE ? 1 : -1;
    model.hypotheses.push({ feature: 0, threshold: -Infinity, below: -above, above });
    model.coefficients.push(abs(score) <= TIE ? 0 : abs(score));
    model.threshold.push(costsAct === "decision" ? -0.5 * log(rho) : 0);
    if (rules.loss) model.logOddsLine.push([2, trained]);
  }
  return model;
}

// LogitBoost: each round fits the working response by weighted least squares.
function newton(model, X, y, columns, eta, T, learningRate) {
  let score = y.map(() => 0);
  for (let t = 0; t < T && !model.stopReason; t++) {
    const odds = score.map((f) => 2 * (f + eta));
    const w = shares(odds.map((f) => max(expit(f) * expit(-f), 2 ** -51)));
    const z = odds.map((f, i) => y[i] * min(1 / expit(y[i] * f), 4));
    const stump = findRegressionStump(columns, w, z), values = X.map((x) => ask(stump, x));
    model.weights.push(w);
    model.threshold.push(0);
    model.logOddsLine.push([2, -2 * eta]);
    if (max(...values.map(abs)) < TIE) model.stopReason = "no_edge";
    else model.hypotheses.push(stump) && model.coefficients.push(learningRate / 2);
    score = score.map((f, i) => f + (learningRate / 2) * values[i]);
  }
  model.stopReason ??= "max_rounds";
  return model;
}

// ---- Calibration, N16 Section 4: maps from scores to probabilities

const centred = (scores) => {
  const low = min(...scores) / 2, high = max(...scores) / 2;
  return (score) => (score - (low + high)) / (high - low || 1);
};

// A logistic curve, fitted to Platt's targets by likelihood. Newton steps that move the log odds by m at most, shortened
// by log(1 + m) / m, lower the loss (Bach 2010).
function platt(scores, y) {
  const put = centred(scores), x = scores.map(put), flat = max(...x) === min(...x), [N, P] = sizes(y);
  const target = y.map((label) => (label > 0 ? (P + 1) / (P + 2) : 1 / (N + 2)));
  let slope = 0, offset = log((P + 1) / (N + 1));
  for (let step = 0, m = 1; m > 1e-14 && step < 1000; step++) {
    const p = x.map((v) => expit(slope * v + offset)), w = p.map((v) => v * (1 - v));
    const miss = p.map((v, i) => v - target[i]), middle = dot(w, x) / sum(w), apart = x.map((v) => v - middle);
    const bySlope = flat ? 0 : dot(miss, apart) / dot(w, apart.map((v) => v ** 2));
    const byOffset = sum(miss) / sum(w) - middle * bySlope;
    m = max(abs(byOffset + bySlope), abs(byOffset - bySlope));
    const part = m && Math.log1p(m) / m;
    slope -= part * bySlope;
    offset -= part * byOffset;
  }
  return (score) => expit(slope * put(score) + offset);
}

// The non-decreasing function closest to the labels, straight between scores. Those that rounding parts are ties.
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
  const x = blocks.flatMap((v) => v.x), share = blocks.flatMap((v) => v.x.map(() => v.positives / v.count));
  return (score) => interpolate(put(score), x, share);
}

function interpolate(at, x, y) { // at a jump the value on its right
  const next = x.findIndex((v) => v > at);
  if (next <= 0) return next < 0 ? y.at(-1) : y[0];
  return y[next - 1] + ((y[next] - y[next - 1]) / (x[next] - x[next - 1])) * (at - x[next - 1]);
}

// ---- Decisions and what they cost

const decidePositive = (p, fnCost, fpCost) => // N16 Eqs. (2) and (4), rounding aside
  p * fnCost - (1 - p) * fpCost > 2 ** -49 * (p * fnCost + fpCost);

// What each decision costs. A cost is a number, or has one for every case.
const caseCosts = (y, called, { fnCost = 1, fpCost = 1 } = {}) => y.map((label, i) => {
  const cost = label > 0 ? fnCost : fpCost;
  return place(label) === place(called[i]) ? 0 : cost[i] ?? cost;
});
const expectedCost = (y, called, costs) => mean(caseCosts(y, called, costs));

// What a case saves beside calling none positive or all; and the share of what the better costs.
function savings(y, called, costs, level) {
  const [never, always, paid] = [y.map(() => 0), y.map(one), called].map((v) => caseCosts(y, v, costs));
  const over = (other) => caseInterval(other.map((v, i) => v - paid[i]), level);
  return { score: 1 - mean(paid) / min(mean(never), mean(always)), overNever: over(never), overAlways: over(always) };
}

// Mean over cases, with an interval that allows for skewness (Hall 1992).
function caseInterval(values, level = 0.95) {
  const n = values.length, m = mean(values), apart = values.map((v) => v - m), spread = sqrt(dot(apart, apart) / n);
  const a = spread && mean(apart.map((v) => (v / spread) ** 3)) / sqrt(n), t = studentQuantile(0.5 + level / 2, n - 1);
  const g = (q) => (abs(a) > 1e-6 ? (3 / a) * (Math.cbrt(1 + a * q - a ** 2 / 6) - 1) : q);
  const [low, high] = [t, -t].map((q) => m - (g(q) * spread) / sqrt(n - 1));
  return { mean: m, low, high };
}

// Quantile of Student's t above one half, by the angle of tangent t / sqrt(df) (Abramowitz and Stegun 1964, 26.7.3-4).
function studentQuantile(p, df) {
  const odd = df % 2, inside = (angle) => {
    let total = 0, term = odd ? cos(angle) : 1;
    for (let j = odd; j <= df - 2; j += 2, term *= (cos(angle) ** 2 * (j - 1)) / j) total += term;
    return odd ? (2 / Math.PI) * (angle + sin(angle) * total) : sin(angle) * total;
  };
  return sqrt(df) * Math.tan(root(0, Math.PI / 2, (angle) => [inside(angle) - 2 * p + 1]));
}

// ---- Curves over costs

const areaBelow = (x, y) => sum(x.slice(1).map((v, i) => ((v - x[i]) * (y[i] + y[i + 1])) / 2));

// Positives up to each threshold, and negatives above it.
function errorsByThreshold(y, score) {
  const found = [{ threshold: -Infinity, missed: 0, alarms: sizes(y)[0] }];
  for (const i of inOrder(score)) {
    if (score[i] > found.at(-1).threshold) found.push({ ...found.at(-1), threshold: score[i] });
    if (y[i] > 0) found.at(-1).missed += 1;
    else found.at(-1).alarms -= 1;
  }
  return found;
}

// Loss of thresholding at the condition: N16 Eq. (26) over the skew, twice the mean cost over the cost.
function brierCurve(y, prob, over = "skew") {
  const [N, P] = over === "skew" ? sizes(y) : [y.length / 2, y.length / 2];
  const levels = errorsByThreshold(y, prob), condition = [], loss = [];
  levels.forEach(({ threshold, missed, alarms }, k) => {
    const ends = [max(threshold, 0), levels[k + 1]?.threshold ?? 1];
    condition.push(...ends);
    loss.push(...ends.map((at) => (missed / P) * (1 - at) + (alarms / N) * at));
  });
  return { condition, loss, area: areaBelow(condition, loss), at: (c) => interpolate(c, condition, loss) };
}

// Cost lines of all thresholds (Drummond and Holte), and their lower envelope.
function costCurve(y, score) {
  const levels = errorsByThreshold(y, score), [N, P] = sizes(y), hull = [];
  const fpr = levels.map((v) => v.alarms / N), fnr = levels.map((v) => v.missed / P);
  for (const k of levels.keys()) {
    if (fnr[k] === fnr[k + 1] || fpr[k] === fpr[hull.at(-1)]) continue; // another is no worse
    const beyond = ([a, b]) => (fpr[b] - fpr[a]) * (fnr[k] - fnr[a]) - (fnr[b] - fnr[a]) * (fpr[k] - fpr[a]) >= 0;
    while (hull.length > 1 && beyond(hull.slice(-2))) hull.pop();
    hull.push(k);
  }
  const crossing = (a, b) => 1 / (1 + (fpr[a] - fpr[b]) / (fnr[b] - fnr[a])), line = (k, z) => fnr[k] * (1 - z) + fpr[k] * z;
  const skew = [0, ...hull.slice(1).map((b, i) => crossing(hull[i], b)), 1];
  const envelope = skew.map((z, i) => line(hull[max(i - 1, 0)], z));
  const thresholds = levels.map((v) => v.threshold);
  return { fpr, fnr, thresholds, skew, envelope, area: areaBelow(skew, envelope) };
}

export {
  METHODS, boost, brierCurve, caseCosts, caseInterval, costCurve, decidePositive, expectedCost, isotonic,
  platt, savings,
};
