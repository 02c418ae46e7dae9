/* SPDX-License-Identifier: BSD-3-Clause */
/* A locale with a decimal comma. CMake makes one if it can, in the folder TWIRL_LOCALES. */
#ifndef TEST_COMMA_LOCALE_H
#define TEST_COMMA_LOCALE_H

#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>

/* False: there is none. LOCPATH is set no longer than needed: with it newlocale of glibc leaks
 * memory, and libraries call that as soon as they are loaded. */
static inline bool comma_locale_set(int category)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    const char *folder = getenv("TWIRL_LOCALES");
    bool found = false;
    if (folder) setenv("LOCPATH", folder, 1);
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = setlocale(category, names[i]) != NULL;
    unsetenv("LOCPATH");
    return found;
}

#endif
