"use strict";
// A run that goes on: the page as it was sent says how it stood; this keeps it new.
(() => {
  const live = document.getElementById("live");
  if (!live || !live.dataset.events || !window.EventSource) return;
  const put = (selector, text) => {
    const place = document.querySelector(selector);
    if (place && place.textContent !== text) place.textContent = text;
  };
  const number = (v) => v === null || v === undefined ? "–" : v >= 100 ? Math.round(v).toLocaleString("en") : String(Number(v.toPrecision(3)));
  const time = (v) => v === null || v === undefined ? "–" : v >= 1 ? `${number(v)} s` : `${number(1000 * v)} ms`;
  const show = (job) => {
    put("[data-job=state]", job.state);
    put("[data-job=why]", job.why || "");
    const now = job.now;
    if (!now) return;
    document.getElementById("share").value = 100 * (now.share || 0);
    put("[data-now=launch]", `${now.launch} of ${now.launches}`);
    for (const key of ["stage", "point"]) put(`[data-now=${key}]`, now[key] || "–");
    for (const key of ["requests", "failed", "inFlight"]) put(`[data-now=${key}]`, number(now[key]));
    for (const [key, unit] of [["achieved", "req/s"], ["tokens", "tok/s"]]) put(`[data-now=${key}]`, now[key] === null ? "–" : `${number(now[key])} ${unit}`);
    for (const key of ["left", "ttftP50", "ttftP99", "e2eP50"]) put(`[data-now=${key}]`, time(now[key]));
    put("[data-now=client]", now.client ? `The client is the limit: ${now.client}` : "");
    document.querySelector("[data-now=client]").hidden = !now.client;
  };
  const events = new EventSource(live.dataset.events);
  events.addEventListener("state", (e) => show(JSON.parse(e.data)));
  // The page of a run that is over has its results.
  events.addEventListener("end", (e) => { events.close(); show(JSON.parse(e.data)); location.reload(); });
  addEventListener("pagehide", () => events.close());
})();
