// The engine inside: sliders in a page opened from a file, and the playground.
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { frames, open, parameter, seek, slide, startBrowser } from "../browser";
import { complaint, playground, report, root, simulate, writeModel } from "../program";

const shipped = (model: string): string => readFileSync(join(root, model), "utf8");
const PENDULUM = shipped("models/classics/double-pendulum.tram");
const ENDLESS = `title "Endless"
param k = 1, twice = 2*k
coord x
initial x = k
kinetic x'^2/2
potential x^2/2
simulate until if(k > 1.5, 1e8, 10)
draw circle (x, 0) 0.1
`;

let browser: Browser;
beforeAll(async () => { browser = await startBrowser(true); });
afterAll(() => browser.close());

async function type(page: Page, name: string, value: string): Promise<void> {
    await page.fill(`[aria-label^='Value of ${name},']`, value);
    await page.keyboard.press("Enter");
}

// To the bit: what is run has no function of libm, and both are exact.
async function expectRun(page: Page, file: string, ...options: string[]): Promise<void> {
    const run = simulate([file, "--exact", ...options]).columns;
    for (const i of [0, 100, 777]) {
        await seek(page, i);
        const columns = await page.evaluate(() =>
            window.trammelPage!.samples.columns.filter((c) => !["energy", "work", "power"].includes(c.kind)).map((c) => [c.name, c.values[window.trammelPage!.clock.index]] as const));
        expect(columns.length).toBeGreaterThan(8);
        expect(columns).toEqual(columns.map(([name]) => [name, run.get(name)![i]]));
    }
}

