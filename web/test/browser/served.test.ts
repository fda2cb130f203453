// The page as trammel view serves it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { frames, listen, parameter, seek, slide, startBrowser, type Heard } from "../browser";
import { CASES } from "../models";
import { Viewing, complaint, root, simulate, writeModel } from "../program";

const shipped = (model: string): string => readFileSync(join(root, model), "utf8");
const PENDULUM = shipped(CASES["double-pendulum"].model[0]);

// Runs on and on where k is large.
const ENDLESS = `title "Endless"
param k = 1
coord x
initial x = k
kinetic x'^2/2
potential x^2/2
simulate until if(k > 1.5, 1e8, 10)
draw circle (x, 0) 0.1
`;

let browser: Browser;
let viewing: Viewing | null = null;
beforeAll(async () => { browser = await startBrowser(true); });
afterAll(() => browser.close());
afterEach(async () => {
    await viewing?.stop();
    viewing = null;
});

async function view(name: string, text: string): Promise<{ page: Page; file: string; asked: string[]; cancelled: string[]; heard: Heard }> {
    const file = writeModel(name, text);
    viewing = await Viewing.start(file);
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
    page.setDefaultTimeout(0); // the test's own will do
    const heard = listen(page);
    const [asked, cancelled]: [string[], string[]] = [[], []];
    const search = (url: string): string => decodeURIComponent(new URL(url).search);
    page.on("request", (request) => { if (request.url().includes("/data")) asked.push(search(request.url())); });
    page.on("requestfailed", (request) => { if (request.url().includes("/data")) cancelled.push(search(request.url())); });
    const events = page.waitForResponse((response) => response.url().endsWith("/events"));
    await page.goto(viewing.address);
    await page.waitForFunction(() => window.trammelPage!.samples.times.length > 0 || document.querySelector(".notice.bad"));
    await events;
    return { page, file, asked, cancelled, heard };
}

// Stage and columns are those of a run of its own with these options.
async function expectRun(page: Page, file: string, ...options: string[]): Promise<void> {
    const run = simulate([file, ...options]).columns;
    for (const i of [0, 100, 777]) {
        await seek(page, i);
        const shown = await page.evaluate(() => ({
            bob: window.trammelPage!.positions()[1].to!,
            columns: window.trammelPage!.samples.columns.filter((c) => !["energy", "work", "power"].includes(c.kind)).map((c) => [c.name, c.values[window.trammelPage!.clock.index]] as const),
        }));
        for (const [k, name] of ["x2", "y2"].entries()) expect(shown.bob[k]).toBeCloseTo(run.get(name)![i], 5);
        expect(shown.columns).toEqual(shown.columns.map(([name]) => [name, run.get(name)![i]]));
    }
}

test("a slider makes the motion that of a run with that value", async () => {
    const { page, file, asked, heard } = await view("pendulum.tram", PENDULUM);
    await expectRun(page, file);
    await slide(page, "g", 4);
    await parameter(page, "g", 4);
    expect(asked.at(-1)).toBe("?g=4");
    await expectRun(page, file, "--set", "g=4");
    await page.fill("[aria-label^='Value of L']", "2*m + 1/3");
    await page.keyboard.press("Enter");
    await parameter(page, "L", 2 + 1 / 3);
    await expectRun(page, file, "--set", "g=4", "--set", "L=2*m + 1/3");
    await page.click("text=As in the model");
    await parameter(page, "g", 9.81);
    await expectRun(page, file);
    expect(heard.complaints).toEqual([]);
    expect(heard.requests.filter((url) => !url.startsWith(viewing!.address))).toEqual([]);
    await page.close();
});

test("what is known of a model is shown before its run ends, and its sliders can shorten it", async () => {
    const file = writeModel("long.tram", ENDLESS.replace("k = 1", "k = 1.8"));
    viewing = await Viewing.start(file);
    const page = await browser.newPage({ reducedMotion: "reduce" });
    page.setDefaultTimeout(0); // the test's own will do
    const heard = listen(page);
    await page.goto(viewing.address);
    await page.waitForFunction(() => document.querySelector(".slider") && document.querySelector(".status")?.textContent === "running …");
    expect(await page.textContent("h1")).toBe("Endless");
    expect(await page.textContent(".model")).toContain("simulate until");
    expect(await page.locator(".verdict").isVisible()).toBe(false);
    await slide(page, "k", 0.5);
    await parameter(page, "k", 0.5);
    await page.waitForFunction(() => window.trammelPage!.positions()[0]?.at[0] === 0.5);
    expect(heard.complaints).toEqual([]);
    await page.close();
});

