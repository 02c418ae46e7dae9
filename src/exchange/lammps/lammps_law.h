/* SPDX-License-Identifier: BSD-3-Clause */
/* Contact laws in the words of pair_style twirl: the coefficients of pair_coeff, fix wall/twirl and
 * of the section PairIJ Coeffs of a data file; the columns of contact files. */
#ifndef TW_EXCHANGE_LAMMPS_LAMMPS_LAW_H
#define TW_EXCHANGE_LAMMPS_LAMMPS_LAW_H

#include <stdbool.h>

#include <twirl/contact.h>

#include "exchange/lines.h"
#include "exchange/outfile.h"

/* " linear kn kt mu", or hertz or hertz/radius, and keywords with values. */
void tw_lammps_law_print(tw_outfile *out, const tw_contact_law *law);

/* The same from words of the current line. Kind and refinements stay. */
bool tw_lammps_law_read(tw_lines *lines, char **words, size_t count, tw_contact_law *law);

/* A group of columns of a contact file, after ids, normal, overlap and tangential force: numbers of
 * a tw_contact_extra from `begin` on. */
typedef struct tw_lammps_law_columns {
    const char *name;
    uint32_t extra; /* a bit of tw_contact_law_extras */
    int begin, count;
} tw_lammps_law_columns;

enum { TW_LAMMPS_LAW_COLUMNS = 8, TW_LAMMPS_LAW_EXTRAS = 18 };
extern const tw_lammps_law_columns tw_lammps_law_columns_of_extras[TW_LAMMPS_LAW_COLUMNS];

#endif
