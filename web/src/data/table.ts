// SPDX-License-Identifier: BSD-3-Clause
// A CSV table that keeps the digits of its text beside the numbers.

import type { Figures, Run } from "./contract.ts";

export class Table {
    readonly names: string[];
    private readonly rows: string[][] = [];
    private readonly numbers = new Map<string, Float64Array>();

    constructor(csv: string) {
        const lines = csv.split("\n").filter((line) => line !== "");
        this.names = (lines[0] ?? "").split(",");
        for (const line of lines.slice(1)) this.add(line);
    }

    private add(line: string): void {
        const cells = line.split(",");
        if (cells.length === this.names.length) this.rows.push(cells);
    }

    get count(): number {
        return this.rows.length;
    }

    has(name: string): boolean {
        return this.names.includes(name);
    }

    /** The digits as they stand in the file; "" where there is no such column or row. */
    text(name: string, row: number): string {
        return this.rows[row]?.[this.names.indexOf(name)] ?? "";
    }

    /** NaN for what is absent or not a number. */
    column(name: string): Float64Array {
        const known = this.numbers.get(name);
        if (known && known.length === this.count) return known;
        const at = this.names.indexOf(name);
        const values = Float64Array.from(this.rows, (cells) => toNumber(cells[at]));
        this.numbers.set(name, values);
        return values;
    }

    value(name: string, row: number): number {
        return this.column(name)[row] ?? NaN;
    }
}

function toNumber(text: string | undefined): number {
    return text === undefined || text.trim() === "" ? NaN : Number(text);
}

/** The whole lines of a file that may end in the middle of one. */
export function complete(csv: string): string {
    return csv.slice(0, csv.lastIndexOf("\n") + 1);
}

/** A history with the rows from number `from` on replaced by the lines of `more`, which have no header. */
export function spliceRows(history: string, from: number, more: string): string {
    const lines = complete(history).split("\n");
    return lines.slice(0, from + 1).join("\n") + "\n" + complete(more);
}

/** Joins an answer to what is known; the answer alone if it is another run or has all rows. */
export function joinRun(known: Run | null, news: Run): Run {
    const from = news.from ?? 0;
    if (!known || from === 0 || known.id !== news.id) return { ...news, from: 0 };
    return { ...news, from: 0, history: spliceRows(known.history, from, news.history) };
}

/** The same for the numbers of series, which begin with row `from` of each. */
export function joinFigures(known: Figures | null, news: Figures): Figures {
    const series = news.series.map((one) => {
        const from = one.from ?? 0, before = known?.series.find((other) => other.stage === one.stage && other.first === one.first && other.stages?.length === one.stages?.length);
        if (from === 0) return one;
        const values = Object.entries(one.values).map(([name, more]) => {
            const old = before?.values[name];
            const start = Array.from({ length: from }, (_, i) => (Array.isArray(old) ? (old[i] ?? null) : null));
            return [name, typeof more === "string" ? more : [...start, ...more]];
        });
        return { ...one, from: 0, values: Object.fromEntries(values) };
    });
    return { ...news, series };
}

export function rowCount(history: string): number {
    return Math.max(0, history.split("\n").length - 2);
}
