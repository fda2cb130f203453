// That pages can be used by everybody, as far as axe-core can tell: nothing serious or critical, on a desk, a phone and paper.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { frames, open, startBrowser } from "../browser";
import { playground, report, root, writeModel } from "../program";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PENDULUM = readFileSync(join(root, "models/classics/double-pendulum.tram"), "utf8");
const WRONG = writeModel("access-wrong.tram", PENDULUM.replace("expect", "expect finally energy > 1e9\nexpect"));
const hasEngine = existsSync(join(root, "web/dist/engine.b64"));

interface Findings { violations: { id: string; impact: string | null; nodes: { html: string; failureSummary?: string }[] }[] }

let browser: Browser;
beforeAll(async () => { browser = await startBrowser(true); });
afterAll(() => browser.close());

async function serious(page: Page): Promise<string[]> {
    await frames(page, 3);
    if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE); // not as a script: the page's policy has none but its own
    // what is dimmed is out of use: the last run that there was
    const { violations } = await page.evaluate(() =>
        (window as unknown as { axe: { run: (what: object) => Promise<Findings> } }).axe.run({ exclude: [".stale"] }));
    return violations.filter((v) => v.impact === "serious" || v.impact === "critical")
        .flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.html.slice(0, 160)} ${(n.failureSummary ?? "").split("\n").at(-1)!.trim()}`));
}

// Each page in two of five surroundings, in turn; TEST_EVERY=1: in all.
const SURROUNDINGS = [["desk", "light"], ["phone", "dark"], ["paper", "light"], ["phone", "light"], ["desk", "dark"]] as const;
const all = process.env["TEST_EVERY"] === "1";
let next = 0;

async function expectUsable(page: Page): Promise<void> {
    for (const [name, colorScheme] of all ? SURROUNDINGS : [SURROUNDINGS[next++ % 5], SURROUNDINGS[next++ % 5]]) {
        await page.emulateMedia({ colorScheme, media: name === "paper" ? "print" : "screen" });
        if (name === "paper") await page.evaluate(() => { dispatchEvent(new Event("beforeprint")); });
        else await page.setViewportSize(name === "desk" ? { width: 1280, height: 800 } : { width: 390, height: 844 });
        expect(await serious(page), `${name}, ${colorScheme}`).toEqual([]);
    }
}

const PAGES: [string, () => string][] = [
    ["a report of the plane", () => report(["models/classics/double-pendulum.tram"])],
    ["a report of bodies in space", () => report(["models/mechanisms/four-bar-3d.tram"])],
    ["a report of what fails", () => report([WRONG])],
    ["a map of a sweep", () => report(["models/classics/pendulum.tram", "--vary", "L=1:2:3", "--vary", "m=1:2:3"])],
    ["a sweep of one parameter", () => report(["models/classics/pendulum.tram", "--vary", "L=1:2:3"])],
    ["a sweep of many", () => report(["models/classics/double-pendulum.tram", "--vary", "L=1:2:2", "--vary", "m=1:2:2", "--vary", "g=1:9:2"])],
];

test.each(PAGES)("%s", async (_name, file) => {
    const { page, complaints, close } = await open(browser, file());
    await expectUsable(page);
    expect(complaints).toEqual([]);
    await close();
});

describe.skipIf(!hasEngine)("with the engine", () => {
    test("a playground, and what is wrong in it", async () => {
        const { page, close } = await open(browser, playground());
        await page.waitForFunction(() => window.trammelPage!.samples.times.length > 0);
        await page.fill(".editor-area", `${PENDULUM}output wrong = 2*nobody\nsti`);
        await page.locator(".editor-numbers .bad").first().waitFor();
        await page.locator(".playground-said .notice").press("Enter");
        expect(await page.evaluate(() => document.activeElement?.className)).toBe("editor-area");
        await expectUsable(page);
        await close();
    });

    test("hands on, and the help", async () => {
        const { page, close } = await open(browser, report(["models/classics/double-pendulum.tram"]));
        await page.click("text=Hands on");
        await page.waitForFunction(() => window.trammelPage!.hands.frames > 2);
        await page.keyboard.press("Space");
        await expectUsable(page);
        await close();
        const { page: other, close: end } = await open(browser, report(["models/classics/double-pendulum.tram"]));
        await other.keyboard.press("?");
        await other.locator("dialog[open]").waitFor();
        expect(await serious(other)).toEqual([]);
        await end();
    });
});
