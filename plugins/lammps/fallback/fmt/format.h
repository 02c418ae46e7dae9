/* SPDX-License-Identifier: GPL-2.0-only */
/* Debian's LAMMPS headers include the formatting library that LAMMPS was built with, but the
 * package does not have it. These are the names its headers mention; nothing here calls them. */
#ifndef TWIRL_LAMMPS_FALLBACK_FMT_H
#define TWIRL_LAMMPS_FALLBACK_FMT_H

namespace fmt
{
class string_view;
class format_args;
template <typename... Args, typename Text> format_args make_args_checked(const Text &, Args &...);
} // namespace fmt

#endif
