/* SPDX-License-Identifier: GPL-2.0-only */
#include "engine/fix_twirl_step.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>

#include <input.h>
#include <output.h>
#include <timer.h>

#include "control/servo_steer.h"
#include "search/rearrange.h"
#include "search/search.h"
#include "step/kick.h"
#include "step/move_begin.h"
#include "step/stable.h"
#include "world/tally.h"

using namespace LAMMPS_NS;

namespace twirl_lammps
{

/* ---- Bodies ---- */

Body body_of(const tw_bodies &bodies, size_t i)
{
    Body body;
    std::memset(static_cast<void *>(&body), 0, sizeof body); /* padding is sent too */
#define TW_COLUMN(type, name) body.name = bodies.name[i];
#include "world/body_columns.def"
    return body;
}

void put_body(tw_bodies &bodies, size_t i, const Body &body)
{
#define TW_COLUMN(type, name) bodies.name[i] = body.name;
#include "world/body_columns.def"
}

enum { BODY_VALUES = sizeof(Body) / sizeof(double), BORDER_VALUES = 5 };
static_assert(sizeof(Body) % sizeof(double) == 0, "a body in a message");

FixTwirlStep::FixTwirlStep(LAMMPS *host, int narg, char **arg)
    : Fix(host, narg, arg), frame(tw_mat3_identity()), tiled(host, model, state, schedule, frame)
{
    time_integrate = 1;
    force_reneighbor = 1;
    next_reneighbor = -1;
    box_change = BOX_CHANGE_SIZE | BOX_CHANGE_SHAPE;
    maxexchange = BODY_VALUES;
    comm_border = BORDER_VALUES;
    comm_forward = 4;
    atom->add_callback(Atom::GROW);
    atom->add_callback(Atom::BORDER);
    tw_state_init(&state);
    FixTwirlStep::grow_arrays(atom->nmax);
}

FixTwirlStep::~FixTwirlStep()
{
    atom->delete_callback(id, Atom::GROW);
    atom->delete_callback(id, Atom::BORDER);
    tw_state_free(&state);
}

int FixTwirlStep::setmask()
{
    return FixConst::INITIAL_INTEGRATE | FixConst::PRE_EXCHANGE | FixConst::PRE_NEIGHBOR |
           FixConst::PRE_FORCE | FixConst::POST_FORCE;
}

void FixTwirlStep::grow_arrays(int nmax)
{
    if (tw_state_reserve_bodies(&state, static_cast<size_t>(nmax), nullptr) != TW_STATUS_OK)
        error->one(FLERR, std::string("not enough memory for the bodies of this process"));
}

void FixTwirlStep::copy_arrays(int from, int to, int)
{
    put_body(state.bodies, to, body_of(state.bodies, from));
}

int FixTwirlStep::pack_exchange(int i, double *buffer)
{
    const Body body = body_of(state.bodies, i);
    std::memcpy(buffer, &body, sizeof body);
    return BODY_VALUES;
}

int FixTwirlStep::unpack_exchange(int i, double *buffer)
{
    Body body;
    std::memcpy(static_cast<void *>(&body), buffer, sizeof body);
    put_body(state.bodies, i, body);
    return BODY_VALUES;
}

/* What a contact with a ghost needs of it. */
int FixTwirlStep::pack_border(int n, int *list, double *buffer)
{
    const tw_bodies &b = state.bodies;
    for (int k = 0; k < n; k++) {
        const int i = list[k];
        if (i < atom->nlocal) sent.push_back(i);
        const double values[BORDER_VALUES] = {
            static_cast<double>(b.shape[i]), static_cast<double>(b.flags[i]),
            static_cast<double>(b.material[i]), b.size[i], b.mass[i]};
        buffer = std::copy(values, values + BORDER_VALUES, buffer);
    }
    return n * BORDER_VALUES;
}

int FixTwirlStep::unpack_border(int n, int first, double *buffer)
{
    tw_bodies &b = state.bodies;
    for (int i = first; i < first + n; i++, buffer += BORDER_VALUES) {
        b.shape[i] = static_cast<uint32_t>(buffer[0]);
        b.flags[i] = static_cast<uint32_t>(buffer[1]);
        b.material[i] = static_cast<uint32_t>(buffer[2]);
        b.size[i] = buffer[3];
        b.mass[i] = buffer[4];
    }
    return n * BORDER_VALUES;
}

int FixTwirlStep::pack_forward_comm(int n, int *list, double *buffer, int, int *)
{
    for (int k = 0; k < n; k++) {
        const int i = list[k];
        if (sending == OUT) {
            *buffer++ = out[i];
            continue;
        }
        const tw_quat q = state.bodies.q[i];
        double values[] = {q.w, q.x, q.y, q.z};
        if (sending == PLACES) {
            const tw_vec3 x = place_of[i];
            const double places[] = {x.x, x.y, x.z, sphere_of[i]};
            std::copy(places, places + 4, values);
        }
        buffer = std::copy(values, values + 4, buffer);
    }
    return n * (sending == OUT ? 1 : 4);
}

void FixTwirlStep::unpack_forward_comm(int n, int first, double *buffer)
{
    for (int i = first; i < first + n; i++) {
        if (sending == OUT) {
            out[i] = *buffer++;
            continue;
        }
        if (sending == PLACES) {
            place_of[i] = tw_vec3_make(buffer[0], buffer[1], buffer[2]);
            sphere_of[i] = buffer[3];
        } else {
            state.bodies.q[i] = tw_quat_make(buffer[0], buffer[1], buffer[2], buffer[3]);
        }
        buffer += 4;
    }
}

void FixTwirlStep::sum_all(double *values, int count) const
{
    /* The same bits on all processes, which then take the same decisions. */
    const double began = MPI_Wtime();
    std::vector<double> here(values, values + count);
    MPI_Reduce(here.data(), values, count, MPI_DOUBLE, MPI_SUM, 0, world);
    MPI_Bcast(values, count, MPI_DOUBLE, 0, world);
    reducing += MPI_Wtime() - began;
}

/* ---- Upload ---- */

void FixTwirlStep::take_body(int i, const Body &body)
{
    const tw_shape &shape = model.shapes[body.shape];
    put_body(state.bodies, i, body);
    atom->radius[i] = shape.radius * body.size;
    atom->rmass[i] = body.mass;
    if (shape.count > 1) clustered = true;
    place(i);
}

void FixTwirlStep::take_contacts(const SentContact *contacts, size_t count)
{
    if (!kept) lmp->init();
    if (atom_of.empty())
        for (int i = 0; i < atom->nlocal; i++)
            atom_of[atom->tag[i]] = i;
    for (size_t k = 0; k < count; k++) {
        const SentContact &c = contacts[k];
        const ContactState state_p =
            turned(tw_mat3_transpose(frame), {c.memory, 0.0, static_cast<int>(c.sliding), c.extra});
        const auto p = atom_of.find(c.p), q = atom_of.find(c.q);
        if (p != atom_of.end())
            kept->add_record(p->second, {static_cast<tagint>(c.q), c.own, c.other, -1}, state_p);
        if (q != atom_of.end())
            kept->add_record(q->second, {static_cast<tagint>(c.p), c.other, c.own, -1},
                             from_other_side(state_p));
    }
}

void FixTwirlStep::init()
{
    pair = static_cast<PairTwirl *>(force->pair);
    kept = pair->contacts();
    tiled.kept = kept;
    kept->clusters = clustered ? &clusters : nullptr;
    kept->elsewhere = &tiled;
}

void FixTwirlStep::renew_laws()
{
    static_cast<PairTwirl *>(force->pair)
        ->set_laws(model.laws, static_cast<int>(model.material_count));
}

void FixTwirlStep::begin()
{
    std::unordered_map<int64_t, int>().swap(atom_of);
    int any = clustered;
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, world);
    clustered = any != 0;
    update->dt = state.dt;
    lmp->input->one("run 0 post no");
    find_kinetic(kinetic);
    sum_all(kinetic, TW_COMPONENTS);
}

