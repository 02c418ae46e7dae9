# SPDX-License-Identifier: BSD-3-Clause
"""The extension module has what the headers declare."""

import re

import twirl
from conftest import source_text
from twirl._core import ffi, lib


def header(name):
    text = source_text(f"include/twirl/{name}")
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def test_every_function_of_the_engine_is_there():
    for name in ("sim.h", "control.h", "exchange.h", "run.h", "scenario.h", "contact.h", "material.h"):
        declared = re.findall(r"^TW_API .*?\b(tw_\w+)\(", header(name), flags=re.M)
        assert len(declared) > 2
        assert [one for one in declared if not hasattr(lib, one)] == []


def test_members_of_a_struct_are_those_of_the_header():
    body = re.search(r"typedef struct tw_contact_law \{(.*?)\}", header("contact.h"), flags=re.S).group(1)
    declared = re.findall(r"(\w+)\s*;", body)
    assert [name for name, _field in ffi.typeof("tw_contact_law").fields] == declared


def test_the_version_is_that_of_the_project():
    wanted = re.findall(r"^#define TW_VERSION_\w+ (\d+)$", source_text("include/twirl/version.h"), flags=re.M)
    assert len(wanted) == 3
    assert twirl.__version__ == ".".join(wanted)


def test_the_statuses_are_those_of_the_header():
    declared = {name[len("TW_STATUS_"):]: value for value, name in ffi.typeof("tw_status").elements.items()}
    assert {one.name: one.value for one in twirl.Status} == {
        name: value for name, value in declared.items() if name != "COUNT"}


def test_constants():
    assert lib.TW_NO_BODY == 2**32 - 1
    assert lib.TW_SCENARIO_NONE == 2**64 - 1
    assert lib.TW_SCENARIO_AUTO == float("-inf")
    assert lib.TW_STATUS_OK == 0
    assert lib.TW_CONTACT_ALL == 63