test("a newer question cancels the older", async () => {
    const { page, cancelled, heard } = await view("endless.tram", ENDLESS);
    const asked = page.waitForRequest((request) => request.url().includes("k=1.8"));
    await slide(page, "k", 1.8);
    await asked;
    await slide(page, "k", 0.5);
    await parameter(page, "k", 0.5);
    await frames(page, 2);
    expect(cancelled).toEqual(["?k=1.8"]);
    expect(await page.evaluate(() => window.trammelPage!.positions()[0].at[0])).toBe(0.5);
    expect(heard.complaints).toEqual([]);
    await page.close();
});

test("errors read as in the terminal, and the last motion stays", async () => {
    const { page, file, heard } = await view("wrong.tram", PENDULUM);
    const notice = page.locator(".notice.bad");
    const drawn = await page.evaluate(() => window.trammelPage!.positions().length);
    expect(drawn).toBeGreaterThan(2);
    await page.fill("[aria-label^='Value of L']", "2*nobody");
    await page.keyboard.press("Enter");
    await notice.waitFor();
    // A page has fields, not options: the setting goes by its name.
    const said = complaint([file, "--set", "L=2*nobody"]).trimEnd();
    expect(said).toContain("--set L:1:3: ");
    expect(await notice.textContent()).toBe(said.replace("--set L", "set L"));
    expect(await page.evaluate(() => window.trammelPage!.positions().length)).toBe(drawn);
    await page.click("text=As in the model");
    await notice.waitFor({ state: "detached" });
    // And in the file, on a line that would like to be a script.
    writeModel("wrong.tram", PENDULUM.replace("y2 = 0  ", "z9 = 0  # </script><img src=x onerror=alert(1)>"));
    await notice.waitFor();
    expect(await notice.textContent()).toBe(complaint([file]).trimEnd());
    expect(await notice.textContent()).toContain("</script><img src=x onerror=alert(1)>");
    await expectRun(page, writeModel("right.tram", PENDULUM));
    writeModel("wrong.tram", PENDULUM);
    await notice.waitFor({ state: "detached" });
    expect(heard.complaints).toEqual([]);
    await page.close();
});

test("a wrong model is served, and shown once it is right", async () => {
    const { page, file } = await view("late.tram", PENDULUM.replace("param ", "parm "));
    expect(await page.locator(".notice.bad").textContent()).toBe(complaint([file]).trimEnd());
    writeModel("late.tram", PENDULUM);
    await page.waitForFunction(() => window.trammelPage!.samples.times.length > 0);
    await expectRun(page, file);
    await page.close();
});

test("a saved file is read again", async () => {
    const { page, file } = await view("saved.tram", PENDULUM);
    await slide(page, "m", 0.5);
    await parameter(page, "m", 0.5);
    writeModel("saved.tram", PENDULUM.replace('"Double pendulum"', '"Saved anew"').replace("x2 = 2*L, y2 = 0", "x2 = L, y2 = L"));
    await page.waitForFunction(() => document.querySelector("h1")?.textContent === "Saved anew");
    await expectRun(page, file, "--set", "m=0.5");
    await page.close();
});

// With more than 12 coordinates the server leaves them out.
test("equations stay while the model has the same coordinates", async () => {
    const { page } = await view("chain.tram", shipped("models/classics/chain.tram"));
    const shown = (): Promise<boolean> => page.locator(".equations math").first().isVisible();
    expect(await shown()).toBe(true);
    await slide(page, "g", 4);
    await parameter(page, "g", 4);
    expect(await shown()).toBe(true);
    await page.fill("[aria-label^='Value of N']", "9");
    await page.keyboard.press("Enter");
    await parameter(page, "N", 9);
    expect(await shown()).toBe(false);
    await page.fill("[aria-label^='Value of N']", "8");
    await page.keyboard.press("Enter");
    await parameter(page, "N", 8);
    expect(await shown()).toBe(true);
    await page.close();
});
