// What a reader does with a chart: look (pointer or arrow keys), zoom (drag, + and −),
// go back (double click, Escape).

// nearest finds the value closest to a place: of all values in the plane, or, where
// all series go along x together, of each series along x.
function nearest(view, px, py) {
  const found = [];
  view.chart.s.forEach((s, i) => {
    if (view.hidden.has(i)) return;
    const at = xs(view, s);
    let best = -1, least = Infinity;
    for (let k = 0; k < at.length; k++) {
      if (!finite(at[k]) || !finite(s.y[k])) continue;
      const dx = view.x(at[k]) - px, dy = view.together ? 0 : view.y(s.y[k]) - py;
      const far = dx * dx + dy * dy;
      if (far < least) { least = far; best = k; }
    }
    if (best >= 0) found.push({ s, k: best, far: least });
  });
  if (view.together || found.length === 0) return found;
  return [found.reduce((a, b) => (b.far < a.far ? b : a))];
}

// sentence says one value with its interval and what it rests on.
function sentence(view, { s, k }) {
  const { chart } = view, lines = [];
  const interval = () => (s.a && finite(s.a[k]) && finite(s.b[k]) ? ` [${valueText(s.a[k])}, ${valueText(s.b[k])}]` : "");
  const x = chart.x[view.choice];
  if (chart.k === "forest") {
    lines.push(chart.r[s.y[k]], `${x.l} ${valueText(xs(view, s)[k])}${interval()}`);
  } else if (chart.k === "share") {
    lines.push(`${s.n} at most ${withUnit(valueText(xs(view, s)[k]), x)}`, `${valueText(s.y[k])} %${interval()} of requests`);
  } else {
    const text = withUnit(valueText(s.y[k]), chart.y) + interval();
    if (s.p) lines.push(`${s.n || chart.y.l} at ${s.p[k]}`, text); else lines.push(`${s.n}: ${text}`);
  }
  if (s.p && (chart.k === "curve" || chart.k === "scatter")) lines.push(`${x.l} ${axisValue(xs(view, s)[k], x)}`);
  const note = (s.o && s.o[k]) || s.e;
  if (note) lines.push(note);
  return lines;
}

// show writes what is under the pointer, or nothing.
function show(view, found, from) {
  view.cursor.replaceChildren();
  view.tip.hidden = found.length === 0;
  if (found.length === 0) return;
  const first = found.reduce((a, b) => (b.far < a.far ? b : a));
  const px = view.x(xs(view, first.s)[first.k]);
  if (px < view.box.left - 1 || px > view.box.right + 1) { view.tip.hidden = true; return; }
  if (view.together) view.cursor.append(node("line", { x1: px, x2: px, y1: view.box.top, y2: view.box.bottom }));
  view.tip.replaceChildren();
  const head = view.chart.k === "time" ? [`${valueText(xs(view, first.s)[first.k])} s`] : [];
  for (const one of found) {
    const cx = view.x(xs(view, one.s)[one.k]), cy = view.y(one.s.y[one.k]);
    view.cursor.append(node("circle", { class: colourOf(one.s.i), cx, cy, r: 5 }));
    const p = document.createElement("p");
    const [title, ...rest] = sentence(view, one);
    const strong = document.createElement("strong");
    strong.textContent = title;
    p.append(swatch(one.s), strong);
    for (const line of rest) p.append(document.createElement("br"), line);
    view.tip.append(p);
  }
  if (head.length) view.tip.prepend(head[0]);
  const scale = view.svg.getBoundingClientRect().width / view.box.width || 1;
  const right = px > view.box.width / 2;
  view.tip.style.left = right ? "" : `${(px + 12) * scale}px`;
  view.tip.style.right = right ? `${(view.box.width - px + 12) * scale}px` : "";
  view.tip.style.top = `${view.box.top * scale}px`;
  if (from === "keys") view.said.textContent = view.tip.textContent;
}

// along moves the cursor of every chart of the group to the same place on x.
function along(view, value, from) {
  for (const other of peers(view)) {
    if (other.svg) show(other, other === view || view.together ? nearest(other, other.x(value), 0) : [], from);
  }
}

const peers = (view) => (view.chart.g ? views.filter((v) => v.chart.g === view.chart.g) : [view]);

