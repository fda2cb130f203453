export class Broken extends Error {}

export const OUT_OF_MEMORY: string;

export const OK: 0, FAILED: 1, WRONG: 2, NO_SOLUTION: 3, IO_ERROR: 4, NO_MEMORY: 5, INTERRUPTED: 130;
export const KEEP_NOTHING: 0, KEEP_PLOTS: 1, KEEP_PAGE: 2, KEEP_COLUMNS: 3;

export type Setting = readonly [name: string, expression: string];

export interface LiveState { time: number; q: Float64Array; v: Float64Array }

export function makeEngine(module: WebAssembly.Module, options?: { megabytes?: number; say?: (text: string) => void }): Promise<Engine>;

export class Engine {
    call(name: string, ...given: (string | number)[]): number;
    text(name: string, ...given: (string | number)[]): string;
    read(name: string, text: string, settings?: readonly Setting[], files?: Readonly<Record<string, string>>): number;
    options(given: readonly Setting[]): boolean;
    column(i: number): Float64Array;
    columnNames(): string[];
    coordinateNames(): string[];
    sessionValues(): Float64Array;
    live(from?: LiveState | null): number;
    liveTracks(): Float32Array;
    liveNumbers(): Float64Array;
    liveState(): LiveState;
    assemble(): { status: number; q: Float64Array; v: Float64Array };
}
