#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# manual_lmp.sh FILE VERSION PROGRAM...: the manual page of twirl-lmp, from its help, compressed. PROGRAM may begin with an
# emulator. There is no page, and no error, where it does not run: MPI may need a node of a cluster.
#
# The help begins with "NAME - SUMMARY" and a description; LAMMPS adds its options, one per line:
#     -in none/filename           : read input from file or stdin (default) (-i)
set -eu
file=$1 version=$2
shift 2
if ! text=$("$@" -help 2>/dev/null </dev/null); then
    echo "manual_lmp.sh: $1 does not run here: no manual page" >&2
    exit 0
fi
page=$(printf '%s\n' "$text" | awk -v version="$version" '
function roff(text) {
    gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text)
    return text ~ /^[.\047]/ ? "\\&" text : text
}
function option(line, text,    name, brief) { # NAME ARGUMENTS, what it does (-SHORT)
    name = line; sub(/ .*/, "", name)
    sub(/^[^ ]+ */, "", line); sub(/ +$/, "", line)
    brief = match(text, / \(-[a-z0-9]+\)$/) ? substr(text, RSTART + 2, RLENGTH - 3) : ""
    if (brief != "") text = substr(text, 1, RSTART - 1)
    print ".TP\n\\fB" roff(name) "\\fR" (brief != "" ? ", \\fB" roff(brief) "\\fR" : "") (line != "" ? " " roff(line) : "")
    print roff(text)
    options++
}
NR == 1 {
    program = $1
    print ".TH " toupper(program) " 1 \"\" \"twirl " version "\" \"twirl\"\n.SH NAME\n" program " \\- " roff(substr($0, index($0, " - ") + 3))
    print ".SH SYNOPSIS\n\\fB" roff(program) "\\fR [\\fB\\-in\\fR \\fIFILE\\fR] [\\fIOPTION\\fR...]\n.SH DESCRIPTION"
    part = "description"
    next
}
part == "description" && /^$/ { blank = said; next }
part == "description" && /^Large-scale Atomic/ { part = "header" } # of LAMMPS
part == "description" { if (blank) print ".PP"; blank = 0; said = 1; print roff($0) }
/^List of command.line options/ { part = "options"; print ".SH OPTIONS"; next }
part == "options" && /^$/ { if (options) exit; next }
part == "options" && /^-.*: / { split($0, half, / *: /); option(half[1], substr($0, index($0, ": ") + 2)); next }
part == "options" && /^-/ { waiting = $0; next }
part == "options" && /^ *: / { sub(/^ *: /, ""); option(waiting, $0) }
END {
    if (!options) { print "manual_lmp.sh: no options in the help of the program" > "/dev/stderr"; exit 1 }
    print ".SH SEE ALSO\n.BR lmp (1),\n.BR twirl (1),\n.BR twirl\\-export (1)"
}')
printf '%s\n' "$page" | gzip -9n >"$file"
