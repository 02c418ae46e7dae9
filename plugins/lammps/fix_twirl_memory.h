/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory of the contacts of pair_style twirl.
 *
 * It lives in one of two places. Between two searches for neighbours it lies beside the pairs, in
 * the order in which the pair style walks through them (first, near, touch, contact). While atoms
 * change their owner, between runs, and in restart files it is kept with the atoms: each has a
 * chain of notes, one per contact, written as this atom sees it. gather() and scatter() go from the
 * one to the other. The pair style makes this fix; users never do.
 */
#ifndef TWIRL_LAMMPS_FIX_TWIRL_MEMORY_H
#define TWIRL_LAMMPS_FIX_TWIRL_MEMORY_H

#include <string>
#include <vector>

#include "host.h"

namespace twirl_lammps
{

/* A pair that is near. */
struct Near {
    int j;    /* the neighbour */
    int slot; /* of its contact; NO_SLOT: does not touch */
};

enum { NO_SLOT = -1 };

/* Two atoms that touch, or do not touch yet. */
struct Couple {
    int i, j; /* the atom whose neighbours are looked at, p of its memory, and the neighbour */
    int near; /* where the pair is in the list; -1 in an empty slot */
};

/* In diameters: what a box may move a pair in a step. */
constexpr double TOLERANCE = 1e-4;

/* Numbers of a note in a message or a restart file. */
enum { NOTE_VALUES = 13 };

/* A contact as the atom knows it that keeps the note. */
struct Note {
    tw_contact_memory memory;
    double lost;  /* to friction since the contact began */
    tw_vec3 drag; /* damping force of the last step */
    double sliding;
    LAMMPS_NS::tagint partner;
    int next; /* of this atom; -1: the last */
};

class FixTwirlMemory : public LAMMPS_NS::Fix
{
  public:
    FixTwirlMemory(LAMMPS_NS::LAMMPS *lmp, int narg, char **arg);
    ~FixTwirlMemory() override;

    /* Beside the pairs; pair number k of the ii-th atom of the list is near[first[ii] + k]. */
    std::vector<int> first;
    std::vector<Near> near;
    std::vector<Couple> suitors; /* pairs that are near and do not touch, in any order */

    /* By slot. After a search they are in the order of pairs; contacts that come later fill empty
     * slots. */
    std::vector<Couple> touch;
    std::vector<tw_contact_memory> contact; /* an empty slot has a gap */
    std::vector<double> lost;               /* to friction since the contact began */
    std::vector<unsigned char> sliding;     /* in the last step */
    std::vector<tw_vec3> drag;              /* damping force in the last step; if damped */
    bool damped = false;

    /* The pair style has advanced what is beside the pairs. */
    void advanced()
    {
        beside_pairs = true;
    }

    /* The run that begins goes on from one before it: some atom of some process remembers. */
    bool goes_on = false;

    /* Since the first run began, on this process. */
    double friction = 0.0, viscous = 0.0;

    void belong_to(LAMMPS_NS::Pair *owner);
    /* Tangential forces to start with. */
    void read_contacts(const std::string &path);
    /* Where the contacts at the end of each run go; empty: nowhere. */
    std::string save_path;
    /* A slot for a pair; it is no suitor any more, says the caller. */
    int open_slot(const Couple &couple, const tw_contact_memory &begin);
    /* Its pair is a suitor again. */
    void close_slot(int slot);
    /* Whether the pair has not been moved since the last step, but for what a deforming box does to
     * it in one. */
    bool is_where_it_was(const tw_contact_memory &m, int i, int j) const;
    /* The contact of i with its neighbour j: where it is in `near`, or -1. */
    int find(int i, int j) const;

    int setmask() override;
    void init() override;
    void setup_post_neighbor() override;
    void pre_exchange() override;
    void post_neighbor() override;
    void post_run() override;

    void grow_arrays(int nmax) override;
    void copy_arrays(int from, int to, int) override;
    void set_arrays(int i) override;
    int pack_exchange(int i, double *buffer) override;
    int unpack_exchange(int i, double *buffer) override;
    int pack_reverse_comm_size(int n, int begin) override;
    int pack_reverse_comm(int n, int begin, double *buffer) override;
    void unpack_reverse_comm(int n, int *list, double *buffer) override;

    void write_restart(FILE *file) override;
    void restart(char *buffer) override;
    int pack_restart(int i, double *buffer) override;
    void unpack_restart(int i, int nth) override;
    int size_restart(int i) override;
    int maxsize_restart() override;
    double memory_usage() override;

  private:
    LAMMPS_NS::Pair *pair = nullptr;
    bool beside_pairs = false; /* what is beside the pairs is newer than the notes */
    std::vector<int> free_slots;
    std::vector<int> rows; /* by atom: where it is in the list, plus 1; 0: nowhere */
    int owned = 0;         /* atoms when the list was made */

    std::vector<int> head; /* by atom: its first note, or -1 */
    std::vector<Note> notes;

    struct Wanted {
        LAMMPS_NS::tagint id[2];
        int line;
        int met;
    };
    std::vector<Wanted> wanted; /* contacts of a file that have not yet been seen to touch */
    std::string wanted_path;

    void gather();
    void scatter();
    void write_note(int i, const Note &note);
    int take_note(int i, int j);
    bool settle_note(int note, const Couple &couple);
    int count_notes(int i) const;
    int largest_count() const;
    void set_exchange_size();
    int pack_notes(int i, double *buffer) const;
    int unpack_notes(int i, const double *buffer);
    void expect_all_met();
    void save_contacts() const;
};

} // namespace twirl_lammps

#endif
