/* SPDX-License-Identifier: BSD-3-Clause */
/* Moduli by one factorisation: docs/theory/statics.md. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/mat3.h"
#include "base/memory.h"
#include "statics/statics_internal.h"

enum { BODY = TW_STATICS_BODY, CELL = TW_STATICS_CELL, SIX = TW_COMPONENTS };

/* ---- Stiffness ---- */

/* y = K x, of bodies */
static void multiply(const tw_statics *s, const double *x, double *y)
{
    for (size_t b = 0; b < s->bodies; b++)
        for (size_t i = 0; i < BODY; i++) {
            double sum = 0.0;
            for (size_t j = 0; j < BODY; j++)
                sum += s->self[TW_STATICS_BLOCK * b + BODY * i + j] * x[BODY * b + j];
            y[BODY * b + i] = sum;
        }
    for (size_t k = 0; k < s->pairs; k++) {
        const size_t p = (size_t)BODY * s->pair[2 * k], q = (size_t)BODY * s->pair[2 * k + 1];
        const double *pq = s->across + (size_t)(2 * TW_STATICS_BLOCK) * k;
        for (size_t i = 0; i < BODY; i++)
            for (size_t j = 0; j < BODY; j++) {
                y[p + i] += pq[BODY * i + j] * x[q + j];
                y[q + i] += pq[TW_STATICS_BLOCK + BODY * i + j] * x[p + j];
            }
    }
}

/* Nominal stress by displacement gradient, bodies following: the moment with branch vectors as they
 * were. x: room for 9 columns. */
static tw_status put_gradient(tw_statics *s, double *x, double *out, tw_error *error)
{
    const size_t n = BODY * s->bodies;
    for (size_t j = 0; j < CELL; j++)
        for (size_t i = 0; i < n; i++)
            x[j * n + i] = -s->by_cell[CELL * i + j];
    const tw_status status = tw_statics_solve(s, CELL, x, error);
    for (size_t i = 0; i < CELL && status == TW_STATUS_OK; i++)
        for (size_t j = 0; j < CELL; j++) {
            double sum = s->cell[CELL * i + j];
            for (size_t k = 0; k < n; k++)
                sum += s->of_cell[i * n + k] * x[j * n + k];
            if (s->geometric && i % 3 == j / 3) sum -= s->moment.m[i - i % 3 + j % 3];
            out[CELL * i + j] = sum / s->volume;
        }
    return status;
}

/* ---- Fits ---- */

/* Norm of the tensor: shears count for what they stand for, as in Kelvin's form. */
static double norm(const double *c)
{
    double sum = 0.0;
    for (int i = 0; i < SIX; i++)
        for (int j = 0; j < SIX; j++)
            sum += (i < 3 ? 1.0 : 2.0) * (j < 3 ? 1.0 : 2.0) * c[SIX * i + j] * c[SIX * i + j];
    return sqrt(sum);
}

static double misfit(const double *c, const double *fit)
{
    double rest[SIX * SIX];
    for (int k = 0; k < SIX * SIX; k++)
        rest[k] = c[k] - fit[k];
    return norm(rest) / norm(c);
}

/* c11, c12, c13, c33, c44 about an axis; c66 follows. */
static void put_transverse(int axis, const double v[5], double *fit)
{
    const int a = axis, b = (axis + 1) % 3, c = (axis + 2) % 3;
    memset(fit, 0, SIX * SIX * sizeof *fit);
    fit[SIX * b + b] = fit[SIX * c + c] = v[0];
    fit[SIX * b + c] = fit[SIX * c + b] = v[1];
    fit[SIX * a + b] = fit[SIX * b + a] = fit[SIX * a + c] = fit[SIX * c + a] = v[2];
    fit[SIX * a + a] = v[3];
    fit[(SIX + 1) * (3 + b)] = fit[(SIX + 1) * (3 + c)] = v[4]; /* shears with the axis */
    fit[(SIX + 1) * (3 + a)] = 0.5 * (v[0] - v[1]);
}

