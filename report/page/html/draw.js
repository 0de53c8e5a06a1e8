// Drawing: a chart as SVG. Colours are classes, so that a change of theme needs no
// drawing; dashes and markers say the same as colours.

const SVG = "http://www.w3.org/2000/svg";
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "12 4", "4 2", "1 2", "12 3 2 3 2 3"];
const MARKS = [
  "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", "M-3.5-3.5h7v7h-7z", "M0-4.5L4.5 3.5h-9z", "M0-5L5 0L0 5L-5 0z",
  "M0 4.5L4.5-3.5h-9z", "M-4-1.3h2.7v-2.7h2.6v2.7h2.7v2.6h-2.7v2.7h-2.6v-2.7h-2.7z", "M-4-2.5L-2.5-4L0-1.5L2.5-4L4-2.5L1.5 0L4 2.5L2.5 4L0 1.5L-2.5 4L-4 2.5L-1.5 0z", "M-4.5-2h9v4h-9z",
];
const MARGIN = { top: 14, named: 24, right: 14, bottom: 46, left: 56, shared: 76 };
const MOST_MARKS = 60; // a line of more values shows no markers
const MOST_NAMES = 12; // a scatter of more points names none of them

function node(name, attributes, ...children) {
  const n = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes || {})) n.setAttribute(key, value);
  n.append(...children);
  return n;
}

// The ninth series has the first one's colour, and another dash and marker.
const turned = (style) => (style + Math.floor(style / 8)) % 8;
const dashOf = (style) => DASHES[turned(style)];
const markOf = (style) => MARKS[turned(style)];
const colourOf = (style) => `c${style % 8}`;

// bounds are the smallest and the largest of all numbers in lists.
function bounds(lists) {
  let lo = Infinity, hi = -Infinity;
  for (const list of lists) {
    for (const v of list || []) {
      if (!finite(v)) continue;
      if (v < lo) lo = v;
      if (v > hi) hi = v;
    }
  }
  return lo > hi ? [0, 1] : [lo, hi];
}

// xRange and yRange are what a chart shows before anybody zooms.
function xRange(view) {
  const { chart } = view, seen = visible(view);
  const spans = (chart.w || []).flatMap((w) => [w.a, w.b]);
  let [lo, hi] = bounds([...seen.map((s) => xs(view, s)), spans, ...(chart.k === "forest" ? seen.flatMap((s) => [s.a, s.b]) : [])]);
  if (chart.k === "forest") {
    const limits = chart.m.map((m) => m.v);
    if (chart.x[0].d) {
      [lo, hi] = [Math.min(lo, ...limits), Math.max(hi, ...limits)];
      return [lo - 0.04 * (hi - lo), hi + 0.04 * (hi - lo)];
    }
    lo = Math.max(0.5, Math.min(lo, ...limits)); // what lies farther is named at the edge
    hi = Math.min(2, Math.max(hi, ...limits));
    return [lo / 1.01, hi * 1.01];
  }
  if (chart.k === "scatter") return around(bounds(seen.flatMap((s) => [xs(view, s), chosen(view, s.l), chosen(view, s.h)])));
  if (view.log.x && chart.k === "curve") return [positive(lo, seen.map((s) => xs(view, s))) / 1.3, hi * 1.3];
  if (view.log.x) return [positive(lo, seen.map((s) => xs(view, s))), hi];
  if (chart.k === "curve") return [Math.min(0, lo), hi + (hi - Math.min(0, lo)) * 0.04 || 1];
  if (chart.k === "share") return [lo, hi === lo ? lo + 1 : hi];
  return [Math.min(0, lo), Math.max(hi, chart.z || 0)];
}

function yRange(view) {
  const { chart } = view, seen = visible(view);
  if (chart.k === "forest") return [chart.r.length - 0.4, -0.6];
  if (chart.k === "share") return [0, 100];
  if (chart.k === "scatter") return around(bounds(seen.flatMap((s) => [s.y, s.a, s.b])));
  // A whisker far beyond every value would press the values themselves flat.
  const [lo, hi] = bounds(seen.map((s) => s.y));
  const [, far] = bounds(seen.map((s) => s.b));
  const limits = (chart.m || []).filter((m) => !m.x && m.v < hi * 4).map((m) => m.v);
  const top = Math.max(hi, Math.min(far, hi * 1.6), ...limits);
  if (view.log.y) return [positive(lo, seen.map((s) => s.y)) / 1.2, top * 1.2];
  const bottom = Math.min(0, lo);
  return [bottom, top + (top - bottom) * 0.06 || 1];
}

