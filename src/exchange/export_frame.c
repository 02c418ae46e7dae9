/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/export_frame.h"

tw_status tw_export_frame(const tw_sim *sim, const char *path, tw_export_frame_printer *print,
                          tw_error *error)
{
    tw_error_clear(error);
    tw_frame frame;
    tw_status status = tw_frame_take(&frame, sim, error);
    if (status != TW_STATUS_OK) return status;
    tw_outfile out;
    status = tw_outfile_open(&out, path, error);
    if (status == TW_STATUS_OK) {
        print(&out, sim, &frame);
        status = tw_outfile_finish(&out, error);
    }
    tw_frame_free(&frame);
    return status;
}
