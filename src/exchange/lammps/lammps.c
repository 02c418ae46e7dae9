/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/lammps/lammps.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <twirl/math.h>

#include "base/mat3.h"

uint64_t tw_lammps_id(double value)
{
    return tw_lines_is_integer(value, 1.0) ? (uint64_t)value : 0;
}

/* Divides rather than multiplies, so that rounding does not rotate a cell already in the frame. */
static tw_vec3 unit(tw_vec3 v)
{
    const double length = tw_vec3_norm(v);
    return tw_vec3_make(v.x / length, v.y / length, v.z / length);
}

/* Makes open edges perpendicular to the periodic ones and to each other. The periodic lattice stays
 * the same. */
static void square_open_edges(tw_vec3 *edge, const int *periodic)
{
    bool done[3] = {periodic[0] != 0, periodic[1] != 0, periodic[2] != 0};
    for (int k = 0; k < 3; k++) {
        if (periodic[k]) continue;
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        if (done[i] && done[j]) {
            const tw_vec3 n = unit(tw_vec3_cross(edge[i], edge[j]));
            edge[k] = tw_vec3_scale(tw_vec3_dot(edge[k], n), n);
        } else if (done[i] || done[j]) {
            const tw_vec3 along = unit(edge[done[i] ? i : j]);
            edge[k] = tw_vec3_add_scaled(edge[k], -tw_vec3_dot(edge[k], along), along);
        }
        done[k] = true;
    }
}

/* b - round(b.k / a.k) a */
static tw_vec3 shorten(tw_vec3 b, tw_vec3 a, double b_part, double a_part)
{
    return tw_vec3_add_scaled(b, -round(b_part / a_part), a);
}

tw_lammps_frame tw_lammps_frame_make(const tw_mat3 *cell, const int *periodic)
{
    tw_vec3 edge[3] = {tw_mat3_column(*cell, 0), tw_mat3_column(*cell, 1),
                       tw_mat3_column(*cell, 2)};
    square_open_edges(edge, periodic);
    if (tw_vec3_dot(tw_vec3_cross(edge[0], edge[1]), edge[2]) < 0.0)
        edge[2] = tw_vec3_scale(-1.0, edge[2]); /* right-handed; the lattice is the same */
    const tw_vec3 x = unit(edge[0]), z = unit(tw_vec3_cross(edge[0], edge[1]));
    const tw_vec3 y = tw_vec3_cross(z, x);
    tw_lammps_frame frame = {.turn = tw_mat3_from_rows(x, y, z)};
    for (int k = 0; k < 3; k++) {
        frame.periodic[k] = periodic[k] != 0;
        edge[k] = tw_mat3_mul_vec(frame.turn, edge[k]);
    }
    /* zero except for rounding */
    edge[0].y = edge[0].z = edge[1].z = 0.0;
    edge[1] = shorten(edge[1], edge[0], edge[1].x, edge[0].x);
    edge[2] = shorten(edge[2], edge[1], edge[2].y, edge[1].y);
    edge[2] = shorten(edge[2], edge[0], edge[2].x, edge[0].x);
    if (!periodic[1]) edge[1].x = edge[2].y = 0.0;
    if (!periodic[0]) edge[1].x = edge[2].x = 0.0;
    if (!periodic[2]) edge[2].x = edge[2].y = 0.0;
    frame.h =
        (tw_mat3){{edge[0].x, edge[1].x, edge[2].x, 0, edge[1].y, edge[2].y, 0, 0, edge[2].z}};
    return frame;
}

bool tw_lammps_frame_read_turn(tw_lines *lines, tw_mat3 *turn, bool *turned)
{
    enum { WORDS = 11 };
    char *words[WORDS];
    const size_t count = tw_lines_split_blanks(lines->text, words, WORDS);
    *turned = count >= 2 && strcmp(words[1], "rotation") == 0;
    if (!*turned) return true;
    if (count != WORDS)
        return tw_lines_refuse(lines, "rotation with %zu numbers instead of 9", count - 2);
    if (!tw_lines_read_numbers(lines, words + 2, 9, turn->m)) return false;
    const tw_mat3 square = tw_mat3_mul(*turn, tw_mat3_transpose(*turn)), one = tw_mat3_identity();
    double worst = 0.0;
    for (int k = 0; k < 9; k++)
        worst = tw_math_max(worst, fabs(square.m[k] - one.m[k]));
    if (worst < 1e-9 && tw_mat3_det(*turn) > 0.0) return true; /* rounded numbers */
    return tw_lines_refuse(lines, "the nine numbers are not a rotation");
}

