// Thinning for drawing only: a screen has a few thousand columns, a run may have 100 000 samples.
// What is kept are samples, never averages; the numbers shown come from the full data. This is for paths, which go back and
// forth; curves over time are thinned by uPlot, to the lowest and highest of each column of pixels.

// Indices of a path through points (stride numbers each, the first two or three of them coordinates): a point is dropped
// while it is nearer than `distance` to the last one kept. The first, the last and gaps stay.
export function thinPath(points: ArrayLike<number>, stride: number, distance: number): number[] {
    const count = Math.floor(points.length / stride);
    const kept: number[] = [];
    const dimensions = Math.min(3, stride);
    const limit = distance * distance;
    let from = -1;
    for (let i = 0; i < count; i++) {
        let d = 0;
        for (let k = 0; k < dimensions; k++) {
            const step = from < 0 ? Infinity : points[i * stride + k] - points[from * stride + k];
            d += step * step;
        }
        // NaN compares false: gaps and what follows them are kept.
        if (d < limit && i < count - 1) continue;
        kept.push(i);
        from = i;
    }
    return kept;
}

// The same until no more than `most` points are left.
export function thinPathTo(points: ArrayLike<number>, stride: number, distance: number, most: number): number[] {
    let kept = thinPath(points, stride, distance);
    for (let d = distance * 2; kept.length > most && d < Infinity; d *= 2) kept = thinPath(points, stride, d);
    return kept;
}

// Adds to the path of a canvas the points (two numbers each), thinned for its pixels; NaN is a gap.
export function drawPath(ctx: CanvasRenderingContext2D, points: ArrayLike<number>): void {
    let pen = false;
    for (const i of thinPathTo(points, 2, 0.7, 200000)) {
        const [x, y] = [points[2 * i], points[2 * i + 1]];
        if (Number.isNaN(x + y)) pen = false;
        else if (pen) ctx.lineTo(x, y);
        else {
            ctx.moveTo(x, y);
            pen = true;
        }
    }
}

// The index of the entry of a sorted array nearest to a value.
export function nearest(sorted: ArrayLike<number>, value: number): number {
    const i = before(sorted, value);
    return i + 1 < sorted.length && sorted[i + 1] - value < value - sorted[i] ? i + 1 : i;
}

// The last index whose entry is not above a value; 0 if there is none.
export function before(sorted: ArrayLike<number>, value: number): number {
    let low = 0;
    let high = sorted.length - 1;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (sorted[middle] <= value) low = middle;
        else high = middle - 1;
    }
    return Math.max(0, low);
}
