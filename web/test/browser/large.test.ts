// Many samples, many bodies. Times are printed; what is asserted does not depend on the machine.
import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { frames, last, legend, open, seek, startBrowser } from "../browser";
import { report, simulate, writeModel, type Model } from "../program";

// An oscillator, and one sample of 100 001 that stands out.
const SPIKE = `title "Spike"
coord x
initial x = 1
kinetic x'^2/2
potential x^2/2
output spike = if(abs(t - 54.321) < 5e-4, 1234.567890123, x)
simulate until 100, every 1e-3
plot "Spike": spike, x
plot "Phases": x' vs x
draw circle (x, 0) 0.1
`;

// Forty chains of 25 bodies of every form.
const BODIES = `title "A thousand bodies"
param s = 0.1
gravity (0, 0, -9.81)
for j in 0..39 {
    for i in 0..4 {
        body B[25*j + 5*i + 1]: mass = 1, shape = box(0.09, 0.06, 0.03),     at = (s*(5*i + 0.5), s*j, 0)
        body B[25*j + 5*i + 2]: mass = 1, shape = cylinder(0.03, 0.06),      at = (s*(5*i + 1.5), s*j, 0)
        body B[25*j + 5*i + 3]: mass = 1, shape = sphere(0.04),              at = (s*(5*i + 2.5), s*j, 0)
        body B[25*j + 5*i + 4]: mass = 1, inertia = (2e-4, 4e-4, 5e-4),      at = (s*(5*i + 3.5), s*j, 0)
        body B[25*j + 5*i + 5]: mass = 1, shape = disk(0.04),                at = (s*(5*i + 4.5), s*j, 0)
    }
    joint J[25*j + 1]: spherical(ground, B[25*j + 1], at = (0, s*j, 0))
    for i in 2..25: joint J[25*j + i]: spherical(B[25*j + i - 1], B[25*j + i], at = (s*(i - 1), s*j, 0))
}
simulate until 0.5, every 0.01, tolerance 1e-5
`;

let browser: Browser;
// Frames as fast as they can be made, not sixty a second: their times are then those of the work.
beforeAll(async () => { browser = await startBrowser(true, "--disable-frame-rate-limit", "--disable-gpu-vsync"); });
afterAll(() => browser.close());

async function openLarge(model: Model) {
    const { size } = statSync(report(model));
    const start = performance.now();
    const opened = await open(browser, report(model), { viewport: { width: 1440, height: 900 } });
    const first = performance.now() - start;
    console.log(`${basename(model[0])}: ${(size / 1e6).toFixed(1)} MB, first frames after ${(first / 1000).toFixed(1)} s, ${await memory()} MB of memory`);
    return opened;
}

// Resident memory of the largest renderer process.
async function memory(): Promise<number> {
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    const sizes = processInfo.filter((p) => p.type === "renderer").map((p) => {
        const [, kilobytes] = /VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${p.id}/status`, "utf8")) ?? ["", "0"];
        return Number(kilobytes);
    });
    return Math.round(Math.max(...sizes) / 1000);
}

async function medianFrame(page: Page): Promise<number> {
    await page.keyboard.press("Space");
    await frames(page, 30);
    return page.evaluate(async () => {
        const p = window.trammelPage!;
        p.frames.length = 0;
        await new Promise((resolve) => setTimeout(resolve, 3000));
        const sorted = [...p.frames].sort((a, b) => a - b);
        return sorted[sorted.length >> 1];
    });
}

test("100 000 samples: one that stands out is drawn, and all values are exact", async () => {
    const model: Model = [writeModel("spike.tram", SPIKE)];
    const run = simulate(model).columns;
    const { page, complaints, close } = await openLarge(model);
    expect(await last(page)).toBe(100_000);
    for (const i of [0, 12_345, 54_320, 54_321, 100_000]) {
        await seek(page, i);
        expect([...await legend(page, 0)]).toEqual(["spike", "x"].map((name) => [name, run.get(name)![i]]));
        expect((await legend(page, 1)).get("x'")).toBe(run.get("x'")![i]);
    }
    await seek(page, 54_321);
    expect((await legend(page, 0)).get("spike")).toBe(1234.567890123);
    expect(await page.locator(".chart .value").first().textContent()).toBe("1234.568");
    const ink = await page.evaluate(() => {
        const canvas = document.querySelector<HTMLCanvasElement>(".chart canvas")!;
        const { data, width } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, 60);
        let blue = 0;
        for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 60 && data[i + 2] > data[i] + 60 && (i / 4) % width > 60) blue++;
        return blue;
    });
    expect(ink).toBeGreaterThan(10); // the line to the peak, in the upper part that is empty otherwise
    console.log(`median frame with 100 000 samples: ${(await medianFrame(page)).toFixed(1)} ms`);
    expect(complaints).toEqual([]);
    await close();
});

test("long equations become elements when they come near, or when they are printed", async () => {
    const page = report([writeModel("bodies.tram", BODIES)]);
    const formulas = (at: Page): Promise<number> => at.locator(".equations math").count();
    const { page: seen, close } = await open(browser, page, { viewport: { width: 900, height: 300 } });
    expect(await formulas(seen)).toBe(0);
    await seen.locator(".equations").scrollIntoViewIfNeeded();
    await seen.locator(".equations math").first().waitFor();
    await close();
    const { page: printed, close: end } = await open(browser, page, { viewport: { width: 900, height: 300 } });
    await printed.evaluate(() => { dispatchEvent(new Event("beforeprint")); });
    expect(await formulas(printed)).toBeGreaterThan(50);
    await end();
});

test("1 000 bodies in space: few draw calls and triangles", async () => {
    const model: Model = [writeModel("bodies.tram", BODIES)];
    const { page, complaints, close } = await openLarge(model);
    console.log(`1 000 bodies, software WebGL, 1440 x 900: median frame ${(await medianFrame(page)).toFixed(1)} ms`);
    const { calls, triangles } = await page.evaluate(() => window.trammelPage!.work);
    expect(calls).toBeLessThan(12);
    expect(triangles).toBeLessThan(10_000);
    await page.keyboard.press("Space");
    const run = simulate(model).columns;
    await seek(page, 33);
    const at33 = (label: string): number[] => ["x", "y", "z"].map((axis) => run.get(`${label}.${axis}`)![33]);
    const positions = await page.evaluate(() => window.trammelPage!.positions());
    const shaped = positions.filter((p) => ["box", "cylinder", "sphere"].includes(p.kind));
    expect(shaped.length).toBe(800);
    for (const { label, at } of shaped) at.forEach((v, k) => expect(v, label).toBeCloseTo(at33(label)[k], 5));
    // those without a shape are rods between their joints, around the middle here; the last of each chain has a disk
    const rods = positions.filter((p) => p.kind === "line" && /^B\[\d*[49]\]$/.test(p.label));
    expect(rods.length).toBe(200);
    for (const { label, at, to } of rods) at.forEach((v, k) => expect((v + to![k]) / 2, label).toBeCloseTo(at33(label)[k], 4));
    expect(complaints).toEqual([]);
    await close();
});
