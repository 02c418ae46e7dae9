# SPDX-License-Identifier: BSD-3-Clause
"""What bash and zsh offer on the way to a command line. The options themselves are those of the tables in test_program."""

import os
import pty
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from cli import SOURCE, TWIRL, CliTest, run

COMPLETION = SOURCE / "apps/twirl/completion"


def table(*command):
    """Names in a table of --print-options, with "=" where there is an argument."""
    rows = [line.split("\t") for line in run(*command, "--print-options").stdout.splitlines()]
    return {name + ("=" if argument else "") for name, argument, _ in rows}


@unittest.skipUnless(shutil.which("bash") and shutil.which("awk"), "bash or awk is not installed")
class Bash(CliTest):
    def complete(self, *words):
        """What is offered for the last word."""
        code = (f"compopt() {{ :; }}; source {shlex.quote(str(COMPLETION / 'twirl.bash'))}; COMP_WORDS=(\"$@\"); "
                "COMP_CWORD=$(($# - 1)); _twirl; printf '%s\\n' \"${COMPREPLY[@]}\"")
        done = subprocess.run(["bash", "-c", code, "bash", TWIRL, *words], capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split())

    def test_commands_and_options(self):
        commands = table()
        self.assertEqual(self.complete(""), commands | {"--help", "--version"})
        self.assertEqual(self.complete("re"), {"render", "report"})
        for command in commands:
            self.assertEqual(self.complete(command, "--"), table(command))
        self.assertEqual(self.complete("run", "--re"), {"--restart", "--resume"})

    def test_keys(self):
        self.assertEqual(self.complete("run", "--set", "=", "material.fric"), {"material.friction="})
        self.assertEqual(self.complete("run", "--set", "=", "stages[shear].rotation."),
                         {key.replace("[]", "[shear]") + "=" for key in run("keys", "--names").stdout.split()
                          if key.startswith("stages[].rotation.")})
        self.assertEqual(self.complete("run", "--device", "=", "c"), {"cpu", "cuda"})
        self.assertEqual(self.complete("keys", "material.fric"), {"material.friction"})
        self.assertEqual(self.complete("keys", "stages[].rot"),
                         {"stages[].rotation", *(key for key in run("keys", "--names").stdout.split()
                                                 if key.startswith("stages[].rotation."))})
        self.assertEqual(self.complete("keys", "time"), {key for key in self.complete("keys", "") if key.startswith("time")})
        self.assertIn("time_step", self.complete("keys", "time"))


# An interactive shell that completes each of $typed and writes to descriptor 3 what is offered, with "+", and what the
# line has become, with "=".
ZSHRC = r"""
fpath=($completion $fpath)
autoload -Uz compinit
compinit -D -u
compadd() {
    local -a offered
    if (( ! $@[(I)-[OAD]] )); then
        builtin compadd -A offered "$@"
        (( $#offered )) && print -rl -- +$^offered >&3
    fi
    builtin compadd "$@"
}
try() {
    for BUFFER in $typed; do
        CURSOR=$#BUFFER
        zle complete-word
        print -r -- "=$BUFFER" >&3
    done
    exit
}
zle -N zle-line-init try
"""


def has_terminals():
    """A bare chroot has no /dev/pts."""
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError:
        return False
    return True


@unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
@unittest.skipUnless(has_terminals(), "there are no pseudo terminals here")
class Zsh(CliTest):
    def complete(self, *typed):
        """For each line: what it has become, and what was offered for its last word, without quoting."""
        with tempfile.TemporaryDirectory() as folder:
            said = Path(folder, "said")
            Path(folder, "twirl").symlink_to(TWIRL)
            Path(folder, ".zshrc").write_text(f"exec 3>{said}\ncompletion={shlex.quote(str(COMPLETION))}\n"
                                              f"typed=({' '.join(map(shlex.quote, typed))})\n" + ZSHRC)
            process, terminal = pty.fork()
            if process == 0:
                os.chdir(folder)
                os.environ.update(ZDOTDIR=folder, TERM="dumb", PATH=f"{folder}:{os.environ['PATH']}")
                os.execlp("zsh", "zsh", "-d", "-i")
            try:
                while os.read(terminal, 4096):
                    pass
            except OSError:  # it has ended
                pass
            os.waitpid(process, 0)
            os.close(terminal)
            results, offered = [], set()
            for line in said.read_text().splitlines():
                if line[0] == "=":
                    results.append((line[1:], offered))
                    offered = set()
                else:
                    offered.add(line[1:].replace("\\", ""))
        self.assertEqual(len(results), len(typed))
        return results

    def test_commands_and_options(self):
        commands = sorted(table())
        first, sweep, device, *options = self.complete("twirl ", "twirl swe", "twirl run --dev",
                                                       *(f"twirl {command} --" for command in commands))
        self.assertEqual(first[1], set(commands) | {"--help", "--version"})
        self.assertEqual(sweep[0], "twirl sweep ")
        self.assertEqual(device[0], "twirl run --device=")
        for command, (_, offered) in zip(commands, options):
            self.assertLessEqual({name.strip("=") for name in table(command)}, offered)

    def test_keys_and_values(self):
        lines = self.complete("twirl run --set=material.fric", "twirl sweep --vary material.fric",
                              "twirl run --set='stages[shear].rotation.", r"twirl run --set=stages\[2\].rotation.inc",
                              "twirl run --set=material.friction=", "twirl run --device=e")
        became, offered = zip(*lines)
        self.assertEqual(became[0], "twirl run --set=material.friction=")
        self.assertEqual(became[1], "twirl sweep --vary material.friction=")
        self.assertEqual(offered[2], {key.replace("[]", "[shear]") for key in run("keys", "--names").stdout.split()
                                      if key.startswith("stages[].rotation.")})
        self.assertEqual(became[3], r"twirl run --set=stages\[2\].rotation.increments=")
        self.assertEqual(lines[4], ("twirl run --set=material.friction=", set()))
        self.assertEqual(became[5], "twirl run --device=emulated ")


if __name__ == "__main__":
    unittest.main()
