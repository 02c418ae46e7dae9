/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include "base/hash.h"

static void fill(unsigned char *bytes, size_t count, uint64_t seed)
{
    tw_random random = tw_random_seed(seed);
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)(tw_random_next(&random) >> 56);
}

static void pieces_hash_like_the_whole(void **state)
{
    (void)state;
    enum { N = 500 };
    unsigned char bytes[N];
    fill(bytes, N, 51);
    tw_random random = tw_random_seed(52);
    for (size_t n = 0; n <= N; n++) {
        const uint64_t whole = tw_hash_of(bytes, n, 7);
        tw_hash hash = tw_hash_start(7);
        for (size_t at = 0; at < n;) {
            size_t part = (size_t)(tw_random_next(&random) % 80);
            if (part > n - at) part = n - at;
            tw_hash_add(&hash, bytes + at, part);
            (void)tw_hash_value(&hash); /* reading the hash does not change the state */
            at += part;
        }
        assert_true(tw_hash_value(&hash) == whole);
    }
}

static void every_input_bit_flips_half_of_the_hash(void **state)
{
    (void)state;
    enum { N = 77 };
    unsigned char bytes[N];
    fill(bytes, N, 53);
    const uint64_t before = tw_hash_of(bytes, N, 0);
    double sum = 0.0;
    for (int i = 0; i < 8 * N; i++) {
        bytes[i / 8] ^= (unsigned char)(1 << i % 8);
        uint64_t changed = before ^ tw_hash_of(bytes, N, 0);
        bytes[i / 8] ^= (unsigned char)(1 << i % 8);
        int bits = 0;
        for (; changed; changed &= changed - 1)
            bits++;
        /* six standard deviations of 64 coin flips (4 each); fixed seed, so no random failures */
        assert_in_range(bits, 32 - 24, 32 + 24);
        sum += bits;
    }
    /* the mean of 8 N values */
    check_at_most(fabs(sum / (8 * N) - 32.0), 4.0 * 4.0 / sqrt(8.0 * N));
}

static void trailing_zeros_length_and_seed_change_the_hash(void **state)
{
    (void)state;
    static const unsigned char zeros[100] = {0};
    uint64_t seen[200];
    size_t n = 0;
    for (size_t length = 0; length <= 99; length++)
        for (uint64_t seed = 0; seed < 2; seed++)
            seen[n++] = tw_hash_of(zeros, length, seed);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            assert_true(seen[i] != seen[k]);
}

static void swapped_words_change_the_hash(void **state)
{
    (void)state;
    uint64_t words[16];
    for (uint64_t i = 0; i < 16; i++)
        words[i] = 0x3ff0000000000000 + i; /* as neighbouring doubles */
    const uint64_t before = tw_hash_of(words, sizeof words, 0);
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < i; k++) {
            const uint64_t swap = words[i];
            words[i] = words[k];
            words[k] = swap;
            assert_true(tw_hash_of(words, sizeof words, 0) != before);
            words[k] = words[i];
            words[i] = swap;
        }
    assert_true(tw_hash_of(words, sizeof words, 0) == before);
}

/* Checkpoints contain hashes: with other values existing files would look damaged. */
static void hash_values_have_not_changed_since_the_first_version(void **state)
{
    (void)state;
    static const struct {
        size_t count;
        uint64_t seed, hash;
    } cases[] = {{0, 0, UINT64_C(13357954263694247317)},
                 {5, 0, UINT64_C(4935163878288209356)},
                 {100, 0, UINT64_C(17919897578876694237)},
                 {100, 1, UINT64_C(12006171567233566009)}};
    unsigned char bytes[100];
    for (int i = 0; i < 100; i++)
        bytes[i] = (unsigned char)(7 * i);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_true(tw_hash_of(bytes, cases[k].count, cases[k].seed) == cases[k].hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_hash_like_the_whole),
        cmocka_unit_test(every_input_bit_flips_half_of_the_hash),
        cmocka_unit_test(trailing_zeros_length_and_seed_change_the_hash),
        cmocka_unit_test(swapped_words_change_the_hash),
        cmocka_unit_test(hash_values_have_not_changed_since_the_first_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
