/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include "base/memory.h"

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

static void an_arena_in_steady_state_does_not_allocate(void **state)
{
    (void)state;
    const size_t total = 64 * 50000;
    tw_arena arena = {0};
    tw_random random = tw_random_seed(32);
    take_randomly(&arena, &random, total);
    assert_true(arena.allocations > 1); /* the case of interest: several blocks were added */
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

static void an_arena_is_released_back_to_a_mark(void **state)
{
    (void)state;
    tw_arena arena = {0};
    char *kept = tw_arena_take(&arena, 100, 1);
    assert_non_null(kept);
    kept[99] = 7;
    const tw_arena_mark mark = tw_arena_here(&arena);
    char *first = tw_arena_take(&arena, 1000, 1);
    tw_arena_go_back(&arena, mark);
    assert_ptr_equal(tw_arena_take(&arena, 500, 1), first); /* the same memory again */
    assert_int_equal(kept[99], 7);
    char *large =
        tw_arena_take(&arena, 1 << 20, 1); /* in a new block, so it stays until the reset */
    assert_non_null(large);
    memset(large, 2, 1 << 20);
    tw_arena_go_back(&arena, mark);
    char *after = tw_arena_take(&arena, 64, 1);
    assert_non_null(after);
    memset(after, 1, 64);
    assert_int_equal(kept[99], 7);
    for (int k = 0; k < 1 << 20; k++)
        assert_int_equal(large[k], 2);
    tw_arena_reset(&arena);
    assert_int_equal((uintptr_t)tw_arena_take(&arena, 1, 1) % 64, 0);
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
#ifndef __SANITIZE_ADDRESS__ /* sanitizers would abort on such a size */
    assert_null(tw_arena_take(&arena, SIZE_MAX / 32, 8));
#endif
    assert_int_equal(arena.used, 0);
    tw_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_an_arena_are_aligned_and_do_not_overlap),
        cmocka_unit_test(an_arena_in_steady_state_does_not_allocate),
        cmocka_unit_test(an_arena_is_released_back_to_a_mark),
        cmocka_unit_test(an_arena_can_be_used_after_it_was_freed),
        cmocka_unit_test(impossible_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
