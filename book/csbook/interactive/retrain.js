// Trains two methods on points that the reader drags, adds, flips and removes. No network.
const data = JSON.parse(root.querySelector("script[type='application/json']").textContent);
const controls = [...root.querySelectorAll(".csb-controls input, .csb-controls select")];
const drawings = [...root.querySelectorAll(".csb-panels > svg")], planes = drawings.slice(0, 2);
const text = root.querySelector("output");
const { METHODS, boost, expectedCost } = globalThis.csb;
const MOST = 400, REACH = 22; // points; and pixels within which one is taken hold of
const [POSITIVE, NEGATIVE] = [1, 0];

const sum = (values) => values.reduce((total, v) => total + v, 0);
const where = (values, y, label) => values.filter((_, i) => y[i] === label);
const percent = (share) => `${Math.round(100 * share)}%`;

// ---- What a method makes of points [x, y, class]

function train(method, points, ratio, rounds, step) {
  const X = points.map(([x0, x1]) => [x0, x1]), y = points.map((point) => point[2]);
  const model = boost(method.key, X, y, { fnCost: ratio, nEstimators: rounds, learningRate: step, ...method.options });
  const count = model.constant ? 0 : model.hypotheses.length, scores = [y.map(() => 0)];
  for (let t = 0; t < count; t++) {
    const { feature, threshold, below, above } = model.hypotheses[t], vote = model.coefficients[t];
    scores.push(scores[t].map((score, i) => score + vote * (X[i][feature] > threshold ? above : below)));
  }
  const called = model.predict(X), bill = (decided) => expectedCost(y, decided, { fnCost: ratio });
  const constant = Math.min(...[NEGATIVE, POSITIVE].map((label) => bill(y.map(() => label))));
  return { method, X, y, model, count, scores, called, bill, constant, ratio, rounds };
}

function risks({ method: { key, options }, y, model, scores, ratio, rounds }) { // as shares of that of no stump
  const row = METHODS[key], unit = row.largest ? ratio / row.largest : 1, side = y.map((label) => 2 * label - 1), chosen = {};
  for (const name in row.options) chosen[name] = options[name] ?? row.options[name][0];
  const { loss } = row.rules({ rho: ratio, T: rounds, ...chosen });
  let A = 0;
  return loss && scores.map((score, t) => {
    A += t ? model.coefficients[t - 1] : 0;
    const terms = [NEGATIVE, POSITIVE].map((label) => loss((label ? ratio : 1) / unit, 2 * label - 1, t, A));
    const factors = y.map((label) => Math.exp(terms[label][0]));
    return sum(factors.map((a, i) => a * Math.exp(-terms[y[i]][1] * side[i] * score[i]))) / sum(factors);
  });
}

function margins({ y, model, count, scores }) { // of each class in order, as shares of the votes
  const A = sum(model.coefficients.slice(0, count)) || 1;
  const own = scores.at(-1).map((score, i) => (score * (2 * y[i] - 1)) / A);
  return [NEGATIVE, POSITIVE].map((label) => where(own, y, label).sort((a, b) => a - b));
}

const shares = ({ y, model }) => model.weights.map((D) => sum(where(D, y, POSITIVE)));
const bills = ({ model, scores, bill, constant }) =>
  scores.slice(1).map((score, t) => bill(score.map((F) => (F > model.threshold[t] ? POSITIVE : NEGATIVE))) / constant);

// Rectangles called positive, and where their edges are. A sum of stumps is a sum of two functions of one feature each.
function boundary({ model: { hypotheses, coefficients, threshold } }, ends) {
  const [across, up] = ends.map(([low, high], feature) => {
    const own = hypotheses.map((stump, t) => ({ ...stump, vote: coefficients[t] })).filter((stump) => stump.feature === feature);
    const cuts = [...new Set(own.map((stump) => stump.threshold))].filter((at) => low < at && at < high).sort((a, b) => a - b);
    return [low, ...cuts].map((from, k) => {
      const to = cuts[k] ?? high, middle = (from + to) / 2;
      return { from, to, score: sum(own.map((stump) => stump.vote * (middle > stump.threshold ? stump.above : stump.below))) };
    });
  });
  const called = across.map((a) => up.map((b) => a.score + b.score > threshold.at(-1))), boxes = [], edges = [];
  across.forEach((a, i) => up.forEach((b, j) => {
    if (called[i][j]) boxes.push([a.from, a.to, b.from, b.to]);
    if (i && called[i][j] !== called[i - 1][j]) edges.push([a.from, a.from, b.from, b.to]);
    if (j && called[i][j] !== called[i][j - 1]) edges.push([a.from, a.to, b.from, b.from]);
  }));
  return { boxes, edges };
}

