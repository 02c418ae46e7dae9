/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that differs in any byte from what was written is refused with a message that names it. So
 * is a file with a valid checksum and wrong content. Nothing crashes or leaks (under sanitizers).
 */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "random_state.h"
#include "sim/checkpoint.h"
#include "sim/checkpoint_items.h"

static char *const path = random_state_file;
static unsigned char *whole; /* the bytes of the good file */
static size_t whole_size;
static tw_servo written, found; /* the servo in the file; the servo from the last read */

static void write_bytes(const unsigned char *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static int make_file(void **state)
{
    random_state_folder_make(state);
    random_state sample;
    random_state_make(&sample, (random_state_size){12, 2, 30}, 7);
    random_state_servo(&written, 7);
    assert_int_equal(random_state_save(&sample, &written, "a label", path, NULL), TW_STATUS_OK);
    random_state_free(&sample);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    whole_size = (size_t)about.st_size;
    whole = malloc(whole_size);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(whole, 1, whole_size, file), whole_size);
    fclose(file);
    return 0;
}

static int remove_file(void **state)
{
    free(whole);
    return random_state_folder_remove(state);
}

static tw_status read_it(tw_error *error)
{
    random_state sample;
    tw_checkpoint_data data = {.model = &sample.model, .state = &sample.state, .servo = &found};
    char label[TW_SIM_LABEL_MAX + 1];
    random_state_init(&sample);
    memset(&found, 0, sizeof found);
    const tw_status status = tw_checkpoint_read(&data, label, path, error);
    if (status != TW_STATUS_OK) {
        assert_null(data.contacts.pair);
        assert_int_equal(data.contacts.count, 0);
        assert_non_null(strstr(error->text, path));
        assert_true(strlen(error->text) > strlen(path) + 10);
    }
    tw_checkpoint_data_free(&data);
    random_state_free(&sample);
    return status;
}

/* Checks that the reader refuses the file and that the message contains these words. */
static void refused(tw_status status, const char *words)
{
    tw_error error;
    const tw_status got = read_it(&error);
    if (got != status || !strstr(error.text, words))
        fail_msg("expected status %d and \"%s\", got %d and \"%s\"", (int)status, words, (int)got,
                 error.text);
}

/* ---- Bytes ---- */

static void every_flipped_bit_is_detected(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(3);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    setbuf(file, NULL);
    for (int k = 0; k < 1500; k++) {
        /* first every byte of the checksum */
        const size_t at = k < 512 ? (size_t)k : (size_t)(tw_random_next(&random) % whole_size);
        const int good = whole[at], bad = good ^ (1 << (tw_random_next(&random) % 8));
        tw_error error;
        fseek(file, (long)at, SEEK_SET);
        fputc(bad, file);
        const tw_status status = read_it(&error);
        if (status != TW_STATUS_FILE && status != TW_STATUS_VERSION)
            fail_msg("byte %zu changed from %d to %d: status %d", at, good, bad, (int)status);
        fseek(file, (long)at, SEEK_SET);
        fputc(good, file);
    }
    fclose(file);
    tw_error error;
    assert_int_equal(read_it(&error), TW_STATUS_OK);
}

static void scrambled_blocks_are_detected(void **state)
{
    (void)state;
    uint64_t seed = 4;
    unsigned char *bytes = malloc(whole_size);
    for (int k = 0; k < 200; k++) {
        const size_t at = (size_t)(tw_random_splitmix(&seed) % whole_size);
        size_t count = (size_t)(1 + tw_random_splitmix(&seed) % 5000);
        if (count > whole_size - at) count = whole_size - at;
        memcpy(bytes, whole, whole_size);
        if (k % 2)
            memset(bytes + at, 0, count);
        else
            random_state_bytes(bytes + at, count, &seed);
        write_bytes(bytes, whole_size);
        tw_error error;
        const tw_status status = read_it(&error);
        assert_true(status != TW_STATUS_OK || memcmp(bytes, whole, whole_size) == 0);
    }
    free(bytes);
}

static void a_truncated_file_of_any_length_is_refused(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(5);
    for (int k = 0; k < 700; k++) {
        const size_t size = k < 520 ? (size_t)k : (size_t)(tw_random_next(&random) % whole_size);
        write_bytes(whole, size);
        refused(TW_STATUS_FILE, size >= 512 ? "truncated" : "");
    }
}

