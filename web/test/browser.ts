// Starts Debian's Chromium, with WebGL in software or with none.
import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";

const PLACES = [process.env["CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export function findChromium(): string | null {
    return PLACES.find((place) => place && existsSync(place)) ?? null;
}

export async function startBrowser(webgl: boolean): Promise<Browser> {
    const graphics = webgl
        ? ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-compositing"] // as on a machine with no GPU
        : ["--disable-gpu", "--disable-webgl", "--disable-webgl2", "--disable-3d-apis"];
    return chromium.launch({
        executablePath: findChromium() ?? "/usr/bin/chromium",
        args: ["--no-sandbox", "--disable-dev-shm-usage", ...graphics],
    });
}
