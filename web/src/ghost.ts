// The run before, behind the curves of this one: the same colours, faint.
import type uPlot from "uplot";
import type { Plot } from "./data";
import { drawPath } from "./thin";

export function drawGhost(u: uPlot, plot: Plot, offset: number, tone: (series: number) => string): void {
    const { ctx, bbox } = u;
    const xs = plot.x.values;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.globalAlpha = 0.28;
    ctx.lineWidth = 1.25 * devicePixelRatio;
    ctx.lineJoin = "round";
    ctx.setLineDash([]);
    plot.series.forEach((s, k) => {
        const colour = tone(k);
        if (colour === "") return;
        const count = Math.min(xs.length, s.values.length);
        const points = new Float64Array(2 * count);
        for (let i = 0; i < count; i++) {
            points[2 * i] = u.valToPos(xs[i], "x", true);
            points[2 * i + 1] = u.valToPos(s.values[i] - offset, "y", true);
        }
        ctx.beginPath();
        drawPath(ctx, points);
        ctx.strokeStyle = colour;
        ctx.stroke();
    });
    ctx.restore();
}
