/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/exit_status.h"

int tw_exit_status_reading(tw_status status)
{
    return status == TW_STATUS_MEMORY || status == TW_STATUS_DEVICE ? TW_EXIT_ENVIRONMENT
                                                                    : TW_EXIT_USAGE;
}

int tw_exit_status_running(tw_status status)
{
    switch (status) {
    case TW_STATUS_OK:
        return TW_EXIT_OK;
    case TW_STATUS_INPUT:
    case TW_STATUS_VERSION:
        return TW_EXIT_USAGE;
    case TW_STATUS_PHYSICS:
        return TW_EXIT_PHYSICS;
    default:
        return TW_EXIT_ENVIRONMENT;
    }
}
