/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers of two figures of docs/theory, for contact.gp.
 *
 *     paper_contact turning|hertz >NAME.csv
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/contact.h>
#include <twirl/contact_law.h>
#include <twirl/math.h>

#include "base/quat.h"

/* ---- turning: how far the force of a sliding contact turns in one step, law by law ---- */

/* Direction of the force [degrees], measured from that of the movement, after one step of
 * kt|dxi|/(mu fn) = movement that starts at -90 degrees, at constant normal force. */
static double direction_after(int32_t kind, double movement)
{
    tw_contact_law law = tw_contact_law_default();
    law.kn = law.kt = 1.0;
    law.mu = 0.5;
    law.kind = kind;
    tw_contact_memory memory = {.n = {0.0, 0.0, 1.0}, .zeta = 1.0};
    const double limit = tw_contact_law_friction_limit(&law, memory.zeta);
    memory.ft.y = -limit;
    const tw_contact_motion motion = {
        .n = memory.n, .zeta = memory.zeta, .du = {movement * limit / law.kt, 0.0, 0.0}};
    tw_contact_load load;
    tw_contact_advance(&law, &motion, 1.0, &memory, NULL, &load);
    return tw_math_atan2(memory.ft.y, memory.ft.x) * (180.0 / TW_MATH_PI);
}

static void print_turning(void)
{
    enum { POINTS = 101 };
    const double movement_max = 5.0;
    printf("movement,theta_exact,theta_paper,theta_conventional\n");
    for (int i = 0; i < POINTS; i++) {
        const double movement = movement_max * i / (POINTS - 1);
        printf("%.17g,%.17g,%.17g,%.17g\n", movement, direction_after(TW_CONTACT_EXACT, movement),
               direction_after(TW_CONTACT_PAPER, movement),
               direction_after(TW_CONTACT_CONVENTIONAL, movement));
    }
}

/* ---- hertz: error of the tangential force of a Hertz-Mindlin contact against the number of steps,
 * for the exact law and for the conventional one with and without rescaling ---- */

/* Errors are taken at SAMPLES instants of the path, which all step sizes share. */
enum { SAMPLES = 32, LEVELS = 9, FINEST = SAMPLES << 12 };

static const double radius_p = 1.0, radius_q = 0.6, overlap = 0.01, duration = 6.0;

/* The path: the line of centres swings in space while the overlap grows and shrinks, and the
 * spheres roll and slide on each other, at times sticking. Neither turns about the normal: the
 * conventional law knows no twist and would have another limit. */
static tw_vec3 normal_at(double t)
{
    const double polar = 1.1 + 0.4 * tw_math_sin(0.7 * t), turn = 0.5 * t;
    const double s = tw_math_sin(polar);
    return tw_vec3_make(s * tw_math_cos(turn), s * tw_math_sin(turn), tw_math_cos(polar));
}

static double overlap_at(double t)
{
    return overlap * (1.0 + 0.6 * tw_math_sin(2.3 * t));
}

/* Angular velocity: that of the line of centres, and a slow one of the sphere's own. */
static tw_vec3 spin_at(double t, double phase)
{
    const double h = 1e-4;
    const tw_vec3 n = normal_at(t);
    const tw_vec3 rate = tw_vec3_scale(0.5 / h, tw_vec3_sub(normal_at(t + h), normal_at(t - h)));
    const tw_vec3 own = tw_vec3_make(0.02 * tw_math_sin(1.9 * t + phase),
                                     0.015 * tw_math_sin(1.3 * t + 2.0 * phase),
                                     0.02 * tw_math_cos(0.9 * t + phase));
    return tw_vec3_add(tw_vec3_cross(n, rate), tw_vec3_cross(n, own));
}

/* Orientations at all instants of the finest path. */
typedef struct turns {
    tw_quat p[FINEST + 1], q[FINEST + 1];
} turns;

static tw_quat turned(tw_quat from, tw_vec3 spin, double dt)
{
    return tw_quat_normalise(tw_quat_mul(tw_quat_from_rotation(tw_vec3_scale(dt, spin)), from));
}

