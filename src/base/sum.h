/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums with the same bits for any number of threads: items are added in chunks whose limits depend
 * on their number alone, and the chunks meet in a fixed binary tree. */
#ifndef TW_BASE_SUM_H
#define TW_BASE_SUM_H

#include <stddef.h>

#include "base/mat3.h"

enum { TW_SUM_WIDTH_MAX = 32 };

/* Adds what items begin..end-1 contribute to sum[0..width-1], which comes zeroed. It is called by
 * several threads at once. */
typedef void (*tw_sum_chunk)(void *context, size_t begin, size_t end, double *sum);

/* `width` sums at once over n items, for what is computed rather than stored. */
void tw_sum_chunks(size_t n, int width, tw_sum_chunk chunk, void *context, double *result);

/* The same over parts that the caller has cut himself. `room` is for parts * width numbers. */
typedef void (*tw_sum_part)(void *context, size_t part, double *sum);

void tw_sum_parts(size_t parts, int width, tw_sum_part part, void *context, double *room,
                  double *result);

double tw_sum_double(const double *x, size_t n);
tw_vec3 tw_sum_vec3(const tw_vec3 *x, size_t n);
tw_mat3 tw_sum_mat3(const tw_mat3 *x, size_t n);

#endif
