// Pages of sweeps: what is pointed at is run, what is drawn selects, failures say why; without an engine, too.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { frames, open, startBrowser } from "../browser";
import { report, root, simulate, writeModel } from "../program";

const CRANK = `title "Crank <b>and</b> rod"
param r = 0.5, l = 2
coord x, y, s
initial x = r, y = 0, s ~ r + l
kinetic (x'^2 + y'^2 + s'^2)/2
constraint crank: x = r*cos(3*t)
constraint drive: y = r*sin(3*t)
constraint rod: (s - x)^2 + y^2 = l^2
output stroke = s
plot "Slider": s
draw line (0, 0) (x, y)
draw line (x, y) (s, 0)
simulate until 1, every 0.05
`;
const GRID = ["--vary", "r=0.5:1.5:3", "--vary", "l=1:3:3", "--exact"]; // r = 1.5 is too long for l = 1

let browser: Browser;
beforeAll(async () => { browser = await startBrowser(true); });
afterAll(() => browser.close());

const page = (...more: string[]): string => report([writeModel("crank.tram", CRANK), ...more]);
const heading = (at: Page): Promise<string> => at.locator(".case-head h2").innerText();
const picked = (at: Page): Promise<string> => at.locator(".picked").innerText();

// The middle of a cell of the map, 3 by 3.
async function cell(at: Page, i: number, j: number): Promise<{ x: number; y: number }> {
    const box = (await at.locator(".field canvas").boundingBox())!;
    return { x: box.x + 64 + ((box.width - 64 - 84) * (i + 0.5)) / 3, y: box.y + 30 + ((box.height - 30 - 44) * (2.5 - j)) / 3 };
}

async function pointAt(at: Page, i: number, j: number): Promise<void> {
    const { x, y } = await cell(at, i, j);
    await at.mouse.move(x, y);
    await frames(at, 3);
}

test("a map tells of what is pointed at, and of what failed", async () => {
    const { page: at, complaints, requests, close } = await open(browser, page(...GRID, "--no-engine"));
    expect(await at.locator("h1").innerText()).toBe("Crank <b>and</b> rod");
    expect(await at.locator(".verdict").innerText()).toBe("1 of 9 cases failed");
    await pointAt(at, 1, 2);
    expect((await at.locator(".picture-tip div").allInnerTexts()).slice(0, 2)).toEqual(["Case 5", "r = 1, l = 3"]);
    await pointAt(at, 2, 0);
    expect((await at.locator(".picture-tip div").allInnerTexts()).join("\n")).toMatch(/^Case 6\nr = 1.5, l = 1\nno solution: at t = .*rod/);
    await at.locator(".field canvas").focus();
    await at.mouse.move(5, 5);
    const before = await heading(at);
    await at.keyboard.press("ArrowUp");
    await at.waitForFunction((h) => document.querySelector<HTMLElement>(".case-head h2")!.innerText !== h, before);
    expect(await heading(at)).toBe("Case 1: r = 0.5, l = 2");
    expect(await at.locator(".case-page").count()).toBe(0);
    expect([complaints, requests]).toEqual([[], []]);
    await close();
});

test("a rectangle selects, in the table as well; a click beside all takes it back", async () => {
    const { page: at, complaints, close } = await open(browser, page(...GRID, "--no-engine"));
    expect(await picked(at)).toBe("9 cases");
    const [from, to] = [await cell(at, 0, 0), await cell(at, 1, 1)];
    await at.mouse.move(from.x - 12, from.y + 12);
    await at.mouse.down();
    await at.mouse.move(to.x + 12, to.y - 12, { steps: 4 });
    await at.mouse.up();
    expect(await picked(at)).toBe("4 of 9 cases selected");
    expect(await at.locator(".case-list tbody tr").count()).toBe(4);
    await at.locator(".chips button").first().click();
    expect(await picked(at)).toBe("6 of 9 cases selected");
    await at.locator(".field canvas").focus();
    await at.keyboard.press("Escape");
    expect(await picked(at)).toBe("9 cases");
    await at.locator(".case-list thead button", { hasText: "stroke" }).click();
    const strokes = await at.locator(".case-list tbody td:nth-child(4)").allInnerTexts();
    expect(strokes.filter((s) => s !== "–").map(Number)).toEqual(strokes.filter((s) => s !== "–").map(Number).sort((a, b) => a - b));
    expect(complaints).toEqual([]);
    await close();
});

test("one parameter is a curve, many are dots and axes, on a phone, too", async () => {
    const file = writeModel("crank.tram", CRANK);
    for (const [vary, choices, parallel] of [[["--vary", "r=0.2:0.9:8"], 1, 0], [["--vary", "r=0.2:0.9", "--vary", "l=2:3", "--lhs", "20"], 3, 1]] as const) {
        const { page: at, complaints, close } = await open(browser, report([file, ...vary, "--no-engine"]), { viewport: { width: 390, height: 780 } });
        expect(await at.locator(".choices select").count()).toBe(choices);
        expect(await at.locator(".parallel").count()).toBe(parallel);
        expect(await at.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
        expect(complaints).toEqual([]);
        await close();
    }
});

describe.skipIf(!existsSync(join(root, "web/dist/engine.b64")))("with the engine", () => {
    test("the case that is chosen is run, to the bit as by the program, and all are drawn", async () => {
        const { page: at, complaints, requests, close } = await open(browser, page(...GRID));
        const { x, y } = await cell(at, 1, 2);
        await at.mouse.click(x, y);
        await at.waitForFunction(() => window.trammelPage!.samples.parameters.some((p) => p.name === "l" && p.value === 3) &&
            window.trammelPage!.samples.parameters.some((p) => p.name === "r" && p.value === 1));
        const shown = await at.evaluate(() => window.trammelPage!.samples.columns.map((c) => [c.name, [...c.values]] as const));
        const run = simulate([writeModel("crank.tram", CRANK), "--exact", "--set", "r=1", "--set", "l=3"]).columns;
        const exact = ["x", "y", "s"].every((name) => { // sines are those of two libraries
            const ours = shown.find(([n]) => n === name)![1];
            return ours.length === 21 && ours.every((v, i) => Math.abs(v - run.get(name)![i]) < 1e-8);
        });
        expect(exact).toBe(true);
        expect(new URL(at.url()).hash).toBe("#r=1&l=3");
        await at.waitForFunction(() => document.querySelector(".bundles .note")?.textContent === "8 of 9 cases");
        expect(await at.locator(".bundles figcaption").allInnerTexts()).toEqual(["Slider"]);
        expect([complaints, requests]).toEqual([[], []]);
        await close();
    });

    test("a case that failed says so, as far as it came", async () => {
        const { page: at, complaints, close } = await open(browser, page(...GRID));
        const { x, y } = await cell(at, 2, 0);
        await at.mouse.click(x, y);
        await at.waitForFunction(() => window.trammelPage!.samples.summary.error !== undefined);
        expect(await at.locator(".case-said").innerText()).toMatch(/^no solution: at t = .*rod/);
        expect(complaints).toEqual([]);
        await close();
    });
});
