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
  text.textContent = data.words.map(chosen).join(" ");
  data.panels.forEach((panel, k) => {
    drawPanel(drawings[k], panel, chosen);
    drawings[k].setAttribute("aria-label", `${panel.title}. ${text.textContent}`);
  });
}

for (const each of controls) each.addEventListener("input", draw);
draw();
