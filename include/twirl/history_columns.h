/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the columns in the histories that `twirl run` (history.csv) and `twirl advance
 * --history` write and `twirl plot` reads. Each writer has a subset in its own order. Stresses and
 * strains are positive in compression, energies are in joules. A quantity that a stage does not
 * have is `nan`. */
#ifndef TWIRL_HISTORY_COLUMNS_H
#define TWIRL_HISTORY_COLUMNS_H

/* X(name, plotted): plotted is 1 for the columns that `twirl plot` uses. */
#define TW_HISTORY_COLUMNS(X)                                                                      \
    X(step, 0)                                                                                     \
    X(time, 1)  /* [s] */                                                                          \
    X(stage, 0) /* text: name of the stage, or "specimen" */                                       \
    X(stage_step, 1)                                                                               \
    X(strain, 1) /* path strain, docs/guide/run.md */                                              \
    X(stress, 1) /* path stress [Pa] */                                                            \
    X(strain_xx, 1)                                                                                \
    X(strain_yy, 1)                                                                                \
    X(strain_zz, 1)                                                                                \
    X(strain_yz, 0)                                                                                \
    X(strain_xz, 0)                                                                                \
    X(strain_xy, 0)                                                                                \
    X(strain_volume, 0)                                                                            \
    X(stress_xx, 1) /* [Pa] */                                                                     \
    X(stress_yy, 1)                                                                                \
    X(stress_zz, 1)                                                                                \
    X(stress_xy, 1)                                                                                \
    X(stress_xz, 1)                                                                                \
    X(stress_yz, 1)                                                                                \
    X(stress_yx, 1)                                                                                \
    X(stress_zx, 1)                                                                                \
    X(stress_zy, 1)                                                                                \
    X(p, 1)            /* [Pa] */                                                                  \
    X(q, 1)            /* [Pa] */                                                                  \
    X(stress_ratio, 0) /* q/p */                                                                   \
    X(volume, 1)       /* of the cell [m^3] */                                                     \
    X(porosity, 0)                                                                                 \
    X(void_ratio, 1)                                                                               \
    X(coordination, 1)                                                                             \
    X(coordination_mechanical, 0) /* without rattlers */                                           \
    X(sliding_fraction, 1)        /* of the contacts */                                            \
    X(unbalanced, 1)              /* mean force on a grain over mean contact force */              \
    X(inertial_number, 0)                                                                          \
    X(deviation, 0) /* of the servo from its set points, relative to p */                          \
    X(kinetic, 1)                                                                                  \
    X(rotational, 1)                                                                               \
    X(normal, 1) /* stored in contacts */                                                          \
    X(tangential, 1)                                                                               \
    X(friction, 1) /* dissipated */                                                                \
    X(contact_damping, 1)                                                                          \
    X(body_damping, 1)                                                                             \
    X(cell, 1)      /* work of the cell */                                                         \
    X(walls, 1)     /* work of the walls */                                                        \
    X(gravity, 1)   /* work of gravity */                                                          \
    X(start, 0)     /* kinetic and stored energy at the start, and changes that were not work */   \
    X(residual, 1)  /* of the energy balance */                                                    \
    X(fabric_xx, 0) /* mean of n (x) n over the contacts */                                        \
    X(fabric_yy, 0)                                                                                \
    X(fabric_zz, 0)                                                                                \
    X(fabric_yz, 0)                                                                                \
    X(fabric_xz, 0)                                                                                \
    X(fabric_xy, 0)                                                                                \
    X(fabric_deviator, 1) /* sqrt(3/2 F':F'), F' the deviator of the fabric */                     \
    X(rattlers, 0)        /* number of grains */                                                   \
    X(q_signed, 1)        /* deviator stress along the path [Pa] */                                \
    X(ru, 1)              /* pore-pressure ratio */                                                \
    X(cycle, 1)           /* completed cycles, with the fraction of the present one */             \
    X(check, 0)           /* CRC-32 of the rows so far; the last column of history.csv */

typedef enum tw_history_column {
#define TW_HISTORY_COLUMN_MEMBER(name, plotted) TW_HISTORY_##name,
    TW_HISTORY_COLUMNS(TW_HISTORY_COLUMN_MEMBER)
#undef TW_HISTORY_COLUMN_MEMBER
        TW_HISTORY_COLUMN_COUNT
} tw_history_column;

/* For a writer whose columns, in their order, are a list LIST(X) of X(name, value):
 *
 *     static const char header[] = "step" LIST(TW_HISTORY_COLUMN_NAME) "\n";
 *     const double row[] = {LIST(TW_HISTORY_COLUMN_VALUE)};
 *
 * A name that is not in the list above does not compile. */
#define TW_HISTORY_COLUMN_NAME(name, value) "," #name
#define TW_HISTORY_COLUMN_VALUE(name, value) ((void)TW_HISTORY_##name, (value)),

#endif
