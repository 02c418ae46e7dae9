/* SPDX-License-Identifier: BSD-3-Clause */
/* The pictures of a film: states and frames in the folder of a run, in the order of its history. */
#ifndef TWIRL_APP_RENDER_FILM_H
#define TWIRL_APP_RENDER_FILM_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/figure.h>
#include <twirl/run.h>

#include "base/file.h"

typedef struct tw_render_picture {
    tw_folder_path file;
    char stage[TW_FIGURE_NAME_MAX];
    bool state;    /* a checkpoint; otherwise a dump */
    double row;    /* of the history; between two rows if the file was written between them */
    size_t series; /* of the figures, that has this row; SIZE_MAX: none */
} tw_render_picture;

typedef struct tw_render_film {
    tw_render_picture *of;
    size_t count, capacity;
} tw_render_film;

/* Finds the pictures of the series that the figures show, or of all stages if they show none: the
 * state at the start of each, states and frames on the way and, while the run has not finished,
 * what it has saved last. With `states_only` no frames. */
void tw_render_film_find(tw_render_film *film, const tw_figure_set *figures, bool states_only,
                         tw_run_status status);
void tw_render_film_free(tw_render_film *film);

#endif
