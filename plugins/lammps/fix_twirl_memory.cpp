/* SPDX-License-Identifier: GPL-2.0-only */
#include "fix_twirl_memory.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "contact_file.h"

using namespace LAMMPS_NS;

namespace twirl_lammps
{

FixTwirlMemory::FixTwirlMemory(LAMMPS *host, int narg, char **arg) : Fix(host, narg, arg)
{
    restart_global = restart_peratom = 1;
    create_attribute = 1;
    maxexchange_dynamic = 1;
    stores_ids = 1;
    if (force->newton_pair) comm_reverse = 1; /* of variable size; LAMMPS wants a number */
    FixTwirlMemory::grow_arrays(atom->nmax);
    atom->add_callback(Atom::GROW);
    atom->add_callback(Atom::RESTART);
}

FixTwirlMemory::~FixTwirlMemory()
{
    atom->delete_callback(id, Atom::GROW);
    atom->delete_callback(id, Atom::RESTART);
}

void FixTwirlMemory::belong_to(Pair *owner)
{
    pair = owner;
}

int FixTwirlMemory::setmask()
{
    return FixConst::PRE_EXCHANGE | FixConst::POST_NEIGHBOR;
}

void FixTwirlMemory::init()
{
    /* Who sends atoms away before our notes are written would send them without. */
    for (int i = 0; i < modify->nfix && modify->fix[i] != this; i++) {
        if (modify->fix[i]->pre_exchange_migrate) {
            refuse(error, "pair_style twirl must come before fix " +
                              std::string(modify->fix[i]->id) +
                              ", which moves atoms to other "
                              "processes");
        }
    }
    set_exchange_size(); /* notes may have come from a file */
}

int FixTwirlMemory::open_slot(const Couple &couple, const tw_contact_memory &begin)
{
    int slot;
    if (free_slots.empty()) {
        slot = static_cast<int>(contact.size());
        touch.emplace_back();
        contact.emplace_back();
        lost.emplace_back();
        sliding.emplace_back();
        if (damped) drag.emplace_back();
    } else {
        slot = free_slots.back();
        free_slots.pop_back();
    }
    near[couple.near].slot = slot;
    touch[slot] = couple;
    contact[slot] = begin;
    lost[slot] = 0.0;
    sliding[slot] = 0;
    if (damped) drag[slot] = {0.0, 0.0, 0.0};
    return slot;
}

void FixTwirlMemory::close_slot(int slot)
{
    suitors.push_back(touch[slot]);
    near[touch[slot].near].slot = NO_SLOT;
    touch[slot].near = -1;
    contact[slot] = {{1.0, 0.0, 0.0}, -1.0, {0.0, 0.0, 0.0}};
    free_slots.push_back(slot);
}

int FixTwirlMemory::find(int i, int j) const
{
    const int row = static_cast<size_t>(i) < rows.size() ? rows[i] : 0;
    if (!row) return -1;
    for (int k = first[row - 1]; k < first[row]; k++) {
        if (near[k].j == j) return k;
    }
    return -1;
}

/* ---- From the pairs to the atoms and back ---- */

static tw_vec3 opposite(tw_vec3 v)
{
    return {-v.x, -v.y, -v.z};
}

static Note seen_from_other_side(Note note)
{
    note.memory.n = opposite(note.memory.n);
    note.memory.ft = opposite(note.memory.ft);
    note.drag = opposite(note.drag);
    return note;
}

void FixTwirlMemory::write_note(int i, const Note &note)
{
    notes.push_back(note);
    notes.back().next = head[i];
    head[i] = static_cast<int>(notes.size()) - 1;
}

int FixTwirlMemory::count_notes(int i) const
{
    int count = 0;
    for (int k = head[i]; k >= 0; k = notes[k].next)
        count++;
    return count;
}

/* Of any atom on any process: an atom may arrive here and go on to a third. */
int FixTwirlMemory::largest_count() const
{
    int here = 0, all;
    for (int i = 0; i < atom->nlocal; i++)
        here = std::max(here, count_notes(i));
    MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_MAX, world);
    return all;
}

void FixTwirlMemory::set_exchange_size()
{
    maxexchange = 1 + NOTE_VALUES * largest_count();
}