static void a_file_with_trailing_bytes_is_refused(void **state)
{
    (void)state;
    unsigned char *longer = calloc(1, whole_size + 100);
    memcpy(longer, whole, whole_size);
    write_bytes(longer, whole_size + 1);
    refused(TW_STATUS_FILE, "damaged");
    write_bytes(longer, whole_size + 100);
    refused(TW_STATUS_FILE, "damaged");
    free(longer);
}

/* ---- Other files ---- */

static void make_foreign_hdf5(void)
{
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    H5Fclose(file);
}

static void the_message_for_other_files_says_what_they_are(void **state)
{
    (void)state;
    make_foreign_hdf5();
    refused(TW_STATUS_FILE, "an HDF5 file, but not a checkpoint of twirl");
    write_bytes((const unsigned char *)"x,y,z\n1,2,3\n", 12);
    refused(TW_STATUS_FILE, "not a checkpoint of twirl");
    write_bytes((const unsigned char *)"", 0);
    refused(TW_STATUS_FILE, "not a checkpoint of twirl");
    assert_int_equal(remove(path), 0);
    refused(TW_STATUS_FILE, "No such file");
    assert_int_equal(mkfifo(path, 0600), 0);
    refused(TW_STATUS_FILE, "not a regular file");
}

static void the_error_printing_of_the_caller_is_unchanged(void **state)
{
    (void)state;
    H5E_auto2_t before, after;
    void *data;
    assert_true(H5Eget_auto2(H5E_DEFAULT, &before, &data) >= 0);
    assert_non_null(before); /* by default HDF5 prints errors */
    tw_error error;
    assert_int_equal(read_it(&error), TW_STATUS_OK);
    assert_true(H5Eget_auto2(H5E_DEFAULT, &after, &data) >= 0);
    assert_true(before == after);
}

/* ---- Valid checksum, wrong content ---- */