// ---- Tasks: whether the two methods, the first on the left, do on these points what the reader is to bring about

const TASKS = {
  missed: (left, right) => left.y.some((label, i) => label === POSITIVE && left.called[i] && !right.called[i]),
  everybody: (left, right) => right.called.every(Boolean) && left.called.includes(0),
  turned: (left, right) => {
    const least = margins(right).map(([first]) => first);
    return [left, right].every(({ y, called }) => y.every((label, i) => label === called[i])) && least[1] < least[0] / 2;
  },
  outlier: (left, right, changed) => changed === 1 && right.bill(right.called) >= right.constant
    && left.bill(left.called) < left.constant / 2,
  dearer: (left, right) => left.bill(left.called) > 0 && right.bill(right.called) >= 2 * left.bill(left.called),
};

function countChanges(points) {
  const left = points.map(String);
  const gone = data.points.filter((point) => !left.includes(String(point)) || !left.splice(left.indexOf(String(point)), 1));
  return Math.max(gone.length, left.length);
}

// ---- Words and marks

const ENDS = {
  max_rounds: "", perfect: ", the last without error", no_edge: ", no stump is left with an edge",
  alpha: ", the next vote would not be above zero", not_finite: ", the next vote has no value",
};
const BELOW = {
  shares: {
    marks: (found) => byRound(found, shares(found), 0),
    words: (found) => `positives hold ${percent(shares(found).at(-1))} of the weight`,
  },
  bill: {
    marks: (found) => byRound(found, bills(found), 1),
    words: (found) => `${(found.bill(found.called) / found.constant).toFixed(2)} of the cheaper constant decision`,
  },
  risk: {
    marks: (found) => byRound(found, risks(found) ?? [], 0),
    words: (found) => (risks(found) ? `risk ${risks(found).at(-1).toFixed(3)} of what it was` : "it has no loss"),
  },
  margins: {
    marks: ({ method, ...found }) => margins(found).map((own, label) => ({ kind: "line", color: method.color,
      x: own, y: own.map((_, i) => (i + 1) / own.length), dash: label ? "" : "6 4",
      label: `${method.name}, ${label ? "positives" : "negatives"}` })),
    words: (found) => {
      const [negative, positive] = margins(found).map(([least]) => least.toFixed(2));
      return `least margin of a positive ${positive}, of a negative ${negative}`;
    },
  },
};
const byRound = ({ method }, y, first) =>
  [{ kind: "line", x: y.map((_, t) => t + first), y, color: method.color, dash: method.dash, label: method.name }];

function say(found) {
  const { method, y, called, model, count, bill } = found, [N, P] = [NEGATIVE, POSITIVE].map((label) => where(y, y, label).length);
  const missed = where(called, y, POSITIVE).filter((v) => !v).length, alarms = where(called, y, NEGATIVE).filter(Boolean).length;
  return `${method.name}: ${count} ${count === 1 ? "round" : "rounds"}${ENDS[model.stopReason]}; ${missed} of ${P} positives missed, `
    + `${alarms} of ${N} negatives called positive, cost ${bill(called).toFixed(2)} a point; ${BELOW[data.below].words(found)}.`;
}

const path = (to, d, look) => add(to, "path", { d: d.join(""), ...look });
Object.assign(KINDS, {
  boxes: (to, of, x, y, look) => path(to, of.boxes.map(([a, b, c, d]) => `M${x(a)} ${y(c)}H${x(b)}V${y(d)}H${x(a)}Z`),
    { fill: look.stroke, "fill-opacity": 0.15, "shape-rendering": "crispEdges" }),
  edges: (to, of, x, y, look) => path(to, of.edges.map(([a, b, c, d]) => `M${x(a)} ${y(c)}L${x(b)} ${y(d)}`), look),
});

