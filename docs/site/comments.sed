#!/bin/sed -f
# SPDX-License-Identifier: BSD-3-Clause
# Comments of the headers in the form that Doxygen reads. The second line begins the description of the file; others stand before a
# declaration, or behind it on its line. Lines that divide a header belong to nothing.
1s|.*||
2s|^/\* |/** @file\
 * |
/^\/\* ----.*---- \*\/$/d
s/^TW_API //
/^#\(include\|if\|endif\|else\)/s|/\*.*||
s|^\( *\)/\* |\1/** |
/^ *\/\*\*/!s|/\* |/**< |
