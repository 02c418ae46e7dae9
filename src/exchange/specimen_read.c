/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the reader for a file. */
#include <twirl/exchange.h>

#include "base/error.h"

tw_specimen *tw_specimen_read(const char *path, tw_error *error)
{
    switch (tw_exchange_recognise(path, error)) {
    case TW_EXCHANGE_DFILE:
        return tw_specimen_read_dfile(path, error);
    case TW_EXCHANGE_CSV:
        return tw_specimen_read_csv(path, error);
    case TW_EXCHANGE_XYZR:
        return tw_specimen_read_xyzr(path, error);
    case TW_EXCHANGE_LAMMPS_DATA:
        return tw_specimen_read_lammps_data(path, error);
    case TW_EXCHANGE_LAMMPS_DUMP:
        return tw_specimen_read_lammps_dump(path, error);
    case TW_EXCHANGE_CHECKPOINT:
        tw_error_set(error, TW_STATUS_INPUT,
                     "%s: is a checkpoint (HDF5); expected a D-file, a CSV or x_y_z_r file of "
                     "spheres, or a data file or dump of LAMMPS",
                     tw_error_shorten_path(path).text);
        return NULL;
    case TW_EXCHANGE_UNKNOWN:
        break;
    }
    return NULL;
}
