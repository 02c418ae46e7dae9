/* SPDX-License-Identifier: GPL-2.0-only */
#include "pair_twirl.h"

#include <algorithm>
#include <cstring>

#include <twirl/simd.h>

using namespace LAMMPS_NS;

namespace twirl_lammps
{

/* Values of compute pair. */
enum { SUMS = 2 + int(TW_CONTACT_STORED_KINDS) + int(TW_CONTACT_LOST_KINDS) };

/* Values p1, p2 ... of compute pair/local. */
enum { LOCAL_VALUES = 20 };

PairTwirl::PairTwirl(LAMMPS *host) : Pair(host), style(tw_contact_law_default())
{
    single_enable = 1;
    single_extra = LOCAL_VALUES;
    svector = new double[LOCAL_VALUES]();
    nextra = SUMS;
    pvector = new double[SUMS]();
    no_virial_fdotr_compute = 1;
    comm_forward = 1;
    centroidstressflag = CENTROID_NOTAVAIL;
    writedata = 1;

    /* The position among the fixes is that of this command. The fix itself is created later, when a
     * restart file can provide its memory. */
    int number = 1;
    do {
        fix_id = "TWIRL_MEMORY_" + std::to_string(number++);
    } while (modify->find_fix(fix_id) >= 0 || modify->find_fix(fix_id + "_PLACE") >= 0);
    modify->add_fix(fix_id + "_PLACE all DUMMY");
}

PairTwirl::~PairTwirl()
{
    const std::string fix = fix_memory ? fix_id : fix_id + "_PLACE";
    if (modify->find_fix(fix) >= 0)
        modify->delete_fix(fix); /* styles of a plugin can be unloaded one by one */
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
    given.assign(static_cast<size_t>(n) * n, {style, tw_material_default(), 0});
    laws.assign(given.size(), style);
    largest_radius.assign(n, 0.0);
}

const tw_contact_law &PairTwirl::law_of(int i, int j) const
{
    return laws[static_cast<size_t>(i) * (atom->ntypes + 1) + j];
}

LawCoefficients &PairTwirl::given_of(int i, int j)
{
    return given[static_cast<size_t>(std::min(i, j)) * (atom->ntypes + 1) + std::max(i, j)];
}

void PairTwirl::set_laws(const tw_contact_law *table, int count)
{
    if (!allocated) allocate();
    style.kind = table->kind;
    style.refine = table->refine;
    for (int i = 1; i <= count; i++) {
        for (int j = 1; j <= count; j++) {
            setflag[i][j] = 1;
            laws[static_cast<size_t>(i) * (atom->ntypes + 1) + j] = given_of(i, j).law =
                table[static_cast<size_t>(i - 1) * count + (j - 1)];
        }
    }
}

/* ---- Commands ---- */

void PairTwirl::settings(int narg, char **arg)
{
    style = tw_contact_law_default();
    contacts_path.clear();
    for (int at = 0; at < narg;) {
        const int read = read_law_arguments(lmp, "pair_style twirl", narg, arg, at, &style);
        if (read) {
            at += read;
        } else if (!std::strcmp(arg[at], "contacts") && at + 1 < narg) {
            contacts_path = arg[at + 1];
            at += 2;
        } else if (!std::strcmp(arg[at], "save")) {
            error_all(error,
                      "pair_style twirl: 'save' was removed; the files of write_restart keep "
                      "the contacts");
        } else {
            error_all(error, "Illegal pair_style twirl command: unknown or incomplete keyword '" +
                                 std::string(arg[at]) + "'; expected law, without or contacts");
        }
    }
    for (LawCoefficients &one : given) {
        one.law.kind = style.kind;
        one.law.refine = style.refine;
    }
}

void PairTwirl::coeff(int narg, char **arg)
{
    if (narg < 3)
        error_all(error, "Incorrect args for pair coefficients: pair_coeff I J kn kt mu [nu] "
                         "keyword value ..., or pair_coeff I J hertz/material young poisson mu "
                         "keyword value ...");
    if (!allocated) allocate();
    int ilo, ihi, jlo, jhi, count = 0;
    utils::bounds(FLERR, arg[0], 1, atom->ntypes, ilo, ihi, error);
    utils::bounds(FLERR, arg[1], 1, atom->ntypes, jlo, jhi, error);
    const LawCoefficients read = read_law_coefficients(lmp, "pair_coeff", narg - 2, arg + 2, style);
    for (int i = ilo; i <= ihi; i++) {
        for (int j = std::max(jlo, i); j <= jhi; j++) {
            given_of(i, j) = read;
            setflag[i][j] = 1;
            count++;
        }
    }
    if (!count) error_all(error, "Incorrect args for pair coefficients: no such atom types");
}

/* ---- Before a run ---- */

void PairTwirl::find_largest_radii()
{
    std::vector<double> here(largest_radius.size(), 0.0);
    for (int i = 0; i < atom->nlocal; i++)
        here[atom->type[i]] = std::max(here[atom->type[i]], atom->radius[i]);
    /* Atoms that a fix will insert. */
    for (int k = 0; k < modify->nfix; k++) {
        const std::string name = modify->fix[k]->style;
        if (name.rfind("pour", 0) && name.rfind("deposit", 0)) continue;
        for (int type = 1; type <= atom->ntypes; type++) {
            int which = type;
            const double *radius = static_cast<double *>(modify->fix[k]->extract("radius", which));
            if (radius) here[type] = std::max(here[type], *radius);
        }
    }
    MPI_Allreduce(here.data(), largest_radius.data(), static_cast<int>(here.size()), MPI_DOUBLE,
                  MPI_MAX, world);
}

void PairTwirl::init_style()
{
    if (!atom->radius_flag || !atom->omega_flag || !atom->torque_flag)
        error_all(error,
                  "Pair style twirl requires atoms with radius, omega and torque: atom_style "
                  "sphere");
    char wrong[128];
    if (!tw_simd_check(wrong, sizeof wrong)) error_all(error, wrong);
    if (!atom->tag_enable) error_all(error, "Pair style twirl requires atoms with IDs");
    if (!comm->ghost_velocity)
        error_all(error,
                  "Pair style twirl requires ghost atoms that store velocity: comm_modify vel "
                  "yes");
    if (update->whichflag == 2)
        error_all(error,
                  "Pair style twirl cannot be used with minimize: friction has no potential");
    if (std::strncmp(update->integrate_style, "respa", 5) == 0)
        error_all(error, "Pair style twirl cannot be used with run_style respa");
    if (fix_memory && modify->find_fix(fix_id) < 0)
        error_all(error, "Pair style twirl has lost its fix " + fix_id +
                             "; repeat the pair_style command");
    request_list(neighbor, this, instance_me);
    find_largest_radii();
    if (!fix_memory) {
        fix_memory = static_cast<FixTwirlMemory *>(
            modify->replace_fix(fix_id + "_PLACE", fix_id + " all TWIRL/MEMORY", 0));
        fix_memory->pair = this;
        if (!fix_memory->restart_reset) fix_memory->contacts_path = contacts_path;
    }
    fix_memory->extras_needed = 0; /* set by init_one */
    by_mass = by_radius = false;
    normal = -1;
}

static bool has_damping(const tw_contact_law &law)
{
    return law.nu_n > 0.0 || law.nu_t > 0.0 || law.nu_r > 0.0 || law.nu_w > 0.0;
}

double PairTwirl::init_one(int i, int j)
{
    const tw_contact_law law = setflag[i][j]
                                   ? given_of(i, j).law
                                   : mix_coefficients(lmp, given_of(i, i), given_of(j, j), i, j);
    if (acts_at_gap(law))
        error_all(error, "Pair style twirl: contacts of types " + std::to_string(i) + " " +
                             std::to_string(j) + " begin or live at a gap, which LAMMPS cannot do");
    if (normal < 0) normal = law.normal;
    if (law.normal != normal)
        error_all(error, "Pair style twirl: all pairs must have linear springs, or all Hertz "
                         "contacts; types " +
                             std::to_string(i) + " " + std::to_string(j) + " are " +
                             tw_contact_normal_name(law.normal) + ", others " +
                             tw_contact_normal_name(normal));
    const size_t types = static_cast<size_t>(atom->ntypes) + 1;
    laws[i * types + j] = laws[j * types + i] = law;
    const uint32_t extras = tw_contact_law_extras(&law);
    fix_memory->extras_needed |= extras;
    by_radius = by_radius || law.flags & TW_CONTACT_BY_SIZE || extras & ~TW_CONTACT_EXTRA_DAMPING;
    by_mass = by_mass || (law.flags & TW_CONTACT_BY_MASS && has_damping(law));
    return largest_radius[i] + largest_radius[j];
}

/* ---- Files ---- */

/* The first number of the settings: that of this form of the restart file. */
static const double RESTART_FORM = 2.0;

void PairTwirl::write_restart_settings(FILE *file)
{
    fwrite(&RESTART_FORM, sizeof RESTART_FORM, 1, file);
    fwrite(&style, sizeof style, 1, file);
}

void PairTwirl::read_restart_settings(FILE *file)
{
    double form = RESTART_FORM;
    int read = comm->me || (fread(&form, sizeof form, 1, file) == 1 &&
                            fread(&style, sizeof style, 1, file) == 1);
    MPI_Bcast(&read, 1, MPI_INT, 0, world);
    MPI_Bcast(&form, 1, MPI_DOUBLE, 0, world);
    if (form != RESTART_FORM)
        error_all(error, "Pair style twirl: the restart file was written by another version");
    if (!read) error_all(error, "Pair style twirl: the restart file is truncated");
    MPI_Bcast(&style, sizeof style, MPI_BYTE, 0, world);
}

void PairTwirl::write_restart(FILE *file)
{
    write_restart_settings(file);
    for (int i = 1; i <= atom->ntypes; i++) {
        for (int j = i; j <= atom->ntypes; j++) {
            fwrite(&setflag[i][j], sizeof setflag[i][j], 1, file);
            fwrite(&given_of(i, j), sizeof(LawCoefficients), 1, file);
        }
    }
}

void PairTwirl::read_restart(FILE *file)
{
    read_restart_settings(file);
    allocate();
    for (int i = 1; i <= atom->ntypes; i++) {
        for (int j = i; j <= atom->ntypes; j++) {
            LawCoefficients &one = given_of(i, j);
            int read = comm->me || (fread(&setflag[i][j], sizeof setflag[i][j], 1, file) == 1 &&
                                    fread(&one, sizeof one, 1, file) == 1);
            MPI_Bcast(&read, 1, MPI_INT, 0, world);
            if (!read) error_all(error, "Pair style twirl: the restart file is truncated");
            MPI_Bcast(&setflag[i][j], 1, MPI_INT, 0, world);
            MPI_Bcast(&one, sizeof one, MPI_BYTE, 0, world);
        }
    }
}

void PairTwirl::write_data(FILE *file)
{
    for (int i = 1; i <= atom->ntypes; i++) {
        fprintf(file, "%d%s\n", i, law_coefficients_text(given_of(i, i), true).c_str());
    }
}

void PairTwirl::write_data_all(FILE *file)
{
    for (int i = 1; i <= atom->ntypes; i++) {
        for (int j = i; j <= atom->ntypes; j++) {
            const LawCoefficients one = {law_of(i, j), tw_material_default(), 0};
            fprintf(file, "%d %d%s\n", i, j, law_coefficients_text(one, false).c_str());
        }
    }
}

double PairTwirl::memory_usage()
{
    return Pair::memory_usage() + static_cast<double>(x_last.capacity() * sizeof(tw_vec3) +
                                                      laws.capacity() * sizeof(tw_contact_law) +
                                                      given.capacity() * sizeof(LawCoefficients) +
                                                      body_mass.capacity() * sizeof(double));
}

} // namespace twirl_lammps
