#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Stages the sources of the site: the pages of the repository as they are, and the generated reference.

    stage.py ROOT BUILD OUT [REPORT]

ROOT: the repository; BUILD: a build of it, with program and Python package; OUT: has doxygen/xml,
and gets source/ (pages) and extra/ (files that pages link to); REPORT: an HTML file by `twirl report`, for the first page. Only links are rewritten: to a folder, its README;
to a file that is no page, a copy of it. The environment variable TWIRL_GALLERY names a folder whose gallery.md and gallery, by
tools/renew_pages, stand for those of docs/guide.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import headers

NOT_OURS = {"build", ".git", "node_modules", ".github", "site", "corpus"}
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^ {0,3}```.*?^ {0,3}```[ ]*$|`[^`\n]+`", re.M | re.S)
IMAGE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)")
HTML_IMAGE = re.compile(r'<img src="([^"]+)"')
FIRST = "README.md"  # of the repository: the text of the first page
OFF = {Path("docs/unknown.md")}  # not for readers of the site
NAME = re.compile(r"[\w./-]+\.md")  # the text of a link, which gets the title of its page
FOLDERS = {"docs/theory": "docs/theory/contact.md"}  # folders without a README: the page to begin with


class Stage:
    def __init__(self, root, build, out, report):
        self.root, self.build, self.report = root, build, report
        self.source, self.extra, self.doxygen = out / "source", out / "extra", out / "doxygen/xml"
        self.pages = sorted(path.relative_to(root) for path in root.rglob("*.md")
                            if not NOT_OURS & set(path.relative_to(root).parts[:-1]) and path != root / FIRST and path.relative_to(root) not in OFF)
        self.kept = set()
        self.gallery = Path(os.environ["TWIRL_GALLERY"]).resolve() if os.environ.get("TWIRL_GALLERY") else None

    def put(self, base, name, text=None, copy=None):
        """Writes a file if it is not there as it should be: Sphinx reads again only what has changed."""
        path = base / name
        data = copy.read_bytes() if copy else text.encode()
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)
        self.kept.add(path)

    def file(self, name):
        """Where a file of the site comes from."""
        inside = Path(name)
        if self.gallery and inside.is_relative_to("docs/guide") and (self.gallery / inside.relative_to("docs/guide")).exists():
            return self.gallery / inside.relative_to("docs/guide")
        return self.root / inside

    # ---- Pages ----

    def link(self, page, match):
        picture, text, target = match.groups()
        if picture or re.match(r"[a-z]+:|#", target):
            return match.group(0)
        path, hash_, anchor = target.partition("#")
        found = (self.root / page.parent / path).resolve()
        name = str(found.relative_to(self.root))
        if found.is_dir():
            inside = Path(FOLDERS.get(name, f"{name}/README.md"))
            if inside not in self.pages:  # its files, as they are
                inside = None
            found = self.root / inside if inside else found
        if found == self.root / FIRST:
            found = self.root / "index.md"
        if found.suffix == ".md" and found.relative_to(self.root) not in OFF:
            if NAME.fullmatch(text):
                text = re.search(r"^# (.*)$", self.file(found.relative_to(self.root)).read_text(encoding="utf-8"), re.M)[1]
            return f"[{text}]({os.path.relpath(found, self.root / page.parent)}{hash_}{anchor})"
        up = "../" * len(page.parent.parts)
        if found.is_dir():
            self.put(self.extra, f"files/{name}/index.html", listing(found, name))
            for one in sorted(found.iterdir()):
                if one.is_file():
                    self.put(self.extra, f"files/{name}/{one.name}", copy=one)
            return f'<a class="file" href="{up}files/{name}/index.html">{text}</a>'
        self.put(self.extra, f"files/{name}", copy=found)
        return f'<a class="file" href="{up}files/{name}">{text}</a>'

    def page(self, page, text):
        """Rewrites links outside of code, and copies pictures. Small pictures are links to themselves."""
        def enlarged(match):
            picture = (self.root / page.parent / match.group(1)).resolve().relative_to(self.root)
            self.put(self.extra, picture, copy=self.file(picture))
            return f'<a href="{match.group(1)}">{match.group(0)}</a>'
        text = re.sub(HTML_IMAGE.pattern + "[^>]*>", enlarged, text)
        for target in IMAGE.findall(FENCE.sub("", text)):
            if "://" not in target:
                picture = (self.root / page.parent / target).resolve().relative_to(self.root)
                self.put(self.source, picture, copy=self.file(picture))
        parts, at = [], 0
        for code in FENCE.finditer(text):
            parts += [self.line(page, text[at:code.start()]), code.group(0)]
            at = code.end()
        return "".join(parts) + self.line(page, text[at:])

    def line(self, page, text):
        return LINK.sub(lambda match: self.link(page, match), text)

    def article(self, page, text):
        """With its title, which is in front, sections below it, and its references."""
        front = text[4:].partition("\n---\n")[0]
        title, date = (re.search(rf"^{key}: '?(.*?)'?$", front, flags=re.M)[1] for key in ("title", "date"))
        text = subprocess.run(["pandoc", "--citeproc", "--shift-heading-level-by=1", "--from=markdown", "--to=gfm-raw_html", "--wrap=none"],
                              input=text, cwd=(self.root / page).parent, check=True, capture_output=True, text=True).stdout
        return f"# {title}\n\n*{date}*\n\n" + re.sub(r"^</?div.*\n", "", text, flags=re.M)

    def write_pages(self):
        for page in self.pages:
            # Code in the text of a link would hide it from the rewriting: links are found first, with their code.
            text = self.file(page).read_text(encoding="utf-8")
            if text.startswith("---\n"):
                text = self.article(page, text)
            text = LINK.sub(lambda match: self.link(page, match) if "`" in match.group(2) else match.group(0), text)
            text = self.page(page, text)
            inside = [one.relative_to(page.parent).with_suffix("") for one in self.pages if one.name == "README.md" and
                      one.parent.parent == page.parent] if page == Path("scenarios/README.md") else []
            if page == Path("docs/guide/cookbook/README.md"):
                inside = [one.relative_to(page.parent).with_suffix("") for one in self.pages
                          if one.parent == page.parent and one != page and not one.name.startswith("from-")]
            if page == Path("CONTRIBUTING.md"):
                inside = [one.with_suffix("") for one in self.pages if is_of_code(one)]
            if inside:
                text += "\n```{toctree}\n:hidden:\n\n" + "\n".join(map(str, inside)) + "\n```\n"
            self.put(self.source, page, text)

    def write_index(self):
        text = (self.root / "docs/site/index.md.in").read_text(encoding="utf-8")
        text = text.replace("@README@", (self.root / FIRST).read_text(encoding="utf-8"))
        live = ""
        if self.report:
            self.put(self.extra, "report.html", copy=self.report)
            live = ('## A live report\n\nThe report of the commands above. Turn the specimen, choose stages and colours; '
                    '[open it alone](#report-alone).\n\n<iframe class="report" src="report.html" title="Report of the demo" loading="lazy"></iframe>\n')
            live = live.replace("[open it alone](#report-alone)", '<a href="report.html">open it alone</a>')
        theory = [str(page.with_suffix("")) for page in self.pages if str(page.parent) == "docs/theory"]
        theory.sort(key=lambda name: (not name.endswith("contact"), name))
        text = text.replace("@REPORT@", live).replace("@THEORY@", "\n".join(theory))
        # Pages that no list names: those of the guide are for users, others for the end.
        named = set(text.split())
        left = [str(page.with_suffix("")) for page in self.pages if str(page.with_suffix("")) not in named and
                not is_of_code(page) and page.parts[0] != "scenarios" and "cookbook" not in page.parts]
        more = [name for name in left if name.startswith("docs/guide/")]
        text = text.replace("@MORE@", "\n".join(more)).replace("@REST@", "\n".join(name for name in left if name not in more))
        self.put(self.source, "index.md", self.page(Path("index.md"), text))

    # ---- Reference ----

    def write_commands(self):
        program = self.build / "apps/twirl/twirl"

        def run(*words):
            return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout
        rows, names = [], []
        for line in run("--print-options").splitlines():
            name, _, summary = line.split("\t")
            manual = subprocess.run(["pandoc", "--from=man", "--to=gfm"], input=run(name, "--print-manual"), check=True,
                                    capture_output=True, text=True).stdout
            manual = re.sub(r"^# (\w+(?: \w+)*)$", lambda match: f"## {match.group(1).capitalize()}", manual, flags=re.M)
            self.put(self.source, f"reference/commands/{name}.md", f"# twirl {name}\n\n{manual}")
            rows.append(f"| [twirl {name}](commands/{name}.md) | {summary} |")
            names.append(f"commands/{name}")
        self.put(self.source, "reference/commands.md", "# Commands\n\nFrom the manual pages: `man twirl-run`, `twirl run --help`.\n\n"
                 "| command | purpose |\n|---|---|\n" + "\n".join(rows) + "\n\n```{toctree}\n:hidden:\n\n" + "\n".join(names) + "\n```\n")

    def write_python(self):
        sys.path.insert(0, str(self.build / "python"))
        import inspect

        import twirl
        text = ["# Python\n\nThe names of the package `twirl`, from their docstrings. "
                "[The guide](../docs/guide/python.md) has examples.\n\n```{eval-rst}\n"]
        things = {name: getattr(twirl, name) for name in twirl.__all__}
        for name, thing in things.items():
            if inspect.ismodule(thing):
                continue
            kind = "autoclass" if inspect.isclass(thing) else "autofunction"
            text.append(f".. {kind}:: twirl.{name}\n" + ("   :members:\n   :undoc-members:\n" if kind == "autoclass" else ""))
        for name, thing in things.items():
            if inspect.ismodule(thing):
                text.append(f"twirl.{name}\n{'-' * (len(name) + 6)}\n\n.. automodule:: twirl.{name}\n   :members:\n")
        self.put(self.source, "reference/python.md", "\n".join(text) + "```\n")

    def write_c(self):
        names = []
        for header in sorted((self.root / "include/twirl").glob("*.h")):
            if header.name.endswith("_inline.h") or header.name == "twirl.h":
                continue
            self.put(self.source, f"reference/c/{header.stem}.md", headers.page(self.doxygen, header.name))
            names.append(f"c/{header.stem}")
        self.put(self.source, "reference/c.md", "# C\n\nThe public headers, from their comments. Units are in brackets. `twirl/twirl.h` includes "
                 "nearly all of them; `twirl/contact_inline.h` is the contact law as inline code for C11, C++17 and CUDA.\n\n"
                 "```{toctree}\n:maxdepth: 1\n\n" + "\n".join(names) + "\n```\n")

    def clean(self):
        for base in (self.source, self.extra):
            base.mkdir(parents=True, exist_ok=True)
            for path in base.rglob("*"):
                if path.is_file() and path not in self.kept:
                    path.unlink()


def is_of_code(page):
    """For those who change the code: below CONTRIBUTING.md."""
    return page.parts[0] in ("src", "apps", "python", "web", "test", "bench", "packaging", "paper") or str(page) in (
        "ARCHITECTURE.md", "docs/templates.md", "docs/release.md", "plugins/lammps/INTERNALS.md")


def listing(folder, name):
    items = "".join(f'<li><a href="{one.name}">{one.name}</a></li>' for one in sorted(folder.iterdir()) if one.is_file())
    return f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{name}</title><h1>{name}</h1><ul>{items}</ul></html>\n'


def main():
    root, build, out = (Path(word).resolve() for word in sys.argv[1:4])
    stage = Stage(root, build, out, Path(sys.argv[4]) if len(sys.argv) > 4 else None)
    stage.write_pages()
    stage.write_index()
    stage.write_commands()
    stage.write_python()
    stage.write_c()
    stage.clean()


if __name__ == "__main__":
    main()
