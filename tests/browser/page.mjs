// Drives the pages in a folder as a reader does and writes one line of JSON for
// each thing that was tried: {"name", "error"}. Run by go test ./report/page -run TestBrowser.

import { strict as assert } from "node:assert";
import { join } from "node:path";
import { launch, open, sight } from "./browser.mjs";

const folder = process.argv[2];
const file = (name) => join(folder, name);
const browser = await launch();

async function attempt(name, page, options, drive) {
  let error = "", said = "";
  const shown = await open(browser, file(page), options);
  try {
    if (!options.folded) await shown.page.evaluate(() => document.querySelectorAll("details.section").forEach((d) => { d.open = true; }));
    said = (await drive(shown.page)) || "";
    assert.deepEqual(shown.faults, [], "the page spoke to the console or to the network");
  } catch (e) {
    error = e.message;
  }
  await shown.close();
  console.log(JSON.stringify({ name, error, said }));
}

const curve = (page) => page.locator("#summary figure").first();
const ticks = (chart) => chart.locator(".tick").allTextContents();
const series = (chart) => chart.locator("g.series").count();

// hover stands on the first mark of the last series, which lies above the others.
async function hover(page, chart) {
  await chart.scrollIntoViewIfNeeded();
  const mark = await chart.locator(".plot g.series").last().locator(".mark").first().boundingBox();
  await page.mouse.move(mark.x + mark.width / 2, mark.y + mark.height / 2);
}

async function drag(page, chart, from, to) {
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.locator(".plot").boundingBox();
  await page.mouse.move(box.x + box.width * from, box.y + box.height * 0.3);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * (from + to) / 2, box.y + box.height * 0.31);
  await page.mouse.move(box.x + box.width * to, box.y + box.height * 0.31);
  await page.mouse.up();
  return box;
}

await attempt("hover shows the value with its interval and n", "run.html", {}, async (page) => {
  const chart = curve(page);
  await hover(page, chart);
  const text = await chart.locator(".tip").innerText();
  assert.match(text, /p99.* at concurrency=1\b/);
  assert.match(text, /\d ms \[[\d.]+, [\d.]+\]/);
  assert.match(text, /3 launches, n = \d+/);
});

await attempt("the legend hides and shows a series", "run.html", {}, async (page) => {
  const chart = curve(page), button = chart.locator(".legend button").nth(1);
  await chart.scrollIntoViewIfNeeded();
  assert.equal(await series(chart), 3);
  await button.click();
  assert.equal(await series(chart), 2);
  assert.equal(await button.getAttribute("aria-pressed"), "false");
  await button.press("Enter");
  assert.equal(await series(chart), 3);
});

await attempt("a drag zooms, a double click goes back", "run.html", {}, async (page) => {
  const chart = curve(page);
  await chart.scrollIntoViewIfNeeded();
  const before = await ticks(chart);
  const box = await drag(page, chart, 0.3, 0.6);
  assert.notDeepEqual(await ticks(chart), before);
  assert.ok(await chart.getByText("show all").isVisible());
  await page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
  assert.deepEqual(await ticks(chart), before);
});

await attempt("charts of a launch zoom together", "run.html", {}, async (page) => {
  const charts = page.locator("#timeline details").first().locator("figure");
  await charts.nth(1).scrollIntoViewIfNeeded();
  await charts.nth(1).locator("svg").first().waitFor();
  await charts.nth(0).scrollIntoViewIfNeeded();
  const before = await charts.nth(1).locator(".plot > svg").innerHTML();
  await drag(page, charts.nth(0), 0.4, 0.7);
  assert.notEqual(await charts.nth(1).locator(".plot > svg").innerHTML(), before);
});

await attempt("everything is reached with the keyboard", "run.html", {}, async (page) => {
  const chart = curve(page), plot = chart.locator(".plot");
  await plot.focus();
  const before = await ticks(chart);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.match(await chart.locator(".said").textContent(), /\[[\d.]+, [\d.]+\]/);
  await page.keyboard.press("+");
  assert.notDeepEqual(await ticks(chart), before);
  await page.keyboard.press("Escape");
  assert.deepEqual(await ticks(chart), before);
  assert.ok(await chart.locator(".tip").isHidden());
});

await attempt("the x axis and its scale can be chosen", "run.html", {}, async (page) => {
  const chart = curve(page);
  await chart.scrollIntoViewIfNeeded();
  assert.match((await chart.locator(".label").allTextContents()).join(), /output throughput \(tok\/s\)/);
  await chart.locator("select").selectOption({ label: "over concurrency" });
  assert.match((await chart.locator(".label").allTextContents()).join(), /concurrency \(requests in flight\)/);
  const before = await ticks(chart);
  await chart.getByText("log", { exact: true }).click();
  assert.notDeepEqual(await ticks(chart), before);
});

