# SPDX-License-Identifier: BSD-3-Clause
"""The hashes by which a run knows its files: src/base/hash.c in Python, at some 15 MB/s."""

from __future__ import annotations

from typing import BinaryIO, Iterator

import numpy as np

ODD_1, ODD_2, ODD_3 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
MASK = 2**64 - 1

#: Bytes that are read at once: whole blocks of 32.
CHUNK = 1 << 20


def mix(x: int) -> int:
    x = ((x ^ (x >> 30)) * ODD_2) & MASK
    x = ((x ^ (x >> 27)) * ODD_3) & MASK
    return x ^ (x >> 31)


def turned(lane: int, scaled: int) -> int:
    """A lane after a word, which has been multiplied by ODD_2."""
    lane = (lane + scaled) & MASK
    return ((lane << 31 | lane >> 33) * ODD_1) & MASK


def hash_of(data: bytes, seed: int) -> int:
    """The hash of a block of bytes."""
    return hash_parts(iter([data]), seed)


def hash_file(file: BinaryIO, seed: int) -> int:
    """The hash of the rest of an open file."""
    return hash_parts(iter(lambda: file.read(CHUNK), b""), seed)


def hash_parts(parts: Iterator[bytes], seed: int) -> int:
    """The hash of successive bytes; all parts but the last have whole blocks of 32."""
    a, b, c, d = (mix((seed + k * ODD_1) & MASK) for k in (1, 2, 3, 4))
    length, tail = 0, b""
    for part in parts:
        length += len(part)
        blocks = len(part) // 32
        tail = part[32 * blocks:]
        words = iter((np.frombuffer(part, "<u8", 4 * blocks) * np.uint64(ODD_2)).tolist())
        for p, q, r, s in zip(words, words, words, words):  # turned(), written out: calls take most of the time
            a = (a + p) & MASK
            a = ((a << 31 | a >> 33) * ODD_1) & MASK
            b = (b + q) & MASK
            b = ((b << 31 | b >> 33) * ODD_1) & MASK
            c = (c + r) & MASK
            c = ((c << 31 | c >> 33) * ODD_1) & MASK
            d = (d + s) & MASK
            d = ((d << 31 | d >> 33) * ODD_1) & MASK
    x = length
    for lane in (a, b, c, d):
        x = turned(x, mix(lane) * ODD_2)
    for at in range(0, len(tail), 8):
        x = turned(x, int.from_bytes(tail[at:at + 8], "little") * ODD_2)
    return mix(mix(x))


def has_check(text: bytes, identity: str) -> bool:
    """Whether the last member of a JSON object, check, is the hash of what is before it."""
    end = b', "check": "%016x"}' % hash_of(text[:-30], int(identity, 16))
    return text.endswith(end)
