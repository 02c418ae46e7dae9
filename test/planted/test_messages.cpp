/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts in messages and restart files of LAMMPS, with parts of all forms and counts (plant.py):
 * which numbers they have is worked out from tw_contact_part_at. */
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "contact_state.h"

extern "C" {
#include "support.h"
}

using twirl_lammps::Contacts;
using twirl_lammps::ContactState;

static const uint32_t every = TW_CONTACT_EXTRA_ALL; /* with those of plant.py */

/* `three` and `knots` of plant.py are components of the normal, which numbers should not be. */
static const uint32_t physical = every & ~(UINT32_C(128) | UINT32_C(256));

static support_random source = {71};

static ContactState random_state()
{
    ContactState state;
    double *const extra = reinterpret_cast<double *>(&state.extra);
    state.memory.n = support_unit(&source);
    state.memory.zeta = support_uniform(&source, -1.0, 1.0);
    state.memory.ft = support_unit(&source);
    state.lost = support_uniform(&source, 0.0, 1.0);
    state.sliding = static_cast<int>(support_bits(&source) % 3) - 1;
    std::generate_n(extra, sizeof state.extra / sizeof(double),
                    [] { return support_uniform(&source, -1.0, 1.0); });
    return state;
}

/* With zeros in place of parts that are not in the mask. */
static ContactState only(uint32_t mask, ContactState state)
{
    double *number = reinterpret_cast<double *>(&state.extra);
    for (uint32_t k = 0; k < tw_contact_part_count(); k++) {
        const tw_contact_part *part = tw_contact_part_at(k);
        if (!(part->need & mask)) std::fill_n(number, part->numbers, 0.0);
        number += part->numbers;
    }
    return state;
}

static std::vector<double> message_of(uint32_t mask, const ContactState &state)
{
    const tw_contact_memory &m = state.memory;
    std::vector<double> message = {m.n.x,  m.n.y,      m.n.z,
                                   m.zeta, m.ft.x,     m.ft.y,
                                   m.ft.z, state.lost, static_cast<double>(state.sliding)};
    const double *number = reinterpret_cast<const double *>(&state.extra);
    for (uint32_t k = 0; k < tw_contact_part_count(); k++) {
        const tw_contact_part *part = tw_contact_part_at(k);
        if (part->need & mask) message.insert(message.end(), number, number + part->numbers);
        number += part->numbers;
    }
    return message;
}

static void assert_same(const ContactState &a, const ContactState &b)
{
    assert_true(message_of(every, a) == message_of(every, b));
}

static void a_message_has_the_parts_of_its_mask(void **)
{
    assert_int_equal(every, (1 << 12) - 1);
    for (uint32_t mask = 0; mask <= every; mask++) {
        ContactState states[3];
        for (ContactState &state : states)
            state = random_state();
        Contacts contacts;
        contacts.keep(mask);
        for (const ContactState &state : states)
            contacts.add(state);
        std::vector<double> expected;
        for (const ContactState &state : states)
            for (const double number : message_of(mask, state))
                expected.push_back(number);
        expected.push_back(7.0);
        std::vector<double> message(expected.size(), 7.0);
        double *to = message.data();
        for (size_t at = 0; at < contacts.size(); at++)
            to = contacts.pack(at, to);
        assert_true(to == &message.back());
        assert_int_equal(contacts.size() * static_cast<size_t>(contacts.values()),
                         message.size() - 1);
        assert_true(message == expected);
        const double *from = message.data();
        for (const ContactState &state : states)
            assert_same(contacts.unpack(from), only(mask, state));
        assert_true(from == to);
    }
}

static void other_parts_are_kept_and_begin_at_zero(void **)
{
    ContactState states[2];
    for (ContactState &state : states)
        state = random_state();
    for (int k = 0; k < 100000; k++) {
        const uint32_t before = support_bits(&source) & every,
                       after = support_bits(&source) & every;
        Contacts contacts;
        contacts.keep(before);
        for (const ContactState &state : states)
            contacts.add(state);
        contacts.keep(after);
        assert_int_equal(contacts.mask(), after);
        contacts.resize(3);
        contacts.set(2, states[0]);
        for (size_t at = 0; at < 2; at++)
            assert_same(contacts[at], only(before & after, states[at]));
        assert_same(contacts[2], only(after, states[0]));
    }
}

/* ---- What the law makes of it ---- */

