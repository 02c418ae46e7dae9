/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include "random_state.h"

#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "sim/checkpoint.h"

void random_state_bytes(void *bytes, size_t count, uint64_t *seed)
{
    unsigned char *out = bytes;
    for (size_t i = 0; i < count; i += 8) {
        const uint64_t word = tw_random_splitmix(seed);
        memcpy(out + i, &word, count - i < 8 ? count - i : 8);
    }
}

static void *zeros(size_t count, size_t size)
{
    void *array = NULL;
    size_t capacity = 0;
    assert_int_equal(tw_buffer_reserve(&array, &capacity, count + 1, size), TW_STATUS_OK);
    memset(array, 0, (count + 1) * size);
    return array;
}

static void make_shapes(random_state *sample)
{
    const tw_shape_bumpy bumpy[] = {{4, 0.5, 0.7, 0.6}, {8, 0.3, 0.9, 0.8}};
    const tw_sphere lopsided[] = {{{0.1, 0.2, 0.3}, 1.0}, {{0.9, 0.4, -0.5}, 0.6}};
    tw_error error;
    sample->model.shape_capacity = 3;
    sample->model.shapes = zeros(sample->model.shape_capacity, sizeof *sample->model.shapes);
    sample->model.shape_count = 3;
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(tw_shape_make_bumpy(&sample->model.shapes[i], &bumpy[i], &error),
                         TW_STATUS_OK);
    assert_int_equal(tw_shape_make(&sample->model.shapes[2], lopsided, 2, &error), TW_STATUS_OK);
}

static void make_bodies(random_state *sample, size_t count, uint64_t *seed)
{
    tw_bodies *b = &sample->state.bodies;
    sample->state.departed = 0;
    for (size_t i = 0; i < count; i++)
        assert_int_equal(tw_state_add_body(&sample->state, NULL), TW_STATUS_OK);
    sample->state.departed = 2 * count; /* every third has stayed */
#define TW_COLUMN(type, name) random_state_bytes(b->name, count * sizeof *b->name, seed);
#include "world/body_columns.def"
    for (size_t i = 0; i < count; i++) {
        b->id[i] = (uint32_t)(3 * (count - 1 - i));
        b->flags[i] &= TW_BODY_FIXED | TW_BODY_PRESENT;
        b->material[i] %= (uint32_t)sample->model.material_count;
        b->shape[i] = (uint32_t)(tw_random_splitmix(seed) % sample->model.shape_count);
        sample->schedule.spheres.count += sample->model.shapes[b->shape[i]].count;
    }
}

static void make_pairs(random_state *sample, size_t count, uint64_t *seed)
{
    tw_pairs *p = &sample->schedule.pairs;
    const size_t spheres = sample->schedule.spheres.count;
    assert_int_equal(
        tw_schedule_reserve_pairs(&sample->schedule, sample->state.bodies.count, count, NULL),
        TW_STATUS_OK);
    p->count = count;
    tw_contacts *c = &sample->state.contacts;
    const size_t bundles = count / TW_BUNDLE + 1;
    assert_int_equal(tw_state_reserve_contacts(&sample->state, count + 1, NULL), TW_STATUS_OK);
    random_state_bytes(c->bundle, bundles * sizeof *c->bundle, seed);
    assert_int_equal(tw_state_need_extras(&sample->state, TW_CONTACT_EXTRA_ALL, NULL),
                     TW_STATUS_OK);
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)                             \
    random_state_bytes(c->extras.name, (count)*bundles * sizeof *c->extras.name, seed);
#include <twirl/detail/contact_parts.def>
    random_state_bytes(c->sliding, count, seed);
    random_state_bytes(p->pair, count * sizeof *p->pair, seed);
    for (size_t k = 0; k < count; k++) {
        c->sliding[k] &= 1;
        p->pair[k].p = (uint32_t)(p->pair[k].p % spheres);
        uint64_t q = p->pair[k].q % (spheres + sample->state.wall_count);
        if (k % 8 == 0 && sample->state.wall_count > 0) q = spheres; /* always a wall */
        p->pair[k].surface = TW_SURFACE_GRAIN;
        p->pair[k].q = (uint32_t)q;
        if (q >= spheres) {
            const uint32_t number = (uint32_t)(q - spheres);
            const tw_wall *wall = &sample->state.walls[number];
            const int elements = tw_surface_has_elements(wall->surface);
            p->pair[k] =
                tw_pair_with_wall(p->pair[k].p, number, elements ? k % 2 : 0, wall->surface);
        }
        /* Half of them touch, in any order of slots. */
        p->slot[k] = tw_random_splitmix(seed) & 1 ? (uint32_t)(count - 1 - k) : TW_NO_SLOT;
    }
}

static double random_number(uint64_t *seed)
{
    return 1e-3 * (double)(1 + tw_random_splitmix(seed) % 1000);
}

