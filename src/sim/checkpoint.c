/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* ftruncate, sync_file_range */
#include "sim/checkpoint.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <twirl/types.h>
#include <twirl/version.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "sim/checkpoint_items.h"

/* HDF5 reads and writes a checkpoint through these functions, and not by calls of its own, because
 * it does not survive a write that fails: the file cannot be closed, and the process crashes when
 * it ends. Here such a write is remembered and HDF5 hears nothing of it; the caller looks at
 * `number`. Short and interrupted reads and writes are completed.
 *
 * Rejected: a file image in memory (the core driver of HDF5). A state of many grains would need as
 * much memory again as its file is long, at the moment when memory is needed most. */

typedef struct file_driver {
    H5FD_t base;      /* for HDF5; must be first */
    int descriptor;   /* the caller's: open for reading, and for writing if HDF5 is to write */
    int number;       /* errno of the first read or write that failed, or 0 */
    haddr_t eoa;      /* the length that HDF5 wants */
    haddr_t eof;      /* the length of the file */
    hid_t registered; /* as a driver of HDF5 */
} file_driver;

static void keep_reason(file_driver *driver)
{
    if (driver->number == 0) driver->number = errno ? errno : EIO;
}

/* HDF5 gives back what it was given: the address of the driver in a list of properties. */
static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t most)
{
    (void)name, (void)flags, (void)most;
    file_driver *const *driver = H5Pget_driver_info(access);
    return driver ? &(*driver)->base : NULL;
}

static herr_t driver_close(H5FD_t *file)
{
    (void)file; /* the descriptor is the caller's */
    return 0;
}

/* What HDF5's own driver for files has: files get the same bytes. */
static herr_t driver_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const file_driver *)file)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t at)
{
    (void)type;
    ((file_driver *)file)->eoa = at;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const file_driver *)file)->eof;
}

/* Beyond the end of the file there are zeros. */
static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t count,
                          void *bytes)
{
    (void)type, (void)transfer;
    file_driver *driver = (file_driver *)file;
    const size_t got = tw_read_file_at(driver->descriptor, bytes, count, at);
    memset((char *)bytes + got, 0, count - got);
    if (got == count || errno == 0) return 0;
    keep_reason(driver);
    return -1;
}

/* The system begins to write to the disk while other data are prepared, and the sync at the end has
 * little left to wait for. Whether it does is of no importance. */
static void begin_sync(int descriptor, haddr_t at, size_t count)
{
    enum { WORTH = 1 << 20 };
#if defined(SYNC_FILE_RANGE_WRITE)
    if (count >= WORTH)
        (void)sync_file_range(descriptor, (off_t)at, (off_t)count, SYNC_FILE_RANGE_WRITE);
#else
    (void)descriptor, (void)at, (void)count;
#endif
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t count,
                           const void *bytes)
{
    (void)type, (void)transfer;
    file_driver *driver = (file_driver *)file;
    if (driver->number == 0 && tw_write_all_at(driver->descriptor, bytes, count, at) < count)
        keep_reason(driver);
    begin_sync(driver->descriptor, at, count);
    if (driver->eof < at + count) driver->eof = at + count;
    return 0;
}

static const H5FD_class_t driver_class = {
#if defined(H5FD_CLASS_VERSION) /* HDF5 1.14 and later */
    .version = H5FD_CLASS_VERSION,
    .value = 0x7477, /* any from 256 to 65535 */
#endif
    .name = "twirl_checkpoint",
    .maxaddr = (haddr_t)1 << 62, /* below the largest off_t */
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(file_driver *),
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .read = driver_read,
    .write = driver_write,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

/* `bytes` is the length of the file. */
static void driver_start(file_driver *driver, int descriptor, uint64_t bytes)
{
    memset(driver, 0, sizeof *driver);
    driver->descriptor = descriptor;
    driver->eof = bytes;
    driver->registered = H5FDregister(&driver_class);
}

/* A list of properties to open a file with, for the caller to close; negative on failure. One file
 * only, and `driver` stays where it is. */
static hid_t driver_access(file_driver *driver)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access < 0 || H5Pset_driver(access, driver->registered, &driver) >= 0) return access;
    H5Pclose(access);
    return H5I_INVALID_HID;
}

