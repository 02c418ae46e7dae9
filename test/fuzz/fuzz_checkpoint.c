/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints. The first byte selects the kind of input:
 *   0  the file itself
 *   1  changes to values in a valid file, which then gets a new seal: tests the checks of values
 *   2  the same without a new seal: must be refused unless nothing has changed
 *
 * A change has 12 bytes: dataset, position (2), how, value (8). The structure of HDF5 is never
 * broken behind a valid seal: the HDF5 library does not withstand that, hence the seal. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <fcntl.h>
#include <hdf5.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <twirl/sim.h>

#include "../must.h"
#include "sim/checkpoint.h"

enum { SETS_MAX = 128, CHANGE = 12 };

typedef struct extent {
    size_t at, size;
} extent;

/* HDF5 needs a file with a name; in memory where possible, because saving syncs the disk. */
static char folder[64], path[80];

static unsigned char *good, *bytes; /* the valid file, and its changed copy */
static size_t good_size;
static extent sets[SETS_MAX];
static size_t set_count;

static void seal_file(void)
{
    tw_error error;
    const int file = open(path, O_RDWR);
    if (file < 0 || tw_checkpoint_seal_write(file, path, &error) != TW_STATUS_OK) fuzz_fail(path);
    close(file);
}

/* ---- A valid file ---- */

static tw_sim *make_sim(void)
{
    tw_error error;
    tw_sim_def def = tw_sim_def_default();
    def.cell.m[0] = def.cell.m[4] = def.cell.m[8] = 4.0;
    def.periodic[2] = 0;
    def.law.kn = def.law.kt = 1e6;
    def.law.mu = 0.5;
    def.threads = 1;
    tw_sim *sim = tw_sim_create(&def, &error);
    const tw_wall_def wall = tw_wall_def_default();
    if (!sim) fuzz_fail(error.text);
    must_add_shape_bumpy(sim, 6, 0.6, 0.8, 0.64);
    must_add_wall(sim, &wall);
    for (int i = 0; i < 8; i++) {
        tw_body_def body = tw_body_def_default();
        body.shape = (uint32_t)i % 2;
        body.size = 0.6;
        body.x =
            tw_vec3_make(1.0 + 1.33 * (i & 1), 1.0 + 1.33 * (i >> 1 & 1), 0.73 + 1.33 * (i >> 2));
        if (tw_sim_add_body(sim, &body, NULL, &error) != TW_STATUS_OK) fuzz_fail(error.text);
    }
    if (tw_sim_run(sim, 3, &error) != TW_STATUS_OK) fuzz_fail(error.text);
    if (must_contacts(sim) == 0) fuzz_fail("no contacts");
    return sim;
}

static herr_t list_set(hid_t file, const char *name, const H5O_info_t *info, void *context)
{
    (void)context;
    if (info->type != H5O_TYPE_DATASET || set_count == SETS_MAX) return 0;
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    const haddr_t at = H5Dget_offset(set);
    const hsize_t size = H5Dget_storage_size(set);
    if (at != HADDR_UNDEF && size > 0) sets[set_count++] = (extent){(size_t)at, (size_t)size};
    H5Dclose(set);
    return 0;
}

/* Checks that offsets count from the beginning of the file, with values that are known. */
static void check_offsets(hid_t file)
{
    const hid_t set = H5Dopen2(file, "bodies/x", H5P_DEFAULT);
    double x[3 * 8];
    if (H5Dget_storage_size(set) != sizeof x ||
        H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) < 0 ||
        memcmp(good + H5Dget_offset(set), x, sizeof x) != 0)
        fuzz_fail("bodies/x is not at its offset");
    H5Dclose(set);
}

static void clean_up(void)
{
    unlink(path);
    rmdir(folder);
    free(good);
    free(bytes);
}

static void read_good(void)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) fuzz_fail(path);
    good_size = (size_t)ftell(file);
    rewind(file);
    good = malloc(good_size);
    bytes = malloc(good_size);
    if (!good || !bytes || fread(good, 1, good_size, file) != good_size) fuzz_fail(path);
    fclose(file);
}

static void write_file(const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) fuzz_fail(path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    tw_error error;
    snprintf(folder, sizeof folder, "%s/twirl_fuzz_XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(folder)) fuzz_fail("cannot create a folder");
    snprintf(path, sizeof path, "%s/state.h5", folder);
    atexit(clean_up);
    tw_sim *sim = make_sim();
    const uint64_t hash = tw_sim_hash(sim);
    if (tw_sim_save(sim, path, &error) != TW_STATUS_OK) fuzz_fail(error.text);
    tw_sim_free(sim);
    read_good();
    const hid_t h5 = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (h5 < 0) fuzz_fail(path);
    check_offsets(h5);
    H5Ovisit2(h5, H5_INDEX_NAME, H5_ITER_NATIVE, list_set, NULL, H5O_INFO_BASIC);
    H5Fclose(h5);
    /* an unchanged file must be accepted, or nothing would be tested */
    write_file(good, good_size);
    seal_file();
    sim = tw_sim_load(path, &error);
    if (!sim || tw_sim_hash(sim) != hash) fuzz_fail(sim ? "not the same state" : error.text);
    tw_sim_free(sim);
    return set_count > 20 ? 0 : -1;
}

/* ---- Changes ---- */

static void change(const uint8_t *record)
{
    static const double odd[] = {0.0,    -0.0, 1.0,  -1.0,  1e-300, 1e300,
                                 -1e300, 0.5,  1e18, 1e-18, 4e9,    HUGE_VAL};
    const extent *set = &sets[record[0] % set_count];
    double value = odd[record[4] % (sizeof odd / sizeof *odd)];
    if (record[4] % 16 == 15) value = nan("");
    size_t count = (size_t[]){8, 4, 1, 8}[record[3] % 4];
    const size_t place = (record[1] | (size_t)record[2] << 8) * (count == 1 ? 1 : 4) % set->size;
    if (count > set->size - place) count = set->size - place;
    memcpy(bytes + set->at + place, record[3] % 4 == 3 ? (const void *)&value : record + 4, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return -1;
    const int how = data[0] % 3;
    tw_error error = {TW_STATUS_OK, ""};
    if (how == 0) {
        write_file(data + 1, size - 1);
    } else {
        memcpy(bytes, good, good_size);
        for (size_t at = 1; at + CHANGE <= size; at += CHANGE)
            change(data + at);
        write_file(bytes, good_size);
        if (how == 1) seal_file();
    }
    tw_sim *sim = tw_sim_load(path, &error);
    if ((sim == NULL) != (error.text[0] != '\0')) fuzz_fail("a state with an error, or neither");
    if (sim && how == 2 && memcmp(bytes, good, good_size) != 0)
        fuzz_fail("damage was not detected");
    if (sim) (void)tw_sim_hash(sim);
    tw_sim_free(sim);
    return 0;
}
