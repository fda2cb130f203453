// The gallery: models are found by words and tags, pictures move, and pages that share their viewer run their models themselves.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { open, startBrowser } from "../browser";
import { gallery, report, simulate } from "../program";

const SLEIGH = "models/classics/chaplygin-sleigh.tram";
const MODELS = ["models/mechanisms/gears.tram", SLEIGH, "models/papers/000-nonideal-ring.tram"];
let folder = "";
let browser: Browser;
beforeAll(async () => {
    folder = gallery(...MODELS);
    browser = await startBrowser(false);
});
afterAll(() => browser.close());

const front = (): string => join(folder, "index.html");
const shown = (page: Page): Promise<string[]> => page.locator(".card:visible h2").allTextContents();

test("viewer and engine stand there once, and a page is a small part of what report writes", () => {
    const whole = statSync(report([SLEIGH])).size;
    const once = readdirSync(join(folder, "shared")).map((name) => statSync(join(folder, "shared", name)).size).reduce((a, b) => a + b);
    expect(once).toBeGreaterThan(1e6);
    for (const name of readdirSync(folder).filter((file) => file.endsWith(".html"))) {
        const text = readFileSync(join(folder, name), "utf8");
        expect(text.length, name).toBeLessThan(whole / 20);
        expect(text, name).not.toMatch(/<style>|id="engine"|sha256-/);
    }
    const licences = readFileSync(join(folder, "shared/licences.txt"), "utf8");
    for (const name of ["three.js", "uPlot", "Source Sans 3", "STIX Two Math"]) expect(licences).toContain(name);
});

test("words and tags find models, and the address keeps them", async () => {
    const { page, complaints, requests, close } = await open(browser, front());
    expect(await shown(page)).toHaveLength(MODELS.length);
    expect(await page.locator(".card").first().locator("p").nth(1).textContent()).toMatch(/^A wheel that drives another by gears/);
    await page.keyboard.press("/");
    await page.keyboard.type("blade ICE");
    expect(await shown(page)).toEqual(["Chaplygin sleigh"]);
    expect(await page.locator(".finder-count").textContent()).toBe("1 of 3 models");
    await page.keyboard.press("Escape");
    await page.locator("[data-tag='non-ideal forces']").click();
    expect(await shown(page)).toEqual([expect.stringContaining("rough ring")]);
    expect(await page.locator("[data-tag='space']").isDisabled()).toBe(true);
    await page.reload();
    expect(await shown(page)).toHaveLength(1);
    await page.locator("[data-tag='non-ideal forces']").click();
    await page.locator(".finder input").fill("nowhere");
    expect(await shown(page)).toEqual([]);
    expect(await page.locator(".nothing").isVisible()).toBe(true);
    expect([complaints, requests]).toEqual([[], []]);
    await close();
});

test.each([["no-preference", /^pictures\/[\w-]+\.(svg|gif)$/], ["reduce", /-still\.svg$/]] as const)("pictures where motion is %s", async (reducedMotion, name) => {
    const { page, close } = await open(browser, front(), { reducedMotion });
    for (const image of await page.locator(".card img").all()) {
        await image.scrollIntoViewIfNeeded();
        await expect.poll(() => image.evaluate((i: HTMLImageElement) => i.complete && i.naturalWidth)).toBeGreaterThan(50);
        const source = await image.evaluate((i: HTMLImageElement) => i.currentSrc);
        const picture = source.slice(source.indexOf("pictures/"));
        expect(picture).toMatch(name);
        if (reducedMotion === "reduce") expect(readFileSync(join(folder, picture), "utf8")).not.toContain("<animate");
        else expect(picture).not.toContain("still");
    }
    await close();
});

test("fits a phone", async () => {
    const { page, close } = await open(browser, front(), { viewport: { width: 390, height: 844 } });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await close();
});

test("a page runs its model when it is opened, from the disk and in silence, and leads back", async () => {
    const run = simulate([SLEIGH]);
    const { page, complaints, requests, close } = await open(browser, front());
    await page.locator(".card:has-text('sleigh') h2 a").click();
    await page.waitForFunction(() => (window.trammelPage?.samples.times.length ?? 0) > 0);
    const columns = await page.evaluate(() => window.trammelPage!.samples.columns.filter((c) => !["energy", "work", "power"].includes(c.kind)).map((c) => [c.name, [...c.values]] as const));
    for (const [name, values] of columns) {
        const own = run.columns.get(name)!;
        expect(values.length).toBe(own.length);
        const size = Math.max(1e-6, ...own.map(Math.abs));
        expect(Math.max(...values.map((v, i) => Math.abs(v - own[i]))) / size, name).toBeLessThan(1e-6);
    }
    expect(await page.locator(".verdict.good").count()).toBe(1);
    expect(await page.locator(".sliders .slider-rows > *").count()).toBeGreaterThan(0);
    expect(await page.locator(".equations-block math").count()).toBeGreaterThan(3);
    await page.locator(".to-all").click();
    expect(await shown(page)).toHaveLength(MODELS.length);
    expect([complaints, requests]).toEqual([[], []]);
    await close();
});

test("a browser without the engine is told so", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.addInitScript("delete window.DecompressionStream");
    await page.goto(`file://${join(folder, "chaplygin-sleigh.html")}`);
    expect(await page.locator(".notice.bad").textContent()).toContain("runs its model itself");
    await context.close();
});
