// Pages of shipped models against runs of their own, with WebGL in software and without WebGL.
import { statSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { count } from "../../src/format";
import { frames, index, last, legend, open, seek, startBrowser } from "../browser";
import { CASES, type Case } from "../models";
import { report, simulate } from "../program";

const positions = async (page: Page) => (await page.evaluate(() => window.trammelPage!.positions())).filter((p) => !p.glyph); // glyphs: glyphs.test.ts

// What is on the stage is where the run says, to the digits that drawings have.
async function expectSample(page: Page, { places }: Case, run: Map<string, number[]>, i: number): Promise<void> {
    const pairs = places(await positions(page), (column) => run.get(column)![i]);
    expect(pairs.length).toBeGreaterThan(0);
    for (const [shown, said] of pairs)
        said.forEach((v, k) => {
            if (!(Math.abs(shown[k] - v) <= 1e-6 * Math.max(1, Math.abs(v)))) expect.fail(`sample ${i}: shown ${shown.join()}, of the run ${said.join()}`);
        });
}

// How many colours the animation's picture has. Read within a frame, as WebGL forgets what it drew.
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

test("the page without data is under 1.4 MB", () => {
    const { size } = statSync(new URL("../../dist/page.html", import.meta.url));
    const sizes = Object.entries(CASES).map(([name, { model }]) => `${name} ${((statSync(report(model)).size - size) / 1e6).toFixed(2)}`);
    console.log(`page: ${(size / 1e6).toFixed(2)} MB; with it data in MB: ${sizes.join(", ")}`);
    expect(size).toBeLessThan(1.4e6);
});

describe.each([["software WebGL", true], ["no WebGL", false]] as const)("with %s", (_name, webgl) => {
    let browser: Browser;
    beforeAll(async () => { browser = await startBrowser(webgl); });
    afterAll(() => browser.close());

    test.each(Object.entries(CASES))("%s: opens from a file in silence, and shows the run", async (_title, a) => {
        const { columns: run, summary } = simulate(a.model);
        const { page, complaints, requests, close } = await open(browser, report(a.model));
        expect(await page.title()).toContain(summary.title);
        expect(await page.locator(".facts dd").first().textContent()).toContain(count(summary.degrees_of_freedom));
        const end = await last(page);
        expect(end).toBe(run.get("t")!.length - 1);
        expect((await positions(page)).length).toBe(a.draws);
        expect(await page.evaluate(() => window.trammelPage!.renderer)).toBe(a.dimension === 3 && webgl ? "webgl" : "canvas");
        expect(await painted(page)).toBeGreaterThan(5);
        for (const i of [0, 1, Math.floor(end / 3), end]) {
            await seek(page, i);
            await expectSample(page, a, run, i);
        }

        await page.click("button[aria-label=Play]");
        await frames(page, 10);
        const first = await positions(page);
        await frames(page, 20);
        expect(await positions(page)).not.toEqual(first);
        await page.click("button[aria-label=Pause]");
        await frames(page, 2);
        expect(await index(page)).not.toBe(end); // from where it started anew
        await expectSample(page, a, run, await index(page));
        expect(complaints).toEqual([]);
        expect(requests).toEqual([]);
        await close();
    });

    test.each([["double-pendulum", ["x2", "y2"]], ["top", ["top.x", "top.y", "top.z"]], ["duffing", ["x1", "x2"]]] as const)(
        "%s: chart, scrubber and animation have one time, and the legend the sample's values", async (name, columns) => {
            const run = simulate(CASES[name].model).columns;
            const { page, complaints, close } = await open(browser, report(CASES[name].model));
            const check = async (): Promise<number> => {
                await frames(page, 2);
                const i = await index(page);
                await expectSample(page, CASES[name], run, i);
                expect([...await legend(page, 0)]).toEqual(columns.map((column) => [column, run.get(column)![i]]));
                return i;
            };
            const area = (await page.locator(".chart .u-over").first().boundingBox())!;
            for (const part of [0.3, 0.7]) {
                await page.mouse.move(area.x + area.width * part, area.y + 40);
                const i = await check();
                expect(Math.abs(i / 1000 - part)).toBeLessThan(0.05);
                expect(Number(await page.locator(".scrub").first().inputValue())).toBe(i);
            }
            const scrub = page.locator("[aria-label=Time] .scrub");
            await scrub.fill("125");
            expect(await check()).toBe(125);
            const line = (await page.locator(".chart .time-line").first().boundingBox())!;
            expect(Math.abs(line.x - area.x - 0.125 * area.width)).toBeLessThan(0.02 * area.width);
            await scrub.press("ArrowRight");
            expect(await check()).toBe(126);
            expect(complaints).toEqual([]);
            await close();
        });
});
