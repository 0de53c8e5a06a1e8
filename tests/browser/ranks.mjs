// Pictures of sections of real pages: node ranks.mjs FOLDER NAME.png PAGE.html SELECTOR …

import { join, resolve } from "node:path";
import { launch, open, sight } from "./browser.mjs";

const [folder, ...rest] = process.argv.slice(2);
const browser = await launch();
for (let i = 0; i + 2 < rest.length; i += 3) {
  const [name, file, selector] = rest.slice(i, i + 3);
  const shown = await open(browser, resolve(file), { viewport: { width: 1200, height: 840 } });
  await sight(shown.page);
  await shown.page.locator(selector).first().evaluate((e) => e.scrollIntoView({ behavior: "instant" }));
  await shown.page.screenshot({ path: join(folder, name) });
  if (shown.faults.length) throw new Error(`${name}: ${shown.faults.join("; ")}`);
  await shown.close();
}
await browser.close();
