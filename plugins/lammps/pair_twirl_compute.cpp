/* SPDX-License-Identifier: GPL-2.0-only */
/* Forces of pair_style twirl.
 *
 * LAMMPS calls compute() with positions at the end of the step and velocities at its middle, which
 * is what the law needs: the stored normal and overlap give the position of the pair at the start,
 * omega dt the rotations.
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

/* Slots passed to the kernel at once: it is fastest with many. */
enum { BATCH = 128 };

/* Arrays of LAMMPS, and what does not change in a pass. LAMMPS stores the vectors of atoms
 * contiguously, so its table of row pointers is not needed. */
struct PairTwirl::Pass {
    explicit Pass(const PairTwirl *pair)
        : x(rows(pair->atom->x)), omega(rows(pair->atom->omega)), f(rows(pair->atom->f)),
          torque(rows(pair->atom->torque)), type(pair->atom->type), radius(pair->atom->radius),
          owned(pair->force->newton_pair ? INT_MAX : pair->atom->nlocal)
    {
    }

    tw_vec3 *x, *omega, *f, *torque;
    const int *type;
    const double *radius;
    int owned; /* with newton off, atoms from here on get no force */

    StoredEnergy stored = {}; /* if requested */
    double contacts = 0.0, sliding = 0.0;
    double losses[TW_CONTACT_LOST_KINDS] = {};
    tw_contact_motion motion[BATCH] = {}; /* of a batch */

  private:
    static tw_vec3 *rows(double **table)
    {
        return reinterpret_cast<tw_vec3 *>(table[0]);
    }
};

/* A new contact: the position of the pair at the start of the step. Just after a search the atoms
 * have been renumbered, and in a run that continues in a deforming box fix deform has moved them
 * since the last step; then it is computed from velocities. These may lack the movement with the
 * box. */