/* Those of plant.py whose contacts begin at a gap, end at one, and do neither. */
static void laws_that_act_at_a_gap_are_known(void **)
{
    tw_contact_law hertz = support_law(2e3, 1.5e3, 0.5);
    hertz.normal = TW_CONTACT_HERTZ;
    assert_true(twirl_lammps::acts_at_gap(support_law(2e3, 1.5e3, 0.5)));
    assert_true(twirl_lammps::acts_at_gap(support_law(2e3, 1.5e3, 0.375)));
    assert_false(twirl_lammps::acts_at_gap(hertz));
}

static tw_contact_law law_of_all()
{
    tw_contact_law law = support_resisting_law(support_law(2e3, 1.5e3, 0.625));
    law.nu_n = 0.5;
    law.nu_t = 0.3;
    law.nu_r = 0.2;
    law.nu_w = 0.1;
    const uint32_t of_no_law = TW_CONTACT_EXTRA_ALIVE | TW_CONTACT_EXTRA_SHARED;
    assert_int_equal(tw_contact_law_extras(&law), every & ~of_no_law);
    return law;
}

static tw_contact_motion random_motion()
{
    tw_contact_motion motion = {};
    motion.n = support_unit(&source);
    motion.zeta = 1e-4;
    motion.du = support_vector(&source, 1e-6, 1e-4);
    motion.turn_p = support_vector(&source, 1e-3, 1e-1);
    motion.turn_q = support_vector(&source, 1e-3, 1e-1);
    motion.radius = 1e-2;
    motion.mass = 1e-3;
    motion.ratio = 0.5;
    return motion;
}

/* A random contact with this motion before the step, whose normal has turned little. */
static ContactState contact_before(const tw_contact_motion &motion)
{
    ContactState state = random_state();
    const tw_vec3 turn = support_vector(&source, 1e-3, 1e-1);
    state.memory.n = support_rotate(motion.n, turn);
    state.memory.zeta = 1e-4;
    state.memory.ft = tw_vec3_scale(0.05, support_tangent(&source, state.memory.n));
    state.sliding = 0;
    return state;
}

/* By a batch that begins with contact 1. */
static ContactState advanced(const ContactState &state, const tw_contact_motion &motion,
                             const tw_contact_law &law = law_of_all())
{
    const ContactState other = random_state();
    tw_contact_load load;
    Contacts contacts;
    contacts.keep(every);
    contacts.add(other);
    contacts.add(state);
    const tw_contact_extra extra = contacts.extras(1);
    tw_contact_advance_batch(&law, nullptr, &motion, 1e-4, &contacts.memory[1], &extra, &load, 1);
    assert_same(contacts[0], other);
    return contacts[1];
}

static void assert_close(const ContactState &a, const ContactState &b)
{
    const std::vector<double> x = message_of(every, a), y = message_of(every, b);
    for (size_t k = 0; k < x.size(); k++)
        expect_at_most(std::fabs(x[k] - y[k]), 1e-13 * (1.0 + std::fabs(x[k])));
}

/* A contact, advanced as q sees it, is what p sees, exchanged. */
static void both_sides_remember_the_same(void **)
{
    for (int k = 0; k < 1000; k++) {
        const tw_contact_motion motion = random_motion();
        const ContactState state = contact_before(motion), other = from_other_side(state);
        assert_same(from_other_side(other), state);
        tw_contact_motion seen = motion;
        seen.n = tw_vec3_scale(-1.0, motion.n);
        seen.du = tw_vec3_scale(-1.0, motion.du);
        std::swap(seen.turn_p, seen.turn_q);
        const ContactState theirs = advanced(other, seen), ours = advanced(state, motion);
        assert_close(theirs, from_other_side(ours));
    }
}

/* A contact, advanced in other axes, is what it is in the old ones, turned. */
static void axes_do_not_matter(void **)
{
    for (int k = 0; k < 1000; k++) {
        const tw_vec3 angle = support_vector(&source, 1e-2, 3.0);
        const auto turn = [&](tw_vec3 v) { return support_rotate(v, angle); };
        const auto back = [&](tw_vec3 v) { return support_rotate(v, tw_vec3_scale(-1.0, angle)); };
        const tw_contact_motion motion = random_motion();
        const ContactState state = contact_before(motion);
        assert_close(turned_by(back, turned_by(turn, state)), state);
        tw_contact_motion turned = motion;
        for (tw_vec3 *v : {&turned.n, &turned.du, &turned.turn_p, &turned.turn_q})
            *v = turn(*v);
        const ContactState there = advanced(turned_by(turn, state), turned);
        const ContactState here = advanced(state, motion);
        assert_close(only(physical, there), only(physical, turned_by(turn, here)));
    }
}

/* ---- A mirror ---- */

