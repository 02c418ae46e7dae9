/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_png.h"

#include <png.h>

#include "base/error.h"
#include "base/replace_file.h"

tw_status tw_render_png_write(const tw_render_picture *picture, const char *path, tw_error *error)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)picture->width,
                       .height = (png_uint_32)picture->height,
                       .format = PNG_FORMAT_RGB};
    tw_replace_file file;
    const tw_status status = tw_replace_file_begin(&file, path, TW_REPLACE_FILE_OR_DEVICE, error);
    if (status != TW_STATUS_OK) return status;
    FILE *stream = tw_replace_file_stream(&file);
    if (stream && png_image_write_to_stdio(&image, stream, 0, picture->rgb, 0, NULL))
        return tw_replace_file_commit(&file, error);
    tw_replace_file_abort(&file);
    if (!stream) return tw_error_set_memory(error);
    return tw_error_set(error, TW_STATUS_FILE, "cannot write %s: %s",
                        tw_error_shorten_path(path).text, image.message);
}
