// What is shown of forces beside their arrows: torques as arcs about their axis, a scale, and which arrow is under the
// pointer. Drawn on the plain canvas that lies above either renderer's picture, so that nothing hides it.
import { roundStep, type Project } from "./camera";
import type { Place } from "./clock";
import { number } from "./format";
import { LABEL_FONT, type Box, type Label } from "./labels";
import { forceFactor, type Options } from "./renderer";
import type { ForceItem, Scene } from "./scene";
import type { Colours } from "./theme";

type Vector = [number, number, number];

const ARC = 0.8; // of a full turn, of the largest torque
const NAMED = 8; // more names than that are not shown
const SEEN = 14; // pixels of an arrow that has a name
const NEAR = 9; // pixels to an arrow that is meant

function torqueOf(item: ForceItem, place: Place): Vector {
    const read = [0, 0, 0];
    item.torque?.read(place, read);
    return item.torque?.width === 1 ? [0, 0, read[0]] : [read[0], read[1], read[2]];
}

function across([x, y, z]: Vector): [Vector, Vector] {
    const a: Vector = Math.abs(z) < 0.9 ? [0, 0, 1] : [1, 0, 0];
    const u: Vector = [y * a[2] - z * a[1], z * a[0] - x * a[2], x * a[1] - y * a[0]];
    const n = Math.hypot(...u) || 1;
    for (let k = 0; k < 3; k++) u[k] /= n;
    return [u, [y * u[2] - z * u[1], z * u[0] - x * u[2], x * u[1] - y * u[0]]];
}

function torque(g: CanvasRenderingContext2D, project: Project, at: number[], t: Vector, largest: number, radius: number): void {
    const size = Math.hypot(...t);
    const part = size / largest;
    if (!(part > 0.02)) return;
    const [u, v] = across([t[0] / size, t[1] / size, t[2] / size]);
    const sweep = 2 * Math.PI * ARC * Math.min(1, part);
    const p: [number, number, number, number] = [0, 0, 0, 0];
    const point = (a: number, r = radius): [number, number] => {
        const [c, s] = [r * Math.cos(a), r * Math.sin(a)];
        project(at[0] + c * u[0] + s * v[0], at[1] + c * u[1] + s * v[1], at[2] + c * u[2] + s * v[2], p);
        return [p[0], p[1]];
    };
    g.beginPath();
    for (let k = 0; k <= 32; k++) g.lineTo(...point((sweep * k) / 32));
    g.stroke();
    const back = sweep - Math.min(0.5, sweep / 2);
    g.beginPath();
    g.moveTo(...point(sweep));
    g.lineTo(...point(back, radius * 0.78));
    g.lineTo(...point(back, radius * 1.22));
    g.closePath();
    g.fill();
}

// A length that stands for a round force; where that is.
function scaleBar(g: CanvasRenderingContext2D, factor: number, pixels: number, colours: Colours, width: number, height: number): Box[] {
    const round = roundStep(60 / (factor * pixels));
    const length = round * factor * pixels;
    if (!(length > 4) || length > width) return [];
    const [x, y] = [width - 18, height - 20];
    g.strokeStyle = g.fillStyle = colours.force;
    g.lineWidth = 2;
    g.beginPath();
    g.moveTo(x - length, y);
    g.lineTo(x - 6, y);
    g.stroke();
    g.beginPath();
    g.moveTo(x, y);
    g.lineTo(x - 8, y - 4);
    g.lineTo(x - 8, y + 4);
    g.fill();
    g.font = LABEL_FONT;
    g.textAlign = "right";
    g.textBaseline = "middle";
    g.strokeStyle = colours.paper;
    g.lineWidth = 3;
    const text = `force ${number(round, 3)} =`;
    g.strokeText(text, x - length - 8, y);
    g.fillText(text, x - length - 8, y);
    g.textAlign = "left";
    return [{ x0: x - length - 12 - g.measureText(text).width, x1: width, y0: y - 8, y1: height }];
}

function sayNone(g: CanvasRenderingContext2D, colours: Colours, width: number, height: number): Box[] {
    g.font = LABEL_FONT;
    g.fillStyle = colours.muted;
    g.textAlign = "right";
    g.textBaseline = "middle";
    const text = "constraint forces are zero, but for rounding";
    g.fillText(text, width - 18, height - 20);
    g.textAlign = "left";
    return [{ x0: width - 18 - g.measureText(text).width, x1: width, y0: height - 28, y1: height }];
}

// Torques and the scale; where it stands.
export function drawForceExtras(g: CanvasRenderingContext2D, project: Project, pixels: number, scene: Scene, place: Place, options: Options,
                                colours: Colours, width: number, height: number): Box[] {
    if (scene.forces.length === 0 || !options.forces) return [];
    g.strokeStyle = g.fillStyle = colours.force;
    g.lineWidth = 2;
    const at = [0, 0, 0];
    if (scene.largestTorque > 0)
        for (const item of scene.forces) {
            if (!item.torque) continue;
            item.at.read(place, at);
            torque(g, project, at, torqueOf(item, place), scene.largestTorque, 0.05 * scene.scale);
        }
    return scene.largestForce === 0 ? sayNone(g, colours, width, height) : scaleBar(g, forceFactor(scene, options), pixels, colours, width, height);
}

// Names at the tips of arrows.
export function nameForces(scene: Scene, project: Project, place: Place, options: Options, colours: Colours, labels: Label[]): void {
    if (!options.forces || scene.forces.length > NAMED) return;
    const factor = forceFactor(scene, options);
    const [p, q]: [number, number, number, number][] = [[0, 0, 0, 0], [0, 0, 0, 0]];
    const [at, force] = [[0, 0, 0], [0, 0, 0]];
    for (const item of scene.forces) {
        item.at.read(place, at);
        item.force.read(place, force);
        project(at[0], at[1], at[2], p);
        project(at[0] + factor * force[0], at[1] + factor * force[1], at[2] + factor * force[2], q);
        const [x, y] = [q[0] - p[0], q[1] - p[1]];
        if (Math.hypot(x, y) >= SEEN) labels.push({ text: item.label, x: q[0], y: q[1], away: [x, y], colour: colours.force });
    }
}

// The force whose arrow is under a pixel, in words.
export function forceAt(project: Project, scene: Scene, place: Place, options: Options, x: number, y: number): string | null {
    if (!options.forces) return null;
    const factor = forceFactor(scene, options);
    const p: [number, number, number, number] = [0, 0, 0, 0];
    const [at, force] = [[0, 0, 0], [0, 0, 0]];
    let [best, found]: [number, string | null] = [NEAR, null];
    for (const item of scene.forces) {
        item.at.read(place, at);
        item.force.read(place, force);
        project(at[0], at[1], at[2], p);
        const [x0, y0] = p;
        project(at[0] + factor * force[0], at[1] + factor * force[1], at[2] + factor * force[2], p);
        const [dx, dy] = [p[0] - x0, p[1] - y0];
        const s = Math.min(1, Math.max(0, ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy || 1)));
        const distance = Math.hypot(x - x0 - s * dx, y - y0 - s * dy);
        if (!(distance < best)) continue;
        best = distance;
        const parts = force.slice(0, scene.dimension).map((v) => number(v, 4)).join(", ");
        const t = torqueOf(item, place);
        const turns = Math.hypot(...t) > 0.02 * scene.largestTorque ? `; torque ${number(Math.hypot(...t), 4)}` : "";
        found = `${item.label}: ${number(Math.hypot(...force), 4)} (${parts})${turns}`;
    }
    return found;
}
