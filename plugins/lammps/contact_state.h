/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of a contact between two steps, and its form in messages and restart files. What only
 * some laws need are the parts of a tw_contact_extra in a mask, as of tw_contact_law_extras. */
#ifndef TWIRL_LAMMPS_CONTACT_STATE_H
#define TWIRL_LAMMPS_CONTACT_STATE_H

#include <algorithm>
#include <iterator>
#include <vector>

#include "host.h"

#include <twirl/contact_law.h>

namespace twirl_lammps
{

struct ContactState {
    tw_contact_memory memory; /* an overlap of 0 or less: the contact ended in the last step, and
                                 its last damping force acts until the next */
    double lost;              /* dissipated by friction since the contact formed */
    int sliding;              /* 1: it slid in the last step; below 0: see FixTwirlMemory */
    tw_contact_extra extra;   /* parts that no law needs are 0 */
};

/* ---- Extras ---- */

/* Where a part of a tw_contact_extra begins, and its length, in numbers. */
struct ExtraPart {
    uint32_t bit;
    const char *name; /* in contact files */
    int begin, count;
};

static const ExtraPart extra_parts[] = {{TW_CONTACT_EXTRA_ROLLING, "fr", 0, 3},
                                        {TW_CONTACT_EXTRA_TWISTING, "fw", 3, 1},
                                        {TW_CONTACT_EXTRA_DAMPING, "drag", 4, 3},
                                        {TW_CONTACT_EXTRA_DAMPING, "rate", 7, 3},
                                        {TW_CONTACT_EXTRA_ROLLING_DAMPING, "drag_r", 10, 3},
                                        {TW_CONTACT_EXTRA_ROLLING_DAMPING, "rate_r", 13, 3},
                                        {TW_CONTACT_EXTRA_TWISTING_DAMPING, "drag_w", 16, 1},
                                        {TW_CONTACT_EXTRA_TWISTING_DAMPING, "rate_w", 17, 1}};
enum { EXTRA_VALUES_MOST = 18 };
static_assert(sizeof(tw_contact_extra) == EXTRA_VALUES_MOST * sizeof(double),
              "extra_parts describes tw_contact_extra");

/* Parts that act once more after the end of a contact. */
enum {
    EXTRAS_OF_DAMPING = TW_CONTACT_EXTRA_DAMPING | TW_CONTACT_EXTRA_ROLLING_DAMPING |
                        TW_CONTACT_EXTRA_TWISTING_DAMPING
};

/* What is left at the end of a contact: its last damping force. */
inline tw_contact_extra extra_of_end(const tw_contact_extra &extra, const tw_contact_load &load)
{
    tw_contact_extra end = {};
    end.drag = load.f;
    end.drag_r = extra.drag_r;
    end.drag_w = extra.drag_w;
    return end;
}

inline int extra_values(uint32_t mask)
{
    int count = 0;
    for (const ExtraPart &part : extra_parts)
        count += mask & part.bit ? part.count : 0;
    return count;
}

/* Return the position after the extras. */
inline double *pack_extra(uint32_t mask, const tw_contact_extra &extra, double *to)
{
    const double *from = reinterpret_cast<const double *>(&extra);
    for (const ExtraPart &part : extra_parts) {
        if (mask & part.bit) to = std::copy_n(from + part.begin, part.count, to);
    }
    return to;
}

/* Parts that are not in the mask become 0. */
inline const double *unpack_extra(uint32_t mask, const double *from, tw_contact_extra *extra)
{
    double *to = reinterpret_cast<double *>(extra);
    std::fill_n(to, static_cast<int>(EXTRA_VALUES_MOST), 0.0);
    for (const ExtraPart &part : extra_parts) {
        if (!(mask & part.bit)) continue;
        std::copy_n(from, part.count, to + part.begin);
        from += part.count;
    }
    return from;
}

/* Contacts by their numbers, as arrays for batches. Extras are whole, or there are none if no law
 * needs any; in messages and files they have the parts of the mask only. */
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
        if (parts) all.resize(count);
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
        parts = needed;
        all.resize(needed ? size() : 0);
        for (tw_contact_extra &one : all)
            one = masked(one);
    }
    /* From number `at` on, for a batch; NULL: there are none. */
    tw_contact_extra *extras(int at)
    {
        return parts ? all.data() + at : nullptr;
    }
    tw_contact_extra extra(size_t at) const
    {
        return parts ? all[at] : tw_contact_extra{};
    }
    void set_extra(size_t at, const tw_contact_extra &one)
    {
        if (parts) all[at] = masked(one);
    }

    /* Numbers per contact in a message or a restart file. */
    int values() const
    {
        return 9 + extra_values(parts);
    }
    /* Returns the position after the contact. */
    double *pack(size_t at, double *to) const
    {
        const tw_contact_memory &m = memory[at];
        const double state[] = {m.n.x,  m.n.y,    m.n.z,
                                m.zeta, m.ft.x,   m.ft.y,
                                m.ft.z, lost[at], static_cast<double>(sliding[at])};
        return pack_extra(parts, extra(at), std::copy(std::begin(state), std::end(state), to));
    }
    /* Moves `from` to the position after the contact. */
    ContactState unpack(const double *&from) const
    {
        const double *v = from;
        ContactState state = {{vec3_of(v), v[3], vec3_of(v + 4)}, v[7], static_cast<int>(v[8]), {}};
        from = unpack_extra(parts, v + 9, &state.extra);
        return state;
    }
    size_t bytes() const
    {
        return memory.capacity() * sizeof(tw_contact_memory) + lost.capacity() * sizeof(double) +
               sliding.capacity() * sizeof(int) + all.capacity() * sizeof(tw_contact_extra);
    }

  private:
    uint32_t parts = 0;
    std::vector<tw_contact_extra> all;

    tw_contact_extra masked(const tw_contact_extra &one) const
    {
        double values[EXTRA_VALUES_MOST];
        tw_contact_extra out;
        pack_extra(parts, one, values);
        unpack_extra(parts, values, &out);
        return out;
    }
};

