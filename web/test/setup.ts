// Before the tests in a browser: is there one, and a program with the page that was built last?
import { findChromium } from "./browser";
import { missingPage } from "./program";

export default function setup(): void {
    const missing = findChromium() ? missingPage() : "no Chromium here; scripts/install-deps test installs it";
    if (missing) throw new Error(missing);
}
