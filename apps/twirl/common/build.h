/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TWIRL_APP_BUILD_H
#define TWIRL_APP_BUILD_H

/* "0.2.0" of a release, otherwise with the commit, "0.2.0+g0123456789ab", and ".modified" if files
 * differ from it. */
const char *tw_build_version(void);

#endif
