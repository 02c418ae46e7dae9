#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a call of each function of the public headers that takes a tw_error, with arguments that it must refuse.

    calls.py HEADERS OUT

An argument goes by function and name, else by name, else by type. What is a result is NULL where the headers say that it may be. A new
function needs nothing here, as long as it refuses these arguments: if it does not, test_errors.c says so.

Functions with a capacity are called again, without room for what a prepared simulation has; so are those that take a struct of a `_default`
function, with one that is all zero.
"""

import re
import sys
from pathlib import Path

#: By "function parameter", or parameter.
NAMED = {
    "error": "error",
    "path": '"no/such/file"', "folder": '"no/such/folder"', "directory": '"no/such/folder"',
    "name": '"no\\nname"', "label": '"two\\nlines"', "comment": '"a--b"', "state": '"state"', "recipe": '"none"',
    "device": '"abacus"',
    "sim": "scene.sim", "since": "NULL", "from": "scene.sim",
    "series": "scene.series", "specimen": "scene.specimen", "scenario": "scene.scenario", "statics": "scene.statics",
    "request": "&scene.request", "plan": "&scene.plan", "tw_run_estimate_make plan": "&scene.estimate", "grid": "&scene.grid",
    "spheres": "&scene.sphere", "contacts": "&scene.contact", "tw_specimen_read_lammps_local contacts": "&scene.list",
    "tw_sim_list_contacts contacts": "&scene.list", "times": "scene.numbers", "values": "scene.numbers", "moves": "scene.numbers",
    "force": "scene.numbers", "sliding": "scene.bytes", "tw_sim_get_rattlers out": "scene.bytes", "count": "1",
    "tw_mesh_soup_add number": "1",
    "tw_sim_remove_bodies ids": "(const uint32_t[]){4000000000u}",
    "tw_sim_contact_count count": "&scene.count", "tw_sim_list_contacts count": "&scene.count",
    "tw_specimen_read_lammps_local count": "&scene.count",
    # Results that may be NULL.
    "number": "NULL", "tw_sim_add_body id": "NULL", "wrong": "NULL", "tw_sim_measure_pairs count": "NULL",
    "tw_sim_take_events count": "NULL",
    "hook": "NULL", "after": "NULL", "body": "NULL", "context": "NULL", "text": "&scene.text",
    "tw_figure_forces_add count": "0",
    "tw_export_series_restore count": "2",
}
#: By type, where no name fits.
TYPED = {"double": "(double)NAN", "int": "-1", "int32_t": "-1", "uint32_t": "4000000000u", "size_t": "1", "uint64_t": "1",
         "tw_vec3": "tw_vec3_make((double)NAN, (double)NAN, (double)NAN)", "double *": "scene.numbers", "const double *": "scene.numbers"}
#: Structs that are freed after a failure, too.
FREED = {"tw_figure_set", "tw_run_estimate"}
#: They are given what only a state in equilibrium has (test/statics).
LEFT_OUT = {"tw_statics_compute_moduli", "tw_statics_rates_create", "tw_statics_rates_solve", "tw_statics_rates_judge"}
#: What cannot fail with a simulation on the CPU, or takes a missing file for no error: it is called without an error all the same.
MAY_WORK = {"tw_sim_get_sizes", "tw_sim_get_body_columns", "tw_sim_copy", "tw_statics_check_solver",
            "tw_sim_list_contacts", "tw_run_results_check", "tw_run_saved_read", "tw_figure_young_add", "tw_sim_make_bodies", "tw_specimen_add",
            "tw_sim_take_events", "tw_sim_get_extent"}
#: In calls without room.
NO_ROOM = {"sim": "scene.good", "out": "NULL", "capacity": "0", "name": '"fr"', "contacts": "NULL", "contact_count": "0", "grid": "&points"}
#: It takes the first of a queue, as many as there is room for.
IN_PARTS = {"tw_sim_take_events"}


def functions(text: str):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^[ \t]*#.*?(?<!\\)$", "", text, flags=re.M | re.S)
    pattern = r"^TW_API ([a-z]\w*(?: \w+)* ?\*?)(tw_\w+)\(([^;{]*)\);"
    for kind, name, parameters in re.findall(pattern, text, flags=re.M):
        yield kind.strip(), name, [" ".join(p.split()) for p in parameters.split(",")]


def argument(function: str, parameter: str) -> str:
    name = re.search(r"(\w+)(?:\[\w*\])?$", parameter)[1]
    kind = parameter[:parameter.rindex(name)].strip()
    for key in (f"{function} {name}", name):
        if key in NAMED:
            return NAMED[key]
    if kind in TYPED:
        return TYPED[kind]
    if kind.endswith(" *") and kind.count("*") == 1:  # a struct, all zero
        return f"&(static_{kind[:-2].replace('const ', '')})"
    raise SystemExit(f"calls.py: {function}: which argument is `{parameter}`?")


def main(headers: str, out: str) -> None:
    calls, rows, small, unmade = [], [], [], []
    texts = [path.read_text() for path in sorted(Path(headers).glob("*.h"))]
    sized = re.findall(r"^typedef struct (\w+) {\n    size_t struct_size;", "".join(texts), flags=re.M)
    assert len(sized) >= 5, sized
    for text in texts:
        for kind, name, parameters in functions(text):
            if parameters[-1] != "tw_error *error" or name in LEFT_OUT:
                continue
            arguments, zeros, frees = [], [], ""
            for parameter in parameters:
                value = argument(name, parameter)
                made = re.fullmatch(r"&\(static_(\w+)\)", value)
                if made:
                    value = f"zero_{len(zeros)}"  # some are filled for each body or contact
                    zeros.append(f"    static {made[1]} {value}[64];\n")
                    if made[1] in FREED:
                        frees += f"    {made[1]}_free({value});\n"
                arguments.append(value)
            call = f"{name}({', '.join(arguments)})"
            free = {"tw_sim *": "tw_sim_free", "tw_specimen *": "tw_specimen_free", "tw_statics *": "tw_statics_free",
                    "tw_export_series *": "tw_export_series_close"}.get(kind)
            if kind == "tw_status":
                body = f"    const tw_status status = {call};\n{frees}    return status;\n" if frees else f"    return {call};\n"
            elif free:
                body = f"    {kind}made = {call};\n    {free}(made);\n    return made ? TW_STATUS_OK : REFUSED;\n"
            else:
                body = f"    return {call} ? TW_STATUS_OK : REFUSED;\n"
            calls.append(f"static tw_status call_{name}(tw_error *error)\n{{\n{''.join(zeros)}{body}}}\n\n")
            rows.append(f"    {{\"{name}\", call_{name}, {int(name in MAY_WORK)}}},\n")
            if "size_t capacity" in parameters and name not in IN_PARTS:
                words = [re.search(r"\w+$", p)[0] for p in parameters]
                arguments = [NO_ROOM.get(word) or argument(name, p) for word, p in zip(words, parameters)]
                calls.append(f"static tw_status small_{name}(tw_error *error)\n{{\n    return {name}({', '.join(arguments)});\n}}\n\n")
                small.append(f"    {{\"{name}\", small_{name}, 0}},\n")
            unmade += [f"    {{\"{one}_default\", call_{name}, 0}},\n" for one in sized if re.search(rf"const {one} \*", "".join(parameters))]
    Path(out).write_text(f"{''.join(calls)}static const struct call calls[] = {{\n{''.join(rows)}}};\n"
                         f"static const struct call without_room[] = {{\n{''.join(small)}}};\n"
                         f"static const struct call not_made[] = {{\n{''.join(unmade)}}};\n")


main(*sys.argv[1:])
