// Numbers for people.

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

export function superscript(exponent: number): string {
    const digits = String(Math.abs(exponent)).replace(/\d/g, (d) => SUPERSCRIPTS[Number(d)]);
    return exponent < 0 ? `⁻${digits}` : digits;
}

// A minus sign is as wide as a digit, a hyphen is not.
function minus(text: string): string {
    return text.replace(/-/g, "−");
}

// An expression as the model writes it, with the signs of print.
export function formula(text: string): string {
    return minus(text).replace(/'/g, "′");
}

// With so many significant digits, trailing zeros dropped: 0.03, 12.5, 3.1·10⁻¹³.
export function number(value: number | null | undefined, digits = 6): string {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
    if (value === 0) return "0";
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
    const power = Number(exponent);
    if (power >= -4 && power < Math.max(digits, 6)) {
        const text = value.toFixed(Math.max(0, digits - 1 - power));
        return minus(text.includes(".") ? text.replace(/\.?0+$/, "") : text);
    }
    return `${minus(mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa)}·10${superscript(power)}`;
}

// A number of sixteen digits makes a formula that nobody reads.
export function shortened(digits: string): string {
    return digits.replace(/[^\d]/g, "").length > 8 && Number.isFinite(Number(digits)) ? String(Number(Number(digits).toPrecision(6))) : digits;
}

// Thin spaces between groups of three digits.
export function count(value: number | null | undefined): string {
    if (value === null || value === undefined || !Number.isFinite(value)) return "–";
    return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u2009");
}

export function seconds(value: number): string {
    if (value < 1e-3) return `${number(value * 1e6, 3)} µs`;
    if (value < 1) return `${number(value * 1e3, 3)} ms`;
    return `${number(value, 3)} s`;
}

// How the ticks of an axis are written: all with as many decimals as their distance needs, and a power of ten common
// to all where they are very large or small, which then stands at the end of the axis.
export function ticks(values: readonly number[], step: number): { labels: string[]; power: number } {
    const largest = Math.max(0, ...values.map(Math.abs));
    if (largest === 0 || step <= 0) return { labels: values.map(() => "0"), power: 0 };
    const exponent = Math.floor(Math.log10(largest) + 1e-9);
    const power = exponent >= 5 || exponent < -2 ? exponent : 0;
    const unit = 10 ** power;
    // As few decimals as tell the step itself: 2.5 needs one more than its size says.
    let decimals = Math.min(15, Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9)));
    while (decimals < 15 && Math.abs(Number((step / unit).toFixed(decimals)) - step / unit) > 1e-6 * (step / unit)) decimals++;
    return { labels: values.map((v) => minus((v / unit).toFixed(decimals)).replace(/^−(0\.?0*)$/, "$1")), power };
}

export function plural(n: number, one: string, many = `${one}s`): string {
    return n === 1 ? `1 ${one}` : `${count(n)} ${many}`;
}

// To what something is constant that varies by so much.
export function constantTo(varies: number): string {
    return varies > 0 ? `constant to 10${superscript(Math.ceil(Math.log10(varies) - 1e-9))}` : "constant";
}