/* ---- The cell ---- */

/* The axes of LAMMPS: the first edge along x, the second in the x-y plane. */
tw_mat3 box_frame(const tw_mat3 &h)
{
    if (h.m[3] == 0.0 && h.m[6] == 0.0 && h.m[7] == 0.0 && h.m[0] > 0.0 && h.m[4] > 0.0)
        return tw_mat3_identity();
    const tw_vec3 a = tw_mat3_column(h, 0), b = tw_mat3_column(h, 1), n = tw_vec3_cross(a, b);
    const tw_vec3 x = tw_vec3_scale(1.0 / tw_vec3_norm(a), a);
    const tw_vec3 z = tw_vec3_scale(1.0 / tw_vec3_norm(n), n);
    return tw_mat3_from_columns(x, tw_vec3_cross(z, x), z);
}

/* Of the present cell. Contacts that LAMMPS keeps turn with its axes. */
void FixTwirlStep::set_box()
{
    const tw_mat3 axes = box_frame(state.cell.h);
    const tw_mat3 edges = tw_mat3_mul(tw_mat3_transpose(axes), state.cell.h);
    if (std::memcmp(&axes, &frame, sizeof axes) != 0 && kept) {
        const tw_mat3 turn = tw_mat3_mul(tw_mat3_transpose(axes), frame);
        kept->turn(turn.m);
    }
    frame = axes;
    for (int k = 0; k < 3; k++) {
        domain->boxlo[k] = 0.0;
        domain->boxhi[k] = edges.m[4 * k];
    }
    domain->xy = edges.m[1];
    domain->xz = edges.m[2];
    domain->yz = edges.m[5];
    domain->set_global_box();
    domain->set_local_box();
}

