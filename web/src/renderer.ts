// What a renderer of the animation offers: there is one on WebGL, for scenes in space, and one on a plain canvas, for
// those in the plane and for browsers without WebGL.
import type { Place } from "./clock";
import type { Scene } from "./scene";
import { roundStep, type View } from "./camera";
import type { Colours } from "./theme";

export interface Options {
    traces: boolean;
    forces: boolean;
    forceScale: number; // 1 draws the largest force as long as a good fifth of the scene
    labels: boolean;
    lines: boolean; // the line drawing of a textbook
    paper: boolean; // to be printed, with no further frame
}

// Where an item is on the stage, read back from what was drawn.
export interface Position { label: string; kind: string; at: number[]; to?: number[]; glyph?: string }

// What the last frame asked of the graphics driver.
export interface Work { calls: number; triangles: number }

export interface Renderer {
    readonly kind: "webgl" | "canvas";
    readonly element: HTMLElement;
    load(scene: Scene): void;
    retrace?(): void; // the samples of traces are others, if it can
    resize(width: number, height: number, ratio: number): void;
    render(place: Place, view: View, options: Options, colours: Colours): void;
    positions(): Position[];
    readonly work: Work;
    dispose(): void;
}

// Units of length for a unit of force.
export function forceFactor(scene: Scene, options: Options): number {
    return scene.largestForce > 0 ? (0.22 * options.forceScale * scene.scale) / scene.largestForce : 0;
}

// Between the lines of the floor.
export function floorStep(scene: Scene): number {
    return roundStep(Math.max(scene.scale / 12, scene.extent / 100));
}
