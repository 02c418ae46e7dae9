/* SPDX-License-Identifier: GPL-2.0-only */
/* twirl-lmp: LAMMPS with the styles of twirl. Takes the command line of lmp. */
#include <mpi.h>

#include <input.h>
#include <lammps.h>

#include "styles.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    auto *lmp = new LAMMPS_NS::LAMMPS(argc, argv, MPI_COMM_WORLD);
    twirl_lammps::add_styles(lmp);
    lmp->input->file();
    delete lmp;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