tw_contact_memory PairTwirl::fresh_memory(const AtomPair &atoms, const tw_vec3 &branch) const
{
    const int i = atoms.i, j = atoms.j;
    if (neighbor->ago > 0 && x_last_valid) {
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

void PairTwirl::store_positions()
{
    const size_t all = static_cast<size_t>(atom->nlocal) + atom->nghost;
    x_last.resize(all);
    if (all) std::memcpy(x_last.data(), atom->x[0], all * sizeof(tw_vec3));
}

/* Adds the force of a contact to both atoms and to the sums of the pass. */
inline void PairTwirl::add_force(Pass &pass, int slot, const tw_contact_memory &m,
                                 const tw_contact_load &load)
{
    const AtomPair &atoms = fix_memory->touch[slot];
    const int i = atoms.i, j = atoms.j;
    const double half = 0.5 * m.zeta;
    const double rp = pass.radius[atoms.i], rq = pass.radius[atoms.j];
    const tw_vec3 moment = tw_vec3_cross(m.n, load.f);
    double share = 0.5;
    pass.f[i] = tw_vec3_add(pass.f[i], load.f);
    pass.torque[i] =
        tw_vec3_add(tw_vec3_add_scaled(pass.torque[i], rp - half, moment), load.couple);
    if (j < pass.owned) {
        pass.f[j] = tw_vec3_sub(pass.f[j], load.f);
        pass.torque[j] =
            tw_vec3_sub(tw_vec3_add_scaled(pass.torque[j], rq - half, moment), load.couple);
        share = 1.0;
    }
    if (load.touching) pass.contacts += share;
    if (fix_memory->contacts.sliding[slot]) pass.sliding += share;
    if (evflag && load.touching) tally(pass, slot, share, m, load);
}

void PairTwirl::tally(Pass &pass, int slot, double share, const tw_contact_memory &m,
                      const tw_contact_load &load)
{
    const AtomPair &atoms = fix_memory->touch[slot];
    double energy = 0.0;
    if (eflag_either) {
        const StoredEnergy stored =
            stored_energy(law_at(atoms), m, fix_memory->contacts.extra(slot));
        energy = stored.sum();
        pass.stored.add(share, stored);
    }
    const double sum = pass.radius[atoms.i] + pass.radius[atoms.j];
    const tw_vec3 back = tw_vec3_scale(m.zeta - sum, m.n);
    ev_tally_xyz(atoms.i, atoms.j, atom->nlocal, force->newton_pair, energy, 0.0, load.f.x,
                 load.f.y, load.f.z, back.x, back.y, back.z);
}

static double reduced(double a, double b)
{
    return a * b / (a + b);
}

/* 0 stands for an infinite mass. */
static double reduced_mass(double a, double b)
{
    return a > 0.0 && b > 0.0 ? reduced(a, b) : a + b;
}

/* The law of a contact with the radii and masses of its atoms. */
tw_contact_law PairTwirl::law_at(const AtomPair &atoms) const
{
    const int i = atoms.i, j = atoms.j;
    const tw_contact_law &law = law_of(atom->type[i], atom->type[j]);
    if (!(law.flags & TW_CONTACT_BY_SIZE)) return law;
    const Clusters *clusters = fix_memory->clusters;
    const double *radius = clusters ? clusters->radius.data() : atom->radius;
    return tw_contact_law_at(&law, reduced(radius[atoms.p], radius[atoms.q]),
                             by_mass ? reduced_mass(body_mass[i], body_mass[j]) : 0.0,
                             tw_contact_ratio(radius[atoms.p], radius[atoms.q]));
}

/* The mass of an atom is that of its rigid body; atoms of fix freeze are as heavy as can be. */
void PairTwirl::find_masses()
{
    body_mass.assign(static_cast<size_t>(atom->nlocal) + atom->nghost, 0.0);
    for (int i = 0; i < atom->nlocal; i++)
        body_mass[i] = atom->rmass ? atom->rmass[i] : atom->mass[atom->type[i]];
    for (int k = 0; k < modify->nfix; k++) {
        Fix *fix = modify->fix[k];
        int dimension;
        if (!std::strcmp(fix->style, "freeze")) {
            for (int i = 0; i < atom->nlocal; i++)
                if (atom->mask[i] & fix->groupbit) body_mass[i] = 0.0;
        }
        if (!fix->rigid_flag) continue;
        const int *body = static_cast<int *>(fix->extract("body", dimension));
        const double *mass = static_cast<double *>(fix->extract("masstotal", dimension));
        for (int i = 0; body && mass && i < atom->nlocal; i++)
            if (body[i] >= 0) body_mass[i] = mass[body[i]];
    }
    forward_pair(comm, this, 0);
}

int PairTwirl::pack_forward_comm(int n, int *atoms, double *buffer, int, int *)
{
    for (int k = 0; k < n; k++)
        buffer[k] = body_mass[atoms[k]];
    return n;
}

void PairTwirl::unpack_forward_comm(int n, int begin, double *buffer)
{
    std::copy_n(buffer, n, body_mass.begin() + begin);
}

/* Candidates that touch get a contact slot. `begin` returns their initial memory. */
template <typename Begin> void PairTwirl::open_contacts(const Pass &pass, const Begin &begin)
{
    std::vector<AtomPair> &candidates = fix_memory->candidates;
    for (size_t k = 0; k < candidates.size();) {
        const AtomPair atoms = candidates[k];
        const tw_vec3 branch = tw_vec3_sub(pass.x[atoms.j], pass.x[atoms.i]);
        const double sum = pass.radius[atoms.i] + pass.radius[atoms.j];
        if (tw_vec3_dot(branch, branch) >= sum * sum) {
            k++;
            continue;
        }
        const tw_contact_memory fresh = begin(atoms, branch);
        fix_memory->open_slot(atoms, {fresh, 0.0, 0, tw_contact_parts_begin(&fresh)});
        candidates[k] = candidates.back();
        candidates.pop_back();
    }
}

/* Forces at the start of a run. No time passes: the stored forces act, even if fix deform has moved
 * box and atoms since the last step, so that consecutive runs and restarts continue as a single run
 * would. If a pair was moved by hand, the law sees that movement. Pairs that overlap without a
 * memory get a new one. */
void PairTwirl::restore(Pass &pass)
{
    const tw_vec3 zero = {0.0, 0.0, 0.0};
    open_contacts(pass, [&](const AtomPair &atoms, const tw_vec3 &branch) {
        return tw_contact_memory_fresh(branch, pass.radius[atoms.i], pass.radius[atoms.j]);
    });
    Contacts &contacts = fix_memory->contacts;
    for (int slot = 0; slot < static_cast<int>(contacts.size()); slot++) {
        const AtomPair &atoms = fix_memory->touch[slot];
        if (atoms.near < 0) continue;
        tw_contact_law law = law_at(atoms);
        const double rp = pass.radius[atoms.i], rq = pass.radius[atoms.j];
        tw_contact_memory &m = contacts.memory[slot];
        tw_contact_parts extra = contacts.extra(slot);
        if (tw_contact_law_lives(&law, 1, m.zeta) && !fix_memory->is_unmoved(m, atoms)) {
            tw_contact_law_undamp(&law);
            const tw_contact_parts none = {};
            tw_contact_parts_copy(&extra, &none, TW_CONTACT_EXTRA_DAMPED);
            tw_contact_load moved;
            const tw_contact_pair pair = {
                tw_vec3_sub(pass.x[atoms.j], pass.x[atoms.i]), zero, zero, rp, rq, 0.0};
            const tw_contact_motion motion = tw_contact_pair_motion(law.kind, &pair, &m);
            tw_contact_advance_inline(&law, &motion, update->dt, &m, &extra, &moved);
            contacts.set_extra(slot, extra);
            if (!moved.touching) {
                fix_memory->close_slot(slot);
                continue;
            }
        }
        add_force(pass, slot, m, load_of_memory(law, m, extra, reduced(rp, rq)));
    }
}

/* Branches in one loop, roots and quotients in the next, where they do not wait for each other.
 * RADII: the reduced radius and the ratio of radii are needed, two more quotients. */
template <int KIND, bool RADII>
static void find_motions(const PairTwirl::Pass &pass, const AtomPair *touch,
                         const tw_contact_memory *m, const double *mass, double dt, int count,
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
        const tw_contact_pair pair = {branch[k],
                                      tw_vec3_scale(dt, pass.omega[i]),
                                      tw_vec3_scale(dt, pass.omega[j]),
                                      pass.radius[touch[k].i],
                                      pass.radius[touch[k].j],
                                      mass ? reduced_mass(mass[i], mass[j]) : 0.0};
        if (length[k] > 1e-100 && length[k] < 1e100)
            motion[k] = tw_contact_pair_motion_along(
                KIND, &pair, &m[k], tw_vec3_scale(inverse[k], branch[k]), length[k]);
        else
            motion[k] = tw_contact_pair_motion_inline(KIND, &pair, &m[k]);
        if (!RADII) motion[k].radius = motion[k].ratio = 0.0;
    }
}

/* Slots from `begin` on. */
void PairTwirl::advance_batch(Pass &pass, int begin, int count)
{
    tw_contact_motion *motion = pass.motion;
    tw_contact_load load[BATCH];
    uint32_t law[BATCH] = {};
    const AtomPair *touch = fix_memory->touch.data() + begin;
    Contacts &contacts = fix_memory->contacts;
    tw_contact_memory *m = contacts.memory.data() + begin;
    const double dt = update->dt, *mass = by_mass ? body_mass.data() : nullptr;
    const tw_contact_extra extra = contacts.extras(begin);
    const bool exact = style.kind == TW_CONTACT_EXACT;
    const auto find = exact ? by_radius ? find_motions<TW_CONTACT_EXACT, true>
                                        : find_motions<TW_CONTACT_EXACT, false>
                            : find_motions<TW_CONTACT_PAPER, true>;
    find(pass, touch, m, mass, dt, count, motion);
    const int types = atom->ntypes + 1;
    const bool alike = types == 2; /* one atom type */
    const tw_contact_law *table = alike ? &law_of(1, 1) : laws.data();
    for (int k = 0; !alike && k < count; k++)
        law[k] = static_cast<uint32_t>(pass.type[touch[k].i] * types + pass.type[touch[k].j]);
    tw_contact_advance_batch(table, alike ? nullptr : law, motion, dt, m, &extra, load,
                             static_cast<size_t>(count));

    for (int k = 0; k < count; k++) {
        if (touch[k].near < 0) continue;
        const double share = touch[k].j < pass.owned ? 1.0 : 0.5;
        add_losses(pass.losses, share, load[k]);
        if (!load[k].touching && !tw_contact_law_acts_on(&table[law[k]])) {
            fix_memory->close_slot(begin + k);
            continue;
        }
        contacts.lost[begin + k] += load[k].work_dissipated;
        contacts.sliding[begin + k] = load[k].sliding;
        if (!load[k].touching) {
            const tw_contact_parts last = contacts.extra(begin + k);
            contacts.set_extra(begin + k, tw_contact_parts_end(&last, &load[k]));
            fix_memory->end_slot(begin + k);
        }
        add_force(pass, begin + k, m[k], load[k]);
    }
}

void PairTwirl::advance(Pass &pass)
{
    fix_memory->close_ended();
    open_contacts(pass, [&](const AtomPair &atoms, const tw_vec3 &branch) {
        return fresh_memory(atoms, branch);
    });
    const int slots = static_cast<int>(fix_memory->contacts.size());
    for (int begin = 0; begin < slots; begin += BATCH)
        advance_batch(pass, begin, std::min<int>(BATCH, slots - begin));
}

void PairTwirl::compute(int eflag, int vflag)
{
    ContactsElsewhere *elsewhere = fix_memory->elsewhere;
    /* LAMMPS asks for energy and virial in the last step of each run, which often is its only one.
     * The engine has its own measures. */
    ev_init(elsewhere ? 0 : eflag, elsewhere ? 0 : vflag);
    if (by_mass && (update->setupflag || neighbor->ago == 0)) find_masses();
    if (elsewhere) {
        elsewhere->advance();
        return;
    }
    Pass pass(this);
    if (update->setupflag)
        restore(pass);
    else
        advance(pass);
    store_positions();
    x_last_valid = !update->setupflag || !fix_memory->continues || !domain->deform_flag;
    fix_memory->pairs_current = true;
    double *losses = fix_memory->losses;
    for (int k = 0; k < TW_CONTACT_LOST_KINDS; k++)
        losses[k] += pass.losses[k];
    const StoredEnergy &stored = pass.stored;
    /* clang-format off */
    const double sums[] = {TW_CONTACT_STORED_FIRST(TWIRL_LAMMPS_STORED, stored)
                           TW_CONTACT_LOST_FIRST(TWIRL_LAMMPS_LOST, losses)
                           pass.contacts, pass.sliding,
                           TW_CONTACT_STORED_MORE(TWIRL_LAMMPS_STORED, stored)
                           TW_CONTACT_LOST_MORE(TWIRL_LAMMPS_LOST, losses)};
    /* clang-format on */
    std::copy(sums, sums + nextra, pvector);
}

/* ---- One contact, for computes ---- */

double PairTwirl::single(int i, int j, int, int, double rsq, double, double, double &fforce)
{
    double side = 1.0; /* -1: the contact is in the list of j */
    int at = fix_memory->find(i, j);
    if (at < 0) {
        at = fix_memory->find(j, i);
        side = -1.0;
    }
    const int slot = at < 0 ? NO_SLOT : fix_memory->near[at].slot;
    std::fill(svector, svector + single_extra, 0.0);
    fforce = 0.0;
    if (slot == NO_SLOT) return 0.0;
    const tw_contact_law law = law_at(fix_memory->touch[slot]);
    const ContactState state = fix_memory->contacts[slot];
    const tw_contact_memory &m = state.memory;
    const tw_contact_parts &extra = state.extra;
    const double radius = reduced(atom->radius[i], atom->radius[j]);
    const tw_contact_load load = load_of_memory(law, m, extra, radius);
    const tw_contact_shares shares = tw_contact_parts_shares(&extra, radius, m.n);
    const tw_vec3 n = tw_vec3_scale(side, m.n), ft = tw_vec3_scale(side, m.ft);
    const tw_vec3 f = tw_vec3_scale(side, load.f), couple = tw_vec3_scale(side, load.couple);
    const double fn =
        tw_contact_law_lives(&law, 1, m.zeta) ? tw_contact_law_normal_force(&law, m.zeta) : 0.0;
    double *to = svector;
    const auto add = [&to](const tw_vec3 &v) {
        to = std::copy_n(reinterpret_cast<const double *>(&v), 3, to);
    };
    add(f);
    add(n);
    *to++ = fn;
    add(ft);
    *to++ = state.sliding;
    *to++ = state.lost;
    *to++ = m.zeta;
    add(couple);
    add(shares.fr);
    *to = shares.mt;
    fforce = fn / std::sqrt(rsq);
    return stored_energy(law, m, extra).sum();
}

} // namespace twirl_lammps
