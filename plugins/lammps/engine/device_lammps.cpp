/* SPDX-License-Identifier: GPL-2.0-only */
/* Their headers do not say that their functions are of C. */
extern "C" {
#include "base/environment.h"
#include "base/error.h"
}

#include "engine/device_lammps.h"

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <unordered_map>

#include <input.h>
#include <lammps.h>
#include <library.h>
#include <timer.h>

#include "engine/fix_twirl_step.h"
#include "search/rearrange.h"
#include "search/search.h"
#include "sim/sim_body.h"
#include "step/move.h"

extern "C" {
#include "run/recipe.h"
}

using namespace twirl_lammps;

namespace
{

enum { CHUNK = 20000 }; /* bodies or contacts in a message: no process holds all of them for it */

struct Part { /* of a simulation, on a process */
    std::unique_ptr<LAMMPS_NS::LAMMPS> lmp;
    FixTwirlStep *fix = nullptr; /* of lmp */
    std::vector<tw_shape> shapes;
    std::vector<tw_sphere> spheres;
    std::vector<tw_model_material> materials;
    std::vector<tw_contact_law> laws;
    double density = 0.0; /* of all bodies, where they were made here */
};

std::map<int, Part> parts; /* by the number of the simulation */

enum Order { UPLOAD, MAKE, UPDATE, RESTART, RUN, MEASURE, GIVE, CLOSE, QUIT };

struct Call {
    int64_t order, number;
    uint64_t steps;
};

bool first_process()
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0;
}

template <typename T> void share(T *values, size_t count)
{
    enum { PIECE = 1 << 26 };
    char *at = reinterpret_cast<char *>(values);
    for (size_t left = count * sizeof(T); left > 0;) {
        const size_t some = std::min<size_t>(left, PIECE);
        MPI_Bcast(at, static_cast<int>(some), MPI_BYTE, 0, MPI_COMM_WORLD);
        at += some;
        left -= some;
    }
}

template <typename T> void share(std::vector<T> &values)
{
    uint64_t count = values.size();
    share(&count, 1);
    values.resize(count);
    share(values.data(), count);
}

/* The first process calls all others. */
Part &call(Order order, int number, uint64_t steps = 0)
{
    Call what = {order, number, steps};
    share(&what, 1);
    return parts[number];
}

/* ---- On all processes ---- */

/* What of the host's copy is sent; NULL on the other processes. */
struct Host {
    const tw_model *model;
    const tw_state *state;
    const tw_schedule *schedule;
    const tw_servo *servo;
};

/* Numbers of the engine, without what pointers in them have. */
struct Numbers {
    tw_model model = {};
    tw_state state = {};
    tw_servo servo = {};
};

/* Those of the first process, and the laws. */
Numbers share_numbers(Part &part, const Host &host)
{
    Numbers numbers;
    if (host.model) {
        numbers = {*host.model, *host.state, *host.servo};
        part.laws.assign(host.model->laws, host.model->laws + tw_model_law_count(host.model));
    }
    share(&numbers, 1);
    share(part.laws);
    return numbers;
}

void take_numbers(Part &part, const Numbers &numbers)
{
    FixTwirlStep *fix = part.fix;
    const tw_mat3 reference = fix->state.cell.h_ref;
    tw_device_copy_model(&fix->model, &numbers.model);
    fix->model.shapes = part.shapes.data();
    fix->model.materials = part.materials.data();
    fix->model.laws = part.laws.data();
    tw_device_copy_state(&fix->state, &numbers.state);
    fix->state.cell.h_ref = reference; /* of the search on the processes */
    fix->servo = numbers.servo;
    fix->renew_laws();
}

void command(LAMMPS_NS::LAMMPS *lmp, const char *format, ...) __attribute__((format(printf, 2, 3)));
void command(LAMMPS_NS::LAMMPS *lmp, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    lmp->input->one(text);
}

