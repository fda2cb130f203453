// Texts of a model that try to be more than texts. That pictures of plots take them as such is tested in test/scripts/pictures.py.
import { basename } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { frames, open, seek, startBrowser } from "../browser";
import { complaint, report, writeModel, type Model } from "../program";

const HOSTILE = [
    "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "${alert(1)}", "`alert(1)`", "';alert(1);//", "\\u003c/script>",
    "\\n\\", "<!--<script>", "]]>", "&lt;b&gt; &amp;", "\u2028\u2029.", "javascript:alert(1)", "; system 'touch pwned'", "%s%n", "😀👩‍🚀", "שלום \u202Eאבג",
];
const ALL = HOSTILE.join(" ");
const TEXT = `title "${ALL}"
# ${ALL} "quoted"
param L = 1 # ${ALL}
coord x, y
initial x = L, y = 0
kinetic (x'^2 + y'^2)/2
potential 9.81*y
constraint rod: x^2 + y^2 = L^2
let energy = 1 # ${ALL}: the line of a warning
simulate until 1
${HOSTILE.map((text) => `plot "${text}": x, y\ndraw text (x, y) "${text}"`).join("\n")}
draw line (0, 0) (x, y)
`;

let browser: Browser;
beforeAll(async () => { browser = await startBrowser(true); });
afterAll(() => browser.close());

test("is shown as it is, and runs nothing", async () => {
    const model: Model = [writeModel("<img src=x onerror=alert(1)> '\"`${x}&lt;\u202E.tram", TEXT)];
    const { page, complaints, requests, close } = await open(browser, report(model));
    expect(await page.locator("h1").textContent()).toBe(ALL);
    expect(await page.title()).toContain("<img src=x onerror=alert(1)>");
    expect(await page.locator(".file").textContent()).toBe(basename(model[0]));
    expect(await page.locator(".model code").textContent()).toBe(TEXT);
    expect((await page.locator(".plots h3").allTextContents())).toEqual(HOSTILE);
    const warning = complaint(model);
    expect(warning).toContain("</script><script>");
    expect(await page.locator(".notice").textContent()).toBe(warning.trimEnd());
    // What is written on a canvas cannot be read there, but on its way.
    await page.evaluate(() => {
        const written = ((window as unknown as { written: string[] }).written = [] as string[]);
        CanvasRenderingContext2D.prototype.fillText = (text) => written.push(text);
    });
    await seek(page, 10);
    expect(await page.evaluate(() => (window as unknown as { written: string[] }).written)).toEqual(expect.arrayContaining(HOSTILE));
    for (const box of await page.locator(".switch input[type=checkbox]").all()) await box.check();
    await page.keyboard.press("Space");
    await frames(page, 10);
    expect(await page.locator("#page img:not(.free-body img), #page script, #page iframe, #page svg[onload]").count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1280);
    expect(complaints).toEqual([]);
    expect(requests).toEqual([]);
    await close();
});