await attempt("one point at a time, and its charts are drawn", "sweep.html", {}, async (page) => {
  assert.equal(await page.locator("details.point:visible").count(), 1);
  await page.locator("#choose-point").selectOption({ index: 7 });
  assert.equal(await page.locator("details.point:visible").count(), 1);
  const chart = page.locator("#point-7 figure").first();
  await chart.scrollIntoViewIfNeeded();
  await chart.locator(".band").waitFor();
  await page.getByText("next ›").click();
  assert.ok(await page.locator("#point-8").isVisible());
});

await attempt("dark and light, as the reader's system says and by the button", "run.html", { colorScheme: "dark" }, async (page) => {
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await back();
  await page.locator("button.theme").click();
  const light = await back();
  assert.notEqual(dark, light);
  assert.equal(light, "rgb(255, 255, 255)");
  await page.emulateMedia({ colorScheme: "light" });
  assert.equal(await back(), light);
});

// overlaps lists ticks and labels of a chart that lie on one another.
const overlaps = () => {
  const bad = [];
  for (const svg of document.querySelectorAll(".plot > svg")) {
    const boxes = [...svg.querySelectorAll(".tick, .label, .span-name")].map((t) => [t.textContent, t.getBoundingClientRect()]).filter(([, r]) => r.width > 0);
    const frame = svg.getBoundingClientRect();
    boxes.forEach(([text, a], i) => {
      if (a.left < frame.left - 1 || a.right > frame.right + 1) bad.push(`${text} leaves the drawing`);
      for (const [other, b] of boxes.slice(i + 1)) {
        if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 2 && b.top < a.bottom - 2) bad.push(`${text} over ${other}`);
      }
    });
  }
  return bad;
};

const pages = ["run.html", "sweep.html", "compare.html", "graded.html", "trained.html", "exchanged.html", "probed.html", "scaling.html"];

for (const width of [390, 1280]) {
  for (const name of pages) {
    await attempt(`${name} at ${width} pixels: no table is cut`, name, { viewport: { width, height: 900 } }, async (page) => {
      await page.evaluate(() => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `the page is ${wide} pixels wider than the screen`);
      if (width < 1280) return; // a phone scrolls tables by themselves
      const cut = await page.evaluate(() => [...document.querySelectorAll(".scroll")].filter((e) => e.scrollWidth > e.clientWidth)
        .map((e) => `${e.closest("section").id}: ${e.querySelector("thead").innerText.replace(/\s+/g, " ")} is ${e.scrollWidth - e.clientWidth} pixels too wide`));
      assert.deepEqual(cut, []);
    });
  }
}

for (const width of [360, 1200]) {
  for (const name of pages) {
    await attempt(`${name} at ${width} pixels: no label on another, nothing wider than the page`, name, { viewport: { width, height: 900 } }, async (page) => {
      await sight(page);
      const empty = await page.evaluate(() => [...document.querySelectorAll("figure")].filter((f) => f.checkVisibility() && !f.querySelector(".plot > svg")).length);
      assert.equal(empty, 0, "every visible chart is drawn");
      assert.deepEqual(await page.evaluate(overlaps), []);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `the page is ${wide} pixels wider than the screen`);
    });
  }
}

const printed = async (page) => ((await page.pdf({ format: "A4" })).toString("latin1").match(/\/Type\s*\/Page\b/g) || []).length;

for (const name of ["compare.html", "trained.html", "exchanged.html", "probed.html", "scaling.html"]) {
  await attempt(`${name} is two printed pages at most`, name, { folded: true }, async (page) => {
    const n = await printed(page);
    assert.ok(n >= 1 && n <= 2, `${n} pages`);
  });
}

await attempt("on paper stands what is unfolded, drawn", "run.html", { folded: true }, async (page) => {
  const folded = await printed(page);
  assert.ok(folded >= 1 && folded <= 2, `${folded} pages, want two at most`);
  await page.evaluate(() => document.querySelectorAll("details.section").forEach((d) => { d.open = true; }));
  assert.ok(await printed(page) > folded, "what a reader has opened is printed too");
  await page.emulateMedia({ media: "print" });
  assert.ok(await page.locator("nav").isHidden());
  const louder = await page.evaluate(() => [...document.querySelectorAll("td .interval")].filter((each) =>
    parseFloat(getComputedStyle(each).fontSize) > parseFloat(getComputedStyle(each.parentElement).fontSize)).length);
  assert.equal(louder, 0, "intervals larger than their values");
});