static void make_materials(tw_model *model, uint64_t *seed)
{
    enum { MATERIALS = 3 };
    static const char *const names[MATERIALS] = {"grains", "steel", "a longer name"};
    for (int k = 0; k < MATERIALS; k++)
        assert_int_equal(tw_model_add_material(model, names[k], 1e3 + random_number(seed), NULL),
                         TW_STATUS_OK);
    const int32_t normal = (int32_t)(tw_random_splitmix(seed) % TW_CONTACT_NORMALS);
    for (uint32_t a = 0; a < MATERIALS; a++) {
        for (uint32_t b = 0; b <= a; b++) {
            tw_contact_law law = tw_contact_law_default();
            double *numbers[] = {&law.kn,   &law.kt,   &law.mu,  &law.nu_n, &law.nu_t, &law.k_r,
                                 &law.mu_r, &law.nu_r, &law.k_w, &law.mu_w, &law.nu_w};
            for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
                *numbers[k] = random_number(seed);
            law.normal = normal;
            law.flags = (uint32_t)(tw_random_splitmix(seed) % 16);
            model->laws[tw_model_law(model, a, b)] = model->laws[tw_model_law(model, b, a)] = law;
        }
    }
}

/* Fills all bytes with random values first, so that new members are covered too. */
static void make_numbers(random_state *sample, uint64_t *seed)
{
    tw_model *model = &sample->model;
    tw_state *state = &sample->state;
    random_state_bytes(model, sizeof *model, seed);
    random_state_bytes(state, sizeof *state, seed);
    tw_schedule_init(&sample->schedule);
    memset(&state->bodies, 0, sizeof state->bodies);
    memset(&state->contacts, 0, sizeof state->contacts);
    model->shapes = NULL;
    model->materials = NULL;
    model->laws = NULL;
    model->material_count = 0;
    model->surfaces = NULL;
    model->surface_count = model->surface_capacity = 0;
    model->drive = NULL;
    model->drive_row = NULL;
    model->drive_count = model->drive_row_count = 0;
    state->walls = NULL;
    model->shape_count = model->shape_capacity = state->wall_count = state->wall_capacity = 0;
    for (int k = 0; k < 3; k++) {
        state->cell.periodic[k] &= 1;
        state->cell.walled[k] = 0;
    }
    model->dt_automatic &= 1;
    model->dt_forced &= 1;
    state->balance.started &= 1;
    make_materials(model, seed);
}

/* Two of each kind of elements. */
static void make_surfaces(tw_model *model, uint64_t *seed)
{
    tw_profile_point point[3];
    tw_mesh_soup soup = {0};
    tw_mesh mesh;
    tw_vec3 x[4];
    for (int k = 0; k < 3; k++) {
        point[k].rho = random_number(seed);
        point[k].z = random_number(seed);
    }
    assert_int_equal(tw_model_add_profile(model, point, 3, 0, NULL), TW_STATUS_OK);
    for (int k = 0; k < 4; k++) {
        x[k].x = random_number(seed);
        x[k].y = random_number(seed);
        x[k].z = random_number(seed);
    }
    for (int k = 0; k < 2; k++)
        assert_int_equal(tw_mesh_soup_add(&soup, x[0], x[1], x[2 + k], 1, NULL), TW_STATUS_OK);
    assert_int_equal(tw_mesh_make(&mesh, &soup, 1.0, NULL), TW_STATUS_OK);
    assert_int_equal(tw_model_add_mesh(model, &mesh, NULL), TW_STATUS_OK);
    tw_mesh_soup_free(&soup);
    tw_mesh_free(&mesh);
}

/* Every second wall has one, with a table. */
static void make_motions(random_state *sample, uint64_t *seed)
{
    enum { ROWS = 5 };
    tw_drive_part part[2];
    tw_drive_row row[ROWS];
    for (size_t k = 0; k < sample->state.wall_count; k += 2) {
        random_state_bytes(part, sizeof part, seed);
        random_state_bytes(row, sizeof row, seed);
        for (int i = 0; i < 2; i++) {
            part[i].kind = i == 0 ? (int32_t)(k / 2 % TW_DRIVE_TABLE) : TW_DRIVE_TABLE_ANGLE;
            part[i].cubic &= 1;
            part[i].first = (uint32_t)i;
            part[i].rows = i == 0 ? 0 : ROWS - 1 - k % 2;
        }
        assert_int_equal(tw_model_set_drive(&sample->model, &sample->state, k, part, 2, row, NULL),
                         TW_STATUS_OK);
    }
}

