import { beforeEach, expect, test, vi } from "vitest";
import { keepText, keptText, readStyle, readValues, writeStyle, writeValues } from "../../src/values";

// The page's address.
const place = { hash: "", pathname: "/page.html", search: "" };
vi.stubGlobal("location", place);
vi.stubGlobal("history", { replaceState: (_state: unknown, _title: string, to: string) => { place.hash = to.startsWith("#") ? to : ""; } });
vi.stubGlobal("window", globalThis);
vi.stubGlobal("addEventListener", () => {});
vi.useFakeTimers();
beforeEach(() => {
    address();
    place.hash = "";
});

// changes in short time stand there together, a little later
const address = (): string => {
    vi.runAllTimers();
    return place.hash;
};

test("values and the style stand side by side in the address", () => {
    writeStyle("lines");
    writeValues(new Map([["L", "2"], ["m", "1/3 + x"]]));
    expect(address()).toBe("#.style=lines&L=2&m=1%2F3%20%2B%20x");
    expect(readStyle(place.hash)).toBe("lines");
    expect([...readValues(place.hash)]).toEqual([["L", "2"], ["m", "1/3 + x"]]);
    writeStyle("");
    expect(address()).toBe("#L=2&m=1%2F3%20%2B%20x");
    writeValues(new Map());
    expect([address(), readStyle(place.hash)]).toEqual(["", ""]);
});

test("the text of a playground stays before them", () => {
    keepText("abcd");
    writeStyle("lines");
    writeValues(new Map([["L", "2"]]));
    expect(address()).toBe("#abcd&.style=lines&L=2");
    keepText("efgh");
    expect([address(), keptText()]).toEqual(["#efgh&.style=lines&L=2", "efgh"]);
});
