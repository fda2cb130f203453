// What can be done to the page with pointer and keyboard, and how it fits.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { frames, index, legend, open, seek, startBrowser } from "../browser";
import { CASES } from "../models";
import { report, simulate, writeModel, type Model } from "../program";

const PENDULUM = CASES["double-pendulum"].model;
const SLEIGH: Model = ["models/classics/chaplygin-sleigh.tram"];

let browser: Browser;
beforeAll(async () => { browser = await startBrowser(true); });
afterAll(() => browser.close());

test("of a curve over another, the cursor takes the nearest sample", async () => {
    const run = simulate(SLEIGH).columns;
    const { page, close } = await open(browser, report(SLEIGH));
    await seek(page, 300);
    const dot = (await page.locator(".chart .dot").first().boundingBox())!;
    await seek(page, 0);
    await page.mouse.move(dot.x + dot.width / 2, dot.y + dot.height / 2);
    await frames(page, 2);
    const i = await index(page);
    expect(Math.abs(i - 300)).toBeLessThan(10);
    expect((await legend(page, 0)).get("y")).toBe(run.get("y")![i]);
    await close();
});

test("dragging zooms, the button shows all again", async () => {
    const { page, close } = await open(browser, report(PENDULUM));
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
    const { page, close } = await open(browser, report(PENDULUM));
    const curve = page.locator(".curve").first();
    await curve.click();
    expect(await curve.getAttribute("aria-pressed")).toBe("false");
    await curve.click();
    expect(await curve.getAttribute("aria-pressed")).toBe("true");
    await close();
});

test("the marks stay on their curves when scale or size changes at rest", async () => {
    const { page, close } = await open(browser, report(["models/classics/pendulum.tram"]));
    // The pixel of the mark against that of its value on the axis, of which two labels are known: the curve itself is paint.
    const off = (): Promise<number> => page.evaluate(() => {
        const chart = document.querySelector(".chart")!;
        const dots = [...chart.querySelectorAll<HTMLElement>(".dot")].filter((d) => d.style.visibility !== "hidden");
        const colour = (d: HTMLElement): string => getComputedStyle(d).backgroundColor;
        const g = chart.querySelector("canvas")!.getContext("2d")!;
        const over = chart.querySelector(".u-over")!.getBoundingClientRect();
        const whole = chart.querySelector("canvas")!.getBoundingClientRect();
        return Math.max(...dots.map((d) => {
            const box = d.getBoundingClientRect();
            const [x, y] = [box.x + box.width / 2 - whole.x, box.y + box.height / 2 - whole.y];
            const data = g.getImageData(0, 0, whole.width, whole.height).data;
            const rgb = colour(d).match(/\d+/g)!.map(Number);
            let nearest = Infinity;
            for (let py = 0; py < whole.height; py++)
                for (let px = Math.round(over.x - whole.x); px < whole.width; px++) {
                    const k = 4 * (py * Math.floor(whole.width) + px);
                    if (rgb.every((c, i) => Math.abs(c - data[k + i]) < 40) && data[k + 3] > 100) nearest = Math.min(nearest, Math.hypot(px - x, py - y));
                }
            return nearest;
        }));
    });
    await seek(page, 123);
    expect(await off()).toBeLessThan(3);
    await page.locator(".curve").first().click(); // x goes, and the axis fits y alone
    await frames(page, 4);
    expect(await off()).toBeLessThan(3);
    await page.locator(".curve").first().click();
    for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        await frames(page, 6);
        expect(await off()).toBeLessThan(3);
    }
    await close();
});

