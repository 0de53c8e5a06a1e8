// Signs in to a running server with an account of Dex, as a person does, and writes one line
// of JSON: {"name", "error"}. Run by make test-oidc: node signin.mjs ADDRESS WHO PASSWORD.

import { strict as assert } from "node:assert";
import { launch } from "./browser.mjs";

const [address, who, password] = process.argv.slice(2);
const browser = await launch();
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
const page = await context.newPage();
const faults = [];
page.on("console", (m) => { if (page.url().startsWith(address)) faults.push(`${m.type()}: ${m.text()}`); });

let error = "";
try {
  await page.goto(`${address}/runs?system=none`);
  assert.match(page.url(), /\/login\?next=/);
  await page.getByRole("link", { name: "Sign in with Dex" }).click();
  await page.locator("input[name=login]").fill(who);
  await page.locator("input[name=password]").fill(password);
  await page.locator("button[type=submit]").click();
  await page.waitForURL(`${address}/runs?system=none`);
  await page.getByText(`${who} (Dex)`).waitFor();
  const cookies = (await context.cookies(address)).filter((c) => c.name.startsWith("assay"));
  assert.deepEqual(cookies.map((c) => [c.name, c.httpOnly, c.sameSite]), [["assay", true, "Lax"]]);
  assert.equal(await page.evaluate(() => document.cookie), "");
  await page.getByRole("button", { name: "log out" }).click();
  await page.waitForURL(`${address}/login`);
  await page.goto(`${address}/runs`);
  assert.match(page.url(), /\/login\?next=/);
  assert.deepEqual(faults, [], "the page spoke to the console");
} catch (e) {
  error = `${e.message} at ${page.url()}`;
}
console.log(JSON.stringify({ name: "sign in", error }));
await browser.close();
