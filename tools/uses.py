# SPDX-License-Identifier: BSD-3-Clause
"""What a page uses of the program, read from the sources: part of the stamps of tools/renew_pages.

Keys of scenarios with their type, unit and default; commands, and options with their argument; names of columns, members and figures, with
the dimension of columns of the history; and the formats of printed lines. Explanations are left out: a better text makes no page old.
"""

import re

STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
STRINGS = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')
COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|/\*.*?\*/|//[^\n]*', re.DOTALL)
CONVERSION = re.compile(r"%%|%[-+ 0#]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|z|j|t|L)?[a-zA-Z]|%$")
# Sections of keys that only a scenario with surfaces or single grains has: names as in other sections mean something else.
SURFACES = {"drive"} | {f"tw_scenario_{name}" for name in ("grain", "motion", "move", "servo", "surface", "stage_surface", "reached")}
LETTERS = 8  # that a format must have to be recognised in a line


def pattern_of(text):
    """What a format prints, or None if that could be anything."""
    text = text.encode().decode("unicode_escape", "replace").strip()
    fixed = CONVERSION.split(text)
    if "\n" in text or sum(char.isalpha() for part in fixed for char in part) < LETTERS:
        return None
    return re.compile(r"(?<!\w)" + r"\S*?(?: [^ ]+){0,3}?".join(re.escape(re.sub(r"\s+", " ", part)) for part in fixed) + r"(?!\w)")


class Program:
    """The tables and texts of the program below a folder."""

    def __init__(self, root):
        self.keys, self.options, self.columns, self.energies, self.names, self.formats = {}, {}, {}, {}, set(), {}
        for folder in ("src", "apps", "include/twirl"):
            for file in sorted((root / folder).rglob("*")):
                if file.suffix in (".c", ".h", ".inc", ".def"):
                    text = COMMENT.sub(lambda match: match[1] or " ", file.read_text(encoding="utf-8"))
                    self.read(file, text)

    def read(self, file, text):
        if file.name == "keys.def":
            for match in re.finditer(r"\{(\w+\(\w+, (\w+)\b(?:[^{}]|\{[^{}]*\})*)\}", text):
                default = re.search(r'\.default_value = "([^"]*)"', match[1])
                above = re.findall(r"#define S (\w+)", text[:match.start()]) or [""]
                section = "drive" if ".used = KIND(DRIVE)" in match[1] else above[-1]
                self.keys.setdefault(match[2], {}).setdefault(
                    match[1].partition(")")[0] + ("), " + default[1] if default else ")"), set()).add(section)
        if file.name == "history_columns.h":
            for name, dimension, energies in re.findall(r"X\((\w+), (\w+)|TW_CONTACT_(\w+)\(TW_HISTORY", text):
                self.columns.update({name: dimension} if name else dict.fromkeys(self.energies[energies], "ENERGY"))
        if file.name == "contact_energies.h": # before the history
            for kind, rows in re.findall(r"#define TW_CONTACT_(\w+)\(X, to\)((?:\s*\\?\s*X\(to, [^)]*\))+)", text):
                column = 1 if kind.startswith("STORED") else 0
                self.energies[kind] = [row[column] for row in re.findall(r"X\(to, [A-Z_]+, (\w+), (\w+)", rows)]
        for match in re.finditer(r'\{"([\w-]+)", (NULL|"[^"]*"),', text) if "apps" in file.parts else ():
            self.options.setdefault(match[1], {}).setdefault(file.name, match[2])
        for match in STRINGS.finditer(text):
            string = "".join(STRING.findall(match[0]))
            if re.fullmatch(r"[A-Za-z_]\w*", string):
                self.names.add(string)
            elif string not in self.formats and (pattern := pattern_of(string)):
                self.formats[string] = pattern

    def options_of(self, script):
        """Of the commands of a script: those of a command's own file, or of any."""
        for words in re.split(r"[|;\n]|&&", script.replace("\\\n", " ")):
            called = re.search(r"\btwirl(?:-lmp)? (\w+)", words)
            if called:
                yield f"command {called[1]} {called[1] in self.names}"
            for name in re.findall(r"(?<=\s)--([a-z][\w-]*)", words) if called else ():
                rows = self.options.get(name, {})
                own = rows.get(f"{called[1]}_command.c")
                yield f"option {called[1]} --{name} {own or sorted(set(rows.values()))}"

    def used(self, scripts, files, codes, lines):
        """Sorted texts: what commands, scenario files, code or names of figures, and shown lines use."""
        used = {text for script in scripts for text in self.options_of(script)}
        words = {word for file in files for word in re.findall(r"([a-z]\w*):(?!\S)", file)}
        words |= {word for script in scripts for path in re.findall(r"(?:--set|--vary)[= ]'?([\w.\[\]]+)=", script)
                  for word in re.findall(r"\w+", path)}
        other = set() if words & {"surfaces", "grains"} else SURFACES
        other = other if "boundary" in words else other | {"tw_scenario_boundary"}
        keys = {word: sorted(text for text, sections in self.keys[word].items() if sections - other) for word in words if word in self.keys}
        used |= {f"key {word} {texts}" for word, texts in keys.items() if texts}
        quoted = {word for code in [*codes, *scripts] for word in re.findall(r"""["'](\w+)["']""", code)}
        used |= {f"name {word} {self.columns.get(word, '')}" for word in quoted if word in self.names or word in self.columns}
        if any(re.search(r"\$\d", script) for script in scripts):
            used.add(f"columns {' '.join(self.columns)}")
        shown = [" ".join(line.split()) for line in lines]
        used |= {f"line {text}" for text, pattern in self.formats.items() if any(pattern.search(line) for line in shown)}
        return sorted(used)
