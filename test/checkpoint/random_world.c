/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include "random_world.h"

#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buffer.h"

void random_world_bytes(void *bytes, size_t count, uint64_t *seed)
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

static void make_shapes(tw_world *world)
{
    const tw_shape_bumpy bumpy[] = {{4, 0.5, 0.7, 0.6}, {8, 0.3, 0.9, 0.8}};
    const tw_sphere lopsided[] = {{{0.1, 0.2, 0.3}, 1.0}, {{0.9, 0.4, -0.5}, 0.6}};
    tw_error error;
    world->shape_capacity = 3;
    world->shapes = zeros(world->shape_capacity, sizeof *world->shapes);
    world->shape_count = 3;
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(tw_shape_make_bumpy(&world->shapes[i], &bumpy[i], &error), TW_STATUS_OK);
    assert_int_equal(tw_shape_make(&world->shapes[2], lopsided, 2, &error), TW_STATUS_OK);
}

static void make_bodies(tw_world *world, size_t count, uint64_t *seed)
{
    tw_bodies *b = &world->bodies;
    for (size_t i = 0; i < count; i++)
        assert_int_equal(tw_world_add_body(world, NULL), TW_STATUS_OK);
#define TW_COLUMN(type, name) random_world_bytes(b->name, count * sizeof *b->name, seed);
#include "world/body_columns.def"
#undef TW_COLUMN
    for (size_t i = 0; i < count; i++) {
        b->id[i] = (uint32_t)(count - 1 - i);
        b->shape[i] = (uint32_t)(tw_random_splitmix(seed) % world->shape_count);
        world->spheres.count += world->shapes[b->shape[i]].count;
    }
}

static void make_pairs(tw_world *world, size_t count, uint64_t *seed)
{
    tw_pairs *p = &world->pairs;
    const size_t spheres = world->spheres.count;
    assert_int_equal(tw_world_reserve_pairs(world, count, NULL), TW_STATUS_OK);
    p->count = count;
    tw_contacts *c = &world->contacts;
    const size_t bundles = count / TW_BUNDLE + 1;
    assert_int_equal(tw_world_reserve_slots(world, count + 1, NULL), TW_STATUS_OK);
    random_world_bytes(c->bundle, bundles * sizeof *c->bundle, seed);
    random_world_bytes(c->drag, bundles * sizeof *c->drag, seed);
    random_world_bytes(c->sliding, count, seed);
    c->viscous = 1;
    random_world_bytes(p->pair, count * sizeof *p->pair, seed);
    for (size_t k = 0; k < count; k++) {
        p->pair[k].p = (uint32_t)(p->pair[k].p % spheres);
        p->pair[k].q = (uint32_t)(p->pair[k].q % (spheres + world->wall_count));
        p->pair[k].shift.unused = 0;
        /* Half of them touch, and any order of slots will do. */
        p->slot[k] = tw_random_splitmix(seed) & 1 ? (uint32_t)(count - 1 - k) : TW_NO_SLOT;
    }
}

/* The numbers of the world itself, whatever they are called: all bytes are random first. */
static void make_numbers(tw_world *world, uint64_t *seed)
{
    random_world_bytes(world, sizeof *world, seed);
    memset(&world->bodies, 0, sizeof world->bodies);
    memset(&world->spheres, 0, sizeof world->spheres);
    memset(&world->pairs, 0, sizeof world->pairs);
    memset(&world->contacts, 0, sizeof world->contacts);
    memset(&world->tiles, 0, sizeof world->tiles);
    memset(&world->scratch, 0, sizeof world->scratch);
    world->shapes = NULL;
    world->walls = NULL;
    world->shape_count = world->wall_count = world->shape_capacity = world->wall_capacity = 0;
    for (int k = 0; k < 3; k++)
        world->cell.periodic[k] &= 1;
    world->law = tw_contact_law_default();
    world->law.kn = 1e6 + (double)(tw_random_splitmix(seed) % 1000);
    world->law.kt = 0.3 * world->law.kn;
    world->law.mu = 0.1 + 1e-3 * (double)(tw_random_splitmix(seed) % 1000);
    world->law.nu = 1e-3 * (double)(tw_random_splitmix(seed) % 1000);
}

void random_world_make(tw_world *world, random_world_size size, uint64_t seed)
{
    make_numbers(world, &seed);
    make_shapes(world);
    make_bodies(world, size.bodies, &seed);
    for (size_t i = 0; i < size.walls; i++) {
        tw_wall wall;
        random_world_bytes(&wall, sizeof wall, &seed);
        wall.unused = 0;
        assert_int_equal(tw_world_add_wall(world, &wall, NULL), TW_STATUS_OK);
    }
    make_pairs(world, size.pairs, &seed);
    world->placed = 1;
}

void random_world_servo(tw_servo *servo, uint64_t seed)
{
    tw_servo random;
    memset(servo, 0, sizeof *servo);
    random_world_bytes(&random, sizeof random, &seed);
    /* Whatever it is called, it is random; but a control has to make sense. */
    const size_t set = offsetof(tw_servo, set);
    memcpy((char *)servo + set, (const char *)&random + set, sizeof random - set);
    servo->on = servo->predicted = 1;
    servo->met = (int32_t)(seed & 1);
    servo->request = tw_control_default();
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
    servo->stiffness.made = 1;
    servo->stiffness.unused = 0;
}

char random_world_folder[32], random_world_file[64];

int random_world_folder_make(void **state)
{
    (void)state;
    strcpy(random_world_folder, "checkpoint-XXXXXX");
    assert_non_null(mkdtemp(random_world_folder));
    snprintf(random_world_file, sizeof random_world_file, "%s/file.h5", random_world_folder);
    return 0;
}

int random_world_folder_remove(void **state)
{
    (void)state;
    DIR *all = opendir(random_world_folder);
    assert_non_null(all);
    for (struct dirent *entry; (entry = readdir(all));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", random_world_folder, entry->d_name);
        if (entry->d_name[0] != '.') assert_int_equal(remove(path), 0);
    }
    closedir(all);
    assert_int_equal(rmdir(random_world_folder), 0);
    return 0;
}
