// The page as `trammel view` serves it, with a server of a few lines in its place.
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findChromium, startBrowser } from "../browser";
import { doublePendulum } from "../samples";
import { page as pageOf } from "../write-page";

describe.skipIf(!findChromium())("served", () => {
    let browser: Browser;
    let server: Server;
    let page: Page;
    let asked: string[] = [];
    let cancelled = 0;
    let title = "Double pendulum";
    const listeners = new Set<ServerResponse>();
    const complaints: string[] = [];

    function answer(url: URL, response: ServerResponse): void {
        asked.push(url.search);
        const g = Number(url.searchParams.get("g") ?? 9.81);
        const done = setTimeout(() => {
            response.setHeader("Content-Type", "application/json");
            if (g > 15) response.end(JSON.stringify({ error: "pendulum.tram:6:20: error: g is too large\n  param g = 16\n            ^" }));
            else response.end(JSON.stringify({ ...doublePendulum(g, 200), title, served: true }));
        }, 150);
        response.on("close", () => {
            if (response.writableFinished) return;
            cancelled++;
            clearTimeout(done);
        });
    }

    beforeAll(async () => {
        server = createServer((request, response) => {
            const url = new URL(request.url!, "http://127.0.0.1");
            if (url.pathname === "/data") answer(url, response);
            else if (url.pathname === "/events") {
                response.writeHead(200, { "Content-Type": "text/event-stream" });
                response.write(": hello\n\n");
                listeners.add(response);
                response.on("close", () => listeners.delete(response));
            } else {
                response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" });
                response.end(pageOf({ ...doublePendulum(9.81, 200), served: true }));
            }
        }).listen(0, "127.0.0.1");
        await new Promise((resolve) => server.once("listening", resolve));
        browser = await startBrowser(true);
        page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
        page.on("console", (message) => complaints.push(message.text()));
        page.on("pageerror", (error) => complaints.push(error.message));
    });
    afterAll(async () => {
        await browser.close();
        server.closeAllConnections();
        server.close();
    });
    beforeEach(async () => {
        asked = [];
        cancelled = 0;
        title = "Double pendulum";
        await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
        await page.waitForSelector(".slider");
    });

    const slide = (name: string, value: number): Promise<void> => page.evaluate(([n, v]) => {
        const slider = document.getElementById(`parameter-${n}`) as HTMLInputElement;
        slider.value = String(v);
        slider.dispatchEvent(new Event("input", { bubbles: true }));
    }, [name, value] as const);
    const bob = (): Promise<number[]> => page.evaluate(() => window.trammelPage!.positions()[4].at);

    test("a slider asks for new data, and the page follows", async () => {
        await page.evaluate(() => window.trammelPage!.clock.seek(100));
        await slide("g", 4);
        await page.waitForFunction(() => window.trammelPage!.samples.parameters[2].value === 4);
        await page.waitForTimeout(100);
        expect(asked.at(-1)).toBe("?g=4");
        const fresh = doublePendulum(4, 200);
        const shown = await bob();
        fresh.draws[4].at.slice(300, 303).forEach((v, k) => expect(shown[k]).toBeCloseTo(v, 12));
        expect(await page.locator(".chart").count()).toBe(4);
        await page.click("text=As in the model");
        await page.waitForFunction(() => window.trammelPage!.samples.parameters[2].value === 9.81);
        expect(asked.at(-1)).toBe("");
    });

    test("a newer question cancels the older", async () => {
        for (const g of [3, 4, 5]) {
            await slide("g", g);
            await page.waitForTimeout(90);
        }
        await page.waitForFunction(() => window.trammelPage!.samples.parameters[2].value === 5);
        expect(cancelled).toBeGreaterThanOrEqual(1);
    });

    test("an error reads as in the terminal, and the last motion stays", async () => {
        await slide("g", 16);
        await page.waitForSelector(".notice.bad");
        expect(await page.locator(".notice.bad").textContent()).toContain("g is too large\n  param g = 16");
        expect(await page.evaluate(() => window.trammelPage!.positions().length)).toBe(5);
        await slide("g", 9);
        await page.waitForSelector(".notice.bad", { state: "detached" });
    });

    test("an expression may be typed", async () => {
        await page.fill("[aria-label^='Value of L']", "2*m + 1");
        await page.keyboard.press("Enter");
        await expect.poll(() => asked.at(-1)).toBe("?L=2*m%20%2B%201");
    });

    test("a saved file is read again", async () => {
        await expect.poll(() => listeners.size).toBeGreaterThan(0);
        title = "Saved anew";
        for (const listener of listeners) listener.write("data: changed\n\n");
        await page.waitForFunction(() => document.querySelector("h1")?.textContent === "Saved anew");
    });

    test("and nothing was complained of", () => expect(complaints).toEqual([]));
});
