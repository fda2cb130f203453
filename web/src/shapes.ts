// Outlines that glyphs are made of, in the plane of their own x and y: of gears, racks, wheels, plates. A shape is filled
// between its loops, and as thick as it is deep; lines are drawn in the plane only.
import type { Point } from "./shape2d";

export interface Shape {
    key: string; // things of one key look alike
    loops: Point[][];
    lines: Point[][];
    depth: number;
}

const TURN = 2 * Math.PI;
const ADDENDUM = 0.9; // in modules
const DEDENDUM = 1.2;
const HALF_TOOTH = 0.24; // of a pitch, at the pitch circle: a little air between teeth
const PRESSURE = (20 * Math.PI) / 180; // of involute teeth, as of common gears

const polar = (r: number, a: number): Point => [r * Math.cos(a), r * Math.sin(a)];
const circle = (r: number, n: number, x = 0, y = 0): Point[] => Array.from({ length: n }, (_, k) => [x + r * Math.cos((TURN * k) / n), y + r * Math.sin((TURN * k) / n)]);

export function rectangle(width: number, height: number, x = 0, y = 0): Point[] {
    const [a, b] = [width / 2, height / 2];
    return [[x - a, y - b], [x + a, y - b], [x + a, y + b], [x - a, y + b]];
}

// Teeth for a pair of wheels whose radii have this ratio: whole numbers, as near to it as there are.
export function teethOf(ratio: number): [number, number] {
    const least = 18;
    let best: [number, number] = [least, least];
    let miss = Infinity;
    for (let small = least; small <= 36; small++) {
        const large = Math.max(ratio, 1 / ratio) * small;
        const error = Math.abs(large - Math.round(large)) / large;
        if (error < miss - 1e-9) {
            miss = error;
            best = ratio >= 1 ? [Math.round(large), small] : [small, Math.round(large)];
        }
    }
    return best;
}

// A gear of this pitch radius; the middle of one of its teeth stands at the angle `phase`.
export function gear(radius: number, teeth: number, phase: number, depth: number): Shape {
    const module = (2 * radius) / teeth;
    const [tip, root, pitch] = [radius + ADDENDUM * module, radius - DEDENDUM * module, TURN / teeth];
    const outline: Point[] = [];
    // An involute of the base circle: half as wide there as the pitch circle has it, and less outwards.
    const base = radius * Math.cos(PRESSURE);
    const involute = (r: number): number => Math.sqrt(Math.max(0, (r / base) ** 2 - 1)) - Math.acos(Math.min(1, base / r));
    const half = (r: number): number => HALF_TOOTH * pitch + involute(radius) - involute(r);
    const steps = [0, 0.2, 0.4, 0.6, 0.8, 1].map((s) => Math.max(root, base) + s * (tip - Math.max(root, base)));
    for (let k = 0; k < teeth; k++) {
        const a = phase + k * pitch;
        outline.push(polar(root, a - half(steps[0])), ...steps.map((r) => polar(r, a - half(r))));
        outline.push(...[...steps].reverse().map((r) => polar(r, a + half(r))), polar(root, a + half(steps[0])));
    }
    const hub = Math.min(0.22 * radius, root / 2);
    const loops = [outline, circle(hub * 0.5, 20)];
    if (root > 6 * module) // holes show that it turns
        for (let k = 0; k < 5; k++) loops.push(circle(0.16 * root, 16, ...polar((root + hub) / 2, phase + (TURN * (k + 0.5)) / 5)));
    return { key: `gear ${radius} ${teeth} ${phase} ${depth}`, loops, lines: [], depth };
}

// A rack along x, its teeth towards -y or +y, the pitch line at y = 0; a gap stands at x = 0.
export function rack(from: number, to: number, module: number, up: boolean, depth: number): Shape {
    const pitch = Math.PI * module;
    const sign = up ? 1 : -1;
    const outline: Point[] = [];
    const [first, last] = [Math.floor(from / pitch), Math.ceil(to / pitch)];
    for (let k = first; k < last; k++) {
        const a = (k + 0.5) * pitch;
        const [foot, head] = [-DEDENDUM, ADDENDUM].map((y) => HALF_TOOTH * pitch - y * module * Math.tan(PRESSURE));
        for (const [x, y] of [[a - foot, -DEDENDUM], [a - head, ADDENDUM], [a + head, ADDENDUM], [a + foot, -DEDENDUM]])
            outline.push([x, sign * y * module]);
    }
    const back = -sign * (DEDENDUM + 2.5) * module;
    outline.push([last * pitch, -sign * DEDENDUM * module], [last * pitch, back], [first * pitch, back], [first * pitch, -sign * DEDENDUM * module]);
    return { key: `rack ${from} ${to} ${module} ${up}`, loops: [outline], lines: [], depth };
}

// A wheel with spokes: tyre, hub, and the holes between.
export function wheel(radius: number, depth: number, spokes = 8): Shape {
    const [rim, hub] = [0.86 * radius, 0.16 * radius];
    const loops = [circle(radius, 64)];
    for (let k = 0; k < spokes; k++) {
        const [a, b] = [(TURN * k) / spokes, (TURN * (k + 1)) / spokes];
        const [outer, inner] = [0.03, 0.03 * (rim / hub)]; // half a spoke, as an angle at the rim and at the hub
        const hole: Point[] = [];
        for (let i = 0; i <= 8; i++) hole.push(polar(rim, a + outer + ((b - a - 2 * outer) * i) / 8));
        for (let i = 3; i >= 0; i--) hole.push(polar(hub, a + inner + ((b - a - 2 * inner) * i) / 3));
        loops.push(hole);
    }
    return { key: `wheel ${radius} ${depth}`, loops, lines: [], depth };
}

// Rounded about its corners by a radius.
export function plate(corners: Point[], radius: number, depth: number): Shape {
    const outline: Point[] = [];
    const n = corners.length;
    corners.forEach((p, i) => {
        const [before, after] = [corners[(i + n - 1) % n], corners[(i + 1) % n]];
        const from = Math.atan2(before[0] - p[0], p[1] - before[1]); // normals of both edges, outwards
        let to = Math.atan2(p[0] - after[0], after[1] - p[1]);
        while (to < from) to += TURN;
        for (let k = 0; k <= 6; k++) {
            const a = from + ((to - from) * k) / 6 + Math.PI;
            outline.push([p[0] + radius * Math.cos(a), p[1] + radius * Math.sin(a)]);
        }
    });
    const holes = corners.map(([x, y]) => circle(radius * 0.4, 14, x, y));
    return { key: `plate ${corners.join()} ${depth}`, loops: [outline, ...holes], lines: [], depth };
}

// Strokes below a line from one x to another at height y: what they stand on does not move.
export function hatching(from: number, to: number, y: number, length: number, below = true): Point[][] {
    const count = Math.max(3, Math.min(200, Math.round((to - from) / (0.7 * length))));
    const sign = below ? -1 : 1;
    const lines: Point[][] = [[[from, y], [to, y]]];
    for (let k = 0; k < count; k++) {
        const x = from + ((to - from) * (k + 0.5)) / count + length * 0.25;
        lines.push([[x, y], [x - 0.6 * length, y + sign * length * 0.7]]);
    }
    return lines;
}

// A fixed pin in the plane: a triangle on hatched ground.
export function bracket(u: number): Shape {
    return {
        key: `bracket ${u}`, depth: u,
        loops: [[[0, 0.2 * u], [-1.2 * u, -1.8 * u], [1.2 * u, -1.8 * u]]],
        lines: hatching(-1.7 * u, 1.7 * u, -1.8 * u, 0.8 * u),
    };
}
