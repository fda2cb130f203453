import { expect, test } from "vitest";
import { drawLabels, type Box, type Label } from "../../src/labels";
import { drawLength } from "../../src/length-bar";
import { number } from "../../src/format";
import type { Colours } from "../../src/theme";

const COLOURS: Colours = { paper: "", ink: "", muted: "", faint: "", grid: "", link: "", bar: "", force: "", series: [], dark: false };

// Of a canvas: the texts on it, seven pixels to a letter, and where its strokes went.
function canvas(): { g: CanvasRenderingContext2D; texts: Map<string, [number, number]>; xs: number[] } {
    const texts = new Map<string, [number, number]>();
    const xs: number[] = [];
    const g = {
        measureText: (text: string) => ({ width: 7 * text.length }), fillText: (text: string, x: number, y: number) => texts.set(text, [x, y]),
        strokeText: () => undefined, beginPath: () => undefined, stroke: () => undefined, moveTo: (x: number) => xs.push(x), lineTo: (x: number) => xs.push(x),
    };
    return { g: g as unknown as CanvasRenderingContext2D, texts, xs };
}

const label = (text: string, x: number, y: number): Label => ({ text, x, y, away: [1, 0], colour: "" });

test("a name keeps clear of what else is written, or is left out", () => {
    const free = canvas();
    drawLabels(free.g, [label("head", 50, 50)], [], COLOURS, 200, 100);
    const [x, y] = free.texts.get("head")!;
    expect(x).toBeGreaterThan(50);
    const scale: Box = { x0: 54, x1: 200, y0: 42, y1: 58 };
    const beside = canvas();
    drawLabels(beside.g, [label("head", 50, 50)], [scale], COLOURS, 200, 100);
    const moved = beside.texts.get("head")!;
    expect(moved).not.toEqual([x, y]);
    expect(moved[0] + 28 <= scale.x0 || moved[1] + 7 <= scale.y0 || moved[1] - 7 >= scale.y1).toBe(true);
    const full = canvas();
    drawLabels(full.g, [label("head", 50, 50)], [{ x0: 0, x1: 200, y0: 0, y1: 100 }], COLOURS, 200, 100);
    expect(full.texts.size).toBe(0);
});

test("the bar has a round length", () => {
    for (const [pixels, told, long] of [[100, 0.5, 50], [99, 1, 99], [3.3e6, 2e-5, 66], [0.02, 5000, 100]] as const) {
        const { g, texts, xs } = canvas();
        const [box] = drawLength(g, pixels, COLOURS, 20, 80);
        expect(Math.max(...xs) - Math.min(...xs)).toBeCloseTo(long, 6);
        expect([...texts.keys()]).toEqual([number(told, 3)]);
        expect(box.x1).toBeGreaterThan(20 + long);
    }
});
