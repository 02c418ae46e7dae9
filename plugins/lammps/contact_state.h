/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of a contact between two steps, and its form in messages and restart files. What only
 * some laws need are the parts in a mask, as of tw_contact_law_extras. */
#ifndef TWIRL_LAMMPS_CONTACT_STATE_H
#define TWIRL_LAMMPS_CONTACT_STATE_H

#include <algorithm>
#include <iterator>
#include <numeric>
#include <vector>

#include <twirl/contact_inline.h>

namespace twirl_lammps
{

struct ContactState {
    tw_contact_memory memory; /* an overlap of 0 or less: the contact ended in the last step, and
                                 its last damping force acts until the next */
    double lost;              /* dissipated by friction since the contact formed */
    int sliding;              /* 1: it slid in the last step; below 0: see FixTwirlMemory */
    tw_contact_parts extra;   /* parts that no law needs are 0 */
};

/* The same contact in other axes. */
template <class Turn> ContactState turned_by(const Turn &turn, ContactState state)
{
    state.memory.n = turn(state.memory.n);
    state.memory.ft = turn(state.memory.ft);
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)                             \
    for (size_t k = 0; TW_CONTACT_TURNS_##form && k < (count); k++) {                              \
        tw_vec3 *const v = reinterpret_cast<tw_vec3 *>(&state.extra.name) + k;                     \
        *v = turn(*v);                                                                             \
    }
#include <twirl/detail/contact_parts.def>
    return state;
}

/* Contacts by their numbers, as arrays for batches. Of extras there are the parts of the mask. */
class Contacts
{
  public:
    std::vector<tw_contact_memory> memory;
    std::vector<double> lost;
    std::vector<int> sliding;

    size_t size() const
    {
        return memory.size();
    }
    void resize(size_t count)
    {
        memory.resize(count);
        lost.resize(count);
        sliding.resize(count);
        all.resize(count * numbers);
    }
    ContactState operator[](size_t at) const
    {
        return {memory[at], lost[at], sliding[at], extra(at)};
    }
    void set(size_t at, const ContactState &state)
    {
        memory[at] = state.memory;
        lost[at] = state.lost;
        sliding[at] = state.sliding;
        set_extra(at, state.extra);
    }
    void add(const ContactState &state)
    {
        resize(size() + 1);
        set(size() - 1, state);
    }

    /* The parts of extras that some law needs. */
    uint32_t mask() const
    {
        return parts;
    }
    /* Keeps these parts from now on, of all contacts. */
    void keep(uint32_t needed)
    {
        Contacts other;
        other.parts = needed;
        other.numbers = tw_contact_parts_numbers(needed);
        other.all.resize(size() * other.numbers);
        for (size_t at = 0; at < size(); at++)
            other.set_extra(at, extra(at));
        parts = other.parts;
        numbers = other.numbers;
        all.swap(other.all);
    }
    /* From number `at` on, for a batch. */
    tw_contact_extra extras(size_t at)
    {
        return tw_contact_extra_of(parts, all.data() + at * numbers);
    }
    tw_contact_parts extra(size_t at) const
    {
        return tw_contact_parts_unpack(parts, all.data() + at * numbers);
    }
    void set_extra(size_t at, const tw_contact_parts &one)
    {
        tw_contact_parts_pack(&one, parts, all.data() + at * numbers);
    }

    /* Numbers per contact in a message or a restart file. */
    int values() const
    {
        return 9 + static_cast<int>(numbers);
    }
    /* Returns the position after the contact. */
    double *pack(size_t at, double *to) const
    {
        const tw_contact_memory &m = memory[at];
        const double state[] = {m.n.x,  m.n.y,    m.n.z,
                                m.zeta, m.ft.x,   m.ft.y,
                                m.ft.z, lost[at], static_cast<double>(sliding[at])};
        to = std::copy(std::begin(state), std::end(state), to);
        return std::copy_n(all.data() + at * numbers, numbers, to);
    }
    /* Moves `from` to the position after the contact. */
    ContactState unpack(const double *&from) const
    {
        const double *v = from;
        from += values();
        return {{{v[0], v[1], v[2]}, v[3], {v[4], v[5], v[6]}},
                v[7],
                static_cast<int>(v[8]),
                tw_contact_parts_unpack(parts, v + 9)};
    }
    size_t bytes() const
    {
        return memory.capacity() * sizeof(tw_contact_memory) + lost.capacity() * sizeof(double) +
               sliding.capacity() * sizeof(int) + all.capacity() * sizeof(double);
    }

  private:
    uint32_t parts = 0;
    size_t numbers = 0; /* of a contact in `all` */
    std::vector<double> all;
};

/* Whether contacts of a law begin or live at a gap, where LAMMPS does not list their atoms. */
inline bool acts_at_gap(const tw_contact_law &law)
{
    return tw_contact_law_begin(&law) < 0.0 || tw_contact_law_end(&law) < 0.0;
}

/* ---- Forces and energies without a step; the law is that of tw_contact_law_at ---- */

/* If the contact ended in the last step, the force is that of its damping. */
inline tw_contact_load load_of_memory(const tw_contact_law &law, const tw_contact_memory &m,
                                      const tw_contact_parts &extra, double radius)
{
    tw_contact_load load = {};
    load.touching = tw_contact_law_lives(&law, 1, m.zeta);
    if (load.touching) load.f = tw_contact_law_elastic_force(&law, &m);
    load.f = tw_vec3_add(load.f, tw_contact_parts_drag(&extra));
    load.couple = tw_contact_parts_couple(&extra, radius, m.n);
    return load;
}

struct StoredEnergy : tw_contact_stored {
    double sum() const
    {
        return std::accumulate(of, of + TW_CONTACT_STORED_KINDS, 0.0);
    }
    void add(double share, const StoredEnergy &other)
    {
        for (int k = 0; k < TW_CONTACT_STORED_KINDS; k++)
            of[k] += share * other.of[k];
    }
};

/* Elements of a list of sums. */
#define TWIRL_LAMMPS_STORED(stored, NAME, name, column, text) (stored).of[TW_CONTACT_STORED_##NAME],
#define TWIRL_LAMMPS_LOST(losses, NAME, name, member, way) (losses)[TW_CONTACT_LOST_##NAME],

/* Energy dissipated. */
inline void add_losses(double *losses, double share, const tw_contact_load &load)
{
    const tw_contact_lost lost = tw_contact_lost_of(&load);
    for (int k = 0; k < TW_CONTACT_LOST_KINDS; k++)
        losses[k] += share * lost.by[k];
}

inline StoredEnergy stored_energy(const tw_contact_law &law, const tw_contact_memory &m,
                                  const tw_contact_parts &extra)
{
    if (!tw_contact_law_lives(&law, 1, m.zeta)) return {};
    return {tw_contact_stored_of(&law, &m, &extra)};
}

/* The contact with p and q exchanged. */
inline ContactState from_other_side(ContactState state)
{
    state.memory.n = tw_vec3_scale(-1.0, state.memory.n);
    state.memory.ft = tw_vec3_scale(-1.0, state.memory.ft);
    state.extra = tw_contact_parts_exchanged(&state.extra);
    return state;
}

} // namespace twirl_lammps

#endif