/* Writes notes for both atoms of each contact, because the pair may be found from either side next
 * time. Notes of ghosts go to their owners. With newton off a pair across processes is on both, so
 * each writes for its own atom. */
void FixTwirlMemory::gather()
{
    const tagint *tag = atom->tag;
    notes.clear();
    std::fill(head.begin(), head.end(), -1);
    for (size_t slot = 0; slot < touch.size(); slot++) {
        const int i = touch[slot].i, j = touch[slot].j;
        if (touch[slot].near < 0) continue;
        Note note;
        note.memory = contact[slot];
        note.lost = lost[slot];
        note.drag = damped ? drag[slot] : tw_vec3{0.0, 0.0, 0.0};
        note.sliding = sliding[slot];
        note.partner = tag[j];
        write_note(i, note);
        if (j < owned || force->newton_pair) {
            note = seen_from_other_side(note);
            note.partner = tag[i];
            write_note(j, note);
        }
    }
    if (force->newton_pair) reverse_variable(comm, this, 0);
    set_exchange_size();
}

/* The note of i about its neighbour j, or -1. Where several images of j touch i, the
 * one whose normal is nearest. */
int FixTwirlMemory::take_note(int i, int j)
{
    const tagint partner = atom->tag[j];
    const tw_vec3 xi = vec3_of(atom->x[i]), xj = vec3_of(atom->x[j]);
    int best = -1;
    double best_dot = -HUGE_VAL;
    for (int k = head[i]; k >= 0; k = notes[k].next) {
        if (notes[k].partner != partner) continue;
        const tw_vec3 n = notes[k].memory.n;
        const double dot = n.x * (xj.x - xi.x) + n.y * (xj.y - xi.y) + n.z * (xj.z - xi.z);
        if (dot > best_dot) {
            best = k;
            best_dot = dot;
        }
    }
    if (!(best_dot > 0.0)) return -1;
    notes[best].partner = 0; /* nobody's id: it is used up */
    return best;
}

/* Gives the contact of a note its slot. A note from a file has the number of its row, negative, in
 * place of the sliding flag, and counts only if the two atoms are where it says. */
bool FixTwirlMemory::settle_note(int k, const Couple &couple)
{
    const Note &note = notes[k];
    if (note.sliding < 0.0) {
        if (!is_where_it_was(note.memory, couple.i, couple.j)) return false;
        wanted[static_cast<size_t>(-note.sliding) - 1].met = 1;
    }
    const int slot = open_slot(couple, note.memory);
    lost[slot] = note.lost;
    sliding[slot] = note.sliding > 0.0;
    if (damped) drag[slot] = note.drag;
    return true;
}

bool FixTwirlMemory::is_where_it_was(const tw_contact_memory &m, int i, int j) const
{
    const double *a = atom->x[i], *b = atom->x[j], sum = atom->radius[i] + atom->radius[j];
    const tw_vec3 branch = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return tw_vec3_norm(tw_vec3_add_scaled(branch, m.zeta - sum, m.n)) < TOLERANCE * sum;
}

void FixTwirlMemory::scatter()
{
    const NeighList *list = pair->list;
    const double *radius = atom->radius;
    double **x = atom->x;
    const double skin = neighbor->skin;
    owned = atom->nlocal;
    first.assign(1, 0);
    rows.assign(atom->nlocal, 0);
    near.clear();
    suitors.clear();
    touch.clear();
    contact.clear();
    lost.clear();
    sliding.clear();
    drag.clear();
    free_slots.clear();
    for (int ii = 0; ii < list->inum; ii++) {
        const int i = list->ilist[ii];
        rows[i] = ii + 1;
        for (int jj = 0; jj < list->numneigh[i]; jj++) {
            const int j = list->firstneigh[i][jj] & NEIGHMASK;
            const double dx = x[j][0] - x[i][0], dy = x[j][1] - x[i][1], dz = x[j][2] - x[i][2];
            const double reach = radius[i] + radius[j] + skin;
            if (dx * dx + dy * dy + dz * dz >= reach * reach) continue;
            const Couple couple = {i, j, static_cast<int>(near.size())};
            const int note = take_note(i, j);
            near.push_back({j, NO_SLOT});
            if (note < 0 || !settle_note(note, couple)) suitors.push_back(couple);
        }
        first.push_back(static_cast<int>(near.size()));
    }
    notes.clear();
    std::fill(head.begin(), head.end(), -1);
    advanced();
}