test("on paper the animation is there, and charts are as wide as their places", async () => {
    const { page, close } = await open(browser, report(CASES["top"].model));
    const widths = (): Promise<[number, number][]> => page.evaluate(() => [...document.querySelectorAll<HTMLElement>(".chart-holder")]
        .filter((c) => c.clientWidth > 0).map((c): [number, number] => [c.querySelector("canvas")!.clientWidth, c.clientWidth]));
    const seen = await page.evaluate(() => {
        dispatchEvent(new Event("beforeprint"));
        const above = [...document.querySelectorAll<HTMLCanvasElement>(".stage-picture canvas")].at(-1)!; // the one that lasts
        const data = above.getContext("2d")!.getImageData(0, 0, above.width, above.height).data;
        return data.filter((v, i) => i % 4 === 3 && v > 100).length;
    });
    expect(seen).toBeGreaterThan(3000);
    for (const [canvas, place] of await widths()) expect(Math.abs(canvas - place)).toBeLessThan(2);
    expect(await page.evaluate(() => document.getElementById("page")!.clientWidth)).toBe(700);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await frames(page, 4);
    for (const [canvas, place] of await widths()) expect(Math.abs(canvas - place)).toBeLessThan(2);
    expect(await page.evaluate(() => document.getElementById("page")!.clientWidth)).toBeGreaterThan(1000);
    await close();
});

test("any column can be charted, over any other", async () => {
    const { page, close } = await open(browser, report(PENDULUM));
    await page.click(".picker summary");
    await page.fill(".picker input[type=search]", "y2'");
    await page.click(".picker fieldset label");
    expect(await page.locator(".any .curve .name").allTextContents()).toEqual(["x₁", "y₁", "x₂", "y\u0307₂"]);
    await page.fill(".picker input[type=text]", "x2");
    await page.keyboard.press("Enter");
    await frames(page, 3);
    expect(await page.locator(".any .time-line").isHidden()).toBe(true);
    await close();
});

test("keys", async () => {
    const { page, close } = await open(browser, report(PENDULUM));
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
            const e = document.activeElement as HTMLInputElement;
            const name = e.getAttribute("aria-label") ?? ((e.labels?.[0] ?? e.closest("label"))?.textContent || e.textContent);
            return { name, outline: getComputedStyle(e).outlineStyle };
        });
        expect(focus.name).toBeTruthy();
        expect(focus.outline).not.toBe("none");
    }
    await close();
});

test("orbit, zoom and fit in space", async () => {
    const { page, complaints, close } = await open(browser, report(CASES["top"].model));
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
    const { page, close } = await open(browser, report(PENDULUM), { colorScheme: "dark" });
    const paper = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await paper();
    await page.click("button[aria-label='Dark or light']");
    expect(await paper()).not.toBe(dark);
    await close();
});