/* ---- Forces and energies without a step; the law is that of tw_contact_law_at ---- */

/* If the contact ended in the last step, the force is that of its damping. */
inline tw_contact_load load_of_memory(const tw_contact_law &law, const tw_contact_memory &m,
                                      const tw_contact_extra &extra, double radius)
{
    tw_contact_load load = {};
    load.touching = tw_contact_law_touches(&law, m.zeta);
    if (load.touching) load.f = tw_contact_law_elastic_force(&law, &m);
    load.f = tw_vec3_add(load.f, extra.drag);
    const tw_vec3 rolling = tw_vec3_cross(tw_vec3_add(extra.fr, extra.drag_r), m.n);
    load.couple = tw_vec3_scale(radius, tw_vec3_add_scaled(rolling, extra.fw + extra.drag_w, m.n));
    return load;
}

struct StoredEnergy {
    double normal, tangential, rolling, twisting;

    double sum() const
    {
        return normal + tangential + rolling + twisting;
    }
    void add(double share, const StoredEnergy &other)
    {
        normal += share * other.normal;
        tangential += share * other.tangential;
        rolling += share * other.rolling;
        twisting += share * other.twisting;
    }
};

/* Energy dissipated, by its causes. */
enum { FRICTION, VISCOUS, MICRO, ROLLING, TWISTING, LOSSES };

inline void add_losses(double *losses, double share, const tw_contact_load &load)
{
    losses[FRICTION] += share * load.work_dissipated;
    losses[VISCOUS] += share * load.work_viscous;
    losses[MICRO] += share * load.work_micro;
    losses[ROLLING] += share * load.lost_rolling;
    losses[TWISTING] += share * load.lost_twisting;
}

inline StoredEnergy stored_energy(const tw_contact_law &law, const tw_contact_memory &m,
                                  const tw_contact_extra &extra)
{
    if (!tw_contact_law_touches(&law, m.zeta)) return {};
    const auto in_spring = [&](double k, double f2) {
        tw_contact_law spring = law;
        spring.kt = k;
        return tw_contact_law_stored_tangential_by(&spring, m.zeta, f2);
    };
    return {tw_contact_law_stored_normal(&law, m.zeta), in_spring(law.kt, tw_vec3_dot(m.ft, m.ft)),
            in_spring(law.k_r, tw_vec3_dot(extra.fr, extra.fr)),
            in_spring(law.k_w, extra.fw * extra.fw)};
}

/* ---- The contact with p and q exchanged ----

 * Rolling and twisting forces stay: they change their sign twice, with the normal and with the
 * side. */
inline ContactState from_other_side(ContactState state)
{
    for (tw_vec3 *v : {&state.memory.n, &state.memory.ft, &state.extra.drag, &state.extra.rate})
        *v = tw_vec3_scale(-1.0, *v);
    return state;
}

} // namespace twirl_lammps

#endif
