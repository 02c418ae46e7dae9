/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include <twirl/math.h>

#include "base/text_file.h"
#include "exchange/lammps/lammps.h"
#include "exchange/lammps/lammps_run.h"

/* `fix deform` for a constant velocity gradient. */

/* The edges follow h(t) = exp(t G) h(0). G and h are upper triangular, so the elements of the
 * exponential are divided differences of exp. */

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

/* Prints nothing if the cell is at rest. */
static void deform_print(tw_outfile *out, const tw_lammps_run *run)
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

static void print_head(tw_outfile *out, const tw_lammps_run *run)
{
    const bool twirl = run->options.pair == TW_LAMMPS_TWIRL;
    const uint64_t every = run->options.steps / 100;
    tw_outfile_print(out,
                     "# Written by `twirl export lammps`: continues from step %llu, time %.17g s.\n"
                     "#     %s -in %s.in\n"
                     "# in the folder of the export; from elsewhere, add -var prefix PATH.\n\n",
                     (unsigned long long)tw_sim_steps(run->sim), tw_sim_time(run->sim),
                     twirl ? "twirl-lmp" : "lmp", run->prefix);
    tw_outfile_print(out, "variable prefix index %s\nvariable steps index %llu\n", run->prefix,
                     (unsigned long long)run->options.steps);
    tw_outfile_print(out, "variable every index %llu\n\n", (unsigned long long)(every ? every : 1));
}

static void print_system(tw_outfile *out, const tw_lammps_run *run)
{
    tw_outfile_print(out, "units si\natom_style %s\nboundary",
                     run->molecules ? "hybrid sphere molecular" : "sphere");
    for (int k = 0; k < 3; k++)
        tw_outfile_print(out, " %s", run->box.periodic[k] ? "p" : "s");
    tw_outfile_print(out, "\nnewton off\ncomm_modify mode single vel yes");
    /* fix rigid/small needs the whole body within reach of each of its members */
    if (run->clusters > 0)
        tw_outfile_print(out, " cutoff %.9g",
                         tw_math_max(2.1 * run->extent, 2.1 * run->radius_max));
    tw_outfile_print(out, "\nread_data ${prefix}.data\nreset_timestep %llu\n\n",
                     (unsigned long long)tw_sim_steps(run->sim));
}

/* The refinements that are off, in the words of the pair style. */
static void print_without(tw_outfile *out, uint32_t off)
{
    const char *before = " without ";
    for (uint32_t bit = 1; bit & TW_CONTACT_ALL; bit <<= 1) {
        if (!(off & bit)) continue;
        tw_outfile_print(out, "%s%s", before, tw_contact_refinement_name(bit));
        before = ",";
    }
}

/* One law for all pairs, or one for each pair of types. */
static void print_coefficients(tw_outfile *out, const tw_lammps_run *run)
{
    const tw_lammps_types *types = &run->types;
    const bool one = tw_sim_materials(run->sim) == 1;
    for (uint32_t i = 1; i <= (one ? 1 : types->count); i++) {
        for (uint32_t j = i; j <= (one ? 1 : types->count); j++) {
            const tw_contact_law law =
                tw_lammps_run_law(run, types->material[i], types->material[j]);
            if (one)
                tw_outfile_print(out, "pair_coeff * *");
            else
                tw_outfile_print(out, "pair_coeff %lu %lu", (unsigned long)i, (unsigned long)j);
            tw_lammps_law_print(out, &law);
            tw_outfile_print(out, "\n");
        }
    }
}

static void print_pair(tw_outfile *out, const tw_lammps_run *run)
{
    const tw_contact_law *law = &run->def.law;
    if (run->options.pair == TW_LAMMPS_TWIRL) {
        tw_outfile_print(out, "pair_style twirl law %s", tw_contact_kind_name(law->kind));
        print_without(out, TW_CONTACT_ALL & ~law->refine);
        tw_outfile_print(out, " contacts ${prefix}.contacts save ${prefix}_end.contacts\n");
        print_coefficients(out, run);
        return;
    }
    /* Stock LAMMPS damps with gamma times the reduced mass of a pair, the engine with nu_n and
     * nu_t. */
    const double per_mass = 1.0 / (0.5 * run->mass_mean);
    if (law->nu_n > 0.0 || law->nu_t > 0.0)
        tw_outfile_print(out,
                         "# This style damps in proportion to the mass of a pair: the rates are "
                         "nu_n = %.9g and\n# nu_t = %.9g N s/m for two bodies of mean mass, %.9g "
                         "kg.\n",
                         law->nu_n, law->nu_t, run->mass_mean);
    tw_outfile_print(
        out, "pair_style gran/hooke/history %.17g %.17g %.17g %.17g %.17g 1\npair_coeff * *\n",
        law->kn, law->kt, law->nu_n * per_mass, law->nu_t * per_mass, law->mu);
}

static void print_stock_wall(tw_outfile *out, const tw_lammps_run *run, size_t number,
                             tw_vec3 point, tw_vec3 n)
{
    static const char axes[] = "xyz";
    const tw_contact_law *law = &run->def.law;
    const int k = fabs(n.x) > 0.5 ? 0 : fabs(n.y) > 0.5 ? 1 : 2;
    const double at = k == 0 ? point.x : k == 1 ? point.y : point.z;
    const double up = k == 0 ? n.x : k == 1 ? n.y : n.z, per_mass = 1.0 / run->mass_mean;
    tw_outfile_print(
        out, "fix wall%zu all wall/gran hooke/history %.17g %.17g %.17g %.17g %.17g 1 %cplane",
        number + 1, law->kn, law->kt, law->nu_n * per_mass, law->nu_t * per_mass, law->mu, axes[k]);
    if (up > 0.0)
        tw_outfile_print(out, " %.17g NULL\n", at);
    else
        tw_outfile_print(out, " NULL %.17g\n", at);
}