/* After HDF5 has closed a file that it has written: gives it its length. */
static void driver_complete(file_driver *driver)
{
    while (driver->number == 0 && ftruncate(driver->descriptor, (off_t)driver->eoa) != 0)
        if (errno != EINTR) keep_reason(driver);
}

static void driver_end(file_driver *driver)
{
    if (driver->registered >= 0) H5FDunregister(driver->registered);
    driver->registered = H5I_INVALID_HID;
}

/* Items to and from an HDF5 file. No call prints; HDF5's own error printing is off as long as a
 * file is open here. */

typedef struct checkpoint_file {
    file_driver driver;
    bool written; /* it is being written, not read */
    hid_t file,
        plain; /* plain: how objects are made, without times, so that files are comparable */
    tw_error_path name;
    H5E_auto2_t printing; /* the caller's, to be restored */
    void *printing_data;
} checkpoint_file;

/* Calls with a number in their name (H5Dopen2) are the same in every HDF5 since 1.8. */

static const char file_format[] = "twirl checkpoint";

/* How numbers of a type are stored, and how they are in memory. */
typedef enum place { IN_FILE, IN_MEMORY } place;

static hid_t type_of(tw_checkpoint_type type, place where)
{
    const hid_t types[][2] = {[TW_CHECKPOINT_U8] = {H5T_STD_U8LE, H5T_NATIVE_UINT8},
                              [TW_CHECKPOINT_I8] = {H5T_STD_I8LE, H5T_NATIVE_INT8},
                              [TW_CHECKPOINT_U32] = {H5T_STD_U32LE, H5T_NATIVE_UINT32},
                              [TW_CHECKPOINT_I32] = {H5T_STD_I32LE, H5T_NATIVE_INT32},
                              [TW_CHECKPOINT_U64] = {H5T_STD_U64LE, H5T_NATIVE_UINT64},
                              [TW_CHECKPOINT_F64] = {H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE}};
    return types[type][where];
}

/* "can" is "be written" or "be read". */
static tw_status file_fail(const checkpoint_file *file, const char *group, const char *name,
                           const char *can, tw_error *error)
{
    const int number = file->driver.number;
    return tw_error_set(error, TW_STATUS_FILE, "%s: %s%s%s cannot %s%s%s", file->name.text, group,
                        *name ? "/" : "", name, can, number ? ": " : "",
                        number ? tw_error_reason_of(number).text : "");
}

/* ---- Opening and closing ---- */

/* HDF5 may have one thread in it, and prints errors or not for the whole process: one file is open
 * at a time. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void file_start(checkpoint_file *file, int descriptor, const char *path, uint64_t bytes)
{
    pthread_mutex_lock(&turn);
    memset(file, 0, sizeof *file);
    file->file = file->plain = H5I_INVALID_HID;
    file->name = tw_error_shorten_path(path);
    H5Eget_auto2(H5E_DEFAULT, &file->printing, &file->printing_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    driver_start(&file->driver, descriptor, bytes);
}

/* Also after a failed create or open; `error` may be NULL. What has been written is complete only
 * when this returns OK. The descriptor stays open. */
static tw_status file_close(checkpoint_file *file, tw_error *error)
{
    tw_status status = TW_STATUS_OK;
    if (file->plain >= 0) H5Pclose(file->plain);
    const bool closed = file->file < 0 || H5Fclose(file->file) >= 0;
    if (file->written && closed) driver_complete(&file->driver);
    if (!closed || file->driver.number != 0)
        status = file_fail(file, "the end of the file", "", "be written", error);
    driver_end(&file->driver);
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, file->printing, file->printing_data);
    file->file = file->plain = H5I_INVALID_HID;
    pthread_mutex_unlock(&turn);
    return status;
}

