/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "device/device.h"

int tw_device_test(const char *name, uint64_t *value)
{
    const char *at = getenv("TWIRL_DEVICE_TEST");
    const size_t length = strlen(name);
    for (; at && *at; at += strcspn(at, " "), at += *at == ' ') {
        if (strncmp(at, name, length) != 0 || at[length] != '=') continue;
        *value = strtoull(at + length + 1, NULL, 10);
        return 1;
    }
    return 0;
}
