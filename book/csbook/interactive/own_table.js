// Reads the table that the reader brings, and shows what `evaluate` finds. What a file says becomes text, never markup.
const field = (name) => root.querySelector(`[name="${name}"]`);
const data = JSON.parse(root.querySelector("script[type='application/json']").textContent);
const [said, words] = root.querySelectorAll("output"), bills = root.querySelector("table"), code = root.querySelector("pre");
const drawings = [...root.querySelectorAll(".csb-panels > svg")], link = root.querySelector("a[download]");
const HUES = ["#D55E00", "#0072B2"], NONE = "";
let table, file, found;

const options = (name, values, chosen) => field(name).replaceChildren(...values.map(([value, text]) => new Option(text, value, false, value === chosen)));
const plainly = (names) => names.map((name) => [name, quoted(name)]);
function choose() {
  const read = (name) => field(name).value, ratio = Number((10 ** Number(read("ratio"))).toPrecision(3));
  return { outcome: read("outcome"), positive: read("positive"), probability: read("probability"), amount: read("amount"),
    method: read("method"), rounds: Number(read("rounds")), ratio, fixed: Number(read("fixed")), share: Number(read("share")) / 100 };
}

// ---- A table comes in

function attempt(work) { // a Refusal is told, and what an earlier table showed goes
  try {
    work();
    root.classList.remove("csb-refused");
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    root.classList.add("csb-refused");
    said.textContent = error.message;
  }
}

function open(bytes, name, start = {}) {
  attempt(() => {
    table = undefined;
    table = readTable(bytes);
    file = name;
    const likely = { ...guess(table), ...start }, others = [...table.columns.keys()].filter((each) => each !== likely.outcome);
    options("outcome", plainly(likely.outcomes), likely.outcome);
    options("probability", [[NONE, "none: train a model"], ...plainly(others)], likely.probability);
    options("amount", [[NONE, "none: all cases alike"], ...plainly(likely.numeric)], likely.amount);
    choosePositive(start.positive);
    const url = URL.createObjectURL(new Blob([bytes], { type: "text/csv" }));
    Object.assign(link, { href: url, download: name, hidden: !start.outcome });
    show();
  });
}

function choosePositive(chosen) { // the rarer value, or the 1 of 0 and 1
  const cells = table.columns.get(field("outcome").value), values = valuesOf(table, field("outcome").value);
  const often = values.map((value) => cells.filter((cell) => cell === value).length);
  const guessed = values.join() === "0,1" ? "1" : values[often[0] < often[1] ? 0 : 1];
  options("positive", plainly(values), chosen ?? guessed);
}

async function take(given) {
  attempt(() => { if (given.size > MOST.bytes) decode({ length: given.size }); });
  if (given.size <= MOST.bytes) open(new Uint8Array(await given.arrayBuffer()), given.name);
}

// ---- What is shown

const mark = (kind, channels, color, rest) => ({ kind, color, filled: true, ...rest, ...channels });

function axis(title, [width, height], marks, labels) {
  return { title, ...labels, xlim: [0, width], ylim: [0, height], xticks: ticksUpTo(width), yticks: ticksUpTo(height), marks };
}

function panels() {
  const models = found.models, most = Math.max(...models.flatMap((m) => m.reliability.flatMap((b) => [b.predicted, b.high])));
  const square = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1].find((top) => most <= top) ?? 1, { c, constant } = models[0].curves;
  const reliable = [mark("line", { x: [0, square], y: [0, square] }, "currentColor", { dash: "2 4", label: "right on average" })];
  const costs = [mark("line", { x: c, y: constant }, "currentColor", { dash: "6 4", label: "the cheaper constant" })];
  const top = 1.25 * Math.max(...models.flatMap((m) => m.curves.brier), ...constant);
  models.forEach(({ name, reliability: bins, curves: lines }, k) => {
    const named = { label: quoted(name) };
    reliable.push(
      mark("line", { x: bins.flatMap((b) => [b.predicted, b.predicted, null]), y: bins.flatMap((b) => [b.low, b.high, null]) }, HUES[k]),
      mark("points", { x: bins.map((b) => b.predicted), y: bins.map((b) => b.observed), size: bins.map((b) => 2.5 + 6 * Math.sqrt(b.count / found.n)) }, HUES[k], named));
    costs.push(mark("line", { x: c, y: lines.brier }, HUES[k], named),
      mark("line", { x: c, y: lines.best }, HUES[k], { dash: "2 3", label: k ? null : "thresholds chosen with hindsight" }));
  });
  costs.push(mark("vertical", { x: 1 / (1 + choose().ratio) }, "currentColor", { label: null }));
  return [
    axis("Are the probabilities right?", [square, square], reliable, { xlabel: "probability", ylabel: "share of positives" }),
    axis("What decisions cost", [1, top], costs, { xlabel: "threshold c", ylabel: "cost, the two summing to 2" }),
  ];
}