void FixTwirlMemory::setup_post_neighbor()
{
    const int here = !notes.empty();
    int any;
    MPI_Allreduce(&here, &any, 1, MPI_INT, MPI_MAX, world);
    goes_on = any != 0;
    scatter();
    expect_all_met();
}

void FixTwirlMemory::post_neighbor()
{
    scatter();
}

void FixTwirlMemory::pre_exchange()
{
    gather();
    beside_pairs = false;
}

/* Atoms may come, go and move between runs, so the notes count then. What is beside the pairs stays
 * for a run that begins without a search. */
void FixTwirlMemory::post_run()
{
    if (beside_pairs) gather();
    beside_pairs = false;
    if (!save_path.empty()) save_contacts();
}

/* ---- Contacts of a file ---- */

/* Whether this of two notes goes into the file: that of the smaller id, or, where an atom touches
 * an image of itself, the one whose normal points to the positive side. */
static bool is_first(tagint id, const Note &note)
{
    const tw_vec3 n = note.memory.n;
    if (id != note.partner) return id < note.partner;
    return n.x > 0.0 || (n.x == 0.0 && (n.y > 0.0 || (n.y == 0.0 && n.z > 0.0)));
}

void FixTwirlMemory::save_contacts() const
{
    std::vector<FileContact> here;
    for (int i = 0; i < atom->nlocal; i++) {
        for (int k = head[i]; k >= 0; k = notes[k].next) {
            const Note &note = notes[k];
            const tw_contact_memory &m = note.memory;
            if (is_first(atom->tag[i], note))
                here.push_back({{atom->tag[i], note.partner}, m.n, m.zeta, m.ft, note.drag, 0});
        }
    }
    write_contact_file(lmp, save_path, here, damped);
}

void FixTwirlMemory::read_contacts(const std::string &path)
{
    const std::vector<FileContact> rows_read = read_contact_file(lmp, path, 2);
    wanted_path = path;
    wanted.clear();
    /* By id, so that each process finds those of its own atoms. */
    std::vector<std::pair<tagint, int>> ends;
    for (const FileContact &row : rows_read) {
        const int number = static_cast<int>(wanted.size());
        wanted.push_back({{row.id[0], row.id[1]}, row.line, 0});
        ends.emplace_back(row.id[0], 2 * number);
        ends.emplace_back(row.id[1], 2 * number + 1);
    }
    std::sort(ends.begin(), ends.end());
    for (int i = 0; i < atom->nlocal; i++) {
        auto end = std::lower_bound(ends.begin(), ends.end(), std::make_pair(atom->tag[i], 0));
        for (; end != ends.end() && end->first == atom->tag[i]; ++end) {
            const int number = end->second / 2, second = end->second % 2;
            const FileContact &row = rows_read[number];
            Note note = {};
            note.memory = {row.n, row.zeta, row.ft};
            note.drag = row.drag;
            note.sliding = -1.0 - number;
            if (second) note = seen_from_other_side(note);
            note.partner = row.id[1 - second];
            write_note(i, note);
        }
    }
}

void FixTwirlMemory::expect_all_met()
{
    if (wanted_path.empty()) return;
    std::vector<int> here(wanted.size()), all(wanted.size());
    for (size_t k = 0; k < wanted.size(); k++)
        here[k] = wanted[k].met;
    MPI_Allreduce(here.data(), all.data(), static_cast<int>(here.size()), MPI_INT, MPI_MAX, world);
    for (size_t k = 0; k < wanted.size(); k++) {
        if (all[k]) continue;
        refuse(error, "Pair style twirl: " + wanted_path + ", line " +
                          std::to_string(wanted[k].line) + ": there are no atoms " +
                          std::to_string(wanted[k].id[0]) + " and " +
                          std::to_string(wanted[k].id[1]) + " that touch in this direction");
    }
    wanted.clear();
    wanted_path.clear();
}

} // namespace twirl_lammps
