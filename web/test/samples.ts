// Runs to look at and to test with, in the format of trammel report: a double pendulum, a four-bar, a top, a chain of 1 000
// bodies, a controlled oscillator with many plots, and one that tries to break out of the page.
// The motions are made here by short means; what counts is that positions, numbers and names are known.

export interface SampleDraw { kind: string; label?: string; at: number[]; to?: number[]; turn?: number[]; size?: number | number[]; text?: string }
export interface SampleSeries { label: string; values: (number | null)[] }
export interface Sample {
    version: number; title: string; model: string; text: string; summary: Record<string, unknown>; messages: string; equations: string;
    times: number[];
    columns: { name: string; kind: string; values: (number | null)[] }[];
    plots: { title: string; x: SampleSeries; series: SampleSeries[] }[];
    draws: SampleDraw[];
    forces: { constraint: string; at: number[]; force: number[] }[];
    dimension: 2 | 3; up: "y" | "z";
    parameters: { name: string; value: number; text: string }[];
    served?: boolean;
}

type State = number[];

function rungeKutta(f: (t: number, y: State) => State, y: State, t: number, h: number): State {
    const add = (a: State, b: State, s: number): State => a.map((v, i) => v + s * b[i]);
    const k1 = f(t, y);
    const k2 = f(t + h / 2, add(y, k1, h / 2));
    const k3 = f(t + h / 2, add(y, k2, h / 2));
    const k4 = f(t + h, add(y, k3, h));
    return y.map((v, i) => v + (h / 6) * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]));
}

function integrate(f: (t: number, y: State) => State, y0: State, end: number, samples: number, inner = 4): { times: number[]; states: State[] } {
    const times = [0];
    const states = [y0];
    let y = y0;
    const h = end / samples / inner;
    for (let i = 1; i <= samples; i++) {
        for (let k = 0; k < inner; k++) y = rungeKutta(f, y, ((i - 1) * inner + k) * h, h);
        times.push((end * i) / samples);
        states.push(y);
    }
    return { times, states };
}

const flat = (points: number[][]): number[] => points.flatMap(([x, y, z = 0]) => [x, y, z]);
const column = (name: string, kind: string, values: number[]) => ({ name, kind, values });

function summary(dof: number, coordinates: number, residual: Record<string, number>, more: Record<string, unknown> = {}): Record<string, unknown> {
    const rows = Object.keys(residual).length;
    return {
        coordinates, constraints: rows, rank: coordinates - dof, degrees_of_freedom: dof, rank_changes: [],
        formulation: "default", integrator: "rk8", tolerance: 1e-12, steps: 412, rejected: 3, evaluations: 5370,
        seconds: { read: 0.0004, compile: 0.002, simulate: 0.0091 },
        residual: Object.fromEntries(Object.entries(residual).map(([name, worst], i) =>
            [name, { worst, at: 0.31 * (i + 1), velocity: worst * 7, allowed: 4e-12 }])),
        energy: { start: 19.62, end: 19.62, worst_relative_drift: 3.1e-13 },
        redundant: [], expectations: [], warnings: [], ...more,
    };
}

const row = (...parts: string[]): string => `<mrow>${parts.join("")}</mrow>`;
const mi = (t: string): string => `<mi>${t}</mi>`;
const mo = (t: string): string => `<mo>${t}</mo>`;
const mn = (t: string): string => `<mn>${t}</mn>`;
const sub = (a: string, b: string): string => `<msub>${a}${b}</msub>`;
const dd = (x: string): string => `<mover accent="true">${x}<mo>¨</mo></mover>`;
const matrix = (rows: string[][]): string =>
    row(mo("("), `<mtable>${rows.map((r) => `<mtr>${r.map((c) => `<mtd>${c}</mtd>`).join("")}</mtr>`).join("")}</mtable>`, mo(")"));
const math = (...parts: string[]): string => `<math display="block">${row(...parts)}</math>`;

// --- double pendulum -------------------------------------------------------------------------------------------------------

