// Finds models: words that are looked for in all that a card says, and tags, of which all must be there. What was asked for stands in
// the address, so that it can be kept and comes back with the browser's "back".
"use strict";
(() => {
    const cards = [...document.querySelectorAll(".card")].map((element) => ({
        element, text: element.textContent.toLowerCase(), tags: element.dataset.tags.split(","),
    }));
    const input = document.querySelector(".finder input");
    const buttons = [...document.querySelectorAll(".tags button")];
    const count = document.querySelector(".finder-count");
    const nothing = document.querySelector(".nothing");
    const chosen = new Set();

    const fits = (card, words) => words.every((word) => card.text.includes(word)) && [...chosen].every((tag) => card.tags.includes(tag));

    function show() {
        const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
        const shown = cards.filter((card) => fits(card, words));
        for (const card of cards) card.element.hidden = !shown.includes(card);
        for (const button of buttons) {
            const { tag } = button.dataset;
            const left = shown.filter((card) => card.tags.includes(tag)).length;
            button.setAttribute("aria-pressed", String(chosen.has(tag)));
            button.querySelector("small").textContent = String(left);
            button.disabled = left === 0 && !chosen.has(tag);
        }
        count.textContent = shown.length === cards.length ? `${cards.length} models` : `${shown.length} of ${cards.length} models`;
        nothing.hidden = shown.length > 0;
    }

    function keep() {
        const asked = new URLSearchParams();
        if (input.value.trim() !== "") asked.set("q", input.value.trim());
        if (chosen.size > 0) asked.set("tags", [...chosen].join(","));
        history.replaceState(null, "", asked.size > 0 ? `#${asked}` : location.pathname);
    }

    function read() {
        const asked = new URLSearchParams(location.hash.slice(1));
        const known = buttons.map((button) => button.dataset.tag);
        input.value = asked.get("q") ?? "";
        chosen.clear();
        for (const tag of (asked.get("tags") ?? "").split(",")) if (known.includes(tag)) chosen.add(tag);
        show();
    }

    input.addEventListener("input", () => { show(); keep(); });
    for (const button of buttons)
        button.addEventListener("click", () => {
            const { tag } = button.dataset;
            if (!chosen.delete(tag)) chosen.add(tag);
            show();
            keep();
        });
    document.addEventListener("keydown", (event) => {
        if (event.key === "/" && document.activeElement !== input) {
            event.preventDefault();
            input.focus();
        } else if (event.key === "Escape" && document.activeElement === input) {
            input.value = "";
            show();
            keep();
        }
    });
    window.addEventListener("hashchange", read);
    document.querySelector(".finder").hidden = false; // without scripts there is nothing to ask
    read();
})();
