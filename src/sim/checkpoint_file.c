/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls with a number in their name (H5Dopen2) are the same in every HDF5 since 1.8. */
#include "sim/checkpoint_file.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#ifndef TWIRL_VERSION
#error "TWIRL_VERSION must be defined: the version of the program, as a string"
#endif

static const char file_format[] = "twirl checkpoint";

static hid_t type_in_memory(tw_checkpoint_type type)
{
    switch (type) {
    case TW_CHECKPOINT_U8:
        return H5T_NATIVE_UINT8;
    case TW_CHECKPOINT_I8:
        return H5T_NATIVE_INT8;
    case TW_CHECKPOINT_U32:
        return H5T_NATIVE_UINT32;
    case TW_CHECKPOINT_I32:
        return H5T_NATIVE_INT32;
    case TW_CHECKPOINT_U64:
        return H5T_NATIVE_UINT64;
    case TW_CHECKPOINT_F64:
        break;
    }
    return H5T_NATIVE_DOUBLE;
}

static hid_t type_in_file(tw_checkpoint_type type)
{
    switch (type) {
    case TW_CHECKPOINT_U8:
        return H5T_STD_U8LE;
    case TW_CHECKPOINT_I8:
        return H5T_STD_I8LE;
    case TW_CHECKPOINT_U32:
        return H5T_STD_U32LE;
    case TW_CHECKPOINT_I32:
        return H5T_STD_I32LE;
    case TW_CHECKPOINT_U64:
        return H5T_STD_U64LE;
    case TW_CHECKPOINT_F64:
        break;
    }
    return H5T_IEEE_F64LE;
}

/* "can" is "be written" or "be read". */
static tw_status file_fail(const tw_checkpoint_file *file, const char *group, const char *name,
                           const char *can, tw_error *error)
{
    const int number = file->driver.number;
    return tw_error_set(error, TW_STATUS_FILE, "%s: %s%s%s cannot %s%s%s", file->name.text, group,
                        *name ? "/" : "", name, can, number ? ": " : "",
                        number ? tw_error_reason_of(number).text : "");
}

/* ---- Opening and closing ---- */

static void file_start(tw_checkpoint_file *file, int descriptor, const char *path, uint64_t bytes)
{
    memset(file, 0, sizeof *file);
    file->file = file->plain = H5I_INVALID_HID;
    file->name = tw_error_shorten_path(path);
    file->bytes = bytes;
    H5Eget_auto2(H5E_DEFAULT, &file->printing, &file->printing_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    tw_checkpoint_driver_start(&file->driver, descriptor, bytes);
}

tw_status tw_checkpoint_file_close(tw_checkpoint_file *file, tw_error *error)
{
    tw_status status = TW_STATUS_OK;
    if (file->plain >= 0) H5Pclose(file->plain);
    const bool closed = file->file < 0 || H5Fclose(file->file) >= 0;
    if (file->written && closed) tw_checkpoint_driver_complete(&file->driver);
    if (!closed || file->driver.number != 0)
        status = file_fail(file, "the end of the file", "", "be written", error);
    tw_checkpoint_driver_end(&file->driver);
    tw_buffer_free(&file->row, &file->row_capacity);
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, file->printing, file->printing_data);
    file->file = file->plain = H5I_INVALID_HID;
    return status;
}

static bool attribute_write_text(hid_t object, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    bool ok = H5Tset_size(type, strlen(text) + 1) >= 0;
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    ok = ok && attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
    ok = H5Aclose(attribute) >= 0 && ok;
    H5Sclose(space);
    H5Tclose(type);
    return ok;
}

static bool attribute_write_number(hid_t object, const char *name, int32_t number)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute =
        H5Acreate2(object, name, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT32, &number) >= 0;
    ok = H5Aclose(attribute) >= 0 && ok;
    H5Sclose(space);
    return ok;
}

static bool file_describe(hid_t file, const char *label)
{
    return file >= 0 && attribute_write_text(file, "format", file_format) &&
           attribute_write_number(file, "version", TW_CHECKPOINT_VERSION) &&
           attribute_write_text(file, "program", "twirl " TWIRL_VERSION) &&
           (!*label || attribute_write_text(file, "label", label));
}