const PENDULUM = `# Two bobs on two rods: Landau & Lifshitz, Mechanics, section 5, problem 1, with Cartesian coordinates
# instead of angles. Energies first, as if nothing held the bobs; then the rods, as constraints.
title "Double pendulum"

param   m = 1, L = 1, g = 9.81
coord   x1, y1, x2, y2
initial x1 = L, y1 = 0, x2 = 2*L, y2 = 0        # both rods horizontal, at rest

kinetic    m/2*(x1'^2 + y1'^2) + m/2*(x2'^2 + y2'^2)
potential  m*g*(y1 + y2)

constraint upper: x1^2 + y1^2 = L^2
constraint lower: (x2 - x1)^2 + (y2 - y1)^2 = L^2

simulate until 10, tolerance 1e-12

plot "Lower bob": x2, y2
plot "Energies": kinetic, potential, energy
plot "Path of the lower bob": y2 vs x2
draw line (0, 0) (x1, y1)
draw line (x1, y1) (x2, y2)
draw trace (x2, y2)

expect always abs(energy - start(energy)) < 1e-9
expect finally abs(x1  - 0.97697656589095090) < 1e-10
`;

export function doublePendulum(g = 9.81, samples = 1000): Sample {
    const [m, L] = [1, 1];
    const f = (_t: number, [a, b, u, v]: State): State => {
        const d = a - b;
        const den = L * (3 - Math.cos(2 * d));
        return [
            u, v,
            (-3 * g * Math.sin(a) - g * Math.sin(a - 2 * b) - 2 * Math.sin(d) * L * (v * v + u * u * Math.cos(d))) / den,
            (2 * Math.sin(d) * (2 * L * u * u + 2 * g * Math.cos(a) + L * v * v * Math.cos(d))) / den,
        ];
    };
    const { times, states } = integrate(f, [Math.PI / 2, Math.PI / 2, 0, 0], 10, samples, 10);
    const p1 = states.map(([a]) => [L * Math.sin(a), -L * Math.cos(a)]);
    const p2 = states.map(([, b], i) => [p1[i][0] + L * Math.sin(b), p1[i][1] - L * Math.cos(b)]);
    const v1 = states.map(([a, , u]) => [L * u * Math.cos(a), L * u * Math.sin(a)]);
    const v2 = states.map(([, b, , v], i) => [v1[i][0] + L * v * Math.cos(b), v1[i][1] + L * v * Math.sin(b)]);
    const kinetic = v1.map(([x, y], i) => (m / 2) * (x * x + y * y + v2[i][0] ** 2 + v2[i][1] ** 2));
    const potential = p1.map(([, y], i) => m * g * (y + p2[i][1]));
    const pull = states.map((s) => {
        const [a, b, u, v] = s;
        const [, , du, dv] = f(0, s);
        const first = [L * (du * Math.cos(a) - u * u * Math.sin(a)), L * (du * Math.sin(a) + u * u * Math.cos(a))];
        const second = [first[0] + L * (dv * Math.cos(b) - v * v * Math.sin(b)), first[1] + L * (dv * Math.sin(b) + v * v * Math.cos(b))];
        const lower = [m * second[0], m * (second[1] + g)];
        return { lower, upper: [m * first[0] + lower[0], m * (first[1] + g) + lower[1]] };
    });
    const zero = times.map(() => [0, 0]);
    const q = [mi("x"), mi("y")].flatMap((c) => [sub(c, mn("1")), sub(c, mn("2"))]);
    const [x1, x2, y1, y2] = q;
    return {
        version: 1, title: "Double pendulum", model: "double-pendulum.tram", text: PENDULUM, messages: "",
        summary: summary(2, 4, { upper: 3.3e-16, lower: 2.9e-15 }, {
            expectations: [
                { text: "abs(energy - start(energy)) < 1e-9", holds: true, worst: 9.9e-10 },
                { text: "abs(x1  - 0.97697656589095090) < 1e-10", holds: true, worst: 9.7e-11 },
            ],
            final: { x1: p1.at(-1)![0], y1: p1.at(-1)![1], x2: p2.at(-1)![0], y2: p2.at(-1)![1], "multiplier(upper)": -12.731, "multiplier(lower)": -4.2 },
        }),
        equations:
            math(matrix([[mi("m"), mn("0"), mn("0"), mn("0")], [mn("0"), mi("m"), mn("0"), mn("0")], [mn("0"), mn("0"), mi("m"), mn("0")], [mn("0"), mn("0"), mn("0"), mi("m")]]),
                matrix([x1, y1, x2, y2].map((c) => [dd(c)])), mo("="),
                matrix([[mn("0")], [row(mo("−"), mi("m"), mi("g"))], [mn("0")], [row(mo("−"), mi("m"), mi("g"))]]), mo("+"), `<msup>${mi("A")}<mi mathvariant="normal">T</mi></msup>`, mi("λ")) +
            math(matrix([[x1, y1, mn("0"), mn("0")], [row(x1, mo("−"), x2), row(y1, mo("−"), y2), row(x2, mo("−"), x1), row(y2, mo("−"), y1)]]),
                matrix([x1, y1, x2, y2].map((c) => [dd(c)])), mo("="),
                matrix([[row(mo("−"), `<msup><mrow>${x1}<mo>′</mo></mrow>${mn("2")}</msup>`, mo("−"), `<msup><mrow>${y1}<mo>′</mo></mrow>${mn("2")}</msup>`)],
                    [row(mo("−"), `<mfrac>${mn("1")}${mn("2")}</mfrac>`, `<msqrt>${row(mi("g"), mo("+"), mi("L"))}</msqrt>`)]])),
        times,
        columns: [
            column("x1", "coordinate", p1.map((p) => p[0])), column("y1", "coordinate", p1.map((p) => p[1])),
            column("x2", "coordinate", p2.map((p) => p[0])), column("y2", "coordinate", p2.map((p) => p[1])),
            column("x1'", "velocity", v1.map((p) => p[0])), column("y1'", "velocity", v1.map((p) => p[1])),
            column("x2'", "velocity", v2.map((p) => p[0])), column("y2'", "velocity", v2.map((p) => p[1])),
            column("residual(upper)", "residual", times.map((t) => 1e-16 * Math.sin(40 * t))),
        ],
        plots: [
            { title: "Lower bob", x: { label: "t", values: times }, series: [{ label: "x2", values: p2.map((p) => p[0]) }, { label: "y2", values: p2.map((p) => p[1]) }] },
            { title: "Energies", x: { label: "t", values: times }, series: [{ label: "kinetic", values: kinetic }, { label: "potential", values: potential }, { label: "energy", values: kinetic.map((k, i) => k + potential[i]) }] },
            { title: "Path of the lower bob", x: { label: "x2", values: p2.map((p) => p[0]) }, series: [{ label: "y2", values: p2.map((p) => p[1]) }] },
        ],
        draws: [
            { kind: "trace", label: "lower", at: flat(p2) },
            { kind: "line", label: "upper", at: flat(zero), to: flat(p1) },
            { kind: "line", label: "lower", at: flat(p1), to: flat(p2) },
            { kind: "circle", label: "bob 1", at: flat(p1), size: 0.07 },
            { kind: "circle", label: "bob 2", at: flat(p2), size: 0.07 },
        ],
        forces: [
            { constraint: "upper", at: flat(p1), force: flat(pull.map((p) => [p.upper[0], p.upper[1]])) },
            { constraint: "lower", at: flat(p2), force: flat(pull.map((p) => [p.lower[0], p.lower[1]])) },
        ],
        dimension: 2, up: "y",
        parameters: [{ name: "m", value: 1, text: "1" }, { name: "L", value: 1, text: "1" }, { name: "g", value: g, text: String(g) }],
    };
}

