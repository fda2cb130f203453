// Play, pause, scrub, speed: the controls of the clock.
import { goodSpeed, type Clock } from "./clock";
import { ICONS, button, h, icon } from "./dom";
import { number } from "./format";

const LEADS = [1, 2, 5];

export class Transport {
    readonly element: HTMLElement;
    private readonly play: HTMLButtonElement;
    private readonly slider: HTMLInputElement;
    private readonly readout = h("output", { class: "time", "aria-hidden": "true" });
    private readonly speed = h("select", { "aria-label": "Speed", title: "Speed (< and >)" });
    private readonly loop: HTMLButtonElement;
    private shownPlaying: boolean | null = null;
    private span = -1;

    constructor(private readonly clock: Clock) {
        this.play = button("Play", ICONS.play, () => clock.toggle(), "space");
        this.play.classList.add("primary");
        this.slider = h("input", {
            type: "range", min: 0, step: 1, value: 0, class: "scrub", "aria-label": "Time",
            input: () => { clock.pause(); clock.seek(Number(this.slider.value)); },
        });
        this.loop = button("Repeat", ICONS.loop, () => {
            clock.loop = !clock.loop;
            this.loop.setAttribute("aria-pressed", String(clock.loop));
        });
        this.loop.setAttribute("aria-pressed", "true");
        this.speed.addEventListener("change", () => { clock.speed = Number(this.speed.value); });
        this.element = h("div", { class: "transport", role: "group", "aria-label": "Time" },
            this.play,
            button("To the start", ICONS.start, () => { clock.pause(); clock.seek(0); }, "Home"),
            this.slider, this.readout,
            this.speed, this.loop);
    }

    load(): void {
        const { clock } = this;
        this.slider.max = String(clock.last);
        const span = clock.end - clock.start;
        if (span === this.span) return;
        this.span = span;
        clock.speed = goodSpeed(span);
        const base = Math.round(Math.log10(clock.speed));
        this.speed.replaceChildren();
        for (let e = base - 2; e <= base + 1; e++)
            for (const lead of LEADS) {
                const value = Number(`${lead}e${e}`);
                this.speed.append(h("option", { value }, value === 1 ? "real time" : `× ${number(value, 3)}`));
            }
        this.speed.value = String(clock.speed);
    }

    faster(steps: number): void {
        const { speed } = this;
        speed.selectedIndex = Math.min(speed.options.length - 1, Math.max(0, speed.selectedIndex + steps));
        this.clock.speed = Number(speed.value);
    }

    draw(): void {
        const { clock, slider } = this;
        slider.value = String(clock.index);
        slider.style.setProperty("--part", `${clock.last > 0 ? (100 * clock.index) / clock.last : 0}%`);
        const time = `t = ${number(clock.times[clock.index], 6)}`;
        slider.setAttribute("aria-valuetext", time);
        this.readout.textContent = time;
        if (this.shownPlaying === clock.playing) return;
        this.shownPlaying = clock.playing;
        const name = clock.playing ? "Pause" : "Play";
        this.play.setAttribute("aria-label", name);
        this.play.title = `${name} (space)`;
        this.play.replaceChildren(icon(clock.playing ? ICONS.pause : ICONS.play));
    }
}
