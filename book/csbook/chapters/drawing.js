// Draws a pair of axes, for the programs of figures that follow it in one script.
const W = 380, H = 320, L = 52, R = 12, T = 28, B = 46;

function add(to, name, attributes, content) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  if (content !== undefined) node.textContent = content;
  return to.appendChild(node);
}

const scale = (ends, from, to, logarithmic) => {
  const [low, high] = logarithmic ? ends.map(Math.log) : ends;
  return (value) => from + (((logarithmic ? Math.log(value) : value) - low) / (high - low)) * (to - from);
};

// Stretches of places at which all of these have a value: a gap breaks the line.
function stretches(...rows) {
  const found = [[]];
  rows[0].forEach((_, at) => {
    if (rows.every((row) => row[at] !== null)) found.at(-1).push(at);
    else found.push([]);
  });
  return found.filter((places) => places.length);
}

const list = (value) => (Array.isArray(value) ? value : [value]);

const KINDS = {
  line(to, of, x, y, look) {
    for (const places of stretches(of.x, of.y))
      add(to, "polyline", { points: places.map((i) => `${x(of.x[i])},${y(of.y[i])}`).join(" "), ...look, fill: "none" });
  },
  band(to, of, x, y, look) {
    for (const places of stretches(of.x, of.low, of.high)) {
      const edge = (row) => places.map((i) => `${x(of.x[i])},${y(row[i])}`);
      add(to, "polygon", { points: edge(of.low).concat(edge(of.high).reverse()).join(" "), fill: look.stroke,
        "fill-opacity": 0.18 });
    }
  },
  points(to, of, x, y, look) { // one path of all circles: hundreds of nodes would be slow to make while a point is dragged
    const d = of.x.map((_, i) => {
      const r = (list(of.size)[i] ?? of.size).toFixed(2), arc = `a${r} ${r} 0 1 0`;
      return `M${(x(of.x[i]) - r).toFixed(2)} ${y(of.y[i]).toFixed(2)}${arc} ${2 * r} 0${arc} ${-2 * r} 0`;
    });
    add(to, "path", { d: d.join(""), fill: of.filled ? look.stroke : "none", "fill-opacity": 0.75, stroke: look.stroke });
  },
  bars(to, of, x, y, look) {
    const width = 0.9 * Math.abs(of.x.length > 1 ? x(of.x[1]) - x(of.x[0]) : 20);
    of.x.forEach((_, i) => add(to, "rect", { x: x(of.x[i]) - width / 2, width, y: y(of.high[i]),
      height: Math.max(0, y(of.low[i]) - y(of.high[i])), fill: look.stroke, "fill-opacity": 0.75 }));
  },
  region(to, of, x, y, look) {
    const high = (H - B - T) / of.cells.length;
    of.cells.forEach((row, at) => {
      const wide = (W - L - R) / row.length;
      for (let from = 0, end; from < row.length; from = end) {
        for (end = from + 1; end < row.length && row[end] === row[from]; ) end++;
        if (row[from] === "1") add(to, "rect", { x: L + from * wide, width: (end - from) * wide,
          y: H - B - (at + 1) * high, height: high, fill: look.stroke, "fill-opacity": 0.15,
          "shape-rendering": "crispEdges" });
      }
    });
  },
  vertical(to, of, x, y, look) {
    for (const at of list(of.x)) if (at !== null) add(to, "line", { x1: x(at), x2: x(at), y1: T, y2: H - B, ...look });
  },
  horizontal(to, of, x, y, look) {
    for (const at of list(of.y)) if (at !== null) add(to, "line", { x1: L, x2: W - R, y1: y(at), y2: y(at), ...look });
  },
};

// Round numbers from zero to the end of an axis.
function ticksUpTo(end) {
  const unit = 10 ** Math.floor(Math.log10(end / 5)), step = [1, 2, 5, 10].find((of) => end / (of * unit) <= 6) * unit;
  return Array.from({ length: Math.floor(end / step + 1e-9) + 1 }, (_, k) => [k * step, Number((k * step).toPrecision(3)).toLocaleString("en")]);
}

// A panel with its marks, whose channels are the values themselves.
function drawPanel(to, panel, marks) {
  to.replaceChildren();
  const x = scale(panel.xlim, L, W - R, panel.logarithmic), y = scale(panel.ylim, H - B, T, false);
  for (const [at, name] of panel.xticks) add(to, "text", { x: x(at), y: H - B + 16, "text-anchor": "middle" }, name);
  for (const [at, name] of panel.yticks) {
    add(to, "line", { x1: L, x2: W - R, y1: y(at), y2: y(at), class: "grid" });
    add(to, "text", { x: L - 6, y: y(at) + 4, "text-anchor": "end" }, name);
  }
  add(to, "text", { x: L, y: 16, "font-weight": 600 }, panel.title);
  add(to, "text", { x: (L + W - R) / 2, y: H - 10, "text-anchor": "middle" }, panel.xlabel);
  add(to, "text", { x: 14, y: (T + H - B) / 2, "text-anchor": "middle",
    transform: `rotate(-90 14 ${(T + H - B) / 2})` }, panel.ylabel);
  let legend = T + 12;
  // what leaves the axes is cut off
  const inside = add(to, "svg", { x: L, y: T, width: W - L - R, height: H - T - B,
    viewBox: `${L} ${T} ${W - L - R} ${H - T - B}` });
  for (const mark of marks) {
    const look = { stroke: mark.color, "stroke-width": 2, "stroke-dasharray": mark.dash || "none" };
    KINDS[mark.kind](inside, mark, x, y, look);
    if (mark.label) {
      if (mark.kind === "points") add(to, "circle", { cx: L + 18, cy: legend, r: 4, fill: mark.filled ? mark.color : "none",
        stroke: mark.color });
      else add(to, "line", { x1: L + 8, x2: L + 28, y1: legend, y2: legend, ...look });
      add(to, "text", { x: L + 34, y: legend + 4, class: "legend" }, mark.label);
      legend += 17;
    }
  }
}