/* In the environment of the first process. */
std::string variable(const char *name)
{
    const char *value = std::getenv(name);
    std::vector<char> text;
    if (first_process() && value) text.assign(value, value + std::strlen(value));
    share(text);
    return std::string(text.begin(), text.end());
}

/* LAMMPS with an empty box of these edges, as in an input script. */
void make_host(Part &part, const tw_mat3 &edges, double skin)
{
    static char name[] = "twirl-lmp", log[] = "-log", screen[] = "-screen", none[] = "none",
                cite[] = "-nocite";
    std::string path = variable("TWIRL_LAMMPS_LOG"); /* of LAMMPS' own log, with its times */
    const bool timed = !path.empty();
    char *words[] = {name, log, timed ? &path[0] : none, screen, none, cite};
    part.lmp.reset();
    part.lmp.reset(new LAMMPS_NS::LAMMPS(6, words, MPI_COMM_WORLD));
    LAMMPS_NS::LAMMPS *lmp = part.lmp.get();
    const double *h = edges.m;
    command(lmp, "units si");
    command(lmp, "atom_style sphere");
    command(lmp, "newton off");
    command(lmp, "boundary p p p");
    command(lmp, "box tilt large");
    command(lmp, "comm_modify vel yes");
    command(lmp, "region cell prism 0 %.17g 0 %.17g 0 %.17g %.17g %.17g %.17g units box", h[0],
            h[4], h[8], h[1], h[2], h[5]);
    command(lmp, "create_box %zu cell", part.materials.size());
    command(lmp, "pair_style twirl");
    command(lmp, "neighbor %.17g bin", skin);
    command(lmp, "neigh_modify delay 0 every 1 check no once yes");
    command(lmp, "thermo_style custom step");
    command(lmp, "fix twirl all TWIRL/STEP");
    part.fix = static_cast<FixTwirlStep *>(lmp->modify->fix[lmp->modify->find_fix("twirl")]);
    part.fix->timed = timed;
}

/* The bodies of this process among those of a chunk. */
void take_bodies(Part &part, const std::vector<Body> &chunk)
{
    LAMMPS_NS::Atom *atom = part.lmp->atom;
    const int count = static_cast<int>(chunk.size()), had = atom->nlocal;
    std::vector<LAMMPS_NS::tagint> tags(count + 1); /* never empty: LAMMPS would number atoms */
    std::vector<int> types(count);
    std::vector<double> x(3 * chunk.size());
    for (int k = 0; k < count; k++) {
        const Body &body = chunk[k];
        const tw_vec3 at = tw_mat3_transpose_mul_vec(part.fix->frame, body.x);
        tags[k] = static_cast<LAMMPS_NS::tagint>(tag_of(body));
        types[k] = static_cast<int>(body.material) + 1;
        x[3 * k] = at.x;
        x[3 * k + 1] = at.y;
        x[3 * k + 2] = at.z;
    }
    lammps_create_atoms(part.lmp.get(), count, tags.data(), types.data(), x.data(), nullptr,
                        nullptr, 0);
    size_t k = 0; /* in the same order */
    for (int i = had; i < atom->nlocal; i++) {
        while (tag_of(chunk[k]) != atom->tag[i])
            k++;
        part.fix->take_body(i, chunk[k]);
    }
}

/* `next` fills a chunk on the first process; an empty one is the last. */
template <typename T, typename Next, typename Take>
void distribute(const Next &next, const Take &take)
{
    std::vector<T> chunk;
    do {
        chunk.clear();
        if (first_process()) next(chunk);
        share(chunk);
        if (!chunk.empty()) take(chunk);
    } while (!chunk.empty());
}

void next_bodies(const Host &host, size_t &at, std::vector<Body> &chunk)
{
    const tw_bodies &b = host.state->bodies;
    for (; at < b.count && chunk.size() < CHUNK; at++)
        chunk.push_back(body_of(b, at));
}

