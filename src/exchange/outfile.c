/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/outfile.h"

#include <stdarg.h>

tw_status tw_outfile_open(tw_outfile *out, const char *path, tw_error *error)
{
    const tw_status status =
        tw_replace_file_begin(&out->file, path, TW_REPLACE_FILE_OR_DEVICE, error);
    if (status != TW_STATUS_OK) return status;
    out->stream = tw_replace_file_stream(&out->file);
    if (out->stream && tw_plain_enter(&out->plain)) return TW_STATUS_OK;
    tw_replace_file_abort(&out->file);
    return tw_error_set_memory(error);
}

void tw_outfile_print(tw_outfile *out, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)vfprintf(out->stream, format, values);
    va_end(values);
}

void tw_outfile_write(tw_outfile *out, const void *bytes, size_t count)
{
    (void)fwrite(bytes, 1, count, out->stream);
}

void tw_outfile_print_xml(tw_outfile *out, const char *text)
{
    for (; *text; text++) {
        const char *entity = *text == '&'    ? "&amp;"
                             : *text == '<'  ? "&lt;"
                             : *text == '>'  ? "&gt;"
                             : *text == '"'  ? "&quot;"
                             : *text == '\'' ? "&apos;"
                                             : NULL;
        if (entity)
            (void)fputs(entity, out->stream);
        else
            (void)putc(*text, out->stream);
    }
}

tw_status tw_outfile_finish(tw_outfile *out, tw_error *error)
{
    tw_plain_leave(&out->plain);
    return tw_replace_file_commit(&out->file, error);
}
