/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include "base/parallel.h"
#include "base/sort.h"

#include <stdlib.h>

static const int threads[] = {1, 2, 3, 7};
enum { THREADS = sizeof threads / sizeof *threads };

static void *allocate(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    assert_non_null(p);
    return p;
}

typedef struct sort_item {
    uint32_t key, value;
} sort_item;

/* A stable order is a total order with the original position as tie-break; here values are
 * positions. */
static int item_order(const void *a, const void *b)
{
    const sort_item *p = a, *q = b;
    if (p->key != q->key) return p->key < q->key ? -1 : 1;
    return (p->value > q->value) - (p->value < q->value);
}

static void check_sort(const sort_item *items, sort_item *sorted, size_t n, int bits)
{
    memcpy(sorted, items, n * sizeof *items);
    qsort(sorted, n, sizeof *sorted, item_order);
    uint32_t *key = allocate(2 * n, sizeof *key), *value = allocate(2 * n, 4);
    for (int t = 0; t < THREADS; t++) {
        tw_parallel_set_threads(threads[t]);
        for (size_t i = 0; i < n; i++) {
            key[i] = items[i].key;
            value[i] = items[i].value;
        }
        tw_sort_u32(key, value, key + n, value + n, n, bits);
        for (size_t i = 0; i < n; i++)
            assert_true(key[i] == sorted[i].key && value[i] == sorted[i].value);
    }
    free(key);
    free(value);
}

static void sorting_is_stable_and_equals_the_library_sort(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 100, 8192, 40001};
    static const int widths[] = {1, 5, 8, 9, 20, 32}; /* odd and even numbers of passes */
    tw_random random = tw_random_seed(62);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            const size_t n = sizes[k];
            sort_item *items = allocate(2 * n, sizeof *items);
            for (size_t i = 0; i < n; i++) {
                items[i].key = (uint32_t)(tw_random_next(&random) >> (64 - widths[w]));
                items[i].value = (uint32_t)i;
            }
            check_sort(items, items + n, n, widths[w]);
            for (size_t i = 0; i < n; i++)
                items[i].key &= 0xff00ff; /* passes that can be skipped */
            check_sort(items, items + n, n, widths[w]);
            free(items);
        }
}

static void bits_beyond_the_width_are_not_compared(void **state)
{
    (void)state;
    uint32_t key[4] = {0x1002, 0x0001, 0x1001, 0x0002}, value[4] = {0, 1, 2, 3};
    uint32_t key_scratch[4], value_scratch[4];
    tw_sort_u32(key, value, key_scratch, value_scratch, 4, 8);
    const uint32_t expected[4] = {1, 2, 0, 3};
    assert_memory_equal(value, expected, sizeof expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorting_is_stable_and_equals_the_library_sort),
        cmocka_unit_test(bits_beyond_the_width_are_not_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