void next_contacts(const Host &host, size_t &at, std::vector<SentContact> &chunk)
{
    const tw_spheres &s = host.schedule->spheres;
    const tw_pairs &pairs = host.schedule->pairs;
    const tw_contacts &c = host.state->contacts;
    for (; at < pairs.count && chunk.size() < CHUNK; at++) {
        if (!tw_pairs_touch(&pairs, at)) continue;
        const tw_pair &pair = pairs.pair[at];
        const uint32_t p = s.body[pair.p], q = s.body[pair.q], slot = pairs.slot[at];
        SentContact one;
        std::memset(static_cast<void *>(&one), 0, sizeof one);
        one.p = tag_of(body_of(host.state->bodies, p));
        one.q = tag_of(body_of(host.state->bodies, q));
        one.own = static_cast<int32_t>(pair.p - s.first[p]);
        one.other = static_cast<int32_t>(pair.q - s.first[q]);
        one.memory = tw_bundle_get(c.bundle, slot);
        one.sliding = c.sliding[slot];
        one.extra = tw_extras_get(&c.extras, slot);
        chunk.push_back(one);
    }
}

/* What a person wants LAMMPS to write. Later simulations, of other stages or after a resume, would
 * begin a file anew that is not one of a step. */
void add_dump(Part &part)
{
    LAMMPS_NS::LAMMPS *lmp = part.lmp.get();
    const std::string dump = variable("TWIRL_LAMMPS_DUMP");
    command(lmp, "reset_timestep %llu", static_cast<unsigned long long>(part.fix->state.steps));
    if (dump.empty()) return;
    char file[1024] = "";
    if (std::sscanf(dump.c_str(), "%*s %*s %1023s", file) != 1 || !std::strchr(file, '*'))
        error_all(lmp->error, "TWIRL_LAMMPS_DUMP: the file of a dump must have * for the step in "
                              "its name, such as: custom 1000 grains.*.dump id type x y z radius");
    lmp->input->one("dump twirl all " + dump);
}

/* Everything but bodies and contacts. */
void begin_part(Part &part, const Host &host)
{
    double bound = 0.0;
    std::vector<uint64_t> counts; /* spheres of shapes */
    part.shapes.clear();
    part.spheres.clear();
    part.materials.clear();
    const Numbers numbers = share_numbers(part, host);
    if (host.model) {
        const tw_model &model = *host.model;
        bound = host.schedule->bound;
        part.shapes.assign(model.shapes, model.shapes + model.shape_count);
        for (const tw_shape &shape : part.shapes)
            part.spheres.insert(part.spheres.end(), shape.spheres, shape.spheres + shape.count);
        part.materials.assign(model.materials, model.materials + model.material_count);
    }
    share(part.shapes);
    share(part.spheres);
    share(part.materials);
    share(&bound, 1);
    size_t sphere = 0;
    for (tw_shape &shape : part.shapes) {
        shape.spheres = part.spheres.data() + sphere;
        sphere += shape.count;
    }
    const tw_mat3 &h = numbers.state.cell.h, frame = box_frame(h);
    make_host(part, tw_mat3_mul(tw_mat3_transpose(frame), h), numbers.state.skin);
    part.fix->frame = frame;
    part.fix->schedule.bound = bound;
    take_numbers(part, numbers);
}

void upload_part(Part &part, const Host &host)
{
    begin_part(part, host);
    size_t at = 0;
    distribute<Body>([&](std::vector<Body> &chunk) { next_bodies(host, at, chunk); },
                     [&](const std::vector<Body> &chunk) { take_bodies(part, chunk); });
    at = 0;
    distribute<SentContact>(
        [&](std::vector<SentContact> &chunk) { next_contacts(host, at, chunk); },
        [&](const std::vector<SentContact> &chunk) {
            part.fix->take_contacts(chunk.data(), chunk.size());
        });
    add_dump(part);
}

