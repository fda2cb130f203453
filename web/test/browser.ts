// Debian's Chromium, with WebGL in software or with none, and pages of the program in it.
import { existsSync } from "node:fs";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";

const PLACES = [process.env["CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export function findChromium(): string | null {
    return PLACES.find((place) => place && existsSync(place)) ?? null;
}

export async function startBrowser(webgl: boolean, ...more: string[]): Promise<Browser> {
    const graphics = webgl
        ? ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-compositing"] // as on a machine with no GPU
        : ["--disable-gpu", "--disable-webgl", "--disable-webgl2", "--disable-3d-apis"];
    return chromium.launch({
        executablePath: findChromium() ?? "/usr/bin/chromium",
        args: ["--no-sandbox", "--disable-dev-shm-usage", ...graphics, ...more],
    });
}

// Whatever the browser complains of, and asks the network for.
export interface Heard { complaints: string[]; requests: string[] }
export interface Opened extends Heard { page: Page; close: () => Promise<void> }

export function listen(page: Page): Heard {
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on("console", (message) => {
        // Chromium itself tells how its software renderer fares.
        if (!message.text().includes("GL Driver Message")) complaints.push(`${message.type()}: ${message.text()}`);
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("dialog", (dialog) => {
        complaints.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
    });
    page.on("request", (request) => {
        if (!/^(file|data|blob):/.test(request.url())) requests.push(request.url());
    });
    return { complaints, requests };
}

export async function open(browser: Browser, file: string, options: BrowserContextOptions = {}): Promise<Opened> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", ...options });
    context.setDefaultTimeout(0); // the test's own will do
    const page = await context.newPage();
    const heard = listen(page);
    await page.goto(`file://${file}`);
    await frames(page, 3);
    return { page, ...heard, close: () => context.close() };
}

export function frames(page: Page, count: number): Promise<void> {
    return page.evaluate((n) => new Promise<void>((resolve) => {
        const next = (left: number): void => {
            if (left > 0) requestAnimationFrame(() => next(left - 1));
            else resolve();
        };
        next(n);
    }), count);
}

export async function seek(page: Page, index: number): Promise<void> {
    await page.evaluate((i) => window.trammelPage!.clock.seek(i), index);
    await frames(page, 2);
}

export const index = (page: Page): Promise<number> => page.evaluate(() => window.trammelPage!.clock.index);
export const last = (page: Page): Promise<number> => page.evaluate(() => window.trammelPage!.clock.last);

// A slider is moved; a run with that value is there.
export const slide = (page: Page, name: string, value: number): Promise<void> => page.locator(`[id="parameter-${name}"]`).evaluate((slider, v) => {
    (slider as HTMLInputElement).value = String(v);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
}, value);

export const parameter = (page: Page, name: string, value: number): Promise<unknown> => page.waitForFunction(([n, v]) =>
    window.trammelPage!.samples.parameters.some((p) => p.name === n && p.value === v), [name, value] as const);

// What the legend of a chart has of each curve: the name and the number itself, not rounded.
export async function legend(page: Page, chart: number): Promise<Map<string, number>> {
    const titles = await page.locator(".chart").nth(chart).locator(".curve").evaluateAll((all) => all.map((e) => (e as HTMLElement).title));
    return new Map(titles.map((title) => {
        const [, name, value] = /^(.*) = (\S+); click/s.exec(title) ?? [title, title, "NaN"];
        return [name, Number(value)];
    }));
}
