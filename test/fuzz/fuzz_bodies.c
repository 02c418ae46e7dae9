/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of bodies of `fix rigid/small`, with a valid file of atoms. */
#include "fuzz.h"

#include <string.h>

#include "exchange/specimen.h"

static const char atoms[] =
    "two clusters and a sphere\n5 atoms\n0 1 xlo xhi\n0 1 ylo yhi\n0 1 zlo zhi\n\n"
    "Atoms # hybrid sphere molecular\n\n"
    "1 1 0.2 0.2 0.2 0.2 1000 1\n2 1 0.3 0.2 0.2 0.2 1000 1\n"
    "3 1 0.7 0.2 0.2 0.2 1000 7\n4 1 0.8 0.2 0.2 0.2 1000 7\n"
    "5 1 0.5 0.7 0.7 0.2 1000 0\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tw_error error = {TW_STATUS_OK, ""};
    tw_specimen *specimen =
        tw_specimen_read_lammps_data(fuzz_file((const uint8_t *)atoms, strlen(atoms)), &error);
    if (!specimen) fuzz_fail(error.text);
    const tw_status status =
        tw_specimen_read_lammps_bodies(specimen, fuzz_file(data, size), &error);
    if ((status == TW_STATUS_OK) != (error.text[0] == '\0')) fuzz_fail("status and error disagree");
    double density = 0.0;
    if (status == TW_STATUS_OK && tw_specimen_density(specimen, &density, &error) == TW_STATUS_OK &&
        !(density > 0.0))
        fuzz_fail("invalid density");
    tw_specimen_free(specimen);
    return 0;
}
