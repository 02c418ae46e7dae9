/* SPDX-License-Identifier: GPL-2.0-only */
/* Forces of pair_style twirl.
 *
 * LAMMPS calls compute() when positions are those of the end of the step and velocities those of
 * its middle. Both are what the law wants: the stored normal and overlap tell where the pair was at
 * the start, omega dt how the two have turned.
 */
#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>

#include "pair_twirl.h"

#include <twirl/contact_inline.h>

using namespace LAMMPS_NS;

namespace twirl_lammps
{

/* A pair that had no memory: where it was at the start of the step. Just after a search atoms have
 * other numbers, and where a run goes on in a box that deforms fix deform has moved them since the
 * last step; then velocities must do. In a box that deforms, atoms may have moved with it without
 * their velocities showing it. */
tw_contact_memory PairTwirl::fresh_memory(int i, int j, const tw_vec3 &branch) const
{
    if (neighbor->ago > 0 && x_known) {
        const tw_vec3 before = tw_vec3_sub(x_last[j], x_last[i]);
        return tw_contact_memory_fresh(before, atom->radius[i], atom->radius[j]);
    }
    const tw_vec3 v = tw_vec3_sub(vec3_of(atom->v[j]), vec3_of(atom->v[i]));
    tw_vec3 b = tw_vec3_add_scaled(branch, -update->dt, v);
    if (domain->deform_flag && !domain->deform_vremap) {
        /* The box came first: b - dt L b, L = dH/dt H^-1; upper triangles (xx, yy, zz, yz, xz, xy)
         */
        const double *rate = domain->h_rate, *inverse = domain->h_inv;
        const double sx = inverse[0] * b.x + inverse[5] * b.y + inverse[4] * b.z;
        const double sy = inverse[1] * b.y + inverse[3] * b.z, sz = inverse[2] * b.z;
        const tw_vec3 flow = {rate[0] * sx + rate[5] * sy + rate[4] * sz,
                              rate[1] * sy + rate[3] * sz, rate[2] * sz};
        b = tw_vec3_add_scaled(b, -update->dt, flow);
    }
    return tw_contact_memory_fresh(b, atom->radius[i], atom->radius[j]);
}

void PairTwirl::remember_places()
{
    const size_t all = static_cast<size_t>(atom->nlocal) + atom->nghost;
    x_last.resize(all);
    if (all) std::memcpy(x_last.data(), atom->x[0], all * sizeof(tw_vec3));
}

/* Arrays of LAMMPS, and what does not change in a pass. LAMMPS keeps vectors of atoms one after the
 * other; so they are found without a look at its table of rows. */
struct PairTwirl::Pass {
    explicit Pass(const PairTwirl *pair)
        : x(rows(pair->atom->x)), omega(rows(pair->atom->omega)), f(rows(pair->atom->f)),
          torque(rows(pair->atom->torque)), radius(pair->atom->radius), type(pair->atom->type),
          owned(pair->force->newton_pair ? INT_MAX : pair->atom->nlocal)
    {
    }

    tw_vec3 *x, *omega, *f, *torque;
    const double *radius;
    const int *type;
    int owned; /* atoms from here on get no force from here: newton off */

    double normal = 0.0, tangential = 0.0; /* stored energy; only if energies are asked for */
    double contacts = 0.0, sliding = 0.0;
    double friction = 0.0, viscous = 0.0;

