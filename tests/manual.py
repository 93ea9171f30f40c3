#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manual pages name every command, and every option with its value, as --help does; both front doors name the same
commands and options.

    manual.py VERNIER SOURCE_FOLDER
"""
import os
import re
import subprocess
import sys


def said(program, *words):
    env = dict(os.environ, LC_ALL="C", COLUMNS="80")
    return subprocess.run([program, *words], env=env, stdout=subprocess.PIPE, check=True).stdout.decode()


def plain(roff):
    """Text of the page with requests, fonts and escapes taken out, one space between words."""
    roff = re.sub(r"(?m)^\.(?:BR|RB|IR|RI)\b(.*)$", lambda m: m.group(1).replace('" "', " ").replace('"', ""), roff)
    roff = re.sub(r"(?m)^\.(?:[BI] |[A-Za-z]+)", " ", roff)
    return " ".join(re.sub(r"\\f.", "", roff).replace("\\-", "-").replace("\\(aq", "'").split())


def asked(source, name):
    """The commands and options of the table of questions."""
    with open(os.path.join(source, name), encoding="utf-8") as file:
        rows = [line.split(" | ") for line in file if line.startswith("| ")]
    return {word for row in rows if len(row) > 2 for code in re.findall(r"`([^`]+)`", row[1])
            for word in re.findall(r"--[a-z-]+|^vernier [a-z]+", code)}


def main():
    program, source = sys.argv[1:]
    missing = []
    overview = plain(said(program, "man"))
    for command in re.findall(r"(?m)^  ([a-z]+) ", said(program, "help")):
        if "vernier " + command not in overview:
            missing.append("vernier " + command)
        text = said(program, "help", command)
        if "--output" not in text:
            continue
        page = plain(said(program, "man", command))
        options = re.findall(r"(?m)^  (?:-\w, |    )(--[a-z-]+(?: \S+)?)", text)
        missing += [command + ": " + what for what in ["vernier " + command] + options if what not in page]
    doors = [asked(source, name) for name in ("README.md", "README.zh.md")]
    missing += ["only one of README.md and README.zh.md: " + word for word in sorted(doors[0] ^ doors[1])]
    print("\n".join(missing) or "the manual pages name everything")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
