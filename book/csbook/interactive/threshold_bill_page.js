// Draws what belongs to the positions of the controls.
const data = JSON.parse(root.querySelector("script[type='application/json']").textContent);
const controls = [...root.querySelectorAll(".csb-controls input")], text = root.querySelector("output");
const drawings = [...root.querySelectorAll(".csb-panels > svg")];

function draw() {
  const setting = {};
  controls.forEach((each, k) => {
    const { name, values } = data.settings[k], words = data.choices[k][each.value];
    setting[name] = values[each.value];
    each.setAttribute("aria-valuetext", words);
    each.parentElement.querySelector("b").textContent = words;
  });
  const found = numbersAt(setting), cases = dots(setting, found.cut), [ranked, bills] = data.panels;
  const some = (y, called) => cases.filter((each) => each.y === y && each.called === called);
  const places = (of) => ({ x: of.map((each) => each.x), y: of.map((each) => each.y0), size: 2.6 });
  const t = Array.from({ length: 100 }, (_, k) => 0.999 * 1000 ** (-k / 99)), top = (1.4 * found.constant) / 1000;
  const channels = [
    [places(some(0, false)), places(some(0, true)), places(some(1, false)), places(some(1, true)),
      { x: cases.filter((each) => !each.called).length / 25 }],
    [{ x: t, y: t.map((at) => billOf(setting, at).bill / 1000) }, { y: found.best / 1000 }, { x: found.threshold },
      { x: [found.threshold, found.threshold], y: [found.best / 1000, found.bill / 1000] },
      { x: [found.threshold], y: [found.bill / 1000], size: 5 }],
  ];
  const axes = [{ ...ranked, xticks: [], yticks: [] }, { ...bills, ylim: [0, top], yticks: ticksUpTo(top) }];
  text.textContent = data.template.replace(/{(\w+)}/g, (_, name) => said[name](found));
  axes.forEach((panel, k) => {
    const still = panel.marks.map((mark) =>
      Object.fromEntries(Object.entries(mark).map(([name, value]) => [name, value?.by ? data.pool[value.of] : value])));
    drawPanel(drawings[k], panel, still.map((mark, i) => ({ ...mark, ...channels[k][i] })));
    drawings[k].setAttribute("aria-label", `${panel.title}. ${text.textContent}`);
  });
}

const whole = (name) => (found) => Math.round(found[name]).toLocaleString("en"), exact = (name) => (found) => found[name].toFixed(3);
const said = { threshold: exact("threshold"), acts: exact("acts"),
  ...Object.fromEntries(["positives", "missed", "alarms", "bill", "best", "part", "constant"].map((name) => [name, whole(name)])) };
for (const each of controls) each.addEventListener("input", draw);
const address = keepInAddress(data, controls, (at) => {
  controls.forEach((each, k) => setPosition(each, at[k]));
  draw();
  return true;
});
paragraph("csb-buttons", ...address.parts);
if (address.read()) root.scrollIntoView();
else draw();