  private:
    static tw_vec3 *rows(double **table)
    {
        return reinterpret_cast<tw_vec3 *>(table[0]);
    }
};

/* Adds the force of a contact to both atoms and to the sums of the pass. */
inline void PairTwirl::push(Pass &pass, int i, int j, int slot, const tw_contact_memory &m,
                            const tw_contact_law &law, const tw_contact_load &load)
{
    const double half = 0.5 * m.zeta;
    const tw_vec3 moment = tw_vec3_cross(m.n, load.f);
    double share = 0.5;
    pass.f[i] = tw_vec3_add(pass.f[i], load.f);
    pass.torque[i] = tw_vec3_add_scaled(pass.torque[i], pass.radius[i] - half, moment);
    if (j < pass.owned) {
        pass.f[j] = tw_vec3_sub(pass.f[j], load.f);
        pass.torque[j] = tw_vec3_add_scaled(pass.torque[j], pass.radius[j] - half, moment);
        share = 1.0;
    }
    pass.contacts += share;
    if (past->sliding[slot]) pass.sliding += share;
    if (evflag) tally(pass, i, j, share, m, law, load);
}

void PairTwirl::tally(Pass &pass, int i, int j, double share, const tw_contact_memory &m,
                      const tw_contact_law &law, const tw_contact_load &load)
{
    double energy = 0.0;
    if (eflag_either) {
        const double tangential = tw_contact_law_stored_tangential(&law, m.ft);
        energy = load.work_normal + tangential;
        pass.normal += share * load.work_normal;
        pass.tangential += share * tangential;
    }
    const tw_vec3 back = tw_vec3_scale(m.zeta - pass.radius[i] - pass.radius[j], m.n);
    ev_tally_xyz(i, j, atom->nlocal, force->newton_pair, energy, 0.0, load.f.x, load.f.y, load.f.z,
                 back.x, back.y, back.z);
}

/* The force of a memory as it stands. */
static tw_contact_load remembered(const tw_contact_law &law, const tw_contact_memory &m)
{
    tw_contact_load load = {};
    load.fn = tw_contact_law_normal_force(&law, m.zeta);
    load.f = tw_contact_law_elastic_force(&law, &m);
    load.work_normal = tw_contact_law_stored_normal(&law, m.zeta);
    load.touching = 1;
    return load;
}

/* Suitors that have come to touch get a slot. `begin` tells the memory they start with. */
template <typename Begin> void PairTwirl::meet(const Pass &pass, const Begin &begin)
{
    std::vector<Couple> &suitors = past->suitors;
    for (size_t k = 0; k < suitors.size();) {
        const Couple couple = suitors[k];
        const tw_vec3 branch = tw_vec3_sub(pass.x[couple.j], pass.x[couple.i]);
        const double sum = pass.radius[couple.i] + pass.radius[couple.j];
        if (tw_vec3_dot(branch, branch) >= sum * sum) {
            k++;
            continue;
        }
        past->open_slot(couple, begin(couple.i, couple.j, branch));
        suitors[k] = suitors.back();
        suitors.pop_back();
    }
}

/* The forces at the start of a run. No time passes: what is remembered acts, even if fix deform has
 * moved box and atoms since the last step, so that runs, restarts too, go on as one would. Only
 * pairs that have been moved by hand are looked at where they are now; the law sees that movement.
 * Pairs that overlap without a memory begin one. */
void PairTwirl::settle(Pass &pass)
{
    const tw_vec3 zero = {0.0, 0.0, 0.0};
    meet(pass, [&](int i, int j, const tw_vec3 &branch) {
        return tw_contact_memory_fresh(branch, pass.radius[i], pass.radius[j]);
    });
    for (int slot = 0; slot < static_cast<int>(past->contact.size()); slot++) {
        const int i = past->touch[slot].i, j = past->touch[slot].j;
        if (past->touch[slot].near < 0) continue;
        tw_contact_law law = law_of(pass.type[i], pass.type[j]);
        tw_contact_memory &m = past->contact[slot];
        tw_contact_load load = remembered(law, m);
        if (!past->is_where_it_was(m, i, j)) {
            law.nu = 0.0;
            const tw_contact_pair pair = {tw_vec3_sub(pass.x[j], pass.x[i]), zero, zero,
                                          pass.radius[i], pass.radius[j]};
            const tw_contact_motion motion = tw_contact_pair_motion(law.kind, &pair, &m);
            tw_contact_advance(&law, &motion, update->dt, &m, &load);
        }
        if (!load.touching) {
            past->close_slot(slot);
            continue;
        }
        if (past->damped) load.f = tw_vec3_add(load.f, past->drag[slot]);
        push(pass, i, j, slot, m, law, load);
    }
}

/* Slots that go through the kernel together: it is fastest with many at once. */
enum { BATCH = 128 };

/* Branches in one loop, roots and quotients in the next: there they do not wait for each other. */
template <int KIND>
static void find_motions(const PairTwirl::Pass &pass, const Couple *touch,
                         const tw_contact_memory *m, double dt, int count,
                         tw_contact_motion *motion)
{
    tw_vec3 branch[BATCH];
    double length[BATCH], inverse[BATCH];
    for (int k = 0; k < count; k++) {
        branch[k] = tw_vec3_sub(pass.x[touch[k].j], pass.x[touch[k].i]);
        length[k] = tw_vec3_dot(branch[k], branch[k]);
    }
    for (int k = 0; k < count; k++) {
        length[k] = std::sqrt(length[k]);
        inverse[k] = 1.0 / length[k];
    }
    for (int k = 0; k < count; k++) {
        const int i = touch[k].i, j = touch[k].j;
        const tw_contact_pair pair = {branch[k], tw_vec3_scale(dt, pass.omega[i]),
                                      tw_vec3_scale(dt, pass.omega[j]), pass.radius[i],
                                      pass.radius[j]};
        if (length[k] > 1e-100 && length[k] < 1e100)
            motion[k] = tw_contact_pair_motion_along(
                KIND, &pair, &m[k], tw_vec3_scale(inverse[k], branch[k]), length[k]);
        else
            motion[k] = tw_contact_pair_motion_inline(KIND, &pair, &m[k]);
    }
}

/* Slots from `begin` on. */
void PairTwirl::advance_batch(Pass &pass, int begin, int count)
{
    tw_contact_motion motion[BATCH];
    tw_contact_load load[BATCH];
    uint32_t law[BATCH] = {};
    const Couple *touch = past->touch.data() + begin;
    tw_contact_memory *m = past->contact.data() + begin;
    const double dt = update->dt, per_dt = 1.0 / dt;
    if (style.kind == TW_CONTACT_EXACT)
        find_motions<TW_CONTACT_EXACT>(pass, touch, m, dt, count, motion);
    else
        find_motions<TW_CONTACT_PAPER>(pass, touch, m, dt, count, motion);
    const int types = atom->ntypes + 1;
    const bool alike = types == 2; /* there is one type, 1 */
    const tw_contact_law *table = alike ? &law_of(1, 1) : laws.data();
    for (int k = 0; !alike && k < count; k++)
        law[k] = static_cast<uint32_t>(pass.type[touch[k].i] * types + pass.type[touch[k].j]);
    tw_contact_advance_batch(table, alike ? nullptr : law, motion, dt, m, load,
                             static_cast<size_t>(count));

    double *lost = past->lost.data() + begin;
    unsigned char *sliding = past->sliding.data() + begin;
    tw_vec3 *drag = past->damped ? past->drag.data() + begin : nullptr;
    for (int k = 0; k < count; k++) {
        if (touch[k].near < 0) continue;
        const double share = touch[k].j < pass.owned ? 1.0 : 0.5;
        pass.friction += share * load[k].work_dissipated;
        pass.viscous += share * load[k].work_viscous;
        if (!load[k].touching) {
            past->close_slot(begin + k);
            continue;
        }
        lost[k] += load[k].work_dissipated;
        sliding[k] = static_cast<unsigned char>(load[k].sliding);
        if (drag) drag[k] = tw_vec3_scale(table[law[k]].nu * per_dt, motion[k].du);
        push(pass, touch[k].i, touch[k].j, begin + k, m[k], table[law[k]], load[k]);
    }
}

void PairTwirl::advance(Pass &pass)
{
    meet(pass, [&](int i, int j, const tw_vec3 &branch) { return fresh_memory(i, j, branch); });
    const int slots = static_cast<int>(past->contact.size());
    for (int begin = 0; begin < slots; begin += BATCH)
        advance_batch(pass, begin, std::min<int>(BATCH, slots - begin));
}

void PairTwirl::compute(int eflag, int vflag)
{
    ev_init(eflag, vflag);
    Pass pass(this);
    if (update->setupflag)
        settle(pass);
    else
        advance(pass);
    remember_places();
    x_known = !update->setupflag || !past->goes_on || !domain->deform_flag;
    past->advanced();
    past->friction += pass.friction;
    past->viscous += pass.viscous;
    const double sums[] = {pass.normal,   pass.tangential, past->friction,
                           past->viscous, pass.contacts,   pass.sliding};
    std::copy(sums, sums + nextra, pvector);
}

/* ---- One contact, for computes ---- */

double PairTwirl::single(int i, int j, int itype, int jtype, double rsq, double, double,
                         double &fforce)
{
    double side = 1.0; /* -1: the contact is kept by j */
    int at = past->find(i, j);
    if (at < 0) {
        at = past->find(j, i);
        side = -1.0;
    }
    const int slot = at < 0 ? NO_SLOT : past->near[at].slot;
    std::fill(svector, svector + single_extra, 0.0);
    fforce = 0.0;
    if (slot == NO_SLOT) return 0.0;
    const tw_contact_law &law = law_of(itype, jtype);
    const tw_contact_memory &m = past->contact[slot];
    const tw_vec3 n = tw_vec3_scale(side, m.n), ft = tw_vec3_scale(side, m.ft);
    const double fn = tw_contact_law_normal_force(&law, m.zeta);
    tw_vec3 f = tw_contact_law_spring_force(&law, n, m.zeta, ft);
    if (past->damped) f = tw_vec3_add_scaled(f, side, past->drag[slot]);
    const double values[] = {f.x,
                             f.y,
                             f.z,
                             n.x,
                             n.y,
                             n.z,
                             fn,
                             ft.x,
                             ft.y,
                             ft.z,
                             static_cast<double>(past->sliding[slot]),
                             past->lost[slot],
                             m.zeta};
    std::copy(values, values + single_extra, svector);
    fforce = fn / std::sqrt(rsq);
    return tw_contact_law_stored(&law, &m);
}

} // namespace twirl_lammps