describe.skipIf(!existsSync(join(root, "web/dist/engine.b64")))("the engine", () => {
    test("a slider of a file makes the motion that of a run with that value", async () => {
        const file = writeModel("engine-pendulum.tram", PENDULUM);
        const { page, complaints, requests, close } = await open(browser, report([file, "--exact"]));
        await slide(page, "g", 4);
        await parameter(page, "g", 4);
        await expectRun(page, file, "--set", "g=4");
        await type(page, "L", "2*m + 1/3");
        await parameter(page, "L", 2 + 1 / 3);
        await expectRun(page, file, "--set", "g=4", "--set", "L=2*m + 1/3");
        // the address has the values: who opens it sees the same
        await page.waitForURL(/#g=4&L=2\*m%20%2B%201%2F3$/);
        const address = page.url();
        const other = await page.context().newPage();
        await other.goto(address);
        await parameter(other, "L", 2 + 1 / 3);
        await expectRun(other, file, "--set", "g=4", "--set", "L=2*m + 1/3");
        await other.close();
        await page.click("text=As in the model");
        await parameter(page, "g", 9.81);
        await expectRun(page, file);
        await page.waitForURL(/html$/);
        // another link, followed in the page itself
        await page.goto(address);
        await parameter(page, "L", 2 + 1 / 3);
        expect(await page.inputValue("[aria-label^='Value of L,']")).toBe("2*m + 1/3");
        expect(complaints).toEqual([]);
        expect(requests).toEqual([]);
        await close();
    });

    test("what is wrong is told beside the sliders, and nothing moves", async () => {
        const file = writeModel("engine-wrong.tram", PENDULUM);
        const { page, complaints, close } = await open(browser, report([file]));
        const places = (): Promise<number[]> => page.evaluate(() =>
            [...document.querySelectorAll(".stage, .chart, .sliders, .reading")].flatMap((e) => [e.getBoundingClientRect().top, e.getBoundingClientRect().height]));
        await type(page, "g", "9");
        await parameter(page, "g", 9);
        const before = await places();
        const drawn = await page.evaluate(() => window.trammelPage!.positions().length);
        expect(drawn).toBeGreaterThan(2);
        await type(page, "L", "2*nobody");
        const notice = page.locator(".slider-message .notice.bad");
        await notice.waitFor();
        const said = complaint([file, "--set", "L=2*nobody"]).trimEnd();
        expect(await notice.textContent()).toBe(said.replace("--set L", "set L"));
        expect(await places()).toEqual(before);
        expect(await page.evaluate(() => window.trammelPage!.positions().length)).toBe(drawn);
        expect(await page.locator(".strip.stale").count()).toBe(1);
        await type(page, "L", "1");
        await notice.waitFor({ state: "detached" });
        expect(await page.locator(".stale").count()).toBe(0);
        expect(complaints).toEqual([]);
        await close();
    });

    test("a run that is overtaken gives way", async () => {
        const { page, complaints, close } = await open(browser, report([writeModel("engine-endless.tram", ENDLESS)]));
        await slide(page, "k", 1.8);
        await page.waitForTimeout(500);
        await slide(page, "k", 0.5);
        await parameter(page, "k", 0.5);
        expect(await page.evaluate(() => window.trammelPage!.samples.times.at(-1))).toBe(10);
        expect(await page.evaluate(() => window.trammelPage!.positions()[0].at[0])).toBe(0.5);
        // what is made of others follows, and has no slider
        expect(await page.inputValue("[aria-label^='Value of twice']")).toBe("1");
        expect(await page.locator("[id='parameter-twice']").isVisible()).toBe(false);
        expect(complaints).toEqual([]);
        await close();
    });

    test("what counts stays whole", async () => {
        const { page, close } = await open(browser, report(["models/classics/chain.tram"]));
        await slide(page, "N", 5.4);
        await parameter(page, "N", 5);
        await close();
    });

    test("without an engine there are no sliders", async () => {
        const page = report(["models/classics/pendulum.tram", "--no-engine"]);
        expect(readFileSync(page, "utf8")).not.toContain('id="engine"');
        const opened = await open(browser, page);
        expect(await opened.page.locator(".sliders").isVisible()).toBe(false);
        expect(opened.complaints).toEqual([]);
        await opened.close();
    });

    test("a playground runs what is typed, and tells what is wrong where it is", async () => {
        const file = playground();
        const { page, complaints, requests, close } = await open(browser, file);
        const samples = (): Promise<number> => page.evaluate(() => window.trammelPage!.samples.times.length);
        await page.waitForFunction(() => window.trammelPage!.samples.times.length > 0);
        expect(await page.textContent("h1")).toBe("Pendulum");
        // a mistake, at its line
        await page.focus(".editor-area");
        await page.keyboard.press("Control+End");
        await page.keyboard.type("output wrong = 2*nobody");
        const bad = page.locator(".editor-numbers .bad");
        await bad.waitFor();
        const lines = (await page.inputValue(".editor-area")).split("\n");
        expect(await bad.textContent()).toBe(String(lines.findIndex((l) => l.includes("nobody")) + 1));
        expect(await page.locator(".editor-fault").evaluate((e) => (e as HTMLElement).style.left)).toBe("17ch");
        expect(await page.textContent(".playground-said")).toContain("unknown name 'nobody'");
        expect(await samples()).toBe(1001);
        // names are completed
        await page.keyboard.press("Control+A");
        await page.keyboard.type("param stiffness = 4\ncoord x\ninitial x = 1\nkinetic x'^2/2\npotential stif");
        await page.locator(".editor-offers li").first().waitFor();
        expect(await page.locator(".editor-offers li").first().textContent()).toBe("stiffness");
        await page.keyboard.press("Tab");
        await page.keyboard.type("*x^2/2\nsimulate until 2, every 0.5");
        await page.waitForFunction(() => window.trammelPage!.samples.times.length === 5);
        expect(await bad.count()).toBe(0);
        const x = await page.evaluate(() => window.trammelPage!.samples.columns.find((c) => c.name === "x")!.values.at(-1)!);
        expect(x).toBeCloseTo(Math.cos(4), 7);
        // the text is in the address
        const other = await page.context().newPage();
        await other.goto(page.url());
        await other.waitForFunction(() => window.trammelPage!.samples.times.length === 5);
        expect(await other.inputValue(".editor-area")).toBe(await page.inputValue(".editor-area"));
        await other.close();
        // a slider, and a shipped model
        await slide(page, "stiffness", 1);
        await parameter(page, "stiffness", 1);
        await page.selectOption("select[aria-label=Models]", { label: "Double pendulum" });
        await page.waitForFunction(() => document.querySelector("h1")?.textContent === "Double pendulum");
        expect(await page.inputValue(".editor-area")).toBe(PENDULUM);
        await frames(page, 2);
        expect(complaints).toEqual([]);
        expect(requests).toEqual([]);
        await close();
        expect(pathToFileURL(file).protocol).toBe("file:");
    });

    test("links hold the text of a playground: a broken one is told, another is followed, a long text has none", async () => {
        const { page, complaints, close } = await open(browser, `${playground()}#AbC`);
        const said = page.locator(".playground-said");
        await said.locator("text=cannot be read").waitFor();
        expect(await page.inputValue(".editor-area")).toContain('title "Pendulum"');
        expect(page.url()).toMatch(/#AbC$/); // is as it was
        await page.fill(".editor-area", `${ENDLESS}# own\n`);
        await page.waitForFunction(() => document.querySelector("h1")?.textContent === "Endless");
        expect(await said.textContent()).toBe("");
        await slide(page, "k", 0.5);
        await page.waitForURL(/&k=0\.5$/);
        const link = page.url();
        await page.selectOption("select[aria-label=Models]", { label: "Double pendulum" });
        await page.waitForFunction(() => document.querySelector("h1")?.textContent === "Double pendulum");
        await page.waitForFunction((old) => location.href !== old && !location.hash.includes("k="), link);
        await page.goto(link);
        await page.waitForFunction(() => document.querySelector("h1")?.textContent === "Endless");
        await parameter(page, "k", 0.5);
        expect(await page.inputValue(".editor-area")).toBe(`${ENDLESS}# own\n`);
        await page.evaluate(() => {
            const area = document.querySelector<HTMLTextAreaElement>(".editor-area")!;
            const line = (): string => `# ${[...crypto.getRandomValues(new Uint8Array(4000))].map((b) => b.toString(16)).join("")}\n`;
            area.value += Array.from({ length: 250 }, line).join(""); // 1 MB that cannot be packed
            area.dispatchEvent(new Event("input", { bubbles: true }));
        });
        await page.waitForFunction(() => !location.hash.includes("_") && location.hash.length < 100);
        const told = page.waitForSelector("text=Too long for a link"); // for three seconds
        await page.click("text=Copy link");
        await told;
        expect(complaints).toEqual([]);
        await close();
    });

    test("where there are no workers the page runs it itself; where one cannot start, it says so", async () => {
        const context = await browser.newContext({ reducedMotion: "reduce" });
        const file = `file://${report(["models/classics/double-pendulum.tram"])}`;
        const alone = await context.newPage();
        await alone.addInitScript(() => { Object.defineProperty(window, "Worker", { value: null }); });
        await alone.goto(file);
        await slide(alone, "g", 4);
        await parameter(alone, "g", 4);
        const broken = await context.newPage();
        await broken.addInitScript(() => {
            window.Worker = class extends EventTarget {
                postMessage(): void { setTimeout(() => this.dispatchEvent(new Event("error"))); }
                terminate(): void { /* never was */ }
            } as unknown as typeof Worker;
        });
        await broken.goto(file);
        await slide(broken, "g", 4);
        await broken.locator(".slider-message >> text=the engine of this page broke off").waitFor();
        await context.close();
    });

    test("how large, and how fast", async () => {
        const size = statSync(join(root, "web/dist/page.html")).size + statSync(join(root, "web/dist/engine.b64")).size;
        const { page, close } = await open(browser, report(["models/classics/double-pendulum.tram"]));
        const times: number[] = [];
        for (const g of [3, 4, 5, 6, 7, 8]) {
            const start = Date.now();
            await slide(page, "g", g);
            await parameter(page, "g", g);
            times.push(Date.now() - start);
        }
        console.log(`page and engine ${size} bytes; slider to picture ${times.join(", ")} ms`);
        expect(size).toBeLessThan(1_900_000);
        await close();
    });
});
