/* SPDX-License-Identifier: GPL-2.0-only */
/* Notes on their way: with an atom to another place or process, from a ghost to its owner, into a
 * restart file and out of it. */
#include <algorithm>
#include <cstring>

#include "fix_twirl_memory.h"

using namespace LAMMPS_NS;

namespace twirl_lammps
{

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

int FixTwirlMemory::pack_notes(int i, double *buffer) const
{
    double *to = buffer;
    *to++ = count_notes(i);
    for (int k = head[i]; k >= 0; k = notes[k].next) {
        const Note &note = notes[k];
        const tw_contact_memory &m = note.memory;
        const double values[NOTE_VALUES] = {m.n.x,
                                            m.n.y,
                                            m.n.z,
                                            m.zeta,
                                            m.ft.x,
                                            m.ft.y,
                                            m.ft.z,
                                            note.lost,
                                            note.drag.x,
                                            note.drag.y,
                                            note.drag.z,
                                            note.sliding,
                                            ubuf(note.partner).d};
        to = std::copy(values, values + NOTE_VALUES, to);
    }
    return static_cast<int>(to - buffer);
}

int FixTwirlMemory::unpack_notes(int i, const double *buffer)
{
    const double *from = buffer;
    const int count = static_cast<int>(*from++);
    for (int k = 0; k < count; k++, from += NOTE_VALUES) {
        Note note;
        note.memory = {{from[0], from[1], from[2]}, from[3], {from[4], from[5], from[6]}};
        note.lost = from[7];
        note.drag = {from[8], from[9], from[10]};
        note.sliding = from[11];
        note.partner = static_cast<tagint>(ubuf(from[12]).i);
        write_note(i, note);
    }
    return static_cast<int>(from - buffer);
}

int FixTwirlMemory::pack_exchange(int i, double *buffer)
{
    return pack_notes(i, buffer);
}

int FixTwirlMemory::unpack_exchange(int i, double *buffer)
{
    head[i] = -1;
    return unpack_notes(i, buffer);
}

int FixTwirlMemory::pack_reverse_comm_size(int n, int begin)
{
    int size = 0;
    for (int i = begin; i < begin + n; i++)
        size += 1 + NOTE_VALUES * count_notes(i);
    return size;
}

int FixTwirlMemory::pack_reverse_comm(int n, int begin, double *buffer)
{
    int size = 0;
    for (int i = begin; i < begin + n; i++)
        size += pack_notes(i, buffer + size);
    return size;
}

void FixTwirlMemory::unpack_reverse_comm(int n, int *list, double *buffer)
{
    int at = 0;
    for (int k = 0; k < n; k++)
        at += unpack_notes(list[k], buffer + at);
}

/* ---- Restart files ---- */

/* Called by all processes, before the atoms are written. Between runs the notes are there. */
void FixTwirlMemory::write_restart(FILE *file)
{
    if (beside_pairs) gather();
    const double here[2] = {friction, viscous};
    double all[2];
    MPI_Allreduce(here, all, 2, MPI_DOUBLE, MPI_SUM, world);
    if (comm->me == 0) {
        const int size = sizeof all;
        fwrite(&size, sizeof size, 1, file);
        fwrite(all, sizeof all, 1, file);
    }
}

void FixTwirlMemory::restart(char *buffer)
{
    double all[2];
    std::memcpy(all, buffer, sizeof all);
    friction = comm->me == 0 ? all[0] : 0.0;
    viscous = comm->me == 0 ? all[1] : 0.0;
}

/* The first value is the length, as for every fix. */
int FixTwirlMemory::pack_restart(int i, double *buffer)
{
    const int size = 1 + pack_notes(i, buffer + 1);
    buffer[0] = size;
    return size;
}

void FixTwirlMemory::unpack_restart(int i, int nth)
{
    const double *from = atom->extra[i];
    for (int k = 0; k < nth; k++)
        from += static_cast<int>(*from);
    head[i] = -1;
    unpack_notes(i, from + 1);
}

int FixTwirlMemory::size_restart(int i)
{
    return 2 + NOTE_VALUES * count_notes(i);
}

int FixTwirlMemory::maxsize_restart()
{
    return 2 + NOTE_VALUES * largest_count();
}

double FixTwirlMemory::memory_usage()
{
    return static_cast<double>(
        contact.capacity() * sizeof(tw_contact_memory) +
        (touch.capacity() + suitors.capacity()) * sizeof(Couple) +
        lost.capacity() * sizeof(double) + sliding.capacity() + drag.capacity() * sizeof(tw_vec3) +
        near.capacity() * sizeof(Near) + notes.capacity() * sizeof(Note) +
        (first.capacity() + rows.capacity() + head.capacity() + free_slots.capacity()) *
            sizeof(int));
}

} // namespace twirl_lammps