static bool attribute_write(hid_t object, const char *name, hid_t stored, hid_t type,
                            const void *value)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    ok = H5Aclose(attribute) >= 0 && ok;
    H5Sclose(space);
    return ok;
}

static bool attribute_write_text(hid_t object, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    const bool ok =
        H5Tset_size(type, strlen(text) + 1) >= 0 && attribute_write(object, name, type, type, text);
    H5Tclose(type);
    return ok;
}

static bool file_describe(hid_t file, const char *label)
{
    const int32_t version = TW_CHECKPOINT_VERSION;
    char program[64];
    snprintf(program, sizeof program, "twirl %s", tw_version());
    return file >= 0 && attribute_write_text(file, "format", file_format) &&
           attribute_write(file, "version", H5T_STD_I32LE, H5T_NATIVE_INT32, &version) &&
           attribute_write_text(file, "program", program) &&
           (!*label || attribute_write_text(file, "label", label));
}

/* Room for the seal, and the attributes that say what it is, in a file that is empty and open for
 * reading and writing. The path is for messages, the label is "" for none. */
static tw_status file_create(checkpoint_file *file, int descriptor, const char *path,
                             const char *label, tw_error *error)
{
    file_start(file, descriptor, path, 0);
    file->written = true;
    const hid_t access = driver_access(&file->driver);
    const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(creation, TW_CHECKPOINT_SEAL_BYTES);
    file->file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    H5Pclose(creation);
    H5Pclose(access);
    file->plain = H5Pcreate(H5P_DATASET_CREATE);
    if (!file_describe(file->file, label) || H5Pset_obj_track_times(file->plain, 0) < 0 ||
        H5Pset_fill_time(file->plain, H5D_FILL_TIME_NEVER) < 0 || file->driver.number != 0)
        return file_fail(file, "the file", "", "be created", error);
    return TW_STATUS_OK;
}

/* A text of fixed length that fits. */
static bool attribute_read_text(hid_t object, const char *name, char *text, size_t size)
{
    memset(text, 0, size);
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const bool ok = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
                    H5Sget_simple_extent_npoints(space) == 1 && H5Tget_size(type) <= size &&
                    H5Aread(attribute, type, text) >= 0 && text[size - 1] == '\0';
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return ok;
}

/* The label, or "" if the file has none. */
static tw_status file_read_label(const checkpoint_file *file, char *label, size_t size,
                                 tw_error *error)
{
    label[0] = '\0';
    if (H5Aexists(file->file, "label") == 0) return TW_STATUS_OK;
    if (attribute_read_text(file->file, "label", label, size)) return TW_STATUS_OK;
    label[0] = '\0';
    return tw_error_set(error, TW_STATUS_FILE,
                        "%s: the attribute \"label\" is not a text of at most %zu bytes",
                        file->name.text, size - 1);
}

/* A file whose seal has been checked; `bytes` is its length. */
static tw_status file_open(checkpoint_file *file, int descriptor, const char *path, uint64_t bytes,
                           tw_error *error)
{
    file_start(file, descriptor, path, bytes);
    const hid_t access = driver_access(&file->driver);
    file->file = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    if (file->file < 0) return file_fail(file, "the file", "", "be read by HDF5", error);
    char format[64];
    if (!attribute_read_text(file->file, "format", format, sizeof format) ||
        strcmp(format, file_format) != 0)
        return tw_error_set(error, TW_STATUS_FILE,
                            "%s: an HDF5 file, but not a checkpoint of twirl: the attribute "
                            "\"format\" is not \"%s\"",
                            file->name.text, file_format);
    return TW_STATUS_OK;
}

static hid_t set_open(const checkpoint_file *file, const char *group, const char *name)
{
    const hid_t parent = H5Gopen2(file->file, group, H5P_DEFAULT);
    const hid_t set = H5Dopen2(parent, name, H5P_DEFAULT);
    H5Gclose(parent);
    return set;
}