// around leaves some room on both sides: what a scatter shows need not begin at zero.
const around = ([lo, hi]) => [lo - 0.06 * (hi - lo || 1), hi + 0.06 * (hi - lo || 1)];

// positive is lo, or the smallest number above zero where lo is not.
function positive(lo, lists) {
  if (lo > 0) return lo;
  const [least] = bounds(lists.map((list) => list.filter((v) => v > 0)));
  return least > 0 ? least : 1e-3;
}

const visible = (view) => view.chart.s.filter((s, i) => !view.hidden.has(i));
const chosen = (view, lists) => lists[Math.min(view.choice, lists.length - 1)];
const xs = (view, s) => chosen(view, s.x);

// draw makes the SVG of a view anew and remembers its scales.
function draw(view) {
  const { chart } = view;
  const width = Math.max(280, view.plot.clientWidth || 640);
  const height = chart.k === "forest" ? 70 + 26 * chart.r.length : chart.k === "time" ? 196 : 290;
  const top = (chart.w || []).length ? MARGIN.named : MARGIN.top; // windows have their names above the plot
  const [xLo, xHi] = view.zoom.x || xRange(view);
  const [yLo, yHi] = view.zoom.y || yRange(view);
  const left = leftOf(view, width, scaleOf(yLo, yHi, height - MARGIN.bottom, top, view.log.y));
  view.box = { left, top, right: width - MARGIN.right, bottom: height - MARGIN.bottom, width, height };
  view.x = scaleOf(xLo, xHi, view.box.left, view.box.right, view.log.x || (chart.k === "forest" && !chart.x[0].d));
  view.y = scaleOf(yLo, yHi, view.box.bottom, view.box.top, view.log.y);

  const clip = `clip-${view.id}`;
  const inside = node("g", { "clip-path": `url(#${clip})` });
  const svg = node("svg", { viewBox: `0 0 ${width} ${height}`, role: "presentation" },
    node("clipPath", { id: clip }, node("rect", { x: left, y: top - 20, width: view.box.right - left, height: view.box.bottom - top + 20 })),
    hatch(view));
  drawSpans(view, inside);
  drawAxes(view, svg);
  drawLimits(view, inside);
  chart.s.forEach((s, i) => { if (!view.hidden.has(i)) drawSeries(view, s, inside); });
  view.cursor = node("g", { class: "cursor" });
  view.rubber = node("rect", { class: "rubber", visibility: "hidden" });
  svg.append(inside, view.cursor, view.rubber);
  if (view.svg) view.svg.replaceWith(svg); else view.plot.prepend(svg);
  view.svg = svg;
}

// yTicks are the values named on a vertical axis.
const yTicks = (y, height) => ticks(y, Math.max(2, Math.floor(height / 28)));

// leftOf is where the plot begins: right of its longest tick. Charts over time have
// one margin, so that they stand on one axis.
function leftOf(view, width, y) {
  const { chart } = view;
  if (chart.k === "forest") return Math.min(width * 0.45, 16 + 6.6 * Math.max(...chart.r.map((t) => t.length)));
  if (chart.k === "time") return MARGIN.shared;
  const height = 290 - MARGIN.bottom - MARGIN.top;
  return Math.max(MARGIN.left, 28 + 6.8 * Math.max(0, ...yTicks(y, height).map((v) => tickText(v).length)));
}

