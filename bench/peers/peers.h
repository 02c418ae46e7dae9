/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the packings and the benchmark: d = m = kn = kt = 1, or Hertz contacts as stiff. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <twirl/math.h>
#include <twirl/sim.h>

#define PEERS_DENSITY (6.0 / TW_MATH_PI) /* mass 1 for a diameter of 1 */
#define PEERS_DT 0.05
#define PEERS_STRAIN 1e-7 /* per step */

/* mu = 0.55; the damping equals that of the peers with gamma_n = gamma_t = 0.2 and a reduced mass
 * of m/2. */
static inline tw_contact_law peers_law(void)
{
    tw_contact_law law = tw_contact_law_default();
    law.kn = law.kt = 1.0;
    law.mu = 0.55;
    law.nu_n = law.nu_t = 0.1;
    return law;
}

/* Hertz contacts with the force of the linear ones at an overlap of 4e-4, and about their damping:
 * that of gran/hertz/history grows with another power of the overlap. The constants of the peers
 * are kn = kt = 100, gamma_n = gamma_t = 20: for equal spheres the root of the reduced radius is
 * 1/2. */
static inline tw_contact_law peers_hertz_law(void)
{
    tw_contact_law law = peers_law();
    law.normal = TW_CONTACT_HERTZ;
    law.kn = law.kt = 100.0;
    law.flags |= TW_CONTACT_BY_RADIUS;
    law.nu_n = law.nu_t = 0.7;
    return law;
}

/* Triaxial: shorter along z, wider along x and y, at constant volume. */
static inline tw_mat3 peers_rate(double strain_per_step)
{
    const double rate = strain_per_step / PEERS_DT;
    return (tw_mat3){{0.5 * rate, 0.0, 0.0, 0.0, 0.5 * rate, 0.0, 0.0, 0.0, -rate}};
}

/* Kuhn's bumpy grain: a central sphere and six satellites on the axes. */
static inline tw_status peers_add_cluster(tw_sim *sim, tw_error *error)
{
    return tw_sim_add_shape_bumpy(sim, 6, 0.6, 0.8, 0.64, NULL, error);
}

#endif
