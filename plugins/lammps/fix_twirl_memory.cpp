/* SPDX-License-Identifier: GPL-2.0-only */
#include "fix_twirl_memory.h"

#include <algorithm>
#include <cmath>

using namespace LAMMPS_NS;

namespace twirl_lammps
{

FixTwirlMemory::FixTwirlMemory(LAMMPS *host, int narg, char **arg) : FixContacts(host, narg, arg)
{
    maxexchange_dynamic = 1;
    stores_ids = 1;
    if (force->newton_pair) comm_reverse = 1; /* the size varies; LAMMPS wants a number */
    FixTwirlMemory::grow_arrays(atom->nmax);
}

int FixTwirlMemory::setmask()
{
    return FixConst::PRE_EXCHANGE | FixConst::POST_NEIGHBOR;
}

void FixTwirlMemory::init()
{
    /* A fix that migrates atoms before the records are written would lose them. */
    for (int i = 0; i < modify->nfix && modify->fix[i] != this; i++) {
        if (modify->fix[i]->pre_exchange_migrate) {
            error_all(error, "pair_style twirl must come before fix " +
                                 std::string(modify->fix[i]->id) +
                                 ", which moves atoms to other "
                                 "processes");
        }
    }
    keep_extras(extras_needed);
    if (!contacts_path.empty()) read_contacts(contacts_path);
    contacts_path.clear();
    set_exchange_size(); /* records may have come from a file */
}

void FixTwirlMemory::keep_extras(uint32_t parts)
{
    record_contacts.keep(parts);
    contacts.keep(parts);
}

/* ---- Slots ---- */

int FixTwirlMemory::open_slot(const AtomPair &atoms, const ContactState &state)
{
    int slot = static_cast<int>(touch.size());
    if (free_slots.empty()) {
        touch.push_back(atoms);
        contacts.add(state);
    } else {
        slot = free_slots.back();
        free_slots.pop_back();
        touch[slot] = atoms;
        contacts.set(slot, state);
    }
    near[atoms.near].slot = slot;
    return slot;
}

void FixTwirlMemory::close_slot(int slot)
{
    candidates.push_back(touch[slot]);
    near[touch[slot].near].slot = NO_SLOT;
    touch[slot].near = -1;
    contacts.memory[slot] = {{1.0, 0.0, 0.0}, -1.0, {0.0, 0.0, 0.0}};
    free_slots.push_back(slot);
}

void FixTwirlMemory::close_ended()
{
    for (const int slot : ended)
        close_slot(slot);
    ended.clear();
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

/* ---- From pairs to atoms and back ---- */

void FixTwirlMemory::add_record(int i, const Record &record, const ContactState &state)
{
    records.push_back({record.partner, record.own, record.other, head[i]});
    head[i] = static_cast<int>(records.size()) - 1;
    record_contacts.add(state);
}

void FixTwirlMemory::clear_records()
{
    records.clear();
    record_contacts.resize(0);
    std::fill(head.begin(), head.end(), -1);
}

int FixTwirlMemory::count_records(int i) const
{
    int count = 0;
    for (int k = head[i]; k >= 0; k = records[k].next)
        count++;
    return count;
}

/* Over all atoms of all processes: an atom may be passed on to a third process. */
int FixTwirlMemory::max_records() const
{
    int here = 0, all;
    for (int i = 0; i < atom->nlocal; i++)
        here = std::max(here, count_records(i));
    MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_MAX, world);
    return all;
}

void FixTwirlMemory::set_exchange_size()
{
    maxexchange = 1 + record_values() * max_records();
}

/* Both atoms of a contact get a record, because the next list may have the pair from either side.
 * Records of ghosts go to their owners. With newton off both processes have a pair that crosses
 * their boundary, and each writes the record of its own atom. */
void FixTwirlMemory::gather()
{
    const tagint *tag = atom->tag;
    if (elsewhere) elsewhere->bring();
    clear_records();
    for (size_t slot = 0; slot < touch.size(); slot++) {
        const int i = touch[slot].i, j = touch[slot].j;
        if (touch[slot].near < 0) continue;
        const ContactState state = contacts[slot];
        const int own = clusters ? touch[slot].p - clusters->first[i] : 0;
        const int other = clusters ? touch[slot].q - clusters->first[j] : 0;
        add_record(i, {tag[j], own, other, -1}, state);
        if (j < owned || force->newton_pair)
            add_record(j, {tag[i], other, own, -1}, from_other_side(state));
    }
    if (force->newton_pair) reverse_variable(comm, this, 0);
    set_exchange_size();
}

const tw_vec3 &FixTwirlMemory::centre(int sphere) const
{
    return clusters ? clusters->x[sphere] : reinterpret_cast<const tw_vec3 *>(atom->x[0])[sphere];
}

double FixTwirlMemory::radius_of(int sphere) const
{
    return clusters ? clusters->radius[sphere] : atom->radius[sphere];
}

void FixTwirlMemory::turn(const double *m)
{
    const auto turned = [m](const tw_vec3 &v) {
        return tw_vec3{m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                       m[6] * v.x + m[7] * v.y + m[8] * v.z};
    };
    for (Contacts *all : {&contacts, &record_contacts}) {
        for (size_t k = 0; k < all->size(); k++)
            all->set(k, turned_by(turned, (*all)[k]));
    }
}

/* The record of atom i for its neighbour j, or -1. If several images of j touch i, the one with the
 * nearest normal. */
int FixTwirlMemory::take_record(const AtomPair &atoms)
{
    const int i = atoms.i;
    const tagint partner = atom->tag[atoms.j];
    const int own = clusters ? atoms.p - clusters->first[i] : 0;
    const int other = clusters ? atoms.q - clusters->first[atoms.j] : 0;
    const tw_vec3 branch = tw_vec3_sub(centre(atoms.q), centre(atoms.p));
    int best = -1;
    double best_dot = -HUGE_VAL;
    for (int k = head[i]; k >= 0; k = records[k].next) {
        if (records[k].partner != partner || records[k].own != own || records[k].other != other)
            continue;
        const double dot = tw_vec3_dot(record_contacts.memory[k].n, branch);
        if (dot > best_dot) {
            best = k;
            best_dot = dot;
        }
    }
    if (!(best_dot > 0.0)) return -1;
    records[best].partner = 0; /* not a valid id: the record is used up */
    return best;
}

/* Gives the contact of a record a slot. A record from a file is valid only if the atoms are where
 * it says. */
bool FixTwirlMemory::restore_record(int k, const AtomPair &atoms)
{
    ContactState state = record_contacts[k];
    if (state.sliding < 0) {
        if (!is_unmoved(state.memory, atoms)) return false;
        file_found[-state.sliding - 1] = 1;
        state.sliding = 0;
    }
    const int slot = open_slot(atoms, state);
    if (!(state.memory.zeta > 0.0)) end_slot(slot);
    return true;
}

bool FixTwirlMemory::is_unmoved(const tw_contact_memory &m, const AtomPair &atoms) const
{
    const double sum = radius_of(atoms.p) + radius_of(atoms.q);
    const tw_vec3 branch = tw_vec3_sub(centre(atoms.q), centre(atoms.p));
    return tw_vec3_norm(tw_vec3_add_scaled(branch, m.zeta - sum, m.n)) < TOLERANCE * sum;
}

/* A pair of spheres, if they are within reach. */
void FixTwirlMemory::list_pair(const AtomPair &atoms)
{
    const tw_vec3 branch = tw_vec3_sub(centre(atoms.q), centre(atoms.p));
    const double reach = radius_of(atoms.p) + radius_of(atoms.q) + neighbor->skin;
    if (tw_vec3_dot(branch, branch) >= reach * reach) return;
    const int record = take_record(atoms);
    near.push_back({atoms.j, NO_SLOT});
    if (record < 0 || !restore_record(record, atoms)) candidates.push_back(atoms);
}

void FixTwirlMemory::scatter()
{
    const NeighList *list = pair->list;
    owned = atom->nlocal;
    first.assign(1, 0);
    rows.assign(atom->nlocal, 0);
    near.clear();
    candidates.clear();
    touch.clear();
    contacts.resize(0);
    free_slots.clear();
    ended.clear();
    for (int ii = 0; ii < list->inum; ii++) {
        const int i = list->ilist[ii];
        rows[i] = ii + 1;
        for (int jj = 0; jj < list->numneigh[i]; jj++) {
            const int j = list->firstneigh[i][jj] & NEIGHMASK;
            if (!clusters) {
                list_pair({i, j, static_cast<int>(near.size()), i, j});
                continue;
            }
            const std::vector<int> &sphere = clusters->first;
            for (int p = sphere[i]; p < sphere[i + 1]; p++)
                for (int q = sphere[j]; q < sphere[j + 1]; q++)
                    list_pair({i, j, static_cast<int>(near.size()), p, q});
        }
        first.push_back(static_cast<int>(near.size()));
    }
    clear_records();
    pairs_current = true;
    if (elsewhere) elsewhere->renew();
}

void FixTwirlMemory::setup_post_neighbor()
{
    const int here = !records.empty();
    int any;
    MPI_Allreduce(&here, &any, 1, MPI_INT, MPI_MAX, world);
    continues = any != 0;
    scatter();
    if (file_path.empty()) return;
    check_all_found(lmp, "Pair style twirl", file_path, file_rows, file_found);
    file_rows.clear();
    file_path.clear();
}

void FixTwirlMemory::post_neighbor()
{
    scatter();
}

void FixTwirlMemory::pre_exchange()
{
    gather();
    pairs_current = false;
}

/* Atoms may be created, deleted and moved between runs, so the records are used then. The form by
 * pair stays for a run that starts without a search. */
void FixTwirlMemory::post_run()
{
    if (elsewhere) return;
    if (pairs_current) gather();
    pairs_current = false;
}

/* ---- Contact files ---- */

void FixTwirlMemory::read_contacts(const std::string &path)
{
    file_rows = read_contact_file(lmp, path, 2);
    file_found.assign(file_rows.size(), 0);
    file_path = path;
    /* Sorted by id, so that each process finds those of its own atoms. */
    std::vector<std::pair<tagint, int>> ends;
    for (int k = 0; k < 2 * static_cast<int>(file_rows.size()); k++)
        ends.emplace_back(file_rows[k / 2].id[k % 2], k);
    std::sort(ends.begin(), ends.end());
    for (int i = 0; i < atom->nlocal; i++) {
        auto end = std::lower_bound(ends.begin(), ends.end(), std::make_pair(atom->tag[i], 0));
        for (; end != ends.end() && end->first == atom->tag[i]; ++end) {
            const int number = end->second / 2, second = end->second % 2;
            ContactState state = file_rows[number].state;
            state.sliding = -1 - number;
            add_record(i, {file_rows[number].id[!second], 0, 0, -1},
                       second ? from_other_side(state) : state);
        }
    }
}

/* ---- Moving records: with an atom, and from a ghost to its owner ---- */

void FixTwirlMemory::grow_arrays(int nmax)
{
    head.resize(nmax, -1);
}

void FixTwirlMemory::copy_arrays(int from, int to, int)
{
    head[to] = head[from];
}

void FixTwirlMemory::set_arrays(int i)
{
    head[i] = -1;
}

/* More than a cluster has spheres. */
static const int64_t MEMBERS = int64_t{1} << 31;

int FixTwirlMemory::pack_exchange(int i, double *buffer)
{
    double *to = buffer;
    *to++ = count_records(i);
    for (int k = head[i]; k >= 0; k = records[k].next) {
        to = record_contacts.pack(k, to);
        *to++ = ubuf(records[k].partner).d;
        if (clusters) *to++ = ubuf(records[k].own * MEMBERS + records[k].other).d;
    }
    return static_cast<int>(to - buffer);
}

int FixTwirlMemory::unpack_records(int i, const double *buffer)
{
    const double *from = buffer;
    const int count = static_cast<int>(*from++);
    for (int k = 0; k < count; k++) {
        const ContactState state = contacts.unpack(from);
        const auto partner = static_cast<tagint>(ubuf(*from++).i);
        const int64_t both = clusters ? ubuf(*from++).i : 0;
        add_record(
            i, {partner, static_cast<int>(both / MEMBERS), static_cast<int>(both % MEMBERS), -1},
            state);
    }
    return static_cast<int>(from - buffer);
}

int FixTwirlMemory::unpack_exchange(int i, double *buffer)
{
    head[i] = -1;
    return unpack_records(i, buffer);
}

int FixTwirlMemory::pack_reverse_comm_size(int n, int begin)
{
    int size = 0;
    for (int i = begin; i < begin + n; i++)
        size += 1 + record_values() * count_records(i);
    return size;
}

int FixTwirlMemory::pack_reverse_comm(int n, int begin, double *buffer)
{
    int size = 0;
    for (int i = begin; i < begin + n; i++)
        size += pack_exchange(i, buffer + size);
    return size;
}

void FixTwirlMemory::unpack_reverse_comm(int n, int *list, double *buffer)
{
    int at = 0;
    for (int k = 0; k < n; k++)
        at += unpack_records(list[k], buffer + at);
}

/* ---- Restart files ---- */

/* Before the atoms are written. */
void FixTwirlMemory::write_restart(FILE *file)
{
    if (pairs_current) gather();
    write_global(file, {static_cast<double>(contacts.mask())});
}

void FixTwirlMemory::restart(char *buffer)
{
    keep_extras(static_cast<uint32_t>(read_global(buffer, 1)[0])); /* of the records that follow */
}

int FixTwirlMemory::size_restart(int i)
{
    return 2 + record_values() * count_records(i);
}

int FixTwirlMemory::maxsize_restart()
{
    return 2 + record_values() * max_records();
}

double FixTwirlMemory::memory_usage()
{
    return static_cast<double>(
        contacts.bytes() + record_contacts.bytes() +
        (touch.capacity() + candidates.capacity()) * sizeof(AtomPair) +
        near.capacity() * sizeof(NearPair) + records.capacity() * sizeof(Record) +
        (first.capacity() + rows.capacity() + head.capacity() + free_slots.capacity()) *
            sizeof(int));
}

} // namespace twirl_lammps