static void fill_turns(turns *all)
{
    const double dt = duration / FINEST;
    all->p[0] = all->q[0] = tw_quat_identity();
    for (int i = 0; i < FINEST; i++) {
        const double middle = (i + 0.5) * dt;
        all->p[i + 1] = turned(all->p[i], spin_at(middle, 0.4), dt);
        all->q[i + 1] = turned(all->q[i], spin_at(middle, 1.7), dt);
    }
}

static tw_contact_law law_of(int32_t kind, uint32_t refine)
{
    tw_contact_law law = tw_contact_law_default();
    law.kind = kind;
    law.refine = refine;
    law.normal = TW_CONTACT_HERTZ;
    law.kn = 1.0;
    law.kt = 0.8;
    law.mu = 0.4;
    return law;
}

static tw_vec3 branch_at(double t)
{
    return tw_vec3_scale(radius_p + radius_q - overlap_at(t), normal_at(t));
}

/* Tangential forces at the samples. */
static void follow(const tw_contact_law *law, const turns *all, int steps, tw_vec3 *force)
{
    const int stride = FINEST / steps;
    tw_contact_memory memory = tw_contact_memory_fresh(branch_at(0.0), radius_p, radius_q);
    for (int i = 1; i <= steps; i++) {
        const int old = (i - 1) * stride, now = i * stride;
        tw_contact_load load;
        tw_contact_pair pair = {.branch = branch_at(duration * now / FINEST),
                                .radius_p = radius_p,
                                .radius_q = radius_q};
        pair.turn_p = tw_quat_rotation(tw_quat_mul(all->p[now], tw_quat_conj(all->p[old])));
        pair.turn_q = tw_quat_rotation(tw_quat_mul(all->q[now], tw_quat_conj(all->q[old])));
        const tw_contact_motion motion = tw_contact_pair_motion(law->kind, &pair, &memory);
        tw_contact_advance(law, &motion, 1.0, &memory, NULL, &load);
        if (i % (steps / SAMPLES) == 0) force[i / (steps / SAMPLES) - 1] = memory.ft;
    }
}

/* Root mean square, relative to the mean friction limit. */
static double error_of(const tw_contact_law *law, const turns *all, int steps, const tw_vec3 *right)
{
    tw_vec3 force[SAMPLES];
    double sum = 0.0;
    follow(law, all, steps, force);
    for (int i = 0; i < SAMPLES; i++) {
        const tw_vec3 off = tw_vec3_sub(force[i], right[i]);
        sum += tw_vec3_dot(off, off) / SAMPLES;
    }
    return sqrt(sum) / tw_contact_law_friction_limit(law, overlap);
}

static void print_hertz(void)
{
    const tw_contact_law exact = law_of(TW_CONTACT_EXACT, TW_CONTACT_ALL);
    const tw_contact_law rescaled = law_of(TW_CONTACT_CONVENTIONAL, TW_CONTACT_ALL);
    const tw_contact_law plain =
        law_of(TW_CONTACT_CONVENTIONAL, TW_CONTACT_ALL & ~(uint32_t)TW_CONTACT_RESCALE);
    tw_vec3 right[SAMPLES];
    turns *all = malloc(sizeof *all);
    if (!all) exit(1);
    fill_turns(all);
    follow(&exact, all, FINEST, right);
    printf("steps,exact,rescaled,conventional\n");
    for (int level = 0; level < LEVELS; level++) {
        const int steps = SAMPLES << level;
        printf("%d,%.17g,%.17g,%.17g\n", steps, error_of(&exact, all, steps, right),
               error_of(&rescaled, all, steps, right), error_of(&plain, all, steps, right));
    }
    free(all);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "turning") == 0) {
        print_turning();
    } else if (argc == 2 && strcmp(argv[1], "hertz") == 0) {
        print_hertz();
    } else {
        fprintf(stderr, "usage: paper_contact turning|hertz\n");
        return 2;
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
