/* SPDX-License-Identifier: BSD-3-Clause */
/* Linear complementarity problems with a dense matrix: x >= 0, w = q + M x >= 0, x.w = 0. */
#ifndef TW_STATICS_STATICS_LCP_H
#define TW_STATICS_STATICS_LCP_H

#include <stdbool.h>
#include <stddef.h>

typedef enum tw_statics_lcp_end {
    TW_STATICS_LCP_NONE,   /* x = 0 is the solution */
    TW_STATICS_LCP_ACTIVE, /* an active set was found */
    TW_STATICS_LCP_LEMKE,  /* Lemke's algorithm found one */
    TW_STATICS_LCP_RAY,    /* Lemke's algorithm ended in a ray: no solution was found */
    TW_STATICS_LCP_MEMORY
} tw_statics_lcp_end;

/* M by rows, n x n. An active set, and Lemke's algorithm where a set comes back. `turns` receives
 * the number of sets or pivots. */
tw_statics_lcp_end tw_statics_lcp_solve(size_t n, const double *m, const double *q, double *x,
                                        size_t *turns);

/* Lemke's algorithm alone, where some q is below zero. */
tw_statics_lcp_end tw_statics_lcp_lemke(size_t n, const double *m, const double *q, double *x,
                                        size_t *turns);

/* Whether M is a P-matrix, all of whose principal minors are positive: then the problem has one
 * solution for every q. */
typedef enum tw_statics_lcp_verdict {
    TW_STATICS_LCP_UNIQUE,  /* its symmetric part is positive definite */
    TW_STATICS_LCP_SEVERAL, /* a principal minor is not positive: that of `set` */
    TW_STATICS_LCP_UNKNOWN
} tw_statics_lcp_verdict;

enum { TW_STATICS_LCP_SET = 10 };

/* False: out of memory. */
bool tw_statics_lcp_judge(size_t n, const double *m, tw_statics_lcp_verdict *verdict,
                          size_t set[TW_STATICS_LCP_SET], size_t *set_size);

/* Whether the symmetric part of M is positive definite; a: n x n numbers of scratch. */
bool tw_statics_lcp_is_definite(size_t n, const double *m, double *a);

/* Solves A x = b by elimination with pivots; A (by rows) and b are overwritten, b by x. Returns the
 * determinant's sign, 0: singular. */
int tw_statics_lcp_eliminate(size_t n, double *a, double *b);

#endif
