/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <twirl/exchange.h>

#include "base/memory.h"
#include "exchange/export_vtk.h"
#include "exchange/lines.h"
#include "exchange/outfile.h"
#include "exchange/vtk.h"

struct tw_export_series {
    char *directory, *name;
    double *times; /* of the frames */
    size_t count, capacity;
    char comment[201];
};

static bool series_make_directory(const char *directory, tw_error *error)
{
    struct stat about;
    if (mkdir(directory, 0777) == 0) return true;
    if (errno == EEXIST && stat(directory, &about) == 0) {
        if (S_ISDIR(about.st_mode)) return true;
        errno = ENOTDIR;
    }
    tw_error_set_system(error, "create the folder", directory);
    return false;
}

tw_export_series *tw_export_series_open(const char *directory, const char *name, tw_error *error)
{
    tw_error_clear(error);
    if (!tw_export_vtk_check_name(name, error)) return NULL;
    if (!series_make_directory(directory, error)) return NULL;
    tw_export_series *series = calloc(1, sizeof *series);
    if (series) {
        series->directory = strdup(directory);
        series->name = strdup(name);
        if (series->directory && series->name) return series;
    }
    tw_export_series_close(series);
    tw_error_set_memory(error);
    return NULL;
}

void tw_export_series_close(tw_export_series *series)
{
    if (!series) return;
    free(series->directory);
    free(series->name);
    free(series->times);
    free(series);
}

tw_status tw_export_series_set_comment(tw_export_series *series, const char *comment,
                                       tw_error *error)
{
    tw_error_clear(error);
    if (strlen(comment) >= sizeof series->comment || strstr(comment, "--") || strchr(comment, '\n'))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "the comment of a series is one line of at most %zu bytes without "
                            "'--'",
                            sizeof series->comment - 1);
    strcpy(series->comment, comment);
    return TW_STATUS_OK;
}

static bool series_remember(tw_export_series *series, double time)
{
    if (tw_buffer_reserve(&series->times, &series->capacity, series->count + 1,
                          sizeof *series->times) != TW_STATUS_OK)
        return false;
    series->times[series->count++] = time;
    return true;
}

/* The time of a frame, from a line as series_write_list writes it. */
static bool series_read_time(char *line, double *time)
{
    static const char key[] = "timestep=\"";
    char *begin = strstr(line, key), *end = begin ? strchr(begin + sizeof key - 1, '"') : NULL;
    if (!end) return false;
    *end = '\0';
    return tw_lines_number(begin + sizeof key - 1, time) == NULL;
}

tw_status tw_export_series_resume(tw_export_series *series, double time, size_t *frames,
                                  tw_error *error)
{
    char file[NAME_MAX + 1], path[PATH_MAX];
    struct stat about;
    tw_lines lines;
    tw_error_clear(error);
    *frames = series->count = 0;
    /* This list is written last, so all parts of the frames it names exist. */
    tw_export_series_file_name(series, TW_EXPORT_VTK_PARTS - 1, TW_EXPORT_SERIES_LIST, file,
                               sizeof file);
    if (!tw_export_vtk_path(path, sizeof path, series->directory, file, error))
        return TW_STATUS_FILE;
    if (stat(path, &about) != 0 && errno == ENOENT) return TW_STATUS_OK;
    if (!tw_lines_open(&lines, path, error)) return lines.status;
    double at;
    bool memory = true;
    while (memory && tw_lines_next(&lines)) {
        if (series_read_time(lines.text, &at) && at <= time) memory = series_remember(series, at);
    }
    const tw_status status = lines.status;
    tw_lines_close(&lines);
    *frames = series->count;
    return memory ? status : tw_error_set_memory(error);
}

_Static_assert((int)TW_EXPORT_SERIES_PARTS == (int)TW_EXPORT_VTK_PARTS, "of one frame");

void tw_export_series_file_name(const tw_export_series *series, int part, uint64_t frame,
                                char *name, size_t size)
{
    if (frame == TW_EXPORT_SERIES_LIST)
        snprintf(name, size, "%s_%s.pvd", series->name, tw_export_vtk_parts[part]);
    else
        tw_export_vtk_file_name(name, size, series->name, part, frame);
}

size_t tw_export_series_frames(const tw_export_series *series)
{
    return series->count;
}

/* Rewritten with every frame: nothing can be appended to XML. */
static tw_status series_write_list(const tw_export_series *series, int part, tw_error *error)
{
    char file[NAME_MAX + 1], path[PATH_MAX];
    tw_export_series_file_name(series, part, TW_EXPORT_SERIES_LIST, file, sizeof file);
    if (!tw_export_vtk_path(path, sizeof path, series->directory, file, error))
        return TW_STATUS_FILE;
    tw_outfile out;
    const tw_status status = tw_outfile_open(&out, path, error);
    if (status != TW_STATUS_OK) return status;
    tw_outfile_print(&out,
                     "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                     "byte_order=\"%s\">\n  <Collection>\n",
                     tw_vtk_byte_order());
    for (size_t i = 0; i < series->count; i++) {
        tw_export_vtk_file_name(file, sizeof file, series->name, part, i);
        tw_outfile_print(&out, "    <DataSet timestep=\"%.17g\" part=\"0\" file=\"",
                         series->times[i]);
        tw_outfile_print_xml(&out, file);
        tw_outfile_print(&out, "\"/>\n");
    }
    tw_outfile_print(&out, "  </Collection>\n</VTKFile>\n");
    tw_export_vtk_print_comment(&out, series->comment);
    return tw_outfile_finish(&out, error);
}

static tw_status series_write_lists(const tw_export_series *series, tw_error *error)
{
    tw_status status = TW_STATUS_OK;
    for (int part = 0; part < TW_EXPORT_VTK_PARTS && status == TW_STATUS_OK; part++)
        status = series_write_list(series, part, error);
    return status;
}

tw_status tw_export_series_add(tw_export_series *series, const tw_sim *sim, tw_error *error)
{
    return tw_export_series_add_at(series, sim, tw_sim_time(sim), error);
}

tw_status tw_export_series_add_at(tw_export_series *series, const tw_sim *sim, double time,
                                  tw_error *error)
{
    const tw_status status = tw_export_vtk_with(sim, series->directory, series->name, series->count,
                                                series->comment, error);
    if (status != TW_STATUS_OK) return status;
    if (!series_remember(series, time)) return tw_error_set_memory(error);
    return series_write_lists(series, error);
}

tw_status tw_export_series_restore(tw_export_series *series, const double *times, size_t count,
                                   tw_error *error)
{
    tw_error_clear(error);
    series->count = 0;
    for (size_t i = 0; i < count; i++)
        if (!series_remember(series, times[i])) return tw_error_set_memory(error);
    return series_write_lists(series, error);
}
