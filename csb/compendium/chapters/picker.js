// Draws the curves that a reader picks: a list of groups, two lists of methods, one figure.
const [group, first, second] = root.querySelectorAll("select");
const W = 560, H = 330, L = 56, R = 12, T = 10, B = 46;
const x = (z) => L + z * (W - L - R);

function draw() {
  figure.replaceChildren();
  const chosen = [first.value, second.value];
  const curves = chosen.map((method) => data.curves[group.value][method]);
  const highest = Math.max(...curves.map((c) => Math.max(...c.high)), 0.05);
  const top = Math.ceil(highest * 10) / 10;
  const y = (q) => H - B - (q / top) * (H - T - B);
  for (let k = 0; k <= 5; k++) {
    const q = (top * k) / 5, z = k / 5;
    add("line", { x1: L, x2: W - R, y1: y(q), y2: y(q), class: "grid" });
    add("text", { x: L - 6, y: y(q) + 4, "text-anchor": "end" }, q.toFixed(2));
    add("text", { x: x(z), y: H - B + 16, "text-anchor": "middle" }, z.toFixed(1));
  }
  add("text", { x: (L + W - R) / 2, y: H - 10, "text-anchor": "middle" }, data.xlabel);
  add("text", { x: 14, y: (T + H - B) / 2, "text-anchor": "middle",
    transform: `rotate(-90 14 ${(T + H - B) / 2})` }, data.ylabel);
  curves.forEach((curve, which) => {
    const look = data.looks[chosen[which]];
    const points = (values) => data.x.map((z, i) => `${x(z)},${y(values[i])}`);
    add("polygon", { points: points(curve.low).concat(points(curve.high).reverse()).join(" "),
      fill: look.color, "fill-opacity": 0.18 });
    add("polyline", { points: points(curve.mean).join(" "), fill: "none", stroke: look.color,
      "stroke-width": 2, "stroke-dasharray": look.dashed ? "6 4" : "none" });
    add("line", { x1: L + 12, x2: L + 40, y1: T + 12 + 18 * which, y2: T + 12 + 18 * which,
      stroke: look.color, "stroke-width": 2, "stroke-dasharray": look.dashed ? "6 4" : "none" });
    add("text", { x: L + 46, y: T + 16 + 18 * which }, chosen[which]);
  });
  const described = chosen.map((method, i) => `${method}: ${data.number} ${curves[i].area.toFixed(3)}`);
  text.textContent = `${group.value}. ${described.join("; ")}.`;
  figure.setAttribute("aria-label", text.textContent);
}

for (const select of [group, first, second]) select.addEventListener("change", draw);
draw();
