/* SPDX-License-Identifier: GPL-2.0-only */
/* Contact files: the tangential forces of a specimen. README.md has the format. */
#ifndef TWIRL_LAMMPS_CONTACT_FILE_H
#define TWIRL_LAMMPS_CONTACT_FILE_H

#include <string>
#include <vector>

#include "contact_state.h"
#include "host.h"

namespace twirl_lammps
{

struct FileContact {
    LAMMPS_NS::tagint id[2]; /* the second is 0 for a wall */
    ContactState state;      /* the normal from the first to the second, the force on the first */
    int line;
};

/* Read by one process and sent to all. `ids` is the number of ids per row. Ends LAMMPS with an
 * error that names the line of an invalid row. */
std::vector<FileContact> read_contact_file(LAMMPS_NS::LAMMPS *lmp, const std::string &path,
                                           int ids);

/* Ends LAMMPS with an error that names the first row that no process has found; `here` tells those
 * of this process. */
void check_all_found(LAMMPS_NS::LAMMPS *lmp, const std::string &style, const std::string &path,
                     const std::vector<FileContact> &rows, const std::vector<int> &here);

} // namespace twirl_lammps

#endif
