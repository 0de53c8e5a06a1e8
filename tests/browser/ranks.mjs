// Pictures of real pages from where a selector begins, and of drawings:
// node ranks.mjs FOLDER NAME.png PAGE.html SELECTOR …

import { join, resolve } from "node:path";
import { launch, open, sight } from "./browser.mjs";

const [folder, ...rest] = process.argv.slice(2);
const browser = await launch();
for (let i = 0; i + 2 < rest.length; i += 3) {
  const [name, file, selector] = rest.slice(i, i + 3);
  const drawing = file.endsWith(".svg");
  const shown = await open(browser, resolve(file), { viewport: { width: drawing ? 1600 : 1200, height: 900 } });
  await sight(shown.page);
  const part = shown.page.locator(selector).first();
  await part.evaluate((e) => e.scrollIntoView({ behavior: "instant" }));
  await (drawing ? part : shown.page).screenshot({ path: join(folder, name) });
  if (shown.faults.length) throw new Error(`${name}: ${shown.faults.join("; ")}`);
  await shown.close();
}
await browser.close();