// --- four-bar ----------------------------------------------------------------------------------------------------------------

export function fourBar(): Sample {
    const [a, b, c, d] = [0.4, 1.1, 0.9, 1.2];
    const times = Array.from({ length: 721 }, (_, i) => (i * 4 * Math.PI) / 720);
    const crank = times.map((t) => [a * Math.cos(t), a * Math.sin(t)]);
    const rocker = crank.map(([x, y]) => {
        const e = Math.hypot(d - x, y);
        const base = Math.atan2(-y, d - x);
        const angle = base + Math.acos((b * b + e * e - c * c) / (2 * b * e));
        return [x + b * Math.cos(angle), y + b * Math.sin(angle)];
    });
    const coupler = crank.map(([x, y], i) => {
        const [u, v] = [rocker[i][0] - x, rocker[i][1] - y];
        return [x + 0.5 * u - 0.45 * v, y + 0.5 * v + 0.45 * u];
    });
    const rest = (x: number, y: number): number[] => [x, y, 0];
    const tilt = crank.map(([x, y], i) => Math.atan2(rocker[i][1] - y, rocker[i][0] - x));
    return {
        version: 1, title: "Four-bar linkage and its coupler curve", model: "four-bar.tram", messages: "warning: reaction(ground.1) is not unique: the rows of hinge depend on each other",
        text: "title \"Four-bar linkage and its coupler curve\"\nparam a = 0.4, b = 1.1, c = 0.9, d = 1.2\ncoord x1, y1, x2, y2\nconstraint crank: (x1, y1) = a*(cos(t), sin(t))\nconstraint coupler: norm((x2 - x1, y2 - y1)) = b\nconstraint rocker: norm((x2 - d, y2)) = c\nsimulate until 4*pi\n",
        summary: summary(0, 4, { "crank.x": 1e-16, "crank.y": 2e-16, coupler: 8.1e-15, rocker: 4.4e-15 }, { redundant: ["crank.y"], energy: { start: 0.2, end: 0.21, worst_relative_drift: null } }),
        equations: "", times,
        columns: [column("x1", "coordinate", crank.map((p) => p[0])), column("y1", "coordinate", crank.map((p) => p[1])), column("x2", "coordinate", rocker.map((p) => p[0])), column("y2", "coordinate", rocker.map((p) => p[1]))],
        plots: [
            { title: "Rocker pin", x: { label: "t", values: times }, series: [{ label: "x2", values: rocker.map((p) => p[0]) }, { label: "y2", values: rocker.map((p) => p[1]) }] },
            { title: "Coupler angle", x: { label: "t", values: times }, series: [{ label: "tilt", values: tilt }] },
        ],
        draws: [
            { kind: "trace", at: flat(coupler) },
            { kind: "line", label: "coupler arm", at: flat(crank.map((p, i) => [(p[0] + rocker[i][0]) / 2, (p[1] + rocker[i][1]) / 2])), to: flat(coupler) },
            { kind: "line", label: "crank", at: rest(0, 0), to: flat(crank) },
            { kind: "line", label: "coupler", at: flat(crank), to: flat(rocker) },
            { kind: "line", label: "rocker", at: rest(d, 0), to: flat(rocker) },
            { kind: "point", label: "P", at: flat(coupler) },
            { kind: "spring", label: "return", at: rest(1.7, 0.9), to: flat(rocker) },
            { kind: "text", at: rest(-0.06, -0.12), text: "A" }, { kind: "text", at: rest(d - 0.02, -0.12), text: "B" },
        ],
        forces: [], dimension: 2, up: "y",
        parameters: [{ name: "a", value: a, text: "0.4" }, { name: "b", value: b, text: "1.1" }, { name: "c", value: c, text: "0.9" }, { name: "d", value: d, text: "1.2" }],
    };
}

