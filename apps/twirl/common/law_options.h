/* SPDX-License-Identifier: BSD-3-Clause */
/* Options for the contact law, for every command that has one. */
#ifndef TWIRL_APP_LAW_OPTIONS_H
#define TWIRL_APP_LAW_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include <twirl/contact.h>
#include <twirl/types.h>

typedef struct tw_law_options {
    double kn, kt, mu, nu; /* NaN: not given */
    int32_t kind;          /* -1: not given */
    bool without_given;
    uint32_t without; /* refinements to switch off */
} tw_law_options;

tw_law_options tw_law_options_none(void);

/* A child for struct argp; its input is a tw_law_options. The parent must not define the same
 * options. */
extern const struct argp tw_law_options_argp;

/* A law from the options alone. Fails if kn, kt or mu is missing or the law is not valid. */
tw_status tw_law_options_make(const tw_law_options *given, tw_contact_law *law, tw_error *error);

/* Applies the given options to a complete law, and sets *changed if there were any. Fails if the
 * result is not valid. */
tw_status tw_law_options_change(const tw_law_options *given, tw_contact_law *law, bool *changed,
                                tw_error *error);

#endif
