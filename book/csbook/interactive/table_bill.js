// What decisions by the probabilities of a table cost, or by those of a model trained on its columns.
const { METHODS, boost, brierCurve, caseCosts, caseInterval, costCurve, decidePositive, platt, savings } = globalThis.csb;
const total = (values) => values.reduce((sum, v) => sum + v, 0);
const average = (values) => total(values) / values.length;

// The rows without a gap in the columns that are asked for, and their labels.
function labelled(table, { outcome, positive, probability, amount }) {
  const asked = [outcome, probability, amount].filter(Boolean).map((name) => table.columns.get(name));
  const rows = [...asked[0].keys()].filter((i) => asked.every((cells) => cells[i] !== ""));
  const y = rows.map((i) => Number(asked[0][i] === positive)), P = total(y);
  if (!P || P === y.length) refuse("Of the rows without gaps all have the same outcome.");
  return { rows, y };
}

// A false alarm costs one, or with amounts a fixed part and a share of the amount; a miss costs so many false alarms, in
// proportion to the amount.
function prices({ ratio, fixed, share }, amount) {
  if (!amount) return { fnCost: ratio, fpCost: 1, slope: ratio };
  if (!(fixed >= 0 && share >= 0 && fixed + share > 0)) refuse("A false alarm must cost something.");
  if (amount.some((v) => v < 0) || !total(amount)) refuse("The amounts must not be negative, nor all be zero.");
  const fpCost = amount.map((a) => fixed + share * a), slope = (ratio * average(fpCost)) / average(amount);
  return { fnCost: amount.map((a) => slope * a), fpCost, slope };
}

const each = (cost, i) => cost[i] ?? cost;

// The threshold for all cases that would have been cheapest: the value above which to call.
function cheapest(y, p, { fnCost, fpCost }) {
  const order = [...p.keys()].sort((i, j) => p[i] - p[j]), rounded = (v) => Math.round(v * 1e9) / 1e9;
  let rise = 0, best = { threshold: -Infinity, rise: Infinity };
  order.forEach((i, k) => {
    rise += y[i] ? each(fnCost, i) : -each(fpCost, i);
    if (p[i] !== p[order[k + 1]] && rounded(rise) < best.rise) best = { threshold: p[i], rise: rounded(rise) };
  });
  return best.rise < 0 ? best.threshold : -Infinity;
}

