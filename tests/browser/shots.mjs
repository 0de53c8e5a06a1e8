// Pictures of real pages for docs/img: node shots.mjs RUN.html COMPARE.html FOLDER.

import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { launch, open, sight } from "./browser.mjs";

const [run, comparison, folder] = process.argv.slice(2).map((p) => resolve(p));
const browser = await launch();

async function shot(name, file, options, prepare) {
  const shown = await open(browser, file, options);
  await sight(shown.page);
  await prepare?.(shown.page);
  await shown.page.screenshot({ path: join(folder, name) });
  if (shown.faults.length) throw new Error(`${name}: ${shown.faults.join("; ")}`);
  await shown.close();
}

const to = (selector) => (page) => page.locator(selector).first().evaluate((e) => e.scrollIntoView({ behavior: "instant" }));

// over puts the pointer on a value of the nth chart of a section, unfolded.
const over = (section, nth, x, y) => async (page) => {
  await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
  await to(section)(page);
  const box = await page.locator(`${section} figure:visible .plot`).nth(nth).boundingBox();
  await page.mouse.move(box.x + box.width * x, box.y + box.height * y);
};

await shot("report-light.png", run, { viewport: { width: 1200, height: 900 } });
await shot("report-curves.png", run, { viewport: { width: 1200, height: 900 } }, over("#summary", 0, 0.93, 0.35));
await shot("report-dark.png", run, { viewport: { width: 1200, height: 900 }, colorScheme: "dark" });
await shot("report-timeline.png", run, { viewport: { width: 1200, height: 1100 } }, over("#timeline", 0, 0.8, 0.5));
await shot("report-narrow.png", run, { viewport: { width: 390, height: 844 } });
await shot("compare-light.png", comparison, { viewport: { width: 1200, height: 900 } });

// Paper: the page of the PDF that has the first charts, as a picture.
const shown = await open(browser, run);
const paper = join(folder, "paper.pdf");
writeFileSync(paper, await shown.page.pdf({ format: "A4" }));
const pages = execFileSync("pdftotext", ["-layout", paper, "-"], { encoding: "utf8" }).split("\f");
const charts = String(1 + pages.findIndex((text) => text.includes("TTFT under load")));
execFileSync("pdftoppm", ["-r", "80", "-f", charts, "-l", charts, "-singlefile", "-png", paper, join(folder, "report-print")]);
rmSync(paper);
await browser.close();
