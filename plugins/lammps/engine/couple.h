/* SPDX-License-Identifier: GPL-2.0-only */
/* One contact and its two bodies as a state of the engine, for its functions of single contacts. */
#ifndef TWIRL_LAMMPS_ENGINE_COUPLE_H
#define TWIRL_LAMMPS_ENGINE_COUPLE_H

#include "contact_state.h"
#include "world/schedule.h"

namespace twirl_lammps
{

class Couple
{
  public:
    tw_state state;
    tw_schedule schedule = {};

    /* `numbers`: cell, dt; `parts`: of the extras. */
    Couple(const tw_state &numbers, uint32_t parts) : state(numbers)
    {
        tw_bodies &b = state.bodies;
        b = {};
        b.count = 2;
#define TW_COLUMN(type, name) b.name = name;
#include "world/body_columns.def"
        schedule.spheres.body = body;
        schedule.spheres.radius = radius;
        schedule.pairs.pair = &pair;
        schedule.pairs.slot = schedule.slots.pair = &zero;
        schedule.pairs.count = 1;
        state.contacts = {};
        state.contacts.bundle = &bundle;
        state.contacts.sliding = &sliding;
        tw_extras &extras = state.contacts.extras;
        extras.parts = parts;
#define TW_EXTRA_VECTOR(bit, name) extras.name = parts & (bit) ? &name : nullptr;
#define TW_EXTRA_NUMBER(bit, name) extras.name = parts & (bit) ? &name : nullptr;
#include "world/extra_parts.def"
    }
    Couple(const Couple &) = delete;
    Couple &operator=(const Couple &) = delete;

    /* Body `which`, 0 or 1, is body i of these; its sphere has this radius. */
    void set_body(int which, const tw_bodies &from, size_t i, const tw_vec3 &at, double r)
    {
#define TW_COLUMN(type, name) name[which] = from.name[i];
#include "world/body_columns.def"
        x[which] = at;
        radius[which] = r;
    }
    void set_contact(const ContactState &contact)
    {
        tw_bundle_put(&bundle, 0, &contact.memory);
        tw_extras_put(&state.contacts.extras, 0, &contact.extra);
        sliding = static_cast<uint8_t>(contact.sliding > 0);
    }

  private:
#define TW_COLUMN(type, name) type name[2];
#include "world/body_columns.def"
    uint32_t body[2] = {0, 1};
    double radius[2];
    tw_pair pair = {0, 1, {0, 0, 0}, TW_SURFACE_SPHERE};
    uint32_t zero = 0;
    tw_bundle bundle = {};
    uint8_t sliding = 0;
#define TW_EXTRA_VECTOR(bit, name) tw_bundle_force name = {};
#define TW_EXTRA_NUMBER(bit, name) tw_bundle_number name = {};
#include "world/extra_parts.def"
};

} // namespace twirl_lammps

#endif
