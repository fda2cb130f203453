// The pages in Firefox, over WebDriver BiDi: they work, and its console stays empty. Debian's firefox-esr, or the one that FIREFOX
// names; left out with a word where there is none.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import playwright from "playwright-core";
import type { Browser, BrowserType, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listen, parameter, slide } from "../browser";
import { playground, report, root } from "../program";

const PLACES = [process.env["FIREFOX"], "/usr/bin/firefox-esr", "/usr/bin/firefox"];
const firefox = PLACES.find((place) => place && existsSync(place));
const { _bidiFirefox: bidi } = playwright as unknown as { _bidiFirefox: BrowserType };
const hasEngine = existsSync(join(root, "web/dist/engine.b64"));

if (!firefox) console.log("no Firefox here, so the pages are not tried in it (Debian: firefox-esr)");

// How many colours a picture has: one that shows nothing has a few.
async function colours(page: Page): Promise<number> {
    const shot = (await page.screenshot()).toString("base64");
    return page.evaluate(async (data) => {
        const image = new Image();
        image.src = `data:image/png;base64,${data}`;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        const g = canvas.getContext("2d")!;
        g.drawImage(image, 0, 0);
        return new Set(new Uint32Array(g.getImageData(0, 0, image.width, image.height).data.buffer)).size;
    }, shot);
}

describe.skipIf(!firefox)("Firefox", () => {
    let browser: Browser;
    let home = "";
    beforeAll(async () => {
        home = mkdtempSync(join(tmpdir(), "trammel-firefox-"));
        browser = await bidi.launch({ executablePath: firefox!, env: { ...process.env, HOME: home } });
    });
    afterAll(async () => {
        await browser.close();
        rmSync(home, { recursive: true, force: true });
    });

    async function open(file: string) {
        const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
        context.setDefaultTimeout(0); // the test's own will do
        const page = await context.newPage();
        const heard = listen(page);
        await page.goto(`file://${file}`);
        await page.waitForFunction(() => window.trammelPage!.samples.times.length > 0);
        return { page, ...heard, close: () => context.close() };
    }

    test.each(["models/classics/double-pendulum.tram", "models/benchmarks/heavy-top.tram"])("a report plays and is drawn: %s", async (model) => {
        const { page, complaints, requests, close } = await open(report([model]));
        const from = await page.evaluate(() => window.trammelPage!.clock.index);
        await page.waitForFunction((i) => window.trammelPage!.clock.index !== i, from);
        expect(await colours(page)).toBeGreaterThan(100);
        expect(complaints).toEqual([]);
        expect(requests).toEqual([]);
        await close();
    });

    test.skipIf(!hasEngine)("sliders, hands on, a playground", async () => {
        const { page, complaints, close } = await open(report(["models/classics/double-pendulum.tram"]));
        await slide(page, "g", 4);
        await parameter(page, "g", 4);
        await page.waitForURL(/#g=4$/);
        await page.click("text=Hands on");
        await page.evaluate(() => { scrollTo(0, 0); });
        await page.waitForFunction(() => window.trammelPage!.hands.frames > 3);
        await page.keyboard.press("g");
        await page.keyboard.press("ArrowLeft");
        await page.waitForFunction(() => window.trammelPage!.hands.numbers[3] !== 0);
        expect(await page.evaluate(() => window.trammelPage!.hands.numbers[2])).toBeLessThan(1);
        expect(complaints).toEqual([]);
        await close();

        const { page: other, complaints: more, requests, close: end } = await open(playground());
        await other.focus(".editor-area");
        await other.keyboard.press("Control+End");
        await other.keyboard.type("output wrong = 2*nobody");
        await other.locator(".editor-numbers .bad").waitFor();
        await other.keyboard.press("Control+A");
        await other.keyboard.type("param stiffness = 4\ncoord x\ninitial x = 1\nkinetic x'^2/2\npotential stif");
        await other.locator(".editor-offers li").first().waitFor();
        await other.keyboard.press("Tab");
        await other.keyboard.type("*x^2/2\nsimulate until 2, every 0.5");
        await other.waitForFunction(() => window.trammelPage!.samples.times.length === 5);
        expect(more).toEqual([]);
        expect(requests).toEqual([]);
        await end();
    });
});
