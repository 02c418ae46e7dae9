/* SPDX-License-Identifier: GPL-2.0-only */
/* pair_style twirl: the contact law of twirl between spheres. README.md has the syntax. */
#ifndef TWIRL_LAMMPS_PAIR_TWIRL_H
#define TWIRL_LAMMPS_PAIR_TWIRL_H

#include <string>
#include <vector>

#include "fix_twirl_memory.h"
#include "host.h"
#include "law_arguments.h"

namespace twirl_lammps
{

class PairTwirl : public LAMMPS_NS::Pair
{
  public:
    explicit PairTwirl(LAMMPS_NS::LAMMPS *lmp);
    ~PairTwirl() override;

    void compute(int eflag, int vflag) override;
    double single(int i, int j, int, int, double rsq, double, double, double &fforce) override;

    void settings(int narg, char **arg) override;
    void coeff(int narg, char **arg) override;
    void init_style() override;
    double init_one(int i, int j) override;
    void write_restart(FILE *file) override;
    void read_restart(FILE *file) override;
    void write_restart_settings(FILE *file) override;
    void read_restart_settings(FILE *file) override;
    void write_data(FILE *file) override;
    void write_data_all(FILE *file) override;
    double memory_usage() override;
    int pack_forward_comm(int n, int *atoms, double *buffer, int, int *) override;
    void unpack_forward_comm(int n, int begin, double *buffer) override;

    /* The law of a pair of types, from init() on; flags are not applied. */
    const tw_contact_law &law_of(int i, int j) const;
    /* Masses of the bodies that atoms belong to, ghosts included; 0: infinite. Up to date in a step
     * if some law needs them. */
    const std::vector<double> &body_masses() const
    {
        return body_mass;
    }
    bool needs_masses() const
    {
        return by_mass;
    }

    FixTwirlMemory *contacts() const
    {
        return fix_memory;
    }
    /* The laws of all pairs of types, `count` of them from 1 on. */
    void set_laws(const tw_contact_law *table, int count);
    tw_contact_law law_at(const AtomPair &atoms) const;

    /* A pass over the pairs. */
    struct Pass;

  private:
    tw_contact_law style;               /* kind and refinements of all pairs */
    std::vector<LawCoefficients> given; /* by types: [i * (ntypes + 1) + j], i <= j */
    std::vector<tw_contact_law> laws;   /* by types: [i * (ntypes + 1) + j] */
    int32_t normal = -1;                /* of all laws; -1: not known yet */
    bool by_mass = false;               /* some law has damping ratios */
    bool by_radius = false;             /* radii of a pair enter some law, not only its movement */
    std::vector<double> body_mass;
    std::vector<double> largest_radius; /* by type */
    std::string contacts_path;
    FixTwirlMemory *fix_memory = nullptr;
    std::string fix_id;

    std::vector<tw_vec3> x_last; /* positions of atoms and ghosts in the last step */
    bool x_last_valid = false;   /* the numbering of atoms has not changed since */

    void allocate();
    LawCoefficients &given_of(int i, int j);
    void find_masses();
    void find_largest_radii();
    void restore(Pass &pass);
    void advance(Pass &pass);
    template <typename Begin> void open_contacts(const Pass &pass, const Begin &begin);
    void advance_batch(Pass &pass, int begin, int count);
    tw_contact_memory fresh_memory(const AtomPair &atoms, const tw_vec3 &branch) const;
    void store_positions();
    void add_force(Pass &pass, int slot, const tw_contact_memory &m, const tw_contact_load &load);
    void tally(Pass &pass, int slot, double share, const tw_contact_memory &m,
               const tw_contact_load &load);
};

} // namespace twirl_lammps

#endif