/* The bodies of the regions that meet the domain of this process, region by region. */
class Grains
{
  public:
    Grains(const Part &of, const std::vector<char> &text) : part(of)
    {
        tw_scenario_errors errors;
        tw_error error;
        scenario =
            tw_scenario_read_text(text.data(), text.size(), "scenario.yaml", nullptr, 0, &errors);
        tw_scenario_errors_free(&errors);
        recipe = scenario ? tw_run_recipe_open(scenario, &error) : nullptr;
        regions = recipe ? tw_run_recipe_divide(recipe, &part.fix->state.cell.h) : nullptr;
        tw_state_init(&one);
        if (!regions || tw_state_add_body(&one, &error) != TW_STATUS_OK)
            error_all(part.lmp->error, "not enough memory to make the grains");
    }

    ~Grains()
    {
        tw_state_free(&one);
        tw_run_recipe_free(recipe);
        tw_scenario_free(scenario);
    }

    Grains(const Grains &) = delete;
    Grains &operator=(const Grains &) = delete;

    /* Empty: there are no more. */
    tw_run_scatter_result next(std::vector<Body> &chunk)
    {
        const LAMMPS_NS::Domain *domain = part.lmp->domain;
        const uint64_t all = tw_run_regions_count(regions);
        chunk.clear();
        for (; region < all && chunk.size() < CHUNK; region++) {
            if (!tw_run_regions_meets(regions, region, domain->sublo_lamda, domain->subhi_lamda))
                continue;
            const uint64_t first = tw_run_regions_first(regions, region),
                           end = tw_run_regions_first(regions, region + 1);
            std::vector<tw_body_def> bodies(end - first);
            const tw_run_scatter_result result =
                tw_run_recipe_make(recipe, region, nullptr, bodies.data());
            if (result != TW_SCATTER_DONE) return result;
            for (uint64_t id = first; id < end; id++)
                add(static_cast<uint32_t>(id), bodies[id - first], chunk);
        }
        return TW_SCATTER_DONE;
    }

  private:
    const Part &part;
    tw_scenario *scenario;
    tw_run_recipe *recipe;
    const tw_run_regions *regions;
    tw_state one;
    uint64_t region = 0;

    void add(uint32_t id, const tw_body_def &def, std::vector<Body> &chunk)
    {
        tw_sim_body_put(&part.fix->model, &one.bodies, 0, id, &def);
        one.bodies.x_ref[0] = one.bodies.x[0];
        one.bodies.q_ref[0] = one.bodies.q[0];
        chunk.push_back(body_of(one.bodies, 0));
    }
};

/* Each process makes its bodies by the recipe. False: there is no room for all. */
bool make_part(Part &part, const Host &host, const char *recipe)
{
    begin_part(part, host);
    std::vector<char> text;
    if (recipe) text.assign(recipe, recipe + std::strlen(recipe));
    share(text);
    Grains grains(part, text);
    std::vector<Body> chunk;
    int most[2]; /* of all processes: what went wrong, whether there are more */
    do {
        most[0] = grains.next(chunk);
        most[1] = !chunk.empty();
        MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (most[0] == TW_SCATTER_FULL) return false;
        if (most[0] != TW_SCATTER_DONE)
            error_all(part.lmp->error, "not enough memory to make the grains");
        take_bodies(part, chunk);
    } while (most[1]);
    if (part.lmp->atom->natoms != static_cast<LAMMPS_NS::bigint>(part.fix->state.bodies.count))
        error_all(part.lmp->error, "grains were lost while they were made");
    double sums[2] = {0.0, 0.0}; /* mass, volume */
    const tw_bodies &b = part.fix->state.bodies;
    for (int i = 0; i < part.lmp->atom->nlocal; i++) {
        sums[0] += b.mass[i];
        sums[1] += tw_shape_volume(&part.shapes[b.shape[i]], b.size[i]);
    }
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    part.density = sums[0] / sums[1];
    add_dump(part);
    part.fix->run(0); /* the neighbours */
    return true;
}

void update_part(Part &part, const Host &host)
{
    take_numbers(part, share_numbers(part, host));
}

/* From all processes to the first, one after the other: `next` fills a chunk on the process that
 * has it, an empty one is its last; `take` gets each on the first process. */
