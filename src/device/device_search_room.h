/* SPDX-License-Identifier: BSD-3-Clause */
/* Workspace of the search on a device. */
#ifndef TW_DEVICE_SEARCH_ROOM_H
#define TW_DEVICE_SEARCH_ROOM_H

#include <stdint.h>

typedef struct tw_device_search {
    uint32_t unused;
} tw_device_search;

#endif
