// How long things are: a bar of a round length, at the depth of what the view turns about.
import { roundStep } from "./camera";
import { number } from "./format";
import { LABEL_FONT, type Box } from "./labels";
import type { Colours } from "./theme";

// Its left end is at (x, y); where it stands.
export function drawLength(g: CanvasRenderingContext2D, pixels: number, colours: Colours, x: number, y: number): Box[] {
    const round = roundStep(50 / pixels);
    const length = round * pixels;
    if (!(length > 4)) return [];
    g.strokeStyle = g.fillStyle = colours.muted;
    g.lineWidth = 1.5;
    g.beginPath();
    g.moveTo(x, y - 4);
    g.lineTo(x, y);
    g.lineTo(x + length, y);
    g.lineTo(x + length, y - 4);
    g.stroke();
    g.font = LABEL_FONT;
    g.textAlign = "left";
    g.textBaseline = "middle";
    const text = number(round, 3);
    g.fillText(text, x + length + 6, y);
    return [{ x0: x, x1: x + length + 6 + g.measureText(text).width, y0: y - 8, y1: y + 8 }];
}
