// SPDX-License-Identifier: BSD-3-Clause
// Values of the resolved scenario, by their keys.

export type Node = null | boolean | number | string | Node[] | { [key: string]: Node };

/** The node at a path of keys and indices; undefined if there is none. */
export function at(node: Node | undefined, ...path: (string | number)[]): Node | undefined {
    for (const key of path) {
        if (Array.isArray(node) && typeof key === "number") node = node[key];
        else if (typeof node === "object" && node !== null && !Array.isArray(node) && typeof key === "string") node = node[key];
        else return undefined;
    }
    return node;
}

export function textAt(node: Node | undefined, ...path: (string | number)[]): string {
    const found = at(node, ...path);
    return typeof found === "string" || typeof found === "number" ? String(found) : "";
}

export function numberAt(node: Node | undefined, ...path: (string | number)[]): number {
    const found = at(node, ...path);
    return typeof found === "number" ? found : NaN;
}