static void print_walls(tw_outfile *out, const tw_lammps_run *run)
{
    for (size_t k = 0; k < tw_sim_walls(run->sim); k++) {
        tw_wall_state wall;
        tw_sim_wall(run->sim, k, &wall, NULL); /* it exists */
        const tw_vec3 p = tw_lammps_frame_turn(&run->box, wall.point);
        const tw_vec3 n = tw_lammps_frame_turn(&run->box, wall.normal);
        const tw_vec3 v = tw_lammps_frame_turn(&run->box, wall.v);
        if (run->options.pair == TW_LAMMPS_HOOKE) {
            print_stock_wall(out, run, k, p, n);
            continue;
        }
        tw_outfile_print(out, "fix wall%zu all wall/twirl type %lu plane", k + 1,
                         (unsigned long)tw_lammps_types_of_material(&run->types, wall.material));
        tw_outfile_print(out, " %.17g %.17g %.17g %.17g %.17g %.17g", p.x, p.y, p.z, n.x, n.y, n.z);
        if (tw_vec3_norm(v) > 0.0)
            tw_outfile_print(out, " velocity %.17g %.17g %.17g", v.x, v.y, v.z);
        tw_outfile_print(out, " contacts ${prefix}.wall%zu.contacts\n", k + 1);
    }
}

static void print_neighbours(tw_outfile *out, const tw_lammps_run *run)
{
    tw_outfile_print(out, "neighbor %.9g bin\nneigh_modify delay 0 every 1 check yes%s\n\n",
                     0.1 * run->radius_mean, run->molecules ? " exclude molecule/intra all" : "");
}

/* The atoms with one mover have consecutive types. */
static void print_group(tw_outfile *out, const tw_lammps_run *run, int mover, const char *name)
{
    const unsigned long types = run->types.base, last = types * (unsigned long)mover;
    if (run->atoms[mover] == 0) return;
    tw_outfile_print(out, "group %s type %lu", name, last - types + 1);
    if (types > 1) tw_outfile_print(out, ":%lu", last);
    tw_outfile_print(out, "\n");
}

/* Whether damping depends on masses. */
static bool has_ratios(const tw_lammps_run *run)
{
    for (uint32_t a = 0; a < tw_sim_materials(run->sim); a++) {
        for (uint32_t b = a; b < tw_sim_materials(run->sim); b++)
            if (tw_lammps_run_law(run, a, b).flags & TW_CONTACT_BY_MASS) return true;
    }
    return false;
}

static void print_motion(tw_outfile *out, const tw_lammps_run *run)
{
    const tw_vec3 g = run->def.gravity;
    const bool heavy = tw_vec3_norm(g) > 0.0;
    const size_t *atoms = run->atoms;
    tw_outfile_print(out, "timestep %.17g\n", tw_sim_dt(run->sim));
    print_group(out, run, TW_LAMMPS_RUN_SPHERE, "spheres");
    print_group(out, run, TW_LAMMPS_RUN_MEMBER, "clusters");
    if (has_ratios(run) && atoms[TW_LAMMPS_RUN_FIXED] > 0) {
        print_group(out, run, TW_LAMMPS_RUN_FIXED, "fixed");
        tw_outfile_print(out, "fix fixed fixed freeze # of infinite mass\n");
    }
    if (heavy) {
        const tw_vec3 down = tw_lammps_frame_turn(&run->box, g);
        tw_outfile_print(out, "fix gravity all gravity %.17g vector %.17g %.17g %.17g%s\n",
                         tw_vec3_norm(g), down.x, down.y, down.z,
                         atoms[TW_LAMMPS_RUN_SPHERE] > 0 ? "" : " disable");
    }
    if (atoms[TW_LAMMPS_RUN_SPHERE] > 0) tw_outfile_print(out, "fix spheres spheres nve/sphere\n");
    if (atoms[TW_LAMMPS_RUN_MEMBER] > 0)
        tw_outfile_print(out,
                         "fix clusters clusters rigid/small molecule infile ${prefix}.bodies%s\n",
                         heavy ? " gravity gravity" : "");
    deform_print(out, run);
}

static void print_end(tw_outfile *out, const tw_lammps_run *run)
{
    tw_outfile_print(out,
                     "\n# Stress of the contacts, compression positive.\n"
                     "compute stress all pressure NULL virial\n"
                     "thermo_style custom step lx ly lz xy xz yz c_stress[1] c_stress[2] "
                     "c_stress[3] c_stress[4] c_stress[5] c_stress[6]\n"
                     "thermo_modify format float %%.9g norm no\n"
                     "thermo ${every}\n\n"
                     "run ${steps}\n"
                     "write_data ${prefix}_end.data %s\n",
                     run->options.pair == TW_LAMMPS_TWIRL ? "pair ij" : "nocoeff");
}

void tw_lammps_script_print(tw_outfile *out, const tw_lammps_run *run)
{
    print_head(out, run);
    print_system(out, run);
    print_pair(out, run);
    print_neighbours(out, run);
    print_walls(out, run);
    print_motion(out, run);
    print_end(out, run);
}
