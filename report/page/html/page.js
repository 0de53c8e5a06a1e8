// The page: the theme, one point at a time, charts that are drawn when they come
// into sight, and on paper what is unfolded.

const root = document.documentElement;
root.classList.add("scripted");

function themeButton() {
  const dark = () => root.dataset.theme === "dark" || (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  const button = element("button", { type: "button", className: "theme" });
  const name = () => { button.textContent = dark() ? "light theme" : "dark theme"; };
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    name();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
  name();
  document.querySelector("header").prepend(button);
}

// chooser puts a list over folded points: choosing one folds the others.
function chooser(section) {
  const points = [...section.querySelectorAll("details.point")];
  if (points.length < 2) return;
  const select = element("select", { id: "choose-point" });
  points.forEach((p, i) => select.append(element("option", { value: i, textContent: p.querySelector("summary").textContent })));
  const go = (to) => {
    select.value = String(clamp(to, 0, points.length - 1));
    points.forEach((p, i) => { p.open = String(i) === select.value; });
  };
  select.addEventListener("change", () => go(Number(select.value)));
  const step = (text, by) => {
    const button = element("button", { type: "button", textContent: text });
    button.addEventListener("click", () => go(Number(select.value) + by));
    return button;
  };
  points[0].before(element("p", { className: "choose" }, element("label", { htmlFor: "choose-point", textContent: `One of ${points.length} points: ` }),
    step("‹ previous", -1), select, step("next ›", 1)));
  section.classList.add("chosen");
}

const waiting = new Set();

function drawOne(figure) {
  if (!waiting.delete(figure)) return;
  open(figure);
  if (!root.dataset.ready) root.dataset.ready = performance.now().toFixed(0);
}

const watcher = new IntersectionObserver((entries) => {
  for (const e of entries) {
    if (!e.isIntersecting) continue;
    watcher.unobserve(e.target);
    drawOne(e.target);
  }
}, { rootMargin: "300px" });

// gather waits for the charts that the browser has read so far.
function gather() {
  for (const figure of document.querySelectorAll("figure.chart:not(.known)")) {
    figure.classList.add("known");
    waiting.add(figure);
    watcher.observe(figure);
  }
}

// The script stands behind the first charts: they are alive while the rest of a
// long page is still being read.
themeButton();
gather();
for (const figure of [...waiting].slice(0, 2)) drawOne(figure);
addEventListener("DOMContentLoaded", () => {
  gather();
  document.querySelectorAll("section.chooser").forEach(chooser);
  document.querySelectorAll(".examples").forEach(searchable);
  unfold();
  root.dataset.whole = performance.now().toFixed(0);
});

// A link to something folded unfolds it.
function unfold() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  const inner = target.querySelector(":scope > details.section");
  if (inner) inner.open = true;
  for (let d = target.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
}
addEventListener("hashchange", unfold);

// Paper shows what is unfolded: two pages, or as many as a reader has opened.
addEventListener("beforeprint", () => {
  for (const figure of [...waiting]) if (figure.checkVisibility()) drawOne(figure);
});
