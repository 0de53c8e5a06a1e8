// A view is one chart on the page: its data, what is hidden, zoomed and drawn.

const views = [];

function element(name, properties, ...children) {
  const n = Object.assign(document.createElement(name), properties);
  n.append(...children);
  return n;
}

// open reads the data of a figure and puts the controls around its drawing.
function open(figure) {
  const chart = JSON.parse(figure.querySelector("script").textContent);
  if (chart.k === "boxes" || chart.k === "heat") return openPlain(figure, chart);
  for (const s of chart.s) s.alone = chart.k === "forest" || chart.k === "scatter"; // marks without a line
  for (const s of chart.s) if (!s.x) s.x = [s.y.map((_, k) => (s.f || 0) + k * s.d)];
  const view = {
    figure, chart, id: views.length, hidden: new Set(), zoom: { x: null, y: null }, choice: 0,
    log: { x: Boolean(chart.x[0].g), y: Boolean(chart.y.g) }, together: chart.k === "time" || chart.k === "share",
  };
  view.plot = element("div", { className: "plot", tabIndex: 0 });
  view.plot.setAttribute("role", "group");
  view.plot.setAttribute("aria-label", `Chart: ${chart.t}. Arrow keys walk over the values, plus and minus zoom, Escape shows all.`);
  view.tip = element("div", { className: "tip", hidden: true });
  view.said = element("p", { className: "said" });
  view.said.setAttribute("aria-live", "polite");
  view.plot.append(view.tip, view.said);
  const fixed = figure.querySelector(".static");
  if (fixed) fixed.remove();
  figure.append(legend(view), view.plot);
  views.push(view);
  draw(view);
  listen(view);
  let width = view.plot.clientWidth;
  new ResizeObserver(() => {
    if (!view.plot.clientWidth || Math.abs(view.plot.clientWidth - width) < 2) return;
    width = view.plot.clientWidth;
    draw(view);
  }).observe(view.plot);
  return view;
}

// swatch shows a series as it is drawn: colour, dash and marker.
function swatch(s) {
  const many = s.y.length > MOST_MARKS || s.v, alone = s.alone;
  return node("svg", { class: `swatch ${colourOf(s.i)}`, viewBox: "0 0 26 12", "aria-hidden": "true" },
    ...(alone ? [] : [node("path", { class: "line", d: "M1 6H25", "stroke-dasharray": dashOf(s.i) })]),
    ...(many ? [] : [node("path", { class: "mark", d: markOf(s.i), transform: "translate(13 6)" })]));
}

function legend(view) {
  const { chart } = view, bar = element("div", { className: "legend" });
  if (chart.s.length > 1) {
    chart.s.forEach((s, i) => {
      const button = element("button", { type: "button", title: "show or hide this series" }, swatch(s), s.n);
      button.setAttribute("aria-pressed", "true");
      button.addEventListener("click", () => {
        if (!view.hidden.delete(i)) view.hidden.add(i);
        button.setAttribute("aria-pressed", String(!view.hidden.has(i)));
        draw(view);
      });
      bar.append(button);
    });
  }
  const controls = element("span", { className: "controls" });
  if (chart.x.length > 1) controls.append(choice(view));
  const along = chart.k === "share" ? "x" : "y";
  if (chart.k === "curve" || chart.k === "share" || (chart.k === "time" && /\((s|ms|µs)\)/.test(axisText(chart.y)))) controls.append(logButton(view, along));
  view.reset = element("button", { type: "button", hidden: true, textContent: "show all" });
  view.reset.addEventListener("click", () => zoomTo(view, null, null));
  controls.append(view.reset);
  view.figure.querySelector("figcaption").append(controls);
  return bar;
}

function choice(view) {
  const select = element("select", { title: "what the x axis shows" });
  view.chart.x.forEach((axis, i) => select.append(element("option", { value: i, textContent: `over ${axis.l}` })));
  select.setAttribute("aria-label", "x axis");
  select.addEventListener("change", () => {
    view.choice = Number(select.value);
    zoomTo(view, null, null);
  });
  return select;
}

function logButton(view, axis) {
  const button = element("button", { type: "button", textContent: "log" , title: `logarithmic ${axis} axis` });
  button.setAttribute("aria-pressed", String(view.log[axis]));
  button.addEventListener("click", () => {
    view.log[axis] = !view.log[axis];
    button.setAttribute("aria-pressed", String(view.log[axis]));
    zoomTo(view, null, null);
  });
  return button;
}
