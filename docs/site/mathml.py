# SPDX-License-Identifier: BSD-3-Clause
"""Equations as MathML, made by pandoc when the site is built: no script is needed to read them."""

import html
import re
import subprocess
from pathlib import Path

from docutils import nodes

TAG = re.compile(r"\\tag\{([^}]*)\}")
BLOCK = re.compile(r"\$\$(.+?)\$\$", re.S)
MATH = re.compile(r"<math.*?</math>", re.S)
made = {}  # TeX of a block -> MathML


def plain(tex):
    """One line without the number, in commands that pandoc knows."""
    tex = re.sub(r"\{\\rm ([^{}]*)\}", r"\\mathrm{\1}", TAG.sub("", tex)).replace(r"\cfrac", r"\dfrac")
    return " ".join(tex.split())


def convert(texts):
    """MathML of each text, by one run of pandoc."""
    source = "\n\n".join(f"$${text}$$" for text in texts)
    done = subprocess.run(["pandoc", "--from=markdown", "--to=html", "--mathml"], input=source, text=True, check=True,
                          capture_output=True)
    found = MATH.findall(done.stdout)
    if done.stderr or len(found) != len(texts):
        raise RuntimeError(f"{len(texts)} equations, of which pandoc made {len(found)}: {done.stderr}")
    return [re.sub(r"<annotation.*?</annotation>", "", one, flags=re.S) for one in found]


def prepare(app):
    texts = {plain(block) for page in Path(app.srcdir).rglob("*.md") for block in BLOCK.findall(page.read_text(encoding="utf-8"))}
    texts = sorted(texts)
    made.update(zip(texts, convert(texts) if texts else []))


def mathml(tex):
    key = plain(tex)
    if key not in made:
        made[key] = convert([key])[0]
    return made[key]


def inline(self, node):
    self.body.append(mathml(node.astext()).replace('display="block"', 'display="inline"'))
    raise nodes.SkipNode


def block(self, node):
    number = TAG.search(node.astext())
    self.body.append('<div class="equation">' + mathml(node.astext()))
    if number:
        self.body.append(f'<span class="number">({html.escape(number.group(1))})</span>')
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    app.connect("builder-inited", prepare)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
