// Moves the threshold with the cost ratio over bars of predicted probabilities.
const slider = root.querySelector("input");
const W = 560, H = 330, L = 56, R = 12, T = 24, B = 46;
const top = Math.max(...data.bars.flat());
const middle = (T + H - B) / 2, unit = (H - T - B) / 2 / top;
const x = (p) => L + p * (W - L - R);

function draw() {
  figure.replaceChildren();
  const at = Number(slider.value), c = data.threshold[at];
  const [tn, fp, fn, tp] = data.counts[at], [cost, never, always] = data.costs[at];
  const [negative, positive] = data.names;
  for (let k = 0; k <= 5; k++) {
    add("line", { x1: x(k / 5), x2: x(k / 5), y1: T, y2: H - B, class: "grid" });
    add("text", { x: x(k / 5), y: H - B + 16, "text-anchor": "middle" }, (k / 5).toFixed(1));
  }
  data.bars.forEach((bars, which) => {
    const width = (W - L - R) / bars.length;
    bars.forEach((count, i) => add("rect", { x: L + i * width + 1, width: width - 2, height: count * unit,
      y: which ? middle - count * unit : middle, fill: data.colors[which] }));
    const y = (which ? T + middle : middle + H - B) / 2;
    add("text", { x: 34, y, "text-anchor": "middle", transform: `rotate(-90 34 ${y})` }, data.names[which]);
  });
  add("line", { x1: L, x2: W - R, y1: middle, y2: middle, stroke: "currentColor" });
  add("line", { x1: x(c), x2: x(c), y1: T, y2: H - B, stroke: "currentColor", "stroke-width": 2 });
  const right = c > 0.5;
  add("text", { x: x(c) + (right ? -6 : 6), y: T - 8, "text-anchor": right ? "end" : "start" },
    `threshold ${c.toFixed(3)}`);
  add("text", { x: (L + W - R) / 2, y: H - 10, "text-anchor": "middle" }, `probability of ${positive}`);
  const constant = never < always ? "never" : "always";
  text.textContent = `A miss costs ${data.ratios[at]} times a false alarm: call ${positive} above ${c.toFixed(3)}. ` +
    `Of ${fn + tp} ${positive}, ${tp} called and ${fn} missed; of ${tn + fp} ${negative}, ${tn} left alone and ` +
    `${fp} false alarms. Cost per case ${cost.toFixed(3)}; never calling ${never.toFixed(3)}, ` +
    `always calling ${always.toFixed(3)}; the cheaper constant is ${constant}.`;
  slider.setAttribute("aria-valuetext", `a miss costs ${data.ratios[at]} times a false alarm`);
  figure.setAttribute("aria-label", text.textContent);
}

slider.addEventListener("input", draw);
draw();
