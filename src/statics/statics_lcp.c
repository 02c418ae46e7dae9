/* SPDX-License-Identifier: BSD-3-Clause */
#include "statics/statics_lcp.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

/* ---- Dense systems ---- */

static void swap_rows(double *a, double *b, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const double one = a[k];
        a[k] = b[k];
        b[k] = one;
    }
}

int tw_statics_lcp_eliminate(size_t n, double *a, double *b)
{
    int sign = 1;
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(a[n * i + k]) > fabs(a[n * pivot + k])) pivot = i;
        if (!(fabs(a[n * pivot + k]) > 0.0)) return 0;
        if (pivot != k) {
            sign = -sign;
            swap_rows(a + n * k, a + n * pivot, n);
            if (b) swap_rows(b + k, b + pivot, 1);
        }
        if (a[n * k + k] < 0.0) sign = -sign;
        for (size_t i = k + 1; i < n; i++) {
            const double factor = a[n * i + k] / a[n * k + k];
            if (factor == 0.0) continue;
            for (size_t j = k + 1; j < n; j++)
                a[n * i + j] -= factor * a[n * k + j];
            if (b) b[i] -= factor * b[k];
        }
    }
    for (size_t k = n; b && k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            b[k] -= a[n * k + j] * b[j];
        b[k] /= a[n * k + k];
    }
    return sign;
}

/* ---- Active sets ---- */

enum { TURNS = 60 };

typedef struct active {
    size_t n;
    const double *m, *q;
    double *a, *b; /* of the set */
    size_t *index;
    bool *on;
} active;

/* Solves for the members of the set. False: singular. */
static bool solve_set(const active *s, double *x)
{
    size_t count = 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->on[i]) s->index[count++] = i;
    for (size_t i = 0; i < count; i++) {
        s->b[i] = -s->q[s->index[i]];
        for (size_t j = 0; j < count; j++)
            s->a[count * i + j] = s->m[s->n * s->index[i] + s->index[j]];
    }
    if (count > 0 && tw_statics_lcp_eliminate(count, s->a, s->b) == 0) return false;
    memset(x, 0, s->n * sizeof *x);
    for (size_t i = 0; i < count; i++)
        x[s->index[i]] = s->b[i];
    return true;
}

/* The set that x asks for; true if it is another one. */
static bool change_set(const active *s, const double *x)
{
    bool changed = false;
    for (size_t i = 0; i < s->n; i++) {
        double w = s->q[i];
        for (size_t j = 0; j < s->n && !s->on[i]; j++)
            w += s->m[s->n * i + j] * x[j];
        const bool now = s->on[i] ? x[i] > 0.0 : w < 0.0;
        changed = changed || now != s->on[i];
        s->on[i] = now;
    }
    return changed;
}

static bool find_set(const active *s, double *x, size_t *turns)
{
    uint64_t seen[TURNS];
    for (size_t i = 0; i < s->n; i++)
        s->on[i] = s->q[i] < 0.0;
    for (*turns = 0; *turns < TURNS; ++*turns) {
        seen[*turns] = tw_hash_of(s->on, s->n * sizeof *s->on, 0);
        for (size_t k = 0; k < *turns; k++)
            if (seen[k] == seen[*turns]) return false;
        if (!solve_set(s, x)) return false;
        if (!change_set(s, x)) return true;
    }
    return false;
}

/* ---- Lemke's algorithm, with a covering vector of ones ---- */

/* The table has n rows: w - M x - t = q, with columns w, x, t, q. `basis` says which unknown a row
 * is for. */
static void pivot_on(size_t n, double *table, size_t row, size_t enter)
{
    const size_t width = 2 * n + 2;
    double *own = table + width * row;
    const double inverse = 1.0 / own[enter];
    for (size_t j = 0; j < width; j++)
        own[j] *= inverse;
    for (size_t i = 0; i < n; i++) {
        double *other = table + width * i;
        const double factor = other[enter];
        if (i == row || factor == 0.0) continue;
        for (size_t j = 0; j < width; j++)
            other[j] -= factor * own[j];
    }
}

