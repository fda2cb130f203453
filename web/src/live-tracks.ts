// The tracks of a motion that goes on: the last few samples of each, into which every frame brings one more. To the rest of
// the page they are those of a run.
import { dimensionOf, readPicture, Tracks, type Numbers, type Picture } from "./data";

export const WINDOW = 240; // samples: what traces show

function shift(values: Numbers, width: number, now: ArrayLike<number>): void {
    values.copyWithin(0, width);
    for (let k = 0; k < width; k++) values[values.length - width + k] = now[k];
}

export class LiveTracks extends Tracks {
    // Of two samples, the one at hand and one beside it, by which it is seen what moves.
    protected override samples(given: Float32Array): Numbers {
        const width = given.length / 2;
        const all = new Float32Array(WINDOW * width);
        for (let i = 0; i < WINDOW; i++) all.set(given.subarray(0, width), i * width);
        all.set(given.subarray(width), 0);
        return all;
    }

    push(now: Float32Array): void {
        let at = 0;
        this.tracks.forEach((values, k) => {
            const width = values.length / WINDOW;
            const mine = now.subarray(at, at + width);
            shift(values, width, mine);
            const lifted = this.points.get(k);
            if (lifted) shift(lifted, 3, [mine[0], mine[1], 0]);
            at += width;
        });
    }
}

export class LivePicture {
    readonly picture: Picture;
    private readonly tracks: LiveTracks;

    constructor(json: string) {
        const value = JSON.parse(json) as { tracks?: unknown };
        this.tracks = new LiveTracks(value.tracks, dimensionOf(value));
        this.picture = readPicture(value, this.tracks);
        const { times } = this.picture;
        this.picture.times = Float64Array.from({ length: WINDOW }, (_, i) => times[0] - 1e-9 * (WINDOW - 1 - i));
    }

    push(time: number, now: Float32Array): void {
        shift(this.picture.times, 1, [time]);
        this.tracks.push(now);
    }
}
