/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/build.h"

#include <commit.h> /* made by cmake/TwirlCommit.cmake */

const char *tw_build_version(void)
{
    return TW_BUILD_VERSION;
}
