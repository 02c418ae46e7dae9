/* SPDX-License-Identifier: GPL-2.0-only */
/* The contacts of a process as tiles of the engine, which advances them in lanes: state.contacts
 * and the schedule hold them from one search to the next. Atoms and ghosts are the body slots, in
 * the axes of the engine. Contacts with ghosts are a tile of their own: two processes have them, or
 * two images, so that their sums count half. */
#ifndef TWIRL_LAMMPS_ENGINE_TILED_CONTACTS_H
#define TWIRL_LAMMPS_ENGINE_TILED_CONTACTS_H

#include <vector>

#include "fix_twirl_memory.h"
#include "step/move.h"
#include "step/touch_part.h"

namespace twirl_lammps
{

ContactState turned(const tw_mat3 &by, const ContactState &contact);

class TiledContacts : public ContactsElsewhere, protected LAMMPS_NS::Pointers
{
  public:
    /* What the fix has: the numbers of the engine, and the axes of LAMMPS. */
    TiledContacts(LAMMPS_NS::LAMMPS *host, const tw_model &of, tw_state &with, tw_schedule &in,
                  const tw_mat3 &seen_from)
        : Pointers(host), model(of), state(with), schedule(in), frame(seen_from)
    {
    }
    ~TiledContacts() override;

    FixTwirlMemory *kept = nullptr;

    /* Whether the step has moved bodies, and how; the longest way of one since the search, on all
     * processes [m].
     */
    bool moved = false;
    tw_move_flow flow = {};
    double far = 0.0;

    /* Sums of the step. */
    double sum[TW_TOUCH_SUMS] = {};
    bool bad = false; /* an overlap is excessive, or a force not finite */

    void advance() override;
    void bring() override;
    void renew() override
    {
        listed = false;
    }

  private:
    const tw_model &model;
    tw_state &state;
    tw_schedule &schedule;
    const tw_mat3 &frame;
    bool listed = false;    /* the tiles hold what FixTwirlMemory found in the last search */
    bool brought = false;   /* FixTwirlMemory has them as they are */
    std::vector<int> edges; /* atoms in contact with ghosts, or near them */

    enum { INNER, ACROSS, TILES };

    void list();
    void make_room(size_t atoms, const uint32_t *pairs);
    void list_spheres(uint32_t atoms);
    void list_contacts();
    void list_candidates();
    void list_edges();
    int tile_of(const AtomPair &atoms) const;
    void keep_extras();
    void load_ghosts();
    void load(uint32_t begin, uint32_t end);
    void begin_contacts(tw_tile *tile);
    tw_vec3 branch_before(uint32_t p, uint32_t q) const;
    tw_vec3 velocity(uint32_t atom_index) const;
    void add_moment(uint32_t i, double factor);
    void finish();
};

} // namespace twirl_lammps

#endif
