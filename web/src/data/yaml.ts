// SPDX-License-Identifier: BSD-3-Clause
// Reads the resolved scenario as the program writes it: blocks of keys and lists by indentation,
// scalars, quoted texts, lists in brackets. Not a reader of YAML in general: what it does not know
// is kept as text.

export type Node = string | Node[] | { [key: string]: Node };

interface Line {
    indent: number;
    text: string;
}

function unquote(text: string): string {
    if (!text.startsWith('"')) return text.replace(/^'(.*)'$/, "$1");
    try {
        return JSON.parse(text) as string;
    } catch {
        return text.slice(1, -1);
    }
}

function scalar(text: string): Node {
    if (/^\[.*\]$/.test(text)) {
        const inside = text.slice(1, -1).trim();
        return inside === "" ? [] : inside.split(",").map((item) => unquote(item.trim()));
    }
    return unquote(text);
}

class Reader {
    private at = 0;
    constructor(private readonly lines: Line[]) {}

    block(indent: number): Node {
        const line = this.lines[this.at];
        return line && line.text.startsWith("- ") ? this.list(indent) : this.map(indent);
    }

    private list(indent: number): Node[] {
        const items: Node[] = [];
        for (let line = this.lines[this.at]; line; line = this.lines[this.at]) {
            if (line.indent !== indent || !line.text.startsWith("- ")) break;
            const rest = line.text.slice(2);
            if (!/^[\w-]+:(\s|$)/.test(rest)) {
                items.push(scalar(rest));
                this.at++;
                continue;
            }
            this.lines[this.at] = { indent: indent + 2, text: rest };
            items.push(this.map(indent + 2));
        }
        return items;
    }

    private map(indent: number): Node {
        const node: { [key: string]: Node } = {};
        for (let line = this.lines[this.at]; line; line = this.lines[this.at]) {
            if (line.indent !== indent) break;
            const colon = line.text.indexOf(":");
            if (colon < 0) break;
            const key = line.text.slice(0, colon), rest = line.text.slice(colon + 1).trim();
            this.at++;
            const next = this.lines[this.at];
            if (rest !== "") node[key] = scalar(rest);
            else if (next && next.indent > indent) node[key] = this.block(next.indent);
            else node[key] = "";
        }
        return node;
    }
}

export function readYaml(text: string): Node {
    const lines: Line[] = [];
    for (const raw of text.split("\n")) {
        const trimmed = raw.trim();
        if (trimmed === "" || trimmed.startsWith("#") || trimmed === "---") continue;
        lines.push({ indent: raw.length - raw.trimStart().length, text: trimmed });
    }
    return new Reader(lines).block(0);
}

/** The node at a path of keys and indices; undefined if there is none. */
export function at(node: Node | undefined, ...path: (string | number)[]): Node | undefined {
    for (const key of path) {
        if (Array.isArray(node) && typeof key === "number") node = node[key];
        else if (typeof node === "object" && !Array.isArray(node) && typeof key === "string")
            node = node[key];
        else return undefined;
    }
    return node;
}

export function textAt(node: Node | undefined, ...path: (string | number)[]): string {
    const found = at(node, ...path);
    return typeof found === "string" ? found : "";
}

export function numberAt(node: Node | undefined, ...path: (string | number)[]): number {
    const text = textAt(node, ...path);
    return text === "" ? NaN : Number(text);
}
