// A real browser that fails on whatever a page says to the console, throws, or
// asks of the network.

import { execFileSync } from "node:child_process";
import { chromium } from "playwright-core";

// find names the browser: $CHROMIUM, or what the path has.
export function find() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    try {
      return execFileSync("which", [name], { encoding: "utf8" }).trim();
    } catch { /* the next one */ }
  }
  throw new Error("no chromium on the path: set CHROMIUM, or run make browser");
}

export const launch = () => chromium.launch({ executablePath: find(), args: ["--no-sandbox"] });

// sight brings every visible chart into sight once, so that all of them are drawn.
export const sight = (page) => page.evaluate(async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  for (const figure of document.querySelectorAll("figure")) {
    if (!figure.checkVisibility()) continue;
    figure.scrollIntoView({ behavior: "instant" });
    await frame();
  }
  scrollTo({ top: 0, behavior: "instant" });
  await frame();
});

// open shows a file; faults gathers everything that a page must not do.
export async function open(browser, file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  const faults = [];
  const own = `file://${file}`;
  page.on("console", (m) => faults.push(`console ${m.type()}: ${m.text()}`));
  page.on("pageerror", (e) => faults.push(`error: ${e.message}`));
  page.on("request", (r) => { if (r.url().split("#")[0] !== own) faults.push(`request: ${r.url().slice(0, 120)}`); });
  await page.goto(own);
  return { page, faults, close: () => context.close() };
}
