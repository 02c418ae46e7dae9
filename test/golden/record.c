/* SPDX-License-Identifier: BSD-3-Clause */
#include "golden.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../must.h"

void golden_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fputs("golden: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

golden_path golden_file(const golden *g, const char *name)
{
    golden_path path;
    snprintf(path.text, sizeof path.text, "%s/%s", g->folder, name);
    return path;
}

/* ---- Marks ---- */

static void write_marks(golden *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void write_marks(golden *g, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const size_t room = sizeof g->marks - g->length;
    const int wrote = vsnprintf(g->marks + g->length, room, format, arguments);
    va_end(arguments);
    if (wrote < 0 || (size_t)wrote >= room) golden_fail("too many marks in a scene");
    g->length += (size_t)wrote;
}

void golden_mark(golden *g, const char *mark)
{
    g->mark = mark;
    g->part = tw_hash_start(0);
    write_marks(g, " %s:", mark);
}

/* Four digits are enough to find the part that differs; differences are detected by the whole hash.
 */
void golden_end_part(golden *g)
{
    const int first = g->marks[g->length - 1] == ':';
    write_marks(g, "%s%04" PRIx64, first ? "" : ".", tw_hash_value(&g->part) >> 48);
    g->part = tw_hash_start(0);
}

/* ---- Numbers ---- */

static void add(golden *g, const void *bytes, size_t count)
{
    tw_hash_add(&g->whole, bytes, count);
    tw_hash_add(&g->part, bytes, count);
}

void golden_count(golden *g, const char *what, uint64_t value)
{
    if (g->dump) fprintf(g->dump, "%s %s %" PRIu64 "\n", g->mark, what, value);
    add(g, &value, sizeof value);
}

/* The bits of a NaN are not defined by IEEE 754 and differ between processors, so all NaNs count as
 * one. */
void golden_number(golden *g, const char *what, double value)
{
    uint64_t bits = UINT64_C(0x7ff8000000000000);
    if (value == value) memcpy(&bits, &value, sizeof bits);
    if (g->dump) fprintf(g->dump, "%s %s %016" PRIx64 " %.17g\n", g->mark, what, bits, value);
    add(g, &bits, sizeof bits);
}

void golden_numbers(golden *g, const char *what, const double *values, size_t count)
{
    for (size_t k = 0; k < count; k++)
        golden_number(g, what, values[k]);
}

void golden_vector(golden *g, const char *what, tw_vec3 value)
{
    golden_number(g, what, value.x);
    golden_number(g, what, value.y);
    golden_number(g, what, value.z);
}

static void record_quat(golden *g, const char *what, tw_quat value)
{
    golden_number(g, what, value.w);
    golden_vector(g, what, tw_vec3_make(value.x, value.y, value.z));
}

/* ---- Simulations ---- */

static void record_bodies(golden *g, const tw_sim *sim)
{
    const size_t count = tw_sim_body_count(sim), walls = tw_sim_wall_count(sim);
    for (uint32_t id = 0; id < count; id++) {
        const tw_body_state body = must_body(sim, id);
        golden_count(g, "body", id);
        golden_count(g, "shape", body.shape);
        golden_number(g, "size", body.size);
        golden_number(g, "mass", body.mass);
        golden_vector(g, "inertia", body.inertia);
        golden_vector(g, "x", body.x);
        record_quat(g, "q", body.q);
        golden_vector(g, "v", body.v_half);
        golden_vector(g, "w", body.w_half);
        golden_vector(g, "force", body.force);
        golden_vector(g, "torque", body.torque);
        golden_count(g, "fixed", (uint64_t)body.fixed);
        record_quat(g, "axes", body.axes);
    }
    for (size_t k = 0; k < walls; k++) {
        const tw_wall_state wall = must_wall(sim, k);
        golden_count(g, "wall", k);
        golden_vector(g, "point", wall.point);
        golden_vector(g, "normal", wall.normal);
        golden_vector(g, "v", wall.v);
        golden_vector(g, "force", wall.force);
    }
    const size_t spheres = tw_sim_sphere_count(sim);
    tw_sphere_state *sphere = malloc((spheres + 1) * sizeof *sphere);
    if (!sphere) golden_fail("out of memory");
    tw_sim_get_spheres(sim, sphere, spheres, NULL);
    for (size_t k = 0; k < spheres; k++) {
        golden_vector(g, "sphere", sphere[k].x);
        golden_number(g, "radius", sphere[k].radius);
    }
    free(sphere);
    golden_end_part(g);
}

/* Rolling and twisting, where there are any. */
static void record_rotation(golden *g, const tw_contact_state *c)
{
    if (c->mt == 0.0 && c->couple.x == 0.0 && c->couple.y == 0.0 && c->couple.z == 0.0) return;
    golden_vector(g, "fr", c->fr);
    golden_number(g, "mt", c->mt);
    golden_vector(g, "couple", c->couple);
}

static void record_contacts(golden *g, const tw_sim *sim)
{
    const size_t count = must_contacts(sim);
    tw_contact_state *contact = malloc((count + 1) * sizeof *contact);
    if (!contact) golden_fail("out of memory");
    must_get_contacts(sim, contact);
    golden_count(g, "contacts", count);
    for (size_t k = 0; k < count; k++) {
        const tw_contact_state *c = &contact[k];
        golden_count(g, "body_p", c->body_p);
        golden_count(g, "body_q", c->body_q);
        golden_count(g, "member_p", c->member_p);
        golden_count(g, "member_q", c->member_q);
        for (int i = 0; i < 3; i++)
            golden_count(g, "shift", (uint64_t)(c->shift[i] + 128));
        golden_vector(g, "n", c->n);
        golden_number(g, "zeta", c->zeta);
        golden_vector(g, "point", c->point);
        golden_vector(g, "branch", c->branch);
        golden_number(g, "fn", c->fn);
        golden_vector(g, "ft", c->ft);
        golden_vector(g, "force", c->force);
        golden_count(g, "sliding", (uint64_t)c->sliding);
        record_rotation(g, c);
    }
    free(contact);
    golden_end_part(g);
}

static void record_control(golden *g, const tw_sim *sim)
{
    const tw_control_report c = tw_sim_get_control_report(sim);
    golden_count(g, "status", (uint64_t)c.status);
    golden_numbers(g, "set", c.set, TW_COMPONENTS);
    golden_numbers(g, "value", c.value, TW_COMPONENTS);
    golden_numbers(g, "control_stress", c.stress, TW_COMPONENTS);
    golden_number(g, "deviation", c.deviation);
    golden_number(g, "worst", c.worst);
    golden_count(g, "limited", c.limited);
    golden_count(g, "missed", c.missed);
    golden_number(g, "rate_max", c.rate_max);
}

static void record_measure(golden *g, tw_sim *sim, const tw_measure *m)
{
    const tw_stable_step stable = must_stable_step(sim);
    const tw_mat3 gradient = tw_sim_velocity_gradient(sim);
    golden_count(g, "steps", tw_sim_steps(sim));
    golden_number(g, "dt", tw_sim_dt(sim));
    golden_number(g, "stable_dt", stable.dt);
    golden_number(g, "time", m->time);
    golden_number(g, "volume", m->volume);
    golden_numbers(g, "gradient", gradient.m, 9);
    golden_numbers(g, "cell", m->cell.m, 9);
    golden_number(g, "solid_volume", m->solid_volume);
    golden_number(g, "porosity", m->porosity);
    golden_number(g, "void_ratio", m->void_ratio);
    golden_numbers(g, "stress", m->stress.m, 9);
    golden_numbers(g, "stress_kinetic", m->stress_kinetic.m, 9);
    golden_number(g, "p", m->p);
    golden_numbers(g, "fabric", m->fabric.m, 9);
    golden_count(g, "contacts", m->contacts);
    golden_count(g, "sliding", m->sliding);
    golden_count(g, "wall_contacts", m->wall_contacts);
    golden_count(g, "rattlers", m->rattlers);
    golden_number(g, "coordination", m->coordination);
    golden_number(g, "coordination_mechanical", m->coordination_mechanical);
    golden_number(g, "sliding_fraction", m->sliding_fraction);
    golden_numbers(g, "mobilisation", m->mobilisation, TW_MOBILISATION_BINS);
    golden_number(g, "overlap_mean", m->overlap_mean);
    golden_number(g, "overlap_max", m->overlap_max);
    golden_number(g, "force_mean", m->force_mean);
    golden_number(g, "unbalanced", m->unbalanced);
    golden_number(g, "inertial_number", m->inertial_number);
    record_control(g, sim);
    golden_end_part(g);
}

static void record_energy(golden *g, const tw_energy *e)
{
    golden_number(g, "kinetic", e->kinetic);
    golden_number(g, "rotational", e->rotational);
    golden_number(g, "normal", e->normal);
    golden_number(g, "tangential", e->tangential);
    golden_number(g, "friction", e->friction);
    golden_number(g, "contact_damping", e->contact_damping);
    golden_number(g, "body_damping", e->body_damping);
    golden_number(g, "cell", e->cell);
    golden_number(g, "walls", e->walls);
    golden_number(g, "gravity", e->gravity);
    golden_number(g, "start", e->start);
    golden_number(g, "residual", e->residual);
    const double more[] = {e->stored_rolling, e->stored_twisting, e->micro_slip, e->rolling,
                           e->twisting};
    for (size_t k = 0; k < sizeof more / sizeof *more; k++)
        if (more[k] != 0.0) golden_number(g, "more", more[k]);
    golden_end_part(g);
}

void golden_record(golden *g, const char *mark, tw_sim *sim)
{
    const tw_measure measure = must_measure(sim);
    golden_mark(g, mark);
    record_bodies(g, sim);
    record_contacts(g, sim);
    record_measure(g, sim, &measure);
    record_energy(g, &measure.energy);
    golden_count(g, "state", tw_sim_hash(sim));
    golden_end_part(g);
}

/* ---- Files ---- */

void golden_record_file(golden *g, const char *mark, const char *path)
{
    char line[4096];
    FILE *file = fopen(path, "rb");
    if (!file) golden_fail("cannot read %s", path);
    golden_mark(g, mark);
    for (size_t got; (got = fread(line, 1, sizeof line, file)) > 0;) {
        add(g, line, got);
        if (g->dump) fwrite(line, 1, got, g->dump);
    }
    if (ferror(file)) golden_fail("cannot read %s", path);
    fclose(file);
    golden_end_part(g);
}
