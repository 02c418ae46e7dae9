/* SPDX-License-Identifier: BSD-3-Clause */
/* Made by tools/metadata from CITATION.cff. */
/* clang-format off */
#define CITE_PROGRAM \
    "@misc{twirl,\n" \
    "  author = {{The twirl authors}},\n" \
    "  title = {{twirl: element tests on granular materials with exact frictional contacts}},\n" \
    "  year = {2026},\n" \
    "  note = {Version %s},\n" \
    "}\n"
#define CITE_METHOD \
    "@misc{kuhn_suzuki_daouadji,\n" \
    "  author = {Kuhn, Matthew R. and Suzuki, Kiichi and Daouadji, Ali},\n" \
    "  title = {Linear-frictional contact model for {3D} discrete element ({DEM}) simulations of granular systems},\n" \
    "  year = {2020},\n" \
    "}\n"
