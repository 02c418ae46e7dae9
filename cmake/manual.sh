#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# manual.sh DIR PROGRAM...: the manual pages of the program and its commands, compressed. PROGRAM may begin with an emulator.
set -eu
dir=$1
shift
export ASAN_OPTIONS=detect_leaks=0 # of a build with sanitizers: takes seconds per page, and tests look for leaks
tab=$(printf '\t')
"$@" --print-options | while IFS=$tab read -r name _; do
    "$@" "$name" --print-manual | gzip -9n >"$dir/twirl-$name.1.gz"
done
"$@" --print-manual | gzip -9n >"$dir/twirl.1.gz"
