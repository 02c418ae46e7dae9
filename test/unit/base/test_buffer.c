/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include "base/memory.h"

/* Multiples of the alignment, up to the largest object size. */
static void sizes_are_rounded_up_to_alignment_units(void **state)
{
    (void)state;
    static const struct {
        size_t count, size, bytes;
    } cases[] = {{0, 8, 0}, {8, 0, 0}, {1, 1, 64}, {8, 8, 64}, {13, 5, 128}, {1000, 24, 24000}};
    size_t bytes;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(tw_buffer_bytes(cases[i].count, cases[i].size, &bytes));
        assert_int_equal(bytes, cases[i].bytes);
    }
    const size_t most = PTRDIFF_MAX - 2 * (size_t)TW_BUFFER_ALIGN;
    assert_true(tw_buffer_bytes(most, 1, &bytes) && bytes <= PTRDIFF_MAX - TW_BUFFER_ALIGN);
    assert_false(tw_buffer_bytes(most + 1, 1, &bytes));
    assert_false(tw_buffer_bytes(SIZE_MAX / 8 + 2, 8, &bytes));
}

static void a_buffer_keeps_its_contents_and_grows_by_half(void **state)
{
    (void)state;
    uint32_t *x = NULL;
    size_t capacity = 0, moves = 0;
    for (size_t i = 0; i < 100000; i++) {
        const size_t before = capacity;
        assert_int_equal(tw_buffer_reserve(&x, &capacity, i + 1, sizeof *x), TW_STATUS_OK);
        if (capacity != before) {
            assert_true(capacity >= before + before / 2);
            assert_int_equal((uintptr_t)x % 64, 0);
            moves++;
        }
        x[i] = (uint32_t)i;
    }
    for (size_t i = 0; i < 100000; i++)
        assert_int_equal(x[i], i);
    assert_true(moves < 40); /* log(100000) / log(1.5) = 28, and a few single steps at first */
    tw_buffer_free(&x, &capacity);
    assert_null(x);
    assert_int_equal(capacity, 0);
}

static void impossible_sizes_are_refused_and_change_nothing(void **state)
{
    (void)state;
    double *x = NULL;
    size_t capacity = 0;
    assert_int_equal(tw_buffer_reserve(&x, &capacity, 4, sizeof *x), TW_STATUS_OK);
    x[3] = 5.0;
    double *const before = x;
    const size_t capacity_before = capacity;
    assert_int_equal(tw_buffer_reserve(&x, &capacity, SIZE_MAX / 4, sizeof *x), TW_STATUS_MEMORY);
#ifndef __SANITIZE_ADDRESS__ /* sanitizers would abort on such a size */
    assert_int_equal(tw_buffer_reserve(&x, &capacity, SIZE_MAX / 32, sizeof *x), TW_STATUS_MEMORY);
#endif
    assert_ptr_equal(x, before);
    assert_int_equal(capacity, capacity_before);
    check_at_most(fabs(x[3] - 5.0), 0.0);
    tw_buffer_free(&x, &capacity);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_rounded_up_to_alignment_units),
        cmocka_unit_test(a_buffer_keeps_its_contents_and_grows_by_half),
        cmocka_unit_test(impossible_sizes_are_refused_and_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