// --- heavy top ---------------------------------------------------------------------------------------------------------------

const multiply = ([a, b, c, d]: State, [e, f, g, h]: State): State =>
    [a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g, a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e];
const turned = (q: State, v: State): State => multiply(multiply(q, [0, ...v]), [q[0], -q[1], -q[2], -q[3]]).slice(1);

export function top(): Sample {
    const [m, g, l, A, C] = [1, 9.81, 0.5, 0.28, 0.06];
    const f = (_t: number, y: State): State => {
        const q = y.slice(0, 4);
        const [p, r, s] = y.slice(4);
        const n = turned([q[0], -q[1], -q[2], -q[3]], [0, 0, 1]);
        // Torque about the tip, in the body's axes: l e3 x (-m g n).
        return [...multiply(q, [0, p / 2, r / 2, s / 2]), ((A - C) * r * s + m * g * l * n[1]) / A, ((C - A) * s * p - m * g * l * n[0]) / A, 0];
    };
    const lean = 0.5;
    const { times, states } = integrate(f, [Math.cos(lean / 2), Math.sin(lean / 2), 0, 0, 0, 0, 55], 6, 1500, 8);
    const q = states.map((s) => {
        const n = Math.hypot(...s.slice(0, 4));
        return s.slice(0, 4).map((v) => v / n);
    });
    const axis = q.map((k) => turned(k, [0, 0, 1]));
    const centre = axis.map((a) => a.map((v) => v * l));
    const tip = axis.map((a) => a.map((v) => v * 0.85));
    const theta = axis.map((a) => Math.acos(a[2]));
    const push = states.map((s, i) => turned(q[i], s.slice(4)).map((v) => v * 0.004));
    return {
        version: 1, title: "Heavy top", model: "heavy-top.tram", messages: "",
        text: "title \"Heavy top\"\ngravity (0, 0, -9.81)\nbody top: mass = 1, inertia = (0.03, 0.03, 0.06), at ~ (0, 0, 0.5), omega ~ (0, 0, 55)\njoint tip: spherical(ground, top, at = (0, 0, 0))\nsimulate until 6\ndraw trace point(top, (0, 0, 0.35))\nexpect always abs(energy - start(energy)) < 1e-8\n",
        summary: summary(3, 7, { "tip.1": 2.2e-16, "tip.2": 3.1e-16, "tip.3": 1.1e-16, "top.norm": 4.4e-16 }, { expectations: [{ text: "abs(energy - start(energy)) < 1e-8", holds: true, worst: 9.1e-9 }] }),
        equations: "", times,
        columns: [0, 1, 2].map((k) => column(`top.${"xyz"[k]}`, "coordinate", centre.map((p) => p[k]))).concat([0, 1, 2, 3].map((k) => column(`top.q${k}`, "coordinate", q.map((p) => p[k])))),
        plots: [
            { title: "Nutation", x: { label: "t", values: times }, series: [{ label: "theta", values: theta }] },
            { title: "Centre of mass", x: { label: "t", values: times }, series: [0, 1, 2].map((k) => ({ label: `top.${"xyz"[k]}`, values: centre.map((p) => p[k]) })) },
            { title: "Hodograph", x: { label: "top.x", values: centre.map((p) => p[0]) }, series: [{ label: "top.y", values: centre.map((p) => p[1]) }] },
        ],
        draws: [
            { kind: "trace", label: "tip", at: flat(tip) },
            { kind: "line", label: "axis", at: [0, 0, 0], to: flat(tip) },
            { kind: "cylinder", label: "disk", at: flat(centre), turn: q.flat(), size: [0.32, 0.07] },
            { kind: "box", label: "mark", at: flat(centre.map((p, i) => turned(q[i], [0.2, 0, 0.055]).map((v, k) => v + p[k]))), turn: q.flat(), size: [0.14, 0.08, 0.04] },
            { kind: "sphere", label: "knob", at: flat(tip), size: 0.035 },
            { kind: "arrow", label: "omega", at: flat(tip), to: flat(push) },
            { kind: "point", label: "tip", at: [0, 0, 0] },
        ],
        forces: [{ constraint: "tip", at: times.flatMap(() => [0, 0, 0]), force: flat(axis.map((a, i) => [0.6 * a[0] + 0.2 * Math.sin(3 * times[i]), 0.6 * a[1], 9.81 + 2 * a[2]])) }],
        dimension: 3, up: "z", parameters: [{ name: "spin", value: 55, text: "55" }],
    };
}

