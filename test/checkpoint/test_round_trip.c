/* SPDX-License-Identifier: BSD-3-Clause */
/* A written state is restored bitwise, and a file is replaced completely or not at all. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "random_state.h"
#include "sim/checkpoint.h"

static char *const folder = random_state_folder, *const path = random_state_file;
static const tw_servo no_servo; /* off */

static void read_both(random_state *sample, tw_servo *servo, tw_contact_list *contacts, int *listed)
{
    tw_error error;
    char label[TW_SIM_LABEL_MAX + 1];
    random_state_init(sample);
    memset(servo, 0, sizeof *servo);
    tw_checkpoint_data data = {.model = &sample->model, .state = &sample->state, .servo = servo};
    const tw_status status = tw_checkpoint_read(&data, label, path, &error);
    if (status != TW_STATUS_OK) fail_msg("%s", error.text);
    assert_string_equal(error.text, "");
    *contacts = data.contacts;
    *listed = data.listed;
    memset(&data.contacts, 0, sizeof data.contacts);
    tw_checkpoint_data_free(&data);
}

static void read_back(random_state *sample, tw_contact_list *contacts, int *listed)
{
    tw_servo servo;
    read_both(sample, &servo, contacts, listed);
}

static void write_both(const random_state *sample, const tw_servo *servo)
{
    tw_error error;
    if (random_state_save(sample, servo, "", path, &error) != TW_STATUS_OK)
        fail_msg("%s", error.text);
}

static void write_out(const random_state *sample)
{
    write_both(sample, &no_servo);
}

/* ---- Comparing ---- */

/* Members that are not in a file: padding, and pointers and their counts, which are compared
 * elsewhere. */
static void take_over(void *to, const void *from, size_t begin, size_t end)
{
    memcpy((char *)to + begin, (const char *)from + begin, end - begin);
}

#define FROM(type, member) offsetof(type, member)
#define BEHIND(type, member) (offsetof(type, member) + sizeof((type *)0)->member)

static void compare_bytes(const char *what, const void *a, const void *b, size_t count)
{
    const unsigned char *x = a, *y = b;
    for (size_t k = 0; k < count; k++)
        if (x[k] != y[k]) fail_msg("byte %zu of %s was not restored", k, what);
}

/* Every byte of the structs must be restored unless exempt, so that a new member that is not saved
 * is detected. */
static void compare_numbers(const random_state *a, const random_state *b)
{
    tw_model m;
    tw_state s;
    memcpy(&m, &b->model, sizeof m);
    memcpy(&s, &b->state, sizeof s);
    take_over(&m, &a->model, 0, FROM(tw_model, mass_scale)); /* shapes, materials */
    take_over(&s, &a->state, BEHIND(tw_state, cell.walled), FROM(tw_state, balance));
    take_over(&s, &a->state, FROM(tw_state, balance.unused), BEHIND(tw_state, balance.unused));
    compare_bytes("tw_model", &a->model, &m, sizeof m);
    compare_bytes("tw_state", &a->state, &s, sizeof s);
}

static void compare_shapes(const random_state *a, const random_state *b)
{
    assert_int_equal(a->model.shape_count, b->model.shape_count);
    for (size_t i = 0; i < a->model.shape_count; i++) {
        const tw_shape *s = &a->model.shapes[i];
        tw_shape t = b->model.shapes[i];
        assert_int_equal(s->count, t.count);
        assert_memory_equal(s->spheres, t.spheres, s->count * sizeof *s->spheres);
        t.spheres = s->spheres;
        assert_memory_equal(s, &t, sizeof t);
    }
}

static void compare_materials(const random_state *a, const random_state *b)
{
    assert_int_equal(a->model.material_count, b->model.material_count);
    assert_memory_equal(a->model.materials, b->model.materials,
                        a->model.material_count * sizeof *a->model.materials);
    assert_memory_equal(a->model.laws, b->model.laws,
                        tw_model_law_count(&a->model) * sizeof *a->model.laws);
}

static void compare_bodies(const random_state *a, const random_state *b)
{
    const size_t n = a->state.bodies.count;
    assert_int_equal(n, b->state.bodies.count);
#define TW_COLUMN(type, name)                                                                      \
    if (n) assert_memory_equal(a->state.bodies.name, b->state.bodies.name, n * sizeof(type));
#include "world/body_columns.def"
    assert_int_equal(a->state.wall_count, b->state.wall_count);
    if (a->state.wall_count > 0)
        assert_memory_equal(a->state.walls, b->state.walls,
                            a->state.wall_count * sizeof *a->state.walls);
    assert_int_equal(a->model.drive_count, b->model.drive_count);
    assert_int_equal(a->model.drive_row_count, b->model.drive_row_count);
    if (a->model.drive_count == 0) return;
    assert_memory_equal(a->model.drive, b->model.drive,
                        a->model.drive_count * sizeof *a->model.drive);
    assert_memory_equal(a->model.drive_row, b->model.drive_row,
                        a->model.drive_row_count * sizeof *a->model.drive_row);
}

