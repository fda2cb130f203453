// The animation in space, on WebGL through three.js. Things of one form are one batch, so a thousand bodies cost ten draw
// calls; each frame writes their matrices and nothing else. Text stands on a plain canvas above.
import {
    BoxGeometry, BufferGeometry, Color, ConeGeometry, Curve, DirectionalLight,
    Float32BufferAttribute, Group, HemisphereLight, LineBasicMaterial, LineSegments,
    PerspectiveCamera, ShapeUtils, Scene as World, TubeGeometry, Vector2, Vector3, WebGLRenderer,
} from "three";
import { Batch, type Look, type Matrices } from "./batch";
import { basis, eyeDistance, fieldDegrees, projector, type View } from "./camera";
import type { Place } from "./clock";
import { OWN_COLOUR, type Outline, type Point } from "./data";
import { ballMaterial, ballQuad, rodMaterial, rodQuad, solidMaterial, type Light } from "./impostors";
import { drawForceExtras, nameForces } from "./forces";
import { END_ITEMS, LineDrawing, OVERLAY } from "./line-drawing";
import { LABEL_FONT, drawLabels, type Label } from "./labels";
import { drawLength } from "./length-bar";
import { cornerNormals, type Mesh } from "./mesh";
import { floorStep, forceFactor, type Options, type Position, type Renderer, type Work } from "./renderer";
import { Ribbon, pieces, setPiece, share } from "./ribbon";
import { Shadow } from "./shadow";
import { GROUND, isNamed, mirrored, turnTo, turnVector, type Item, type Scene } from "./scene";
import { tone, type Colours } from "./theme";
import { thinPathTo } from "./thin";

const TRACE_POINTS = 100000; // in all
const MANY = 300; // items, of which rods are drawn thin and without round ends
const SKY = 2.6; // of light from above and below
const LAMP = 1.9; // of light over the shoulder
const UPRIGHT = [1, 0, 0, 0];

// --- matrices, written straight into those of the batch: columns x, y, z and the position ----------------------------

function setColumns(m: Matrices, i: number, x: ArrayLike<number>, y: ArrayLike<number>, z: ArrayLike<number>,
                    px: number, py: number, pz: number): void {
    const k = 16 * i;
    m[k] = x[0]; m[k + 1] = x[1]; m[k + 2] = x[2]; m[k + 3] = 0;
    m[k + 4] = y[0]; m[k + 5] = y[1]; m[k + 6] = y[2]; m[k + 7] = 0;
    m[k + 8] = z[0]; m[k + 9] = z[1]; m[k + 10] = z[2]; m[k + 11] = 0;
    m[k + 12] = px; m[k + 13] = py; m[k + 14] = pz; m[k + 15] = 1;
}

