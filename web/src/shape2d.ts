// Outlines for the plain canvas: the convex hull of projected points, and zigzags of springs.

import type { Point } from "./data";

// Andrew's monotone chain, O(n log n).
export function hull(points: Point[]): Point[] {
    const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    if (sorted.length < 3) return sorted;
    const half = (list: Point[]): Point[] => {
        const chain: Point[] = [];
        for (const p of list) {
            while (chain.length > 1 && turn(chain[chain.length - 2], chain[chain.length - 1], p) <= 0) chain.pop();
            chain.push(p);
        }
        chain.pop();
        return chain;
    };
    return [...half(sorted), ...half(sorted.reverse())];
}

function turn(o: Point, a: Point, b: Point): number {
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}

// A spring between two points of the screen: straight ends, and windings in between.
export function zigzag(x0: number, y0: number, x1: number, y1: number, radius: number, windings: number): Point[] {
    const length = Math.hypot(x1 - x0, y1 - y0) || 1;
    const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
    const point = (s: number, w: number): Point => [x0 + s * length * ux - w * uy, y0 + s * length * uy + w * ux];
    const path: Point[] = [point(0, 0), point(0.12, 0)];
    const steps = 2 * windings;
    for (let i = 0; i < steps; i++) path.push(point(0.12 + (0.76 * (i + 0.5)) / steps, i % 2 === 0 ? radius : -radius));
    path.push(point(0.88, 0), point(1, 0));
    return path;
}