/* A vector in the axes of LAMMPS. */
void FixTwirlStep::put(double *to, const tw_vec3 &v) const
{
    const tw_vec3 turned = tw_mat3_transpose_mul_vec(frame, v);
    to[0] = turned.x;
    to[1] = turned.y;
    to[2] = turned.z;
}

/* LAMMPS gets the body as it is. */
void FixTwirlStep::place(int i)
{
    const tw_bodies &b = state.bodies;
    put(atom->x[i], b.x[i]);
    put(atom->v[i], b.v[i]);
    put(atom->omega[i], tw_vec3_scale(1.0 / state.dt, tw_motion_rotation(b.gibbs[i])));
}

/* LAMMPS gets everything as it is. */
void FixTwirlStep::bring()
{
    if (!placed) place_all();
    tiled.bring();
}

void FixTwirlStep::place_all()
{
    for (int i = 0; i < atom->nlocal; i++) {
        place(i);
        put(atom->f[i], state.bodies.force[i]);
        put(atom->torque[i], state.bodies.torque[i]);
    }
    placed = true;
}

void FixTwirlStep::setup(int)
{
    place_all(); /* forces, for a dump */
}

/* Before atoms go to other processes: a strongly sheared cell gets shorter edges, and bodies return
 * into it, as in a search of the engine. */
void FixTwirlStep::pre_exchange()
{
    tw_mat3 change;
    const int changed = tw_rearrange_cell(&state.cell, &change);
    tw_bodies &b = state.bodies;
    for (int i = 0; i < atom->nlocal; i++) {
        if (changed) b.image[i] = tw_mat3_mul_vec(change, b.image[i]);
        tw_rearrange_wrap(&state, static_cast<size_t>(i));
    }
    set_box();
    place_all();
    sent.clear();
    listed = true;
    state.searches++;
}

void FixTwirlStep::setup_pre_exchange()
{
    pre_exchange();
}

/* LAMMPS may see a body at the boundary of the cell on the other side, by rounding: its view
 * counts. The reference of displacements is now. */
void FixTwirlStep::pre_neighbor()
{
    tw_bodies &b = state.bodies;
    const tw_cell &cell = state.cell;
    for (int i = 0; i < atom->nlocal; i++) {
        const tw_vec3 there = tw_mat3_mul_vec(frame, vec3_of(atom->x[i]));
        const tw_vec3 s = tw_mat3_mul_vec(cell.inverse, tw_vec3_sub(there, b.x[i]));
        const tw_vec3 whole = tw_vec3_make(std::rint(s.x), std::rint(s.y), std::rint(s.z));
        if (tw_vec3_max_abs(whole) > 0.0) {
            const tw_vec3 now = tw_mat3_mul_vec(cell.h, whole);
            b.x[i] = tw_vec3_add(b.x[i], now);
            b.image[i] = tw_vec3_sub(b.image[i], whole);
            b.dx[i] = tw_vec3_add(b.dx[i], tw_vec3_sub(now, tw_mat3_mul_vec(cell.h_before, whole)));
        }
        b.x_ref[i] = b.x[i];
        b.q_ref[i] = b.q[i];
    }
    state.cell.h_ref = cell.h;
    if (clustered) find_spheres();
}

void FixTwirlStep::setup_pre_neighbor()
{
    pre_neighbor();
}

/* Spheres of clusters, of ghosts too. */
void FixTwirlStep::find_spheres()
{
    const int all = atom->nlocal + atom->nghost;
    const tw_bodies &b = state.bodies;
    sending = TURNS;
    forward_fix(comm, this, 0);
    clusters.first.resize(static_cast<size_t>(all) + 1);
    clusters.x.clear();
    clusters.radius.clear();
    for (int i = 0; i < all; i++) {
        const tw_shape &shape = model.shapes[b.shape[i]];
        clusters.first[i] = static_cast<int>(clusters.x.size());
        for (size_t k = 0; k < shape.count; k++) {
            const tw_vec3 offset = tw_vec3_scale(b.size[i], shape.spheres[k].centre);
            const tw_vec3 arm = tw_mat3_transpose_mul_vec(frame, tw_quat_rotate(b.q[i], offset));
            clusters.x.push_back(tw_vec3_add(vec3_of(atom->x[i]), arm));
            clusters.radius.push_back(b.size[i] * shape.spheres[k].radius);
        }
    }
    clusters.first[all] = static_cast<int>(clusters.x.size());
}

