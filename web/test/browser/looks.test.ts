// Meshes, and the two styles of the picture.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { frames, open, startBrowser } from "../browser";
import { report, writeModel, type Model } from "../program";

const ENGINE: Model = ["models/mechanisms/engine.tram"];
const GEARS: Model = ["models/mechanisms/gears.tram"];
const BEAST: Model = ["models/mechanisms/strandbeest.tram"];

// Of the picture: pixels that have a hue, that are dark, and all, without what stands above the bodies.
async function pixels(page: Page): Promise<{ hued: number; dark: number; all: number }> {
    const shot = await page.locator(".stage-picture canvas").first().screenshot();
    return page.evaluate(async (bytes) => {
        const image = await createImageBitmap(new Blob([Uint8Array.from(bytes)], { type: "image/png" }));
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.width, image.height];
        const g = canvas.getContext("2d")!;
        g.drawImage(image, 0, 0);
        const { data } = g.getImageData(0, 0, canvas.width, canvas.height);
        let [hued, dark] = [0, 0];
        for (let i = 0; i < data.length; i += 4) {
            const [low, high] = [Math.min(data[i], data[i + 1], data[i + 2]), Math.max(data[i], data[i + 1], data[i + 2])];
            if (high - low > 40) hued++;
            if (high < 80) dark++;
        }
        return { hued, dark, all: data.length / 4 };
    }, [...shot]);
}

async function withoutForces(page: Page): Promise<void> {
    const forces = page.getByLabel("Constraint forces");
    if (await forces.isChecked()) await forces.uncheck();
    await frames(page, 3);
}

for (const webgl of [true, false])
    test(`meshes are drawn ${webgl ? "by WebGL" : "on a plain canvas"}, in both styles`, async () => {
        const browser = await startBrowser(webgl);
        const { page, close, complaints } = await open(browser, report(ENGINE));
        await withoutForces(page);
        const seen = await page.evaluate(() => window.trammelPage!.positions());
        expect(seen.map((item) => [item.kind, item.label])).toEqual([["mesh", "crank"], ["mesh", "rod"], ["mesh", "piston"]]);
        const solid = await pixels(page);
        expect(solid.hued).toBeGreaterThan(0.03 * solid.all); // blue and orange
        await page.getByLabel("Line drawing").check();
        await frames(page, 3);
        const lines = await pixels(page);
        expect(lines.hued).toBeLessThan(0.001 * lines.all);
        expect(lines.dark).toBeGreaterThan(0.002 * lines.all);
        expect(lines.dark).toBeLessThan(0.1 * lines.all);
        expect(complaints).toEqual([]);
        await close();
        await browser.close();
    });

let browser: Browser;
beforeAll(async () => { browser = await startBrowser(true); });
afterAll(() => browser.close());

test("the style is kept in the address", async () => {
    const { page, close } = await open(browser, report(GEARS));
    await withoutForces(page);
    expect((await pixels(page)).hued).toBeGreaterThan(1000);
    await page.getByLabel("Line drawing").check();
    expect(new URL(page.url()).hash).toBe("#.style=lines");
    await page.reload();
    await page.waitForFunction(() => (window.trammelPage?.positions().length ?? 0) > 0);
    expect(await page.getByLabel("Line drawing").isChecked()).toBe(true);
    await withoutForces(page);
    const { hued, dark } = await pixels(page);
    expect(hued).toBe(0);
    expect(dark).toBeGreaterThan(1000);
    await page.getByLabel("Line drawing").uncheck();
    expect(new URL(page.url()).hash).toBe("");
    await close();
});

test("a linkage in the plane is black and white, without a grid", async () => {
    const { page, close } = await open(browser, `${report(BEAST)}#.style=lines`);
    await withoutForces(page);
    const { hued, dark, all } = await pixels(page);
    expect(hued).toBe(0);
    expect(dark).toBeGreaterThan(0.003 * all);
    await close();
});

test("what stands above the floor darkens it", async () => {
    // a ball above, and one on the floor
    const { page, close } = await open(browser, report([writeModel("shadow.tram",
        "body A: mass = 1, shape = sphere(0.3), at = (0, 0, 1), velocity = (0, 0, 0)\n" +
        "body B: mass = 1, shape = sphere(0.3), at = (2, 0, 0), velocity = (0, 0, 0)\nsimulate until 1\n")]));
    const [below, aside] = await page.evaluate(() => [[0, 0, -0.3], [1, 0, -0.3]].map((at) => window.trammelPage!.pixel(at)));
    const shot = await page.screenshot();
    const light = await page.evaluate(async ([bytes, places]) => {
        const image = await createImageBitmap(new Blob([Uint8Array.from(bytes)], { type: "image/png" }));
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.width, image.height];
        const g = canvas.getContext("2d")!;
        g.drawImage(image, 0, 0);
        return places.map(([x, y]) => Math.max(...Array.from({ length: 9 }, (_, i) => g.getImageData(x + 2 * (i % 3), y + 2 * Math.floor(i / 3), 1, 1).data[0])));
    }, [[...shot], [below, aside]] as [number[], [number, number][]]);
    expect(light[1] - light[0]).toBeGreaterThan(15);
    await close();
});

test("nothing of the hand is seen before it holds something", async () => {
    const { page, close } = await open(browser, report(BEAST));
    expect(await page.locator(".hands-string").isVisible()).toBe(false);
    await close();
});