// --- chain of 1 000 bodies -----------------------------------------------------------------------------------------------------

export function chain(links = 1000, samples = 240): Sample {
    const times = Array.from({ length: samples + 1 }, (_, i) => (8 * i) / samples);
    const points = times.map((t) => {
        let [x, y, z] = [0, 0, 0];
        const list = [[x, y, z]];
        for (let i = 1; i <= links; i++) {
            const s = i / links;
            const lean = 0.9 * Math.cos(1.3 * t) * (1 - 0.4 * s) + 0.7 * s * Math.sin(9 * s - 3.1 * t);
            const side = 0.5 * Math.sin(0.7 * t + 4 * s);
            x += (Math.sin(lean) * Math.cos(side)) * 0.01;
            y += (Math.sin(lean) * Math.sin(side) + 0.2 * Math.sin(side)) * 0.01;
            z -= Math.cos(lean) * 0.01;
            list.push([x, y, z]);
        }
        return list;
    });
    const draws: SampleDraw[] = [];
    for (let i = 1; i <= links; i++) {
        const at = flat(points.map((p) => p[i]));
        const from = i === 1 ? [0, 0, 0] : flat(points.map((p) => p[i - 1]));
        draws.push({ kind: "line", label: `rod[${i}]`, at: from, to: at }, { kind: "sphere", label: `P[${i}]`, at, size: 0.006 });
    }
    draws.push({ kind: "trace", label: "end", at: flat(points.map((p) => p[links])) });
    const end = points.map((p) => p[links]);
    return {
        version: 1, title: `Chain of ${links} links`, model: "chain.tram", messages: "",
        text: "title \"Chain\"\nparam N = 1000, L = 0.01, m = 0.01, g = 9.81\nfor i in 1..N: particle P[i]: mass = m, at = (i*L, 0, 0)\nfor i in 2..N: constraint rod[i]: norm(P[i] - P[i-1]) = L\n",
        summary: summary(2 * links, 3 * links, Object.fromEntries(Array.from({ length: links }, (_, i) => [`rod[${i + 1}]`, 1e-14 / (1 + ((i * 7) % 31))]))),
        equations: "", times,
        columns: Array.from({ length: links }, (_, i) => column(`P[${i + 1}].z`, "coordinate", points.map((p) => p[i + 1][2]))),
        plots: [{ title: "End of the chain", x: { label: "t", values: times }, series: [0, 1, 2].map((k) => ({ label: `P[${links}].${"xyz"[k]}`, values: end.map((p) => p[k]) })) }],
        draws, forces: [], dimension: 3, up: "z",
        parameters: [{ name: "N", value: links, text: String(links) }, { name: "L", value: 0.01, text: "0.01" }],
    };
}

