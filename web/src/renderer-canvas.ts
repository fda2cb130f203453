// The animation on a plain canvas: scenes in the plane, drawn as in a textbook, and scenes in space where there is no
// WebGL, with the bodies painted from the farthest to the nearest.
import { basis, projector, roundStep, type Project, type View } from "./camera";
import type { Place } from "./clock";
import type { Outline, Point } from "./data";
import { drawForceExtras, nameForces } from "./forces";
import { ticks } from "./format";
import { LABEL_FONT, drawLabels, type Box, type Label } from "./labels";
import { drawLength } from "./length-bar";
import { floorStep, forceFactor, type Options, type Position, type Renderer } from "./renderer";
import { faceNormal, type Mesh } from "./mesh";
import { GROUND, isNamed, mirrored, turnTo, turnVector, type Item, type Scene } from "./scene";
import { hull, zigzag } from "./shape2d";
import { tone, type Colours } from "./theme";
import { thinPathTo } from "./thin";

const TRACE_POINTS = 60000; // in all: a frame must not take longer than it is shown

const HATCH = 9; // pixels between the strokes that say: this does not move

type Paint = () => void;
interface Layer { depth: number; paint: Paint }

// The corners of a unit cube, and its faces with their outward axis: 0 x, 1 y, 2 z.
const CORNERS = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [(i & 1) - 0.5, ((i >> 1) & 1) - 0.5, (i >> 2) - 0.5]);
const FACES: [corners: number[], axis: number, sign: number][] = [
    [[0, 2, 6, 4], 0, -1], [[1, 3, 7, 5], 0, 1], [[0, 1, 5, 4], 1, -1],
    [[2, 3, 7, 6], 1, 1], [[0, 1, 3, 2], 2, -1], [[4, 5, 7, 6], 2, 1],
];

export class CanvasRenderer implements Renderer {
    readonly kind = "canvas";
    readonly work = { calls: 0, triangles: 0 };
    readonly element = document.createElement("canvas");
    private readonly g = this.element.getContext("2d")!;
    private scene: Scene | null = null;
    private at = new Float64Array(0);
    private to = new Float64Array(0);
    private traces = new Map<Item, number[]>();
    private width = 1;
    private height = 1;
    private ratio = 1;
    private colours!: Colours;
    private project!: Project;
    private view!: View;
    private readonly p: [number, number, number, number] = [0, 0, 0, 0];
    private readonly q: [number, number, number, number] = [0, 0, 0, 0];
    private readonly turn = [1, 0, 0, 0];
    private lines = false;

    load(scene: Scene): void {
        this.scene = scene;
        this.at = new Float64Array(3 * scene.items.length);
        this.to = new Float64Array(3 * scene.items.length);
        this.retrace();
    }

    retrace(): void {
        const { scene } = this;
        this.traces.clear();
        if (!scene) return;
        const traced = scene.items.filter((item) => item.kind === "trace");
        for (const item of traced)
            this.traces.set(item, thinPathTo(item.at.values, 3, scene.scale / 3000, TRACE_POINTS / traced.length));
    }

    resize(width: number, height: number, ratio: number): void {
        this.width = width;
        this.height = height;
        this.ratio = ratio;
        this.element.width = Math.round(width * ratio);
        this.element.height = Math.round(height * ratio);
    }

