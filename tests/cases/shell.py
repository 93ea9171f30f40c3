#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What shells and pagers get: completions, driven in each shell, and manual pages. VERNIER names the program."""
import os
import pty
import re
import select
import shutil
import subprocess
import time
import unittest

from program import Case, VERNIER, main, run

COMMANDS = re.findall(r"(?m)^  ([a-z]+) ", run("help")[1])
WITH_OPTIONS = [name for name in COMMANDS if "--output" in run("help", name)[1]]


def options_of(command):
    return set(re.findall(r"(?m)^  (?:-\w, |    )(--[a-z-]+)", run("help", command)[1]))


def needs(program):
    return unittest.skipUnless(shutil.which(program), program + " is not here")


class Shells(Case):
    def script(self, shell):
        code, text, _ = run("completion", shell)
        self.assertEqual(code, 0)
        return self.write("completion." + shell, text)

    def bash(self, *words):
        line = ("source %s; COMP_WORDS=(%s); COMP_CWORD=%d; _vernier; printf '%%s\\n' \"${COMPREPLY[@]}\""
                % (self.script("bash"), " ".join("'%s'" % word for word in words), len(words) - 1))
        done = subprocess.run(["bash", "--norc", "-uc", line], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd=self.folder)
        self.assertNotIn(b"error", done.stderr)
        return set(done.stdout.decode().split("\n")) - {""}

    def fish(self, line):
        done = subprocess.run(["fish", "--no-config", "-c", "source %s; complete -C '%s'" % (self.script("fish"), line)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder,
                              env=dict(os.environ, HOME=self.folder))
        self.assertEqual(done.stderr, b"")
        return {text.split("\t")[0] for text in done.stdout.decode().split("\n")} - {""}

    def zsh(self, line):
        """The screen after the user typed the line and the tabulator."""
        script = self.script("zsh")
        child, screen = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            os.execvpe("zsh", ["zsh", "-f", "-i"], dict(os.environ, TERM="dumb", PS1="", HOME=self.folder, COLUMNS="200"))
        text = b""

        def until(mark):
            nonlocal text
            end = time.monotonic() + 60
            while mark not in text and time.monotonic() < end:
                if select.select([screen], [], [], 0.2)[0]:
                    text += os.read(screen, 65536)
            self.assertIn(mark, text)

        os.write(screen, b"autoload -U compinit; compinit -u -D; source %s; print re''ady\n" % script.encode())
        until(b"ready\r")
        text = b""
        # Behind the completion a letter that ends the test: a widget that says when all was shown.
        os.write(screen, b"finish() { print -- en''d; }; zle -N finish; bindkey '^X' finish; print se''t\n")
        until(b"set\r")
        text = b""
        os.write(screen, line.encode() + b"\t\x18")
        until(b"end")
        os.close(screen)
        os.waitpid(child, 0)
        return text.decode()

    def test_bash_completes_every_command_and_every_option_of_it(self):
        self.assertEqual(self.bash("vernier", ""), set(COMMANDS))
        self.assertEqual(self.bash("vernier", "comp"), {"compare", "completion"})
        for command in WITH_OPTIONS:
            self.assertEqual(self.bash("vernier", command, "--"), options_of(command))

    def test_bash_completes_values_lists_and_files(self):
        self.assertEqual(self.bash("vernier", "compare", "--rules", ""), {"vernier", "msprobe26", "msprobe8"})
        self.assertEqual(self.bash("vernier", "compare", "--rules", "=", "msprobe2"), {"msprobe26"})
        self.assertEqual(self.bash("vernier", "graph", "--format", "html,sv"), {"html,svg"})
        self.assertEqual(self.bash("vernier", "completion", ""), {"bash", "zsh", "fish"})
        self.assertEqual(self.bash("vernier", "config", ""), {"--config", "--no-config"})
        self.write("dump.json", "")
        self.assertEqual(self.bash("vernier", "compare", "du"), {"dump.json"})
        self.assertEqual(self.bash("vernier", "compare", "--criteria", "du"), {"dump.json"})

    @needs("fish")
    def test_fish_completes_every_command_option_and_value(self):
        self.assertEqual(self.fish("vernier "), set(COMMANDS))
        for command in WITH_OPTIONS:
            self.assertEqual(self.fish("vernier %s --" % command), options_of(command))
        self.assertEqual(self.fish("vernier compare --rules "), {"vernier", "msprobe26", "msprobe8"})
        self.assertEqual(self.fish("vernier completion "), {"bash", "zsh", "fish"})
        self.assertIn("html,svg", self.fish("vernier graph --format html,sv"))

    @needs("zsh")
    def test_zsh_completes_commands_options_and_values(self):
        self.assertIn("vernier checklist", self.zsh("vernier checkl"))
        self.assertIn("--parallel-merge", self.zsh("vernier compare --par"))
        self.assertIn("msprobe26", self.zsh("vernier compare --rules=msprobe2"))
        self.assertIn("html,svg", self.zsh("vernier graph --format=html,sv"))
        screen = self.zsh("vernier compare --")
        for option in options_of("compare"):
            self.assertIn(option, screen)
        self.assertIn("zsh", self.zsh("vernier completion z"))

    def test_what_an_option_takes_is_told_in_the_usage_and_is_no_completion(self):
        self.assertIn("vernier config [--config FILE|--no-config]\n", run("help", "config")[1])
        for shell in ("bash", "zsh", "fish"):
            code, script, said = run("completion", shell)
            self.assertEqual((code, "--config --no-config" in script, "--config FILE" in script), (0, True, False), said)

    def test_a_shell_that_is_not_known_is_wrong_usage(self):
        self.assertEqual(run("completion", "tcsh")[0], 2)
        self.assertEqual(run("completion")[0], 2)


class Pages(Case):
    def test_every_page_has_the_sections_that_readers_look_for(self):
        for command in WITH_OPTIONS:
            code, page, _ = run("man", command)
            self.assertEqual(code, 0)
            titles = re.findall(r'(?m)^\.SH "(.*)"', page)
            self.assertEqual(titles, ["NAME", "SYNOPSIS", "DESCRIPTION"]
                             + (["OPTIONS"] if "\nOptions:\n" in run("help", command)[1] else [])
                             + ["OPTIONS OF EVERY COMMAND", "EXAMPLES", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO"])
            self.assertIn("VERNIER_PROGRESS", page)
        for command in set(COMMANDS) - set(WITH_OPTIONS):
            titles = re.findall(r'(?m)^\.SH "(.*)"', run("man", command)[1])
            self.assertEqual(titles, ["NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO"])
        self.assertIn("\\fBvernier man\\fR [\\fICOMMAND\\fR]\n", run("man", "man")[1])
        self.assertEqual(run("man", "nothing")[0], 2)

    @needs("groff")
    def test_pages_render_without_a_warning_in_both_languages(self):
        for arguments in [["man"]] + [["man", command] for command in COMMANDS]:
            for language in "en", "zh":
                _, page, _ = run(*arguments, LC_ALL=language)
                done = subprocess.run(["groff", "-man", "-Tutf8", "-Kutf8", "-ww", "-P-c"],
                                      input=page.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.assertEqual(done.stderr.decode(), "")
        shown = done.stdout.decode()
        self.assertIn("vernier help", re.sub(r"\x1b\[[0-9;]*m|.\x08", "", shown))


class Version(unittest.TestCase):
    def test_verbose_names_libraries_formats_commit_and_licence(self):
        code, text, _ = run("version", "--verbose")
        self.assertEqual(code, 0)
        self.assertRegex(text, r"\Avernier \d+\.\d+\.\d+\ncommit: (unknown|[0-9a-f]+)\nlibraries: cairo [\d.]+, .*zlib")
        self.assertIn("formats: html svg", text)
        self.assertIn("licence: Apache-2.0", text)
        self.assertEqual(run("version")[1], text.split("\n")[0] + "\n")
        self.assertEqual(run("version", "nonsense")[0], 2)


if __name__ == "__main__":
    main()
