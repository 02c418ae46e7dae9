/* SPDX-License-Identifier: BSD-3-Clause */
/* The version of twirl. It is written here and nowhere else: CMake, the Python package and the
 * metadata read it from these lines. docs/stability.md says what a change of it means. Source
 * compatible only, before 1.0. */
#ifndef TWIRL_VERSION_H
#define TWIRL_VERSION_H

#include <twirl/detail/api.h>

#define TW_VERSION_MAJOR 0
#define TW_VERSION_MINOR 2
#define TW_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library in use, "0.2.0"; the numbers above are those of the headers that a
 * program was compiled with. */
TW_API const char *tw_version(void);

#ifdef __cplusplus
}
#endif

#endif