    render(place: Place, view: View, options: Options, colours: Colours): void {
        const { g, scene } = this;
        if (!scene) return;
        this.colours = colours;
        this.view = view;
        this.lines = options.lines;
        this.project = projector(view, this.width, this.height);
        g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
        g.clearRect(0, 0, this.width, this.height);
        g.lineJoin = g.lineCap = "round";
        if (scene.dimension === 2 && !options.lines) this.rulers();
        else if (!options.lines) this.floor(scene);
        if (options.traces) for (const [item, kept] of this.traces) this.trace(item, kept, place);
        const layers: Layer[] = [];
        scene.items.forEach((item, i) => this.item(item, i, place, layers));
        if (scene.dimension === 3) layers.sort((a, b) => b.depth - a.depth);
        else layers.sort((a, b) => a.depth - b.depth);
        for (const layer of layers) layer.paint();
        if (options.forces) this.forces(scene, place, options);
        const pixels = this.height / view.height;
        const others = drawForceExtras(g, this.project, pixels, scene, place, options, colours, this.width, this.height);
        if (scene.dimension === 3 || options.lines) others.push(...drawLength(g, pixels, colours, 20, this.height - 20)); // else there are rulers
        this.names(scene, place, options, others);
    }

    positions(): Position[] {
        return (this.scene?.items ?? []).map((item, i) => ({
            label: item.label,
            kind: item.kind,
            ...(item.glyph ? { glyph: item.glyph } : {}),
            at: [...this.at.subarray(3 * i, 3 * i + 3)],
            ...(item.to ? { to: [...this.to.subarray(3 * i, 3 * i + 3)] } : {}),
        }));
    }

    dispose(): void {
        this.element.remove();
    }

    // A grid with round numbers along the left and the lower edge.
    private rulers(): void {
        const { g, view, width, height, colours } = this;
        const scale = height / view.height;
        const step = roundStep(64 / scale);
        const left = view.target[0] - width / 2 / scale;
        const bottom = view.target[1] - view.height / 2;
        const marks = (from: number, length: number): number[] => {
            const list: number[] = [];
            for (let k = Math.ceil(from / step); k * step <= from + length; k++) list.push(k * step);
            return list;
        };
        const xs = marks(left, width / scale);
        const ys = marks(bottom, view.height);
        g.lineWidth = 1;
        for (const x of xs) this.line((x - left) * scale, 0, (x - left) * scale, height, x === 0 ? colours.faint : colours.grid);
        for (const y of ys) {
            const py = height - (y - bottom) * scale;
            this.line(0, py, width, py, y === 0 ? colours.faint : colours.grid);
        }
        g.font = LABEL_FONT;
        g.fillStyle = colours.muted;
        g.textAlign = "center";
        g.textBaseline = "alphabetic";
        const xLabels = ticks(xs, step);
        const note = (power: number): string => (power ? `e${power}` : "");
        xs.forEach((x, i) => {
            const px = (x - left) * scale;
            if (px > 40 && px < width - 20) g.fillText(xLabels.labels[i] + note(xLabels.power), px, height - 7);
        });
        g.textAlign = "left";
        g.textBaseline = "middle";
        const yLabels = ticks(ys, step);
        ys.forEach((y, i) => {
            const py = height - (y - bottom) * scale;
            if (py > 14 && py < height - 24) g.fillText(yLabels.labels[i] + note(yLabels.power), 8, py - 8);
        });
    }

    private line(x0: number, y0: number, x1: number, y1: number, style: string): void {
        const { g } = this;
        g.strokeStyle = style;
        g.beginPath();
        g.moveTo(Math.round(x0) + 0.5, Math.round(y0) + 0.5);
        g.lineTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
        g.stroke();
    }

    private floor(scene: Scene): void {
        const { g, p, q, colours } = this;
        const k = scene.up === "z" ? 2 : 1;
        const other = scene.up === "z" ? 1 : 2;
        const step = floorStep(scene);
        const level = scene.box.min[k];
        const range = (axis: number): [number, number] => [
            Math.floor(scene.box.min[axis] / step - 0.5) * step, Math.ceil(scene.box.max[axis] / step + 0.5) * step,
        ];
        const [x0, x1] = range(0);
        const [y0, y1] = range(other);
        const draw = (ax: number, ay: number, bx: number, by: number): void => {
            if (other === 1) {
                this.project(ax, ay, level, p);
                this.project(bx, by, level, q);
            } else {
                this.project(ax, level, ay, p);
                this.project(bx, level, by, q);
            }
            g.beginPath();
            g.moveTo(p[0], p[1]);
            g.lineTo(q[0], q[1]);
            g.stroke();
        };
        g.lineWidth = 1;
        g.strokeStyle = colours.grid;
        for (let x = x0; x <= x1 + step / 2; x += step) draw(x, y0, x, y1);
        for (let y = y0; y <= y1 + step / 2; y += step) draw(x0, y, x1, y);
    }

