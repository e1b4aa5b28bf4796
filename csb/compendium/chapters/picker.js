// Draws the curves that a reader picks: a list of groups, two lists of methods, one figure.
const [group, first, second] = root.querySelectorAll("select");
const W = 560, H = 330, L = 56, R = 12, T = 10, B = 46;
const x = (z) => L + z * (W - L - R);

// Stretches of the places at which all curves have a value: a gap breaks the line.
function stretches(...curves) {
  const found = [[]];
  data.x.forEach((_, i) => {
    if (curves.every((curve) => curve[i] !== null)) found.at(-1).push(i);
    else found.push([]);
  });
  return found.filter((places) => places.length);
}

function draw() {
  figure.replaceChildren();
  const chosen = [first.selectedIndex, second.selectedIndex];
  const curves = chosen.map((method) => data.curves[group.selectedIndex][method]);
  const highest = Math.max(0.05, ...curves.flatMap((curve) => (curve ? curve.high : [])));
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
    const line = { fill: "none", stroke: look.color, "stroke-width": 2,
      "stroke-dasharray": look.dashed ? "6 4" : "none" };
    if (curve) {
      const points = (values, places) => places.map((i) => `${x(data.x[i])},${y(values[i])}`);
      for (const places of stretches(curve.low, curve.high))
        add("polygon", { points: points(curve.low, places).concat(points(curve.high, places).reverse()).join(" "),
          fill: look.color, "fill-opacity": 0.18 });
      for (const places of stretches(curve.mean))
        add("polyline", { points: points(curve.mean, places).join(" "), ...line });
    }
    const level = T + 12 + 18 * which;
    add("line", { x1: L + 12, x2: L + 40, y1: level, y2: level, ...line });
    add("text", { x: L + 46, y: level + 4 }, data.methods[chosen[which]]);
  });
  const described = chosen.map((method, i) => {
    const area = curves[i]?.area ?? null;
    return `${data.methods[method]}: ${data.number} ${area === null ? "not known" : area.toFixed(3)}`;
  });
  text.textContent = `${data.groups[group.selectedIndex]}. ${described.join("; ")}.`;
  figure.setAttribute("aria-label", text.textContent);
}

for (const select of [group, first, second]) select.addEventListener("change", draw);
draw();
