import { beforeEach, expect, test, vi } from "vitest";
import { keepText, keptText, readStyle, readValues, writeStyle, writeValues } from "../../src/values";

// The page's address.
const place = { hash: "", pathname: "/page.html", search: "" };
vi.stubGlobal("location", place);
vi.stubGlobal("history", { replaceState: (_state: unknown, _title: string, to: string) => { place.hash = to.startsWith("#") ? to : ""; } });
beforeEach(() => { place.hash = ""; });

test("values and the style stand side by side in the address", () => {
    writeStyle("lines");
    writeValues(new Map([["L", "2"], ["m", "1/3 + x"]]));
    expect(place.hash).toBe("#.style=lines&L=2&m=1%2F3%20%2B%20x");
    expect(readStyle(place.hash)).toBe("lines");
    expect([...readValues(place.hash)]).toEqual([["L", "2"], ["m", "1/3 + x"]]);
    writeStyle("");
    expect(place.hash).toBe("#L=2&m=1%2F3%20%2B%20x");
    writeValues(new Map());
    expect([place.hash, readStyle(place.hash)]).toEqual(["", ""]);
});

test("the text of a playground stays before them", () => {
    keepText("abcd");
    writeStyle("lines");
    writeValues(new Map([["L", "2"]]));
    expect(place.hash).toBe("#abcd&.style=lines&L=2");
    keepText("efgh");
    expect([place.hash, keptText()]).toEqual(["#efgh&.style=lines&L=2", "efgh"]);
});
