/* SPDX-License-Identifier: BSD-3-Clause */
/* What the shared libraries export: functions declared with TW_API. All others are hidden. */
#ifndef TWIRL_DETAIL_API_H
#define TWIRL_DETAIL_API_H

#if defined(__GNUC__)
#define TW_API __attribute__((visibility("default")))
#else
#define TW_API
#endif

#endif
