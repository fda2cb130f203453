// Where the page is served by `trammel view`: fresh data for other parameters, and word of a saved model file.
import { readRun, type Run } from "./data";

export class Server {
    private current: AbortController | null = null;
    private first = true; // until there was a run, with its equations

    // The answer to the newest question; null for one that a newer overtook.
    async ask(values: ReadonlyMap<string, string>): Promise<Run | null> {
        this.current?.abort();
        const mine = new AbortController();
        this.current = mine;
        const query = [...values].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
        try {
            const path = this.first ? "/run" : "/data";
            const response = await fetch(query ? `${path}?${query}` : path, { signal: mine.signal, cache: "no-store" });
            const run = readRun(await response.json());
            if (run.times.length > 0) this.first = false;
            if (!response.ok && !run.error) run.error = `The server answers ${response.status} ${response.statusText}`;
            return mine.signal.aborted ? null : run;
        } catch (failure) {
            if (mine.signal.aborted) return null;
            return readRun({ error: `No answer from trammel view: ${failure instanceof Error ? failure.message : "unknown reason"}` });
        } finally {
            if (this.current === mine) this.current = null;
        }
    }

    get busy(): boolean { return this.current !== null; }

    // Calls back when the model file was saved, and when the server goes or comes.
    listen(changed: () => void, alive: (is: boolean) => void): void {
        const events = new EventSource("/events");
        events.addEventListener("changed", changed);
        events.addEventListener("message", (event) => {
            if (event.data === "changed") changed();
        });
        events.addEventListener("open", () => alive(true));
        events.addEventListener("error", () => alive(false));
    }
}
