/* SPDX-License-Identifier: BSD-3-Clause */
/* The options that make a contact law, for every command that has one. */
#ifndef TWIRL_APP_LAW_OPTIONS_H
#define TWIRL_APP_LAW_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include <twirl/contact.h>

/* What was given on the command line. */
typedef struct tw_law_options {
    double kn, kt, mu, nu; /* NaN: not given */
    int32_t kind;          /* -1: not given */
    bool without_given;
    uint32_t without; /* refinements to switch off */
} tw_law_options;

tw_law_options tw_law_options_none(void);

/* A child for struct argp; its input is a tw_law_options. Options that are listed here must not
 * also be the parent's. */
extern const struct argp tw_law_options_argp;

/* A law of which kn, kt and mu must be given: they are NaN. */
tw_contact_law tw_law_options_start(void);

/* Puts what was given in place of what the law has; whether any of it was. */
bool tw_law_options_apply(const tw_law_options *given, tw_contact_law *law);

/* False: `text` says which option is missing, or why these numbers make no law. */
bool tw_law_options_check(const tw_contact_law *law, char *text, size_t size);

#endif