/* The row that limits the entering unknown, t before others; n: none does. */
static size_t leaving(size_t n, const double *table, const size_t *basis, size_t enter)
{
    const size_t width = 2 * n + 2;
    double least = HUGE_VAL;
    size_t row = n;
    for (size_t i = 0; i < n; i++) {
        const double up = table[width * i + enter], ratio = table[width * i + width - 1] / up;
        if (!(up > 1e-11)) continue;
        const double tie = 1e-12 * (1.0 + fabs(ratio)); /* least is infinite at first */
        if (ratio < least - tie || (basis[i] == 2 * n && ratio <= least + tie)) row = i;
        if (ratio < least) least = ratio;
    }
    return row;
}

static bool pivot_along(size_t n, double *table, size_t *basis, size_t *turns)
{
    const size_t width = 2 * n + 2, most = 50 * n;
    size_t row = 0, enter = 2 * n;
    for (size_t i = 1; i < n; i++)
        if (table[width * i + width - 1] < table[width * row + width - 1]) row = i;
    for (*turns = 1; *turns < most; ++*turns) {
        const size_t leave = basis[row];
        pivot_on(n, table, row, enter);
        basis[row] = enter;
        if (leave == 2 * n) return true;
        enter = leave < n ? leave + n : leave - n;
        row = leaving(n, table, basis, enter);
        if (row == n) return false; /* a ray */
    }
    return false;
}

tw_statics_lcp_end tw_statics_lcp_lemke(size_t n, const double *m, const double *q, double *x,
                                        size_t *turns)
{
    const size_t width = 2 * n + 2;
    double *table = NULL;
    size_t *basis = NULL;
    if (!tw_buffer_zeros(&table, n * width, sizeof *table) ||
        !tw_buffer_zeros(&basis, n, sizeof *basis)) {
        tw_buffer_drop(&table);
        return TW_STATICS_LCP_MEMORY;
    }
    for (size_t i = 0; i < n; i++) {
        basis[i] = i;
        table[width * i + i] = 1.0;
        for (size_t j = 0; j < n; j++)
            table[width * i + n + j] = -m[n * i + j];
        table[width * i + 2 * n] = -1.0;
        table[width * i + 2 * n + 1] = q[i];
    }
    const bool found = pivot_along(n, table, basis, turns);
    memset(x, 0, n * sizeof *x);
    for (size_t i = 0; i < n && found; i++)
        if (basis[i] >= n && basis[i] < 2 * n)
            x[basis[i] - n] =
                table[width * i + width - 1] > 0.0 ? table[width * i + width - 1] : 0.0;
    tw_buffer_drop(&table);
    tw_buffer_drop(&basis);
    return found ? TW_STATICS_LCP_LEMKE : TW_STATICS_LCP_RAY;
}

tw_statics_lcp_end tw_statics_lcp_solve(size_t n, const double *m, const double *q, double *x,
                                        size_t *turns)
{
    size_t below = 0;
    *turns = 0;
    memset(x, 0, n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        below += q[i] < 0.0;
    if (below == 0) return TW_STATICS_LCP_NONE;
    active s = {.n = n, .m = m, .q = q};
    bool found = false;
    const bool room =
        tw_buffer_zeros(&s.a, n * n, sizeof *s.a) && tw_buffer_zeros(&s.b, n, sizeof *s.b) &&
        tw_buffer_zeros(&s.index, n, sizeof *s.index) && tw_buffer_zeros(&s.on, n, sizeof *s.on);
    if (room) found = find_set(&s, x, turns);
    tw_buffer_drop(&s.a);
    tw_buffer_drop(&s.b);
    tw_buffer_drop(&s.index);
    tw_buffer_drop(&s.on);
    if (!room) return TW_STATICS_LCP_MEMORY;
    return found ? TW_STATICS_LCP_ACTIVE : tw_statics_lcp_lemke(n, m, q, x, turns);
}

/* ---- Uniqueness ---- */

/* Its Cholesky decomposition. */
bool tw_statics_lcp_is_definite(size_t n, const double *m, double *a)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0.5 * (m[n * i + j] + m[n * j + i]);
            for (size_t k = 0; k < j; k++)
                sum -= a[n * i + k] * a[n * j + k];
            if (i == j && !(sum > 0.0)) return false;
            a[n * i + j] = i == j ? sqrt(sum) : sum / a[n * j + j];
        }
    return true;
}

