// Names on the picture: each beside what it names, none over another or over what another names; one for which there is no
// room is left out.
import type { Colours } from "./theme";

export const LABEL_FONT = "12px 'Source Sans 3', system-ui, sans-serif";

// away: the direction in which it goes first; fixed: it stays where it is, whatever is there
export interface Label { text: string; x: number; y: number; away: [number, number]; colour: string; fixed?: boolean }
export interface Box { x0: number; x1: number; y0: number; y1: number }

const HIGH = 15;
const MARK = 4; // pixels about a point that is named
const GAPS = [8, 15];
const DIRECTIONS = 8;

const meet = (a: Box, b: Box): boolean => a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;

// Beside its point in a direction, so far that its box does not reach it.
function beside({ x, y }: Label, width: number, [dx, dy]: [number, number], gap: number): Box {
    const [cx, cy] = [x + dx * (gap + width / 2), y + dy * (gap + HIGH / 2)];
    return { x0: cx - width / 2, x1: cx + width / 2, y0: cy - HIGH / 2, y1: cy + HIGH / 2 };
}

function* places(label: Label, width: number): Generator<Box> {
    const n = Math.hypot(...label.away) || 1;
    const first = Math.atan2(label.away[1] / n, label.away[0] / n);
    for (const gap of GAPS)
        for (let k = 0; k < DIRECTIONS; k++) {
            const a = first + (k % 2 === 0 ? -1 : 1) * Math.ceil(k / 2) * ((2 * Math.PI) / DIRECTIONS);
            yield beside(label, width, [Math.cos(a), Math.sin(a)], gap);
        }
}

// others: what else is written there
export function drawLabels(g: CanvasRenderingContext2D, labels: Label[], others: Box[], colours: Colours, width: number, height: number): void {
    g.font = LABEL_FONT;
    g.textAlign = "left";
    g.textBaseline = "middle";
    g.lineJoin = "round";
    const marks = labels.map(({ x, y }): Box => ({ x0: x - MARK, x1: x + MARK, y0: y - MARK, y1: y + MARK }));
    const taken = [...others];
    const write = ({ text, colour }: Label, x: number, y: number): void => {
        g.strokeStyle = colours.paper;
        g.lineWidth = 3;
        g.strokeText(text, x, y);
        g.fillStyle = colour;
        g.fillText(text, x, y);
    };
    for (const label of [...labels].sort((a, b) => Number(b.fixed ?? false) - Number(a.fixed ?? false))) {
        const wide = g.measureText(label.text).width;
        if (label.fixed) {
            taken.push({ x0: label.x, x1: label.x + wide, y0: label.y - HIGH / 2, y1: label.y + HIGH / 2 });
            write(label, label.x, label.y);
            continue;
        }
        for (const box of places(label, wide)) {
            if (box.x0 < 0 || box.x1 > width || box.y0 < 0 || box.y1 > height) continue;
            if (taken.some((b) => meet(b, box)) || marks.some((b) => meet(b, box))) continue;
            taken.push(box);
            write(label, box.x0, (box.y0 + box.y1) / 2);
            break;
        }
    }
}
