// SPDX-License-Identifier: BSD-3-Clause
// What was run, in a few words: from the scenario with every default filled in.

import type { Node } from "./contract.ts";
import type { LoadedRun } from "./series.ts";
import { short, withUnit } from "./unit.ts";

export interface Fact {
    name: string;
    text: string;
}

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

const plurals: Record<string, string> = { sphere: "spheres", bumpy: "bumpy grains" };

function shapes(specimen: Node | undefined): string {
    const list = at(specimen, "shapes");
    if (!Array.isArray(list) || list.length === 0) return "grains";
    const names = list.map((node) => textAt(node, "shape")).filter((name) => name !== "");
    return names.map((name) => plurals[name] ?? `grains of shape ${name}`).join(" and ");
}

function sizes(specimen: Node | undefined): string {
    const low = numberAt(specimen, "sizes", "d_min"), high = numberAt(specimen, "sizes", "d_max");
    const single = numberAt(specimen, "sizes", "d");
    if (single > 0) return `, diameter ${withUnit(single, "length")}`;
    if (!(low > 0 && high > 0)) return "";
    return low === high ? `, diameter ${withUnit(low, "length")}` : `, diameters ${withUnit(low, "length")} to ${withUnit(high, "length")}`;
}

function specimenFact(run: LoadedRun): string {
    const specimen = at(run.run.resolved ?? undefined, "specimen");
    const bodies = run.run.summary?.bodies ?? run.run.snapshots.at(-1)?.bodies?.total ?? textAt(specimen, "count");
    const source = textAt(specimen, "file") || textAt(specimen, "checkpoint");
    const count = typeof bodies === "number" || bodies !== "" ? Number(bodies).toLocaleString("en-US") : "";
    return `${count} ${source === "" ? shapes(specimen) : "grains"}${sizes(specimen)}`.trim() + (source === "" ? "" : `, from ${source}`);
}

function preparationFact(run: LoadedRun): string {
    const preparation = at(run.run.resolved ?? undefined, "specimen", "preparation");
    const pressure = numberAt(preparation, "pressure"), friction = numberAt(preparation, "friction");
    const parts: string[] = [];
    if (pressure > 0) parts.push(`compressed to ${withUnit(pressure, "stress")}`);
    if (Number.isFinite(friction)) parts.push(`friction ${short(friction)}`);
    return parts.join(", ");
}

function oneMaterial(node: Node | undefined): string {
    const words: string[] = [];
    const add = (key: string, text: (value: number) => string) => {
        const value = numberAt(node, key);
        if (Number.isFinite(value)) words.push(text(value));
    };
    add("kn", (v) => `kₙ ${short(v)} N/m`);
    add("young", (v) => `E ${withUnit(v, "stress")}`);
    add("poisson", (v) => `ν ${short(v)}`);
    add("kt_ratio", (v) => `kₜ/kₙ ${short(v)}`);
    add("friction", (v) => `friction ${short(v)}`);
    add("density", (v) => `density ${short(v)} kg/m³`);
    const law = textAt(node, "law");
    if (law !== "") words.push(`law ${law}`);
    return words.join(", ");
}

function materialFact(run: LoadedRun): string {
    const several = at(run.run.resolved ?? undefined, "materials");
    if (Array.isArray(several))
        return several.map((node) => `${textAt(node, "name")}: ${oneMaterial(node)}`).join("; ");
    return oneMaterial(at(run.run.resolved ?? undefined, "material"));
}

function pathFact(run: LoadedRun): string {
    const stages = at(run.run.resolved ?? undefined, "stages");
    if (!Array.isArray(stages)) return "";
    return stages.map((node) => {
        const words = [textAt(node, "path").replaceAll("_", " ")];
        const base = textAt(node, "cycle", "base"), axis = textAt(node, "axis"), plane = textAt(node, "plane");
        if (base !== "") words.push(base.replaceAll("_", " "));
        if (textAt(node, "direction") === "extension") words.push("extension");
        if (axis !== "") words.push(`along ${axis}`);
        if (plane !== "") words.push(`in ${plane}`);
        return words.join(" ");
    }).join(" → ");
}

/** Facts without text are left out. */
export function factsOf(run: LoadedRun): Fact[] {
    return [
        { name: "Specimen", text: specimenFact(run) },
        { name: "Prepared", text: preparationFact(run) },
        { name: "Material", text: materialFact(run) },
        { name: "Path", text: pathFact(run) },
    ].filter((fact) => fact.text !== "");
}
