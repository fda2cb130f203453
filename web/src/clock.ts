// The one time that charts and animation share. At rest it is the time of a sample; while playing it runs between
// samples, and `index` is the sample before it.
import { before, nearest } from "./thin";
import type { Numbers } from "./data";

// A place between samples: the fraction f of the way from sample i to i + 1, 0 on the sample itself.
export interface Place { i: number; f: number }

export class Clock {
    times: Numbers = new Float64Array(1);
    time = 0;
    index = 0;
    playing = false;
    loop = true;
    speed = 1;
    private listeners: (() => void)[] = [];

    onChange(listener: () => void): void {
        this.listeners.push(listener);
    }

    // New samples; the time stays where it was as far as it can.
    load(times: Numbers): void {
        this.times = times.length > 0 ? times : new Float64Array(1);
        if (!this.playing) this.seekTime(this.time);
        else this.time = Math.min(Math.max(this.time, this.start), this.end);
        this.changed();
    }

    get start(): number { return this.times[0]; }
    get end(): number { return this.times[this.times.length - 1]; }
    get last(): number { return this.times.length - 1; }

    seek(index: number): void {
        this.index = Math.min(this.last, Math.max(0, Math.round(index)));
        this.time = this.times[this.index];
        this.changed();
    }

    seekTime(time: number): void {
        this.seek(nearest(this.times, time));
    }

    step(samples: number): void {
        this.pause();
        this.seek(this.index + samples);
    }

    play(): void {
        if (this.last < 1) return;
        if (this.time >= this.end) this.time = this.start;
        this.playing = true;
        this.changed();
    }

    pause(): void {
        if (!this.playing) return;
        this.playing = false;
        this.seekTime(this.time);
    }

    toggle(): void {
        if (this.playing) this.pause();
        else this.play();
    }

    // Called for each frame with the time since the last one, in seconds.
    advance(dt: number): void {
        if (!this.playing) return;
        this.time += dt * this.speed;
        if (this.time >= this.end) {
            if (!this.loop) {
                this.playing = false;
                this.seek(this.last);
                return;
            }
            const span = this.end - this.start;
            this.time = span > 0 ? this.start + ((this.time - this.start) % span) : this.start;
        }
        this.index = before(this.times, this.time);
        this.changed();
    }

    place(): Place {
        const { index: i, times, last } = this;
        if (!this.playing || i >= last) return { i, f: 0 };
        const step = times[i + 1] - times[i];
        return { i, f: step > 0 ? Math.min(1, Math.max(0, (this.time - times[i]) / step)) : 0 };
    }

    private changed(): void {
        for (const listener of this.listeners) listener();
    }
}

// Real time where that is watchable, otherwise what makes the run last some ten seconds, rounded to 1, 2 or 5.
export function goodSpeed(span: number): number {
    if (!(span > 0) || (span >= 2 && span <= 30)) return 1;
    const wanted = span / 10;
    const unit = 10 ** Math.floor(Math.log10(wanted));
    const lead = wanted / unit;
    return unit * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}
