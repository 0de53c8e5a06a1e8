// Walks the dashboard of a running server as a reader does and writes one line of JSON for
// each thing that was tried: {"name", "error"}. Run by go test ./cmd/assay -run TestDashboard:
// node dashboard.mjs ADDRESS TOKEN HOST:PORT of a target [FOLDER for screenshots].

import { strict as assert } from "node:assert";
import { join } from "node:path";
import { launch, sight } from "./browser.mjs";

const [address, token, target, shots] = process.argv.slice(2);
const browser = await launch();

let session; // of the first who logged in, with whom the others share it

// visitor is a browser that has logged in; faults gathers what a page must not do.
async function visitor({ fresh, ...options } = {}) {
  const shared = fresh ? undefined : session;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce", storageState: shared, ...options });
  const page = await context.newPage();
  const faults = [];
  page.on("console", (m) => faults.push(`console ${m.type()}: ${m.text()}`));
  page.on("pageerror", (e) => faults.push(`error: ${e.message}`));
  page.on("request", (r) => { if (!r.url().startsWith(address)) faults.push(`request: ${r.url().slice(0, 120)}`); });
  if (shared) {
    await page.goto(`${address}/`);
  } else {
    await page.goto(`${address}/login#${token}`);
    await page.waitForURL(`${address}/`);
    session ??= await context.storageState();
  }
  return { page, faults, close: () => context.close() };
}

async function attempt(name, drive, { quiet, ...options } = {}) {
  let error = "";
  try {
    const one = await visitor(options);
    await drive(one.page);
    // A browser writes every refused request down: one that is meant to be refused is no fault.
    assert.deepEqual(one.faults.filter((text) => !quiet?.test(text)), [], "the page spoke to the console or to another server");
    await one.close();
  } catch (e) {
    error = e.message;
  }
  console.log(JSON.stringify({ name, error }));
}

const shot = async (page, name, whole = false) => {
  if (!shots) return;
  await sight(page);
  await page.screenshot({ path: join(shots, `dashboard-${name}.png`), fullPage: whole });
};
const policy = `{apiVersion: assay.dev/v1alpha1, kind: GatePolicy, metadata: {name: release}, spec: {grade: exploratory, metrics: [{metric: ttft.v2, statistic: p50, margin: 0.05}]}}`;
const heading = (page, text) => page.getByRole("heading", { name: text, exact: true }).waitFor();

await attempt("a visitor without a token is shown the way in", async (page) => {
  await page.context().clearCookies();
  await page.goto(`${address}/runs?system=assay-sim`);
  assert.match(page.url(), /\/login\?next=/);
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.waitForURL(/\/runs\?system=assay-sim$/);
});

await attempt("the token leaves the address, and no script can read the cookie", async (page) => {
  assert.equal(new URL(page.url()).hash, "");
  assert.equal(await page.evaluate(() => document.cookie), "");
}, { fresh: true });

await attempt("overview: alerts, changes, newest runs", async (page) => {
  await heading(page, "Overview");
  await heading(page, "What changed since yesterday");
  assert.ok(await page.locator("#newest tbody tr").count() > 5);
  assert.ok(await page.locator("#alerts article").count() > 0);
  await shot(page, "overview");
});

await attempt("runs: a filter is in the address and back brings it", async (page) => {
  await page.getByRole("link", { name: "Runs", exact: true }).click();
  const all = await page.locator("tbody tr").count();
  await page.getByLabel("name").selectOption("summaries");
  await page.getByRole("button", { name: "Show" }).click();
  await page.waitForURL(/\/runs\?name=summaries$/);
  const some = await page.locator("tbody tr").count();
  assert.ok(some > 0 && some < all, `${some} of ${all} runs`);
  await page.goBack();
  assert.equal(await page.locator("tbody tr").count(), all);
  await shot(page, "runs");
});