// --- a controlled oscillator, with any number of samples --------------------------------------------------------------------------

export function duffing(samples = 4000): Sample {
    const f = (t: number, [x, v, y, w]: State): State => {
        const wanted = Math.sin(1.2 * t);
        const u = -4 * (y - wanted) - 3 * (w - 1.2 * Math.cos(1.2 * t)) - 1.44 * wanted;
        return [v, -0.2 * v + x - x ** 3 + 0.3 * Math.cos(1.2 * t), w, u];
    };
    const { times, states } = integrate(f, [1, 0, -1.5, 0], 60, samples, Math.max(1, Math.round(8000 / samples)));
    const col = (k: number): number[] => states.map((s) => s[k]);
    const wanted = times.map((t) => Math.sin(1.2 * t));
    const control = states.map((s, i) => f(times[i], s)[3] - (-0.2 * s[3] + s[2] - s[2] ** 3 + 0.3 * Math.cos(1.2 * times[i])));
    const error = states.map((s, i) => s[2] - wanted[i]);
    const t = { label: "t", values: times };
    return {
        version: 1, title: "Duffing oscillator made to follow a sine", model: "duffing-control.tram", messages: "",
        text: "title \"Duffing oscillator made to follow a sine\"\nparam delta = 0.2, F = 0.3, w = 1.2\ncoord x, y\nkinetic (x'^2 + y'^2)/2\nforce x = -delta*x' + x - x^3 + F*cos(w*t)\nforce y = -delta*y' + y - y^3 + F*cos(w*t)\ncontrol follow (damping = 3, stiffness = 4): y = sin(w*t)\nsimulate until 60\nexpect finally abs(y - sin(w*t)) < 1e-3\nexpect always abs(control(y)) < 5\n",
        summary: summary(1, 2, { follow: 1.5 }, {
            residual: { follow: { worst: 1.5, at: 0, velocity: 1.2, allowed: null } }, energy: { start: 1, end: 2, worst_relative_drift: null },
            expectations: [{ text: "abs(y - sin(w*t)) < 1e-3", holds: true, worst: 9.99e-4 }, { text: "abs(control(y)) < 5", holds: false, worst: -2.31, at: 0 }],
        }),
        equations: math(dd(mi("x")), mo("="), mo("−"), mi("δ"), `<mover accent="true">${mi("x")}<mo>˙</mo></mover>`, mo("+"), mi("x"), mo("−"), `<msup>${mi("x")}${mn("3")}</msup>`, mo("+"), mi("F"), mi("cos"), mo("⁡"), row(mo("("), mi("ω"), mi("t"), mo(")"))),
        times,
        columns: [column("x", "coordinate", col(0)), column("y", "coordinate", col(2)), column("x'", "velocity", col(1)), column("y'", "velocity", col(3)), column("control", "output", control), column("residual(follow)", "residual", error)],
        plots: [
            { title: "Free and controlled", x: t, series: [{ label: "x", values: col(0) }, { label: "y", values: col(2) }, { label: "sin(w*t)", values: wanted }] },
            { title: "Control force", x: t, series: [{ label: "control(y)", values: control }] },
            { title: "Phase portrait", x: { label: "x", values: col(0) }, series: [{ label: "x'", values: col(1) }] },
            { title: "Tracking error", x: t, series: [{ label: "y - sin(w*t)", values: error }] },
            { title: "Decay of the error", x: t, series: [{ label: "log10 |error|", values: error.map((e) => (e === 0 ? null : Math.log10(Math.abs(e)))) }] },
            { title: "Rounding", x: t, series: [{ label: "residual", values: times.map((s, i) => 3e-16 * Math.sin(7 * s) * ((i % 5) - 2)) }] },
        ],
        draws: [], forces: [], dimension: 2, up: "y",
        parameters: [{ name: "delta", value: 0.2, text: "0.2" }, { name: "F", value: 0.3, text: "0.3" }, { name: "w", value: 1.2, text: "6/5" }],
    };
}