// Bins of equal width as csb.evaluation.curves.reliability_diagram, with intervals of the shares (Wilson 1927).
function reliability(y, p, bins = 10, z = 1.959964) {
  const found = Array.from({ length: bins }, () => ({ count: 0, predicted: 0, observed: 0 }));
  p.forEach((v, i) => {
    const bin = found[Math.min(Math.floor(v * bins), bins - 1)];
    bin.count += 1;
    bin.predicted += v;
    bin.observed += y[i];
  });
  return found.filter((bin) => bin.count).map(({ count: n, predicted, observed }) => {
    const share = observed / n, middle = (share + z ** 2 / (2 * n)) / (1 + z ** 2 / n);
    const half = (z * Math.sqrt((share * (1 - share)) / n + z ** 2 / (4 * n ** 2))) / (1 + z ** 2 / n);
    return { count: n, predicted: predicted / n, observed: share, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
  });
}

// Loss at each threshold c, the two costs c and 1 - c scaled to sum to two: of the probabilities, of the best threshold
// at each c and of the cheaper constant.
function curves(y, p) {
  const share = average(y), brier = brierCurve(y, p, "cost"), lines = costCurve(y, p), c = Array.from({ length: 201 }, (_, k) => k / 200);
  const best = c.map((at) => {
    const scale = share * (1 - at) + (1 - share) * at, z = ((1 - share) * at) / scale;
    const k = Math.max(1, lines.skew.findIndex((v) => v >= z)), [a, b] = [lines.skew[k - 1], lines.skew[k]];
    const part = b > a ? (z - a) / (b - a) : 0;
    return 2 * scale * (lines.envelope[k - 1] * (1 - part) + lines.envelope[k] * part);
  });
  return { c, brier: c.map(brier.at), best, constant: c.map((at) => 2 * Math.min(share * (1 - at), (1 - share) * at)), area: brier.area };
}

function assess(name, y, p, costs) {
  const called = p.map((v, i) => Number(decidePositive(v, each(costs.fnCost, i), each(costs.fpCost, i))));
  const paid = caseCosts(y, called, costs), threshold = cheapest(y, p, costs);
  const hindsight = caseCosts(y, p.map((v) => Number(v > threshold)), costs);
  return {
    name, p, paid, bill: average(paid), threshold, cheapestBill: average(hindsight), ...savings(y, called, costs),
    missed: total(y.map((v, i) => v * (1 - called[i]))), alarms: total(y.map((v, i) => (1 - v) * called[i])),
    reliability: reliability(y, p), curves: curves(y, p),
  };
}

// ---- Training

// Numbers with the mean of the training part in gaps, and a column of zeros and ones for each of a few words.
function encode(table, outcome, rows, train) {
  const used = { numbers: [], words: [] }, left = [], columns = [], words = [];
  for (const [name, cells] of table.columns) {
    if (name === outcome) continue;
    const found = numbersOf(table, name), kinds = [...new Set(rows.map((i) => cells[i]))].sort();
    if (found.wrong < 0) {
      const values = rows.map((i) => found.numbers[i]), known = train.map((k) => values[k]).filter((v) => !Number.isNaN(v));
      const filled = known.length ? average(known) : 0;
      used.numbers.push(name);
      columns.push(values.map((v) => (Number.isNaN(v) ? filled : v)));
    } else if (kinds.length <= MOST.words) {
      used.words.push(name);
      words.push(...kinds.map((word) => rows.map((i) => Number(cells[i] === word))));
    } else {
      left.push(`${quoted(name)} has more than ${MOST.words} different words (row ${found.wrong + 1} says ${quoted(cells[found.wrong])}) and is left out.`);
    }
  }
  columns.push(...words);
  if (!columns.length) refuse("Beside the outcome there is no column to train on.");
  if (columns.length > MOST.features) refuse(`There are more than ${MOST.features} features, too many for a page.`);
  if (columns.length * train.length > MOST.cells)
    refuse(`To train on ${many(train.length, "row")} of ${columns.length} features is too much for a page. Take a sample of the rows, or run csb itself.`);
  return { X: rows.map((_, k) => columns.map((column) => column[k])), used, left };
}

// Logistic regression on standardised columns with half the squared length of the coefficients as penalty, scikit-learn's
// C = 1, by Newton steps (iteratively reweighted least squares), halved as long as they do not lower the loss.
function logistic(X, y) {
  const columns = X[0].map((_, j) => X.map((x) => x[j])), mean = columns.map(average);
  const scale = columns.map((v, j) => Math.sqrt(average(v.map((a) => (a - mean[j]) ** 2))) || 1);
  const put = (x) => [1, ...x.map((v, j) => (v - mean[j]) / scale[j])], rows = X.map(put);
  const score = (w, x) => x.reduce((sum, v, j) => sum + v * w[j], 0), penalty = (j) => (j ? 1 : 0);
  const loss = (w) => total(rows.map((x, i) => { // log(1 + exp(-m)), without overflow
    const m = (2 * y[i] - 1) * score(w, x);
    return Math.log1p(Math.exp(-Math.abs(m))) + Math.max(-m, 0);
  })) + total(w.map((v, j) => (penalty(j) * v ** 2) / 2));
  let w = rows[0].map(() => 0), now = loss(w);
  for (let step = 0; step < 100; step++) {
    const gradient = w.map((v, j) => penalty(j) * v), hessian = w.map((_, j) => w.map((_, k) => (j === k ? penalty(j) : 0)));
    rows.forEach((x, i) => {
      const p = 1 / (1 + Math.exp(-score(w, x))), weight = p * (1 - p);
      x.forEach((v, j) => {
        gradient[j] += v * (p - y[i]);
        for (let k = 0; k <= j; k++) hessian[j][k] += weight * v * x[k];
      });
    });
    const move = solve(hessian, gradient);
    let part = 1, next = now, tried = w;
    for (; part > 1e-10; part /= 2) {
      tried = w.map((v, j) => v - part * move[j]);
      if ((next = loss(tried)) <= now) break;
    }
    if (part <= 1e-10) break;
    w = tried;
    now = next;
    if (Math.max(...move.map(Math.abs)) < 1e-10) break;
  }
  return (x) => score(w, put(x));
}

// A x = b for a positive definite A, whose lower half is given (Cholesky).
function solve(A, b) {
  const L = A.map((row) => [...row]), x = [...b], n = b.length;
  for (let j = 0; j < n; j++) {
    for (let k = 0; k < j; k++) for (let i = j; i < n; i++) L[i][j] -= L[i][k] * L[j][k];
    const pivot = Math.sqrt(Math.max(L[j][j], 1e-300));
    for (let i = j; i < n; i++) L[i][j] /= pivot;
    for (let k = 0; k < j; k++) x[j] -= L[j][k] * x[k];
    x[j] /= L[j][j];
  }
  for (let j = n - 1; j >= 0; j--) {
    for (let k = j + 1; k < n; k++) x[j] -= L[k][j] * x[k];
    x[j] /= L[j][j];
  }
  return x;
}

// Every third case of each class trains, every third calibrates, every third is held out.
function train(table, choice, rows, y) {
  const seen = [0, 0], part = y.map((v) => seen[v]++ % 3), of = (k) => [...part.keys()].filter((i) => part[i] === k);
  if (Math.min(...seen) < 9) refuse("To train takes nine cases of each class at least.");
  const [fitted, calibrated, held] = [0, 1, 2].map(of), { X, used, left } = encode(table, choice.outcome, rows, fitted);
  const pick = (values, places) => places.map((i) => values[i]), labels = pick(y, fitted);
  const costs = choice.method === "logitboost" ? {} : { fnCost: choice.ratio, fpCost: 1 };
  const boosted = boost(choice.method, pick(X, fitted), labels, { ...costs, nEstimators: choice.rounds });
  const linear = logistic(pick(X, fitted), labels);
  const probabilities = (scores) => {
    const map = platt(scores(pick(X, calibrated)), pick(y, calibrated));
    return scores(pick(X, held)).map(map);
  };
  const models = [
    [METHODS[choice.method].name, probabilities((some) => boosted.decisionFunction(some))],
    ["Logistic regression", probabilities((some) => some.map(linear))],
  ];
  return { held, models, used, left, rounds: boosted.hypotheses.length };
}

// All that the page shows of a table for a choice of columns, costs and, where no probabilities are given, of a method.
function evaluate(table, choice) {
  const { rows, y } = labelled(table, choice), notes = [];
  const known = (name) => name && ((values) => rows.map((i) => values[i]))(numbers(table, name));
  if (rows.length < table.rows) notes.push(`${many(table.rows - rows.length, "row")} with a gap left out.`);
  let amount = known(choice.amount), models, used, labels = y;
  if (choice.probability) {
    const p = known(choice.probability), k = p.findIndex((v) => !(v >= 0 && v <= 1));
    if (k >= 0) refuse(`Row ${rows[k] + 1} of ${quoted(choice.probability)} says ${p[k]}, and a probability lies between 0 and 1.`);
    models = [[choice.probability, p]];
  } else {
    const trained = train(table, choice, rows, y);
    ({ models, used } = trained);
    labels = trained.held.map((i) => y[i]);
    amount &&= trained.held.map((i) => amount[i]);
    notes.push(...trained.left, `Trained on every third case of each class, calibrated on every third, judged on the ${many(labels.length, "case")} left.`);
    if (trained.rounds < choice.rounds) notes.push(`${models[0][0]} ended after ${many(trained.rounds, "round")}.`);
  }
  const costs = prices(choice, amount), constant = (v) => average(caseCosts(labels, labels.map(() => v), costs));
  const found = models.map(([name, p]) => assess(name, labels, p, costs));
  const apart = found[1] && caseInterval(found[1].paid.map((v, i) => v - found[0].paid[i]));
  const pair = choice.amount ? null : 1 / (1 + choice.ratio);
  return { n: labels.length, positives: total(labels), models: found, never: constant(0), always: constant(1), apart, notes, used,
    slope: costs.slope, threshold: pair };
}
