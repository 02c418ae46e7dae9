/* SPDX-License-Identifier: BSD-3-Clause */
/* Series beside a history: numbers for each of its rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/run.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/memory.h"
#include "figure/figure_internal.h"

struct tw_figure_table {
    tw_csv csv;     /* its header */
    double *values; /* by row, then column; NaN where there is no number */
    size_t rows, capacity;
};

/* Columns of items have a colon in their names. */
static bool read_row(tw_figure_table *t)
{
    const size_t columns = t->csv.columns;
    if (tw_buffer_reserve(&t->values, &t->capacity, (t->rows + 1) * columns, sizeof *t->values) !=
        TW_STATUS_OK)
        return tw_error_set_memory(t->csv.error) == TW_STATUS_OK;
    double *row = &t->values[t->rows * columns];
    for (size_t k = 0; k < columns; k++) {
        row[k] = (double)NAN;
        if (strchr(t->csv.column[k].text, ':') && !tw_csv_number(&t->csv, k, TW_CSV_NAN, &row[k]))
            return false;
    }
    t->rows++;
    return true;
}

bool tw_figure_tables_read(tw_figure_run *run)
{
    size_t count = 0;
    tw_error error = {.status = TW_STATUS_OK};
    while (tw_run_series_at(count))
        count++;
    run->tables = calloc(count, sizeof *run->tables);
    for (size_t k = 0; run->tables && k < count && error.status != TW_STATUS_MEMORY; k++) {
        tw_csv *csv = &run->tables[k].csv;
        const char *name = tw_run_series_at(k)->name;
        FILE *file = tw_read_file_stream(tw_folder_path_in(run->input, ".", name, ".csv").text);
        bool good = file && tw_csv_open(csv, file, name, &error);
        while (good && tw_csv_next(csv) && csv->ended) /* the last row may be under way */
            good = read_row(&run->tables[k]);
        if (file) (void)fclose(file);
        csv->file = NULL;
    }
    return run->tables && error.status != TW_STATUS_MEMORY;
}

void tw_figure_tables_free(tw_figure_run *run)
{
    for (size_t k = 0; run->tables && tw_run_series_at(k); k++) {
        tw_csv_close(&run->tables[k].csv);
        free(run->tables[k].values);
    }
    free(run->tables);
}

const char *tw_figure_tables_item(const tw_figure_run *run, size_t table, const char *value,
                                  size_t item)
{
    const size_t length = strlen(value);
    const tw_csv *csv = run->tables ? &run->tables[table].csv : NULL;
    for (size_t k = 0; csv && k < csv->columns; k++) {
        const char *name = csv->column[k].text;
        if (strncmp(name, value, length) == 0 && name[length] == ':' && item-- == 0)
            return name + length + 1;
    }
    return NULL;
}

bool tw_figure_tables_find(const tw_figure_run *run, const char *name, size_t row, double *value)
{
    *value = (double)NAN;
    for (size_t k = 0; run->tables && tw_run_series_at(k); k++) {
        const tw_figure_table *t = &run->tables[k];
        const size_t length = strlen(tw_run_series_at(k)->name);
        if (strncmp(name, tw_run_series_at(k)->name, length) != 0 || name[length] != '.') continue;
        const size_t column = tw_csv_find(&t->csv, name + length + 1);
        if (column >= t->csv.columns) return false;
        if (row < t->rows) *value = t->values[row * t->csv.columns + column];
        return true;
    }
    return false;
}
