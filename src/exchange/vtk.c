/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/vtk.h"

#include <string.h>

static const char *const vtk_type_names[] = {"Float64", "Int64", "Int32", "UInt8"};
static const size_t vtk_type_sizes[] = {8, 8, 4, 1};

const char *tw_vtk_byte_order(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first ? "LittleEndian" : "BigEndian";
}

static size_t vtk_item_size(const tw_vtk_array *array)
{
    return vtk_type_sizes[array->type] * (size_t)array->components;
}

/* ---- Base64, RFC 4648: three bytes become four letters ---- */

typedef struct base64 {
    tw_outfile *out;
    unsigned char bytes[3];
    size_t held; /* bytes in use */
    char text[4096];
    size_t used;
} base64;

static void base64_put_letters(base64 *b)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *s = b->bytes;
    char *t = b->text + b->used;
    t[0] = letters[s[0] >> 2];
    t[1] = letters[(s[0] & 3) << 4 | s[1] >> 4];
    t[2] = b->held > 1 ? letters[(s[1] & 15) << 2 | s[2] >> 6] : '=';
    t[3] = b->held > 2 ? letters[s[2] & 63] : '=';
    b->used += 4;
    b->held = 0;
    memset(b->bytes, 0, sizeof b->bytes);
    if (b->used == sizeof b->text) {
        tw_outfile_write(b->out, b->text, b->used);
        b->used = 0;
    }
}

static void base64_write(base64 *b, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i++) {
        b->bytes[b->held++] = byte[i];
        if (b->held == 3) base64_put_letters(b);
    }
}

static void base64_finish(base64 *b)
{
    if (b->held > 0) base64_put_letters(b);
    tw_outfile_write(b->out, b->text, b->used);
}

/* ---- Arrays ---- */

static void vtk_write_sequence(base64 *b, const tw_vtk_array *array)
{
    for (size_t i = 0; i < array->count; i++) {
        const int64_t value = array->start + (int64_t)i * array->step;
        const int32_t small = (int32_t)value;
        const uint8_t tiny = (uint8_t)value;
        if (array->type == TW_VTK_INT64)
            base64_write(b, &value, sizeof value);
        else if (array->type == TW_VTK_INT32)
            base64_write(b, &small, sizeof small);
        else
            base64_write(b, &tiny, sizeof tiny);
    }
}

/* The numbers follow a count of their bytes, in one piece of base64. */
static void vtk_print_array(tw_outfile *out, const tw_vtk_array *array)
{
    const size_t size = vtk_item_size(array);
    const uint64_t bytes = (uint64_t)size * array->count;
    base64 b = {.out = out};
    tw_outfile_print(out,
                     "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
                     "format=\"binary\">",
                     vtk_type_names[array->type], array->name, array->components);
    base64_write(&b, &bytes, sizeof bytes);
    if (array->first) {
        const char *item = array->first;
        for (size_t i = 0; i < array->count; i++, item += array->stride)
            base64_write(&b, item, size);
    } else {
        vtk_write_sequence(&b, array);
    }
    base64_finish(&b);
    tw_outfile_print(out, "</DataArray>\n");
}

void tw_vtk_print(tw_outfile *out, const char *type, const char *piece, double time,
                  const tw_vtk_group *groups, size_t count)
{
    tw_outfile_print(out,
                     "<?xml version=\"1.0\"?>\n"
                     "<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\" "
                     "header_type=\"UInt64\">\n  <%s>\n"
                     "    <FieldData>\n"
                     "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                     "format=\"ascii\">%.17g</DataArray>\n"
                     "    </FieldData>\n    <Piece %s>\n",
                     type, tw_vtk_byte_order(), type, time, piece);
    for (size_t i = 0; i < count; i++) {
        tw_outfile_print(out, "      <%s>\n", groups[i].element);
        for (size_t j = 0; j < groups[i].count; j++)
            vtk_print_array(out, &groups[i].arrays[j]);
        tw_outfile_print(out, "      </%s>\n", groups[i].element);
    }
    tw_outfile_print(out, "    </Piece>\n  </%s>\n</VTKFile>\n", type);
}
