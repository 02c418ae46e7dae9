/* SPDX-License-Identifier: GPL-2.0-only */
/* twirl-lmp: LAMMPS with the styles of twirl, by the command line of lmp, or a scenario of twirl on
 * many processes, by that of twirl. */
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <mpi.h>

#include <input.h>
#include <lammps.h>

#include "commands/commands.h"
#include "engine/device_lammps.h"
#include "engine/fix_twirl_step.h"
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
    (*modify->fix_map)["TWIRL/STEP"] = make_fix<FixTwirlStep, Fix, LAMMPS>;
    if (original) original(this);
}

/* cmake/manual_lmp.sh makes the manual page from this and from what LAMMPS adds. */
static const char help[] =
    "twirl-lmp - LAMMPS with the contact law of twirl\n"
    "\n"
    "\"mpirun -np 4 twirl-lmp run SCENARIO --out FOLDER\" runs a scenario of twirl on several\n"
    "processes, with all options of \"twirl run\"; \"check\" is there as well.\n"
    "\n"
    "Otherwise twirl-lmp takes the command line and the input scripts of lmp, and adds two "
    "styles:\n"
    "\"pair_style twirl\" for contacts of spheres and of rigid clusters of spheres, and\n"
    "\"fix ID group wall/twirl\" for their contacts with planes. README.md of the package\n"
    "describes their arguments.\n";

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

/* ---- A command of twirl ---- */

static bool runs_command; /* not an input script */

/* One process says what is wrong, and all end: the folder of a run is as after a kill. */
static void end_all(std::string text)
{
    std::replace(text.begin(), text.end(), '\n', ' '); /* newer versions add a page to look at */
    std::fflush(stdout);
    std::fprintf(stderr,
                 "twirl-lmp: LAMMPS: %s; a run goes on from its last checkpoint with --resume\n",
                 text.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
}

/* As post_create: these come first in the order of symbols. */
using ErrorFunction = void (*)(LAMMPS_NS::Error *, TWIRL_ERROR_PARAMETERS);

void LAMMPS_NS::Error::all(TWIRL_ERROR_PARAMETERS)
{
    static const auto original =
        reinterpret_cast<ErrorFunction>(dlsym(RTLD_NEXT, TWIRL_ERROR_SYMBOL("all")));
    if (!runs_command && original) original(this, TWIRL_ERROR_ARGUMENTS);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) end_all(text);
    MPI_Barrier(MPI_COMM_WORLD); /* the first process ends this one */
    std::abort();
}

void LAMMPS_NS::Error::one(TWIRL_ERROR_PARAMETERS)
{
    static const auto original =
        reinterpret_cast<ErrorFunction>(dlsym(RTLD_NEXT, TWIRL_ERROR_SYMBOL("one")));
    if (!runs_command && original) original(this, TWIRL_ERROR_ARGUMENTS);
    end_all(text);
    std::abort();
}

/* However the first process ends. */
static void finish()
{
    twirl_lammps::dismiss();
    MPI_Finalize();
}

static int run_command(int argc, char **argv)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    runs_command = true;
    if (rank != 0) {
        /* The first process saves the run when the job is told to end. */
        std::signal(SIGTERM, SIG_IGN);
        std::signal(SIGINT, SIG_IGN);
        twirl_lammps::serve();
        MPI_Finalize();
        return 0;
    }
    std::atexit(finish);
    setenv("TWIRL_DEVICE", "lammps", 0);
    if (std::strcmp(argv[1], "check") == 0) unsetenv("TWIRL_LAMMPS_DUMP"); /* of runs */
    tw_device_register("lammps", &twirl_lammps::device_lammps);
    return tw_program_main("twirl-lmp", argc, argv);
}

static bool is_command(const char *word)
{
    return std::strcmp(word, "run") == 0 || std::strcmp(word, "check") == 0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc > 1 && is_command(argv[1])) return run_command(argc, argv);
    if (argc > 1 && tw_program_has(argv[1])) {
        int rank;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (rank == 0 && !tw_program_refuse_removed(argc, argv))
            std::fprintf(
                stderr, "twirl-lmp: the commands of twirl here are run and check; use 'twirl %s'\n",
                argv[1]);
        MPI_Finalize();
        return 2;
    }
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