    private trace(item: Item, kept: number[], place: Place): void {
        const { g, p, colours } = this;
        const v = item.at.values;
        g.strokeStyle = this.lines ? colours.ink : tone(colours, item.colour);
        g.setLineDash(this.lines ? [7, 5] : []);
        const path = (until: number): void => {
            g.beginPath();
            let pen = false;
            for (const i of kept) {
                if (i > until) break;
                const x = v[3 * i];
                if (Number.isNaN(x)) {
                    pen = false;
                    continue;
                }
                this.project(x, v[3 * i + 1], v[3 * i + 2], p);
                if (pen) g.lineTo(p[0], p[1]);
                else g.moveTo(p[0], p[1]);
                pen = true;
            }
        };
        g.globalAlpha = 0.25;
        g.lineWidth = 1.25;
        path(Infinity);
        g.stroke();
        g.globalAlpha = 0.9;
        g.lineWidth = 1.75;
        path(place.i);
        const now: number[] = [];
        item.at.read(place, now);
        this.project(now[0], now[1], now[2], p);
        g.lineTo(p[0], p[1]);
        g.stroke();
        g.globalAlpha = 1;
        g.setLineDash([]);
    }

    // Reads where the item is and adds what it takes to paint it. In the plane "depth" is the order of painting.
    private item(item: Item, i: number, place: Place, layers: Layer[]): void {
        const { at, to, p, q } = this;
        item.at.read(place, at, 3 * i);
        item.to?.read(place, to, 3 * i);
        const [x, y, z] = [at[3 * i], at[3 * i + 1], at[3 * i + 2]];
        if (!Number.isFinite(x + y + z) || item.kind === "trace" || item.kind === "text") return;
        this.project(x, y, z, p);
        const flat = this.view.dimension === 2;
        if (item.kind === "line" || item.kind === "spring" || item.kind === "arrow" || item.kind === "ground") {
            const [u, v, w] = [to[3 * i], to[3 * i + 1], to[3 * i + 2]];
            if (!item.to || !Number.isFinite(u + v + w)) return;
            if (item.kind === "arrow") this.project(x + u, y + v, z + w, q);
            else this.project(u, v, w, q);
            const ends: [number, number, number, number] = [p[0], p[1], q[0], q[1]];
            const depth = flat ? (item.kind === "spring" || item.kind === "ground" ? 0 : item.kind === "line" ? 1 : 4) : (p[2] + q[2]) / 2;
            layers.push({ depth, paint: () => this.segment(item, ends) });
            return;
        }
        const centre: [number, number, number, number] = [...p];
        const radius = item.radii ? item.radii[place.i] : item.size[0];
        const body = item.kind === "box" || item.kind === "cylinder" || item.kind === "ellipsoid" || item.kind === "mesh";
        const depth = flat ? (body ? 2 : item.kind === "point" ? 3.5 : 3) : p[2];
        if (body || item.kind === "outline") {
            this.turn[0] = 1;
            this.turn[1] = this.turn[2] = this.turn[3] = 0;
            item.turn?.readTurn(place, this.turn);
            const turn = [...this.turn];
            const [dx, dy, dz] = item.to ? [0, 1, 2].map((k) => (to[3 * i + k] - at[3 * i + k]) / 2) : item.glyph ? turnVector(turn, ...item.offset) : [0, 0, 0];
            if (item.to) {
                turn.splice(0, 4, ...turnTo(dx, dy, dz));
                item.size[1] = 2 * Math.hypot(dx, dy, dz);
            }
            const paint = item.shape ? this.outline.bind(this, item, item.shape) : item.mesh ? this.surface.bind(this, item, item.mesh) : this.body.bind(this, item);
            if (item.kind === "mesh" && !item.mesh) return;
            layers.push({ depth: flat && item.layer ? item.layer : depth, paint: () => paint(x + dx, y + dy, z + dz, turn) });
        } else if (item.kind === "pin") {
            layers.push({ depth: flat ? item.layer : depth, paint: () => this.hole(centre[0], centre[1], item.size[0] * centre[3]) });
        } else {
            const r = item.kind === "point" || !(radius > 0) ? this.pointSize() : Math.max(1, radius * centre[3]);
            const ring = flat && item.kind === "circle" && !item.at.moves && radius > 0; // a path or a rim: the ground is no disc
            const hollow = this.lines && item.kind !== "point"; // in a line drawing, bodies are white
            layers.push({
                depth: ring ? 0 : depth,
                paint: () => (ring ? this.ring(centre[0], centre[1], r) : hollow ? this.hole(centre[0], centre[1], r) : this.disc(centre[0], centre[1], r, this.colour(item))),
            });
        }
    }

