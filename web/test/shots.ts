// Pictures of pages to look at: npm run shots [NAME...] writes shots/NAME-{desktop,phone}-{light,dark}.png of the models that
// are tested, and of the whole page NAME-{desktop,phone}-full.png.
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { frames, last, open, seek, startBrowser } from "./browser";
import { CASES } from "./models";
import { missingPage, report } from "./program";

const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
const folder = fileURLToPath(new URL("../shots/", import.meta.url));
const wanted = process.argv.slice(2);

const missing = missingPage();
if (missing) throw new Error(missing);
mkdirSync(folder, { recursive: true });
const browser = await startBrowser(true);
for (const [name, { model }] of Object.entries(CASES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    for (const [size, viewport] of Object.entries(SIZES))
        for (const colorScheme of ["light", "dark"] as const) {
            const { page, complaints, close } = await open(browser, report(model), { viewport, colorScheme, deviceScaleFactor: size === "phone" ? 2 : 1 });
            await seek(page, Math.round(0.42 * await last(page)));
            await frames(page, 10);
            await page.screenshot({ path: `${folder}${name}-${size}-${colorScheme}.png` });
            if (colorScheme === "light") await page.screenshot({ path: `${folder}${name}-${size}-full.png`, fullPage: true });
            for (const complaint of complaints) console.log(name, complaint);
            await close();
        }
}
await browser.close();