static void fit_isotropic(tw_statics_moduli *m)
{
    const double *c = m->stiffness;
    double trace = 0.0, all = 0.0, fit[SIX * SIX];
    for (int i = 0; i < 3; i++) {
        trace += c[(SIX + 1) * i] + 2.0 * c[(SIX + 1) * (3 + i)];
        for (int j = 0; j < 3; j++)
            all += c[SIX * i + j];
    }
    m->bulk = all / 9.0;
    m->shear = (trace - all / 3.0) / 10.0;
    m->young = 9.0 * m->bulk * m->shear / (3.0 * m->bulk + m->shear);
    m->poisson = m->young / (2.0 * m->shear) - 1.0;
    const double c12 = m->bulk - m->shear / 1.5, c11 = c12 + 2.0 * m->shear;
    put_transverse(2, (const double[5]){c11, c12, c12, c11, m->shear}, fit);
    m->isotropic_misfit = misfit(c, fit);
}

/* Averages over rotations about each axis of the cell; the nearest is taken. */
static void fit_transverse(tw_statics_moduli *m)
{
    const double *c = m->stiffness;
    m->transverse_misfit = HUGE_VAL;
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, d = (a + 2) % 3;
        const double own = c[SIX * b + b] + c[SIX * d + d], other = c[SIX * b + d] + c[SIX * d + b];
        const double shear = c[(SIX + 1) * (3 + a)];
        const double v[5] = {
            (3.0 * own + other + 4.0 * shear) / 8.0, (own + 3.0 * other - 4.0 * shear) / 8.0,
            (c[SIX * a + b] + c[SIX * a + d] + c[SIX * b + a] + c[SIX * d + a]) / 4.0,
            c[SIX * a + a], 0.5 * (c[(SIX + 1) * (3 + b)] + c[(SIX + 1) * (3 + d)])};
        double fit[SIX * SIX];
        put_transverse(a, v, fit);
        const double off = misfit(c, fit);
        if (!(off < m->transverse_misfit)) continue;
        m->transverse_misfit = off;
        m->axis = a;
        m->c11 = v[0];
        m->c12 = v[1];
        m->c13 = v[2];
        m->c33 = v[3];
        m->c44 = v[4];
    }
}

static double asymmetry(const double *c)
{
    double off = 0.0, most = 0.0;
    for (int i = 0; i < SIX; i++)
        for (int j = 0; j < SIX; j++) {
            off = tw_math_max(off, fabs(c[SIX * i + j] - c[SIX * j + i]));
            most = tw_math_max(most, fabs(c[SIX * i + j]));
        }
    return off / most;
}

/* ---- The largest frequency ---- */

/* y = M^-1 y of one body; returns x . y before. */
static double accelerate(const tw_statics *s, size_t b, const double *x, double *y)
{
    double power = 0.0;
    for (int i = 0; i < BODY; i++)
        power += x[i] * y[i];
    const tw_vec3 spin = tw_mat3_mul_vec(s->mobility[b], tw_vec3_make(y[3], y[4], y[5]));
    for (int i = 0; i < 3; i++)
        y[i] /= s->mass[b];
    y[3] = spin.x;
    y[4] = spin.y;
    y[5] = spin.z;
    return power;
}

/* 2 over the largest frequency: power iteration, whose Rayleigh quotient converges as the square of
 * the vector. */
static tw_status find_step(const tw_statics *s, double *step, tw_error *error)
{
    const size_t n = BODY * s->bodies;
    double *x = NULL, last = 0.0, w2 = 0.0;
    if (!tw_buffer_zeros(&x, 2 * n, sizeof *x)) return tw_error_set_memory(error);
    double *y = x + n;
    for (size_t i = 0; i < n; i++) /* any start that no symmetry excludes */
        x[i] = (1.0 + (double)(i * 7919 % 101)) / (i % BODY < 3 ? 1.0 : s->size[i / BODY]);
    for (int turn = 0; turn < 500; turn++) {
        double power = 0.0, energy = 0.0, size = 0.0;
        multiply(s, x, y);
        for (size_t b = 0; b < s->bodies; b++) {
            double speed[BODY];
            memcpy(speed, x + BODY * b, sizeof speed);
            power += accelerate(s, b, x + BODY * b, y + BODY * b);
            const tw_vec3 w = tw_vec3_make(speed[3], speed[4], speed[5]);
            const tw_vec3 l = tw_mat3_mul_vec(tw_mat3_inverse(s->mobility[b]), w);
            energy +=
                s->mass[b] * (speed[0] * speed[0] + speed[1] * speed[1] + speed[2] * speed[2]) +
                tw_vec3_dot(l, w);
        }
        for (size_t i = 0; i < n; i++)
            size = tw_math_max(size, fabs(y[i]));
        w2 = power / energy;
        if (!(size > 0.0) || (turn > 20 && fabs(w2 - last) < 1e-6 * w2)) break;
        last = w2;
        for (size_t i = 0; i < n; i++)
            x[i] = y[i] / size;
    }
    *step = 2.0 / sqrt(w2);
    tw_buffer_drop(&x);
    return TW_STATUS_OK;
}

