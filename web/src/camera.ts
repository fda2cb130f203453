// From the world to the screen, for both renderers: a view on a plane, or a camera that orbits about a point.

export interface Box { min: [number, number, number]; max: [number, number, number] }

export interface View {
    dimension: 2 | 3;
    up: "y" | "z";
    target: [number, number, number]; // in the middle of the picture
    height: number; // of the picture at the target, in units of the model
    yaw: number; // about the up axis; 3-D only
    pitch: number; // above the horizon; 3-D only
}

export type Vector = [number, number, number];

const FIELD = (28 * Math.PI) / 180; // of view, top to bottom: long enough a lens that parallels look parallel

export interface Basis { right: Vector; up: Vector; back: Vector }

// Unit vectors of the picture: to the right, upwards, and towards the eye.
export function basis(view: View): Basis {
    if (view.dimension === 2) return { right: [1, 0, 0], up: [0, 1, 0], back: [0, 0, 1] };
    const { yaw, pitch } = view;
    const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
    if (view.up === "z")
        return { right: [-sy, cy, 0], up: [-sp * cy, -sp * sy, cp], back: [cp * cy, cp * sy, sp] };
    return { right: [cy, 0, -sy], up: [-sp * sy, cp, -sp * cy], back: [cp * sy, sp, cp * cy] };
}

export function eyeDistance(view: View): number {
    return view.height / 2 / Math.tan(FIELD / 2);
}

export const fieldDegrees = (FIELD * 180) / Math.PI;

// Writes x and y in pixels, the distance to the eye, and pixels for a unit of length there.
export type Project = (x: number, y: number, z: number, out: [number, number, number, number]) => void;

export function projector(view: View, width: number, height: number): Project {
    const { right: r, up: u, back: b } = basis(view);
    const [tx, ty, tz] = view.target;
    const scale = height / view.height;
    const flat = view.dimension === 2;
    const distance = eyeDistance(view);
    return (x, y, z, out) => {
        const dx = x - tx;
        const dy = y - ty;
        const dz = z - tz;
        const depth = distance - (b[0] * dx + b[1] * dy + b[2] * dz);
        const s = flat ? scale : (scale * distance) / Math.max(depth, distance * 1e-3);
        out[0] = width / 2 + s * (r[0] * dx + r[1] * dy + r[2] * dz);
        out[1] = height / 2 - s * (u[0] * dx + u[1] * dy + u[2] * dz);
        out[2] = depth;
        out[3] = s;
    };
}

// Moves and scales the view so that points of the world, each with its reach, fill the picture but for a margin, given in
// parts of it. Perspective makes this a matter of a few rounds: fit, look again, fit.
export function fit(view: View, points: ArrayLike<number>, width: number, height: number, margin: number): void {
    const aspect = width / Math.max(1, height);
    const { right, up, back } = basis(view);
    const along = (axis: Vector, i: number): number => axis[0] * points[i] + axis[1] * points[i + 1] + axis[2] * points[i + 2];
    let [x, y] = [middle(points, right), middle(points, up)];
    const z = middle(points, back);
    let size = 0;
    for (let round = 0; round < 4; round++) {
        const distance = size > 0 ? eyeDistance({ ...view, height: size }) : Infinity;
        let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
        for (let i = 0; i + 3 < points.length; i += 4) {
            const nearer = view.dimension === 3 && distance < Infinity ? distance / Math.max(0.2 * distance, distance - (along(back, i) - z)) : 1;
            const [px, py, r] = [(along(right, i) - x) * nearer, (along(up, i) - y) * nearer, points[i + 3] * nearer];
            if (!Number.isFinite(px + py + r)) continue;
            [x0, x1, y0, y1] = [Math.min(x0, px - r), Math.max(x1, px + r), Math.min(y0, py - r), Math.max(y1, py + r)];
        }
        if (!(x1 >= x0)) break;
        x += (x0 + x1) / 2;
        y += (y0 + y1) / 2;
        size = Math.max(y1 - y0, (x1 - x0) / aspect) / (1 - 2 * margin);
    }
    view.height = size > 0 && Number.isFinite(size) ? size : 2;
    for (let k = 0; k < 3; k++) view.target[k] = x * right[k] + y * up[k] + z * back[k];
}

function middle(points: ArrayLike<number>, axis: Vector): number {
    let [low, high] = [Infinity, -Infinity];
    for (let i = 0; i + 3 < points.length; i += 4) {
        const s = axis[0] * points[i] + axis[1] * points[i + 1] + axis[2] * points[i + 2];
        if (s < low) low = s;
        if (s > high) high = s;
    }
    return high >= low && Number.isFinite(high - low) ? (low + high) / 2 : 0;
}

export function orbit(view: View, turn: number, tilt: number): void {
    view.yaw -= turn;
    view.pitch = Math.min(1.56, Math.max(-1.56, view.pitch + tilt));
}

// By pixels of a picture of the given height.
export function pan(view: View, dx: number, dy: number, height: number): void {
    const { right, up } = basis(view);
    const unit = view.height / height;
    for (let k = 0; k < 3; k++) view.target[k] += unit * (-dx * right[k] + dy * up[k]);
}

// By a factor, so that what is under the pixel (x, y) of a picture stays there.
export function zoom(view: View, factor: number, x: number, y: number, width: number, height: number): void {
    const before = view.height;
    view.height = before / factor;
    const unit = (before - view.height) / height;
    const { right, up } = basis(view);
    const dx = x - width / 2;
    const dy = height / 2 - y;
    for (let k = 0; k < 3; k++) view.target[k] += unit * (dx * right[k] + dy * up[k]);
}

// Round numbers for a ruler: a step of 1, 2 or 5 times a power of ten, at least `least` long.
export function roundStep(least: number): number {
    if (!(least > 0) || !Number.isFinite(least)) return 1;
    const unit = 10 ** Math.floor(Math.log10(least));
    for (const lead of [1, 2, 5]) if (lead * unit >= least * (1 - 1e-9)) return lead * unit;
    return 10 * unit;
}
