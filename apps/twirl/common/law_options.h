/* SPDX-License-Identifier: BSD-3-Clause */
/* Options for the contact law, for every command that has one. */
#ifndef TWIRL_APP_LAW_OPTIONS_H
#define TWIRL_APP_LAW_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <twirl/contact.h>
#include <twirl/types.h>

#include "common/args.h"

typedef struct tw_law_options {
    double kn, kt, mu, nu, nu_n, nu_t, restitution, young, poisson; /* NaN: not given */
    double modulus, kt_ratio;
    double rolling, k_r, nu_r, twisting, k_w, nu_w;
    int32_t kind, normal, levers; /* -1: not given */
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