    private colour(item: Item): string {
        return this.lines ? this.colours.ink : item.colour === GROUND ? this.colours.muted : item.colour < 0 ? this.colours.ink : tone(this.colours, item.colour);
    }

    private pointSize(): number {
        return this.scene && this.scene.items.length > 200 ? 2 : 4;
    }

    private barWidth(): number {
        const many = this.scene && this.scene.items.length > 60;
        return many ? 2 : Math.min(9, Math.max(4, Math.min(this.width, this.height) / 70));
    }

    private segment(item: Item, [x0, y0, x1, y1]: [number, number, number, number]): void {
        const { g, colours } = this;
        if (item.kind === "arrow") {
            this.arrow(x0, y0, x1, y1, this.colour(item), 2);
            return;
        }
        if (item.kind === "ground") {
            this.ground(x0, y0, x1, y1);
            return;
        }
        if (item.kind === "spring") {
            const size = Math.min(this.width, this.height);
            g.strokeStyle = colours.ink;
            g.lineWidth = 1.5;
            const length = Math.hypot(x1 - x0, y1 - y0);
            this.path(zigzag(x0, y0, x1, y1, Math.min(length / 3, Math.max(4, size / 40)), Math.max(3, Math.min(11, Math.round(length / 12)))), false);
            g.stroke();
            return;
        }
        const width = this.barWidth();
        const body = item.colour >= 0;
        g.strokeStyle = body ? this.colour(item) : colours.ink;
        g.lineWidth = width;
        this.path([[x0, y0], [x1, y1]], false);
        g.stroke();
        if (width < 4) return;
        g.strokeStyle = body || this.lines ? colours.paper : colours.link;
        g.lineWidth = width - 2.5;
        g.stroke();
        if (body && !this.lines) {
            g.globalAlpha = 0.45;
            g.strokeStyle = this.colour(item);
            g.stroke();
            g.globalAlpha = 1;
        }
        // Pins: an open circle, a filled one where the end is fixed to the ground.
        this.pin(x0, y0, width, !item.at.moves);
        this.pin(x1, y1, width, !item.to?.moves);
    }

    // Hatched on its right side, as seen from its first point.
    private ground(x0: number, y0: number, x1: number, y1: number): void {
        const { g, colours } = this;
        const length = Math.hypot(x1 - x0, y1 - y0);
        if (!(length > 1)) return;
        const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
        const count = Math.min(500, Math.round(length / HATCH));
        g.strokeStyle = colours.muted;
        g.lineWidth = 1;
        g.beginPath();
        for (let k = 0; k < count; k++) {
            const s = ((k + 0.8) * length) / count;
            g.moveTo(x0 + s * ux, y0 + s * uy);
            g.lineTo(x0 + (s - HATCH) * ux - HATCH * uy, y0 + (s - HATCH) * uy + HATCH * ux);
        }
        g.stroke();
        g.strokeStyle = colours.ink;
        g.lineWidth = 1.75;
        this.path([[x0, y0], [x1, y1]], false);
        g.stroke();
    }

