/* SPDX-License-Identifier: BSD-3-Clause */
/* The width or height of a picture, on paper or in pixels. */
#ifndef TWIRL_APP_PICTURE_LENGTH_H
#define TWIRL_APP_PICTURE_LENGTH_H

#include <stdbool.h>

/* A length of 0 is not set. */
typedef struct tw_picture_length {
    double value; /* in pixels or centimetres */
    bool pixels;
} tw_picture_length;

/* Reads 850, 850px, 8.5cm, 85mm, 3.3in or 240pt, also with spaces before the unit. False: not a
 * positive length. */
bool tw_picture_length_read(const char *text, tw_picture_length *length);

#endif
