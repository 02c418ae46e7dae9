/* SPDX-License-Identifier: GPL-2.0-only */
/* The steps of the engine in LAMMPS. An atom is a body: a sphere, or a rigid cluster of spheres.
 * The numbers of the engine (model, cell, servo, energy balance) are the same on all processes;
 * columns of bodies are by local atom. The cell of LAMMPS has its first edge along x and the second
 * in the x-y plane: vectors there are those of the engine, seen from axes that turn with the cell.
 */
#ifndef TWIRL_LAMMPS_ENGINE_FIX_TWIRL_STEP_H
#define TWIRL_LAMMPS_ENGINE_FIX_TWIRL_STEP_H

#include <unordered_map>
#include <vector>

#include "device/device.h"
#include "engine/tiled_contacts.h"
#include "pair_twirl.h"

namespace twirl_lammps
{

/* All columns of a body. */
struct Body {
#define TW_COLUMN(type, name) type name;
#include "world/body_columns.def"
};

Body body_of(const tw_bodies &bodies, size_t i);
void put_body(tw_bodies &bodies, size_t i, const Body &body);

/* The tag of a body: its id, counted from 1. */
inline int64_t tag_of(const Body &body)
{
    return static_cast<int64_t>(body.id) + 1;
}

/* A contact on its way to the processes that have its bodies, in the axes of the engine. */
struct SentContact {
    int64_t p, q;       /* tags of the bodies */
    int32_t own, other; /* and their spheres */
    tw_contact_memory memory;
    int64_t sliding;
    tw_contact_parts extra;
};

/* And on its way back: as the engine counts bodies that come process by process. */
struct GivenContact {
    tw_pair pair;
    uint32_t body; /* of p */
    int64_t sliding;
    tw_contact_memory memory;
    tw_contact_parts extra;
};

/* From the axes of LAMMPS to those of the engine, for a cell with these edges. */
tw_mat3 box_frame(const tw_mat3 &h);

class FixTwirlStep : public LAMMPS_NS::Fix
{
  public:
    FixTwirlStep(LAMMPS_NS::LAMMPS *lmp, int narg, char **arg);
    ~FixTwirlStep() override;

    /* The numbers of the engine. Of the state the bodies are those of this process, but their count
     * is that of all. */
    tw_model model = {};
    tw_state state = {};
    tw_servo servo = {};
    tw_schedule schedule = {};          /* numbers only */
    double kinetic[TW_COMPONENTS] = {}; /* sum of m v (x) v [J] */

    tw_status failed = TW_STATUS_OK; /* why the last steps ended early */
    std::vector<tw_device_history_step> passed;

    tw_mat3 frame; /* box_frame of the present cell */

    bool timed = false; /* LAMMPS writes its times after each run */

    /* Body i has been created. */
    void take_body(int i, const Body &body);
    /* Contacts that the first run begins with; those of other processes are ignored. */
    void take_contacts(const SentContact *contacts, size_t count);
    /* Laws may have changed. */
    void renew_laws();
    /* The first time all bodies and contacts are there, and the first process has dropped its own.
     */
    void run(uint64_t steps);

    void measure(tw_tally *tally, tw_move_energy *energy);

    /* What this process has, as of a neighbour list that is made now. First begin_giving, on all
     * processes; it returns how many contacts all have. Then bodies by atom, and contacts by number
     * in the order of pairs, each on one process, until end_giving. */
    size_t begin_giving();
    Body give_body(int i) const;
    size_t contacts_to_give() const
    {
        return order.size();
    }
    GivenContact give_contact(size_t number) const;
    void end_giving();

    /* Displacements are counted from here. */
    void forget_displacements();

    int setmask() override;
    void init() override;
    void setup_pre_exchange() override;
    void setup_pre_neighbor() override;
    void setup(int) override;
    void initial_integrate(int) override;
    void pre_exchange() override;
    void pre_neighbor() override;
    void pre_force(int) override;
    void post_force(int) override;

    void grow_arrays(int nmax) override;
    void copy_arrays(int from, int to, int) override;
    int pack_exchange(int i, double *buffer) override;
    int unpack_exchange(int i, double *buffer) override;
    int pack_border(int n, int *list, double *buffer) override;
    int unpack_border(int n, int first, double *buffer) override;
    int pack_forward_comm(int n, int *list, double *buffer, int, int *) override;
    void unpack_forward_comm(int n, int first, double *buffer) override;

  private:
    PairTwirl *pair = nullptr;
    FixTwirlMemory *kept = nullptr;
    Clusters clusters;
    TiledContacts tiled;
    double moved[TW_MOVE_SUMS] = {}; /* of the bodies of this process in the step */
    bool clustered = false;          /* some body is more than a sphere */
    bool listed = false;             /* neighbours were found in the step */
    bool placed = false;             /* LAMMPS has all bodies as they are, not only those sent */
    std::vector<int> sent;           /* bodies that are ghosts elsewhere, or as images */
    std::vector<double> out;         /* 1: the body carries no force */
    enum { TURNS, OUT, PLACES } sending = TURNS; /* what messages to ghosts have: orientations, */
                                                 /* `out`, or `place_of` and `sphere_of` */
    std::vector<tw_vec3> place_of; /* while bodies are given: in the cell, also of ghosts [m] */
    std::vector<double> sphere_of; /* and the number of their first sphere */
    uint32_t body_before = 0;      /* bodies of the processes before this one */

    /* A contact to be given, by the order of pairs. */
    struct Ordered {
        uint32_t body_p, body_q; /* first spheres of the bodies */
        uint32_t image;          /* tw_shift_key */
        uint32_t p, q;           /* spheres */
        uint32_t slot;
    };
    std::vector<Ordered> order;
    std::unordered_map<int64_t, int> atom_of; /* by tag, for contacts that come in parts */

    bool begun = false;

    void begin();
    void steer();
    void move();
    void set_box();
    void put(double *to, const tw_vec3 &v) const;
    void place(int i);
    void place_all();
    void bring();
    void find_spheres();
    void find_kinetic(double *sum) const;
    void check_dt(size_t before);
    double stable_step();
    void fail(tw_status status);
    mutable double reducing = 0.0; /* time in sums over processes [s] */
    void sum_all(double *values, int count) const;
    void write_times(double seconds) const;
    bool is_contact(size_t slot) const;
    double share_of(size_t slot) const;
    void find_rattlers(tw_tally *tally);
    void send_out();
    tw_pair pair_of(size_t slot, bool *turned) const;
};

} // namespace twirl_lammps

#endif
