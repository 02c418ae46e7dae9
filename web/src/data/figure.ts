// SPDX-License-Identifier: BSD-3-Clause
// Figures: which quantities are drawn over which, for each loading path as `twirl plot` does
// (apps/twirl/plot/figure_table.c).

import { type Quantity, energies, usual } from "./quantity.ts";
import { isAxial, isShear, type Series } from "./series.ts";

export interface FigureChoice {
    name: string;
    x: string; // ids of quantities
    y: string; // or "energies"
    logX?: boolean;
    logY?: boolean;
}

export const ENERGIES = "energies";

export const planeFigure: FigureChoice = { name: "Deviatoric plane", x: "pi_x", y: "pi_y" };

/** The strain, or whatever else the path is drawn over. */
export function abscissaOf(s: Series): string {
    if (s.path === "cyclic") return "cycle";
    if (s.turn) return "angle"; // no time passes
    if (isShear(s)) return "shear_strain";
    if (s.path === "true_triaxial") return "major_strain";
    if (s.path === "general") return "column:strain";
    if (s.path === "oedometer") return "axial_stress";
    if (s.path === "isotropic") return "p";
    if (isAxial(s)) return "axial_strain";
    return "stage_time";
}

function shearFigures(s: Series, x: string): FigureChoice[] {
    const loops = { name: "Loops", x: isShear(s) ? "shear_strain" : "axial_strain", y: isShear(s) ? "shear_stress" : "q" };
    const path = { name: "Stress path", x: isShear(s) ? "normal_stress" : "p", y: isShear(s) ? "shear_stress" : "q" };
    const stress = isShear(s)
        ? [{ name: "Stress ratio", x, y: "shear_ratio" }, { name: "Shear stress", x, y: "shear_stress" }]
        : [{ name: "Stress ratio", x, y: "stress_ratio" }, { name: "Deviator stress", x, y: "q" }];
    const volume = s.closed
        ? [{ name: "Pore pressure", x, y: "ru" }]
        : [{ name: "Volumetric strain", x, y: "volumetric_strain" }, { name: "Void ratio", x, y: "void_ratio" }];
    return s.path === "cyclic" ? [loops, ...volume, path] : [...stress, ...volume, path];
}

/** The figures of a stage, the most telling ones first. */
export function figuresOf(s: Series): FigureChoice[] {
    const x = abscissaOf(s);
    if (s.turn) return [{ name: "Error of the rotation", x, y: "turn_error", logY: true }];
    const figures: FigureChoice[] = [];
    if (s.path === "oedometer" || s.path === "isotropic")
        figures.push({ name: "Compression curve", x, y: "void_ratio", logX: true });
    if (s.path === "oedometer") figures.push({ name: "K₀", x, y: "k0" });
    if (x === "stage_time") figures.push({ name: "Unbalanced force", x, y: "unbalanced", logY: true });
    else if (x !== "p" && x !== "axial_stress") figures.push(...shearFigures(s, x));
    if (s.path === "true_triaxial") figures.push(planeFigure, { name: "Intermediate stress", x, y: "b" });
    figures.push(
        { name: "Friction angle", x, y: "mobilised_angle" },
        { name: "Coordination", x, y: "coordination" },
        { name: "Sliding contacts", x, y: "sliding_fraction" },
        { name: "Fabric", x, y: "fabric_deviator" },
        energyFigure(s),
    );
    return figures;
}

export function energyFigure(s: Series): FigureChoice {
    const x = abscissaOf(s);
    return { name: "Energy balance", x: x === "p" || x === "axial_stress" ? "stage_time" : x, y: ENERGIES };
}

export function quantitiesFor(id: string, all: readonly Quantity[]): Quantity[] {
    if (id === ENERGIES) return [...energies];
    const found = all.find((quantity) => quantity.id === id) ?? usual.find((quantity) => quantity.id === id);
    return found ? [found] : [];
}
