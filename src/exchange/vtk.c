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

/* In the appended part each array follows a count of its bytes. */
static uint64_t vtk_print_array(tw_outfile *out, const tw_vtk_array *array, uint64_t offset)
{
    tw_outfile_print(out,
                     "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
                     "format=\"appended\" offset=\"%llu\"/>\n",
                     vtk_type_names[array->type], array->name, array->components,
                     (unsigned long long)offset);
    return offset + sizeof(uint64_t) + (uint64_t)vtk_item_size(array) * array->count;
}

static void vtk_write_sequence(tw_outfile *out, const tw_vtk_array *array)
{
    for (size_t i = 0; i < array->count; i++) {
        const int64_t value = array->start + (int64_t)i * array->step;
        const int32_t small = (int32_t)value;
        const uint8_t tiny = (uint8_t)value;
        if (array->type == TW_VTK_INT64)
            tw_outfile_write(out, &value, sizeof value);
        else if (array->type == TW_VTK_INT32)
            tw_outfile_write(out, &small, sizeof small);
        else
            tw_outfile_write(out, &tiny, sizeof tiny);
    }
}

static void vtk_write_array(tw_outfile *out, const tw_vtk_array *array)
{
    const size_t size = vtk_item_size(array);
    const uint64_t bytes = (uint64_t)size * array->count;
    tw_outfile_write(out, &bytes, sizeof bytes);
    if (!array->first) {
        vtk_write_sequence(out, array);
        return;
    }
    const char *item = array->first;
    for (size_t i = 0; i < array->count; i++, item += array->stride)
        tw_outfile_write(out, item, size);
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
    uint64_t offset = 0;
    for (size_t i = 0; i < count; i++) {
        tw_outfile_print(out, "      <%s>\n", groups[i].element);
        for (size_t j = 0; j < groups[i].count; j++)
            offset = vtk_print_array(out, &groups[i].arrays[j], offset);
        tw_outfile_print(out, "      </%s>\n", groups[i].element);
    }
    tw_outfile_print(out, "    </Piece>\n  </%s>\n  <AppendedData encoding=\"raw\">\n_", type);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < groups[i].count; j++)
            vtk_write_array(out, &groups[i].arrays[j]);
    tw_outfile_print(out, "\n  </AppendedData>\n</VTKFile>\n");
}