tw_vec3 tw_lammps_frame_turn(const tw_lammps_frame *frame, tw_vec3 v)
{
    return tw_mat3_mul_vec(frame->turn, v);
}

tw_mat3 tw_lammps_frame_turn_tensor(const tw_lammps_frame *frame, const tw_mat3 *m)
{
    return tw_mat3_mul(tw_mat3_mul(frame->turn, *m), tw_mat3_transpose(frame->turn));
}

typedef struct law_key {
    const char *name, *ratio; /* the second: as a damping ratio; empty: none */
    size_t at;                /* in tw_contact_law */
} law_key;

static const law_key law_keys[] = {
#define TW_CONTACT_CONSTANT(name, units, change, scale, word, ratio)                               \
    {word, ratio, offsetof(tw_contact_law, name)},
#include <twirl/detail/contact_constants.def>
};
enum { LAW_KEYS = sizeof law_keys / sizeof law_keys[0] };

static const struct {
    const char *name;
    int32_t normal;
    uint32_t flags;
} law_forms[] = {{"linear", TW_CONTACT_LINEAR, 0},
                 {"linear/radius", TW_CONTACT_LINEAR, TW_CONTACT_BY_RADIUS},
                 {"hertz", TW_CONTACT_HERTZ, 0},
                 {"hertz/radius", TW_CONTACT_HERTZ, TW_CONTACT_BY_RADIUS}};
enum { LAW_FORMS = sizeof law_forms / sizeof law_forms[0] };

static double *value_of(tw_contact_law *law, const law_key *key)
{
    return (double *)(void *)((char *)law + key->at);
}

static bool read_key(tw_lines *lines, const char *word, char *text, tw_contact_law *law)
{
    if (strcmp(word, "no_tension") == 0) {
        if (strcmp(text, "yes") == 0) law->flags |= TW_CONTACT_NO_TENSION;
        if (strcmp(text, "yes") == 0 || strcmp(text, "no") == 0) return true;
        return tw_lines_refuse(lines, "no_tension must be yes or no, found %s",
                               tw_text_quote(text, strlen(text)).text);
    }
    if (strcmp(word, "levers") == 0) {
        if (strcmp(text, "yade") == 0) law->flags |= TW_CONTACT_YADE_LEVERS;
        if (strcmp(text, "yade") == 0 || strcmp(text, "reduced") == 0) return true;
        return tw_lines_refuse(lines, "levers must be reduced or yade, found %s",
                               tw_text_quote(text, strlen(text)).text);
    }
    for (size_t i = 0; i < LAW_KEYS; i++) {
        const law_key *key = &law_keys[i];
        const bool ratio = strcmp(word, key->ratio) == 0; /* no word is empty */
        if (!ratio && strcmp(word, key->name) != 0) continue;
        if (ratio) law->flags |= TW_CONTACT_BY_MASS;
        return tw_lines_read_number(lines, word, text, value_of(law, key));
    }
    return tw_lines_refuse(lines, "unknown keyword %s", tw_text_quote(word, strlen(word)).text);
}

bool tw_lammps_law_read(tw_lines *lines, char **words, size_t count, tw_contact_law *law)
{
    size_t form = 0;
    while (form < LAW_FORMS && (count == 0 || strcmp(words[0], law_forms[form].name) != 0))
        form++;
    if (form == LAW_FORMS || count < 4 || count % 2 != 0)
        return tw_lines_refuse(lines,
                               "expected linear, linear/radius, hertz or hertz/radius, then kn kt "
                               "mu and keywords with a value each");
    double constants[3];
    if (!tw_lines_read_numbers(lines, words + 1, 3, constants)) return false;
    const tw_contact_law style = *law;
    *law = tw_contact_law_default();
    law->kind = style.kind;
    law->refine = style.refine;
    law->normal = law_forms[form].normal;
    law->flags = law_forms[form].flags;
    law->kn = constants[0];
    law->kt = constants[1];
    law->mu = constants[2];
    for (size_t i = 4; i + 1 < count; i += 2) {
        if (!read_key(lines, words[i], words[i + 1], law)) return false;
    }
    const char *wrong = tw_contact_law_check(law);
    return !wrong || tw_lines_refuse(lines, "%s", wrong);
}