/* ---- Writing ---- */

/* The group, made if it is not there yet. */
static hid_t group_of(const checkpoint_file *file, const char *group)
{
    if (H5Lexists(file->file, group, H5P_DEFAULT) > 0)
        return H5Gopen2(file->file, group, H5P_DEFAULT);
    return H5Gcreate2(file->file, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

static bool set_write(hid_t set, const tw_checkpoint_item *item, const void *values)
{
    uint64_t extent[3];
    const int rank = tw_checkpoint_item_extents(item, extent);
    hsize_t first[3] = {item->first}, rows[3] = {item->rows, extent[1], extent[2]};
    if (item->rows == 0) return true;
    const bool part = item->rows < item->all;
    const hid_t there = part ? H5Dget_space(set) : H5S_ALL;
    const hid_t here = part ? H5Screate_simple(rank, rows, NULL) : H5S_ALL;
    bool ok = !part || H5Sselect_hyperslab(there, H5S_SELECT_SET, first, NULL, rows, NULL) >= 0;
    ok = ok &&
         H5Dwrite(set, type_of(item->form.type, IN_MEMORY), here, there, H5P_DEFAULT, values) >= 0;
    if (part) H5Sclose(there);
    if (part) H5Sclose(here);
    return ok;
}

/* The dataset, made if it is not there yet. */
static hid_t set_make(const checkpoint_file *file, const tw_checkpoint_item *item)
{
    uint64_t extent[3];
    const int rank = tw_checkpoint_item_extents(item, extent);
    const hsize_t extents[3] = {extent[0], extent[1], extent[2]};
    const hid_t space = H5Screate_simple(rank, extents, NULL); /* rank 0: a scalar */
    const hid_t group = group_of(file, item->group);
    hid_t set = H5Dcreate2(group, item->name, type_of(item->form.type, IN_FILE), space, H5P_DEFAULT,
                           file->plain, H5P_DEFAULT);
    if (set >= 0 && !attribute_write_text(set, "unit", item->unit)) {
        H5Dclose(set);
        set = H5I_INVALID_HID;
    }
    H5Gclose(group);
    H5Sclose(space);
    return set;
}

/* The rows at hand; with `make` they are the first. */
static tw_status file_write(checkpoint_file *file, const tw_checkpoint_item *item, bool make,
                            const void *values, tw_error *error)
{
    const hid_t set = make ? set_make(file, item) : set_open(file, item->group, item->name);
    bool ok = set >= 0 && set_write(set, item, values);
    ok = H5Dclose(set) >= 0 && ok;
    ok = ok && file->driver.number == 0;
    return ok ? TW_STATUS_OK : file_fail(file, item->group, item->name, "be written", error);
}

/* ---- Reading ---- */

static int set_rank(hid_t set, uint64_t extent[3])
{
    hsize_t found[3] = {0};
    const hid_t space = H5Dget_space(set);
    int rank = H5Sget_simple_extent_ndims(space);
    if (rank > 3 || H5Sget_simple_extent_type(space) == H5S_NULL) rank = -1;
    if (rank >= 0) rank = H5Sget_simple_extent_dims(space, found, NULL);
    H5Sclose(space);
    for (int k = 0; k < 3; k++)
        extent[k] = found[k];
    return rank;
}

static int set_type(hid_t set)
{
    const hid_t found = H5Dget_type(set);
    int type = TW_CHECKPOINT_F64;
    while (type >= 0 && H5Tequal(found, type_of((tw_checkpoint_type)type, IN_FILE)) <= 0)
        type--;
    H5Tclose(found);
    return type;
}

static bool is_link(hid_t parent, const char *name)
{
    H5L_info_t about;
    return H5Lget_info(parent, name, &about, H5P_DEFAULT) >= 0 && about.type != H5L_TYPE_HARD;
}

/* Looked at before anything is opened: that would follow a link. */
static tw_checkpoint_place place_by_links(hid_t file, const char *group, const char *name)
{
    if (is_link(file, group)) return TW_CHECKPOINT_PLACE_GROUP_LINKED;
    const hid_t parent = H5Gopen2(file, group, H5P_DEFAULT);
    const bool linked = is_link(parent, name);
    H5Gclose(parent);
    return linked ? TW_CHECKPOINT_PLACE_LINKED : TW_CHECKPOINT_PLACE_HERE;
}

static tw_checkpoint_place place_by_layout(hid_t set)
{
    const hid_t made = H5Dget_create_plist(set);
    const bool here = H5Pget_layout(made) == H5D_CONTIGUOUS && H5Pget_external_count(made) == 0;
    H5Pclose(made);
    return here ? TW_CHECKPOINT_PLACE_HERE : TW_CHECKPOINT_PLACE_SCATTERED;
}

static bool file_find(void *context, const char *group, const char *name, tw_checkpoint_set *found)
{
    const checkpoint_file *file = context;
    found->place = place_by_links(file->file, group, name);
    if (found->place != TW_CHECKPOINT_PLACE_HERE) return true;
    const hid_t set = set_open(file, group, name);
    if (set < 0) return false;
    found->place = place_by_layout(set);
    found->rank = set_rank(set, found->extent);
    found->type = set_type(set);
    H5Dclose(set);
    return true;
}

static bool file_entry(void *context, const char *group, size_t k, char name[TW_CHECKPOINT_NAME])
{
    const checkpoint_file *file = context;
    return H5Lget_name_by_idx(file->file, group, H5_INDEX_NAME, H5_ITER_INC, k, name,
                              TW_CHECKPOINT_NAME, H5P_DEFAULT) >= 0;
}

static tw_status file_load(void *context, const tw_checkpoint_item *item, void *values,
                           tw_error *error)
{
    const checkpoint_file *file = context;
    const hid_t set = set_open(file, item->group, item->name);
    const bool ok = H5Dread(set, type_of(item->form.type, IN_MEMORY), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                            values) >= 0;
    const tw_status status =
        ok ? TW_STATUS_OK : file_fail(file, item->group, item->name, "be read", error);
    H5Dclose(set);
    return status;
}

bool tw_checkpoint_label_is_good(const char *label)
{
    return tw_text_is_plain(label) && strlen(label) <= TW_SIM_LABEL_MAX;
}

/* ---- Writing ---- */

struct tw_checkpoint_writer {
    tw_replace_file replaced;
    checkpoint_file file;
    size_t made; /* items of the list whose datasets are there, or left out */
    tw_checkpoint_hashes hashes;
};

tw_status tw_checkpoint_begin(tw_checkpoint_writer **writer, const char *label, const char *path,
                              tw_error *error)
{
    tw_error_clear(error);
    tw_checkpoint_writer *w = calloc(1, sizeof *w);
    *writer = w;
    if (!w) return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for a checkpoint");
    tw_status status = tw_replace_file_begin(&w->replaced, path, TW_REPLACE_FILE_REGULAR, error);
    if (status != TW_STATUS_OK) {
        free(w);
        return status;
    }
    status = file_create(&w->file, w->replaced.descriptor, path, label, error);
    return status == TW_STATUS_OK ? status : tw_checkpoint_end(w, status, error);
}

/* Also hashes them. */
static tw_status put_item(tw_checkpoint_writer *writer, const tw_checkpoint_item *item, size_t k,
                          bool make, tw_checkpoint_data *data, tw_error *error)
{
    void *values = tw_checkpoint_item_room(item, data, writer->file.name.text, error);
    if (!values) return TW_STATUS_MEMORY;
    tw_checkpoint_item_copy(item, values, false);
    tw_checkpoint_hashes_add(&writer->hashes, k, item, values);
    return file_write(&writer->file, item, make, values, error);
}

tw_status tw_checkpoint_put(tw_checkpoint_writer *writer, tw_checkpoint_data *data,
                            const char *group, tw_error *error)
{
    tw_checkpoint_list list;
    tw_checkpoint_list_make(&list, data);
    tw_status status = TW_STATUS_OK;
    bool reached = false;
    for (size_t k = 0; k < list.count && status == TW_STATUS_OK; k++) {
        const tw_checkpoint_item *item = &list.item[k];
        const bool is_of = group && strcmp(item->group, group) == 0, make = k >= writer->made;
        if (make && reached && !is_of) break;
        reached = reached || is_of;
        if (make) writer->made = k + 1;
        if (!tw_checkpoint_item_left_out(item, data) && (make || (is_of && item->column)))
            status = put_item(writer, item, k, make, data, error);
    }
    return status;
}

uint64_t tw_checkpoint_written_hash(const tw_checkpoint_writer *writer)
{
    return tw_checkpoint_hashes_value(&writer->hashes);
}

tw_status tw_checkpoint_end(tw_checkpoint_writer *writer, tw_status status, tw_error *error)
{
    const tw_status closed = file_close(&writer->file, status == TW_STATUS_OK ? error : NULL);
    if (status == TW_STATUS_OK) status = closed;
    if (status == TW_STATUS_OK)
        status =
            tw_checkpoint_seal_write(writer->replaced.descriptor, writer->replaced.path, error);
    if (status == TW_STATUS_OK)
        status = tw_replace_file_commit(&writer->replaced, error);
    else
        tw_replace_file_abort(&writer->replaced);
    free(writer);
    return status;
}

tw_status tw_checkpoint_write(tw_checkpoint_data *data, const char *label, const char *path,
                              tw_error *error)
{
    tw_checkpoint_writer *writer;
    const tw_status status = tw_checkpoint_begin(&writer, label, path, error);
    if (status != TW_STATUS_OK) return status;
    return tw_checkpoint_end(writer, tw_checkpoint_put(writer, data, NULL, error), error);
}

/* ---- Reading ---- */

/* Parts of contacts that were in use have rows. */
static tw_status find_parts(const tw_checkpoint_source *source, uint32_t *parts, tw_error *error)
{
    tw_status status = TW_STATUS_OK;
    size_t rows = 0;
    *parts = 0;
    const tw_contact_part *part;
    for (uint32_t k = 0; (part = tw_contact_part_at(k)) && status == TW_STATUS_OK; k++) {
        tw_checkpoint_set found;
        if (!source->find(source->context, "contacts", part->name, &found)) continue;
        status = tw_checkpoint_source_rows(source, "contacts", part->name,
                                           part->numbers * sizeof(double), &rows, error);
        if (rows > 0) *parts |= part->need;
    }
    return status;
}

static tw_status read_counts(const tw_checkpoint_source *source, tw_checkpoint_data *data,
                             tw_error *error)
{
    size_t materials = 0, shapes = 0, bodies = 0, walls = 0;
    const struct {
        const char *group, *name;
        size_t bytes, *rows;
    } count[] = {
        {"materials", "density", sizeof(double), &materials},
        {"shapes", "axes", sizeof(tw_mat3), &shapes},
        {"shapes", "spheres", sizeof(tw_sphere), &data->sphere_count},
        {"bodies", "x", sizeof(tw_vec3), &bodies},
        {"walls", "point", sizeof(tw_vec3), &walls},
        {"contacts", "n", sizeof(tw_vec3), &data->contacts.count},
        /* not in every file */
        {"surfaces", "kind", sizeof(uint32_t), &data->surface_count},
        {"surfaces", "point", sizeof(tw_vec3), &data->point_count},
        {"surfaces", "corner", sizeof(uint32_t), &data->corner_count},
        {"motions", "kind", sizeof(int32_t), &data->model->drive_count},
        {"tables", "time", sizeof(double), &data->model->drive_row_count},
    };
    enum { ALWAYS = 6 };
    tw_checkpoint_set found;
    tw_status status = TW_STATUS_OK;
    data->framed = source->find(source->context, "walls", "surface", &found);
    data->steered = source->find(source->context, "walls", "along", &found);
    data->absent = source->find(source->context, "walls", "absent", &found);
    for (size_t k = 0; k < sizeof count / sizeof *count && status == TW_STATUS_OK; k++)
        if (k < ALWAYS || source->find(source->context, count[k].group, count[k].name, &found))
            status = tw_checkpoint_source_rows(source, count[k].group, count[k].name,
                                               count[k].bytes, count[k].rows, error);
    if (status == TW_STATUS_OK) status = find_parts(source, &data->contacts.parts, error);
    if (status != TW_STATUS_OK) return status;
    if (materials == 0 || materials > TW_MATERIALS_MAX)
        return tw_error_set(error, TW_STATUS_FILE,
                            "%s: materials/density has %zu rows, not 1 to %d", source->name,
                            materials, TW_MATERIALS_MAX);
    return tw_checkpoint_data_reserve(data, materials, shapes, bodies, walls, error);
}

static tw_status read_items(const tw_checkpoint_source *source, tw_checkpoint_data *data,
                            tw_error *error)
{
    tw_status status = read_counts(source, data, error);
    if (status != TW_STATUS_OK) return status;
    tw_checkpoint_list list;
    tw_checkpoint_list_make(&list, data);
    for (size_t k = 0; k < list.count && status == TW_STATUS_OK; k++)
        status = tw_checkpoint_source_read(source, &list.item[k], data, error);
    if (status == TW_STATUS_OK) status = tw_checkpoint_source_complete(source, data, error);
    tw_checkpoint_list_make(&list, data);
    if (status == TW_STATUS_OK) status = tw_checkpoint_check(data, &list, source->name, error);
    if (status == TW_STATUS_OK) status = tw_checkpoint_data_scatter(data, error);
    return status;
}

tw_status tw_checkpoint_read_from(const tw_checkpoint_source *source, tw_checkpoint_data *data,
                                  tw_error *error)
{
    assert(data->model->shape_count == 0 && data->state->bodies.count == 0 &&
           data->state->wall_count == 0);
    tw_error_clear(error);
    const tw_status status = read_items(source, data, error);
    if (status != TW_STATUS_OK) tw_checkpoint_data_free(data);
    return status;
}

static tw_status read_sealed(int descriptor, uint64_t bytes, tw_checkpoint_data *data,
                             char label[TW_SIM_LABEL_MAX + 1], const char *path, tw_error *error)
{
    checkpoint_file file;
    tw_status status = file_open(&file, descriptor, path, bytes, error);
    if (status == TW_STATUS_OK) status = file_read_label(&file, label, TW_SIM_LABEL_MAX + 1, error);
    if (status == TW_STATUS_OK && !tw_checkpoint_label_is_good(label))
        status = tw_error_set(error, TW_STATUS_FILE, "%s: the label has control characters",
                              file.name.text);
    if (status == TW_STATUS_OK) {
        const tw_checkpoint_source source = {.name = file.name.text,
                                             .bytes = bytes,
                                             .context = &file,
                                             .find = file_find,
                                             .load = file_load,
                                             .entry = file_entry};
        status = tw_checkpoint_read_from(&source, data, error);
    }
    file_close(&file, NULL);
    return status;
}

tw_status tw_checkpoint_read(tw_checkpoint_data *data, char label[TW_SIM_LABEL_MAX + 1],
                             const char *path, tw_error *error)
{
    tw_error_clear(error);
    label[0] = '\0';
    uint64_t bytes;
    const int descriptor = tw_read_file_open(path, &bytes);
    if (descriptor < 0) return tw_error_set_system(error, "read", path);
    tw_status status = tw_checkpoint_seal_check(descriptor, path, bytes, error);
    if (status == TW_STATUS_OK) status = read_sealed(descriptor, bytes, data, label, path, error);
    close(descriptor);
    return status;
}