function planeMarks(found, ends) {
  const { method, X, y, model } = found, { boxes, edges } = boundary(found, ends), D = model.weights.at(-1);
  return [
    { kind: "boxes", boxes, color: data.colors[POSITIVE] }, { kind: "edges", edges, color: method.color },
    ...[NEGATIVE, POSITIVE].map((label) => ({
      kind: "points", filled: label === POSITIVE, color: data.colors[label], label: data.classes[label],
      x: where(X, y, label).map(([v]) => v), y: where(X, y, label).map(([, v]) => v),
      size: where(D, y, label).map((v) => Math.max(1, 3 * Math.sqrt(v * y.length))),
    })),
  ];
}

// ---- What the reader has chosen; it also stands in the address, which can be sent

let points = [], chosen = 0;
const lim = (feature) => (feature ? data.panels[0].ylim : data.panels[0].xlim);
const inside = (v, feature) => Math.round(100 * Math.min(Math.max(v, lim(feature)[0]), lim(feature)[1])) / 100;
const mixed = (points) => [NEGATIVE, POSITIVE].every((label) => points.some((point) => point[2] === label));

const spell = () =>
  `~${points.map(([x0, x1, label]) => [Math.round(100 * x0), Math.round(100 * x1), label].join(".")).join("_")}`;

function take(at, spelt) { // whether these are points that can be
  const read = spelt.split("_").map((point) => point.split(".").map(Number));
  const fits = read.length <= MOST && read.every(([x0, x1, label, ...rest]) => Number.isInteger(x0) && Number.isInteger(x1)
    && (label === 0 || label === 1) && !rest.length) && mixed(read);
  if (!fits) return false;
  begin(at, read.map(([x0, x1, label]) => [inside(x0 / 100, 0), inside(x1 / 100, 1), label]));
  return true;
}

function begin(at, given) {
  controls.forEach((each, k) => setPosition(each, at[k]));
  points = given.map((point) => [...point]);
  chosen = Math.min(chosen, points.length - 1);
  draw();
}

function change(next, at = chosen) { // to other points, unless a class would be left without one
  if (!mixed(next) || next.length > MOST) return;
  points = next;
  chosen = Math.max(0, Math.min(at, points.length - 1));
  draw();
  address.write();
}

// ---- Drawing

const rings = planes.map((plane) => {
  plane.setAttribute("role", "group");
  const drawn = add(plane, "g", {}), ring = add(plane, "circle", { r: 11, class: "csb-held" });
  return { drawn, ring };
});
const handle = rings[0].ring;
for (const [name, value] of Object.entries({ tabindex: 0, role: "button", "aria-roledescription": "movable point" }))
  handle.setAttribute(name, value);
const toX = scale(lim(0), L, W - R), toY = scale(lim(1), H - B, T);

function draw() {
  const at = controls.map(position), [, , ratio, rounds, step] = at.map((k, i) => Number(data.choices[i][k]));
  controls.forEach((each, k) => {
    if (each.type !== "range") return;
    each.setAttribute("aria-valuetext", data.choices[k][at[k]]);
    each.parentElement.querySelector("b").textContent = data.choices[k][at[k]];
  });
  const found = at.slice(0, 2).map((k) => train(data.methods[k], points, ratio, rounds, step ?? 1));
  const asked = data.task && at[0] === data.at[0] && at[1] === data.at[1];
  const done = Boolean(asked && TASKS[data.task](...found, countChanges(points)));
  root.classList.toggle("csb-done", done);
  text.textContent = [`A miss costs ${ratio}.`, ...found.map(say), ...(done ? ["The task is done."] : [])].join(" ");
  found.forEach((each, k) => {
    drawPanel(rings[k].drawn, { ...data.panels[k], title: each.method.name }, planeMarks(each, [lim(0), lim(1)]));
    rings[k].ring.setAttribute("cx", toX(points[chosen][0]));
    rings[k].ring.setAttribute("cy", toY(points[chosen][1]));
  });
  drawPanel(drawings[2], data.panels[2], found.flatMap(BELOW[data.below].marks));
  const [x0, x1, label] = points[chosen], name = data.classes[label];
  handle.setAttribute("aria-label", `Point ${chosen + 1} of ${points.length}, ${name}, at ${x0}, ${x1}. ${data.keys}`);
  drawings.forEach((each, k) =>
    each.setAttribute("aria-label", `${k < 2 ? found[k].method.name : data.panels[k].title}. ${text.textContent}`));
}

