// What can be held: the thing of the picture that is nearest to the pointer, as the engine is told of it; and where a pointer is
// in the world, as far from the eye as what it holds.
import { basis, projector, type Vector, type View } from "./camera";
import type { Draw, Numbers, Outline, Picture } from "./data";
import type { Hold } from "./live-runner";
import { turnVector } from "./scene";

const NEAR = { mouse: 18, touch: 36 }; // pixels
const SNAP = 12; // pixels to an end that is meant

export interface Eye { view: View; width: number; height: number }
export interface Held { hold: Hold; at: Vector }

// as src/api/live.h numbers them
const DRAW = 0, DRAW_OFFSET = 1, BODY = 2;

interface Candidate { what: number; i: number; from: Vector; to: Vector | null; reach: number; turn: number[] | null }

function last(values: Numbers, width = 3): number[] {
    return Array.from(values.subarray(values.length - width));
}

const point = (values: Numbers): Vector => last(values) as Vector;
const moves = (values: Numbers | null, width = 3): boolean => values !== null && values.length > width;

function reachOf(picture: Picture, d: Draw): number {
    if (d.radii) return last(d.radii, 1)[0];
    const outline = picture.outlines[d.outline] as Outline | undefined;
    if (outline) return Math.max(0, ...outline.loops.flat().map((p) => Math.hypot(...p)));
    if (d.kind === "mesh") return d.reach;
    return d.kind === "box" ? Math.hypot(...d.size) / 2 : Math.max(...d.size);
}

function ofDraws(picture: Picture): Candidate[] {
    return picture.draws.flatMap((d, i): Candidate[] => {
        if (["trace", "text", "arrow"].includes(d.kind) || !(moves(d.at) || moves(d.to) || moves(d.turn, 4))) return [];
        if (d.to) return [{ what: DRAW, i, from: point(d.at), to: point(d.to), reach: 0, turn: null }];
        const turn = d.turn && last(d.turn, 4);
        return [{ what: DRAW_OFFSET, i, from: point(d.at), to: null, reach: reachOf(picture, d) + Math.hypot(...d.offset), turn }];
    });
}

function ofBodies(picture: Picture): Candidate[] {
    return picture.bodies.flatMap((b, i): Candidate[] =>
        moves(b.at) ? [{ what: BODY, i, from: point(b.at), to: null, reach: 0, turn: null }] : []);
}

export function candidates(picture: Picture): Candidate[] {
    return [...ofDraws(picture), ...ofBodies(picture)].filter((c) => [...c.from, ...(c.to ?? [])].every(Number.isFinite));
}

// The point of the world under a pixel, in the plane that faces the eye through `through`.
export function worldAt(eye: Eye, x: number, y: number, through: Vector): Vector {
    const { right, up } = basis(eye.view);
    const p: [number, number, number, number] = [0, 0, 0, 0];
    projector(eye.view, eye.width, eye.height)(...through, p);
    const [dx, dy] = [(x - p[0]) / p[3], (p[1] - y) / p[3]];
    return [0, 1, 2].map((k) => through[k] + dx * right[k] + dy * up[k]) as Vector;
}

// By the inverse of a turn, and within its reach.
function offsetOf(c: Candidate, at: Vector): [number, number, number] {
    const d = at.map((v, k) => v - c.from[k]);
    const far = Math.hypot(...d);
    const part = far > c.reach ? c.reach / far : 1;
    const [w, x, y, z] = c.turn ?? [1, 0, 0, 0];
    return c.turn ? turnVector([w, -x, -y, -z], d[0] * part, d[1] * part, d[2] * part) : [0, 0, 0];
}

function held(c: Candidate, part: number, offset: [number, number, number]): Held {
    const turned = c.turn ? turnVector(c.turn, ...offset) : [0, 0, 0];
    const at = c.from.map((v, k) => (c.to ? v + part * (c.to[k] - v) : v + turned[k])) as Vector;
    return { hold: { what: c.what, i: c.i, part, offset }, at };
}

// What is under the pointer; null: nothing that moves.
export function heldAt(picture: Picture, eye: Eye, x: number, y: number, touch: boolean): Held | null {
    const project = projector(eye.view, eye.width, eye.height);
    const [p, q]: [number, number, number, number][] = [[0, 0, 0, 0], [0, 0, 0, 0]];
    let [best, found]: [number, Held | null] = [touch ? NEAR.touch : NEAR.mouse, null];
    for (const c of candidates(picture)) {
        project(...c.from, p);
        project(...(c.to ?? c.from), q);
        const [dx, dy] = [q[0] - p[0], q[1] - p[1]];
        const length = Math.hypot(dx, dy);
        let part = length > 0 ? Math.min(1, Math.max(0, ((x - p[0]) * dx + (y - p[1]) * dy) / (length * length))) : 0;
        if (part * length < SNAP) part = 0;
        else if ((1 - part) * length < SNAP) part = 1;
        const away = Math.hypot(x - p[0] - part * dx, y - p[1] - part * dy);
        const distance = Math.max(0, away - c.reach * p[3]) + 1e-3 * away;
        if (!(distance < best)) continue;
        [best, found] = [distance, held(c, part, c.turn ? offsetOf(c, worldAt(eye, x, y, c.from)) : [0, 0, 0])];
    }
    return found;
}

// For the keyboard: one after the other, each at its far end.
export function heldNumber(picture: Picture, n: number): Held | null {
    const all = candidates(picture);
    return all.length > 0 ? held(all[n % all.length], all[n % all.length].to ? 1 : 0, [0, 0, 0]) : null;
}
