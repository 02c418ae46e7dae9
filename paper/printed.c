/* SPDX-License-Identifier: BSD-3-Clause */
#include "printed.h"

void paper_printed_advance(const tw_contact_law *law, const paper_pair *pair, double s0, double s1,
                           tw_contact_memory *memory, tw_contact_load *load)
{
    tw_contact_memory slow = *memory;
    const bool fresh = !(memory->zeta > 0.0);
    paper_pair_advance(law, pair, s0, s1, memory, load);
    if (fresh || !load->sliding) return;
    /* To the start of slip, then by the same amount again: that direction is used as the final one.
     */
    const double part = load->alpha_s * (s1 - s0);
    tw_contact_load there;
    if (part > 0.0) {
        paper_pair_advance(law, pair, s0, s0 + part, &slow, &there);
        paper_pair_advance(law, pair, s0 + part, s0 + 2.0 * part, &slow, &there);
    }
    const tw_vec3 n = memory->n;
    tw_vec3 m = tw_vec3_add_scaled(slow.ft, -tw_vec3_dot(slow.ft, n), n);
    const double length = tw_vec3_norm(m);
    if (!(length > 0.0)) return;
    m = tw_vec3_scale(law->mu * load->fn / length, m);
    load->f = tw_vec3_add(load->f, tw_vec3_sub(m, memory->ft));
    memory->ft = m;
}
