// The models whose pages are tested and photographed, and where their things are in terms of the columns of a run.
import type { Position } from "../src/renderer";
import type { Model } from "./program";

type Row = (column: string) => number; // of one sample

export interface Case {
    model: Model;
    dimension: 2 | 3;
    draws: number;
    // What must be where: pairs of what the stage shows and what the run says.
    places: (shown: readonly Position[], row: Row) => [number[], number[]][];
}

const triple = (row: Row, name: string): number[] => ["x", "y", "z"].map((axis) => row(`${name}.${axis}`));
const flat = (row: Row, x: string, y: string): number[] => [row(x), row(y), 0];
const middle = ({ at, to }: Position): number[] => at.map((v, k) => (v + to![k]) / 2);

export const CASES: Record<string, Case> = {
    "double-pendulum": {
        model: ["models/classics/double-pendulum.tram"], dimension: 2, draws: 5,
        places: ([upper, lower], row) => [
            [upper.to!, flat(row, "x1", "y1")], [lower.at, flat(row, "x1", "y1")], [lower.to!, flat(row, "x2", "y2")],
        ],
    },
    "four-bar": {
        model: ["models/mechanisms/four-bar-3d.tram"], dimension: 3, draws: 6,
        places: (shown, row) => shown.flatMap((p): [number[], number[]][] => {
            if (p.kind === "line" && ["crank", "coupler", "rocker"].includes(p.label)) return [[middle(p), triple(row, p.label)]];
            return [];
        }),
    },
    top: {
        model: ["models/benchmarks/heavy-top.tram"], dimension: 3, draws: 3,
        places: ([, body, line], row) => [[body.at, triple(row, "top")], [line.at, triple(row, "top")], [line.to!, [0, 0, 0]]],
    },
    chain: {
        model: ["models/classics/chain.tram", "--set", "N=1000", "--set", "L=0.01", "--until", "1", "--every", "0.02"], dimension: 2, draws: 1001,
        places: (shown, row) => shown.slice(0, 1000).map((link, i) => [link.to!, flat(row, `x[${i + 1}]`, `y[${i + 1}]`)]),
    },
    duffing: {
        model: ["models/classics/duffing-control.tram"], dimension: 2, draws: 7,
        places: (shown, row) => [
            [shown[3].at, [5 + row("x2"), 0, 0]], [shown[4].at, [10 + row("x1"), 0, 0]],
            [shown[5].to!, [row("reaction(x2)") / 20, 0, 0]], [shown[6].to!, [row("reaction(x1)") / 20, 0, 0]],
        ],
    },
};
