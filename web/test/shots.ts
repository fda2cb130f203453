// Pictures of the samples to look at: npm run shots [NAME...] writes shots/NAME-{desktop,phone}-{light,dark}.png.
import { mkdirSync } from "node:fs";
import { startBrowser } from "./browser";
import { SAMPLES } from "./samples";
import { writePage } from "./write-page";

const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
const folder = new URL("../shots/", import.meta.url).pathname;
const wanted = process.argv.slice(2);

mkdirSync(folder, { recursive: true });
const browser = await startBrowser(true);
for (const [name, make] of Object.entries(SAMPLES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    writePage(`${folder}${name}.html`, make());
    for (const [size, viewport] of Object.entries(SIZES))
        for (const colorScheme of ["light", "dark"] as const) {
            const page = await browser.newPage({ viewport, colorScheme, deviceScaleFactor: size === "phone" ? 2 : 1 });
            page.on("console", (message) => console.log(name, message.type(), message.text()));
            page.on("pageerror", (error) => console.log(name, "error", error.message));
            await page.goto(`file://${folder}${name}.html`);
            await page.waitForTimeout(500);
            await page.evaluate(() => {
                const { clock } = window.trammelPage!;
                clock.seek(Math.round(clock.last * 0.42));
            });
            await page.waitForTimeout(400);
            await page.screenshot({ path: `${folder}${name}-${size}-${colorScheme}.png` });
            if (colorScheme === "light") await page.screenshot({ path: `${folder}${name}-${size}-full.png`, fullPage: true });
            await page.close();
        }
}
await browser.close();