/* ---- A step ---- */

void FixTwirlStep::fail(tw_status status)
{
    failed = status;
    timer->force_timeout();
}

/* The velocity gradient of the step. */
void FixTwirlStep::steer()
{
    if (!servo.on) return;
    if (tw_stiffness_is_stale(&servo.stiffness, &state)) {
        bring();
        double sum[TW_STIFFNESS_SUMS] = {};
        const int uniform = tw_model_is_uniform(&model);
        for (size_t slot = 0; slot < kept->touch.size(); slot++) {
            if (!is_contact(slot)) continue;
            const AtomPair &atoms = kept->touch[slot];
            const tw_contact_memory &m = kept->contacts.memory[slot];
            const tw_vec3 branch =
                tw_vec3_sub(vec3_of(atom->x[atoms.j]), vec3_of(atom->x[atoms.i]));
            tw_stiffness_sum_contact one = {
                tw_mat3_mul_vec(frame, m.n), tw_mat3_mul_vec(frame, branch), 0.0, 0.0, 0.0, 0.0};
            if (!uniform) {
                const tw_contact_law law = pair->law_at(atoms);
                tw_stiffness_sum_springs(&law, &m, &one);
            }
            double part[TW_STIFFNESS_SUMS] = {};
            tw_stiffness_sum_add(&one, uniform, part);
            for (int k = 0; k < TW_STIFFNESS_SUMS; k++)
                sum[k] += share_of(slot) * part[k];
        }
        sum_all(sum, TW_STIFFNESS_SUMS);
        tw_stiffness_sum_set(&servo.stiffness, &state, sum);
    }
    tw_servo_steer_by(&servo, &model, &state, kinetic);
}

void FixTwirlStep::initial_integrate(int)
{
    listed = false;
    tiled.moved = false;
    update->dt = state.dt;
    steer();
    if (!tw_move_begin_is_small(&state.cell.gradient, state.dt)) {
        fail(TW_STATUS_INPUT);
        return;
    }
    move();
}

static tw_motion_body_kicked before_kick(const tw_bodies &b, int i)
{
    tw_motion_body_kicked k = {};
    k.mass = b.mass[i];
    k.inertia = b.inertia[i];
    k.v0 = b.v[i];
    k.l0 = b.l[i];
    k.q = b.q[i];
    return k;
}

/* Velocities from the last forces, then cell and bodies to the end of the step. */
void FixTwirlStep::move()
{
    static void (*const move_tile[])(void *, size_t, double *) = {TW_SIMD_EACH(tw_move_lanes_tile)};
    tw_move_context context = {};
    context.model = &model;
    context.state = context.out = &state;
    context.schedule = &schedule;
    context.masses = (tw_model_flags(&model) & TW_CONTACT_BY_MASS) != 0;
    tw_move_begin_cell(&model, &state, &schedule, &context);
    set_box();
    tiled.moved = true;
    tiled.flow = context.flow;
    std::fill(moved, moved + TW_MOVE_SUMS, 0.0);
    move_tile[tw_simd_level()](&context, 0, moved);
    for (const int i : sent)
        place(i);
    placed = false;
    double far = schedule.tiles.tile->travel_relative;
    state.time += state.dt;
    state.steps++;
    const double began = MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, &far, 1, MPI_DOUBLE, MPI_MAX, world);
    reducing += MPI_Wtime() - began;
    tiled.far = far;
    schedule.stretch = tw_travel_stretch(&state.cell);
    if (!(tw_travel_approach(&schedule, state.skin, far, far) < state.skin))
        next_reneighbor = update->ntimestep;
}

/* Clusters turn; their ghosts need to know. */
void FixTwirlStep::pre_force(int)
{
    sending = TURNS;
    if (clustered && !listed) forward_fix(comm, this, 0);
}

void FixTwirlStep::find_kinetic(double *sum) const
{
    std::fill(sum, sum + TW_COMPONENTS, 0.0);
    for (int i = 0; i < atom->nlocal; i++)
        tw_servo_steer_kinetic(state.bodies.mass[i], state.bodies.v[i], sum);
}

/* Sums of a step. */
enum {
    SUM_TOUCH = 0,
    SUM_MOVED = SUM_TOUCH + TW_TOUCH_SUMS,
    SUM_KINETIC = SUM_MOVED + TW_MOVE_SUMS,
    SUM_BAD = SUM_KINETIC + TW_COMPONENTS,
    SUMS
};