function hatch(view) {
  return node("defs", {}, node("pattern", { id: `hatch-${view.id}`, width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    node("line", { x1: 0, y1: 0, x2: 0, y2: 7, class: "hatch" })));
}

function drawSpans(view, to) {
  const { box, x } = view;
  const name = (x0, x1, texts) => {
    const text = texts.find((t) => t && t.length * 6.4 < x1 - x0);
    if (text) to.append(node("text", { x: (x0 + x1) / 2, y: box.top - 7, class: "span-name" }, text));
  };
  for (const w of view.chart.w || []) {
    const a = Math.max(box.left, x(w.a)), b = Math.min(box.right, x(w.b));
    if (b <= a) continue;
    if (w.k === "steady") {
      to.append(node("rect", { class: "span steady", x: a, y: box.top - 4, width: b - a, height: 4 }));
      continue;
    }
    const mark = node("rect", { class: `span ${w.k}`, x: a, y: box.top, width: b - a, height: box.bottom - box.top });
    if (w.k === "warmup") mark.setAttribute("fill", `url(#hatch-${view.id})`);
    to.append(mark);
    name(a, b, [w.n, (w.n || "").replace(/ \(.*/, "")]);
  }
}

// rowName is a row's name left of the drawing, cut where the room ends: letters
// differ in width, so the browser is asked.
function rowName(text, left, y) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `11.5px ${getComputedStyle(document.body).fontFamily}`; // as style.css has it
  const fits = (t) => pen.measureText(t).width <= left - 10;
  let shown = text;
  for (let n = text.length - 1; n > 0 && !fits(shown); n--) shown = text.slice(0, n) + "…";
  const name = node("text", { class: "tick", x: left - 8, y, "text-anchor": "end" }, shown);
  if (shown !== text) name.append(node("title", {}, text));
  return name;
}

function drawAxes(view, to) {
  const { box, chart, x, y } = view;
  const g = node("g", { class: "axes" });
  const wide = box.right - box.left;
  const binary = chart.x[view.choice].p;
  for (const v of binary && x.log ? byteTicks(x, Math.max(2, Math.floor(wide / 62))) : ticks(x, Math.max(2, Math.floor(wide / 62)))) {
    const at = x(v);
    g.append(node("line", { class: "grid", x1: at, x2: at, y1: box.top, y2: box.bottom }),
      node("text", { class: "tick", x: at, y: box.bottom + 16, "text-anchor": "middle" }, binary ? bytesText(v) : tickText(v)));
  }
  if (chart.k === "forest") {
    chart.r.forEach((text, i) => {
      if (y(i) < box.top || y(i) > box.bottom) return;
      g.append(rowName(text, box.left, y(i) + 4));
    });
  } else {
    for (const v of yTicks(y, box.bottom - box.top)) {
      g.append(node("line", { class: "grid", x1: box.left, x2: box.right, y1: y(v), y2: y(v) }),
        node("text", { class: "tick", x: box.left - 6, y: y(v) + 4, "text-anchor": "end" }, tickText(v)));
    }
    const middle = (box.top + box.bottom) / 2, whole = axisText(chart.y);
    const label = whole.length * 6.6 > box.bottom - box.top + 24 && chart.y.u ? chart.y.u : whole; // the title has the name
    g.append(node("text", { class: "label", transform: `translate(13 ${middle}) rotate(-90)`, "text-anchor": "middle" }, label));
  }
  g.append(node("text", { class: "label", x: (box.left + box.right) / 2, y: box.bottom + 36, "text-anchor": "middle" }, axisText(chart.x[view.choice])),
    node("path", { class: "frame", d: `M${box.left} ${box.top}V${box.bottom}H${box.right}` }));
  to.append(g);
}

function drawLimits(view, to) {
  const { box, x, y } = view;
  for (const m of view.chart.m || []) {
    if (m.x) {
      to.append(node("line", { class: "limit", x1: x(m.v), x2: x(m.v), y1: box.top, y2: box.bottom }));
      if (view.chart.k === "curve") to.append(node("text", { class: "limit-name", x: x(m.v) + 5, y: box.top + 12 }, m.n));
      continue;
    }
    const at = y(m.v);
    to.append(node("line", { class: "limit", x1: box.left, x2: box.right, y1: at, y2: at }),
      node("text", { class: "limit-name", x: box.left + 6, y: at < box.top + 18 ? at + 14 : at - 5 }, m.n));
  }
}

function drawSeries(view, s, to) {
  const { chart, x, y } = view, at = xs(view, s), g = node("g", { class: `series ${colourOf(s.i)}` });
  const log = view.log;
  const ok = (i) => finite(at[i]) && finite(s.y[i]) && !(log.x && at[i] <= 0) && !(log.y && s.y[i] <= 0);
  if (chart.k === "forest") {
    s.y.forEach((row, i) => drawRatio(view, s, at, row, i, g));
    to.append(g);
    return;
  }
  if (s.v && s.a) g.append(node("path", { class: "band", d: bandPath(view, s, at) }));
  if (!s.alone) g.append(node("path", { class: "line", d: linePath(at, s.y, ok, x, y, chart.k === "share"), "stroke-dasharray": dashOf(s.i) }));
  if (at.length <= MOST_MARKS && !s.v) {
    at.forEach((v, i) => {
      if (!ok(i)) return;
      const sure = s.a && finite(s.a[i]) && finite(s.b[i]);
      const hollow = s.a && !sure; // a figure that should have an interval and has none
      if (chart.k === "scatter") drawAcross(view, s, i, at, g);
      if (sure) g.append(whisker(x(v), y(log.y ? Math.max(s.a[i], y.lo) : s.a[i]), y(s.b[i])));
      g.append(node("path", { class: hollow ? "mark hollow" : "mark", d: markOf(s.i), transform: `translate(${x(v)} ${y(s.y[i])})` }));
    });
  }
  to.append(g);
}

function drawRatio(view, s, at, row, i, g) {
  const { x, y, box } = view, cy = y(row);
  if (at[i] < x.lo || at[i] > x.hi) {
    const right = at[i] > x.hi;
    g.append(node("text", { class: "beyond", x: right ? box.right - 3 : box.left + 4, y: cy + 4, "text-anchor": right ? "end" : "start" }, right ? `${valueText(at[i])} ›` : `‹ ${valueText(at[i])}`));
    return;
  }
  if (finite(s.a[i]) && finite(s.b[i])) {
    g.append(node("path", { class: "whisker", d: `M${x(s.a[i])} ${cy - 4}v8M${x(s.a[i])} ${cy}H${x(s.b[i])}M${x(s.b[i])} ${cy - 4}v8` }));
  }
  g.append(node("path", { class: finite(s.a[i]) ? "mark" : "mark hollow", d: markOf(s.i), transform: `translate(${x(at[i])} ${cy})` }));
}

// drawAcross draws the interval along x and the name of a point of a scatter.
function drawAcross(view, s, i, at, g) {
  const { x, y } = view, a = chosen(view, s.l)[i], b = chosen(view, s.h)[i], cy = y(s.y[i]);
  if (finite(a) && finite(b)) g.append(node("path", { class: "whisker", d: `M${x(a)} ${cy - 4}v8M${x(a)} ${cy}H${x(b)}M${x(b)} ${cy - 4}v8` }));
  if (view.chart.s.reduce((n, one) => n + one.y.length, 0) > MOST_NAMES) return;
  const left = x(at[i]) > (view.box.left + view.box.right) / 2;
  g.append(node("text", { class: "point-name", x: x(at[i]) + (left ? -8 : 8), y: cy - 8, "text-anchor": left ? "end" : "start" }, s.p[i]));
}

const whisker = (x, a, b) => node("path", { class: "whisker", d: `M${x - 4} ${a}h8M${x} ${a}V${b}M${x - 4} ${b}h8` });

// linePath breaks where a value is missing; shares go up in steps.
function linePath(at, values, ok, x, y, step) {
  let d = "", open = false;
  for (let i = 0; i < at.length; i++) {
    if (!ok(i)) { open = false; continue; }
    const px = x(at[i]).toFixed(1), py = y(values[i]).toFixed(1);
    d += !open ? `M${px} ${py}` : step ? `H${px}V${py}` : `L${px} ${py}`;
    open = true;
  }
  return d;
}

function bandPath(view, s, at) {
  const { x, y, log } = view, there = [], back = [];
  at.forEach((v, i) => {
    if (!finite(v) || !finite(s.a[i]) || !finite(s.b[i]) || (log.x && v <= 0)) return;
    const px = x(v).toFixed(1);
    there.push(there.length ? `H${px}V${y(s.b[i]).toFixed(1)}` : `M${px} ${y(s.b[i]).toFixed(1)}`);
    back.push([px, y(s.a[i]).toFixed(1)]);
  });
  if (there.length < 2) return "";
  let d = there.join("");
  for (let i = back.length - 1; i >= 0; i--) d += i === back.length - 1 ? `L${back[i][0]} ${back[i][1]}` : `V${back[i][1]}H${back[i][0]}`;
  return d + "Z";
}
