/* SPDX-License-Identifier: GPL-2.0-only */
/* pair_style twirl: the contact law of twirl between spheres. README.md has the syntax. */
#ifndef TWIRL_LAMMPS_PAIR_TWIRL_H
#define TWIRL_LAMMPS_PAIR_TWIRL_H

#include <string>
#include <vector>

#include "fix_twirl_memory.h"
#include "host.h"

namespace twirl_lammps
{

class PairTwirl : public LAMMPS_NS::Pair
{
  public:
    explicit PairTwirl(LAMMPS_NS::LAMMPS *lmp);
    ~PairTwirl() override;

    void compute(int eflag, int vflag) override;
    double single(int i, int j, int itype, int jtype, double rsq, double, double,
                  double &fforce) override;

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

    /* A pass over the pairs. */
    struct Pass;

  private:
    tw_contact_law style;               /* kind and refinements of all pairs */
    std::vector<tw_contact_law> laws;   /* by types: [i * (ntypes + 1) + j] */
    std::vector<double> largest_radius; /* by type */
    std::string contacts_path, save_path;
    FixTwirlMemory *fix_memory = nullptr;
    std::string fix_id;

    std::vector<tw_vec3> x_last; /* positions of atoms and ghosts in the last step */
    bool x_last_valid = false;   /* the numbering of atoms has not changed since */

    void allocate();
    const tw_contact_law &law_of(int i, int j) const;
    void find_largest_radii();
    void restore(Pass &pass);
    void advance(Pass &pass);
    template <typename Begin> void open_contacts(const Pass &pass, const Begin &begin);
    void advance_batch(Pass &pass, int begin, int count);
    tw_contact_memory fresh_memory(int i, int j, const tw_vec3 &branch) const;
    void store_positions();
    void add_force(Pass &pass, int i, int j, int slot, const tw_contact_memory &m,
                   const tw_contact_law &law, const tw_contact_load &load);
    void tally(Pass &pass, int i, int j, double share, const tw_contact_memory &m,
               const tw_contact_law &law, const tw_contact_load &load);
};

} // namespace twirl_lammps

#endif