test.each(Object.keys(CASES))("of %s nothing sticks out, however wide the window", async (name) => {
    const { page, close } = await open(browser, report(CASES[name].model));
    for (const width of [360, 390, 768, 1440, 2560]) {
        await page.setViewportSize({ width, height: 800 });
        await frames(page, 2);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
    await close();
});

test("nothing moves by itself", async () => {
    const { page, close } = await open(browser, report(PENDULUM), { reducedMotion: "reduce" });
    await frames(page, 10);
    expect(await index(page)).toBe(0);
    await close();
});

test("a page without a run says so", async () => {
    const { page, complaints, close } = await open(browser, fileURLToPath(new URL("../../dist/page.html", import.meta.url)));
    expect(await page.locator(".notice").textContent()).toContain("trammel report");
    expect(complaints).toEqual([]);
    await close();
});

test("the page opens playing, unless less motion is asked for", async () => {
    for (const reducedMotion of ["no-preference", "reduce"] as const) {
        const { page, complaints, close } = await open(browser, report(PENDULUM), { reducedMotion });
        expect(await page.evaluate(() => window.trammelPage!.clock.playing)).toBe(reducedMotion !== "reduce");
        expect(complaints).toEqual([]);
        await close();
    }
});

test("a click on a body opens its free-body diagram, which sums to zero; the pointer on an arrow tells its force", async () => {
    const { page, complaints, close } = await open(browser, report(["models/mechanisms/massless-link-body.tram"]));
    await page.evaluate(() => window.trammelPage!.clock.seek(40));
    await frames(page, 3);
    const area = (await page.locator(".stage-picture").boundingBox())!;
    // somewhere on the stage there are links and arrows
    const found = { body: "", tip: "" };
    for (let x = 0.1; x < 0.95; x += 0.04)
        for (let y = 0.1; y < 0.95 && (found.body === "" || found.tip === ""); y += 0.04) {
            await page.mouse.move(area.x + x * area.width, area.y + y * area.height);
            if (found.tip === "" && await page.locator(".force-tip").isVisible()) found.tip = (await page.locator(".force-tip").textContent())!;
            if (found.body !== "") continue;
            await page.mouse.down();
            await page.mouse.up();
            await frames(page, 2);
            if (await page.locator(".free-body").isVisible()) found.body = (await page.locator(".free-body h3").textContent())!;
        }
    expect(found.body).toMatch(/^Free body: /);
    expect(found.tip).toMatch(/^(base|pivot)[12]: [\d.]+ \(/);
    const sums = await page.locator(".free-body .sum td").allTextContents();
    expect(sums.length).toBeGreaterThanOrEqual(3);
    expect(new Set(sums)).toEqual(new Set(["0"]));
    expect(complaints).toEqual([]);
    await close();
});

test("charts have the labels, ends and scales that the model asks for, on the page and in what is saved", async () => {
    const file = writeModel("axes.tram", `coord x
initial x = 1
kinetic x'^2/2
dissipation x'^2
potential x^2/2
simulate until 20, every 0.05
plot "Ends" (xlabel = "time / s", ylabel = "way / m", xrange = 2..6, yrange = 0..0.5): x
plot "Decades" (ylog): x
plot "Both" (xlog, ylog): x vs t
`);
    const { page, complaints, close } = await open(browser, report([file]));
    const saved = async (chart: number): Promise<string[]> => {
        const figure = page.locator(".chart").nth(chart);
        await figure.locator("summary").click();
        const [download] = await Promise.all([page.waitForEvent("download"), figure.getByRole("button", { name: "SVG" }).click()]);
        return [...readFileSync(await download.path(), "utf8").matchAll(/<text[^>]*>([^<]*)</g)].map((m) => m[1]);
    };
    const [ends, decades, both] = [await saved(0), await saved(1), await saved(2)];
    for (const piece of ["time / s", "way / m", "2", "6", "0.0", "0.5"]) expect(ends).toContain(piece);
    for (const piece of ["1·10⁻⁷", "1", "x"]) expect(decades).toContain(piece);
    for (const piece of ["0.1", "1", "10", "t"]) expect(both).toContain(piece);
    // what is shown is all there is to show
    expect(await page.locator(".chart .reset").evaluateAll((all) => all.some((e) => (e as HTMLElement).offsetParent !== null))).toBe(false);
    const log = page.locator(".chart").nth(1).getByRole("button", { name: "log" });
    expect(await log.getAttribute("aria-pressed")).toBe("true");
    await log.click();
    expect((await saved(1)).some((t) => t.includes("10⁻"))).toBe(false);
    expect(complaints).toEqual([]);
    await close();
});

test("equations are never wider than their place, bodies are folded, and LaTeX is copied", async () => {
    for (const file of ["models/mechanisms/double-cardan.tram", "models/mechanisms/strandbeest.tram", "models/benchmarks/rolling-disk.tram", "models/classics/chaplygin-sleigh.tram"])
        for (const width of [1440, 390]) {
            const { page, complaints, close } = await open(browser, report([file]), { viewport: { width, height: 800 }, permissions: ["clipboard-read", "clipboard-write"] });
            const area = page.locator(".equations");
            await area.scrollIntoViewIfNeeded();
            const folded = await area.locator("details:not([open])").count();
            expect(folded > 0).toBe(file.includes("cardan"));
            await area.locator("details").evaluateAll((all) => all.forEach((e) => e.setAttribute("open", "")));
            await frames(page, 3);
            const [room, shown, widest] = await area.evaluate((e) => [e.clientWidth, e.scrollWidth, Math.max(...[...e.querySelectorAll("math")].map((m) => m.getBoundingClientRect().width))]);
            expect(widest).toBeGreaterThan(20);
            expect(shown).toBeLessThanOrEqual(room);
            expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBeLessThanOrEqual(0);
            await page.getByRole("button", { name: "Copy LaTeX" }).click();
            await page.getByRole("button", { name: "Copied" }).waitFor();
            expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("\\begin{align*}");
            expect(complaints).toEqual([]);
            await close();
        }
});