/* ---- All together ---- */

static tw_status put_stiffness(tw_statics *s, tw_statics_moduli *m, tw_error *error)
{
    double springs[SIX * SIX], *x = NULL;
    if (!tw_buffer_zeros(&x, CELL * BODY * s->bodies, sizeof *x)) return tw_error_set_memory(error);
    tw_status status = tw_statics_factor(s, s->def.shift, true, error);
    m->floppy = s->small_pivots;
    if (status == TW_STATUS_OK) status = put_gradient(s, x, m->gradient, error);
    if (status == TW_STATUS_OK) status = tw_statics_put_stiffness(s, x, m->stiffness, error);
    if (status == TW_STATUS_OK) status = find_step(s, &m->stable_step, error);
    if (status == TW_STATUS_OK && s->geometric) {
        tw_statics_assemble(s, false);
        status = tw_statics_factor(s, s->def.shift, true, error);
        if (status == TW_STATUS_OK) status = tw_statics_put_stiffness(s, x, springs, error);
        for (int k = 0; k < SIX * SIX && status == TW_STATUS_OK; k++)
            m->geometric[k] = m->stiffness[k] - springs[k];
        tw_statics_assemble(s, true);
    }
    tw_buffer_drop(&x);
    return status;
}

tw_status tw_statics_compute_moduli(tw_statics *s, tw_statics_moduli *out, tw_error *error)
{
    TW_CALL_HERE(s && out);
    const double began = tw_clock_thread();
    double scratch[SIX * SIX];
    tw_error_clear(error);
    *out = (tw_statics_moduli){.bodies = s->bodies,
                               .contacts = s->contacts,
                               .rattlers = s->rattlers,
                               .density = s->density,
                               .engine_step = s->engine_step,
                               .unbalanced = s->unbalanced};
    tw_status status = tw_statics_check(s, "moduli", error);
    if (status == TW_STATUS_OK) status = put_stiffness(s, out, error);
    if (status != TW_STATUS_OK) return status;
    out->stress = tw_mat3_scale(-1.0 / s->volume, s->moment);
    out->asymmetry = asymmetry(out->stiffness);
    out->definite = tw_statics_lcp_is_definite(SIX, out->stiffness, scratch);
    fit_isotropic(out);
    fit_transverse(out);
    out->seconds = tw_clock_thread() - began;
    return TW_STATUS_OK;
}

/* ---- By direction ---- */

double tw_statics_moduli_young(const tw_statics_moduli *m, tw_vec3 direction)
{
    TW_ARITHMETIC_HERE;
    const tw_vec3 n = tw_vec3_scale(1.0 / tw_vec3_norm(direction), direction);
    const double unit[SIX] = {n.x * n.x, n.y * n.y, n.z * n.z, n.y * n.z, n.x * n.z, n.x * n.y};
    double strain[SIX], along = 0.0;
    if (!m->definite) return (double)NAN;
    memcpy(strain, unit, sizeof strain); /* of a stress of 1 along n */
    tw_statics_soften(m->stiffness, strain);
    for (int k = 0; k < SIX; k++)
        along += strain[k] * unit[k];
    return 1.0 / along;
}

void tw_statics_moduli_waves(const tw_statics_moduli *m, tw_vec3 direction, double speed[3])
{
    TW_ARITHMETIC_HERE;
    const tw_vec3 v = tw_vec3_scale(1.0 / tw_vec3_norm(direction), direction);
    const double n[3] = {v.x, v.y, v.z};
    tw_mat3 acoustic = tw_mat3_zero(), vectors;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 3; j++)
                for (int l = 0; l < 3; l++)
                    acoustic.m[3 * i + k] += m->gradient[27 * i + 9 * j + 3 * k + l] * n[j] * n[l];
    acoustic = tw_mat3_scale(0.5, tw_mat3_add(acoustic, tw_mat3_transpose(acoustic)));
    tw_mat3_eigen_symmetric(acoustic, speed, &vectors);
    for (int k = 0; k < 3; k++)
        speed[k] = speed[k] >= 0.0 ? sqrt(speed[k] / m->density) : (double)NAN;
}
