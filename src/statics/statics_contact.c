/* SPDX-License-Identifier: BSD-3-Clause */
/* The tangent of one contact. Equation numbers are those of docs/theory/statics.md. */
#include <string.h>

#include "base/mat3.h"
#include "statics/statics_internal.h"

enum { N = TW_STATICS_CONTACT, UP = 0, TP = 3, UQ = 6, TQ = 9, G = 12 };

typedef double map[3][N];

static double at(tw_vec3 v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

/* out += scale m, for the three columns from `first` on */
static void put(map out, int first, double scale, tw_mat3 m)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][first + j] += scale * m.m[3 * i + j];
}

/* out += m in */
static void add_product(map out, tw_mat3 m, map in)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < N; j++)
                out[i][j] += m.m[3 * i + k] * in[k][j];
}

static bool at_wall(const tw_statics_contact *c)
{
    return c->q == TW_NO_BODY;
}

/* u_q - u_p + G b + theta_q x aq - theta_p x ap */
static void put_motion(map out, const tw_statics_contact *c, tw_vec3 ap, tw_vec3 aq)
{
    memset(out, 0, sizeof(map));
    put(out, UP, -1.0, tw_mat3_identity());
    put(out, TP, 1.0, tw_mat3_cross(ap));
    if (!at_wall(c)) {
        put(out, UQ, 1.0, tw_mat3_identity());
        put(out, TQ, -1.0, tw_mat3_cross(aq));
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][G + 3 * i + j] = at(c->b, j);
}

void tw_statics_contact_maps(const tw_statics_contact *c, tw_statics_maps *maps)
{
    const double half = 0.5 * c->zeta;
    maps->ap = tw_vec3_add_scaled(c->dp, c->rp - half, c->n);
    maps->aq =
        at_wall(c) ? tw_vec3_make(0.0, 0.0, 0.0) : tw_vec3_add_scaled(c->dq, half - c->rq, c->n);
    put_motion(maps->du, c, maps->ap, maps->aq);
    put_motion(maps->dl, c, c->dp, c->dq);
    memset(maps->roll, 0, sizeof maps->roll);
    memset(maps->twist, 0, sizeof maps->twist);
    const tw_mat3 turn = tw_mat3_scale(c->lever, tw_mat3_cross(c->n)); /* R n x (tq - tp) */
    put(maps->roll, TP, -1.0, turn);
    if (!at_wall(c)) put(maps->roll, TQ, 1.0, turn);
    for (int j = 0; j < 3; j++) {
        maps->twist[TP + j] = -c->lever * at(c->n, j);
        maps->twist[TQ + j] = at_wall(c) ? 0.0 : c->lever * at(c->n, j);
    }
}

static tw_mat3 matrix(double m[3][3])
{
    return (tw_mat3){
        {m[0][0], m[0][1], m[0][2], m[1][0], m[1][1], m[1][2], m[2][0], m[2][1], m[2][2]}};
}

static void put_turns(map out, const tw_statics_contact *c, double scale, tw_mat3 p, tw_mat3 q)
{
    put(out, TP, scale, p);
    if (!at_wall(c)) put(out, TQ, scale, q);
}

/* Changes of the force and of the couple on p, which is R (fr x n + fw n). */
static void change_of_loads(const tw_statics_contact *c, tw_statics_maps *maps, map dn,
                            bool geometric, map df, map dm)
{
    tw_contact_tangent t = c->tangent;
    add_product(df, matrix(t.f_du), maps->du);
    add_product(dm, matrix(t.couple_du), maps->du);
    put_turns(dm, c, 1.0, matrix(t.couple_turn_p), matrix(t.couple_turn_q));
    if (geometric) { /* (S24) */
        const double couple = c->lever * c->fw;
        put_turns(df, c, 1.0, matrix(t.f_turn_p), matrix(t.f_turn_q));
        add_product(df, tw_mat3_diagonal(-c->fn, -c->fn, -c->fn), dn);
        add_product(df, tw_mat3_scale(-1.0, tw_mat3_outer(c->n, c->ft)), dn);
        add_product(dm, tw_mat3_scale(c->lever, tw_mat3_cross(c->fr)), dn);
        add_product(dm, tw_mat3_diagonal(couple, couple, couple), dn);
    } else { /* without the twirl of the rolling force */
        const tw_mat3 twirl = tw_mat3_outer(c->fr, c->n);
        put_turns(dm, c, -0.5 * c->lever, twirl, twirl);
    }
}

/* Rows of a body: sign (df), sign (a x df + da x f + dm), (S26). */
static void put_rows(double block[][N], double sign, tw_vec3 arm, tw_vec3 f, map df, map da, map dm)
{
    map turn = {{0}};
    add_product(turn, tw_mat3_cross(arm), df);
    add_product(turn, tw_mat3_scale(-1.0, tw_mat3_cross(f)), da);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < N; j++) {
            block[i][j] = sign * df[i][j];
            block[3 + i][j] = sign * (turn[i][j] + dm[i][j]);
        }
}

void tw_statics_contact_block(const tw_statics_contact *c, bool geometric, double block[N][N])
{
    tw_statics_maps maps;
    map dn = {{0}}, df = {{0}}, dm = {{0}}, dap = {{0}}, daq = {{0}}, db;
    tw_statics_contact_maps(c, &maps);
    const tw_mat3 nn = tw_mat3_outer(c->n, c->n);
    if (!at_wall(c)) { /* (S23) */
        const double length = c->rp + c->rq - c->zeta;
        add_product(dn, tw_mat3_scale(1.0 / length, tw_mat3_sub(tw_mat3_identity(), nn)), maps.dl);
    }
    change_of_loads(c, &maps, dn, geometric, df, dm);
    const tw_vec3 f = tw_vec3_add_scaled(c->ft, -c->fn, c->n);
    memset(block, 0, sizeof(double[N][N]));
    if (geometric) { /* (S25) */
        const double rp = c->rp - 0.5 * c->zeta;
        add_product(dap, tw_mat3_diagonal(rp, rp, rp), dn);
        add_product(dap, tw_mat3_scale(0.5, nn), maps.du);
        put(dap, TP, -1.0, tw_mat3_cross(c->dp));
        if (!at_wall(c)) {
            const double rq = 0.5 * c->zeta - c->rq;
            add_product(daq, tw_mat3_diagonal(rq, rq, rq), dn);
            add_product(daq, tw_mat3_scale(-0.5, nn), maps.du);
            put(daq, TQ, -1.0, tw_mat3_cross(c->dq));
        }
    }
    put_rows(block, -1.0, maps.ap, f, df, dap, dm);
    if (!at_wall(c)) put_rows(block + UQ, 1.0, maps.aq, f, df, daq, dm);
    put_motion(db, c, tw_vec3_make(0.0, 0.0, 0.0), tw_vec3_make(0.0, 0.0, 0.0));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < N; j++)
                block[G + 3 * i + k][j] =
                    df[i][j] * at(c->b, k) + (geometric ? at(f, i) * db[k][j] : 0.0);
}