await attempt("a run: results with intervals, lineage of a number, its report in its own origin", async (page) => {
  await page.locator("#newest tbody th a").first().click();
  await heading(page, "Results");
  const number = page.locator("#results td a[title]").first();
  assert.match(await number.locator("xpath=..").innerText(), /\[.+\]/);
  await shot(page, "run");
  await number.click();
  await heading(page, "Where a number comes from");
  assert.ok(await page.getByText(/\.parquet/).count() > 0);
  await shot(page, "lineage");
  await page.goBack();
  await page.getByRole("link", { name: "Full report" }).click();
  await page.getByText("Benchmark report").waitFor();
  assert.equal(await page.evaluate(() => self.origin), "null");
  await sight(page);
});

await attempt("frontier: points with intervals, hover says the value", async (page) => {
  await page.goto(`${address}/frontier?latency=e2e%3Ap50`);
  await page.locator("figure.chart .plot g.series").first().waitFor();
  const mark = await page.locator("figure.chart .plot g.series").last().locator(".mark").first().boundingBox();
  await page.mouse.move(mark.x + mark.width / 2, mark.y + mark.height / 2);
  assert.match(await page.locator("figure.chart .tip").innerText(), /launches/);
  await shot(page, "frontier");
});

await attempt("history: a change with what differs beside it", async (page) => {
  await page.goto(`${address}/alerts`);
  await page.getByRole("link", { name: "See the series" }).first().click();
  await heading(page, "History");
  await page.locator("figure.chart .plot g.series").first().waitFor();
  assert.ok(await page.locator("article.finding").count() > 0);
  await page.getByText("The numbers").click();
  assert.ok(await page.locator("details[open] tbody tr").count() > 5);
  await page.getByText("The numbers").click();
  await shot(page, "history");
});

await attempt("compare: two runs that were ticked, forest plot, what differs", async (page) => {
  await page.goto(`${address}/runs?name=chat-nightly`);
  await page.locator("tbody input").nth(0).check();
  await page.locator("tbody input").nth(5).check();
  await page.getByRole("button", { name: "Compare those that are ticked" }).click();
  await heading(page, "Ratios");
  await heading(page, "What differs");
  await page.locator("figure.forest svg").first().waitFor();
  await heading(page, "Distributions over each other");
  const overlay = page.locator("#shares figure.share").first();
  await overlay.scrollIntoViewIfNeeded();
  await overlay.locator("svg").first().waitFor();
  assert.ok(await page.locator("#shares figure.share").count() >= 3, "TTFT, TPOT and E2E");
  const rows = page.locator("#deltas tbody tr");
  assert.ok(await rows.count() > 3);
  for (const text of await rows.locator("td:last-child").allInnerTexts()) assert.match(text, /0\.12\.0 → 0\.11\.0/, "a delta without what differs beside it");
  await shot(page, "compare");
  await rows.first().scrollIntoViewIfNeeded();
  if (shots) await page.screenshot({ path: join(shots, "dashboard-deltas.png") });
});

await attempt("cost and energy: numbers that lead to their records, and what to give where there are none", async (page) => {
  await page.getByRole("link", { name: "Cost", exact: true }).click();
  await heading(page, "Cost and energy");
  assert.match(await page.locator("#cost tbody tr").first().innerText(), /\$/);
  assert.ok(await page.locator("#carbon tbody tr").count() > 0);
  await shot(page, "cost");
  await page.locator("#cost tbody a", { hasText: "where it comes from" }).first().click();
  await page.getByText(/\.parquet/).first().waitFor();
  await page.goto(`${address}/economy?name=sums`);
  await page.locator("#cost").getByText("gpuHourlyUSD").waitFor();
});

await attempt("quality beside speed: scores of one system beside its times", async (page) => {
  await page.getByRole("link", { name: "Quality", exact: true }).click();
  await heading(page, "Quality beside speed");
  assert.ok(await page.getByText("own.exact_match").count() > 0);
  assert.ok(await page.locator("section").filter({ hasText: "TTFT" }).count() > 0);
  await shot(page, "quality");
});