await attempt("without JavaScript: tables, drawings, and folds that open", "run.html", { javaScriptEnabled: false }, async (page) => {
  assert.ok(await page.locator("#summary .static svg .mark").first().isVisible());
  assert.ok(await page.locator("#points table").first().isVisible());
  assert.equal(await page.locator("button:visible, select:visible").count(), 0);
  const second = page.locator("details.point").nth(1);
  await second.locator("summary").first().click();
  assert.ok(await second.locator("table").first().isVisible());
});

await attempt("the parts of a step are boxes with names", "trained.html", {}, async (page) => {
  const chart = page.locator("#training-1 figure").first();
  await page.locator("#training-1 > summary").click();
  await chart.scrollIntoViewIfNeeded();
  await chart.locator(".boxed").first().waitFor();
  assert.match((await chart.locator(".boxed title").allTextContents()).join("; "), /rank 1, node1: exposed: peers 10\.0 ms/);
});

await attempt("a size is told in its binary unit", "exchanged.html", {}, async (page) => {
  const chart = page.locator("#summary figure").first();
  await chart.scrollIntoViewIfNeeded();
  assert.match((await ticks(chart)).join(), /KiB.*MiB/);
  await hover(page, chart);
  assert.match(await chart.locator(".tip").innerText(), /size \d+ (KiB|MiB)/);
});

await attempt("the matrix of pairs has a cell for every two ranks", "exchanged.html", {}, async (page) => {
  const heat = page.locator("figure.heat").first();
  await heat.scrollIntoViewIfNeeded();
  await heat.locator(".cell").first().waitFor();
  assert.equal(await heat.locator(".cell").count(), 12);
});

await attempt("a comparison shows ratios with intervals", "compare.html", {}, async (page) => {
  const chart = page.locator("#ratios figure").first();
  await hover(page, chart);
  assert.match(await chart.locator(".tip").innerText(), /candidate ÷ baseline [\d.]+/);
});

await attempt("the frontier of quality and speed is drawn over what a reader chooses", "graded.html", {}, async (page) => {
  const chart = page.locator("#accuracy figure", { has: page.locator("text=which loads no other beats") }).last();
  await chart.scrollIntoViewIfNeeded();
  await chart.locator(".point-name").first().waitFor();
  assert.equal(await chart.locator(".plot .line").count(), 0);
  assert.equal(await chart.locator(".plot .whisker").count(), 8); // of both axes, for each load
  await hover(page, chart);
  assert.match(await chart.locator(".tip").innerText(), /beaten by concurrency=4/);
  await chart.locator("select").selectOption({ label: "over requests" });
  assert.match((await chart.locator(".label").allTextContents()).join(), /requests \(req\/s\)/);
});

await attempt("answers that flipped are found by a word or by their kind", "compare.html", {}, async (page) => {
  const shown = () => page.locator("#flips details.example:visible").count();
  assert.equal(await shown(), 200);
  await page.locator("#find-answers").fill("6 × 7");
  assert.equal(await shown(), 0); // the one prompt of that text was replaced by markup
  await page.locator("#find-answers").fill("onerror");
  assert.equal(await shown(), 1);
  await page.locator("#flips details.example:visible summary").click();
  assert.deepEqual(await page.locator("#flips details.example:visible h4").allTextContents(), ["prompt", "expected", "old: score 0", "new: score 1"]);
  assert.match(await page.locator("#flips details.example:visible pre").nth(3).textContent(), /<img src=x/);
  await page.locator("#find-answers").fill("");
  await page.locator("#flips select").selectOption("wrong to right");
  assert.equal(await shown(), 1);
});

await attempt("hostile text stays text", "hostile.html", {}, async (page) => {
  assert.equal(await page.locator("img").count(), 0);
  assert.match(await page.locator("h1").textContent(), /<\/script><script>/);
});

await attempt("45 points and a million requests: alive soon", "sweep.html", {}, async (page) => {
  const first = [], whole = [];
  for (let i = 0; i < 5; i++) {
    await page.reload();
    const { ready, whole: end } = await page.evaluate(() => ({ ...document.documentElement.dataset }));
    first.push(Number(ready));
    whole.push(Number(end));
  }
  // A busy machine is slow; the figures themselves are what make bench-page prints.
  assert.ok(Math.min(...first) > 0 && Math.min(...first) < 5000, `first chart after ${first} ms`);
  return `first chart drawn ${first.join(", ")} ms after navigation, all of the page alive after ${whole.join(", ")} ms`;
});

await browser.close();