static void compare_contacts(const random_state *a, const tw_contact_list *c)
{
    const tw_pairs *p = &a->schedule.pairs;
    size_t at = 0;
    for (size_t k = 0; k < p->count; k++) {
        if (!tw_pairs_touch(p, k)) continue;
        assert_true(at < c->count);
        assert_memory_equal(&p->pair[k], &c->pair[at], sizeof(tw_pair));
        const uint32_t slot = p->slot[k];
        const tw_contact_memory memory = tw_bundle_get(a->state.contacts.bundle, slot);
        const tw_contact_parts extra = tw_extras_get(&a->state.contacts.extras, slot);
        assert_memory_equal(&memory, &c->memory[at], sizeof memory);
        const tw_contact_parts listed = tw_contact_list_get(c, at);
        assert_memory_equal(&extra, &listed, sizeof extra);
        assert_int_equal(tw_pair_is_wall(&p->pair[k]) ? 0 : slot, c->slot[at]);
        assert_int_equal(a->state.contacts.sliding[slot], c->sliding[at]);
        at++;
    }
    assert_int_equal(at, c->count);
}

static void check_round_trip(random_state_size size, uint64_t seed)
{
    random_state a, b;
    tw_contact_list contacts;
    int listed;
    random_state_make(&a, size, seed);
    write_out(&a);
    read_back(&b, &contacts, &listed);
    assert_int_equal(listed, 1);
    compare_numbers(&a, &b);
    compare_shapes(&a, &b);
    compare_materials(&a, &b);
    compare_bodies(&a, &b);
    compare_contacts(&a, &contacts);
    tw_contact_list_free(&contacts);
    random_state_free(&a);
    random_state_free(&b);
}

static void model_and_state_are_restored_bitwise(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        check_round_trip((random_state_size){200, 6, 1500}, seed);
        check_round_trip((random_state_size){1 + seed, seed % 2, 3 * seed}, seed);
    }
}

static void a_servo_is_restored_bitwise(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        random_state sample, back;
        tw_servo servo, found;
        tw_contact_list contacts;
        int listed;
        random_state_make(&sample, (random_state_size){3, 0, 5}, seed);
        random_state_servo(&servo, seed);
        write_both(&sample, &servo);
        read_both(&back, &found, &contacts, &listed);
        assert_memory_equal(&servo, &found, sizeof servo);
        tw_contact_list_free(&contacts);
        random_state_free(&sample);
        random_state_free(&back);
    }
}

static void states_without_bodies_walls_or_contacts_are_restored(void **state)
{
    (void)state;
    check_round_trip((random_state_size){0, 0, 0}, 11);
    check_round_trip((random_state_size){0, 3, 0}, 12);
    check_round_trip((random_state_size){5, 0, 0}, 13);
    check_round_trip((random_state_size){1, 0, 40}, 14);
}

/* Bodies added after the last search follow the others; spheres and walls keep their numbers. */
static void contacts_with_walls_survive_bodies_added_since_the_search(void **state)
{
    (void)state;
    random_state a, b;
    tw_contact_list contacts;
    int listed;
    random_state_make(&a, (random_state_size){20, 2, 300}, 21);
    assert_int_equal(tw_state_add_body(&a.state, NULL), TW_STATUS_OK);
    a.schedule.valid = 0;
    a.state.bodies.id[20] = 20;
    a.state.bodies.shape[20] = 1;
    write_out(&a);
    read_back(&b, &contacts, &listed);
    assert_int_equal(listed, 0);
    const tw_pairs *pairs = &a.schedule.pairs;
    size_t at = 0, walls = 0;
    for (size_t k = 0; k < pairs->count; k++) {
        if (!tw_pairs_touch(pairs, k)) continue;
        walls += (size_t)tw_pair_is_wall(&pairs->pair[k]);
        assert_memory_equal(&contacts.pair[at++], &pairs->pair[k], sizeof *pairs->pair);
    }
    assert_true(walls > 0);
    tw_contact_list_free(&contacts);
    random_state_free(&a);
    random_state_free(&b);
}

/* ---- Files ---- */

