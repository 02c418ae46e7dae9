/* SPDX-License-Identifier: BSD-3-Clause */
/* Four independent multiply-rotate lanes over 32-byte blocks, like xxHash, so that the processor
 * overlaps the multiplications; a final mix combines the lanes. Byte-wise FNV-1a was rejected: its
 * chain of multiplications runs at under 1 GB/s. */
#include "base/hash.h"

#include <string.h>

static const uint64_t hash_odd_1 = UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / golden ratio */
static const uint64_t hash_odd_2 = UINT64_C(0xbf58476d1ce4e5b9); /* splitmix64's multipliers */
static const uint64_t hash_odd_3 = UINT64_C(0x94d049bb133111eb);

static uint64_t hash_rotate(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

/* Little-endian on every platform; compilers make it one load. */
static uint64_t hash_load(const unsigned char *b)
{
    uint64_t x = 0;
    for (int k = 0; k < 8; k++)
        x |= (uint64_t)b[k] << (8 * k);
    return x;
}

static uint64_t hash_round(uint64_t lane, uint64_t word)
{
    return hash_rotate(lane + word * hash_odd_2, 31) * hash_odd_1;
}

static uint64_t hash_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * hash_odd_2;
    x = (x ^ (x >> 27)) * hash_odd_3;
    return x ^ (x >> 31);
}

tw_hash tw_hash_start(uint64_t seed)
{
    tw_hash hash;
    memset(&hash, 0, sizeof hash);
    for (unsigned k = 0; k < 4; k++)
        hash.lane[k] = hash_mix(seed + (k + 1) * hash_odd_1);
    return hash;
}

static void hash_blocks(tw_hash *hash, const unsigned char *bytes, size_t blocks)
{
    uint64_t a = hash->lane[0], b = hash->lane[1], c = hash->lane[2], d = hash->lane[3];
    for (; blocks > 0; blocks--, bytes += 32) {
        a = hash_round(a, hash_load(bytes));
        b = hash_round(b, hash_load(bytes + 8));
        c = hash_round(c, hash_load(bytes + 16));
        d = hash_round(d, hash_load(bytes + 24));
    }
    hash->lane[0] = a;
    hash->lane[1] = b;
    hash->lane[2] = c;
    hash->lane[3] = d;
}

void tw_hash_add(tw_hash *hash, const void *bytes, size_t count)
{
    const unsigned char *b = bytes;
    const size_t held = (size_t)(hash->length % 32);
    if (count == 0) return;
    hash->length += count;
    if (held > 0) {
        const size_t room = 32 - held, part = count < room ? count : room;
        memcpy(hash->tail + held, b, part);
        b += part;
        count -= part;
        if (part < room) return;
        hash_blocks(hash, hash->tail, 1);
    }
    hash_blocks(hash, b, count / 32);
    if (count % 32 > 0) memcpy(hash->tail, b + count / 32 * 32, count % 32);
}

uint64_t tw_hash_value(const tw_hash *hash)
{
    /* The tail is padded with zeros to whole words; the length distinguishes them from data. */
    unsigned char tail[32] = {0};
    const size_t held = (size_t)(hash->length % 32);
    memcpy(tail, hash->tail, held);
    uint64_t x = hash->length;
    for (int k = 0; k < 4; k++)
        x = hash_round(x, hash_mix(hash->lane[k]));
    for (size_t at = 0; at < held; at += 8)
        x = hash_round(x, hash_load(tail + at));
    return hash_mix(hash_mix(x));
}

uint64_t tw_hash_of(const void *bytes, size_t count, uint64_t seed)
{
    tw_hash hash = tw_hash_start(seed);
    tw_hash_add(&hash, bytes, count);
    return tw_hash_value(&hash);
}

uint32_t tw_crc32(uint32_t before, const void *bytes, size_t count)
{
    const unsigned char *b = bytes;
    uint32_t crc = ~before;
    for (size_t i = 0; i < count; i++) {
        crc ^= b[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (UINT32_C(0xedb88320) & (0u - (crc & 1u)));
    }
    return ~crc;
}
