// Surfaces of triangles, of the texts that the program makes of a model's files: points and faces, as in OBJ.

export interface Mesh {
    points: Float64Array; // x, y, z of each
    faces: Uint32Array; // three points of each, anticlockwise as seen from outside
    beyond: Int32Array; // for each edge of a face, from its corner to the next, the face across; -1: none
    sharp: Uint8Array; // for each of these: it is a line, wherever it is seen from
    closed: boolean; // no face is seen from behind
    low: number[];
    high: number[];
}

const SHARP = Math.cos(Math.PI / 6); // between neighbours

export type Triple = [number, number, number];

export function faceNormal({ points, faces }: Mesh, face: number): Triple {
    const [a, b, c] = [3 * faces[3 * face], 3 * faces[3 * face + 1], 3 * faces[3 * face + 2]];
    const [ux, uy, uz] = [points[b] - points[a], points[b + 1] - points[a + 1], points[b + 2] - points[a + 2]];
    const [vx, vy, vz] = [points[c] - points[a], points[c + 1] - points[a + 1], points[c + 2] - points[a + 2]];
    return [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx]; // twice its area long
}

function cosine(a: Triple, b: Triple): number {
    return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / (Math.hypot(...a) * Math.hypot(...b) || 1);
}

// Edges of two faces that run in opposite ways.
function neighbours(faces: Uint32Array, count: number): Int32Array {
    const beyond = new Int32Array(faces.length).fill(-1);
    const found = new Map<number, number>();
    faces.forEach((from, i) => {
        const to = faces[i % 3 === 2 ? i - 2 : i + 1];
        const other = found.get(to * count + from);
        if (other !== undefined && beyond[other] === -1) {
            beyond[i] = Math.floor(other / 3);
            beyond[other] = Math.floor(i / 3);
        }
        found.set(from * count + to, i);
    });
    return beyond;
}

export function readMesh(text: string): Mesh {
    const points: number[] = [];
    const faces: number[] = [];
    for (const line of text.split("\n")) {
        const [kind, ...rest] = line.split(" ");
        if (kind === "v") points.push(...rest.map(Number));
        else if (kind === "f") faces.push(...rest.map((n) => Number(n) - 1));
    }
    const mesh: Mesh = {
        points: Float64Array.from(points), faces: Uint32Array.from(faces), beyond: neighbours(Uint32Array.from(faces), points.length / 3),
        sharp: new Uint8Array(faces.length), closed: true, low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity],
    };
    points.forEach((v, i) => {
        mesh.low[i % 3] = Math.min(mesh.low[i % 3], v);
        mesh.high[i % 3] = Math.max(mesh.high[i % 3], v);
    });
    const normals = Array.from({ length: faces.length / 3 }, (_, i) => faceNormal(mesh, i));
    mesh.beyond.forEach((next, i) => {
        if (next < 0) mesh.closed = false;
        mesh.sharp[i] = next < 0 || cosine(normals[Math.floor(i / 3)], normals[next]) < SHARP ? 1 : 0;
    });
    return mesh;
}

const read = new Map<string, { text: string; mesh: Mesh }>();

// Of a file: read again only if its text is another.
export function meshOf(name: string, text: string | undefined): Mesh | null {
    if (!text) return null;
    const known = read.get(name);
    if (known?.text === text) return known.mesh;
    const mesh = readMesh(text);
    read.set(name, { text, mesh });
    return mesh;
}

// The normals of the corners of each face: of all faces about a point that are not beyond a sharp edge of this one.
export function cornerNormals(mesh: Mesh): Float32Array {
    const { faces } = mesh;
    const about = new Map<number, number[]>();
    faces.forEach((point, i) => {
        const list = about.get(point);
        if (list) list.push(Math.floor(i / 3));
        else about.set(point, [Math.floor(i / 3)]);
    });
    const normals = Array.from({ length: faces.length / 3 }, (_, i) => faceNormal(mesh, i));
    const out = new Float32Array(3 * faces.length);
    faces.forEach((point, i) => {
        const own = normals[Math.floor(i / 3)];
        const sum: Triple = [0, 0, 0];
        for (const face of about.get(point)!) if (cosine(own, normals[face]) >= SHARP) normals[face].forEach((v, k) => { sum[k] += v; });
        const length = Math.hypot(...sum) || 1;
        out.set(sum.map((v) => v / length), 3 * i);
    });
    return out;
}
