// From where a scene in space is seen at first: across that plane in which most of it lies and moves, a little aslant, so
// that it is not flat, and from above.
import { basis, type View } from "./camera";

const TURNS = 36; // directions that are tried
const PITCHES = [0.3, 0.5, 0.8];
const ASLANT = 0.45; // of a right angle's 1.57, from where it looks largest
const STEEPER = 0.8; // of the area for a view from further above: people look from the side

// The area that points, each with its reach, cover in the picture, as the root of the determinant of their spread.
function area(points: ArrayLike<number>, view: View): number {
    const { right, up } = basis(view);
    let [n, x, y, xx, xy, yy, r2] = [0, 0, 0, 0, 0, 0, 0];
    for (let i = 0; i + 3 < points.length; i += 4) {
        const [a, b, c, r] = [points[i], points[i + 1], points[i + 2], points[i + 3]];
        const [u, v] = [right[0] * a + right[1] * b + right[2] * c, up[0] * a + up[1] * b + up[2] * c];
        if (!Number.isFinite(u + v + r)) continue;
        n++;
        x += u; y += v; xx += u * u; xy += u * v; yy += v * v; r2 += r * r / 4;
    }
    const [sx, sy, s] = [(xx - (x * x) / n + r2) / n, (yy - (y * y) / n + r2) / n, (xy - (x * y) / n) / n];
    return Math.sqrt(Math.max(0, sx * sy - s * s));
}

// Yaw and pitch; `usual` is the yaw that is kept to where it makes little difference.
export function aspect(points: ArrayLike<number>, up: "y" | "z", usual: number): { yaw: number; pitch: number } {
    const of = (yaw: number, pitch: number): number => area(points, { dimension: 3, up, target: [0, 0, 0], height: 1, yaw, pitch });
    const [low] = PITCHES;
    let [best, face] = [0, usual];
    for (let k = 0; k < TURNS; k++) {
        const yaw = usual + (2 * Math.PI * k) / TURNS;
        const found = of(yaw, low);
        if (found > best * 1.02) [best, face] = [found, yaw];
    }
    // Of the two sides on which it may lie aslant, and of the front and the back, that next to the usual one.
    const away = (yaw: number): number => Math.abs(Math.atan2(Math.sin(yaw - usual), Math.cos(yaw - usual)));
    const least = Math.min(...Array.from({ length: TURNS }, (_, k) => of(usual + (2 * Math.PI * k) / TURNS, low)));
    const round = best > 0 && least > 0.75 * best; // it looks alike from all sides
    const [yaw] = round ? [usual] : [-ASLANT, ASLANT].flatMap((d) => [face + d, face + d + Math.PI]).sort((a, b) => away(a) - away(b));
    let pitch = low;
    let most = of(yaw, low);
    for (const steeper of PITCHES.slice(1)) {
        const found = of(yaw, steeper) * STEEPER;
        if (found > most) [most, pitch] = [found, steeper];
    }
    return { yaw, pitch };
}
