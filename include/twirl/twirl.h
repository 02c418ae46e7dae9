/* SPDX-License-Identifier: BSD-3-Clause */
/* The contact kernel, the engine, import and export, scenarios, running them, and figures. */
#ifndef TWIRL_TWIRL_H
#define TWIRL_TWIRL_H

#include <twirl/contact.h>
#include <twirl/control.h>
#include <twirl/exchange.h>
#include <twirl/figure.h>
#include <twirl/history_columns.h>
#include <twirl/material.h>
#include <twirl/mesh.h>
#include <twirl/run.h>
#include <twirl/scenario.h>
#include <twirl/sim.h>
#include <twirl/statics.h>
#include <twirl/types.h>
#include <twirl/version.h>

#endif
