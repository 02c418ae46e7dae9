/* SPDX-License-Identifier: GPL-2.0-only */
/* fix wall/twirl: a rigid plane with the contact law of twirl. README.md has the syntax. */
#ifndef TWIRL_LAMMPS_FIX_WALL_TWIRL_H
#define TWIRL_LAMMPS_FIX_WALL_TWIRL_H

#include <string>
#include <vector>

#include "fix_twirl_memory.h"
#include "host.h"
#include "law_arguments.h"
#include "pair_twirl.h"

namespace twirl_lammps
{

class FixWallTwirl : public FixContacts
{
  public:
    FixWallTwirl(LAMMPS_NS::LAMMPS *lmp, int narg, char **arg);

    int setmask() override;
    void init() override;
    void setup(int vflag) override;
    void post_force(int vflag) override;
    double compute_vector(int n) override;

    void grow_arrays(int nmax) override;
    void copy_arrays(int from, int to, int) override;
    void set_arrays(int i) override;
    int pack_exchange(int i, double *buffer) override;
    int unpack_exchange(int i, double *buffer) override;
    void write_restart(FILE *file) override;
    void restart(char *buffer) override;
    int size_restart(int i) override;
    int maxsize_restart() override;
    double memory_usage() override;

  private:
    enum { SUMS = 8 + int(TW_CONTACT_STORED_KINDS) + int(TW_CONTACT_LOST_KINDS) };

    tw_contact_law style;             /* kind and refinements, if the law is given here */
    LawCoefficients given = {};       /* the law, unless it is that of a type */
    int like_type = 0;                /* the plane is of this atom type; 0: the law is given here */
    const PairTwirl *pair = nullptr;  /* has the laws of types */
    std::vector<tw_contact_law> laws; /* by atom type */
    tw_vec3 point, normal, velocity;  /* the normal points towards the grains */
    std::string contacts_path;
    Contacts contacts;         /* by atom */
    std::vector<char> present; /* by atom: 1: it has a contact, or one that just ended */
    tw_vec3 total = {};        /* force of the grains, in the last step on this process */
    StoredEnergy stored = {};
    double touching = 0.0, sliding = 0.0;
    double sums[SUMS] = {}; /* the values of compute_vector, on this process */
    double all[SUMS] = {};
    LAMMPS_NS::bigint summed = -1; /* the step of `all` */

    void read_arguments(int narg, char **arg);
    int read_law(int narg, char **arg);
    void find_laws();
    double mass_of(int i) const;
    tw_contact_law law_at(int i) const;
    void check_box();
    void read_contacts();
    bool restore(int i, tw_contact_load *load);
    bool advance(int i, double dt, tw_contact_load *load);
    void add_force(int i, const tw_contact_load &load);
    double distance(int i) const;
};

} // namespace twirl_lammps

#endif
