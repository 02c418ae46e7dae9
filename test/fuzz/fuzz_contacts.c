/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of contacts of `pair_style twirl`, with a valid file of atoms that touch. */
#include "fuzz.h"

#include <string.h>

#include "exchange/specimen.h"

#include "../must.h"

static const char atoms[] = "a cluster and two spheres\n4 atoms\n0 1 xlo xhi\n0 1 ylo yhi\n"
                            "0 1 zlo zhi\n\nAtoms # hybrid sphere molecular\n\n"
                            "1 1 0.2 0.2 0.2 0.2 1000 1\n2 1 0.3 0.2 0.2 0.2 1000 1\n"
                            "3 1 0.499 0.2 0.2 0.2 1000 0\n4 1 0.2 0.2 0.999 0.406 1000 0\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tw_error error = {TW_STATUS_OK, ""};
    tw_specimen *specimen =
        tw_specimen_read_lammps_data(fuzz_file((const uint8_t *)atoms, strlen(atoms)), &error);
    if (!specimen) fuzz_fail(error.text);
    tw_sim_def def = tw_sim_def_default();
    def.law.kn = def.law.kt = 1e5;
    def.law.mu = 0.5;
    def.threads = 1;
    tw_sim *sim = tw_specimen_build(specimen, &def, &error);
    if (!sim) fuzz_fail(error.text);
    const tw_status status =
        tw_specimen_read_lammps_contacts(specimen, fuzz_file(data, size), sim, &error);
    if ((status == TW_STATUS_OK) != (error.text[0] == '\0')) fuzz_fail("status and error disagree");
    tw_error after;
    if (status == TW_STATUS_OK && tw_sim_run(sim, 1, &after) == TW_STATUS_OK &&
        !(must_measure(sim).p > 0.0))
        fuzz_fail("overlapping spheres have no pressure");
    tw_sim_free(sim);
    tw_specimen_free(specimen);
    return 0;
}
