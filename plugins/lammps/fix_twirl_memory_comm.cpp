/* SPDX-License-Identifier: GPL-2.0-only */
/* Moving records: with an atom within or between processes, from a ghost to its owner, to and from
 * restart files. */
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

int FixTwirlMemory::pack_records(int i, double *buffer) const
{
    double *to = buffer;
    *to++ = count_records(i);
    for (int k = head[i]; k >= 0; k = records[k].next) {
        to = pack_state(records[k], to);
        to = std::copy_n(record_extras.data() + static_cast<size_t>(k) * stride, stride, to);
        *to++ = ubuf(records[k].partner).d;
    }
    return static_cast<int>(to - buffer);
}

int FixTwirlMemory::unpack_records(int i, const double *buffer)
{
    const double *from = buffer;
    const int count = static_cast<int>(*from++);
    for (int k = 0; k < count; k++) {
        const ContactState state = unpack_state(from);
        tw_contact_extra extra;
        from = unpack_extra(mask, from + STATE_VALUES, &extra);
        add_record(i, {state, static_cast<tagint>(ubuf(*from++).i), -1}, extra);
    }
    return static_cast<int>(from - buffer);
}

int FixTwirlMemory::pack_exchange(int i, double *buffer)
{
    return pack_records(i, buffer);
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
        size += pack_records(i, buffer + size);
    return size;
}

void FixTwirlMemory::unpack_reverse_comm(int n, int *list, double *buffer)
{
    int at = 0;
    for (int k = 0; k < n; k++)
        at += unpack_records(list[k], buffer + at);
}

/* ---- Restart files ---- */

/* Called by all processes, before the atoms are written. */
void FixTwirlMemory::write_restart(FILE *file)
{
    if (pairs_current) gather();
    double all[1 + LOSSES] = {static_cast<double>(mask)};
    MPI_Allreduce(losses, all + 1, LOSSES, MPI_DOUBLE, MPI_SUM, world);
    if (comm->me == 0) {
        const int size = sizeof all;
        fwrite(&size, sizeof size, 1, file);
        fwrite(all, sizeof all, 1, file);
    }
}

void FixTwirlMemory::restart(char *buffer)
{
    double all[1 + LOSSES];
    std::memcpy(all, buffer, sizeof all);
    keep_extras(static_cast<uint32_t>(all[0])); /* the form of the records that follow */
    for (int k = 0; k < LOSSES; k++)
        losses[k] = comm->me == 0 ? all[1 + k] : 0.0;
}

/* The first value is the length, as for every fix. */
int FixTwirlMemory::pack_restart(int i, double *buffer)
{
    const int size = 1 + pack_records(i, buffer + 1);
    buffer[0] = size;
    return size;
}

void FixTwirlMemory::unpack_restart(int i, int nth)
{
    const double *from = atom->extra[i];
    for (int k = 0; k < nth; k++)
        from += static_cast<int>(*from);
    head[i] = -1;
    unpack_records(i, from + 1);
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
        contact.capacity() * sizeof(tw_contact_memory) +
        (touch.capacity() + candidates.capacity()) * sizeof(AtomPair) +
        (lost.capacity() + extras.capacity() + record_extras.capacity()) * sizeof(double) +
        sliding.capacity() + near.capacity() * sizeof(NearPair) +
        records.capacity() * sizeof(Record) +
        (first.capacity() + rows.capacity() + head.capacity() + free_slots.capacity()) *
            sizeof(int));
}

} // namespace twirl_lammps
