/* SPDX-License-Identifier: BSD-3-Clause */
/* The edges follow h(t) = exp(t G) h(0). G and h are upper triangular, so the elements of the
 * exponential are divided differences of exp. */
#include "exchange/lammps/lammps_deform.h"

#include <math.h>

#include <twirl/math.h>

/* Whether two rates are so close that rounding spoils the difference of their exponentials.
 * Treating them as equal is then an error of second order in their difference. */
static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-6 * tw_math_max(fabs(a), fabs(b));
}

/* Prints + factor exp[a, b], a function of the variable t. */
static void add_difference(tw_outfile *out, double factor, double a, double b)
{
    if (near(a, b))
        tw_outfile_print(out, "+%.17g*v_t*exp(%.17g*v_t)", factor, 0.5 * (a + b));
    else
        tw_outfile_print(out, "+%.17g*(exp(%.17g*v_t)-exp(%.17g*v_t))", factor / (a - b), a, b);
}

/* Prints + factor exp[a, b, c], which does not depend on the order of the three. */
static void add_difference2(tw_outfile *out, double factor, double a, double b, double c)
{
    if (near(a, c) && near(b, c)) {
        tw_outfile_print(out, "+%.17g*v_t*v_t*exp(%.17g*v_t)", 0.5 * factor, (a + b + c) / 3.0);
    } else if (near(a, c)) {
        add_difference2(out, factor, a, c, b);
    } else {
        add_difference(out, factor / (a - c), a, b);
        add_difference(out, -factor / (a - c), b, c);
    }
}

static void print_edges(tw_outfile *out, const double *g)
{
    static const char *const names[3] = {"x", "y", "z"};
    for (size_t k = 0; k < 3; k++) {
        if (g[4 * k] != 0.0) tw_outfile_print(out, " %s trate %.17g", names[k], g[4 * k]);
    }
}

/* Stretch and shear together: for each tilt, its change since the export and its rate. */
static void print_mixed(tw_outfile *out, const tw_lammps_run *run)
{
    const double *h = run->box.h.m, *g = run->gradient.m;
    const double xx = g[0], yy = g[4], zz = g[8], xy = g[1], xz = g[2], yz = g[5];
    const bool xy_moves = xy != 0.0 || (xx != 0.0 && h[1] != 0.0);
    const bool yz_moves = yz != 0.0 || (yy != 0.0 && h[5] != 0.0);
    tw_outfile_print(out,
                     "# The formulas count from the exported state: use a single run command.\n"
                     "variable t equal elapsed*dt\n");
    tw_outfile_print(out, "variable dxy equal %.17g*(exp(%.17g*v_t)-1)", h[1], xx);
    add_difference(out, xy * h[4], xx, yy);
    tw_outfile_print(out, "\nvariable rxy equal %.17g*xy+%.17g*ly\n", xx, xy);
    tw_outfile_print(out, "variable dyz equal %.17g*(exp(%.17g*v_t)-1)", h[5], yy);
    add_difference(out, yz * h[8], yy, zz);
    tw_outfile_print(out, "\nvariable ryz equal %.17g*yz+%.17g*lz\n", yy, yz);
    tw_outfile_print(out, "variable dxz equal %.17g*(exp(%.17g*v_t)-1)", h[2], xx);
    add_difference(out, xy * h[5], xx, yy);
    add_difference(out, xz * h[8], xx, zz);
    add_difference2(out, xy * yz * h[8], xx, yy, zz);
    tw_outfile_print(out, "\nvariable rxz equal %.17g*xz+%.17g*yz+%.17g*lz\n", xx, xy, xz);
    tw_outfile_print(out, "fix cell all deform 1");
    print_edges(out, g);
    tw_outfile_print(out, "%s xz variable v_dxz v_rxz%s",
                     xy_moves ? " xy variable v_dxy v_rxy" : "",
                     yz_moves ? " yz variable v_dyz v_ryz" : "");
    /* LAMMPS cannot flip a box whose yz is a formula while xy changes */
    if (xy_moves && yz_moves) tw_outfile_print(out, " flip no");
}

/* Tilts grow with the edges they are parallel to: xy and xz with xx, yz with yy. */
static void print_stretch(tw_outfile *out, const tw_lammps_run *run)
{
    const double *h = run->box.h.m, *g = run->gradient.m;
    tw_outfile_print(out, "fix cell all deform 1");
    print_edges(out, g);
    if (g[0] != 0.0 && h[1] != 0.0) tw_outfile_print(out, " xy trate %.17g", g[0]);
    if (g[0] != 0.0 && h[2] != 0.0) tw_outfile_print(out, " xz trate %.17g", g[0]);
    if (g[4] != 0.0 && h[5] != 0.0) tw_outfile_print(out, " yz trate %.17g", g[4]);
}

/* Tilts grow at constant rates. */
static void print_shear(tw_outfile *out, const tw_lammps_run *run)
{
    const double *h = run->box.h.m, *g = run->gradient.m;
    const double xy = g[1] * h[4], xz = g[1] * h[5] + g[2] * h[8], yz = g[5] * h[8];
    tw_outfile_print(out, "fix cell all deform 1");
    if (xy != 0.0) tw_outfile_print(out, " xy vel %.17g", xy);
    if (xz != 0.0) tw_outfile_print(out, " xz vel %.17g", xz);
    if (yz != 0.0) tw_outfile_print(out, " yz vel %.17g", yz);
}

void tw_lammps_deform_print(tw_outfile *out, const tw_lammps_run *run)
{
    const double *g = run->gradient.m;
    const bool stretched = g[0] != 0.0 || g[4] != 0.0 || g[8] != 0.0;
    const bool sheared = g[1] != 0.0 || g[2] != 0.0 || g[5] != 0.0;
    if (!stretched && !sheared) return;
    const bool ours = run->options.pair == TW_LAMMPS_TWIRL;
    tw_outfile_print(
        out, ours ? "\n# Spheres move with the cell; velocities do not include that.\n"
                  : "\n# Velocities include that of the cell, and jump by it across its faces.\n");
    if (stretched && sheared)
        print_mixed(out, run);
    else if (stretched)
        print_stretch(out, run);
    else if (g[1] * g[5] == 0.0)
        print_shear(out, run);
    else
        print_mixed(out, run);
    tw_outfile_print(out, " remap %s\n", ours ? "x" : "v");
}