function row([name, ...cells]) {
  const tr = document.createElement("tr");
  const add = (kind, text) => Object.assign(tr.appendChild(document.createElement(kind)), { textContent: text });
  add("th", name).scope = "row";
  for (const text of cells) add("td", text);
  return tr;
}

function sentence({ ratio, amount, positive }) {
  const [first, second] = found.models, best = Math.min(found.never, found.always);
  const constant = found.never <= found.always ? ["calling none", first.overNever] : ["calling all", first.overAlways];
  const money = amount ? `A miss costs ${short(100 * found.slope)}% of the amount, ${ratio} false alarms on average.` : `A miss costs ${ratio} false alarms, so ${quoted(positive)} is called above ${short(found.threshold)}.`;
  const other = found.apart ? ` Against ${quoted(second.name)} it ${inWords(found.apart)}.` : "";
  return `${found.n.toLocaleString("en")} cases, ${found.positives.toLocaleString("en")} of them ${quoted(positive)}. ${money} ` +
    `Deciding by ${quoted(first.name)} costs ${short(first.bill)} a case; ${constant[0]} costs ${short(best)}. It ${inWords(constant[1])}.${other}`;
}

function show() {
  attempt(() => {
    const choice = choose(), slider = field("ratio");
    for (const name of ["fixed", "share"]) field(name).parentElement.hidden = !choice.amount;
    for (const name of ["method", "rounds"]) field(name).parentElement.hidden = Boolean(choice.probability);
    slider.parentElement.querySelector("b").textContent = String(choice.ratio);
    slider.setAttribute("aria-valuetext", String(choice.ratio));
    if (!table) return;
    found = evaluate(table, choice);
    said.textContent = [`${quoted(file)}: ${many(table.rows, "row")}, ${many(table.columns.size, "column")}.`, ...found.notes].join(" ");
    words.textContent = sentence(choice);
    panels().forEach((panel, k) => {
      drawPanel(drawings[k], panel, panel.marks);
      drawings[k].setAttribute("aria-label", `${panel.title} ${words.textContent}`);
    });
    bills.tBodies[0].replaceChildren(
      row(["calling none", short(found.never), String(found.positives), "0", "", "", "", ""]),
      row(["calling all", short(found.always), "0", String(found.n - found.positives), "", "", "", ""]),
      ...found.models.map((m) => row([quoted(m.name), short(m.bill), String(m.missed), String(m.alarms), interval(m.overNever),
        interval(m.overAlways), short(m.threshold), short(m.cheapestBill)])));
    code.textContent = pythonCode(file, table, choice, found.used);
  });
}

// ---- What the reader does

options("method", Object.entries(METHODS).map(([key, { name }]) => [key, name]), "cgada");
const atOnce = () => field("probability").value && found?.n <= 5000; // else the slider waits for the hand to lift
root.addEventListener("input", ({ target }) => {
  if (target.type === "file") return;
  if (target.name === "outcome" && table) {
    choosePositive();
    const others = [...table.columns.keys()].filter((name) => name !== target.value), kept = field("probability").value;
    options("probability", [[NONE, "none: train a model"], ...plainly(others)], others.includes(kept) ? kept : NONE);
  }
  if (target.type !== "range" || atOnce()) show();
  else target.parentElement.querySelector("b").textContent = String(choose().ratio);
});
root.addEventListener("change", ({ target }) => {
  if (target.type === "file" && target.files[0]) take(target.files[0]);
  else if (target.type === "range" && !atOnce()) show();
});
root.addEventListener("dragover", (event) => event.preventDefault());
root.addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
});
const [copy, ...examples] = [root.querySelector("[data-copy]"), ...root.querySelectorAll("[data-example]")];
const load = (k) => open(new TextEncoder().encode(data[k].csv), data[k].file, data[k].start);
examples.forEach((button, k) => button.addEventListener("click", () => load(k)));
copy.addEventListener("click", async () => {
  code.closest("details").open = true;
  getSelection().selectAllChildren(code);
  copy.textContent = (await copied(code.textContent, () => {})) ? "Copied" : "Press Ctrl+C";
});
load(0);
