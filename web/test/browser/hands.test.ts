// Hands on: a part is taken by pointer, keys and fingers, while the engine runs and while time stands.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { frames, open, startBrowser } from "../browser";
import { report, root, writeModel } from "../program";

const ENERGY = 1, RESIDUAL = 2, POINT = 3; // of the numbers, as src/api/live.h has them
const PENDULUM = "models/classics/double-pendulum.tram";

let browser: Browser;
beforeAll(async () => { browser = await startBrowser(true); });
afterAll(() => browser.close());

const numbers = (page: Page): Promise<number[]> => page.evaluate(() => [...window.trammelPage!.hands.numbers]);

async function begin(page: Page): Promise<void> {
    await page.click("text=Hands on");
    await shown(page, 2);
}

// So many frames more.
async function shown(page: Page, count: number): Promise<void> {
    const from = await page.evaluate(() => window.trammelPage!.hands.frames);
    await page.waitForFunction((n) => window.trammelPage!.hands.frames >= n, from + count);
}

const ends = (page: Page): Promise<number[][]> => page.evaluate(() =>
    window.trammelPage!.positions().filter((p) => p.kind === "line").flatMap((p) => [p.at, p.to!]));

const pixel = (page: Page, at: number[]): Promise<[number, number]> => page.evaluate((p) => window.trammelPage!.pixel(p), at);

const length = (a: number[], b: number[]): number => Math.hypot(...a.map((v, k) => v - b[k]));