static hid_t open_whole(void)
{
    write_bytes(whole, whole_size);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static void close_and_seal(hid_t file)
{
    assert_true(H5Fclose(file) >= 0);
    random_state_seal();
}

/* Replaces a dataset by another one, to which nothing is written. */
static void exchange(const char *name, hid_t type, int rank, const hsize_t *extents)
{
    const hid_t file = open_whole();
    assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    const hid_t space = H5Screate_simple(rank, extents, NULL);
    const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dclose(set);
    H5Sclose(space);
    close_and_seal(file);
}

/* Type and extents of the replacement. */
static int extents_of(const char *name, hsize_t extents[3], hid_t *type)
{
    const hid_t file = open_whole(), set = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t space = H5Dget_space(set);
    const int rank = H5Sget_simple_extent_dims(space, extents, NULL);
    *type = H5Dget_type(set);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
    return rank;
}

static void check_dataset(const char *name, bool may_be_missing)
{
    char words[128];
    hsize_t extents[3] = {0};
    hid_t type;
    const hid_t file = open_whole();
    assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    close_and_seal(file);
    snprintf(words, sizeof words, "%s is missing", name);
    tw_error error;
    if (!may_be_missing)
        refused(TW_STATUS_FILE, words);
    else if (read_it(&error) != TW_STATUS_OK && !strstr(error.text, "control: fluid") &&
             !strstr(error.text, "bodies/id has"))
        fail_msg("without %s: %s", name, error.text);
    const int rank = extents_of(name, extents, &type);
    exchange(name, H5T_IEEE_F32LE, rank, extents);
    snprintf(words, sizeof words, "%s does not have the type", name);
    refused(TW_STATUS_FILE, words);
    /* The number of rows comes from one dataset of each group; if that is wrong, the message names
     * another one. */
    extents[rank ? rank - 1 : 0] += 1;
    exchange(name, type, rank ? rank : 1, extents);
    refused(TW_STATUS_FILE, ", expected");
    extents[0] = (hsize_t)1 << 40;
    exchange(name, type, rank ? rank : 1, extents);
    refused(TW_STATUS_FILE, name);
    H5Tclose(type);
}

static void every_dataset_is_required_with_its_type_and_size(void **state)
{
    (void)state;
    random_state sample;
    random_state_init(&sample);
    tw_checkpoint_data data = {.model = &sample.model, .state = &sample.state, .servo = &found};
    tw_checkpoint_list list;
    tw_checkpoint_list_make(&list, &data);
    assert_true(list.count > 60);
    for (size_t k = 0; k < list.count; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s/%s", list.item[k].group, list.item[k].name);
        check_dataset(name, list.item[k].missing != NULL);
    }
    random_state_free(&sample);
}

/* What a later version would write is not dropped without a word. */
static void unknown_items_are_refused_by_name(void **state)
{
    (void)state;
    static const char *const names[] = {"bodies/charge", "contacts/shape", "bonds"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char words[64];
        const hid_t file = open_whole(), space = H5Screate(H5S_SCALAR);
        H5Dclose(H5Dcreate2(file, names[k], H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT,
                            H5P_DEFAULT));
        H5Sclose(space);
        close_and_seal(file);
        snprintf(words, sizeof words, ": %s is unknown to this version", names[k]);
        refused(TW_STATUS_VERSION, words);
    }
}

/* Overwrites the first number of a dataset. */
static void poke(const char *name, hid_t type, const void *number)
{
    const hid_t file = open_whole(), set = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t space = H5Dget_space(set), one = H5Screate(H5S_SCALAR);
    const hsize_t start[3] = {0, 0, 0}, count[3] = {1, 1, 1};
    if (H5Sget_simple_extent_ndims(space) > 0)
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    assert_true(H5Dwrite(set, type, one, space, H5P_DEFAULT, number) >= 0);
    H5Sclose(one);
    H5Sclose(space);
    H5Dclose(set);
    close_and_seal(file);
}

static void indices_out_of_range_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t value;
        const char *words;
    } wrong[] = {
        {"bodies/shape", 3, "bodies/shape has 3 in row 0, it must be below 3"},
        {"bodies/shape", 4294967295, "bodies/shape"},
        {"bodies/id", 36, "bodies/id has 36 in row 0, it must be below 36"},
        {"bodies/id", 3, "bodies/id has 3 twice"},
        {"shapes/count", 0, "shapes/count"},
        {"shapes/count", 1000, "shapes/count"},
        {"shapes/count", -1, "shapes/count"},
        {"shapes/count", 4, "shapes/spheres"},
        {"contacts/p", 1000000, "contacts/p"},
        {"contacts/q", 1000000, "contacts/q"},
        {"contacts/surface", 2, "contacts/"}, /* its q is no wall, or one of another form */
        {"contacts/surface", 255, "contacts/surface"},
        {"cell/periodic", 2, "cell/periodic"},
        {"bodies/material", 3, "bodies/material has 3 in row 0, it must be below 3"},
        {"walls/material", 3, "walls/material has 3 in row 0, it must be below 3"},
        {"walls/motion_parts", 3, "walls/motion_parts has 3 in row 0, it must be below 3"},
        {"walls/motion_first", 4294967295, "walls/motion_parts has 4294967297 in row 0"},
        {"motions/kind", 6, "motions/kind has 6 in row 0, it must be below 6"},
        {"motions/kind", 4, "motions/rows has 0 in row 0"},
        {"motions/rows", 4, "motions/rows has 4 in row 0"},
        {"motions/rows", 4294967295, "motions/rows"},
        {"motions/first", 4294967295, "motions/rows"},
        {"motions/cubic", 2, "motions/cubic"},
        {"laws/kind", 77, "laws: row 0: kind"},
        {"laws/kind", 2, "laws: row 1 does not fit the others"},
        {"laws/kn", -1, "laws: row 0: kn"},
        {"control/on", 2, "control/on"},
        {"control/met", 7, "control/met"},
        {"control/simple_shear", 2, "control/simple_shear"},
        {"control/predicted", 2, "control/predicted"},
        {"control/stiffness_made", 2, "control/stiffness_made"},
        {"control/mode", 2, "control: row 0: mode"},
        {"control/tolerance", 0, "control: tolerance"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        if (wrong[k].value == -1 && strcmp(wrong[k].name, "laws/kn") != 0)
            poke(wrong[k].name, H5T_NATIVE_UINT64, &(uint64_t){UINT64_MAX});
        else
            poke(wrong[k].name, H5T_NATIVE_INT64, &wrong[k].value);
        refused(TW_STATUS_FILE, wrong[k].words);
    }
}

