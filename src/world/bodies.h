/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies, as columns. */
#ifndef TW_WORLD_BODIES_H
#define TW_WORLD_BODIES_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/types.h>

#include "base/quat.h"

/* Flags. TW_BODY_PRESENT: v and l are those of the present time, until forces and dt are known. */
enum { TW_BODY_FIXED = 1, TW_BODY_PRESENT = 2 };

typedef struct tw_bodies {
#define TW_COLUMN(type, name) type *name;
#include "world/body_columns.def"
#undef TW_COLUMN
    size_t count, capacity;
} tw_bodies;

/* A value of any column. */
typedef union tw_bodies_value {
#define TW_COLUMN(type, name) type name;
#include "world/body_columns.def"
#undef TW_COLUMN
} tw_bodies_value;

#endif