    private pin(x: number, y: number, width: number, ground: boolean): void {
        const { g, colours } = this;
        g.beginPath();
        g.arc(x, y, Math.max(2, width * 0.42) + (ground ? 1 : 0), 0, 2 * Math.PI);
        g.fillStyle = ground ? colours.ink : colours.paper;
        g.fill();
        g.strokeStyle = colours.ink;
        g.lineWidth = 1.25;
        g.stroke();
    }

    // A pin, seen along its axis.
    private hole(x: number, y: number, r: number): void {
        const { g, colours } = this;
        g.beginPath();
        g.arc(x, y, Math.max(2.5, r), 0, 2 * Math.PI);
        g.fillStyle = colours.paper;
        g.fill();
        g.strokeStyle = colours.ink;
        g.lineWidth = 1.5;
        g.stroke();
    }

    // A shape, filled between its loops, and its lines.
    private outline(item: Item, shape: Outline, x: number, y: number, z: number, turn: number[]): void {
        const { g, p, colours } = this;
        const trace = (points: Point[], close: boolean): void => {
            points.forEach(([u, v], i) => {
                const [dx, dy, dz] = turnVector(turn, u, v, 0);
                this.project(x + dx, y + dy, z + dz, p);
                if (i === 0) g.moveTo(p[0], p[1]);
                else g.lineTo(p[0], p[1]);
            });
            if (close) g.closePath();
        };
        const colour = this.colour(item);
        g.beginPath();
        for (const loop of shape.loops) trace(loop, true);
        g.fillStyle = colours.paper;
        g.fill("evenodd");
        g.globalAlpha = this.lines ? 0 : item.colour < 0 ? 0.2 : 0.5;
        g.fillStyle = colour;
        g.fill("evenodd");
        g.globalAlpha = 1;
        g.strokeStyle = item.colour < 0 ? colours.ink : colour;
        g.lineWidth = 1.25;
        g.stroke();
        if (shape.lines.length === 0) return;
        g.beginPath();
        for (const line of shape.lines) trace(line, false);
        g.strokeStyle = this.lines ? colours.ink : colours.muted;
        g.lineWidth = 1;
        g.stroke();
    }

