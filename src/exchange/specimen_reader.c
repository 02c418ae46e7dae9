/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/specimen_reader.h"

#include "base/error.h"

tw_specimen *tw_specimen_reader_run(tw_specimen_reader *reader, const char *path,
                                    bool (*read)(tw_specimen_reader *reader), tw_error *error)
{
    tw_error_clear(error);
    reader->specimen = tw_specimen_make(error);
    if (!reader->specimen) return NULL;
    const bool opened = tw_lines_open(&reader->lines, path, error);
    const bool done = opened && read(reader);
    if (opened) tw_lines_close(&reader->lines);
    if (done) return reader->specimen;
    tw_specimen_free(reader->specimen);
    return NULL;
}
