/* SPDX-License-Identifier: GPL-2.0-only */
#include "pair_twirl.h"

#include <algorithm>
#include <cstring>

#include <twirl/simd.h>

#include "law_words.h"

using namespace LAMMPS_NS;

namespace twirl_lammps
{

/* What compute pair gives. */
enum { SUMS = 6 };

/* What compute pair/local gives as p1, p2 ... */
enum { OF_A_CONTACT = 13 };

PairTwirl::PairTwirl(LAMMPS *host) : Pair(host), style(tw_contact_law_default())
{
    single_enable = 1;
    single_extra = OF_A_CONTACT;
    svector = new double[OF_A_CONTACT]();
    nextra = SUMS;
    pvector = new double[SUMS]();
    no_virial_fdotr_compute = 1;
    centroidstressflag = CENTROID_NOTAVAIL;
    writedata = 1;

    /* The place among the fixes is that of this command; the fix itself is made when a restart file
     * can give it its memory. */
    int number = 1;
    do {
        past_id = "TWIRL_MEMORY_" + std::to_string(number++);
    } while (modify->find_fix(past_id) >= 0 || modify->find_fix(past_id + "_PLACE") >= 0);
    modify->add_fix(past_id + "_PLACE all DUMMY");
}

PairTwirl::~PairTwirl()
{
    const std::string fix = past ? past_id : past_id + "_PLACE";
    if (modify->find_fix(fix) >= 0) modify->delete_fix(fix); /* a plugin can be unloaded in parts */
    delete[] svector;
    delete[] pvector;
    svector = pvector = nullptr;
    if (allocated) {
        lmp->memory->destroy(setflag);
        lmp->memory->destroy(cutsq);
    }
}

void PairTwirl::allocate()
{
    const int n = atom->ntypes + 1;
    allocated = 1;
    lmp->memory->create(setflag, n, n, "pair:setflag");
    lmp->memory->create(cutsq, n, n, "pair:cutsq");
    for (int i = 0; i < n; i++)
        std::fill(setflag[i], setflag[i] + n, 0);
    laws.assign(static_cast<size_t>(n) * n, style);
    largest.assign(n, 0.0);
}

const tw_contact_law &PairTwirl::law_of(int i, int j) const
{
    return laws[static_cast<size_t>(i) * (atom->ntypes + 1) + j];
}

/* ---- Commands ---- */

void PairTwirl::settings(int narg, char **arg)
{
    style = tw_contact_law_default();
    contacts_path.clear();
    save_path.clear();
    for (int at = 0; at < narg;) {
        const int read = read_law_words(lmp, "pair_style twirl", narg, arg, at, &style);
        if (read) {
            at += read;
        } else if (!std::strcmp(arg[at], "contacts") && at + 1 < narg) {
            contacts_path = arg[at + 1];
            at += 2;
        } else if (!std::strcmp(arg[at], "save") && at + 1 < narg) {
            save_path = arg[at + 1];
            at += 2;
        } else {
            refuse(error, "Illegal pair_style twirl command: unknown or incomplete keyword '" +
                              std::string(arg[at]) +
                              "'; law, without, contacts and save are known");
        }
    }
    for (tw_contact_law &law : laws) {
        law.kind = style.kind;
        law.refine = style.refine;
    }
}

void PairTwirl::coeff(int narg, char **arg)
{
    if (narg < 5 || narg > 6)
        refuse(error, "Incorrect args for pair coefficients: pair_coeff I J kn kt mu [nu]");
    if (!allocated) allocate();
    int ilo, ihi, jlo, jhi, count = 0;
    utils::bounds(FLERR, arg[0], 1, atom->ntypes, ilo, ihi, error);
    utils::bounds(FLERR, arg[1], 1, atom->ntypes, jlo, jhi, error);
    tw_contact_law law = style;
    read_law_constants(lmp, "pair_coeff", narg - 2, arg + 2, &law);
    for (int i = ilo; i <= ihi; i++) {
        for (int j = std::max(jlo, i); j <= jhi; j++) {
            const_cast<tw_contact_law &>(law_of(i, j)) = law;
            setflag[i][j] = 1;
            count++;
        }
    }
    if (!count) refuse(error, "Incorrect args for pair coefficients: pair_coeff has no such types");
}

/* ---- Before a run ---- */

void PairTwirl::find_largest()
{
    std::vector<double> here(largest.size(), 0.0);
    for (int i = 0; i < atom->nlocal; i++)
        here[atom->type[i]] = std::max(here[atom->type[i]], atom->radius[i]);
    /* Those that are still to come. */
    for (int k = 0; k < modify->nfix; k++) {
        const std::string name = modify->fix[k]->style;
        if (name.rfind("pour", 0) && name.rfind("deposit", 0)) continue;
        for (int type = 1; type <= atom->ntypes; type++) {
            int which = type;
            const double *radius = static_cast<double *>(modify->fix[k]->extract("radius", which));
            if (radius) here[type] = std::max(here[type], *radius);
        }
    }
    MPI_Allreduce(here.data(), largest.data(), static_cast<int>(here.size()), MPI_DOUBLE, MPI_MAX,
                  world);
}

void PairTwirl::init_style()
{
    if (!atom->radius_flag || !atom->omega_flag || !atom->torque_flag)
        refuse(error, "Pair style twirl requires atoms with radius, omega and torque: atom_style "
                      "sphere");
    char wrong[128];
    if (!tw_simd_check(wrong, sizeof wrong)) refuse(error, wrong);
    if (!atom->tag_enable) refuse(error, "Pair style twirl requires atoms with IDs");
    if (!comm->ghost_velocity)
        refuse(error, "Pair style twirl requires ghost atoms that store velocity: comm_modify vel "
                      "yes");
    if (update->whichflag == 2)
        refuse(error, "Pair style twirl cannot be minimized: friction has no potential");
    if (std::strncmp(update->integrate_style, "respa", 5) == 0)
        refuse(error, "Pair style twirl cannot be used with run_style respa");
    if (past && modify->find_fix(past_id) < 0)
        refuse(error, "Pair style twirl has lost its fix " + past_id + ": give pair_style again");
    request_list(neighbor, this, instance_me);
    find_largest();
    if (!past) {
        past = static_cast<FixTwirlMemory *>(
            modify->replace_fix(past_id + "_PLACE", past_id + " all TWIRL/MEMORY", 0));
        past->belong_to(this);
        if (!contacts_path.empty() && !past->restart_reset) past->read_contacts(contacts_path);
    }
    past->save_path = save_path;
    past->damped = false; /* unless init_one finds that it is */
}

double PairTwirl::init_one(int i, int j)
{
    tw_contact_law &law = const_cast<tw_contact_law &>(law_of(i, j));
    if (!setflag[i][j]) {
        law = mix_laws(law_of(i, i), law_of(j, j));
        expect_law(lmp, "pair_coeff", law);
    }
    const_cast<tw_contact_law &>(law_of(j, i)) = law;
    past->damped = past->damped || law.nu > 0.0;
    return largest[i] + largest[j];
}

/* ---- Files ---- */

void PairTwirl::write_restart_settings(FILE *file)
{
    fwrite(&style, sizeof style, 1, file);
}

void PairTwirl::read_restart_settings(FILE *file)
{
    int read = comm->me || fread(&style, sizeof style, 1, file) == 1;
    MPI_Bcast(&read, 1, MPI_INT, 0, world);
    if (!read) refuse(error, "Pair style twirl: the restart file ends too early");
    MPI_Bcast(&style, sizeof style, MPI_BYTE, 0, world);
}

void PairTwirl::write_restart(FILE *file)
{
    write_restart_settings(file);
    for (int i = 1; i <= atom->ntypes; i++) {
        for (int j = i; j <= atom->ntypes; j++) {
            fwrite(&setflag[i][j], sizeof setflag[i][j], 1, file);
            fwrite(&law_of(i, j), sizeof(tw_contact_law), 1, file);
        }
    }
}

void PairTwirl::read_restart(FILE *file)
{
    read_restart_settings(file);
    allocate();
    for (int i = 1; i <= atom->ntypes; i++) {
        for (int j = i; j <= atom->ntypes; j++) {
            tw_contact_law &law = const_cast<tw_contact_law &>(law_of(i, j));
            int read = comm->me || (fread(&setflag[i][j], sizeof setflag[i][j], 1, file) == 1 &&
                                    fread(&law, sizeof law, 1, file) == 1);
            MPI_Bcast(&read, 1, MPI_INT, 0, world);
            if (!read) refuse(error, "Pair style twirl: the restart file ends too early");
            MPI_Bcast(&setflag[i][j], 1, MPI_INT, 0, world);
            MPI_Bcast(&law, sizeof law, MPI_BYTE, 0, world);
        }
    }
}

static void write_law(FILE *file, const tw_contact_law &law)
{
    fprintf(file, " %.17g %.17g %.17g %.17g\n", law.kn, law.kt, law.mu, law.nu);
}

void PairTwirl::write_data(FILE *file)
{
    for (int i = 1; i <= atom->ntypes; i++) {
        fprintf(file, "%d", i);
        write_law(file, law_of(i, i));
    }
}

void PairTwirl::write_data_all(FILE *file)
{
    for (int i = 1; i <= atom->ntypes; i++) {
        for (int j = i; j <= atom->ntypes; j++) {
            fprintf(file, "%d %d", i, j);
            write_law(file, law_of(i, j));
        }
    }
}

double PairTwirl::memory_usage()
{
    return Pair::memory_usage() + static_cast<double>(x_last.capacity() * sizeof(tw_vec3) +
                                                      laws.capacity() * sizeof(tw_contact_law));
}

} // namespace twirl_lammps