static char *contents(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void equal_states_give_equal_files(void **state)
{
    (void)state;
    random_state a, b;
    tw_contact_list contacts;
    size_t size, again;
    random_state_make(&a, (random_state_size){50, 2, 300}, 31);
    write_out(&a);
    char *first = contents(path, &size);
    read_back(&b, &contacts, &b.schedule.valid);
    /* b has only the touching pairs: a file holds no others */
    assert_int_equal(tw_schedule_reserve_pairs(&b.schedule, 50, contacts.count, NULL),
                     TW_STATUS_OK);
    assert_int_equal(tw_state_reserve_contacts(&b.state, 600, NULL), TW_STATUS_OK);
    assert_int_equal(tw_state_need_extras(&b.state, contacts.parts, NULL), TW_STATUS_OK);
    for (size_t k = 0; k < contacts.count; k++) {
        const int plane = tw_pair_is_wall(&contacts.pair[k]); /* slots of walls are not kept */
        const uint32_t slot = plane ? 300 + (uint32_t)k : contacts.slot[k];
        b.schedule.pairs.pair[k] = contacts.pair[k];
        b.schedule.pairs.slot[k] = slot;
        tw_bundle_put(b.state.contacts.bundle, slot, &contacts.memory[k]);
        const tw_contact_parts extra = tw_contact_list_get(&contacts, k);
        tw_extras_put(&b.state.contacts.extras, slot, &extra);
        b.state.contacts.sliding[slot] = contacts.sliding[k];
    }
    b.schedule.pairs.count = contacts.count;
    b.schedule.spheres.count = a.schedule.spheres.count;
    sleep(1); /* the file contains no timestamps */
    write_out(&b);
    char *second = contents(path, &again);
    assert_int_equal(size, again);
    assert_memory_equal(first, second, size);
    free(first);
    free(second);
    tw_contact_list_free(&contacts);
    random_state_free(&a);
    random_state_free(&b);
}

static size_t files_in_folder(void)
{
    size_t count = 0;
    DIR *all = opendir(folder);
    assert_non_null(all);
    for (struct dirent *entry; (entry = readdir(all));)
        count += entry->d_name[0] != '.';
    closedir(all);
    return count;
}

/* Simulates a full disk by a limit on the file size, at every stage of writing. */
static void a_failed_write_leaves_the_old_file_and_no_temporary(void **state)
{
    (void)state;
    random_state a, b;
    tw_error error;
    size_t size, again;
    random_state_make(&a, (random_state_size){40, 1, 200}, 41);
    random_state_make(&b, (random_state_size){200, 2, 900}, 42);
    write_out(&b);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    const rlim_t whole = (rlim_t)about.st_size;
    write_out(&a);
    char *first = contents(path, &size);
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const rlim_t before = limit.rlim_cur;
    signal(SIGXFSZ, SIG_IGN);
    for (int stage = 0; stage < 20; stage++) {
        limit.rlim_cur = (rlim_t)stage * (whole - 1) / 19;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        assert_int_equal(random_state_save(&b, &no_servo, "", path, &error), TW_STATUS_FILE);
        assert_non_null(strstr(error.text, path));
        assert_int_equal(files_in_folder(), 1);
        char *second = contents(path, &again);
        assert_int_equal(size, again);
        assert_memory_equal(first, second, size);
        free(second);
    }
    limit.rlim_cur = before;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    write_out(&b); /* a later write succeeds after failed ones */
    assert_int_equal(files_in_folder(), 1);
    free(first);
    random_state_free(&a);
    random_state_free(&b);
}

static void only_regular_files_are_replaced(void **state)
{
    (void)state;
    random_state sample;
    tw_error error;
    char inside[128];
    random_state_make(&sample, (random_state_size){2, 0, 4}, 51);
    assert_int_equal(random_state_save(&sample, &no_servo, "", folder, &error), TW_STATUS_FILE);
    assert_non_null(strstr(error.text, "Is a directory"));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(random_state_save(&sample, &no_servo, "", path, &error), TW_STATUS_FILE);
    assert_non_null(strstr(error.text, "not a regular file"));
    assert_int_equal(files_in_folder(), 1);
    snprintf(inside, sizeof inside, "%s/no/such.h5", folder);
    assert_int_equal(random_state_save(&sample, &no_servo, "", inside, &error), TW_STATUS_FILE);
    assert_non_null(strstr(error.text, inside));
    assert_non_null(strstr(error.text, "No such file"));
    assert_int_equal(random_state_save(&sample, &no_servo, "", inside, NULL), TW_STATUS_FILE);
    random_state_free(&sample);
}

int main(void)
{
#define HERE(test)                                                                                 \
    cmocka_unit_test_setup_teardown(test, random_state_folder_make, random_state_folder_remove)
    const struct CMUnitTest tests[] = {
        HERE(model_and_state_are_restored_bitwise),
        HERE(a_servo_is_restored_bitwise),
        HERE(states_without_bodies_walls_or_contacts_are_restored),
        HERE(contacts_with_walls_survive_bodies_added_since_the_search),
        HERE(equal_states_give_equal_files),
        HERE(a_failed_write_leaves_the_old_file_and_no_temporary),
        HERE(only_regular_files_are_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
