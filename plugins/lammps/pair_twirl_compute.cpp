/* SPDX-License-Identifier: GPL-2.0-only */
/* Forces of pair_style twirl.
 *
 * LAMMPS calls compute() when positions are those of the end of the step and velocities those of
 * its middle. Both are what the law wants: the stored normal and overlap tell where the pair was at
 * the start, omega dt how the two have turned.
 */
#include <cmath>

#include "pair_twirl.h"

#include <twirl/contact_inline.h>

using namespace LAMMPS_NS;

namespace twirl_lammps
{

struct PairTwirl::Pass {
    double normal = 0.0, tangential = 0.0; /* stored energy; only if energies are asked for */
    double contacts = 0.0, sliding = 0.0;
    double friction = 0.0, viscous = 0.0;
};

/* A pair that had no memory: where it was at the start of the step. Just after a search ghosts have
 * other numbers and velocities must do; in a box that deforms, atoms may have moved with it without
 * their velocities showing it. */
tw_contact_memory PairTwirl::fresh_memory(int i, int j, const tw_vec3 &branch) const
{
    tw_vec3 moved;
    if (neighbor->ago > 0) {
        const tw_vec3 before = tw_vec3_sub(x_last[j], x_last[i]);
        return tw_contact_memory_fresh(before, atom->radius[i], atom->radius[j]);
    }
    moved = tw_vec3_sub(vec3_of(atom->v[j]), vec3_of(atom->v[i]));
    if (domain->deform_flag && !domain->deform_vremap) {
        /* L b = dH/dt H^-1 b; both are upper triangles (xx, yy, zz, yz, xz, xy) */
        const double *rate = domain->h_rate, *inverse = domain->h_inv;
        const double sx = inverse[0] * branch.x + inverse[5] * branch.y + inverse[4] * branch.z;
        const double sy = inverse[1] * branch.y + inverse[3] * branch.z;
        const double sz = inverse[2] * branch.z;
        moved.x += rate[0] * sx + rate[5] * sy + rate[4] * sz;
        moved.y += rate[1] * sy + rate[3] * sz;
        moved.z += rate[2] * sz;
    }
    return tw_contact_memory_fresh(tw_vec3_add_scaled(branch, -update->dt, moved), atom->radius[i],
                                   atom->radius[j]);
}

void PairTwirl::remember_places()
{
    const int all = atom->nlocal + atom->nghost;
    x_last.resize(all);
    for (int i = 0; i < all; i++)
        x_last[i] = vec3_of(atom->x[i]);
}

/* Adds the force of a contact to both atoms and to the sums of the pass. */
void PairTwirl::push(Pass &pass, int i, int j, int slot, const tw_vec3 &branch,
                     const tw_contact_law &law, const tw_contact_load &load)
{
    const tw_contact_memory &m = past->contacts[slot].memory;
    const double half = 0.5 * m.zeta;
    const tw_vec3 moment = tw_vec3_cross(m.n, load.f);
    const bool both = force->newton_pair || j < atom->nlocal;
    vec3_add(atom->f[i], 1.0, load.f);
    vec3_add(atom->torque[i], atom->radius[i] - half, moment);
    if (both) {
        vec3_add(atom->f[j], -1.0, load.f);
        vec3_add(atom->torque[j], atom->radius[j] - half, moment);
    }
    const double share = both ? 1.0 : 0.5;
    pass.contacts += share;
    if (past->sliding[slot]) pass.sliding += share;
    if (!evflag) return;
    double energy = 0.0;
    if (eflag_either) {
        const double tangential = law.kt > 0.0 ? 0.5 * tw_vec3_dot(m.ft, m.ft) / law.kt : 0.0;
        energy = load.work_normal + tangential;
        pass.normal += share * load.work_normal;
        pass.tangential += share * tangential;
    }
    ev_tally_xyz(i, j, atom->nlocal, force->newton_pair, energy, 0.0, load.f.x, load.f.y, load.f.z,
                 -branch.x, -branch.y, -branch.z);
}

/* The force of a memory as it stands. */
static tw_contact_load remembered(const tw_contact_law &law, const tw_contact_memory &m)
{
    tw_contact_load load = {};
    load.fn = law.kn * m.zeta;
    load.f = tw_vec3_add_scaled(m.ft, -load.fn, m.n);
    load.work_normal = 0.5 * load.fn * m.zeta;
    load.touching = 1;
    return load;
}

/* The forces at the start of a run. No time passes: what is remembered acts, even if fix deform has
 * moved box and atoms since the last step, so that runs, restarts too, go on as one would. Only
 * pairs that have been moved by hand are looked at where they are now; the law sees that movement.
 * Pairs that overlap without a memory begin one. */
void PairTwirl::settle(Pass &pass)
{
    const tw_vec3 zero = {0.0, 0.0, 0.0};
    for (int ii = 0; ii < list->inum; ii++) {
        const int i = list->ilist[ii];
        for (int k = past->first[ii]; k < past->first[ii + 1]; k++) {
            const int j = past->near[k].j;
            const double ri = atom->radius[i], rj = atom->radius[j];
            const tw_vec3 branch = tw_vec3_sub(vec3_of(atom->x[j]), vec3_of(atom->x[i]));
            int &slot = past->near[k].slot;
            if (slot == NO_SLOT) {
                const tw_contact_memory now = tw_contact_memory_fresh(branch, ri, rj);
                if (!(now.zeta > 0.0)) continue;
                slot = past->open_slot(now);
            }
            tw_contact_law law = law_of(atom->type[i], atom->type[j]);
            tw_contact_memory &m = past->contacts[slot].memory;
            tw_contact_load load = remembered(law, m);
            if (!past->is_where_it_was(m, i, j)) {
                law.nu = 0.0;
                const tw_contact_pair pair = {branch, zero, zero, ri, rj};
                const tw_contact_motion motion = tw_contact_pair_motion(law.kind, &pair, &m);
                tw_contact_advance(&law, &motion, update->dt, &m, &load);
            }
            if (!load.touching) {
                past->close_slot(slot);
                slot = NO_SLOT;
                continue;
            }
            if (past->damped) load.f = tw_vec3_add(load.f, past->drag[slot]);
            push(pass, i, j, slot, tw_vec3_scale(ri + rj - m.zeta, m.n), law, load);
        }
    }
}

void PairTwirl::advance(Pass &pass)
{
    double **x = atom->x, **omega = atom->omega;
    const double *radius = atom->radius;
    const double dt = update->dt;
    for (int ii = 0; ii < list->inum; ii++) {
        const int i = list->ilist[ii];
        const tw_vec3 xi = vec3_of(x[i]), turn = tw_vec3_scale(dt, vec3_of(omega[i]));
        for (int k = past->first[ii]; k < past->first[ii + 1]; k++) {
            const int j = past->near[k].j;
            int &slot = past->near[k].slot;
            const tw_vec3 branch = tw_vec3_sub(vec3_of(x[j]), xi);
            const double sum = radius[i] + radius[j];
            const bool apart = tw_vec3_dot(branch, branch) >= sum * sum;
            if (apart && slot == NO_SLOT) continue;
            if (slot == NO_SLOT) slot = past->open_slot(fresh_memory(i, j, branch));
            const tw_contact_law &law = law_of(atom->type[i], atom->type[j]);
            Contact &contact = past->contacts[slot];
            const tw_contact_pair pair = {branch, turn, tw_vec3_scale(dt, vec3_of(omega[j])),
                                          radius[i], radius[j]};
            const tw_contact_motion motion =
                tw_contact_pair_motion_inline(law.kind, &pair, &contact.memory);
            tw_contact_load load;
            tw_contact_advance_inline(&law, &motion, dt, &contact.memory, &load);
            const double share = force->newton_pair || j < atom->nlocal ? 1.0 : 0.5;
            contact.lost += load.work_dissipated;
            pass.friction += share * load.work_dissipated;
            pass.viscous += share * load.work_viscous;
            if (!load.touching) {
                past->close_slot(slot);
                slot = NO_SLOT;
                continue;
            }
            past->sliding[slot] = static_cast<unsigned char>(load.sliding);
            if (past->damped) past->drag[slot] = tw_vec3_scale(law.nu / dt, motion.du);
            push(pass, i, j, slot, branch, law, load);
        }
    }
}

void PairTwirl::compute(int eflag, int vflag)
{
    ev_init(eflag, vflag);
    Pass pass;
    if (update->setupflag)
        settle(pass);
    else
        advance(pass);
    remember_places();
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
    const Contact &contact = past->contacts[slot];
    const tw_vec3 n = tw_vec3_scale(side, contact.memory.n);
    const tw_vec3 ft = tw_vec3_scale(side, contact.memory.ft);
    const double fn = law.kn * contact.memory.zeta;
    tw_vec3 f = tw_vec3_add_scaled(ft, -fn, n);
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
                             contact.lost,
                             contact.memory.zeta};
    std::copy(values, values + single_extra, svector);
    fforce = fn / std::sqrt(rsq);
    const double tangential = law.kt > 0.0 ? 0.5 * tw_vec3_dot(ft, ft) / law.kt : 0.0;
    return 0.5 * fn * contact.memory.zeta + tangential;
}

} // namespace twirl_lammps