// --- text that tries to be more -------------------------------------------------------------------------------------------------

export const HOSTILE = [
    "</script><script>window.hacked=1</script>", "<img src=x onerror=window.hacked=2>", "${window.hacked=3}", "`$(touch /tmp/x)`",
    "\"';window.hacked=4;//", "😀👩‍🚀", "שלום \u202Eאבג", "<!--<script>", "]]>", "&lt;b&gt;", "\u2028\u2029", "javascript:window.hacked=5",
];

export function hostile(): Sample {
    const base = doublePendulum();
    const all = HOSTILE.join(" ");
    const evil = (i: number): string => HOSTILE[i % HOSTILE.length];
    return {
        ...base,
        title: all, model: `${evil(1)}.tram`, text: `title "${all}"\n# ${all}\n${base.text}`, messages: `warning: ${all}`,
        equations: `<math><mi>x</mi><script>window.hacked=6</script><mtext><img src=x onerror=window.hacked=7></mtext></math>` +
            `<math><mi onclick="window.hacked=8" style="color:red" href="javascript:window.hacked=9">y</mi><annotation-xml encoding="text/html"><svg onload=window.hacked=10></svg></annotation-xml></math>` +
            `<img src=x onerror=window.hacked=11><svg onload=window.hacked=12></svg><math><mglyph src="http://127.0.0.1:1/x"></mglyph><maction actiontype="statusline">z</maction></math>`,
        summary: {
            ...base.summary,
            residual: Object.fromEntries(HOSTILE.map((name) => [name, { worst: 1, at: 0, velocity: 0, allowed: 0.5 }])),
            redundant: HOSTILE, expectations: HOSTILE.map((text) => ({ text, holds: false, worst: -1 })), final: Object.fromEntries(HOSTILE.map((n) => [n, 1])),
        },
        columns: base.columns.map((c, i) => ({ ...c, name: evil(i) })),
        plots: base.plots.map((p, i) => ({ ...p, title: evil(i), x: { ...p.x, label: evil(i + 1) }, series: p.series.map((s, k) => ({ ...s, label: evil(i + k) })) })),
        draws: [...base.draws.map((d, i) => ({ ...d, label: evil(i) })), ...HOSTILE.map((text, i) => ({ kind: "text", at: [-1, -0.1 * i, 0], text }))],
        forces: base.forces.map((f, i) => ({ ...f, constraint: evil(i) })),
        parameters: HOSTILE.map((name, i) => ({ name, value: i, text: evil(i + 1) })),
    };
}

export const SAMPLES: Record<string, () => Sample> = { "double-pendulum": doublePendulum, "four-bar": fourBar, top, chain, duffing, hostile };
