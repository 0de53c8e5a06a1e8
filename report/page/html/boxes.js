// Boxes: stretches along x in rows, such as the parts of a step or a timeline; and
// heat maps. Everything that they show is in the tables below them too, so they have
// no zoom: each box says itself when it is pointed at.

const LANE = { first: 24, other: 10, gap: 10 };

// openPlain draws a figure of boxes or a heat map, and again when its width changes.
function openPlain(figure, chart) {
  const plot = element("div", { className: "plot plain", tabIndex: 0 });
  plot.setAttribute("role", "group");
  plot.setAttribute("aria-label", `Chart: ${chart.t}. The table below it has its values.`);
  const fixed = figure.querySelector(".static");
  if (fixed) fixed.remove();
  figure.append(plainLegend(chart), plot);
  const paint = () => {
    const width = Math.max(280, plot.clientWidth || 640);
    plot.replaceChildren(chart.k === "heat" ? heatOf(chart, width) : boxesOf(chart, width));
  };
  paint();
  let width = plot.clientWidth;
  new ResizeObserver(() => {
    if (!plot.clientWidth || Math.abs(plot.clientWidth - width) < 2) return;
    width = plot.clientWidth;
    paint();
  }).observe(plot);
}

function plainLegend(chart) {
  const bar = element("div", { className: "legend" });
  if (chart.k === "heat") return bar;
  for (const s of chart.s) {
    const patch = node("svg", { class: `swatch ${colourOf(s.i)}`, viewBox: "0 0 26 12", "aria-hidden": "true" }, node("rect", { class: "box", x: 4, y: 1, width: 18, height: 10 }));
    bar.append(element("span", { className: "key" }, patch, s.n));
  }
  return bar;
}

const titled = (n, text) => { n.append(node("title", {}, text)); return n; };

function rowNames(chart, width) {
  return Math.min(width * 0.35, 16 + 6.6 * Math.max(...chart.r.map((t) => t.length)));
}

function boxesOf(chart, width) {
  const lanes = chart.r.map((_, r) => Math.max(0, ...chart.q.filter((b) => b.r === r).map((b) => b.l || 0)));
  const tops = [];
  let y = MARGIN.top;
  for (const n of lanes) { tops.push(y); y += LANE.first + n * LANE.other + LANE.gap; }
  const height = y + MARGIN.bottom - LANE.gap, left = rowNames(chart, width), right = width - MARGIN.right;
  const [lo, hi] = bounds([chart.q.flatMap((b) => [b.a, b.b])]);
  const x = scaleOf(Math.min(0, lo), hi || 1, left, right, false);
  const svg = node("svg", { viewBox: `0 0 ${width} ${height}`, role: "presentation" });
  for (const v of ticks(x, Math.max(2, Math.floor((right - left) / 62)))) {
    svg.append(node("line", { class: "grid", x1: x(v), x2: x(v), y1: MARGIN.top, y2: y - LANE.gap }),
      node("text", { class: "tick", x: x(v), y: y + 8, "text-anchor": "middle" }, tickText(v)));
  }
  chart.r.forEach((text, r) => svg.append(rowName(text, left, tops[r] + LANE.first / 2 + 4)));
  for (const b of chart.q) {
    const a = x(b.a), wide = Math.max(1, x(b.b) - a), lane = b.l || 0;
    const top = tops[b.r] + (lane ? LANE.first + (lane - 1) * LANE.other : 0);
    const high = lane ? LANE.other - 2 : LANE.first - 2;
    const g = titled(node("g", { class: `boxed ${colourOf(b.i)}` }), `${chart.r[b.r]}: ${b.o || b.n}`);
    g.append(node("rect", { class: lane ? "box thin" : "box", x: a, y: top, width: wide, height: high }));
    if (!lane && b.n.length * 6.6 + 8 < wide) g.append(node("text", { class: "box-name", x: a + wide / 2, y: top + high / 2 + 4 }, b.n));
    svg.append(g);
  }
  svg.append(node("path", { class: "frame", d: `M${left} ${MARGIN.top}V${y - LANE.gap}H${right}` }),
    node("text", { class: "label", x: (left + right) / 2, y: height - 8, "text-anchor": "middle" }, axisText(chart.x[0])));
  return svg;
}

// heatOf shades every value of a row by its size; the numbers stand in the cells
// where there is room for them.
function heatOf(chart, width) {
  const n = chart.s.length, left = rowNames(chart, width), right = width - MARGIN.right;
  const cell = Math.min(64, (right - left) / n), high = Math.min(cell, 34);
  const top = 34, height = top + high * chart.r.length + 26;
  const [lo, hi] = bounds(chart.s.map((s) => s.y));
  const f = lo > 0 && hi / lo > 20 ? Math.log : (v) => v;
  const shade = (v) => 0.08 + 0.82 * (hi === lo ? 0.5 : (f(v) - f(lo)) / (f(hi) - f(lo)));
  const svg = node("svg", { viewBox: `0 0 ${width} ${height}`, role: "presentation" });
  svg.append(node("text", { class: "label", x: left + cell * n / 2, y: 12, "text-anchor": "middle" }, chart.x[0].l));
  chart.s.forEach((s, j) => {
    if (cell * 1.2 > 8 * s.n.length) svg.append(node("text", { class: "tick", x: left + (j + 0.5) * cell, y: top - 6, "text-anchor": "middle" }, s.n));
    s.y.forEach((v, i) => {
      if (!finite(v)) return;
      const at = { x: left + j * cell, y: top + i * high };
      const g = titled(node("g", { class: "boxed c0" }), `${chart.r[i]} to ${s.n}: ${withUnit(valueText(v), chart.y)}`);
      g.append(node("rect", { class: "cell", ...at, width: cell - 1, height: high - 1, "fill-opacity": shade(v).toFixed(2) }));
      const text = valueText(v);
      if (text.length * 6.6 < cell && high > 13) g.append(node("text", { class: shade(v) > 0.55 ? "cell-name over" : "cell-name", x: at.x + cell / 2, y: at.y + high / 2 + 4 }, text));
      svg.append(g);
    });
  });
  chart.r.forEach((text, i) => svg.append(rowName(text, left, top + (i + 0.5) * high + 4)));
  const said = `${axisText(chart.y)}: ${valueText(lo)} to ${valueText(hi)}, darker is more`, half = said.length * 3.4 + 4;
  svg.append(node("text", { class: "label", x: clamp(left + cell * n / 2, half, Math.max(half, width - half)), y: height - 6, "text-anchor": "middle" }, said.length * 6.8 < width ? said : axisText(chart.y)));
  return svg;
}
