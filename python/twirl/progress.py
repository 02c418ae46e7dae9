# SPDX-License-Identifier: BSD-3-Clause
"""The progress of a run: a bar in a terminal or a notebook, lines elsewhere."""

from __future__ import annotations

import math
import shutil
import sys
import time

#: Time between lines where there is no terminal [s].
INTERVAL = 10.0


class Silent:
    """Shows nothing."""

    def show(self, share: float, line: str) -> None:
        """The completed fraction of the present part, NaN if it is not known, and what is going on."""

    def message(self, text: str) -> None:
        """A line that stays."""

    def end(self, text: str) -> None:
        """The last line."""
        self.message(text)


def bar(share: float, width: int) -> str:
    """[#####.....]"""
    full = 0 if math.isnan(share) else int(width * min(max(share, 0.0), 1.0))
    return f"[{'#' * full}{'.' * (width - full)}]"


class Terminal(Silent):
    """One line that is rewritten."""

    def __init__(self, stream=None):
        self.stream = stream or sys.stderr

    def show(self, share, line):
        text = f"{bar(share, 20)} {line}"[:shutil.get_terminal_size().columns - 1]
        self.stream.write(f"\r{text}\033[K")
        self.stream.flush()

    def message(self, text):
        self.stream.write(f"\r{text}\033[K\n")


class Lines(Silent):
    """A line every ten seconds, for logs."""

    def __init__(self, stream=None):
        self.stream = stream or sys.stderr
        self.shown = time.monotonic()

    def show(self, share, line):
        if time.monotonic() - self.shown >= INTERVAL:
            self.shown = time.monotonic()
            self.message(line)

    def message(self, text):
        self.stream.write(text + "\n")
        self.stream.flush()


class Notebook(Silent):
    """A bar below the cell, and under it what is going on."""

    class Text:
        def __init__(self, html, plain):
            self.html, self.plain = html, plain

        def _repr_html_(self):
            return self.html

        def __repr__(self):
            return self.plain

    def __init__(self):
        from IPython.display import display  # only where there is a notebook
        self.handle = display(self.Text("", ""), display_id=True)

    def show(self, share, line):
        from html import escape
        value = "" if math.isnan(share) else f' value="{share:.4f}"'
        self.handle.update(self.Text(f'<progress max="1"{value} style="width: 20em" aria-label="progress"></progress>'
                                     f" <code>{escape(line)}</code>", line))

    def end(self, text):
        self.show(1.0, text)


def in_notebook() -> bool:
    """Whether a kernel of Jupyter runs this."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and getattr(shell, "kernel", None) is not None


def choose(wanted: bool) -> Silent:
    """What suits the place where this runs."""
    if not wanted:
        return Silent()
    if in_notebook():
        return Notebook()
    return Terminal() if sys.stderr.isatty() else Lines()
