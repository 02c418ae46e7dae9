/* SPDX-License-Identifier: BSD-3-Clause */
/* A fast 64-bit hash of bytes, to compare states and to find damage; not for secrets. */
#ifndef TW_BASE_HASH_H
#define TW_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct tw_hash {
    uint64_t lane[4];
    uint64_t length;        /* bytes so far */
    unsigned char tail[32]; /* the last length % 32 of them */
} tw_hash;

tw_hash tw_hash_start(uint64_t seed);

/* How the bytes are cut into calls does not matter. */
void tw_hash_add(tw_hash *hash, const void *bytes, size_t count);

/* The hash of what was added so far; more may follow. The same on every platform for the same
 * bytes. */
uint64_t tw_hash_value(const tw_hash *hash);

/* One range at once. */
uint64_t tw_hash_of(const void *bytes, size_t count, uint64_t seed);

#endif
