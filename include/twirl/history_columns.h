/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the columns in history.csv, which `twirl run` writes and `twirl plot`, `twirl sweep` and
 * `twirl info` read. Stresses and strains are positive in compression, energies are in joules. A
 * quantity that a stage does not have is `nan`. Source compatible only, before 1.0. */
#ifndef TWIRL_HISTORY_COLUMNS_H
#define TWIRL_HISTORY_COLUMNS_H

#include <twirl/contact_energies.h>

#define TW_HISTORY_STORED(to, NAME, name, column, text) to(column, ENERGY, text)
#define TW_HISTORY_LOST(to, NAME, name, member, way) to(name, ENERGY, "dissipated by " way)

/* X(name, dimension, text for people): the dimension is that of twirl/figure.h. */
#define TW_HISTORY_COLUMNS(X)                                                                      \
    X(step, RATIO, "step")                                                                         \
    X(time, TIME, "time")    /* [s] */                                                             \
    X(stage, RATIO, "stage") /* text: its name, or "specimen" */                                   \
    X(stage_step, RATIO, "step of the stage")                                                      \
    X(strain, STRAIN, "strain of the path") /* docs/guide/run.md */                                \
    X(stress, STRESS, "stress of the path") /* [Pa] */                                             \
    X(strain_xx, STRAIN, "strain xx")                                                              \
    X(strain_yy, STRAIN, "strain yy")                                                              \
    X(strain_zz, STRAIN, "strain zz")                                                              \
    X(strain_yz, STRAIN, "shear strain yz")                                                        \
    X(strain_xz, STRAIN, "shear strain xz")                                                        \
    X(strain_xy, STRAIN, "shear strain xy")                                                        \
    X(strain_volume, STRAIN, "volumetric strain")                                                  \
    X(stress_xx, STRESS, "stress xx") /* [Pa] */                                                   \
    X(stress_yy, STRESS, "stress yy")                                                              \
    X(stress_zz, STRESS, "stress zz")                                                              \
    X(stress_xy, STRESS, "shear stress xy")                                                        \
    X(stress_xz, STRESS, "shear stress xz")                                                        \
    X(stress_yz, STRESS, "shear stress yz")                                                        \
    X(p, STRESS, "mean stress p")     /* [Pa] */                                                   \
    X(q, STRESS, "deviator stress q") /* [Pa] */                                                   \
    X(stress_ratio, RATIO, "stress ratio q/p")                                                     \
    X(volume, VOLUME, "volume of the cell") /* [m^3] */                                            \
    X(porosity, RATIO, "porosity")                                                                 \
    X(void_ratio, RATIO, "void ratio")                                                             \
    X(coordination, RATIO, "coordination number")                                                  \
    X(coordination_mechanical, RATIO, "coordination number without rattlers")                      \
    X(sliding_fraction, RATIO, "fraction of contacts that slide")                                  \
    X(unbalanced, RATIO, "unbalanced force over contact force") /* means over grains, contacts */  \
    X(inertial_number, RATIO, "inertial number")                                                   \
    X(deviation, RATIO, "deviation of controlled stresses over p")                                 \
    X(kinetic, ENERGY, "kinetic energy")                                                           \
    X(rotational, ENERGY, "rotational energy")                                                     \
    TW_CONTACT_STORED_FIRST(TW_HISTORY_STORED, X)                                                  \
    TW_CONTACT_LOST_FIRST(TW_HISTORY_LOST, X)                                                      \
    X(body_damping, ENERGY, "dissipated by damping of bodies")                                     \
    X(cell, ENERGY, "work on the cell")                                                            \
    X(walls, ENERGY, "work of walls")                                                              \
    X(gravity, ENERGY, "work of gravity")                                                          \
    X(start, ENERGY, "energy at the start, and changes that were not work")                        \
    X(residual, ENERGY, "residual of the energy balance")                                          \
    X(fabric_xx, RATIO, "fabric xx") /* mean of n (x) n over the contacts */                       \
    X(fabric_yy, RATIO, "fabric yy")                                                               \
    X(fabric_zz, RATIO, "fabric zz")                                                               \
    X(fabric_yz, RATIO, "fabric yz")                                                               \
    X(fabric_xz, RATIO, "fabric xz")                                                               \
    X(fabric_xy, RATIO, "fabric xy")                                                               \
    X(fabric_deviator, RATIO, "deviator of the fabric") /* sqrt(3/2 F':F'), F' the deviator */     \
    X(rattlers, RATIO, "number of rattlers")                                                       \
    X(stress_deviator, STRESS, "deviator stress, without sign") /* [Pa] */                         \
    X(ru, RATIO, "pore-pressure ratio")                                                            \
    X(cycle, RATIO, "cycle") /* completed cycles, with the fraction of the present one */          \
    TW_CONTACT_STORED_MORE(TW_HISTORY_STORED, X)                                                   \
    TW_CONTACT_LOST_MORE(TW_HISTORY_LOST, X)                                                       \
    X(total_strain, STRAIN, "strain of the path since the test began") /* docs/guide/run.md */     \
    X(total_strain_xx, STRAIN, "strain xx since the test began")                                   \
    X(total_strain_yy, STRAIN, "strain yy since the test began")                                   \
    X(total_strain_zz, STRAIN, "strain zz since the test began")                                   \
    X(total_strain_yz, STRAIN, "shear strain yz since the test began")                             \
    X(total_strain_xz, STRAIN, "shear strain xz since the test began")                             \
    X(total_strain_xy, STRAIN, "shear strain xy since the test began")                             \
    X(total_strain_volume, STRAIN, "volumetric strain since the test began")                       \
    X(total_work, ENERGY, "work on the cell since the test began")                                 \
    X(pore_pressure, STRESS, "pore pressure")                   /* [Pa] */                         \
    X(p_total, STRESS, "mean total stress, with the pores")     /* [Pa] */                         \
    X(anisotropy_contacts, RATIO, "anisotropy of contacts a_c") /* docs/theory/measures.md */      \
    X(anisotropy_branches, RATIO, "anisotropy of branch lengths a_d")                              \
    X(anisotropy_normal, RATIO, "anisotropy of normal forces a_n")                                 \
    X(anisotropy_tangential, RATIO, "anisotropy of tangential forces a_t")                         \
    X(anisotropy_sum, RATIO, "2/5 (a_c + a_d + a_n + 3/2 a_t)")                                    \
    X(strong_fraction, RATIO, "fraction of contacts with more than the mean normal force")         \
    X(strong_p, RATIO, "their share of the mean stress")                                           \
    X(strong_q, RATIO, "their share of the deviator stress")                                       \
    X(friction_mobilised, RATIO, "mean mobilised friction")                                        \
    X(redundancy, RATIO, "motions that contacts prevent over those of grains")                     \
    X(bulk_modulus, STRESS, "bulk modulus")                                                        \
    X(shear_modulus, STRESS, "shear modulus")                                                      \
    X(stiffness_xx, STRESS, "stiffness xx") /* diagonal of C */                                    \
    X(stiffness_yy, STRESS, "stiffness yy")                                                        \
    X(stiffness_zz, STRESS, "stiffness zz")                                                        \
    X(stiffness_yz, STRESS, "stiffness yz")                                                        \
    X(stiffness_xz, STRESS, "stiffness xz")                                                        \
    X(stiffness_xy, STRESS, "stiffness xy")                                                        \
    X(check, RATIO,                                                                                \
      "check sum of the row") /* CRC-32 of the rows so far; the last column of history.csv */

/* Units of the dimensions. */
#define TW_HISTORY_UNIT_RATIO "1"
#define TW_HISTORY_UNIT_STRAIN "1"
#define TW_HISTORY_UNIT_STRESS "Pa"
#define TW_HISTORY_UNIT_ENERGY "J"
#define TW_HISTORY_UNIT_TIME "s"
#define TW_HISTORY_UNIT_VOLUME "m3"

typedef enum tw_history_column {
#define TW_HISTORY_COLUMN_MEMBER(name, dimension, text) TW_HISTORY_##name,
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
