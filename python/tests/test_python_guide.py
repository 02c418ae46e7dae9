# SPDX-License-Identifier: BSD-3-Clause
"""The code on the page docs/guide/python.md runs as it is printed, and prints what the page shows."""

import re

import pytest
from conftest import source_text

BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.M | re.S)


def test_the_page(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    page = source_text("docs/guide/python.md")
    monkeypatch.chdir(tmp_path)
    names, printed, checked = {}, "", 0
    for language, text in BLOCK.findall(page):
        if language == "python":
            exec(compile(text, "python.md", "exec"), names)
            printed = capsys.readouterr().out
        else:
            assert printed == text
            checked += 1
    assert checked >= 6
    assert (tmp_path / "dense.svg").stat().st_size > 1000
    first = BLOCK.search(page).group(2)
    assert len(first.splitlines()) <= 10
