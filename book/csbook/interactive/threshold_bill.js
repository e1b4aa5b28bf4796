// A thousand cases whose scores are normal in each class, decided by probabilities that may claim too much or too little.
const expit = (v) => 1 / (1 + Math.exp(-v)), logit = (p) => Math.log(p / (1 - p));
function normal(x) { // distribution function, to 1e-15: a series, and far out a continued fraction
  const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI), far = Math.abs(x);
  if (far < 5) {
    let total = x;
    for (let k = 3, term = x; Math.abs(term) > 1e-17; k += 2) total += term *= (x * x) / k;
    return 0.5 + density * total;
  }
  let below = far;
  for (let k = 30; k; k--) below = far + k / below;
  return x < 0 ? density / below : 1 - density / below;
}
function quantile(share) {
  let low = -10, high = 10;
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (normal(middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

// Scores have mean d/2 in positives and -d/2 in negatives; the log odds are d x + logit(prevalence), and what is claimed
// is so many times that.
function billOf({ positives, separation: d, miss, alarm, claimed }, threshold = alarm / (miss + alarm)) {
  const prevalence = positives / 1000, cut = (logit(threshold) / claimed - logit(prevalence)) / d;
  const missed = positives * normal(cut - d / 2), alarms = (1000 - positives) * normal(-cut - d / 2);
  return { threshold, cut, missed, alarms, bill: missed * miss + alarms * alarm };
}

function numbersAt(setting) {
  const c = setting.alarm / (setting.miss + setting.alarm), now = billOf(setting), right = billOf({ ...setting, claimed: 1 });
  return { ...setting, ...now, best: right.bill, part: now.bill - right.bill, acts: expit(logit(c) / setting.claimed),
    constant: Math.min(setting.positives * setting.miss, (1000 - setting.positives) * setting.alarm) };
}

// The cases in the order of their scores: places, classes and whether they are called.
function dots({ positives, separation: d }, cut) {
  const scores = [[1, positives], [0, 1000 - positives]].flatMap(([y, n]) =>
    Array.from({ length: n }, (_, i) => ({ y, x: quantile((i + 0.5) / n) + (y - 0.5) * d })));
  return scores.sort((a, b) => a.x - b.x).map(({ y, x }, k) =>
    ({ y, called: x > cut, x: Math.floor(k / 25) + 0.5, y0: (k % 25) + 0.5 }));
}
