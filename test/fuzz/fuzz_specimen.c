/* SPDX-License-Identifier: BSD-3-Clause */
/* D-files, CSV of spheres, files of LAMMPS: FUZZ_READ is the reader. An accepted specimen is built
 * if it is small, and its density computed if the file has masses. */
#include "fuzz.h"

#include <string.h>

#include "exchange/specimen.h"

#ifndef FUZZ_READ
#error "FUZZ_READ must be defined: tw_specimen_read or one of tw_specimen_read_..."
#endif

enum { SPHERES_MAX = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tw_error error = {TW_STATUS_OK, ""};
    tw_specimen *specimen = FUZZ_READ(fuzz_file(data, size), &error);
    if ((specimen == NULL) != (error.text[0] != '\0'))
        fuzz_fail("a specimen with an error, or neither");
    if (specimen && tw_specimen_sphere_count(specimen) <= SPHERES_MAX) {
        tw_sim_def def = tw_sim_def_default();
        def.law.kn = def.law.kt = 1.0;
        def.threads = 1;
        tw_sim *sim = tw_specimen_build(specimen, &def, &error);
        if (sim && tw_sim_body_count(sim) != specimen->body_count) fuzz_fail("a body is missing");
        tw_sim_free(sim);
        double density = 0.0;
        if (specimen->mass && tw_specimen_get_density(specimen, &density, &error) == TW_STATUS_OK &&
            !(density > 0.0))
            fuzz_fail("invalid density");
    }
    tw_specimen_free(specimen);
    return 0;
}