void FixTwirlStep::post_force(int)
{
    tw_bodies &b = state.bodies;
    double sum[SUMS] = {};
    if (failed != TW_STATUS_OK) return;
    double poison = 0.0;
    for (int i = 0; i < atom->nlocal; i++)
        poison += 0.0 * (tw_vec3_dot(b.force[i], b.force[i]) +
                         tw_vec3_dot(b.torque[i], b.torque[i]) + tw_vec3_dot(b.x[i], b.x[i]));
    const size_t before = state.sums.contacts;
    std::copy(tiled.sum, tiled.sum + TW_TOUCH_SUMS, sum + SUM_TOUCH);
    std::copy(moved, moved + TW_MOVE_SUMS, sum + SUM_MOVED);
    find_kinetic(sum + SUM_KINETIC);
    sum[SUM_BAD] = tiled.bad || poison != 0.0 ? 1.0 : 0.0;
    sum_all(sum, SUMS);

    const double *touch = sum + SUM_TOUCH;
    std::copy(touch + TW_TOUCH_MOMENT, touch + TW_TOUCH_MOMENT + 9, state.sums.moment.m);
    state.sums.contacts = static_cast<size_t>(touch[TW_TOUCH_CONTACTS] + 0.5);
    state.sums.sliding = static_cast<size_t>(touch[TW_TOUCH_SLIDING] + 0.5);
    std::copy(sum + SUM_KINETIC, sum + SUM_KINETIC + TW_COMPONENTS, kinetic);
    tw_energy_balance &balance = state.balance;
    for (int k = 0; k < TW_CONTACT_LOST_KINDS; k++)
        balance.lost.by[k] += touch[TW_TOUCH_LOST + k];
    balance.cell += sum[SUM_MOVED + TW_MOVE_CELL];
    tw_move_begin_balance(&state, sum + SUM_MOVED);
    balance.cell = tw_move_begin_cell_work(&schedule.cell_back, &state.sums.moment, balance.cell);
    passed.push_back({state.time, state.cell.gradient});
    if (sum[SUM_BAD] != 0.0)
        fail(TW_STATUS_PHYSICS);
    else
        check_dt(before);
    if (output->ndump > 0 && output->next_dump_any == update->ntimestep) place_all();
}

/* As in the engine. */
void FixTwirlStep::check_dt(size_t before)
{
    if (!tw_stable_is_due(&state, before)) return;
    const double was = state.dt;
    if (!tw_stable_choose(&model, &state, stable_step())) fail(TW_STATUS_PHYSICS);
    if (state.dt == was) return;
    for (int i = 0; i < atom->nlocal; i++)
        tw_kick_rebase_body(&model, &state, static_cast<size_t>(i), was);
    find_kinetic(kinetic);
    sum_all(kinetic, TW_COMPONENTS);
}

double FixTwirlStep::stable_step()
{
    bring();
    const tw_bodies &b = state.bodies;
    const bool uniform = tw_stable_is_uniform(&model, tw_model_extras(&model)) != 0;
    std::vector<tw_tile_springs> springs(static_cast<size_t>(atom->nlocal));
    std::vector<uint32_t> count(springs.size(), 0);
    const auto speed = [&](int i) {
        return tw_vec3_norm(vec3_of(atom->v[i])) +
               2.0 * tw_list_bound(&model, &state, static_cast<size_t>(i)) *
                   tw_mat3_max_abs(state.cell.gradient);
    };
    for (size_t slot = 0; slot < kept->touch.size(); slot++) {
        if (!is_contact(slot)) continue;
        const AtomPair &atoms = kept->touch[slot];
        tw_tile_springs one = {};
        if (!uniform) {
            const double *radius = clustered ? clusters.radius.data() : atom->radius;
            const double rp = radius[atoms.p], rq = radius[atoms.q];
            const double mp = b.mass[atoms.i], mq = b.mass[atoms.j];
            const tw_contact_law law = pair->law_at(atoms);
            one = tw_stable_springs(&law, rp * rq / (rp + rq), mp * mq / (mp + mq),
                                    speed(atoms.i) + speed(atoms.j),
                                    kept->contacts.memory[slot].zeta);
        }
        for (const int i : {atoms.i, atoms.j}) {
            if (i >= atom->nlocal) continue;
            tw_stable_add(&springs[i], &one);
            count[i]++;
        }
    }
    double limit = HUGE_VAL;
    for (int i = 0; i < atom->nlocal; i++) {
        const auto at = static_cast<size_t>(i);
        const tw_stable_limit one =
            uniform ? tw_stable_of_uniform(&model, &state, count[at], at)
                    : tw_stable_of_body(&model, &state, &springs[at], count[at], at);
        limit = std::min(limit, one.dt);
    }
    MPI_Allreduce(MPI_IN_PLACE, &limit, 1, MPI_DOUBLE, MPI_MIN, world);
    return limit;
}

