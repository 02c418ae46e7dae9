/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/crc32.h"

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
