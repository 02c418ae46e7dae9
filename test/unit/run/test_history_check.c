/* SPDX-License-Identifier: BSD-3-Clause */
/* Any change of a history is found, at its line. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "run/files.h"

enum { ROWS = 6 };

static const uint64_t identity = UINT64_C(0x0123456789abcdef);
static const char header[] = "step,p,check\n";

typedef struct history {
    char line[ROWS + 1][64];
} history;

static history make(uint64_t run)
{
    history h = {{{0}}};
    uint32_t check = tw_run_history_check_start(run, header);
    strcpy(h.line[0], header);
    for (int k = 1; k <= ROWS; k++) {
        tw_text_buffer row = {0};
        tw_text_buffer_add(&row, "%d,%g", k, 0.25 * k);
        tw_run_history_check_add(&check, &row);
        strcpy(h.line[k], row.text);
        tw_text_buffer_free(&row);
    }
    return h;
}

/* The first wrong line, from 1; 0: none. */
static size_t find(const history *h)
{
    char text[sizeof *h] = "";
    uint32_t check;
    for (int k = 0; k <= ROWS; k++)
        strcat(text, h->line[k]);
    return tw_run_history_check_find(identity, header, text, &check);
}

static void a_history_is_accepted(void **state)
{
    (void)state;
    const history h = make(identity);
    uint32_t check;
    assert_int_equal(find(&h), 0);
    assert_int_equal(tw_run_history_check_find(identity, header, header, &check), 0);
    assert_int_equal(check, tw_run_history_check_start(identity, header));
}

static void a_changed_character_is_found(void **state)
{
    (void)state;
    for (int line = 0; line <= ROWS; line++)
        for (size_t at = 0; at < strlen(make(identity).line[line]); at++) {
            history h = make(identity);
            h.line[line][at] = (char)(h.line[line][at] ^ 1);
            /* without its newline a row takes the next with it */
            assert_int_equal(find(&h), line + 1);
        }
}

static void rows_stay_in_their_places(void **state)
{
    (void)state;
    const history good = make(identity), other = make(identity + 1);
    for (int line = 1; line < ROWS; line++) {
        history h = good;
        h.line[line][0] = '\0'; /* removed */
        assert_int_equal(find(&h), line + 1);
        h = good;
        strcpy(h.line[line], good.line[line + 1]); /* exchanged */
        strcpy(h.line[line + 1], good.line[line]);
        assert_int_equal(find(&h), line + 1);
        h = good;
        strcpy(h.line[line], other.line[line]); /* of another run */
        assert_int_equal(find(&h), line + 1);
        h = good;
        strcat(h.line[line], good.line[line]); /* repeated */
        assert_int_equal(find(&h), line + 2);
    }
    assert_int_equal(find(&other), 2);
}

static void an_incomplete_row_is_found(void **state)
{
    (void)state;
    for (size_t length = 1; length < strlen(make(identity).line[ROWS]); length++) {
        history h = make(identity);
        h.line[ROWS][length] = '\0';
        assert_int_equal(find(&h), ROWS + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_history_is_accepted),
        cmocka_unit_test(a_changed_character_is_found),
        cmocka_unit_test(rows_stay_in_their_places),
        cmocka_unit_test(an_incomplete_row_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