    // Its faces that look at us, from the farthest on, each with those of its edges that are lines.
    private surface(item: Item, mesh: Mesh, x: number, y: number, z: number, turn: number[]): void {
        const { g, colours } = this;
        const { faces, beyond, sharp, closed } = mesh;
        const [points, depths] = this.seen(item, mesh, x, y, z, turn);
        const sign = mirrored(item.size) ? -1 : 1;
        const facing = Array.from({ length: faces.length / 3 }, (_, i) => {
            const [a, b, c] = [points[faces[3 * i]], points[faces[3 * i + 1]], points[faces[3 * i + 2]]];
            return -sign * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])); // y of the screen points down
        });
        const shown = facing.map((f, i) => (f > 0 || (!closed && f < 0) ? i : -1)).filter((i) => i >= 0);
        const depth = (i: number): number => depths[faces[3 * i]] + depths[faces[3 * i + 1]] + depths[faces[3 * i + 2]];
        shown.sort((i, k) => depth(k) - depth(i));
        const colour = this.colour(item);
        const { up } = basis(this.view);
        for (const i of shown) {
            const normal = turnVector(turn, ...(faceNormal(mesh, i).map((v, k) => v / item.size[k]) as [number, number, number]));
            const light = 0.5 + (0.5 * (normal[0] * up[0] + normal[1] * up[1] + normal[2] * up[2])) / (Math.hypot(...normal) || 1);
            this.path([0, 1, 2].map((k) => points[faces[3 * i + k]]), true);
            for (const [style, alpha] of [[colours.paper, 1], [colour, this.lines ? 0 : 0.25 + 0.45 * light]] as [string, number][]) {
                g.globalAlpha = alpha;
                g.fillStyle = g.strokeStyle = style;
                g.lineWidth = 0.7; // no gap between neighbours
                g.fill();
                if (alpha === 1) g.stroke();
            }
            g.globalAlpha = 1;
            g.beginPath();
            for (let k = 0; k < 3; k++) {
                const next = beyond[3 * i + k];
                if (sharp[3 * i + k] === 0 && facing[next] > 0) continue;
                g.moveTo(...points[faces[3 * i + k]]);
                g.lineTo(...points[faces[3 * i + ((k + 1) % 3)]]);
            }
            g.strokeStyle = colour;
            g.lineWidth = 1.25;
            g.stroke();
        }
    }

    // The points of a mesh on the screen, and how far they are.
    private seen(item: Item, { points }: Mesh, x: number, y: number, z: number, turn: number[]): [Point[], number[]] {
        const { p } = this;
        const at: Point[] = [];
        const depths: number[] = [];
        for (let i = 0; i < points.length; i += 3) {
            const [dx, dy, dz] = turnVector(turn, points[i] * item.size[0], points[i + 1] * item.size[1], points[i + 2] * item.size[2]);
            this.project(x + dx, y + dy, z + dz, p);
            at.push([p[0], p[1]]);
            depths.push(p[2]);
        }
        return [at, depths];
    }

    private disc(x: number, y: number, r: number, colour: string): void {
        const { g, colours } = this;
        g.beginPath();
        g.arc(x, y, r, 0, 2 * Math.PI);
        g.fillStyle = colour;
        g.fill();
        if (r < 2.5) return;
        g.strokeStyle = colours.paper;
        g.lineWidth = 1;
        g.stroke();
    }

    private ring(x: number, y: number, r: number): void {
        const { g, colours } = this;
        g.beginPath();
        g.arc(x, y, r, 0, 2 * Math.PI);
        g.strokeStyle = colours.ink;
        g.lineWidth = 1.5;
        g.stroke();
    }

    private path(points: Point[], close: boolean): void {
        const { g } = this;
        g.beginPath();
        points.forEach(([x, y], i) => (i === 0 ? g.moveTo(x, y) : g.lineTo(x, y)));
        if (close) g.closePath();
    }

    // A box, cylinder or ellipsoid, turned: its outline filled, and the edges and faces that look at us.
    private body(item: Item, x: number, y: number, z: number, turn: number[]): void {
        const { g, p, colours } = this;
        const [a, b, c] = item.size;
        const place = (u: number, v: number, w: number): Point => {
            const [dx, dy, dz] = turnVector(turn, u, v, w);
            this.project(x + dx, y + dy, z + dz, p);
            return [p[0], p[1]];
        };
        const colour = this.colour(item);
        const fill = (points: Point[], light: number): void => {
            this.path(points, true);
            g.fillStyle = colours.paper;
            g.fill();
            g.globalAlpha = this.lines ? 0 : 0.25 + 0.45 * light;
            g.fillStyle = colour;
            g.fill();
            g.globalAlpha = 1;
            g.strokeStyle = colour;
            g.lineWidth = 1.5;
            g.stroke();
        };
        if (item.kind === "box") {
            const corners = CORNERS.map(([u, v, w]) => place(u * a, v * b, w * c));
            const { back, up } = basis(this.view);
            for (const [face, axis, sign] of FACES) {
                const normal = turnVector(turn, axis === 0 ? sign : 0, axis === 1 ? sign : 0, axis === 2 ? sign : 0);
                const facing = normal[0] * back[0] + normal[1] * back[1] + normal[2] * back[2];
                const light = 0.5 + 0.5 * (normal[0] * up[0] + normal[1] * up[1] + normal[2] * up[2]);
                if (facing > 1e-6) fill(face.map((k) => corners[k]), light);
            }
        } else if (item.kind === "cylinder") {
            const rim = (w: number): Point[] =>
                Array.from({ length: 32 }, (_, k) => place(a * Math.cos((k * Math.PI) / 16), a * Math.sin((k * Math.PI) / 16), w));
            const ends = [rim(-b / 2), rim(b / 2)];
            fill(hull([...ends[0], ...ends[1]]), 0.3);
            const axis = turnVector(turn, 0, 0, 1);
            const { back } = basis(this.view);
            const near = axis[0] * back[0] + axis[1] * back[1] + axis[2] * back[2] > 0 ? 1 : 0;
            fill(ends[near], 0.6);
            if (item.to) return; // between two points nobody knows whether it turns
            this.path([place(0, 0, (near - 0.5) * b), ends[near][0]], false); // a radius shows that it does
            g.stroke();
        } else {
            const points: Point[] = [];
            for (let i = 0; i <= 8; i++)
                for (let k = 0; k < 16; k++) {
                    const [th, ph] = [(i * Math.PI) / 8, (k * Math.PI) / 8];
                    points.push(place(a * Math.sin(th) * Math.cos(ph), b * Math.sin(th) * Math.sin(ph), c * Math.cos(th)));
                }
            fill(hull(points), 0.5);
        }
    }

    private arrow(x0: number, y0: number, x1: number, y1: number, colour: string, width: number): void {
        const { g } = this;
        const length = Math.hypot(x1 - x0, y1 - y0);
        if (!(length > 1)) return;
        const head = Math.min(length, 5 * width + 2);
        const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
        const [bx, by] = [x1 - head * ux, y1 - head * uy];
        g.strokeStyle = g.fillStyle = colour;
        g.lineWidth = width;
        g.lineCap = "butt";
        this.path([[x0, y0], [bx + ux, by + uy]], false);
        g.stroke();
        g.lineCap = "round";
        this.path([[x1, y1], [bx - 0.4 * head * uy, by + 0.4 * head * ux], [bx + 0.4 * head * uy, by - 0.4 * head * ux]], true);
        g.fill();
    }

    private forces(scene: Scene, place: Place, options: Options): void {
        const { p, q, colours } = this;
        const factor = forceFactor(scene, options);
        const at: number[] = [];
        const force: number[] = [];
        for (const item of scene.forces) {
            item.at.read(place, at);
            item.force.read(place, force);
            if (!Number.isFinite(at[0] + at[1] + at[2] + force[0] + force[1] + force[2])) continue;
            this.project(at[0], at[1], at[2], p);
            this.project(at[0] + factor * force[0], at[1] + factor * force[1], at[2] + factor * force[2], q);
            this.arrow(p[0], p[1], q[0], q[1], colours.force, 2);
        }
    }

    private names(scene: Scene, place: Place, options: Options, others: Box[]): void {
        const labels: Label[] = [];
        scene.items.forEach((item, i) => {
            const own = item.kind === "text";
            const [x, y, z] = [this.at[3 * i], this.at[3 * i + 1], this.at[3 * i + 2]];
            if ((!own && !(options.labels && isNamed(item))) || !Number.isFinite(x + y + z)) return;
            this.project(x, y, z, this.p);
            labels.push({ text: own ? item.text : item.label, x: this.p[0], y: this.p[1], away: [1, -1], colour: this.colours.ink, fixed: own });
        });
        nameForces(scene, this.project, place, options, this.colours, labels);
        drawLabels(this.g, labels, others, this.colours, this.width, this.height);
    }
}
