/* SPDX-License-Identifier: BSD-3-Clause */
/* arena.h and buffer.h. */
#include "check.h"

#include "base/arena.h"
#include "base/buffer.h"

static void pieces_of_an_arena_are_aligned_and_do_not_overlap(void **state)
{
    (void)state;
    enum { PIECES = 500 };
    tw_arena arena = {0};
    tw_random random = tw_random_seed(31);
    unsigned char *piece[PIECES];
    size_t size[PIECES];
    for (int i = 0; i < PIECES; i++) {
        size[i] = (size_t)(tw_random_next(&random) % 3000);
        piece[i] = tw_arena_take(&arena, size[i], 1);
        assert_non_null(piece[i]);
        assert_int_equal((uintptr_t)piece[i] % 64, 0);
        memset(piece[i], i % 251, size[i]);
    }
    for (int i = 0; i < PIECES; i++)
        for (size_t k = 0; k < size[i]; k++)
            assert_int_equal(piece[i][k], i % 251);
    tw_arena_free(&arena);
}

/* A step that takes `total` bytes in pieces of random size. */
static void take_randomly(tw_arena *arena, tw_random *random, size_t total)
{
    while (total > 0) {
        size_t size = 64 * (size_t)(1 + tw_random_next(random) % 100);
        if (size > total) size = total;
        assert_non_null(tw_arena_take(arena, size, 1));
        total -= size;
    }
}

static void an_arena_in_steady_state_asks_the_system_for_nothing(void **state)
{
    (void)state;
    const size_t total = 64 * 50000;
    tw_arena arena = {0};
    tw_random random = tw_random_seed(32);
    take_randomly(&arena, &random, total);
    assert_true(arena.allocations > 1); /* the case of interest: it grew by blocks */
    assert_int_equal(arena.used, total);
    tw_arena_reset(&arena);
    const uint64_t before = arena.allocations;
    for (int step = 0; step < 100; step++) {
        /* other sizes in another order, up to the same sum */
        take_randomly(&arena, &random, 64 * (size_t)(tw_random_next(&random) % 50001));
        tw_arena_reset(&arena);
    }
    take_randomly(&arena, &random, total);
    assert_int_equal(arena.allocations, before);
    assert_int_equal(arena.peak, total);
    tw_arena_free(&arena);
}

static void an_arena_goes_back_to_a_mark(void **state)
{
    (void)state;
    tw_arena arena = {0};
    char *kept = tw_arena_take(&arena, 100, 1);
    assert_non_null(kept);
    kept[99] = 7;
    const tw_arena_mark mark = tw_arena_here(&arena);
    char *first = tw_arena_take(&arena, 1000, 1);
    tw_arena_go_back(&arena, mark);
    assert_ptr_equal(tw_arena_take(&arena, 500, 1), first); /* the same room again */
    assert_int_equal(kept[99], 7);
    assert_non_null(tw_arena_take(&arena, 1 << 20, 1)); /* a new block */
    tw_arena_go_back(&arena, mark);
    char *after =
        tw_arena_take(&arena, 64, 1); /* pieces of before the mark are safe all the same */
    assert_non_null(after);
    memset(after, 1, 64);
    assert_int_equal(kept[99], 7);
    tw_arena_free(&arena);
}

static void an_arena_can_be_used_after_it_was_freed(void **state)
{
    (void)state;
    tw_arena arena = {0};
    tw_arena_reset(&arena);
    tw_arena_free(&arena);
    assert_non_null(tw_arena_take(&arena, 3, 8));
    tw_arena_free(&arena);
    assert_non_null(tw_arena_take(&arena, 0, 8));
    tw_arena_free(&arena);
}

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    tw_arena arena = {0};
    assert_null(tw_arena_take(&arena, SIZE_MAX / 4, 8));
    assert_null(tw_arena_take(&arena, SIZE_MAX - 200, 1));
    double *x = NULL;
    size_t capacity = 0;
    assert_int_equal(tw_buffer_reserve(&x, &capacity, 4, sizeof *x), TW_STATUS_OK);
    x[3] = 5.0;
    double *const before = x;
    const size_t capacity_before = capacity;
    assert_int_equal(tw_buffer_reserve(&x, &capacity, SIZE_MAX / 4, sizeof *x), TW_STATUS_MEMORY);
#ifndef __SANITIZE_ADDRESS__ /* which ends the program where the system would refuse */
    const size_t too_many = SIZE_MAX / 32;
    assert_null(tw_arena_take(&arena, too_many, sizeof *x));
    assert_int_equal(tw_buffer_reserve(&x, &capacity, too_many, sizeof *x), TW_STATUS_MEMORY);
#endif
    assert_ptr_equal(x, before);
    assert_int_equal(capacity, capacity_before);
    check_at_most(fabs(x[3] - 5.0), 0.0);
    tw_buffer_free(&x, &capacity);
    tw_arena_free(&arena);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_an_arena_are_aligned_and_do_not_overlap),
        cmocka_unit_test(an_arena_in_steady_state_asks_the_system_for_nothing),
        cmocka_unit_test(an_arena_goes_back_to_a_mark),
        cmocka_unit_test(an_arena_can_be_used_after_it_was_freed),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(a_buffer_keeps_its_contents_and_grows_by_half),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
