/* SPDX-License-Identifier: BSD-3-Clause */
/* The secret part of the address of `twirl watch`: other users of the machine, and pages of others
 * in the same browser, cannot guess it. */
#ifndef TWIRL_APP_REPORT_TOKEN_H
#define TWIRL_APP_REPORT_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

enum { TW_REPORT_TOKEN_LENGTH = 32 };

typedef struct tw_report_token {
    char text[TW_REPORT_TOKEN_LENGTH + 1]; /* 128 random bits in hexadecimal digits */
} tw_report_token;

/* False: the system has no random numbers. */
bool tw_report_token_make(tw_report_token *token);

/* Whether the text begins with the token. Takes equally long wherever they differ. */
bool tw_report_token_begins(const tw_report_token *token, const char *text);

#endif