template <typename T, typename Next, typename Take> void collect(const Next &next, const Take &take)
{
    enum { TAG = 1 };
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int from = 0; from < size; from++) {
        if (rank != 0 && rank != from) continue;
        std::vector<T> chunk;
        do {
            chunk.clear();
            if (rank == from) next(chunk);
            uint64_t some = chunk.size();
            if (rank != 0) {
                MPI_Send(&some, sizeof some, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
                MPI_Send(chunk.data(), static_cast<int>(some * sizeof(T)), MPI_BYTE, 0, TAG,
                         MPI_COMM_WORLD);
            } else if (from != 0) {
                MPI_Recv(&some, sizeof some, MPI_BYTE, from, TAG, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
                chunk.resize(some);
                MPI_Recv(chunk.data(), static_cast<int>(some * sizeof(T)), MPI_BYTE, from, TAG,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
            if (rank == 0 && !chunk.empty()) take(chunk);
        } while (!chunk.empty());
    }
}

/* For tests: in some step (TWIRL_DEVICE_TEST) LAMMPS refuses a command, or a grain gets lost. */
bool is_due(const FixTwirlStep *fix, const char *what, uint64_t steps)
{
    uint64_t at = 0;
    if (!tw_device_test(what, &at)) return false;
    return at > fix->state.steps && at - fix->state.steps <= steps;
}

void run_part(Part &part, uint64_t steps)
{
    if (is_due(part.fix, "fail_at", steps)) command(part.lmp.get(), "run");
    if (is_due(part.fix, "lose_at", steps) && first_process()) part.lmp->atom->nlocal--;
    part.fix->run(steps);
}

/* What all processes have, in parts: `begin` gets the number of contacts on the first process. */
template <typename Begin, typename TakeBodies, typename TakeContacts>
void give_part(Part &part, const Begin &begin, const TakeBodies &take_bodies,
               const TakeContacts &take_contacts)
{
    FixTwirlStep *fix = part.fix;
    begin(fix->begin_giving());
    size_t body = 0, contact = 0;
    collect<Body>(
        [&](std::vector<Body> &chunk) {
            const size_t end = std::min<size_t>(body + CHUNK, part.lmp->atom->nlocal);
            chunk.reserve(end - body);
            for (; body < end; body++)
                chunk.push_back(fix->give_body(static_cast<int>(body)));
        },
        take_bodies);
    collect<GivenContact>(
        [&](std::vector<GivenContact> &chunk) {
            const size_t end = std::min(contact + CHUNK, fix->contacts_to_give());
            chunk.reserve(end - contact);
            for (; contact < end; contact++)
                chunk.push_back(fix->give_contact(contact));
        },
        take_contacts);
    fix->end_giving();
}

} // namespace

namespace twirl_lammps
{

void serve()
{
    const auto ignore_count = [](size_t) {};
    const auto ignore_bodies = [](const std::vector<Body> &) {};
    const auto ignore_contacts = [](const std::vector<GivenContact> &) {};
    for (;;) {
        Call what;
        share(&what, 1);
        const int number = static_cast<int>(what.number);
        if (what.order == QUIT) {
            parts.clear();
            return;
        }
        Part &part = parts[number];
        tw_tally tally;
        tw_move_energy energy;
        switch (what.order) {
        case UPLOAD:
            upload_part(part, {});
            break;
        case MAKE:
            make_part(part, {}, nullptr);
            break;
        case UPDATE:
            update_part(part, {});
            break;
        case RESTART:
            part.fix->forget_displacements();
            break;
        case RUN:
            run_part(part, what.steps);
            break;
        case MEASURE:
            part.fix->measure(&tally, &energy);
            break;
        case GIVE:
            give_part(part, ignore_count, ignore_bodies, ignore_contacts);
            break;
        default:
            parts.erase(number);
        }
    }
}

void dismiss()
{
    Call what = {QUIT, 0, 0};
    share(&what, 1);
    parts.clear();
}

} // namespace twirl_lammps

/* ---- The device, on the first process ---- */

struct tw_device_instance {
    tw_device device;
    int number;
    double density;
};

static tw_status open_device(tw_device **device, tw_error *error)
{
    static int number;
    auto *own = new (std::nothrow) tw_device_instance;
    if (!own) return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for a simulation");
    *own = {{&device_lammps, own}, number++, 0.0};
    *device = &own->device;
    return TW_STATUS_OK;
}

static void close_device(tw_device_instance *own)
{
    call(CLOSE, own->number);
    parts.erase(own->number);
    delete own;
}

/* What cannot be done there. */
static tw_status fits(tw_device_instance *, const tw_model *model, const tw_state *state,
                      const tw_schedule *, tw_error *error)
{
    const tw_cell &cell = state->cell;
    const char *what = nullptr;
    for (size_t k = 0; k < tw_model_law_count(model); k++)
        if (twirl_lammps::acts_at_gap(model->laws[k]))
            what = "contacts that begin or live at a gap";
    if (state->wall_count > 0) what = "walls";
    if (!cell.periodic[0] || !cell.periodic[1] || !cell.periodic[2])
        what = "cells that are not periodic along all three edges";
    for (size_t i = 0; i < std::min(state->bodies.count, state->bodies.capacity) && !what; i++)
        if (state->bodies.flags[i] & TW_BODY_FIXED) what = "fixed bodies";
    if (!(tw_mat3_det(cell.h) > 0.0)) what = "cells with edges in left-handed order";
    if (state->bodies.count > INT_MAX - 1) what = "more than 2147483646 bodies";
    if (!what) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_INPUT,
                        "the device lammps cannot do %s: use --device cpu, or cuda", what);
}

static tw_status upload(tw_device_instance *own, const tw_model *model, const tw_state *state,
                        const tw_schedule *schedule, const tw_servo *servo, tw_error *error)
{
    const tw_status status = fits(own, model, state, schedule, error);
    if (status != TW_STATUS_OK) return status;
    own->density = tw_model_density(model, &state->bodies);
    upload_part(call(UPLOAD, own->number), {model, state, schedule, servo});
    return TW_STATUS_OK;
}

static tw_status make(tw_device_instance *own, const tw_model *model, const tw_state *state,
                      const tw_schedule *schedule, const tw_servo *servo, const char *recipe,
                      int *room, tw_error *error)
{
    const tw_status status = fits(own, model, state, schedule, error);
    if (status != TW_STATUS_OK) return status;
    Part &part = call(MAKE, own->number);
    *room = make_part(part, {model, state, schedule, servo}, recipe);
    own->density = part.density;
    return TW_STATUS_OK;
}

static void update(tw_device_instance *own, const tw_model *model, const tw_state *state,
                   const tw_servo *servo)
{
    update_part(call(UPDATE, own->number), {model, state, nullptr, servo});
}

static void restart(tw_device_instance *own, const tw_state *)
{
    call(RESTART, own->number).fix->forget_displacements();
}

/* Of the last steps on this process. Others that it waits for are in comm and modify. */
static void count_times(const LAMMPS_NS::Timer &timer)
{
    tw_clock_give(TW_SIM_PHASE_FORCE, timer.get_wall(LAMMPS_NS::Timer::PAIR));
    tw_clock_give(TW_SIM_PHASE_SEARCH, timer.get_wall(LAMMPS_NS::Timer::NEIGH));
    tw_clock_give(TW_SIM_PHASE_DETECT, timer.get_wall(LAMMPS_NS::Timer::COMM));
    tw_clock_give(TW_SIM_PHASE_MOVE, timer.get_wall(LAMMPS_NS::Timer::MODIFY));
}

static tw_status run(tw_device_instance *own, uint64_t steps, tw_error *error)
{
    Part &part = call(RUN, own->number, steps);
    FixTwirlStep *fix = part.fix;
    run_part(part, steps);
    count_times(*part.lmp->timer);
    if (fix->failed != TW_STATUS_INPUT) return fix->failed;
    return tw_move_check_cell(&fix->state.cell.gradient, fix->state.dt, error);
}

static void numbers(tw_device_instance *own, tw_state *state, tw_schedule *schedule,
                    tw_servo *servo)
{
    const FixTwirlStep *fix = parts[own->number].fix;
    tw_device_copy_state(state, &fix->state);
    schedule->stretch = fix->schedule.stretch;
    schedule->cell_back = fix->schedule.cell_back;
    std::copy(fix->kinetic, fix->kinetic + TW_COMPONENTS, schedule->momentum_flux);
    *servo = fix->servo;
}

static size_t passed(tw_device_instance *own, tw_device_history_step *out)
{
    const std::vector<tw_device_history_step> &all = parts[own->number].fix->passed;
    const size_t count = std::min<size_t>(all.size(), TW_DEVICE_HISTORY_STEPS);
    std::copy(all.end() - static_cast<std::ptrdiff_t>(count), all.end(), out);
    return count;
}

/* A part on its way from messages to columns. */
struct Columns {
    tw_state state = {}; /* its bodies */
    tw_contact_list list = {};
    size_t all = 0;              /* contacts of all parts */
    tw_tiles tiles = {};         /* as a list has them: */
    uint32_t tile = 0, next = 0; /* the present one, and its next slot */

    bool reserve(uint32_t needs)
    {
        return tw_contact_list_make(&list, CHUNK, needs) &&
               tw_state_reserve_bodies(&state, CHUNK, nullptr) == TW_STATUS_OK;
    }

    const tw_bodies *bodies(const std::vector<Body> &chunk)
    {
        state.bodies.count = chunk.size();
        for (size_t k = 0; k < chunk.size(); k++)
            put_body(state.bodies, k, chunk[k]);
        return &state.bodies;
    }

    tw_device_contacts contacts(const std::vector<GivenContact> &chunk)
    {
        list.count = 0;
        for (const GivenContact &one : chunk) {
            const size_t k = list.count++;
            const uint32_t home = tw_tiles_home(&tiles, one.body);
            if (home != tile) next = 0;
            tile = home;
            list.pair[k] = one.pair;
            list.memory[k] = one.memory;
            list.slot[k] = next++;
            list.sliding[k] = static_cast<uint8_t>(one.sliding);
            tw_contact_list_put(&list, k, &one.extra);
        }
        return {&list, all};
    }

    ~Columns()
    {
        tw_contact_list_free(&list);
        tw_state_free(&state);
    }
};

static tw_status give(tw_device_instance *own, const tw_model *model, const tw_device_sink *sink,
                      tw_error *error)
{
    Columns columns;
    tw_status status = TW_STATUS_OK;
    if (!columns.reserve(tw_model_extras(model)))
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for a part of the grains");
    Part &part = call(GIVE, own->number);
    tw_tiles_cut(&columns.tiles, part.fix->state.bodies.count);
    /* After an error the others still send. */
    give_part(
        part, [&](size_t contacts) { columns.all = contacts; },
        [&](const std::vector<Body> &chunk) {
            if (status == TW_STATUS_OK)
                status = sink->bodies(sink->context, columns.bodies(chunk), error);
            uint64_t step; /* for tests: killed there, or as soon as a state is given later */
            if (tw_device_test("die_at", &step) && part.fix->state.steps >= step)
                std::raise(SIGKILL);
        },
        [&](const std::vector<GivenContact> &chunk) {
            const tw_device_contacts some = columns.contacts(chunk);
            if (status == TW_STATUS_OK) status = sink->contacts(sink->context, &some, error);
        });
    return status;
}

static tw_status tally(tw_device_instance *own, const tw_model *, tw_tally *sums,
                       tw_move_energy *energy, tw_error *)
{
    call(MEASURE, own->number).fix->measure(sums, energy);
    sums->density = own->density;
    return TW_STATUS_OK;
}

const tw_device_kind twirl_lammps::device_lammps = {
    open_device, close_device, fits,   upload,  make,  update,  restart, run,
    nullptr,     numbers,      passed, nullptr, tally, nullptr, give,    nullptr};