await attempt("a gate: each condition, its figures, which decided, and where they come from", async (page) => {
  await page.goto(`${address}/runs?name=chat-nightly`);
  const runs = await page.locator("tbody input").evaluateAll((list) => list.map((i) => i.value));
  await page.getByRole("link", { name: "Gate", exact: true }).click();
  await page.getByLabel("baseline").fill(runs.at(-1));
  await page.getByLabel("candidate").fill(runs[0]);
  await page.getByRole("button", { name: "Ask the gate" }).click();
  await heading(page, "Every condition");
  assert.ok(await page.locator("tr.decided").count() > 0, "nothing decided");
  assert.match(await page.locator("#conditions tbody").innerText(), /inconclusive.*other-baseline/); // the document declares another
  await shot(page, "gate");
  await page.locator("#conditions tbody a").first().click();
  await page.getByText(/\.parquet/).first().waitFor();
  await page.goto(`${address}/gate?baseline=${runs[1]}&candidate=${runs[0]}&policy=nonsense`);
  await page.getByRole("alert").waitFor();
}, { quiet: /422/ });

await attempt("inside a run: the client's health launch by launch", async (page) => {
  await page.goto(`${address}/runs?name=chat-nightly`);
  await page.locator("tbody th a").first().click();
  await page.getByRole("link", { name: "Inside: client and ranks" }).click();
  await heading(page, "Health of the client, launch by launch");
  assert.equal(await page.locator("table.strip tbody tr").count(), 3);
  for (const word of await page.locator("table.strip .word").allInnerTexts()) assert.match(word, /^(ok|high|unknown)$/);
  await shot(page, "inside");
});

await attempt("ranks and steps of a training run, as a map and as numbers", async (page) => {
  await page.goto(`${address}/runs?text=training`);
  await page.locator("tbody th a").first().click();
  await page.getByRole("link", { name: "Inside: client and ranks" }).click();
  const map = page.locator("figure.heat").first();
  await map.scrollIntoViewIfNeeded();
  await map.locator("rect.cell").first().waitFor();
  assert.ok(await map.locator("rect.cell").count() >= 40, "4 ranks and 10 steps");
  await page.getByText("The numbers").first().click();
  const ranks = await page.locator("details[open] tbody tr td:nth-child(2)").allInnerTexts();
  assert.equal(ranks.length, 4);
  assert.ok(parseFloat(ranks[3]) > parseFloat(ranks[0]), `the slow rank is not the slowest: ${ranks}`);
  await shot(page, "ranks");
});

await attempt("a run is asked for, seen while it goes on, and ended", async (page) => {
  await page.getByRole("link", { name: "Queue", exact: true }).click();
  await page.getByLabel("BenchmarkRun document, in YAML or JSON").fill(`apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: asked-in-a-browser}
spec:
  workload: {model: sim, tokenizer: {kind: server}, sequenceLengthMix: [{inputTokens: 32, outputTokens: 16, weight: 1}]}
  target: {url: "http://${target}"}
  load: {concurrency: [4], duration: 5m, warmup: {duration: 100ms}, calibrate: false}
  trials: {quick: true}
`);
  await page.getByRole("button", { name: "Ask for it" }).click();
  await page.waitForURL(/\/jobs\/job-/);
  await page.waitForFunction(() => Number(document.querySelector("[data-now=requests]").textContent.replaceAll(",", "")) > 20, null, { timeout: 120000, polling: 100 });
  assert.equal(await page.locator("[data-job=state]").innerText(), "running");
  await shot(page, "live");
  await page.getByRole("button", { name: "End this run" }).click();
  await page.getByRole("link", { name: "Its results" }).click({ timeout: 120000 });
  await heading(page, "Results");
  await page.goto(`${address}/jobs`);
  await page.getByText("cancelled").waitFor();
  await shot(page, "queue");
});

