/* SPDX-License-Identifier: BSD-3-Clause */
/* Applies contact laws to the same movement of every contact.
 *
 *     paper_replay BEFORE.h5 AFTER.h5
 *
 * Two states of one assembly, before and after a probe, give the movement of every contact. The
 * kernel follows it in k equal sub-steps, with each law and with single refinements switched off,
 * and the stress is summed from the resulting forces. There is no inertia, damping or time: two
 * rows differ only by the law and its steps.
 *
 * Writes CSV: a row for each law and k, with the increment of stress and the movement of the
 * contacts per sub-step. The rows of `no slip` have contacts that cannot slide. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <twirl/contact_law.h>

#include "printed.h"

typedef void (*advance_call)(const tw_contact_law *law, const paper_pair *pair, double s0,
                             double s1, tw_contact_memory *memory, tw_contact_load *load);

/* Returns whether the contact slid in any sub-step. */
static bool advance(const tw_contact_law *law, advance_call call, const paper_pair *pair,
                    int substeps, tw_contact_memory *memory, tw_contact_load *load)
{
    bool slid = false;
    for (int i = 0; i < substeps; i++) {
        call(law, pair, (double)i / substeps, (double)(i + 1) / substeps, memory, load);
        slid |= load->sliding;
    }
    return slid;
}

typedef struct row_sums {
    double stress[9];
    double movement, limit; /* of sliding contacts: |dxi| and mu fn/kt [m] */
    size_t sliding, pairs;
} row_sums;

static void add_force(row_sums *sums, tw_vec3 l, tw_vec3 f, double volume)
{
    const double branch[3] = {l.x, l.y, l.z}, force[3] = {f.x, f.y, f.z};
    for (int i = 0; i < 9; i++)
        sums->stress[i] -= branch[i / 3] * force[i % 3] / volume;
}

/* The tangential part of the movement in the mean contact plane. */
static double tangential(const paper_pair *pair, int32_t kind)
{
    const tw_contact_pair whole = {pair->branch[1], pair->turn_p,   pair->turn_q,
                                   pair->radius_p,  pair->radius_q, 0.0};
    const tw_contact_memory start =
        tw_contact_memory_fresh(pair->branch[0], pair->radius_p, pair->radius_q);
    const tw_contact_motion motion = tw_contact_pair_motion(kind, &whole, &start);
    const double along = tw_vec3_dot(motion.du, motion.n);
    return tw_vec3_norm(tw_vec3_add_scaled(motion.du, -along, motion.n));
}

static row_sums replay(const paper_pairs *pairs, const tw_contact_law *law, advance_call call,
                       int substeps)
{
    row_sums sums = {.pairs = pairs->count};
    for (size_t i = 0; i < pairs->count; i++) {
        const paper_pair *pair = &pairs->pair[i];
        tw_contact_memory memory = pair->memory;
        tw_contact_load load;
        const bool slid = advance(law, call, pair, substeps, &memory, &load);
        add_force(&sums, pair->body_branch[1], load.f, pairs->volume[1]);
        if (!slid) continue;
        const double overlap =
            0.5 * (tw_math_max(pair->memory.zeta, 0.0) + tw_math_max(memory.zeta, 0.0));
        sums.sliding++;
        sums.movement += tangential(pair, law->kind);
        sums.limit += tw_contact_law_friction_limit(law, overlap) / law->kt;
    }
    return sums;
}

static row_sums before_all(const paper_pairs *pairs, const tw_contact_law *law)
{
    row_sums sums = {.pairs = pairs->count};
    for (size_t i = 0; i < pairs->count; i++) {
        const tw_contact_memory *memory = &pairs->pair[i].memory;
        if (!(memory->zeta > 0.0)) continue;
        add_force(&sums, pairs->pair[i].body_branch[0], tw_contact_law_elastic_force(law, memory),
                  pairs->volume[0]);
    }
    return sums;
}

static void write_row(const char *name, const char *without, int substeps, const row_sums *sums,
                      const double *before)
{
    static const int part[6] = {0, 4, 8, 5, 2, 1};
    printf("%s,%s,%d,%zu,%zu,%.6e", name, without, substeps, sums->pairs, sums->sliding,
           sums->limit > 0.0 ? sums->movement / sums->limit / substeps : 0.0);
    for (int i = 0; i < 6; i++)
        printf(",%.10e", sums->stress[part[i]] - before[part[i]]);
    putchar('\n');
}

static void replay_rows(const paper_pairs *pairs, const tw_contact_law *law, advance_call call,
                        const char *name, const char *without, const double *before)
{
    static const int substeps[] = {1, 3, 10, 30, 100, 300};
    for (size_t k = 0; k < sizeof substeps / sizeof *substeps; k++) {
        const row_sums sums = replay(pairs, law, call, substeps[k]);
        write_row(name, without, substeps[k], &sums, before);
    }
}

static void replay_all(const paper_pairs *pairs, tw_contact_law law)
{
    static const uint32_t off[] = {0,
                                   TW_CONTACT_FRESH,
                                   TW_CONTACT_INSTANT,
                                   TW_CONTACT_TURNING,
                                   TW_CONTACT_TILT,
                                   TW_CONTACT_TWIRL};
    const row_sums before = before_all(pairs, &law);
    puts("law,without,substeps,pairs,sliding,movement,sxx,syy,szz,syz,sxz,sxy");
    for (int32_t kind = 0; kind < TW_CONTACT_KINDS; kind++) {
        for (size_t j = 0; j < sizeof off / sizeof *off; j++) {
            /* The tilt is the only refinement of the conventional law. */
            if (kind == TW_CONTACT_CONVENTIONAL && off[j] && off[j] != TW_CONTACT_TILT) continue;
            law.kind = kind;
            law.refine = TW_CONTACT_ALL & ~off[j];
            replay_rows(pairs, &law, paper_pair_advance, tw_contact_kind_name(kind),
                        off[j] ? tw_contact_refinement_name(off[j]) : "-", before.stress);
        }
    }
    law.kind = TW_CONTACT_PAPER;
    law.refine = TW_CONTACT_ALL;
    replay_rows(pairs, &law, paper_printed_advance, "as printed", "-", before.stress);
    law.kind = TW_CONTACT_EXACT;
    const row_sums limit = replay(pairs, &law, paper_pair_advance, 1000);
    write_row("exact", "-", 1000, &limit, before.stress);
    law.mu = 1e9;
    const row_sums elastic = replay(pairs, &law, paper_pair_advance, 30);
    write_row("no slip", "-", 30, &elastic, before.stress);
}

int main(int argc, char **argv)
{
    tw_error error;
    if (argc != 3) {
        fputs("usage: paper_replay BEFORE.h5 AFTER.h5 >ROWS.csv\n", stderr);
        return 2;
    }
    paper_pairs pairs;
    tw_contact_law law;
    if (!paper_pairs_read(argv[1], argv[2], &pairs, &law, &error)) {
        fprintf(stderr, "paper_replay: %s\n", error.text);
        return 1;
    }
    law.nu_n = 0.0;
    replay_all(&pairs, law);
    free(pairs.pair);
    return fflush(stdout) ? 1 : 0;
}