/* Part of what LAMMPS lists as Modify; waiting for the slowest process is in it. */
void FixTwirlStep::write_times(double seconds) const
{
    double mean = 0.0;
    MPI_Reduce(&seconds, &mean, 1, MPI_DOUBLE, MPI_SUM, 0, world);
    if (lmp->logfile)
        std::fprintf(lmp->logfile, "Sums over processes, in Modify: %.6g s\n", mean / comm->nprocs);
}

void FixTwirlStep::run(uint64_t steps)
{
    if (!begun) begin();
    begun = true;
    failed = TW_STATUS_OK;
    passed.clear();
    while (steps > 0 && failed == TW_STATUS_OK) {
        const uint64_t some = std::min<uint64_t>(steps, 1000000);
        const double before = reducing;
        lmp->input->one("run " + std::to_string(some) + " pre no post " + (timed ? "yes" : "no"));
        if (timed) write_times(reducing - before);
        steps -= some;
        if (passed.size() > TW_DEVICE_HISTORY_STEPS)
            passed.erase(passed.begin(), passed.end() - TW_DEVICE_HISTORY_STEPS);
    }
    timer->reset_timeout();
}

/* ---- Measures ---- */

bool FixTwirlStep::is_contact(size_t slot) const
{
    return kept->touch[slot].near >= 0 && kept->contacts.memory[slot].zeta > 0.0;
}

/* Both processes of a contact have it, or both images of its bodies. */
double FixTwirlStep::share_of(size_t slot) const
{
    return kept->touch[slot].j < atom->nlocal ? 1.0 : 0.5;
}

void FixTwirlStep::send_out()
{
    sending = OUT;
    forward_fix(comm, this, 1);
    sending = TURNS;
}

/* As in the engine, but contacts are counted anew in each pass: the other process has its own. */
void FixTwirlStep::find_rattlers(tw_tally *tally)
{
    const int slippery = tw_tally_is_slippery(&model);
    const size_t all = static_cast<size_t>(atom->nlocal) + atom->nghost;
    out.assign(all, 0.0);
    for (int again = 1; again;) {
        std::vector<uint32_t> left(all, 0);
        for (size_t slot = 0; slot < kept->touch.size(); slot++) {
            const AtomPair &atoms = kept->touch[slot];
            if (!is_contact(slot)) continue;
            if (out[atoms.j] == 0.0) left[atoms.i]++;
            if (out[atoms.i] == 0.0) left[atoms.j]++;
        }
        again = 0;
        for (int i = 0; i < atom->nlocal; i++) {
            if (out[i] != 0.0 || !tw_tally_is_rattler(&model, &state.bodies, i, slippery, left[i]))
                continue;
            out[i] = 1.0;
            again = 1;
        }
        MPI_Allreduce(MPI_IN_PLACE, &again, 1, MPI_INT, MPI_MAX, world);
        send_out();
    }
    double sum[TW_TALLY_RATTLER_SUMS] = {};
    uint32_t bodies[TW_TALLY_RATTLER_SUMS] = {};
    for (int i = 0; i < atom->nlocal; i++)
        if (out[i] != 0.0) tw_tally_rattler(&model, &state.bodies, i, slippery, bodies);
    std::copy(bodies, bodies + TW_TALLY_RATTLER_SUMS, sum);
    for (size_t slot = 0; slot < kept->touch.size(); slot++) {
        const AtomPair &atoms = kept->touch[slot];
        if (!is_contact(slot) || (out[atoms.i] == 0.0 && out[atoms.j] == 0.0)) continue;
        const tw_contact_law law = pair->law_at(atoms);
        uint32_t one[TW_TALLY_RATTLER_SUMS] = {};
        tw_tally_loose(&law, 0, kept->contacts.sliding[slot] > 0, one);
        for (int k = 0; k < TW_TALLY_RATTLER_SUMS; k++)
            sum[k] += share_of(slot) * one[k];
    }
    sum_all(sum, TW_TALLY_RATTLER_SUMS);
    for (int k = 0; k < TW_TALLY_RATTLER_SUMS; k++)
        tally->rattler[k] = static_cast<uint32_t>(sum[k] + 0.5);
}

