/* SPDX-License-Identifier: BSD-3-Clause */
/* Least significant digit first, 8 bits per pass: the 256 write streams still fit the first-level
 * cache; with 11 bits they would not. Each thread counts and scatters one part of the items. */
#include "base/sort.h"

#include "base/parallel.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum { SORT_GRAIN = 4096, SORT_DIGITS = 256 };

/* Where each part writes its first item of each digit: digit by digit, and within a digit part by
 * part, which is what makes the sort stable. */
typedef struct sort_table {
    uint32_t at[TW_PARALLEL_PARTS_MAX][SORT_DIGITS];
} sort_table;

/* Turns counts into offsets. False if all items have the same digit and the pass can be skipped. */
static bool sort_place(sort_table *table, size_t parts, size_t n)
{
    size_t place = 0;
    for (int digit = 0; digit < SORT_DIGITS; digit++) {
        const size_t start = place;
        for (size_t part = 0; part < parts; part++) {
            const uint32_t count = table->at[part][digit];
            table->at[part][digit] = (uint32_t)place;
            place += count;
        }
        if (place - start == n) return false;
    }
    return true;
}

#define SORT_KEY uint64_t
#define SORT_NAME(name) name##_u64
#include "base/sort_pass.inc"
#undef SORT_KEY
#undef SORT_NAME

#define SORT_KEY uint32_t
#define SORT_NAME(name) name##_u32
#include "base/sort_pass.inc"
#undef SORT_KEY
#undef SORT_NAME