describe.skipIf(!existsSync(join(root, "web/dist/engine.b64")))("hands on", () => {
    test("where time stands a part is led within its constraints, and it goes on from there", async () => {
        const { page, complaints, requests, close } = await open(browser, report([PENDULUM]));
        await begin(page);
        await page.click("[aria-label=Pause]");
        await frames(page, 3);
        const tip = (await ends(page))[3];
        const to = [0.5, -1.2, 0];
        await page.mouse.move(...await pixel(page, tip));
        await page.mouse.down();
        await page.mouse.move(...await pixel(page, to), { steps: 5 });
        await page.waitForFunction(([x, y]) => Math.hypot(window.trammelPage!.hands.numbers[3] - x, window.trammelPage!.hands.numbers[4] - y) < 0.02, to);
        const time = (await numbers(page))[0];
        await page.mouse.up();
        await frames(page, 3);
        const [o, a, b, c] = await ends(page);
        expect(length(a, b)).toBe(0); // where one ends the other begins
        for (const l of [length(o, a), length(b, c)]) expect(l).toBeCloseTo(1, 6);
        expect((await numbers(page))[0]).toBe(time);
        await page.click(".hands-bar >> text=/^Step$/");
        await page.waitForFunction((t) => window.trammelPage!.hands.numbers[0] > t, time);
        expect((await numbers(page))[0]).toBeCloseTo(time + 1 / 60, 9);
        expect((await numbers(page))[RESIDUAL]).toBeLessThan(1);
        expect(complaints).toEqual([]);
        expect(requests).toEqual([]);
        await close();
    });

    test("a spring pulls while it runs; let go, it flies on", async () => {
        const { page, complaints, close } = await open(browser, report([PENDULUM]));
        const drawn = await page.evaluate(() => window.trammelPage!.positions().length);
        await begin(page);
        await page.click("[aria-label=Pause]");
        await page.mouse.move(...await pixel(page, (await ends(page))[3]));
        await page.mouse.down();
        await page.keyboard.press("Space");
        await page.mouse.move(...await pixel(page, [1, 0.5, 0]), { steps: 10 });
        await shown(page, 30);
        const pulled = await numbers(page);
        expect(pulled[RESIDUAL]).toBeLessThan(1);
        expect(length(pulled.slice(POINT, POINT + 2), [1, 0.5])).toBeLessThan(0.5);
        await page.mouse.up();
        await shown(page, 3);
        const free = await numbers(page);
        await shown(page, 20);
        const later = await numbers(page);
        expect(later[0]).toBeGreaterThan(free[0]);
        expect(Math.abs(later[ENERGY] - free[ENERGY])).toBeLessThan(1e-4);
        expect(later[RESIDUAL]).toBeLessThan(1);
        const [o, a, , c] = await ends(page);
        expect(length(o, a)).toBeCloseTo(1, 6);
        expect(length(a, c)).toBeCloseTo(1, 6);
        await page.click("text=Back to the run");
        expect(await page.locator(".transport").isVisible()).toBe(true);
        await frames(page, 3);
        expect(await page.evaluate(() => window.trammelPage!.positions().length)).toBe(drawn);
        expect(complaints).toEqual([]);
        await close();
    });

    test("by keys, and with another parameter it goes on where it is", async () => {
        const { page, complaints, close } = await open(browser, report([PENDULUM]));
        await begin(page);
        await page.focus(".stage-picture");
        await page.keyboard.press("Space");
        await page.keyboard.press("g");
        await page.waitForFunction(() => window.trammelPage!.hands.numbers[6] !== 0); // the spring is there
        const first = await numbers(page);
        for (let k = 0; k < 4; k++) await page.keyboard.press("ArrowDown");
        await page.waitForFunction((y) => window.trammelPage!.hands.numbers[4] < y, first[POINT + 1] - 0.05);
        await frames(page, 5);
        const after = await numbers(page);
        expect(after[ENERGY]).toBeLessThan(0);
        expect(after[RESIDUAL]).toBeLessThan(1);
        await page.keyboard.press("Escape");
        await page.fill("[aria-label^='Value of g,']", "0");
        await page.keyboard.press("Enter");
        await page.waitForFunction(() => window.trammelPage!.samples.parameters.find((p) => p.name === "g")!.value === 0);
        await page.waitForFunction(() => window.trammelPage!.hands.numbers[1] >= 0); // nothing is heavy
        const now = await numbers(page);
        expect(now[0]).toBeCloseTo(after[0], 9);
        expect(complaints).toEqual([]);
        await close();
    });

    test("by touch, in space", async () => {
        const { page, complaints, close } = await open(browser, report(["models/mechanisms/robot.tram"]), { hasTouch: true });
        await begin(page);
        const touch = await page.context().newCDPSession(page);
        const points = await page.evaluate(() => window.trammelPage!.positions().map((p) => p.at).filter((p) => p.length === 3));
        let held = false;
        for (const at of points.reverse()) {
            const [x, y] = await pixel(page, at);
            await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] });
            await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [{ x: x + 40, y: y - 40 }] });
            await shown(page, 4);
            held = (await numbers(page)).slice(POINT + 3).some((v) => v !== 0);
            if (held) break;
            await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
        }
        expect(held).toBe(true);
        await shown(page, 10);
        expect((await numbers(page))[RESIDUAL]).toBeLessThan(1);
        await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
        expect(complaints).toEqual([]);
        await close();
    });

    test("what is driven does not move; what ends says so", async () => {
        const text = "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: x = sin(t)\nconstraint b: y = 0\ndraw circle (x, y) 0.3\nsimulate until 20\nstop when t > 10\n";
        const { page, close } = await open(browser, report([writeModel("driven.tram", text)]));
        await begin(page);
        await page.click(".hands-bar [aria-label=Pause]");
        await frames(page, 2);
        const at = await page.evaluate(() => window.trammelPage!.positions()[0].at);
        await page.mouse.move(...await pixel(page, at));
        await page.mouse.down();
        await page.waitForFunction(() => document.querySelector(".hands-told")!.textContent.includes("fixed, or driven"));
        await page.mouse.up();
        await page.selectOption(".hands-bar [aria-label=Speed]", "2");
        await page.click(".hands-bar [aria-label=Play]");
        await page.waitForFunction(() => document.querySelector(".hands-told")!.textContent.includes("a 'stop when' of the model holds"));
        await page.click("text=Begin again");
        await page.waitForFunction(() => window.trammelPage!.hands.numbers[0] > 0 && window.trammelPage!.hands.numbers[0] < 10);
        await close();
    });
});