/* ---- Data that are not in the file, or not covered by its hash ---- */

static void make_link(hid_t file, const char *name, bool external)
{
    assert_true(H5Lmove(file, name, file, "elsewhere", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    if (external)
        assert_true(H5Lcreate_external("other.h5", "/elsewhere", file, name, H5P_DEFAULT,
                                       H5P_DEFAULT) >= 0);
    else
        assert_true(H5Lcreate_soft("/elsewhere", file, name, H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

static void links_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"bodies", "bodies/x", "contacts/ft", "cell/h"};
    for (size_t k = 0; k < 2 * sizeof names / sizeof *names; k++) {
        const char *name = names[k / 2];
        char words[64];
        snprintf(words, sizeof words, "%s is a link", name);
        const hid_t file = open_whole();
        make_link(file, name, k % 2);
        close_and_seal(file);
        refused(TW_STATUS_FILE, words);
    }
}

/* The three layouts that may take their data from other files, and chunks, which may be
 * compressed. */
static hid_t layout_of(int kind, hid_t space)
{
    const hid_t made = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk[2] = {4, 3};
    if (kind == 0) assert_true(H5Pset_external(made, "/dev/zero", 0, H5F_UNLIMITED) >= 0);
    if (kind == 1) assert_true(H5Pset_virtual(made, space, "other.h5", "/x", space) >= 0);
    if (kind == 2) assert_true(H5Pset_chunk(made, 2, chunk) >= 0);
    if (kind == 3) assert_true(H5Pset_layout(made, H5D_COMPACT) >= 0);
    return made;
}

static void layouts_other_than_one_block_are_refused(void **state)
{
    (void)state;
    const hsize_t extents[2] = {12, 3}; /* of the 12 bodies */
    for (int kind = 0; kind < 4; kind++) {
        const hid_t file = open_whole();
        assert_true(H5Ldelete(file, "bodies/x", H5P_DEFAULT) >= 0);
        const hid_t space = H5Screate_simple(2, extents, NULL), layout = layout_of(kind, space);
        const hid_t set =
            H5Dcreate2(file, "bodies/x", H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
        assert_true(set >= 0);
        H5Dclose(set);
        H5Pclose(layout);
        H5Sclose(space);
        close_and_seal(file);
        refused(TW_STATUS_FILE, "bodies/x is not stored as one block of the file");
    }
}

static void another_hdf5_file_with_a_valid_checksum_is_refused(void **state)
{
    (void)state;
    const hid_t file = open_whole();
    assert_true(H5Adelete(file, "format") >= 0);
    close_and_seal(file);
    refused(TW_STATUS_FILE, "format");
    write_bytes(whole, 5000);
    random_state_seal();
    refused(TW_STATUS_FILE, "");
}

/* ---- Files of other versions ---- */

static void write_version(int version)
{
    unsigned char bytes[512] = {0};
    const int length = snprintf((char *)bytes, sizeof bytes, "twirl checkpoint %d\n", version);
    assert_true(length > 0);
    write_bytes(bytes, sizeof bytes);
}

static void the_message_for_files_of_other_versions_says_what_to_do(void **state)
{
    (void)state;
    write_version(3);
    refused(TW_STATUS_VERSION,
            "an earlier version of twirl: format 3, this one reads formats 7 to 8. Run "
            "the scenario again");
    write_version(9);
    refused(TW_STATUS_VERSION, "a later version of twirl: format 9");
}

int main(void)
{
#define HERE(test) cmocka_unit_test_setup_teardown(test, make_file, remove_file)
    const struct CMUnitTest tests[] = {
        HERE(every_flipped_bit_is_detected),
        HERE(scrambled_blocks_are_detected),
        HERE(a_truncated_file_of_any_length_is_refused),
        HERE(a_file_with_trailing_bytes_is_refused),
        HERE(the_message_for_other_files_says_what_they_are),
        HERE(the_error_printing_of_the_caller_is_unchanged),
        HERE(every_dataset_is_required_with_its_type_and_size),
        HERE(unknown_items_are_refused_by_name),
        HERE(indices_out_of_range_are_refused),
        HERE(links_are_refused),
        HERE(layouts_other_than_one_block_are_refused),
        HERE(another_hdf5_file_with_a_valid_checksum_is_refused),
        HERE(the_message_for_files_of_other_versions_says_what_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
