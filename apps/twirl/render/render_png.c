/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_png.h"

#include <errno.h>
#include <limits.h>
#include <png.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool fail(char *error, size_t size, const char *path, const char *why)
{
    snprintf(error, size, "cannot write %s: %s", path, why);
    return false;
}

static bool write_image(const tw_render_picture *picture, FILE *file, char *why, size_t size)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)picture->width,
                       .height = (png_uint_32)picture->height,
                       .format = PNG_FORMAT_RGB};
    if (png_image_write_to_stdio(&image, file, 0, picture->rgb, 0, NULL)) return true;
    snprintf(why, size, "%s", image.message);
    return false;
}

bool tw_render_png_write(const tw_render_picture *picture, const char *path, char *error,
                         size_t size)
{
    char temporary[PATH_MAX], why[128] = "";
    const int used = snprintf(temporary, sizeof temporary, "%s.%ld.part", path, (long)getpid());
    if (used < 0 || (size_t)used >= sizeof temporary)
        return fail(error, size, path, strerror(ENAMETOOLONG));
    FILE *file = fopen(temporary, "wb");
    if (!file) return fail(error, size, path, strerror(errno));
    bool good = write_image(picture, file, why, sizeof why);
    if (fclose(file) != 0 && good) {
        good = false;
        snprintf(why, sizeof why, "%s", strerror(errno));
    }
    if (good && rename(temporary, path) == 0) return true;
    if (good) snprintf(why, sizeof why, "%s", strerror(errno));
    unlink(temporary);
    return fail(error, size, path, why);
}
