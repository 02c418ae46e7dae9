/* SPDX-License-Identifier: BSD-3-Clause */
/* Hashes, to compare states and detect damage; not cryptographic. */
#ifndef TW_BASE_HASH_H
#define TW_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* A fast 64-bit hash, to compare states and detect damage; not cryptographic. */

typedef struct tw_hash {
    uint64_t lane[4];
    uint64_t length;        /* bytes so far */
    unsigned char tail[32]; /* the last length % 32 bytes */
} tw_hash;

tw_hash tw_hash_start(uint64_t seed);

/* Adding bytes in one call or in several gives the same hash. */
void tw_hash_add(tw_hash *hash, const void *bytes, size_t count);

/* The hash of all bytes added so far; more may follow. The same on every platform. */
uint64_t tw_hash_value(const tw_hash *hash);

/* The hash of one block of bytes. */
uint64_t tw_hash_of(const void *bytes, size_t count, uint64_t seed);

/* CRC-32 as in zlib and gzip, so that scripts can compute it too. */

/* `before` is the CRC of the bytes that precede these; 0 if there are none. */
uint32_t tw_crc32(uint32_t before, const void *bytes, size_t count);

#endif
