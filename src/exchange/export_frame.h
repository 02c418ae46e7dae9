/* SPDX-License-Identifier: BSD-3-Clause */
/* Exports that make one file of one frame. */
#ifndef TW_EXCHANGE_EXPORT_FRAME_H
#define TW_EXCHANGE_EXPORT_FRAME_H

#include "exchange/frame.h"
#include "exchange/outfile.h"

typedef void tw_export_frame_printer(tw_outfile *out, const tw_sim *sim, const tw_frame *frame);

tw_status tw_export_frame(const tw_sim *sim, const char *path, tw_export_frame_printer *print,
                          tw_error *error);

#endif
