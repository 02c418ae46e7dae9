/* SPDX-License-Identifier: GPL-2.0-only */
/* twirl-lmp: LAMMPS with the styles of twirl. Takes the command line of lmp. */
#include <cstdio>
#include <cstring>

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
    using namespace twirl_lammps;
    (*force->pair_map)["twirl"] = make_pair<Pair, LAMMPS>;
    (*modify->fix_map)["TWIRL/MEMORY"] = make_fix<FixTwirlMemory, Fix, LAMMPS>;
    (*modify->fix_map)["wall/twirl"] = make_fix<FixWallTwirl, Fix, LAMMPS>;
    if (original) original(this);
}

/* cmake/manual_lmp.sh makes the manual page from this and from what LAMMPS adds. */
static const char help[] =
    "twirl-lmp - LAMMPS with the contact law of twirl\n"
    "\n"
    "twirl-lmp takes the command line and the input scripts of lmp, and adds two styles:\n"
    "\"pair_style twirl\" for contacts of spheres and of rigid clusters of spheres, and\n"
    "\"fix ID group wall/twirl\" for their contacts with planes. README.md of the package\n"
    "describes their arguments. \"twirl export lammps\" writes a state of twirl as a run that\n"
    "goes on with them.\n";

/* LAMMPS knows -h and -help; other programs have --help. */
static void show_help(char **argv)
{
    static char name[] = "-help";
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::fputs(help, stdout);
    std::fflush(stdout);
    argv[1] = name;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc == 2 && (std::strcmp(argv[1], "-h") == 0 || std::strcmp(argv[1], "-help") == 0 ||
                      std::strcmp(argv[1], "--help") == 0))
        show_help(argv);
    auto *lmp = new LAMMPS_NS::LAMMPS(argc, argv, MPI_COMM_WORLD);
    lmp->input->file();
    delete lmp;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
