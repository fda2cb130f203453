// Thinning for drawing only: a screen has a few thousand columns, a run may have 100 000 samples.
// What is kept are samples, never averages, so peaks stay where they are; the numbers shown come from the full data.

// Indices of a curve over sorted x, at most four for each of the columns between x[first] and x[last]: the first, the
// lowest, the highest and the last sample in it, in their order. Gaps (NaN) are kept as one sample each.
export function thinColumns(x: ArrayLike<number>, y: ArrayLike<number>, first: number, last: number,
                            columns: number): number[] {
    const kept: number[] = [];
    const count = last - first + 1;
    if (count <= 4 * columns) {
        for (let i = first; i <= last; i++) kept.push(i);
        return kept;
    }
    const start = x[first];
    const width = (x[last] - start) / columns || 1;
    let i = first;
    while (i <= last) {
        const column = Math.min(columns - 1, Math.floor((x[i] - start) / width));
        const begin = i;
        let low = i;
        let high = i;
        let gap = -1;
        for (; i <= last && Math.min(columns - 1, Math.floor((x[i] - start) / width)) === column; i++) {
            if (Number.isNaN(y[i])) gap = i;
            else if (Number.isNaN(y[low]) || y[i] < y[low]) low = i;
            if (!Number.isNaN(y[i]) && (Number.isNaN(y[high]) || y[i] > y[high])) high = i;
        }
        const chosen = [begin, low, high, i - 1];
        if (gap >= 0) chosen.push(gap);
        chosen.sort((a, b) => a - b);
        for (const k of chosen) if (kept.length === 0 || kept[kept.length - 1] < k) kept.push(k);
    }
    return kept;
}

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