// A thing of unit length along y, from p along d, with the given radius.
function setAlong(m: Matrices, i: number, p: number[], d: number[], radius: number): void {
    const length = Math.hypot(d[0], d[1], d[2]);
    if (!(length > 0) || !Number.isFinite(length + p[0] + p[1] + p[2])) {
        hide(m, i);
        return;
    }
    const u = [d[0] / length, d[1] / length, d[2] / length];
    // Any vector across: from the axis that u leans on least.
    const a = Math.abs(u[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0];
    const dot = a[0] * u[0] + a[1] * u[1];
    const x = [a[0] - dot * u[0], a[1] - dot * u[1], -dot * u[2]];
    const n = radius / Math.hypot(x[0], x[1], x[2]);
    for (let k = 0; k < 3; k++) x[k] *= n;
    const z = [x[1] * u[2] - x[2] * u[1], x[2] * u[0] - x[0] * u[2], x[0] * u[1] - x[1] * u[0]];
    setColumns(m, i, x, d, z, p[0], p[1], p[2]);
}

function setBall(m: Matrices, i: number, p: number[], radius: number): void {
    if (!Number.isFinite(p[0] + p[1] + p[2])) hide(m, i);
    else setColumns(m, i, [radius, 0, 0], [0, radius, 0], [0, 0, radius], p[0], p[1], p[2]);
}

function hide(m: Matrices, i: number): void {
    m.fill(0, 16 * i, 16 * i + 16);
}

// --- forms ------------------------------------------------------------------------------------------------------------

// A coil about y, so much longer than wide that its wire is round when it is drawn as long as springs are.
const COIL = 16;
class Helix extends Curve<Vector3> {
    // Public: that of Curve is not, as its types have it.
    // eslint-disable-next-line @typescript-eslint/no-useless-constructor
    constructor() {
        super();
    }

    override getPoint(s: number, out = new Vector3()): Vector3 {
        const inside = Math.min(1, Math.max(0, (s - 0.08) / 0.84));
        const r = s < 0.05 || s > 0.95 ? 0 : 1;
        const a = 2 * Math.PI * 9 * inside;
        return out.set(r * Math.cos(a), COIL * s, r * Math.sin(a));
    }
}

const head = (n: number): BufferGeometry => new ConeGeometry(1, 1, n > 100 ? 8 : 20).translate(0, 0.5, 0);

const FORMS = {
    rod: rodQuad,
    end: ballQuad,
    ball: ballQuad,
    spinning: ballQuad,
    cylinder: ballQuad,
    box: () => new BoxGeometry(1, 1, 1),
    spring: (n: number) => new TubeGeometry(new Helix(), n > 50 ? 180 : 360, 0.16, 6).scale(1, 1 / COIL, 1),
    shaft: rodQuad,
    head,
    force: rodQuad,
    tip: head,
};
type Form = keyof typeof FORMS | `outline ${string}` | `mesh ${string}`; // or a shape or mesh, by its key

// A shape with thickness: both faces, and walls between them, with normals of their own.
function solid({ loops, depth }: Outline): BufferGeometry {
    const geometry = new BufferGeometry();
    const points: number[] = [];
    const normals: number[] = [];
    const vertex = ([x, y]: Point, z: number, n: number[]): void => { points.push(x, y, z); normals.push(...n); };
    const contours = loops.map((loop, i) => ((area(loop) > 0) === (i === 0) ? loop : [...loop].reverse()));
    const [outline, ...holes] = contours.map((loop) => loop.map(([x, y]) => new Vector2(x, y)));
    if (loops.length > 0) {
        const flat = contours.flat();
        for (const face of ShapeUtils.triangulateShape(outline, holes)) {
            for (const k of face) vertex(flat[k], depth / 2, [0, 0, 1]);
            for (const k of [...face].reverse()) vertex(flat[k], -depth / 2, [0, 0, -1]);
        }
    }
    for (const loop of contours)
        loop.forEach((p, i) => {
            const q = loop[(i + 1) % loop.length];
            const length = Math.hypot(q[0] - p[0], q[1] - p[1]) || 1;
            const n = [(q[1] - p[1]) / length, (p[0] - q[0]) / length, 0];
            for (const [at, z] of [[p, -1], [q, -1], [q, 1], [p, -1], [q, 1], [p, 1]] as [Point, number][]) vertex(at, (z * depth) / 2, n);
        });
    geometry.setAttribute("position", new Float32BufferAttribute(points, 3));
    geometry.setAttribute("normal", new Float32BufferAttribute(normals, 3));
    return geometry;
}

// Each face with corners of its own; rounded where its neighbours are nearly in its plane.
function surface(mesh: Mesh, mirror: boolean): BufferGeometry {
    const geometry = new BufferGeometry();
    const normals = cornerNormals(mesh);
    const order = Array.from(mesh.faces, (_, i) => (mirror && i % 3 > 0 ? i + (i % 3 === 1 ? 1 : -1) : i));
    const triple = (values: ArrayLike<number>, n: number): number[] => [values[3 * n], values[3 * n + 1], values[3 * n + 2]];
    geometry.setAttribute("position", new Float32BufferAttribute(order.flatMap((i) => triple(mesh.points, mesh.faces[i])), 3));
    geometry.setAttribute("normal", new Float32BufferAttribute(order.flatMap((i) => triple(normals, i)), 3));
    return geometry;
}

function area(loop: Point[]): number {
    return loop.reduce((sum, p, i) => {
        const q = loop[(i + 1) % loop.length];
        return sum + p[0] * q[1] - p[1] * q[0];
    }, 0);
}

interface Trace { item: Item; kept: number[]; all: Ribbon; past: Ribbon; tip: Ribbon }

// --- the renderer -------------------------------------------------------------------------------------------------------

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

function bySoftware(): boolean {
    const gl = document.createElement("canvas").getContext("webgl2");
    if (!gl) return false;
    const plain = String(gl.getParameter(gl.RENDERER)); // Chromium says no more than WebKit here, Firefox complains of the extension
    const asked = /webkit/i.test(plain) ? gl.getExtension("WEBGL_debug_renderer_info") : null;
    const name = asked ? String(gl.getParameter(asked.UNMASKED_RENDERER_WEBGL)) : plain;
    gl.getExtension("WEBGL_lose_context")?.loseContext();
    return SOFTWARE.test(name);
}

// Soft edges by samples of each pixel, but for many things drawn by software: half of its time went into these (SwiftShader,
// a thousand bodies: 48 ms a frame with them, 26 without). Round things then keep soft edges against the ground, boxes do not.
export function webglContext(things: number): { canvas: HTMLCanvasElement; context: WebGL2RenderingContext } | null {
    const canvas = document.createElement("canvas");
    const antialias = things <= MANY || !bySoftware();
    const context = canvas.getContext("webgl2", { antialias, alpha: true, powerPreference: "high-performance" });
    return context ? { canvas, context } : null;
}

export class WebglRenderer implements Renderer {
    readonly kind = "webgl";
    readonly element = document.createElement("div");
    private readonly overlay = document.createElement("canvas");
    private readonly g = this.overlay.getContext("2d")!;
    private readonly renderer: WebGLRenderer;
    private readonly world = new World();
    private readonly camera = new PerspectiveCamera(fieldDegrees, 1, 0.01, 100);
    private readonly sky = new HemisphereLight(0xffffff, 0xc4c4cc, SKY);
    private readonly lamp = new DirectionalLight(0xffffff, LAMP);
    private readonly light: Light = {
        up: new Vector3(), lamp: new Vector3(-0.5, 0.9, 1).normalize(), ground: new Color(), sky: SKY, strength: LAMP,
    };
    private content = new Group();
    private batches = new Map<Form, Batch>();
    private slots: { form: Form; index: number }[] = []; // of each item
    private traces: Trace[] = [];
    private grid: LineSegments<BufferGeometry, LineBasicMaterial> | null = null;
    private scene: Scene | null = null;
    private painted: Colours | null = null;
    private width = 1;
    private height = 1;
    private ratio = 1;
    private shapes = new Map<Form, () => BufferGeometry>();
    private open = new Set<Form>();
    private readonly lines = { value: 0 };
    private shadow: Shadow | null = null;
    private drawing: LineDrawing | null = null; // once it is asked for
    private readonly screen = new Vector2(1, 1); // in pixels of the page

    constructor({ canvas, context }: { canvas: HTMLCanvasElement; context: WebGL2RenderingContext }, lost: () => void) {
        this.renderer = new WebGLRenderer({ canvas, context, alpha: true });
        this.renderer.setClearColor(0, 0);
        canvas.addEventListener("webglcontextlost", lost);
        this.element.append(canvas, this.overlay);
        this.world.add(this.sky, this.lamp, this.content);
        for (const light of [this.sky, this.lamp]) light.layers.enableAll();
        this.camera.layers.enableAll();
    }

    load(scene: Scene): void {
        this.clear();
        this.scene = scene;
        this.painted = null;
        const wanted = new Map<Form, number[]>();
        const many = scene.items.length > MANY;
        const add = (form: Form, colour: number): number => {
            const list = wanted.get(form) ?? [];
            wanted.set(form, list);
            return list.push(colour) - 1;
        };
        this.slots = scene.items.map((item) => {
            const form = formOf(item);
            if (form === null) return { form: "ball", index: -1 };
            const { shape, mesh } = item;
            if (shape) this.shapes.set(form, () => solid(shape));
            if (mesh) this.shapes.set(form, () => surface(mesh, mirrored(item.size)));
            if (mesh && !mesh.closed) this.open.add(form);
            const index = add(form, item.colour);
            if (form === "rod" && !many) {
                add("end", item.colour);
                add("end", item.colour);
            }
            if (form === "shaft") add("head", item.colour);
            return { form, index };
        });
        for (let i = 0; i < scene.forces.length; i++) {
            add("force", -2);
            add("tip", -2);
        }
        for (const [form, palette] of wanted) this.batch(form, palette);
        const traced = scene.items.filter((item) => item.kind === "trace");
        for (const item of traced) this.trace(item, scene, TRACE_POINTS / traced.length);
        this.floor(scene);
    }

    private batch(form: Form, palette: number[]): void {
        const shape = this.shapes.get(form);
        const geometry = shape ? shape() : FORMS[form as keyof typeof FORMS](palette.length);
        const batch = new Batch(geometry, palette, this.look(form));
        if (form === "force" || form === "tip") { // seen through what they act on
            batch.mesh.material.depthTest = false;
            batch.mesh.renderOrder = 1;
            batch.mesh.layers.set(OVERLAY);
        }
        this.content.add(batch.mesh);
        this.batches.set(form, batch);
    }

    private look(form: Form): Look {
        const both = { lines: form === "force" || form === "tip" ? { value: 0 } : this.lines, items: this.numbers(form) };
        switch (form) {
            case "rod": case "shaft": case "force": return { ...both, shader: rodMaterial(this.light) };
            case "ball": case "end": return { ...both, shader: ballMaterial(this.light) };
            case "spinning": case "cylinder": return { ...both, shader: solidMaterial(this.light, this.screen, form === "cylinder") };
            default: return { ...both, edges: form === "box", open: this.open.has(form) };
        }
    }

    // By which a line drawing tells things apart: a rod and its ends are one; what is thin is ink.
    private numbers(form: Form): [number, number] {
        if (form === "spring" || form === "shaft" || form === "head") return [0, -1];
        if (form === "rod") return [0, 1];
        return form === "end" ? [0, END_ITEMS] : [1000 * (1 + this.batches.size), 1];
    }

    private trace(item: Item, scene: Scene, most: number): void {
        const v = item.at.values;
        const kept = thinPathTo(v, 3, scene.scale / 3000, most).filter((i) => Number.isFinite(v[3 * i] + v[3 * i + 1] + v[3 * i + 2]));
        if (kept.length < 2) return;
        const points = new Float32Array(3 * kept.length);
        kept.forEach((i, k) => points.set(v.subarray(3 * i, 3 * i + 3), 3 * k));
        const line = (geometry: BufferGeometry, width: number, opacity: number): Ribbon => {
            const made = new Ribbon(geometry, width, opacity, this.screen);
            made.mesh.layers.set(OVERLAY);
            this.content.add(made.mesh);
            return made;
        };
        const path = pieces(points);
        this.traces.push({ item, kept, all: line(path, 1.25, 0.3), past: line(share(path), 2, 1), tip: line(pieces(new Float32Array(6)), 2, 1) });
    }

    private floor(scene: Scene): void {
        const step = floorStep(scene);
        const [up, other] = scene.up === "z" ? [2, 1] : [1, 2];
        const level = scene.box.min[up];
        const range = (axis: number): [number, number] => [
            Math.floor(scene.box.min[axis] / step - 0.5) * step, Math.ceil(scene.box.max[axis] / step + 0.5) * step,
        ];
        const [x0, x1] = range(0);
        const [y0, y1] = range(other);
        const points: number[] = [];
        const add = (x: number, y: number): number => (up === 2 ? points.push(x, y, level) : points.push(x, level, y));
        for (let x = x0; x <= x1 + step / 2; x += step) { add(x, y0); add(x, y1); }
        for (let y = y0; y <= y1 + step / 2; y += step) { add(x0, y); add(x1, y); }
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", new Float32BufferAttribute(points, 3));
        this.grid = new LineSegments(geometry, new LineBasicMaterial());
        this.content.add(this.grid);
        if (scene.far || scene.items.length > MANY) return; // nobody would see it
        this.shadow = new Shadow({ x: [x0, x1], y: [y0, y1], level, up: scene.up });
        this.content.add(this.shadow.mesh);
    }

    resize(width: number, height: number, ratio: number): void {
        this.width = width;
        this.height = height;
        this.ratio = ratio;
        this.screen.set(width, height);
        this.drawing?.resize(width, height, ratio);
        this.renderer.setPixelRatio(ratio);
        this.renderer.setSize(width, height);
        this.overlay.width = Math.round(width * ratio);
        this.overlay.height = Math.round(height * ratio);
    }

    render(place: Place, view: View, options: Options, colours: Colours): void {
        if (!this.scene) return;
        if (this.painted !== colours || this.lines.value !== Number(options.lines)) this.paint(colours, options.lines);
        this.aim(view);
        this.move(this.scene, place, options);
        if (options.lines) this.drawLines(this.scene, colours);
        else this.drawSolid();
        this.words(this.scene, place, view, options, colours);
    }

    private drawSolid(): void {
        if (this.shadow && this.grid) {
            this.grid.visible = this.shadow.mesh.visible = false;
            this.lines.value = 1;
            this.shadow.draw(this.renderer, this.world);
            this.lines.value = 0;
            this.grid.visible = this.shadow.mesh.visible = true;
        }
        this.renderer.render(this.world, this.camera);
    }

    private drawLines(scene: Scene, colours: Colours): void {
        if (!this.drawing) {
            this.drawing = new LineDrawing();
            this.drawing.resize(this.width, this.height, this.ratio);
        }
        this.drawing.render(this.renderer, this.world, this.camera, scene.scale, colours.ink, colours.paper);
    }

    private paint(colours: Colours, lines: boolean): void {
        this.painted = colours;
        this.lines.value = Number(lines);
        if (this.grid) this.grid.visible = !lines;
        if (this.shadow) this.shadow.mesh.visible = !lines;
        this.shadow?.paint(colours.dark);
        const white = new Color(0xffffff);
        for (const batch of this.batches.values())
            batch.paint((index, out) => {
                out.set(index === -2 ? colours.force : index === GROUND ? colours.faint : index < 0 ? colours.bar : tone(colours, index));
                if (index >= 0 && index < OWN_COLOUR) out.lerp(white, 0.08); // shade darkens what on a curve is bright
            });
        for (const { item, all, past, tip } of this.traces)
            for (const line of [all, past, tip]) line.paint(lines ? colours.ink : tone(colours, item.colour));
        this.grid?.material.color.set(colours.grid);
        this.light.ground.set(colours.dark ? 0x80808c : 0xc4c4cc);
        this.sky.groundColor.copy(this.light.ground);
    }

    private aim(view: View): void {
        const { right, up, back } = basis(view);
        const distance = eyeDistance(view);
        const reach = (this.scene?.extent ?? 1) * 3;
        const { camera, lamp } = this;
        camera.aspect = this.width / this.height;
        camera.near = Math.max(distance / 100, distance - reach);
        camera.far = distance + reach * 3;
        camera.up.set(...up);
        camera.position.set(view.target[0] + distance * back[0], view.target[1] + distance * back[1], view.target[2] + distance * back[2]);
        camera.lookAt(...view.target);
        camera.updateProjectionMatrix();
        const axis = view.up === "z" ? 2 : 1;
        this.sky.position.set(0, axis === 1 ? 1 : 0, axis === 2 ? 1 : 0);
        this.light.up.set(right[axis], up[axis], back[axis]);
        // The same direction as in this.light, where the axes are those of the view.
        lamp.position.set(
            back[0] + 0.9 * up[0] - 0.5 * right[0], back[1] + 0.9 * up[1] - 0.5 * right[1], back[2] + 0.9 * up[2] - 0.5 * right[2]);
    }

    private buffer(form: Form): Matrices {
        const batch = this.batches.get(form)!;
        return batch.matrices;
    }

    private move(scene: Scene, place: Place, options: Options): void {
        const at = [0, 0, 0];
        const to = [0, 0, 0];
        const turn = [1, 0, 0, 0];
        const many = scene.items.length > MANY;
        const radius = scene.scale * (many ? 0.0022 : 0.008);
        let end = 0;
        scene.items.forEach((item, i) => {
            const { form, index } = this.slots[i];
            if (index < 0) return;
            item.at.read(place, at);
            item.to?.read(place, to);
            const m = this.buffer(form);
            if (item.turn) item.turn.readTurn(place, turn);
            else for (let k = 0; k < 4; k++) turn[k] = UPRIGHT[k];
            if (item.glyph) turnVector(turn, ...item.offset).forEach((d, k) => { at[k] += d; });
            if (form === "cylinder" && item.to) {
                const [x, y, z] = [to[0] - at[0], to[1] - at[1], to[2] - at[2]];
                const [q, r] = [turnTo(x, y, z), item.size[0]];
                setColumns(m, index, turnVector(q, r, 0, 0), turnVector(q, 0, r, 0), [x / 2, y / 2, z / 2], at[0] + x / 2, at[1] + y / 2, at[2] + z / 2);
            } else if (form === "rod" || form === "spring") {
                const d = [to[0] - at[0], to[1] - at[1], to[2] - at[2]];
                setAlong(m, index, at, d, form === "rod" ? radius : scene.scale * 0.015);
                if (form === "rod" && !many) {
                    const ends = this.buffer("end");
                    setBall(ends, end++, at, radius);
                    setBall(ends, end++, to, radius);
                }
            } else if (form === "shaft") {
                this.arrow(m, this.buffer("head"), index, at, to, scene.scale);
            } else if (form === "ball") {
                const r = item.kind === "point" ? radius * 2.2 : item.radii ? item.radii[place.i] : item.size[0];
                setBall(m, index, at, r > 0 ? r : radius * 2.2);
            } else {
                const [a, b, c] = axes(item);
                setColumns(m, index, turnVector(turn, a, 0, 0), turnVector(turn, 0, b, 0), turnVector(turn, 0, 0, c), at[0], at[1], at[2]);
            }
        });
        this.moveForces(scene, place, options);
        for (const batch of this.batches.values()) batch.moved();
        for (const trace of this.traces) this.moveTrace(trace, place, options.traces);
    }

    private arrow(shafts: Matrices, heads: Matrices, i: number, at: number[], d: number[], extent: number): void {
        const length = Math.hypot(d[0], d[1], d[2]);
        const tip = Math.min(length, extent * 0.032);
        const part = length > 0 ? 1 - tip / length : 0;
        const body = [d[0] * part, d[1] * part, d[2] * part];
        setAlong(shafts, i, at, body, extent * 0.0032);
        setAlong(heads, i, [at[0] + body[0], at[1] + body[1], at[2] + body[2]],
            [d[0] - body[0], d[1] - body[1], d[2] - body[2]], extent * 0.011);
    }

    private moveForces(scene: Scene, place: Place, options: Options): void {
        if (scene.forces.length === 0) return;
        const [shafts, heads] = [this.batches.get("force")!, this.batches.get("tip")!];
        shafts.mesh.visible = heads.mesh.visible = options.forces;
        if (!options.forces) return;
        const factor = forceFactor(scene, options);
        const at = [0, 0, 0];
        const force = [0, 0, 0];
        scene.forces.forEach((item, i) => {
            item.at.read(place, at);
            item.force.read(place, force);
            this.arrow(shafts.matrices, heads.matrices, i, at, force.map((f) => f * factor), scene.scale);
        });
    }

    private moveTrace({ item, kept, all, past, tip }: Trace, place: Place, visible: boolean): void {
        for (const line of [all, past, tip]) line.mesh.visible = visible;
        if (!visible) return;
        let low = 0;
        let high = kept.length - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (kept[middle] <= place.i) low = middle;
            else high = middle - 1;
        }
        past.show(low);
        const now: number[] = [];
        item.at.read(place, now);
        setPiece(tip.mesh.geometry, item.at.values.subarray(3 * kept[low]), now);
    }

    private words(scene: Scene, place: Place, view: View, options: Options, colours: Colours): void {
        const { g } = this;
        g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
        g.clearRect(0, 0, this.width, this.height);
        if (options.paper) g.drawImage(this.renderer.domElement, 0, 0, this.width, this.height); // WebGL forgets what it drew
        const project = projector(view, this.width, this.height);
        const at: number[] = [];
        const pixel: [number, number, number, number] = [0, 0, 0, 0];
        const labels: Label[] = [];
        for (const item of scene.items) {
            const own = item.kind === "text";
            if (!own && !(options.labels && isNamed(item))) continue;
            item.at.read(place, at);
            project(at[0], at[1], at[2], pixel);
            if (Number.isFinite(pixel[0] + pixel[1]))
                labels.push({ text: own ? item.text : item.label, x: pixel[0], y: pixel[1], away: [1, -1], colour: colours.ink, fixed: own });
        }
        nameForces(scene, project, place, options, colours, labels);
        const pixels = this.height / view.height;
        const others = drawForceExtras(g, project, pixels, scene, place, options, colours, this.width, this.height);
        others.push({ x0: 0, x1: 86, y0: this.height - 86, y1: this.height }, ...drawLength(g, pixels, colours, 92, this.height - 20));
        drawLabels(g, labels, others, colours, this.width, this.height);
        this.triad(view, colours);
    }

    // Which way the axes point, in the lower left corner.
    private triad(view: View, colours: Colours): void {
        const { g } = this;
        const { right, up } = basis(view);
        g.font = LABEL_FONT;
        g.lineWidth = 1.5;
        g.textAlign = "center";
        for (let k = 0; k < 3; k++) {
            const [x, y] = [30 * right[k], -30 * up[k]];
            g.strokeStyle = colours.muted;
            g.beginPath();
            g.moveTo(42, this.height - 42);
            g.lineTo(42 + x, this.height - 42 + y);
            g.stroke();
            g.fillStyle = colours.muted;
            if (Math.hypot(x, y) > 6) g.fillText("xyz"[k], 42 + x * 1.32, this.height - 42 + y * 1.32);
        }
        g.textAlign = "left";
    }

    positions(): Position[] {
        return (this.scene?.items ?? []).map((item, i) => {
            const { form, index } = this.slots[i];
            if (index < 0) return { label: item.label, kind: item.kind, at: [], ...(item.glyph ? { glyph: item.glyph } : {}) };
            const m = this.batches.get(form)!.matrices.subarray(16 * index, 16 * index + 16);
            const at = [m[12], m[13], m[14]];
            const position: Position = { label: item.label, kind: item.kind, at, ...(item.glyph ? { glyph: item.glyph } : {}) };
            if (item.to) position.to = [at[0] + m[4], at[1] + m[5], at[2] + m[6]];
            return position;
        });
    }

    get work(): Work {
        const { calls, triangles } = this.renderer.info.render;
        return { calls, triangles };
    }

    private clear(): void {
        for (const batch of this.batches.values()) batch.dispose();
        for (const { all, past, tip } of this.traces) for (const line of [all, past, tip]) line.dispose();
        this.shadow?.dispose();
        this.shadow = null;
        this.grid?.geometry.dispose();
        this.grid?.material.dispose();
        this.world.remove(this.content);
        this.content = new Group();
        this.world.add(this.content);
        this.batches.clear();
        this.shapes.clear();
        this.open.clear();
        this.traces = [];
    }

    dispose(): void {
        this.clear();
        this.drawing?.dispose();
        this.renderer.dispose();
        this.element.remove();
    }
}

// What a unit form is stretched to. An ellipsoid without thickness keeps a little, or it could not be seen from the side.
function axes(item: Item): [number, number, number] {
    const [a, b, c] = item.size;
    if (item.kind === "outline") return [1, 1, 1];
    if (item.kind === "box" || item.kind === "mesh") return [a, b, c];
    if (item.kind === "cylinder") return [a, a, Math.max(b / 2, 0.01 * a)];
    const least = 0.01 * Math.max(a, b, c);
    return [Math.max(a, least), Math.max(b, least), Math.max(c, least)];
}

function formOf(item: Item): Form | null {
    switch (item.kind) {
        case "line": case "ground": return item.to ? "rod" : null;
        case "spring": return item.to ? "spring" : null;
        case "arrow": return item.to ? "shaft" : null;
        case "outline": return item.shape && item.shape.loops.length > 0 ? `outline ${item.key}` : null;
        case "mesh": return item.mesh && `mesh ${item.key}`;
        case "pin": return "ball";
        case "box": return "box";
        case "cylinder": return "cylinder";
        case "ellipsoid": return "spinning";
        case "circle": case "sphere": return item.turn ? "spinning" : "ball";
        case "point": return "ball";
        default: return null;
    }
}