/* The eigenvector of the smallest eigenvalue of the symmetric part, roughly: power iteration of
 * what is left below a bound of all eigenvalues. */
static void lowest_vector(size_t n, const double *m, double *x, double *y)
{
    double bound = 0.0;
    for (size_t i = 0; i < n; i++) {
        double row = 0.0;
        for (size_t j = 0; j < n; j++)
            row += 0.5 * fabs(m[n * i + j] + m[n * j + i]);
        if (row > bound) bound = row;
        x[i] = 1.0 + (double)(i * 7919 % 101);
    }
    for (int turn = 0; turn < 300; turn++) {
        double size = 0.0;
        for (size_t i = 0; i < n; i++) {
            y[i] = bound * x[i];
            for (size_t j = 0; j < n; j++)
                y[i] -= 0.5 * (m[n * i + j] + m[n * j + i]) * x[j];
            if (fabs(y[i]) > size) size = fabs(y[i]);
        }
        for (size_t i = 0; i < n; i++)
            x[i] = y[i] / size;
    }
}

/* A principal minor of some of these that is not positive. */
static bool find_minor(size_t n, const double *m, const size_t *of, size_t count, size_t *set,
                       size_t *set_size)
{
    double a[TW_STATICS_LCP_SET * TW_STATICS_LCP_SET];
    for (unsigned some = 1; some < 1U << count; some++) {
        size_t size = 0;
        for (size_t k = 0; k < count; k++)
            if (some >> k & 1U) set[size++] = of[k];
        for (size_t i = 0; i < size; i++)
            for (size_t j = 0; j < size; j++)
                a[size * i + j] = m[n * set[i] + set[j]];
        *set_size = size;
        if (tw_statics_lcp_eliminate(size, a, NULL) <= 0) return true;
    }
    *set_size = 0;
    return false;
}

static bool search_minor(size_t n, const double *m, double *work, size_t *set, size_t *set_size)
{
    size_t top[TW_STATICS_LCP_SET], count = 0;
    double *x = work, *y = work + n;
    for (size_t i = 0; i < n; i++) { /* one alone */
        set[0] = i;
        *set_size = 1;
        if (!(m[(n + 1) * i] > 0.0)) return true;
    }
    lowest_vector(n, m, x, y);
    for (; count < TW_STATICS_LCP_SET && count < n; count++) {
        size_t best = 0;
        for (size_t i = 1; i < n; i++)
            if (fabs(x[i]) > fabs(x[best])) best = i;
        top[count] = best;
        x[best] = 0.0;
    }
    return find_minor(n, m, top, count, set, set_size);
}

bool tw_statics_lcp_judge(size_t n, const double *m, tw_statics_lcp_verdict *verdict,
                          size_t set[TW_STATICS_LCP_SET], size_t *set_size)
{
    double *work = NULL;
    *set_size = 0;
    *verdict = TW_STATICS_LCP_UNIQUE;
    if (n == 0) return true;
    if (!tw_buffer_zeros(&work, n * n + 2 * n, sizeof *work)) return false;
    if (!tw_statics_lcp_is_definite(n, m, work)) {
        *verdict = TW_STATICS_LCP_UNKNOWN;
        if (search_minor(n, m, work, set, set_size)) {
            *verdict = TW_STATICS_LCP_SEVERAL;
        } else {
            memcpy(work, m, n * n * sizeof *work);
            if (tw_statics_lcp_eliminate(n, work, NULL) <= 0) *verdict = TW_STATICS_LCP_SEVERAL;
        }
    }
    tw_buffer_drop(&work);
    return true;
}
