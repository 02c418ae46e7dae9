/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory of the contacts of pair_style twirl.
 *
 * It has two forms. Between two neighbour searches it is kept by pair, in the order in which the
 * pair style visits them (first, near, touch, contact). While atoms migrate, between runs and in
 * restart files it is kept by atom: each atom has a linked list of records, one per contact, from
 * its own side. gather() and scatter() convert one into the other. The pair style creates this fix;
 * it is not for input scripts.
 */
#ifndef TWIRL_LAMMPS_FIX_TWIRL_MEMORY_H
#define TWIRL_LAMMPS_FIX_TWIRL_MEMORY_H

#include <string>
#include <vector>

#include "contact_file.h"
#include "fix_contacts.h"

namespace twirl_lammps
{

/* A pair within reach. */
struct NearPair {
    int j;    /* the neighbour */
    int slot; /* of its contact, or NO_SLOT */
};

enum { NO_SLOT = -1 };

/* Two spheres in contact, or within reach. */
struct AtomPair {
    int i, j; /* the atom that has the pair in its list, p of the memory, and its neighbour */
    int near; /* index of the pair in `near`; -1 in an empty slot */
    int p, q; /* their spheres: i and j, unless atoms are clusters */
};

/* Atoms that are rigid clusters of spheres, ghosts included. */
struct Clusters {
    std::vector<int> first;     /* first sphere of an atom; one entry more than atoms */
    std::vector<tw_vec3> x;     /* centres of spheres, */
    std::vector<double> radius; /* and their radii */
};

/* How far a deforming box may move a pair in a step, in diameters. */
constexpr double TOLERANCE = 1e-4;

/* A contact as seen from the atom that keeps the record. One from a file has minus the number of
 * its row as the sliding flag. */
struct Record {
    LAMMPS_NS::tagint partner;
    int own, other; /* spheres of clusters, counted from the first of each; 0 otherwise */
    int next;       /* record of this atom; -1: the last */
};

/* Steps of the engine, which has its own form of pairs and contacts from one search to the next. */
class ContactsElsewhere
{
  public:
    /* Forces of a step. */
    virtual void advance() = 0;
    /* Contacts as they are, into `touch` and `contacts` of FixTwirlMemory. */
    virtual void bring() = 0;
    /* FixTwirlMemory has new pairs. */
    virtual void renew() = 0;

  protected:
    ~ContactsElsewhere() = default;
};

class FixTwirlMemory : public FixContacts
{
  public:
    FixTwirlMemory(LAMMPS_NS::LAMMPS *lmp, int narg, char **arg);

    /* By pair; pair k of the ii-th atom in the list is near[first[ii] + k]. */
    std::vector<int> first;
    std::vector<NearPair> near;
    std::vector<AtomPair> candidates; /* pairs within reach that do not touch, in any order */

    /* By contact slot: in the order of pairs after a search; later contacts take empty slots. */
    std::vector<AtomPair> touch;
    Contacts contacts; /* an empty slot has a negative overlap */

    /* What the laws of all pairs need. The pair style collects it before init(), which brings what
     * is kept into that form. */
    uint32_t extras_needed = 0;

    LAMMPS_NS::Pair *pair = nullptr; /* the pair style */
    bool pairs_current = false;      /* the form by pair is newer than the records */
    Clusters *clusters = nullptr;    /* NULL: atoms are spheres */
    /* Not NULL: steps are those of the engine, and runs are continued as they were left. */
    ContactsElsewhere *elsewhere = nullptr;

    /* The run continues an earlier one: some atom on some process has a record. */
    bool continues = false;

    /* The file of initial contacts, read before the first run; empty: none. */
    std::string contacts_path;
    /* The file to write contacts to at the end of each run; empty: none. */
    /* Keeps these parts of extras, of records too. */
    void keep_extras(uint32_t parts);
    /* Takes a slot for a pair. The caller removes it from the candidates. */
    int open_slot(const AtomPair &atoms, const ContactState &state);
    /* The contact of a slot has ended, and its last damping force acts until the next step. */
    void end_slot(int slot)
    {
        ended.push_back(slot);
    }
    /* Empties the slots of contacts that ended in the last step. */
    void close_ended();
    /* Empties a slot; its pair becomes a candidate again. */
    void close_slot(int slot);
    /* The pair has moved since the last step by no more than a deforming box moves it in a step. */
    bool is_unmoved(const tw_contact_memory &m, const AtomPair &atoms) const;
    /* A contact of atom i that the next run begins with, before neighbours are known. */
    void add_record(int i, const Record &record, const ContactState &state);
    /* After that: what messages need to hold. */
    void set_exchange_size();
    /* Contacts as they are in axes turned by the matrix, row by row. */
    void turn(const double *matrix);
    /* Index in `near` of the pair of i with its neighbour j, or -1. */
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
    int size_restart(int i) override;
    int maxsize_restart() override;
    double memory_usage() override;

  private:
    std::vector<int> free_slots;
    std::vector<int> ended; /* slots of contacts that ended in the last step */
    std::vector<int> rows;  /* by atom: its index in the list plus 1; 0: not in the list */
    int owned = 0;          /* number of owned atoms when the list was built */

    std::vector<int> head; /* by atom: its first record, or -1 */
    std::vector<Record> records;
    Contacts record_contacts; /* by record */

    std::vector<FileContact> file_rows; /* of the contact file, until all have been found */
    std::vector<int> file_found;        /* by row: 1: on this process */
    std::string file_path;

    void gather();
    void scatter();
    int record_values() const
    {
        return contacts.values() + (clusters ? 2 : 1);
    }
    void clear_records();
    int take_record(const AtomPair &atoms);
    const tw_vec3 &centre(int sphere) const;
    double radius_of(int sphere) const;
    void list_pair(const AtomPair &atoms);
    bool restore_record(int record, const AtomPair &atoms);
    int count_records(int i) const;
    int max_records() const;
    int unpack_records(int i, const double *buffer);
    void read_contacts(const std::string &path);
};

} // namespace twirl_lammps

#endif
