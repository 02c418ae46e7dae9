/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the columns in the histories that `twirl run` (history.csv) and `twirl advance
 * --history` write and `twirl plot`, `twirl sweep` and `twirl info` read. Each writer has a subset
 * in its own order. Stresses and strains are positive in compression, energies are in joules. A
 * quantity that a stage does not have is `nan`. */
#ifndef TWIRL_HISTORY_COLUMNS_H
#define TWIRL_HISTORY_COLUMNS_H

#define TW_HISTORY_COLUMNS(X)                                                                      \
    X(step)                                                                                        \
    X(time)  /* [s] */                                                                             \
    X(stage) /* text: name of the stage, or "specimen" */                                          \
    X(stage_step)                                                                                  \
    X(strain) /* path strain, docs/guide/run.md */                                                 \
    X(stress) /* path stress [Pa] */                                                               \
    X(strain_xx)                                                                                   \
    X(strain_yy)                                                                                   \
    X(strain_zz)                                                                                   \
    X(strain_yz)                                                                                   \
    X(strain_xz)                                                                                   \
    X(strain_xy)                                                                                   \
    X(strain_volume)                                                                               \
    X(stress_xx) /* [Pa] */                                                                        \
    X(stress_yy)                                                                                   \
    X(stress_zz)                                                                                   \
    X(stress_xy)                                                                                   \
    X(stress_xz)                                                                                   \
    X(stress_yz)                                                                                   \
    X(stress_yx)                                                                                   \
    X(stress_zx)                                                                                   \
    X(stress_zy)                                                                                   \
    X(p)            /* [Pa] */                                                                     \
    X(q)            /* [Pa] */                                                                     \
    X(stress_ratio) /* q/p */                                                                      \
    X(volume)       /* of the cell [m^3] */                                                        \
    X(porosity)                                                                                    \
    X(void_ratio)                                                                                  \
    X(coordination)                                                                                \
    X(coordination_mechanical) /* without rattlers */                                              \
    X(sliding_fraction)        /* of the contacts */                                               \
    X(unbalanced)              /* mean force on a grain over mean contact force */                 \
    X(inertial_number)                                                                             \
    X(deviation) /* of the servo from its set points, relative to p */                             \
    X(kinetic)                                                                                     \
    X(rotational)                                                                                  \
    X(normal) /* stored in contacts */                                                             \
    X(tangential)                                                                                  \
    X(friction) /* dissipated */                                                                   \
    X(contact_damping)                                                                             \
    X(body_damping)                                                                                \
    X(cell)      /* work of the cell */                                                            \
    X(walls)     /* work of the walls */                                                           \
    X(gravity)   /* work of gravity */                                                             \
    X(start)     /* kinetic and stored energy at the start, and changes that were not work */      \
    X(residual)  /* of the energy balance */                                                       \
    X(fabric_xx) /* mean of n (x) n over the contacts */                                           \
    X(fabric_yy)                                                                                   \
    X(fabric_zz)                                                                                   \
    X(fabric_yz)                                                                                   \
    X(fabric_xz)                                                                                   \
    X(fabric_xy)                                                                                   \
    X(fabric_deviator) /* sqrt(3/2 F':F'), F' the deviator of the fabric */                        \
    X(rattlers)        /* number of grains */                                                      \
    X(q_signed)        /* deviator stress along the path [Pa] */                                   \
    X(ru)              /* pore-pressure ratio */                                                   \
    X(cycle)           /* completed cycles, with the fraction of the present one */                \
    X(stored_rolling)  /* stored in contacts: rolling and twisting resistance */                   \
    X(stored_twisting)                                                                             \
    X(micro_slip) /* dissipated: Hertz contacts that stick while their stiffness changes */        \
    X(rolling)    /* dissipated by rolling and twisting resistance */                              \
    X(twisting)                                                                                    \
    X(check) /* CRC-32 of the rows so far; the last column of history.csv */

typedef enum tw_history_column {
#define TW_HISTORY_COLUMN_MEMBER(name) TW_HISTORY_##name,
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
