/* SPDX-License-Identifier: BSD-3-Clause */
#include <twirl/version.h>

#define TEXT(number) #number
#define JOINED(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

const char *tw_version(void)
{
    return JOINED(TW_VERSION_MAJOR, TW_VERSION_MINOR, TW_VERSION_PATCH);
}