tw_status tw_checkpoint_file_create(tw_checkpoint_file *file, int descriptor, const char *path,
                                    const char *label, tw_error *error)
{
    file_start(file, descriptor, path, 0);
    file->written = true;
    const hid_t access = tw_checkpoint_driver_access(&file->driver);
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

tw_status tw_checkpoint_file_read_label(const tw_checkpoint_file *file, char *label, size_t size,
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

tw_status tw_checkpoint_file_open(tw_checkpoint_file *file, int descriptor, const char *path,
                                  uint64_t bytes, tw_error *error)
{
    file_start(file, descriptor, path, bytes);
    const hid_t access = tw_checkpoint_driver_access(&file->driver);
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

/* ---- Writing ---- */

/* The group, made if it is not there yet. */
static hid_t group_of(const tw_checkpoint_file *file, const char *group)
{
    if (H5Lexists(file->file, group, H5P_DEFAULT) > 0)
        return H5Gopen2(file->file, group, H5P_DEFAULT);
    return H5Gcreate2(file->file, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

tw_status tw_checkpoint_file_write(tw_checkpoint_file *file, const tw_checkpoint_item *item,
                                   tw_error *error)
{
    const void *values = tw_checkpoint_item_in_place(item);
    if (!values) {
        const size_t bytes = item->rows * tw_checkpoint_form_bytes(item->form);
        if (tw_buffer_reserve(&file->row, &file->row_capacity, bytes, 1) != TW_STATUS_OK)
            return tw_error_set(error, TW_STATUS_MEMORY, "%s: no memory for %zu rows of %s/%s",
                                file->name.text, item->rows, item->group, item->name);
        tw_checkpoint_item_pack(item, file->row);
        values = file->row;
    }
    uint64_t extent[3];
    const int rank = tw_checkpoint_item_extents(item, extent);
    const hsize_t extents[3] = {extent[0], extent[1], extent[2]};
    const hid_t space = H5Screate_simple(rank, extents, NULL); /* rank 0: a scalar */
    const hid_t group = group_of(file, item->group);
    const hid_t set = H5Dcreate2(group, item->name, type_in_file(item->form.type), space,
                                 H5P_DEFAULT, file->plain, H5P_DEFAULT);
    bool ok = set >= 0 && attribute_write_text(set, "unit", item->unit);
    if (ok && item->rows > 0)
        ok = H5Dwrite(set, type_in_memory(item->form.type), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                      values) >= 0;
    ok = H5Dclose(set) >= 0 && ok;
    H5Gclose(group);
    H5Sclose(space);
    ok = ok && file->driver.number == 0;
    return ok ? TW_STATUS_OK : file_fail(file, item->group, item->name, "be written", error);
}

/* ---- Reading ---- */

static hid_t set_open(const tw_checkpoint_file *file, const char *group, const char *name)
{
    const hid_t parent = H5Gopen2(file->file, group, H5P_DEFAULT);
    const hid_t set = H5Dopen2(parent, name, H5P_DEFAULT);
    H5Gclose(parent);
    return set;
}

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
    while (type >= 0 && H5Tequal(found, type_in_file((tw_checkpoint_type)type)) <= 0)
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
    const tw_checkpoint_file *file = context;
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

static tw_status file_load(void *context, const tw_checkpoint_item *item, void *values,
                           tw_error *error)
{
    const tw_checkpoint_file *file = context;
    const hid_t set = set_open(file, item->group, item->name);
    const bool ok =
        H5Dread(set, type_in_memory(item->form.type), H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    const tw_status status =
        ok ? TW_STATUS_OK : file_fail(file, item->group, item->name, "be read", error);
    H5Dclose(set);
    return status;
}

tw_checkpoint_source tw_checkpoint_file_source(tw_checkpoint_file *file)
{
    return (tw_checkpoint_source){.name = file->name.text,
                                  .bytes = file->bytes,
                                  .context = file,
                                  .find = file_find,
                                  .load = file_load};
}
