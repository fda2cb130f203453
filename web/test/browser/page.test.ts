// The page in Chromium, opened from files, with WebGL in software and without WebGL.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium, startBrowser } from "../browser";
import { SAMPLES, chain, doublePendulum, duffing, hostile, top, type Sample } from "../samples";
import { writePage } from "../write-page";

const folder = mkdtempSync(join(tmpdir(), "trammel-page-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Opened { page: Page; complaints: string[]; requests: string[]; close: () => Promise<void> }

// Opens a page of a run, and keeps whatever the browser complains of and asks the network for.
async function open(browser: Browser, data: unknown, options: BrowserContextOptions = {}): Promise<Opened> {
    const file = join(folder, `${Math.random()}.html`);
    writePage(file, data);
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const page = await context.newPage();
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on("console", (message) => {
        // Chromium itself tells how its software renderer fares.
        if (!message.text().includes("GL Driver Message")) complaints.push(`${message.type()}: ${message.text()}`);
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("dialog", (dialog) => complaints.push(`dialog: ${dialog.message()}`));
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(`file://${file}`);
    await frames(page, 3);
    return { page, complaints, requests, close: () => context.close() };
}

function frames(page: Page, count: number): Promise<void> {
    return page.evaluate((n) => new Promise<void>((resolve) => {
        const next = (left: number): void => {
            if (left > 0) requestAnimationFrame(() => next(left - 1));
            else resolve();
        };
        next(n);
    }), count);
}

const seek = async (page: Page, index: number): Promise<void> => {
    await page.evaluate((i) => window.trammelPage!.clock.seek(i), index);
    await frames(page, 2);
};
const index = (page: Page): Promise<number> => page.evaluate(() => window.trammelPage!.clock.index);
const positions = (page: Page) => page.evaluate(() => window.trammelPage!.positions());

// Positions on the stage are those of the sample, to the precision of the graphics.
async function expectSample(page: Page, run: Sample, i: number, digits: number): Promise<void> {
    const shown = await positions(page);
    run.draws.forEach((draw, k) => {
        if (shown[k].at.length === 0) return; // a trace or a text
        const at = draw.at.length === 3 ? draw.at : draw.at.slice(3 * i, 3 * i + 3);
        at.forEach((v, c) => expect(shown[k].at[c], `${draw.kind} ${draw.label ?? ""}`).toBeCloseTo(v, digits));
        if (draw.to && draw.kind !== "arrow") draw.to.slice(3 * i, 3 * i + 3).forEach((v, c) => expect(shown[k].to![c]).toBeCloseTo(v, digits));
    });
}

// Whether the animation's picture shows more than one colour. Read within a frame, as WebGL forgets what it drew.
const painted = (page: Page): Promise<number> => page.evaluate(() => new Promise<number>((resolve) => {
    window.trammelPage!.clock.step(1);
    requestAnimationFrame(() => {
        const from = document.querySelector<HTMLCanvasElement>(".stage-picture canvas")!;
        const copy = document.createElement("canvas");
        copy.width = 200;
        copy.height = 150;
        const g = copy.getContext("2d")!;
        g.drawImage(from, 0, 0, 200, 150);
        resolve(new Set(new Uint32Array(g.getImageData(0, 0, 200, 150).data.buffer)).size);
    });
}));

if (!findChromium()) test.skip("no Chromium: scripts/install-deps web", () => undefined);
else {
    test("the page alone is under 2 MB", () => {
        const { size } = statSync(new URL("../../dist/page.html", import.meta.url));
        console.log(`page.html: ${(size / 1e6).toFixed(2)} MB`);
        expect(size).toBeLessThan(2e6);
    });

    describe.each([["software WebGL", true], ["no WebGL", false]] as const)("with %s", (_name, webgl) => {
        let browser: Browser;
        beforeAll(async () => { browser = await startBrowser(webgl); });
        afterAll(() => browser.close());

        test.each(Object.keys(SAMPLES))("%s opens from a file without complaint or request, and draws", async (name) => {
            const run = SAMPLES[name]();
            const { page, complaints, requests, close } = await open(browser, run);
            expect(await page.title()).toContain(run.title.slice(0, 5));
            if (run.draws.length > 0) {
                const wanted = run.dimension === 3 && webgl ? "webgl" : "canvas";
                expect(await page.evaluate(() => window.trammelPage!.renderer)).toBe(wanted);
                expect(await painted(page)).toBeGreaterThan(5);
            }
            await page.keyboard.press("Space");
            await frames(page, 20);
            expect(complaints).toEqual([]);
            expect(requests.filter((url) => !url.startsWith("file:") && !url.startsWith("data:") && !url.startsWith("blob:"))).toEqual([]);
            await close();
        });

        test.each([["double pendulum", doublePendulum], ["top", top]] as const)("of the %s every sample is where the data says", async (_title, make) => {
            const run = make();
            const { page, close } = await open(browser, run);
            for (const i of [0, 1, 333, run.times.length - 1]) {
                await seek(page, i);
                await expectSample(page, run, i, 5);
            }
            await close();
        });

        test("play moves the bob, pause leaves it on a sample", async () => {
            const run = doublePendulum();
            const { page, close } = await open(browser, run);
            await page.click("button[aria-label=Play]");
            await frames(page, 30);
            const first = (await positions(page))[4].at;
            await frames(page, 30);
            const second = (await positions(page))[4].at;
            expect(first).not.toEqual(second);
            await page.click("button[aria-label=Pause]");
            await frames(page, 2);
            const i = await index(page);
            expect(i).toBeGreaterThan(0);
            await expectSample(page, run, i, 12);
            await close();
        });
    });

    describe("by pointer and keyboard", () => {
        let browser: Browser;
        beforeAll(async () => { browser = await startBrowser(true); });
        afterAll(() => browser.close());

        test("the cursor in a chart moves the animation, with the values of the sample itself", async () => {
            const run = doublePendulum();
            const { page, close } = await open(browser, run);
            const area = (await page.locator(".chart .u-over").first().boundingBox())!;
            await page.mouse.move(area.x + area.width * 0.3, area.y + 40);
            await frames(page, 2);
            const hovered = await index(page);
            expect(hovered).toBeGreaterThan(280);
            expect(hovered).toBeLessThan(320);
            await expectSample(page, run, hovered, 12);
            const shown = await page.locator(".chart .value").first().textContent();
            expect(Number(shown!.replace("−", "-"))).toBeCloseTo(run.plots[0].series[0].values[hovered]!, 6);
            await page.mouse.click(area.x + area.width * 0.8, area.y + 40);
            await frames(page, 2);
            expect(Math.abs((await index(page)) - 800)).toBeLessThan(15);
            // And of a curve over another curve: the nearest sample.
            const path = page.locator(".chart .u-over").nth(2);
            await path.scrollIntoViewIfNeeded();
            const dot = (await page.locator(".chart").nth(2).locator(".dot").boundingBox())!;
            await page.mouse.move(dot.x + 4, dot.y + 4);
            await frames(page, 2);
            const near = (await positions(page))[4].at;
            const x = run.plots[2].x.values[await index(page)]!;
            expect(near[0]).toBeCloseTo(x, 12);
            await close();
        });

        test("dragging zooms, the button shows all again", async () => {
            const { page, close } = await open(browser, doublePendulum());
            const area = (await page.locator(".chart .u-over").first().boundingBox())!;
            const reset = page.locator(".chart .reset").first();
            expect(await reset.isVisible()).toBe(false);
            await page.mouse.move(area.x + 100, area.y + 50);
            await page.mouse.down();
            await page.mouse.move(area.x + 200, area.y + 60, { steps: 5 });
            await page.mouse.up();
            await frames(page, 3);
            expect(await reset.isVisible()).toBe(true);
            await reset.click();
            await frames(page, 3);
            expect(await reset.isVisible()).toBe(false);
            await close();
        });

        test("a curve can be hidden and shown", async () => {
            const { page, close } = await open(browser, doublePendulum());
            const curve = page.locator(".curve").first();
            await curve.click();
            expect(await curve.getAttribute("aria-pressed")).toBe("false");
            await curve.click();
            expect(await curve.getAttribute("aria-pressed")).toBe("true");
            await close();
        });

        test("any column can be charted, over any other", async () => {
            const { page, close } = await open(browser, doublePendulum());
            await page.click(".picker summary");
            await page.fill(".picker input[type=search]", "y2'");
            await page.click(".picker fieldset label");
            expect(await page.locator(".any .curve .name").allTextContents()).toEqual(["x1", "y1", "x2", "y2'"]);
            await page.fill(".picker input[type=text]", "x2");
            await page.keyboard.press("Enter");
            await frames(page, 3);
            expect(await page.locator(".any .time-line").isHidden()).toBe(true);
            await close();
        });

        test("keys", async () => {
            const { page, close } = await open(browser, doublePendulum());
            for (const [key, expected] of [["ArrowRight", 1], ["Shift+ArrowRight", 11], ["ArrowLeft", 10], ["End", 1000], ["Home", 0]] as const) {
                await page.keyboard.press(key);
                expect(await index(page), key).toBe(expected);
            }
            await page.keyboard.press("Space");
            expect(await page.evaluate(() => window.trammelPage!.clock.playing)).toBe(true);
            await page.keyboard.press("Space");
            await page.keyboard.press("?");
            expect(await page.locator("dialog").isVisible()).toBe(true);
            await page.keyboard.press("Escape");
            // Everything that can be reached with Tab has a name and a visible focus.
            for (let i = 0; i < 20; i++) {
                await page.keyboard.press("Tab");
                const focus = await page.evaluate(() => {
                    const e = document.activeElement as HTMLElement;
                    const name = e.getAttribute("aria-label") ?? (e.closest("label")?.textContent || e.textContent);
                    return { name, outline: getComputedStyle(e).outlineStyle };
                });
                expect(focus.name).toBeTruthy();
                expect(focus.outline).not.toBe("none");
            }
            await close();
        });

        test("orbit, zoom and fit in space", async () => {
            const { page, complaints, close } = await open(browser, top());
            const before = await page.locator(".stage-picture").screenshot();
            const area = (await page.locator(".stage-picture").boundingBox())!;
            await page.mouse.move(area.x + 200, area.y + 200);
            await page.mouse.down();
            await page.mouse.move(area.x + 320, area.y + 240, { steps: 4 });
            await page.mouse.up();
            await page.keyboard.press("+");
            await frames(page, 3);
            expect((await page.locator(".stage-picture").screenshot()).equals(before)).toBe(false);
            await page.click("text=Oblique");
            await frames(page, 3);
            expect(complaints).toEqual([]);
            await close();
        });

        test("dark and light, by the system and by the button", async () => {
            const { page, close } = await open(browser, doublePendulum(), { colorScheme: "dark" });
            const paper = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
            const dark = await paper();
            await page.click("button[aria-label='Dark or light']");
            expect(await paper()).not.toBe(dark);
            await close();
        });

        test.each([360, 390, 768, 1440, 2560])("nothing sticks out at a width of %i", async (width) => {
            for (const run of [doublePendulum(), top(), duffing(), hostile()]) {
                const { page, close } = await open(browser, run, { viewport: { width, height: 800 } });
                expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
                await close();
            }
        });

        test("100 000 samples: a peak of one sample is drawn, and its value is exact", async () => {
            const run = duffing(100_000);
            run.plots[0].series[0].values[54_321] = 1234.567890123;
            const { page, complaints, close } = await open(browser, run);
            await seek(page, 54_321);
            expect(await page.locator(".chart .value").first().textContent()).toBe("1234.568");
            expect(await page.locator(".curve").first().getAttribute("title")).toContain("1234.567890123");
            const ink = await page.evaluate(() => {
                const canvas = document.querySelector<HTMLCanvasElement>(".chart canvas")!;
                const { data, width } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, 60);
                let blue = 0;
                for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 60 && data[i + 2] > data[i] + 60 && (i / 4) % width > 60) blue++;
                return blue;
            });
            expect(ink).toBeGreaterThan(10); // the line to the peak, in the upper part that is empty otherwise
            expect(complaints).toEqual([]);
            await close();
        });

        test("hostile text is shown as it is, and runs nothing", async () => {
            const run = hostile();
            const { page, complaints, close } = await open(browser, run);
            expect(await page.locator("h1").textContent()).toBe(run.title);
            expect(await page.locator(".model code").textContent()).toBe(run.text);
            expect(await page.locator(".chart h3").first().textContent()).toBe(run.plots[0].title);
            expect(await page.locator(".notice").first().textContent()).toBe(run.messages);
            await page.locator(".switch input").nth(1).check();
            await page.click(".equations math");
            await frames(page, 5);
            expect(await page.evaluate(() => (window as unknown as { hacked?: number }).hacked)).toBeUndefined();
            expect(await page.locator("#page img, #page script, .equations svg, #page iframe").count()).toBe(0);
            expect(complaints).toEqual([]);
            await close();
        });

        test("nothing moves by itself", async () => {
            const { page, close } = await open(browser, doublePendulum(), { reducedMotion: "reduce" });
            await frames(page, 10);
            expect(await index(page)).toBe(0);
            await close();
        });

        test("a page without a run says so", async () => {
            const { page, complaints, close } = await open(browser, null);
            expect(await page.locator(".notice").textContent()).toContain("trammel report");
            expect(complaints).toEqual([]);
            await close();
        });

        test("a chain of 1 000 bodies in space: median time of a frame at most 33 ms", async () => {
            const { page, close } = await open(browser, chain(), { viewport: { width: 1440, height: 900 } });
            await page.keyboard.press("Space");
            await frames(page, 30);
            const median = await page.evaluate(async () => {
                const p = window.trammelPage!;
                p.frames.length = 0;
                await new Promise((resolve) => setTimeout(resolve, 4000));
                const sorted = [...p.frames].sort((a, b) => a - b);
                return sorted[sorted.length >> 1];
            });
            console.log(`1 000 bodies, software WebGL, 1440 x 900: median frame ${median.toFixed(1)} ms`);
            expect(median).toBeLessThanOrEqual(33.5);
            await close();
        });
    });
}
