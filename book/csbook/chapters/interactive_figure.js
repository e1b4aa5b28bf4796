// Draws on each panel what belongs to the positions of the controls. No network.
const data = JSON.parse(root.querySelector("script[type='application/json']").textContent);
const controls = [...root.querySelectorAll(".csb-controls input, .csb-controls select")];
const drawings = [...root.querySelectorAll(".csb-panels > svg")];
const text = root.querySelector("output");

function draw() {
  const at = controls.map((each) => (each.selectedIndex === undefined ? Number(each.value) : each.selectedIndex));
  const chosen = (channel) => channel.by.reduce((value, control) => value[at[control]], data.pool[channel.of]);
  controls.forEach((each, k) => {
    const words = data.choices[k][at[k]];
    if (each.type === "range") {
      each.setAttribute("aria-valuetext", words);
      each.parentElement.querySelector("b").textContent = words;
    }
  });
  const done = data.solved.some((positions) => positions.every(([control, position]) => at[control] === position));
  root.classList.toggle("csb-done", done);
  text.textContent = [...data.words.map(chosen), ...(done ? ["The task is done."] : [])].join(" ");
  const value = (channel) => (channel?.by ? chosen(channel) : channel);
  data.panels.forEach((panel, k) => {
    const marks = panel.marks.map((mark) =>
      Object.fromEntries(Object.entries(mark).map(([name, channel]) => [name, value(channel)])));
    drawPanel(drawings[k], panel, marks);
    drawings[k].setAttribute("aria-label", `${panel.title}. ${text.textContent}`);
  });
}

for (const each of controls) each.addEventListener("input", draw);
draw();