/* The sums of src/sim/sim_measure.c, by the functions of single contacts and bodies. */
void FixTwirlStep::measure(tw_tally *tally, tw_move_energy *energy)
{
    enum {
        STORED = TW_TALLY_SECOND_SUMS,
        BINS = STORED + TW_CONTACT_STORED_KINDS,
        SECOND = BINS + TW_TALLY_BINS
    };
    enum { ENERGY = TW_TALLY_BODY_SUMS, BODIES = ENERGY + 4 };
    double second[SECOND] = {}, bodies[BODIES] = {}, most = 0.0;
    std::memset(tally, 0, sizeof *tally);
    bring();
    for (int pass = 0; pass < 2; pass++) {
        const double mean = tw_tally_force_mean(tally->contact);
        for (size_t slot = 0; slot < kept->touch.size(); slot++) {
            if (!is_contact(slot)) continue;
            const AtomPair &atoms = kept->touch[slot];
            const double share = share_of(slot);
            const ContactState contact = turned(frame, kept->contacts[slot]);
            const tw_contact_law law = pair->law_at(atoms);
            const tw_vec3 f = tw_contact_law_elastic_force(&law, &contact.memory);
            const tw_vec3 branch =
                tw_vec3_sub(vec3_of(atom->x[atoms.j]), vec3_of(atom->x[atoms.i]));
            const tw_tally_touch one = {law,
                                        contact.memory,
                                        tw_vec3_add(f, tw_contact_parts_drag(&contact.extra)),
                                        tw_mat3_mul_vec(frame, branch),
                                        0,
                                        contact.sliding > 0};
            double part[TW_TALLY_CONTACT_SUMS + TW_TALLY_SECOND_SUMS] = {};
            if (pass == 0) {
                tw_tally_contact(&one, part);
                for (int k = 0; k < TW_TALLY_CONTACT_SUMS; k++)
                    tally->contact[k] += share * part[k];
                continue;
            }
            tw_tally_second(&one, mean, part);
            for (int k = 0; k < TW_TALLY_SECOND_SUMS; k++)
                second[k] += share * part[k];
            const tw_contact_stored stored =
                tw_contact_stored_of(&law, &contact.memory, &contact.extra);
            for (int k = 0; k < TW_CONTACT_STORED_KINDS; k++)
                second[STORED + k] += share * stored.of[k];
            second[BINS + tw_tally_bin(&law, &contact.memory, TW_TALLY_BINS)] += share;
            most = std::max(most, contact.memory.zeta);
        }
        if (pass == 0)
            sum_all(tally->contact, TW_TALLY_CONTACT_SUMS);
        else
            sum_all(second, SECOND);
    }
    std::copy(second, second + TW_TALLY_SECOND_SUMS, tally->second);
    for (int k = 0; k < TW_TALLY_BINS; k++)
        tally->bins[k] = static_cast<uint64_t>(second[BINS + k] + 0.5);
    std::copy_n(second + STORED, static_cast<int>(TW_CONTACT_STORED_KINDS), state.sums.stored.of);

    const int slippery = tw_tally_is_slippery(&model);
    const tw_move_kick kick = tw_move_begin_kick(&model, &state);
    const tw_bodies &b = state.bodies;
    for (int i = 0; i < atom->nlocal; i++) {
        tw_tally_body(&model, &state, slippery, static_cast<size_t>(i), bodies);
        tw_motion_body_kicked k = before_kick(b, i);
        tw_motion_body_kick(&model, &kick, b.force[i], b.torque[i], &k);
        bodies[ENERGY] += 0.5 * k.mass * tw_vec3_dot(k.v0, k.v);
        bodies[ENERGY + 1] += 0.5 * tw_vec3_dot(k.l0, tw_motion_body_omega(k.q, k.inertia, k.l));
        bodies[ENERGY + 2] += 0.5 * k.damping;
        bodies[ENERGY + 3] += 0.5 * k.cell;
    }
    sum_all(bodies, BODIES);
    std::copy(bodies, bodies + TW_TALLY_BODY_SUMS, tally->body);
    *energy = {bodies[ENERGY], bodies[ENERGY + 1], bodies[ENERGY + 2], bodies[ENERGY + 3]};
    MPI_Allreduce(&most, &tally->overlap_max, 1, MPI_DOUBLE, MPI_MAX, world);
    find_rattlers(tally);
}

/* ---- Given to the first process ---- */

void FixTwirlStep::forget_displacements()
{
    tw_bodies &b = state.bodies;
    for (int i = 0; i < atom->nlocal; i++) {
        b.x_start[i] = b.x[i];
        b.image[i] = tw_vec3_make(0.0, 0.0, 0.0);
    }
}

/* In the cell, where the reference of displacements is. */
Body FixTwirlStep::give_body(int i) const
{
    Body body = body_of(state.bodies, static_cast<size_t>(i));
    tw_state one = {};
    one.cell = state.cell;
    one.bodies.x = &body.x;
    one.bodies.dx = &body.dx;
    one.bodies.image = &body.image;
    tw_rearrange_wrap(&one, 0);
    body.x_ref = body.x;
    body.q_ref = body.q;
    return body;
}

