/* SPDX-License-Identifier: BSD-3-Clause */
/* `twirl info` of the folder of a run. */
#ifndef TWIRL_APP_INFO_RUN_H
#define TWIRL_APP_INFO_RUN_H

#include <stdbool.h>

bool tw_info_run_is_folder(const char *path);

/* Prints what each stage has shown: peak, modulus, critical state. Returns an exit status. */
int tw_info_run_print(const char *folder, const char *command);

#endif
