// A chart as a file: SVG and PNG for a paper or a slide, CSV with all digits. The picture is made anew from the numbers, in
// black on white, with what the chart shows: its ranges, its curves, its scales.
import { number, ticks } from "./format";
import { roundStep } from "./camera";
import type { Numbers, Plot } from "./data";

export interface Shown {
    title: string;
    plot: Plot; // the curves that are shown
    names: string[]; // in the legend
    colours: string[];
    dashes: number[][];
    x: [number, number];
    y: [number, number]; // with the offset
    log: [boolean, boolean];
    labels: [string, string];
}

const WIDTH = 640;
const HEIGHT = 400;
const BOX = { left: 72, top: 44, width: 548, height: 262 };

const escaped = (text: string): string => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

export interface Marks { at: number[]; labels: string[]; power: number }

export function marks([low, high]: [number, number], count: number): Marks {
    const step = roundStep((high - low) / count);
    const at: number[] = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) at.push(k * step);
    return { at, ...ticks(at, step) };
}

export function decades([low, high]: [number, number]): Marks {
    const at: number[] = [];
    const every = Math.max(1, Math.ceil((Math.log10(high) - Math.log10(low)) / 8));
    for (let e = Math.ceil(Math.log10(low)); e <= Math.log10(high) + 1e-9; e += every) at.push(10 ** e);
    return { at, labels: at.map((v) => number(v, 3)), power: 0 };
}

function curve(xs: Numbers, ys: Numbers, px: (x: number) => number, py: (y: number) => number): string {
    let path = "";
    let [pen, lastX, lastY] = [false, NaN, NaN];
    for (let i = 0; i < xs.length; i++) {
        const [x, y] = [px(xs[i]), py(ys[i])];
        if (!Number.isFinite(x + y)) {
            pen = false;
            continue;
        }
        if (pen && i + 1 < xs.length && Math.hypot(x - lastX, y - lastY) < 0.3) continue;
        path += `${pen ? "L" : "M"}${x.toFixed(2)} ${y.toFixed(2)}`;
        [pen, lastX, lastY] = [true, x, y];
    }
    return path;
}

export function chartSvg(s: Shown): string {
    const { left, top, width, height } = BOX;
    const place = (range: [number, number], log: boolean): ((v: number) => number) => {
        const value = (v: number): number => (log ? Math.log10(v) : v);
        const [low, high] = range.map(value);
        return (v) => (value(v) - low) / (high - low);
    };
    const [alongX, alongY] = [place(s.x, s.log[0]), place(s.y, s.log[1])];
    const px = (x: number): number => left + width * alongX(x);
    const py = (y: number): number => top + height * (1 - alongY(y));
    const out: string[] = [];
    const text = (x: number, y: number, shown: string, more = ""): void => { out.push(`<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${escaped(shown)}</text>`); };
    const [across, up] = [s.log[0] ? decades(s.x) : marks(s.x, 7), s.log[1] ? decades(s.y) : marks(s.y, 6)];
    const raised = (power: number): string => (power ? ` (×${number(10 ** power, 1)})` : "");
    text(left + width / 2, 26, s.title, 'text-anchor="middle" font-size="16"');
    across.at.forEach((x, i) => {
        out.push(`<path class="rule" d="M${px(x).toFixed(2)} ${top}v${height}"/>`);
        text(px(x), top + height + 18, across.labels[i], 'text-anchor="middle"');
    });
    up.at.forEach((y, i) => {
        out.push(`<path class="rule" d="M${left} ${py(y).toFixed(2)}h${width}"/>`);
        text(left - 7, py(y) + 4, up.labels[i], 'text-anchor="end"');
    });
    out.push(`<path class="axis" d="M${left} ${top}V${top + height}H${left + width}"/>`);
    text(left + width / 2, top + height + 38, s.labels[0] + raised(across.power), 'text-anchor="middle" font-style="italic"');
    text(0, 0, s.labels[1] + raised(up.power), `text-anchor="middle" font-style="italic" transform="translate(16 ${top + height / 2}) rotate(-90)"`);
    let [x, y] = [left, top + height + 64];
    s.plot.series.forEach((series, i) => {
        const dash = s.dashes[i].length ? ` stroke-dasharray="${s.dashes[i].join(" ")}"` : "";
        out.push(`<path class="curve" stroke="${s.colours[i]}"${dash} d="${curve(s.plot.x.values, series.values, px, py)}"/>`);
        const room = 44 + 7.2 * s.names[i].length;
        if (x > left && x + room > WIDTH) [x, y] = [left, y + 18];
        out.push(`<path fill="none" stroke-width="1.75" stroke="${s.colours[i]}"${dash} d="M${x} ${y - 4}h24"/>`);
        text(x + 30, y, s.names[i]);
        x += room;
    });
    const tall = Math.max(HEIGHT, y + 16);
    return `<?xml version="1.0" encoding="utf-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${tall}" viewBox="0 0 ${WIDTH} ${tall}" font-family="'Source Sans 3', Helvetica, Arial, sans-serif" font-size="13">
<style>.rule{stroke:#ddd}.axis{stroke:#444;fill:none}.curve{fill:none;stroke-width:1.75;stroke-linejoin:round;clip-path:url(#box)}</style>
<clipPath id="box"><rect x="${left}" y="${top}" width="${width}" height="${height}"/></clipPath>
<rect width="${WIDTH}" height="${tall}" fill="#fff"/>
${out.join("\n")}
</svg>
`;
}

// Names with commas or quotes stand in quotes.
export function chartCsv(plot: Plot): string {
    const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
    const lines = [[plot.x.label, ...plot.series.map((s) => s.label)].map(cell).join(",")];
    for (let i = 0; i < plot.x.values.length; i++) lines.push([plot.x.values[i], ...plot.series.map((s) => s.values[i] ?? NaN)].join(","));
    return lines.join("\n") + "\n";
}

export function save(content: Blob, name: string): void {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(content);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const RESOLUTION = 3; // pixels of the PNG for one of the SVG

export async function png(svg: string): Promise<Blob> {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = RESOLUTION * image.width;
    canvas.height = RESOLUTION * image.height;
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => canvas.toBlob((blob) => done(blob!), "image/png"));
}

export const fileName = (title: string): string => title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "") || "chart";