void random_state_make(random_state *sample, random_state_size size, uint64_t seed)
{
    make_numbers(sample, &seed);
    make_shapes(sample);
    if (size.walls > 0) make_surfaces(&sample->model, &seed);
    make_bodies(sample, size.bodies, &seed);
    for (size_t i = 0; i < size.walls; i++) {
        tw_wall wall;
        random_state_bytes(&wall, sizeof wall, &seed);
        wall.surface = (uint32_t)(TW_SURFACE_PLANE + i % (TW_SURFACE_KINDS - TW_SURFACE_PLANE));
        wall.model = wall.surface == TW_SURFACE_MESH ? 1 : 0;
        wall.front &= 1;
        wall.absent &= 1;
        wall.unused = 0;
        wall.servo = 1 + (wall.servo & 1);
        sample->state.cell.walled[i % 3] = (int)i + 1;
        wall.predicted &= 1;
        wall.drive_first = wall.drive_count = 0;
        wall.material %= (uint32_t)sample->model.material_count;
        for (int k = 0; k < TW_WALL_NAME; k++)
            wall.name[k] =
                (char)(k < TW_WALL_NAME - 1 ? 'a' + ((unsigned char)wall.name[k] & 15) : 0);
        assert_int_equal(tw_state_add_wall(&sample->state, &wall, NULL), TW_STATUS_OK);
    }
    make_pairs(sample, size.pairs, &seed);
    make_motions(sample, &seed);
    sample->schedule.valid = 1;
}

void random_state_init(random_state *sample)
{
    tw_model_init(&sample->model);
    tw_state_init(&sample->state);
    tw_schedule_init(&sample->schedule);
}

void random_state_free(random_state *sample)
{
    tw_model_free(&sample->model);
    tw_state_free(&sample->state);
    tw_schedule_free(&sample->schedule);
}

tw_status random_state_save(const random_state *sample, const tw_servo *servo, const char *label,
                            const char *path, tw_error *error)
{
    tw_checkpoint_data data;
    assert_true(
        tw_checkpoint_data_gather(&data, &sample->model, &sample->state, &sample->schedule, servo));
    const tw_status status = tw_checkpoint_write(&data, label, path, error);
    tw_checkpoint_data_free(&data);
    return status;
}

void random_state_servo(tw_servo *servo, uint64_t seed)
{
    tw_servo random;
    memset(servo, 0, sizeof *servo);
    random_state_bytes(&random, sizeof random, &seed);
    /* All bytes are random, except that the control must be valid. */
    const size_t set = offsetof(tw_servo, set);
    memcpy((char *)servo + set, (const char *)&random + set, sizeof random - set);
    servo->on = servo->predicted = 1;
    servo->met = (int32_t)(seed & 1);
    servo->request = tw_control_default();
    servo->request.struct_size = 0; /* which is not saved */
    for (int k = 0; k < TW_COMPONENTS; k++) {
        tw_control_row *row = &servo->request.row[k];
        row->mode = (int32_t)(tw_random_splitmix(&seed) % 2);
        row->weight[(k + 1) % TW_COMPONENTS] = 0.01 * (double)(tw_random_splitmix(&seed) % 40);
        row->target = 1e-3 * (double)tw_random_splitmix(&seed);
        row->ramp = 1e-3 * (double)tw_random_splitmix(&seed);
    }
    servo->request.simple_shear = 1;
    servo->request.rate_max = 1e-3 * (double)(tw_random_splitmix(&seed) % 1000);
    servo->request.tolerance = 1e-6 * (double)(1 + tw_random_splitmix(&seed) % 1000);
    tw_control_fluid *fluid = &servo->request.fluid;
    fluid->bulk = 1.0 + 1e-3 * (double)tw_random_splitmix(&seed);
    fluid->pressure = 1.0 + 1e-3 * (double)tw_random_splitmix(&seed);
    fluid->solid = 1.0 + 1e-3 * (double)(tw_random_splitmix(&seed) % 1000);
    fluid->volume = fluid->solid + 1.0;
    servo->stiffness.made = 1;
    servo->stiffness.unused = 0;
}

char random_state_folder[32], random_state_file[64];

int random_state_folder_make(void **state)
{
    (void)state;
    strcpy(random_state_folder, "checkpoint-XXXXXX");
    assert_non_null(mkdtemp(random_state_folder));
    snprintf(random_state_file, sizeof random_state_file, "%s/file.h5", random_state_folder);
    return 0;
}

int random_state_folder_remove(void **state)
{
    (void)state;
    DIR *all = opendir(random_state_folder);
    assert_non_null(all);
    for (struct dirent *entry; (entry = readdir(all));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", random_state_folder, entry->d_name);
        if (entry->d_name[0] != '.') assert_int_equal(remove(path), 0);
    }
    closedir(all);
    assert_int_equal(rmdir(random_state_folder), 0);
    return 0;
}

void random_state_seal(void)
{
    tw_error error;
    const int file = open(random_state_file, O_RDWR);
    assert_true(file >= 0);
    assert_int_equal(tw_checkpoint_seal_write(file, random_state_file, &error), TW_STATUS_OK);
    close(file);
}
