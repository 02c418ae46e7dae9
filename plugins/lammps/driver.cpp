/* SPDX-License-Identifier: GPL-2.0-only */
/* twirl-lmp: LAMMPS with the styles of twirl. Takes the command line of lmp. */
#include <dlfcn.h>
#include <mpi.h>

#include <input.h>
#include <lammps.h>

#include "styles.h"

/* LAMMPS calls this whenever it has created its styles, at the start and in the command `clear`.
 * This definition comes first in the order of symbols, and calls the library's. */
void LAMMPS_NS::LAMMPS::post_create()
{
    using Function = void (*)(LAMMPS_NS::LAMMPS *);
    static const auto original =
        reinterpret_cast<Function>(dlsym(RTLD_NEXT, "_ZN9LAMMPS_NS6LAMMPS11post_createEv"));
    twirl_lammps::add_styles(this);
    if (original) original(this);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    auto *lmp = new LAMMPS_NS::LAMMPS(argc, argv, MPI_COMM_WORLD);
    lmp->input->file();
    delete lmp;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
