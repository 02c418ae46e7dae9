/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC-32 as in zlib and gzip, so that scripts can compute it too. */
#ifndef TW_BASE_CRC32_H
#define TW_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* `before` is the CRC of the bytes that precede these; 0 if there are none. */
uint32_t tw_crc32(uint32_t before, const void *bytes, size_t count);

#endif
