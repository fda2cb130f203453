import { expect, test } from "vitest";
import { readRun } from "../../src/data";
import { cornerNormals, meshOf, readMesh } from "../../src/mesh";
import { cloud, makeScene } from "../../src/scene";

// Of 24 sides around z, its ends as fans.
function cylinder(sides: number): string {
    const lines: string[] = [];
    for (let i = 0; i < sides; i++)
        for (const z of [0, 1]) lines.push(`v ${Math.cos((2 * Math.PI * i) / sides)} ${Math.sin((2 * Math.PI * i) / sides)} ${z}`);
    for (let i = 0; i < sides; i++) {
        const [a, b] = [2 * i + 1, 2 * ((i + 1) % sides) + 1];
        lines.push(`f ${a} ${b} ${b + 1}`, `f ${a} ${b + 1} ${a + 1}`);
    }
    for (let i = 1; i + 1 < sides; i++) lines.push(`f 2 ${2 * i + 2} ${2 * i + 4}`, `f 1 ${2 * i + 3} ${2 * i + 1}`);
    return lines.join("\n") + "\n";
}

const WEDGE = "v 0 0 0\nv 3 0 0\nv 0 1 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

test("a mesh knows its neighbours, its sharp edges and its size", () => {
    const mesh = readMesh(cylinder(24));
    expect([mesh.points.length, mesh.faces.length, mesh.closed]).toEqual([3 * 48, 3 * (48 + 44), true]);
    expect(mesh.low.concat(mesh.high).map((v) => Math.round(1e6 * v) / 1e6)).toEqual([-1, -1, 0, 1, 1, 1]);
    expect(mesh.sharp.filter((s) => s === 1).length).toBe(4 * 24); // both rims, from both sides
    mesh.beyond.forEach((next, i) => expect(Array.from(mesh.beyond.subarray(3 * next, 3 * next + 3))).toContain(Math.floor(i / 3)));
});

test("a hole makes a mesh open", () => {
    expect(readMesh(WEDGE).closed).toBe(true);
    expect(readMesh(WEDGE.replace("f 3 1 4\n", "")).closed).toBe(false);
});

test("sides are round, ends are flat", () => {
    const mesh = readMesh(cylinder(24));
    const normals = cornerNormals(mesh);
    mesh.faces.forEach((point, i) => {
        const [x, y, z] = normals.subarray(3 * i, 3 * i + 3);
        expect(Math.hypot(x, y, z)).toBeCloseTo(1, 6);
        if (i < 3 * 48) expect(x * mesh.points[3 * point] + y * mesh.points[3 * point + 1]).toBeGreaterThan(0.995); // outwards
        else expect(Math.abs(z)).toBeCloseTo(1, 6);
    });
});

test("a file is read again only if it is another", () => {
    const first = meshOf("a.stl", WEDGE);
    expect(meshOf("a.stl", WEDGE)).toBe(first);
    expect(meshOf("a.stl", cylinder(5))).not.toBe(first);
    expect(meshOf("a.stl", undefined)).toBeNull();
});

test("the view is fitted to the box about a mesh, scaled and turned", () => {
    const half = Math.SQRT1_2;
    const data = readRun({
        times: "AAAAAAAAAAA=", dimension: 3, files: { "w.obj": WEDGE },
        draws: [
            { kind: "mesh", label: "B", at: [10, 0, 0], turn: [half, 0, 0, half], size: [2, 1, -1], mesh: "w.obj", reach: 6.4, colour: 16777216 + 0xff8000 },
            { kind: "mesh", label: "C", at: [0, 0, 0], size: [1, 1, 1], mesh: "none.obj", reach: 1, colour: 0 },
        ],
    });
    const scene = makeScene(data);
    expect(scene.items.map((item) => [item.mesh !== null, item.key])).toEqual([[true, "mirrored w.obj"], [false, "none.obj"]]);
    const points = Array.from(cloud(scene, false));
    const of = (k: number): number[] => points.filter((_, i) => i % 4 === k).slice(0, 8);
    const ends = [0, 1, 2].map((k) => [Math.min(...of(k)), Math.max(...of(k))].map((v) => Math.round(1e6 * v) / 1e6 + 0));
    expect(ends).toEqual([[9, 10], [0, 6], [-2, 0]]);
});
