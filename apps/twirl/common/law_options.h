/* SPDX-License-Identifier: BSD-3-Clause */
/* Options for the contact law, for every command that has one. */
#ifndef TWIRL_APP_LAW_OPTIONS_H
#define TWIRL_APP_LAW_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <twirl/contact.h>
#include <twirl/types.h>

#include "common/args.h"

/* Options that take a number. */
typedef enum tw_law_number {
    TW_LAW_KN,
    TW_LAW_KT,
    TW_LAW_MU,
    TW_LAW_NU,
    TW_LAW_NU_N,
    TW_LAW_NU_T,
    TW_LAW_RESTITUTION,
    TW_LAW_YOUNG,
    TW_LAW_POISSON,
    TW_LAW_ROLLING,
    TW_LAW_K_R,
    TW_LAW_NU_R,
    TW_LAW_TWISTING,
    TW_LAW_K_W,
    TW_LAW_NU_W,
    TW_LAW_NUMBERS
} tw_law_number;

typedef struct tw_law_options {
    double number[TW_LAW_NUMBERS]; /* NaN: not given */
    int32_t kind, normal;          /* -1: not given */
    bool no_tension;
    bool without_given;
    uint32_t without; /* refinements to switch off */
} tw_law_options;

tw_law_options tw_law_options_none(void);

/* The options, for settings of the type tw_law_options. */
extern const tw_args_table tw_law_options_table;

/* A law from the options alone. Fails if a stiffness or mu is missing or the law is not valid. */
tw_status tw_law_options_make(const tw_law_options *given, tw_contact_law *law, tw_error *error);

/* Applies the given options to a complete law, and sets *changed if there were any. Fails if the
 * result is not valid. */
tw_status tw_law_options_change(const tw_law_options *given, tw_contact_law *law, bool *changed,
                                tw_error *error);

#endif
