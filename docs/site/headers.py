# SPDX-License-Identifier: BSD-3-Clause
"""The reference of the public headers as Markdown, from Doxygen's XML."""

import re
import xml.etree.ElementTree as tree


def escaped(text):
    return re.sub(r"([\\*_<>\[\]`|#$])", r"\\\1", text or "")


def inline(node):
    parts = [escaped(node.text)]
    for child in node:
        if child.tag == "computeroutput":
            parts.append("`" + "".join(child.itertext()) + "`")
        elif child.tag == "nonbreakablespace":
            parts.append(" ")
        elif child.tag not in ("itemizedlist", "orderedlist", "programlisting", "verbatim", "preformatted", "para"):
            parts.append(inline(child))
        parts.append(escaped(child.tail))
    return re.sub(r"\s+", " ", "".join(parts)).strip()


def blocks(node):
    """Paragraphs of a description, lists and code."""
    if node is None:
        return
    for para in node:
        if para.tag in ("sect1", "sect2"):
            yield from blocks(para)
            continue
        if para.tag != "para":
            continue
        text = inline(para)
        if text:
            yield text
        for child in para.iter():
            if child.tag in ("itemizedlist", "orderedlist"):
                yield "\n".join("- " + " ".join(inline(one) for one in item.iter("para")) for item in child.iter("listitem"))
            elif child.tag in ("verbatim", "preformatted"):
                yield "```c\n" + "".join(child.itertext()).strip("\n") + "\n```"
            elif child.tag == "programlisting":
                yield "```c\n" + "\n".join(map(text_of_code, child.iter("codeline"))) + "\n```"


def text_of_code(node):
    text = (" " if node.tag == "sp" else "") + (node.text or "")
    return text + "".join(text_of_code(child) + (child.tail or "") for child in node)


def described(node):
    return "\n\n".join([*blocks(node.find("briefdescription")), *blocks(node.find("detaileddescription"))])


def cell(node):
    return " ".join(described(node).split())


def code_of(node):
    return " ".join("".join(node.itertext()).split()) if node is not None else ""


def member(node):
    kind, suffix = code_of(node.find("type")), code_of(node.find("argsstring"))
    return f"`{kind}{'' if kind.endswith('*') else ' '}{node.findtext('name')}{suffix}`"


def function(node):
    kind = code_of(node.find("type"))
    words = f"{kind}{'' if kind.endswith('*') else ' '}{node.findtext('name')}{node.findtext('argsstring')};"
    if len(words) > 96:
        words = words.replace("(", "(\n    ", 1).replace(", ", ",\n    ")
    return f"### `{node.findtext('name')}`\n\n```c\n{words}\n```\n\n{described(node)}\n"


def table(head, rows):
    return "\n".join([f"| {' | '.join(head)} |", "|" + "---|" * len(head), *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def struct(xml, refid):
    node = tree.parse(xml / f"{refid}.xml").getroot().find("compounddef")
    rows = [(member(one), cell(one)) for one in node.iter("memberdef")]
    return f"### `{node.findtext('compoundname')}`\n\n{described(node)}\n\n" + (table(("member", "meaning"), rows) if rows else "")


def enum(node):
    rows = [(f"`{one.findtext('name')}`", cell(one)) for one in node.iter("enumvalue")]
    name = node.findtext("name")
    title = f"`{name}`" if name and not name.startswith("@") else "Constants"
    return f"### {title}\n\n{described(node)}\n\n" + table(("value", "meaning"), rows)


def page(xml, header):
    """The page of a header, such as contact.h."""
    name = header.replace("_", "__").replace(".", "_8") + ".xml"
    node = tree.parse(xml / name).getroot().find("compounddef")
    members = {kind: [one for one in node.iter("memberdef") if one.get("kind") == kind]
               for kind in ("function", "enum", "typedef", "define")}
    structs = [one.get("refid") for one in node.findall("innerclass") if "::" not in (one.text or "")]
    named = {one.text for one in node.findall("innerclass")} | {one.findtext("name") for one in members["enum"]}
    typedefs = [one for one in members["typedef"] if one.findtext("name") not in named]
    defines = [one for one in members["define"] if re.match("TW_", one.findtext("name"))]
    parts = [f"# twirl/{header}\n", described(node) + "\n"]
    functions = [one for one in members["function"] if not one.findtext("name").startswith("@")]
    if functions:
        parts += ["## Functions\n", *map(function, functions)]
    if structs or members["enum"]:
        parts += ["## Types\n", *(struct(xml, one) for one in structs), *map(enum, members["enum"])]
    if typedefs:
        parts += ["## Other types\n", table(("type", "meaning"), [(f"`{code_of(one.find('definition'))}`", cell(one)) for one in typedefs])]
    if defines:
        parts += ["## Macros\n", table(("macro", "meaning"), [(f"`{one.findtext('name')}`", cell(one)) for one in defines])]
    return "\n".join(parts)
