// Puts a run into the page as the C program does.
import { readFileSync, writeFileSync } from "node:fs";

const PLACE = '<script type="application/json" id="data">null</script>';

export function page(data: unknown): string {
    const [before, after] = readFileSync(new URL("../dist/page.html", import.meta.url), "utf8").split(PLACE);
    // "<" is written as an escape, so no text of a model can end the element or start a comment.
    const json = JSON.stringify(data).replace(/</g, "\\u003c");
    return `${before}${PLACE.replace("null", () => json)}${after}`;
}

export function writePage(file: string, data: unknown): void {
    writeFileSync(file, page(data));
}