let frame = 0;
const drawSoon = () => {
  frame ||= requestAnimationFrame(() => {
    frame = 0;
    draw();
  });
};

const address = keepInAddress(data, controls, take, spell);

// ---- What the reader does, by pointer, finger, keyboard or button

const ACTS = {
  Add: () => change([...points, [inside(points[chosen][0] + 0.4, 0), inside(points[chosen][1] + 0.4, 1), points[chosen][2]]],
    points.length),
  Flip: () => change(points.map(([x0, x1, label], i) => [x0, x1, i === chosen ? 1 - label : label])),
  Delete: () => change(points.filter((_, i) => i !== chosen)),
  "Start again": () => {
    begin(data.at, data.points);
    history.replaceState(null, "", location.href.split("#")[0]);
  },
};
const move = (dx, dy) => () => change(points.map((point, i) => (i === chosen
  ? [inside(point[0] + dx, 0), inside(point[1] + dy, 1), point[2]] : point)));
const go = (by) => () => change(points, (chosen + by + points.length) % points.length);
const KEYS = {
  ArrowLeft: move(-0.1, 0), ArrowRight: move(0.1, 0), ArrowUp: move(0, 0.1), ArrowDown: move(0, -0.1), " ": ACTS.Flip,
  Delete: ACTS.Delete, Backspace: ACTS.Delete, Insert: ACTS.Add, "+": ACTS.Add, PageDown: go(1), PageUp: go(-1),
};
handle.addEventListener("keydown", (event) => {
  if (!KEYS[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  for (let k = event.shiftKey ? 10 : 1; k > 0; k--) KEYS[event.key]();
});

planes.forEach((plane) => {
  const at = ({ clientX, clientY }) => { // in the units of the features, and the number of the point there
    const box = plane.getBoundingClientRect(), unit = W / box.width;
    const [px, py] = [(clientX - box.left) * unit, (clientY - box.top) * unit];
    const away = points.map(([x0, x1]) => Math.hypot(toX(x0) - px, toY(x1) - py)), nearest = away.indexOf(Math.min(...away));
    const [low, high] = [lim(0), lim(1)];
    const x0 = low[0] + ((px - L) / (W - R - L)) * (low[1] - low[0]), x1 = high[0] + ((H - B - py) / (H - B - T)) * (high[1] - high[0]);
    return { x0, x1, free: px > L && px < W - R && py > T && py < H - B, held: away[nearest] < REACH * unit ? nearest : -1 };
  };
  let holding = false, pressed = null;
  plane.addEventListener("touchstart", (event) => { // a finger on a point drags it; elsewhere it scrolls the page
    if (at(event.touches[0]).held >= 0) event.preventDefault();
  }, { passive: false });
  plane.addEventListener("pointerdown", (event) => {
    const { held } = at(event);
    pressed = event;
    if (held < 0) return;
    holding = true;
    chosen = held;
    plane.setPointerCapture(event.pointerId);
    handle.focus({ preventScroll: true });
    event.preventDefault();
    drawSoon();
  });
  plane.addEventListener("pointermove", (event) => {
    if (!holding) return;
    const { x0, x1 } = at(event);
    points[chosen] = [inside(x0, 0), inside(x1, 1), points[chosen][2]];
    drawSoon();
  });
  plane.addEventListener("pointerup", (event) => {
    const { x0, x1, free } = at(event);
    if (holding) address.write();
    else if (pressed && free && Math.hypot(event.clientX - pressed.clientX, event.clientY - pressed.clientY) < 5)
      change([...points, [inside(x0, 0), inside(x1, 1), points[chosen][2]]], points.length);
    holding = false;
    pressed = null;
  });
  plane.addEventListener("pointercancel", () => {
    holding = false;
    pressed = null;
  });
});

paragraph("csb-buttons", ...Object.entries(ACTS).map(([name, act]) => {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = name;
  button.addEventListener("click", act);
  return button;
}), ...address.parts);
for (const each of controls) each.addEventListener("input", draw);
root.classList.add("csb-live");
if (address.read()) root.scrollIntoView();
else begin(data.at, data.points);