await attempt("a document that may not be carried out is refused with the field, and stays in the form", async (page) => {
  await page.goto(`${address}/jobs`);
  const field = page.getByLabel("BenchmarkRun document, in YAML or JSON");
  await field.fill(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: x}, spec: {workload: {model: m}, target: {url: "http://${target}", server: {command: [id]}}, load: {concurrency: [1]}}}`);
  await page.getByRole("button", { name: "Ask for it" }).click();
  await page.getByRole("alert").getByText("spec.target.server.command").waitFor();
  assert.match(await field.inputValue(), /command: \[id\]/);
}, { quiet: /422/ });

await attempt("an alert is acknowledged, and says so with the reason", async (page) => {
  await page.goto(`${address}/alerts?state=open`);
  const before = await page.locator("article").count();
  assert.ok(before > 0);
  await page.getByText("Decide").first().click();
  await page.getByLabel("It is").first().selectOption("acknowledged");
  await page.getByLabel("because").first().fill("looking into <b>it</b>");
  await page.getByRole("button", { name: "Write it down" }).first().click();
  await page.waitForURL(`${address}/alerts`);
  await page.getByText("looking into <b>it</b> — demonstration").waitFor();
  await page.goto(`${address}/alerts?state=open`);
  assert.equal(await page.locator("article").count(), before - 1);
});

await attempt("machines: reliability and noise", async (page) => {
  await page.getByRole("link", { name: "Machines" }).click();
  await heading(page, "Reliability");
  assert.ok(await page.locator("#noise tbody tr").count() > 0);
  await shot(page, "machines");
});

await attempt("the keyboard alone: skip link, navigation, a filter", async (page) => {
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
  await page.keyboard.press("Enter");
  assert.equal(new URL(page.url()).hash, "#main");
  await page.goto(`${address}/runs`);
  await page.getByLabel("text").focus();
  await page.keyboard.type("summaries");
  await page.keyboard.press("Enter");
  await page.waitForURL(/text=summaries/);
});

await attempt("a dark theme stays on the next page", async (page) => {
  await page.getByRole("button", { name: "dark theme" }).click();
  await page.goto(`${address}/testbeds`);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await page.goto(`${address}/runs?name=chat-nightly`);
  const runs = await page.locator("tbody input").evaluateAll((list) => list.map((i) => i.value));
  for (const path of shots ? ["/quality", `/gate?baseline=${runs.at(-1)}&candidate=${runs[0]}&policy=${encodeURIComponent(policy)}`, "/jobs", "/economy", `/runs/${runs[0]}/inside`] : []) {
    await page.goto(address + path);
    await shot(page, `dark-${path.split(/[/?]/).filter((part) => /^[a-z]+$/.test(part)).at(-1)}`);
  }
  await page.goto(`${address}/`);
  await shot(page, "dark");
});

await attempt("narrow: no page is wider than the screen; every field has a name that a screen reader says, every page a heading and a main", async (page) => {
  for (const path of ["/", "/runs", "/frontier", "/alerts", "/testbeds", "/lineage", "/compare", "/history?metric=e2e", "/economy", "/quality", "/gate", "/jobs"]) {
    await page.goto(address + path);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${path} is ${wide} px too wide`);
    const mute = await page.evaluate(() => [...document.querySelectorAll("input:not([type=hidden]), select, button")]
      .filter((e) => !(e.labels?.length || e.getAttribute("aria-label") || e.textContent.trim())).map((e) => e.outerHTML));
    assert.deepEqual(mute, [], path);
    assert.equal(await page.locator("h1").count(), 1, path);
    assert.equal(await page.locator("main").count(), 1, path);
    assert.equal(await page.locator("nav [aria-current=page]").count(), 1, path);
    if (["/economy", "/quality", "/gate", "/jobs"].includes(path)) await shot(page, `narrow${path.replace("/", "-")}`);
  }
  await page.goto(`${address}/runs?name=chat-nightly`);
  const inside = await page.locator("tbody input").first().getAttribute("value");
  await page.goto(`${address}/runs/${inside}/inside`);
  await shot(page, "narrow-inside");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `inside is ${wide} px too wide`);
  if (shots) await page.goto(`${address}/`);
  await shot(page, "narrow");
}, { viewport: { width: 380, height: 800 } });

await attempt("logging out ends the session", async (page) => {
  await page.getByRole("button", { name: "log out" }).click();
  await page.waitForURL(/\/login/);
  await page.goto(`${address}/`);
  assert.match(page.url(), /\/login/);
});

await browser.close();