/* Of two bodies p comes first; `turned`: that is the other end of the contact. */
tw_pair FixTwirlStep::pair_of(size_t slot, bool *turned) const
{
    const AtomPair &atoms = kept->touch[slot];
    const int i = atoms.i, j = atoms.j;
    const auto own = static_cast<uint32_t>(clustered ? atoms.p - clusters.first[i] : 0),
               other = static_cast<uint32_t>(clustered ? atoms.q - clusters.first[j] : 0);
    const tw_vec3 branch =
        tw_mat3_mul_vec(frame, tw_vec3_sub(vec3_of(atom->x[j]), vec3_of(atom->x[i])));
    const tw_vec3 across = tw_vec3_sub(place_of[j], place_of[i]);
    const tw_vec3 s = tw_mat3_mul_vec(state.cell.inverse, tw_vec3_sub(branch, across));
    const tw_shift shift = {tw_rearrange_image(std::rint(s.x)), tw_rearrange_image(std::rint(s.y)),
                            tw_rearrange_image(std::rint(s.z))};
    const auto p = static_cast<uint32_t>(sphere_of[i]), q = static_cast<uint32_t>(sphere_of[j]);
    const uint32_t none = tw_shift_key({0, 0, 0});
    *turned = q < p || (q == p && tw_shift_key(shift) < none);
    if (*turned) return {q + other, p + own, tw_shift_negative(shift), TW_SURFACE_GRAIN};
    return {p + own, q + other, shift, TW_SURFACE_GRAIN};
}

size_t FixTwirlStep::begin_giving()
{
    const size_t all = static_cast<size_t>(atom->nlocal) + atom->nghost;
    const tw_bodies &b = state.bodies;
    bring();
    place_of.assign(all, tw_vec3_make(0.0, 0.0, 0.0));
    sphere_of.assign(all, 0.0);
    uint64_t here[] = {0, 0}, before[] = {0, 0}; /* bodies, spheres */
    for (int i = 0; i < atom->nlocal; i++) {
        place_of[i] = give_body(i).x;
        sphere_of[i] = static_cast<double>(here[1]);
        here[0]++;
        here[1] += model.shapes[b.shape[i]].count;
    }
    MPI_Exscan(here, before, 2, MPI_UINT64_T, MPI_SUM, world);
    if (comm->me == 0) before[0] = before[1] = 0; /* not set there */
    body_before = static_cast<uint32_t>(before[0]);
    for (int i = 0; i < atom->nlocal; i++)
        sphere_of[i] += static_cast<double>(before[1]);
    sending = PLACES;
    forward_fix(comm, this, 0);
    sending = TURNS;
    order.clear();
    order.reserve(kept->touch.size());
    for (size_t slot = 0; slot < kept->touch.size(); slot++) {
        if (!is_contact(slot)) continue;
        const AtomPair &atoms = kept->touch[slot];
        bool turned;
        const tw_pair one = pair_of(slot, &turned);
        if (turned && atoms.j >= atom->nlocal) continue; /* the process of the other body has it */
        const int p = turned ? atoms.j : atoms.i, q = turned ? atoms.i : atoms.j;
        order.push_back({static_cast<uint32_t>(sphere_of[p]), static_cast<uint32_t>(sphere_of[q]),
                         tw_shift_key(one.shift), one.p, one.q, static_cast<uint32_t>(slot)});
    }
    std::sort(order.begin(), order.end(), [](const Ordered &x, const Ordered &y) {
        return std::tie(x.body_p, x.body_q, x.image, x.p, x.q) <
               std::tie(y.body_p, y.body_q, y.image, y.p, y.q);
    });
    uint64_t contacts = order.size();
    MPI_Allreduce(MPI_IN_PLACE, &contacts, 1, MPI_UINT64_T, MPI_SUM, world);
    return contacts;
}

GivenContact FixTwirlStep::give_contact(size_t number) const
{
    const size_t slot = order[number].slot;
    const AtomPair &atoms = kept->touch[slot];
    ContactState contact = turned(frame, kept->contacts[slot]);
    GivenContact one;
    bool other_end;
    std::memset(static_cast<void *>(&one), 0, sizeof one);
    one.pair = pair_of(slot, &other_end);
    if (other_end) contact = from_other_side(contact);
    one.body = body_before + static_cast<uint32_t>(other_end ? atoms.j : atoms.i);
    one.sliding = contact.sliding > 0;
    one.memory = contact.memory;
    one.extra = contact.extra;
    return one;
}

void FixTwirlStep::end_giving()
{
    std::vector<tw_vec3>().swap(place_of);
    std::vector<double>().swap(sphere_of);
    std::vector<Ordered>().swap(order);
}

} // namespace twirl_lammps
