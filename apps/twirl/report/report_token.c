/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_token.h"

#include <stdio.h>
#include <sys/random.h>

bool tw_report_token_make(tw_report_token *token)
{
    unsigned char bytes[TW_REPORT_TOKEN_LENGTH / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
    for (size_t k = 0; k < sizeof bytes; k++)
        snprintf(token->text + 2 * k, 3, "%02x", bytes[k]);
    return true;
}

bool tw_report_token_begins(const tw_report_token *token, const char *text)
{
    unsigned difference = 0;
    bool ended = false; /* the text is shorter: what follows is not read */
    for (size_t k = 0; k < TW_REPORT_TOKEN_LENGTH; k++) {
        ended = ended || text[k] == '\0';
        difference |= (unsigned char)token->text[k] ^ (unsigned char)(ended ? 0 : text[k]);
    }
    return difference == 0;
}
