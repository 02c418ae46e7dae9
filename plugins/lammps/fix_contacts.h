/* SPDX-License-Identifier: GPL-2.0-only */
/* What the fixes with contacts of atoms have in common: how these pass into restart files. */
#ifndef TWIRL_LAMMPS_FIX_CONTACTS_H
#define TWIRL_LAMMPS_FIX_CONTACTS_H

#include <cstring>
#include <vector>

#include "contact_state.h"
#include "host.h"

namespace twirl_lammps
{

class FixContacts : public LAMMPS_NS::Fix
{
  public:
    /* Energy dissipated on this process since the start of the first run. */
    double losses[TW_CONTACT_LOST_KINDS] = {};

    FixContacts(LAMMPS_NS::LAMMPS *host, int narg, char **arg) : Fix(host, narg, arg)
    {
        restart_global = restart_peratom = 1;
        create_attribute = 1;
        atom->add_callback(LAMMPS_NS::Atom::GROW);
        atom->add_callback(LAMMPS_NS::Atom::RESTART);
    }
    ~FixContacts() override
    {
        atom->delete_callback(id, LAMMPS_NS::Atom::GROW);
        atom->delete_callback(id, LAMMPS_NS::Atom::RESTART);
    }

    /* Atom i in a message, with the length in front, as in the restart files of every fix. */
    int pack_restart(int i, double *buffer) override
    {
        const int size = 1 + pack_exchange(i, buffer + 1);
        buffer[0] = size;
        return size;
    }
    void unpack_restart(int i, int nth) override
    {
        double *from = atom->extra[i];
        for (int k = 0; k < nth; k++)
            from += static_cast<int>(*from);
        unpack_exchange(i, from + 1);
    }

  protected:
    /* The global part of a restart file: numbers of the fix, and the losses of all processes.
     * Called by all of them. */
    void write_global(FILE *file, std::vector<double> numbers)
    {
        double sums[TW_CONTACT_LOST_KINDS];
        MPI_Allreduce(losses, sums, TW_CONTACT_LOST_KINDS, MPI_DOUBLE, MPI_SUM, world);
        if (comm->me) return;
        numbers.insert(numbers.end(), sums, sums + TW_CONTACT_LOST_KINDS);
        const int size = static_cast<int>(numbers.size() * sizeof(double));
        fwrite(&size, sizeof size, 1, file);
        fwrite(numbers.data(), sizeof(double), numbers.size(), file);
    }
    /* Returns the numbers. */
    std::vector<double> read_global(const char *buffer, size_t count)
    {
        std::vector<double> numbers(count + TW_CONTACT_LOST_KINDS);
        std::memcpy(numbers.data(), buffer, numbers.size() * sizeof(double));
        for (size_t k = 0; k < TW_CONTACT_LOST_KINDS; k++)
            losses[k] = comm->me == 0 ? numbers[count + k] : 0.0;
        return numbers;
    }
};

} // namespace twirl_lammps

#endif