static tw_vec3 mirrored(tw_vec3 v, tw_vec3 m)
{
    return tw_vec3_add_scaled(v, -2.0 * tw_vec3_dot(m, v), m);
}

static tw_vec3 mirrored_axial(tw_vec3 v, tw_vec3 m)
{
    return tw_vec3_scale(-1.0, mirrored(v, m));
}

/* Twisting forces are not told from other numbers. */
#define MIRROR_NUMBER(v, m)
#define MIRROR_INDEX(v, m)
#define MIRROR_ALONG(v, m) (v)->n_x_e = -(v)->n_x_e
#define MIRROR_VECTOR(v, m) *(v) = mirrored(*(v), m)
#define MIRROR_AXIAL(v, m) *(v) = mirrored_axial(*(v), m)
#define MIRROR_TANGENT(v, m) *(v) = mirrored(*(v), m)
#define MIRROR_IN_P(v, m) *(v) = mirrored(*(v), m)
#define MIRROR_IN_Q(v, m) *(v) = mirrored(*(v), m)

static ContactState mirror_image(ContactState state, tw_vec3 m)
{
    state.memory.n = mirrored(state.memory.n, m);
    state.memory.ft = mirrored(state.memory.ft, m);
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)                             \
    for (int k = 0; k < (count); k++) {                                                            \
        auto *const v = reinterpret_cast<TW_CONTACT_TYPE_##form *>(&state.extra.name) + k;         \
        (void)v;                                                                                   \
        MIRROR_##form(v, m);                                                                       \
    }
#include <twirl/detail/contact_parts.def>
    return state;
}

/* The mirror image of a contact advances as the contact does. */
static void a_mirror_image_is_one_of_the_same_law(void **)
{
    tw_contact_law law = law_of_all();
    law.k_w = law.mu_w = law.nu_w = 0.0;
    const uint32_t parts = physical & tw_contact_law_extras(&law);
    for (int k = 0; k < 1000; k++) {
        const tw_vec3 m = support_unit(&source);
        const tw_contact_motion motion = random_motion();
        const ContactState state = only(parts, contact_before(motion));
        tw_contact_motion image = motion;
        image.n = mirrored(motion.n, m);
        image.du = mirrored(motion.du, m);
        image.turn_p = mirrored_axial(motion.turn_p, m);
        image.turn_q = mirrored_axial(motion.turn_q, m);
        const ContactState here = advanced(state, motion, law);
        const ContactState there = advanced(mirror_image(state, m), image, law);
        assert_close(only(parts, there), only(parts, mirror_image(here, m)));
    }
}

/* ---- Tangents ---- */

/* Turns with both bodies; rolling of one on the other leaves it in the plane of the normal and of
 * the tangent; if one of them twists it turns by half of that. */
static void a_tangent_follows_both_bodies(void **)
{
    const tw_vec3 none = {0.0, 0.0, 0.0};
    for (int k = 0; k < 1000; k++) {
        const tw_vec3 n = support_unit(&source), e = support_tangent(&source, n);
        const tw_vec3 turn = support_vector(&source, 1e-3, 3.0);
        tw_contact_motion motion = random_motion();
        motion.turn_p = motion.turn_q = turn;
        motion.n = support_rotate(n, turn);
        const auto expect = [&](tw_vec3 expected) {
            const tw_vec3 now = tw_contact_tangent_carried(e, n, &motion);
            expect_at_most(support_distance(now, expected), 1e-13);
        };
        expect(support_rotate(e, turn));
        motion.n = n;
        motion.turn_q = tw_vec3_scale(-1.0, turn);
        expect(e);
        const double angle = support_uniform(&source, -3.0, 3.0);
        motion.turn_p = tw_vec3_scale(angle, n);
        motion.turn_q = none;
        expect(support_rotate(e, tw_vec3_scale(0.5 * angle, n)));
        const double tilt = support_uniform(&source, -1.5, 1.5);
        motion.turn_p = none;
        motion.n = support_rotate(n, tw_vec3_scale(tilt, e));
        expect(e);
        const tw_vec3 axis = tw_vec3_scale(tilt, tw_vec3_cross(n, e));
        motion.n = support_rotate(n, axis);
        expect(support_rotate(e, axis));
    }
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_has_the_parts_of_its_mask),
        cmocka_unit_test(other_parts_are_kept_and_begin_at_zero),
        cmocka_unit_test(laws_that_act_at_a_gap_are_known),
        cmocka_unit_test(both_sides_remember_the_same),
        cmocka_unit_test(axes_do_not_matter),
        cmocka_unit_test(a_mirror_image_is_one_of_the_same_law),
        cmocka_unit_test(a_tangent_follows_both_bodies),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