function place(view, event) {
  const r = view.svg.getBoundingClientRect(), k = view.box.width / r.width;
  return [(event.clientX - r.left) * k, (event.clientY - r.top) * k];
}

const clamp = (v, lo, hi) => Math.min(hi, Math.max(lo, v));

function zoomTo(view, x, y) {
  for (const other of peers(view)) {
    other.zoom = { x, y: other === view ? y : other.zoom.y };
    other.reset.hidden = !x && !y;
    if (other.svg) draw(other);
  }
}

function listen(view) {
  const { plot } = view;
  let start = null;
  plot.addEventListener("pointerdown", (e) => {
    if (e.button !== 0 || e.target.closest(".tip")) return;
    start = place(view, e);
    plot.setPointerCapture(e.pointerId);
  });
  plot.addEventListener("pointermove", (e) => {
    const [px, py] = place(view, e);
    if (start) rub(view, start, [px, py]);
    else if (view.together) along(view, view.x.back(px));
    else show(view, nearest(view, px, py));
  });
  plot.addEventListener("pointerup", (e) => {
    const from = start;
    start = null;
    view.rubber.setAttribute("visibility", "hidden");
    if (from) zoomBox(view, from, place(view, e));
  });
  plot.addEventListener("pointercancel", () => { start = null; });
  plot.addEventListener("pointerleave", () => { if (!start) for (const other of peers(view)) if (other.svg) show(other, []); });
  plot.addEventListener("dblclick", () => zoomTo(view, null, null));
  plot.addEventListener("keydown", (e) => keys(view, e));
  plot.addEventListener("blur", () => show(view, []));
}

// corners are those of the zoomed box; along x alone where all series share it.
function corners(view, [ax, ay], [bx, by]) {
  const { box } = view;
  const x = [ax, bx].map((v) => clamp(v, box.left, box.right)).sort((a, b) => a - b);
  const y = [ay, by].map((v) => clamp(v, box.top, box.bottom)).sort((a, b) => a - b);
  return { x, y: view.together || view.chart.k === "forest" || y[1] - y[0] < 12 ? [box.top, box.bottom] : y };
}

function rub(view, from, to) {
  const { x, y } = corners(view, from, to);
  for (const [key, value] of Object.entries({ x: x[0], y: y[0], width: x[1] - x[0], height: y[1] - y[0], visibility: "visible" })) view.rubber.setAttribute(key, value);
}

function zoomBox(view, from, to) {
  const { box } = view, { x, y } = corners(view, from, to);
  if (x[1] - x[0] < 6) return; // a click, not a drag
  const whole = y[0] <= box.top && y[1] >= box.bottom;
  zoomTo(view, x.map(view.x.back), whole ? view.zoom.y : [view.y.back(y[1]), view.y.back(y[0])]);
}

// keys: arrows walk over the values, + and − zoom around them, Escape goes back.
function keys(view, e) {
  const all = view.chart.s.flatMap((s, i) => (view.hidden.has(i) || (view.together && i !== firstSeen(view)) ? [] : s.y.map((_, k) => ({ s, k, far: 0 }))))
    .filter(({ s, k }) => finite(s.y[k]) && finite(xs(view, s)[k]));
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowUp: -1, ArrowDown: 1 }[e.key];
  if (step && all.length) {
    view.at = clamp((view.at ?? -step) + step * (e.shiftKey ? 10 : 1), 0, all.length - 1);
    const one = all[view.at], value = xs(view, one.s)[one.k];
    if (view.together) along(view, value, "keys"); else show(view, [one], "keys");
  } else if (e.key === "+" || e.key === "-" || e.key === "=") {
    const one = all[clamp(view.at ?? 0, 0, all.length - 1)];
    const middle = one ? view.x(xs(view, one.s)[one.k]) : (view.box.left + view.box.right) / 2;
    const half = (view.box.right - view.box.left) * (e.key === "-" ? 1 : 0.25);
    zoomTo(view, [middle - half, middle + half].map(view.x.back), view.zoom.y);
  } else if (e.key === "Escape") {
    zoomTo(view, null, null);
    show(view, []);
  } else {
    return;
  }
  e.preventDefault();
}

const firstSeen = (view) => view.chart.s.findIndex((s, i) => !view.hidden.has(i));
