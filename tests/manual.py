#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manual page names every command, and every option with its value, as --help does.

    manual.py VERNIER SOURCE_FOLDER
"""
import os
import re
import subprocess
import sys


def said(program, *words):
    env = dict(os.environ, LC_ALL="C", COLUMNS="80")
    return subprocess.run([program, "help", *words], env=env, stdout=subprocess.PIPE, check=True).stdout.decode()


def plain(roff):
    """Text of the page with requests, fonts and escapes taken out, one space between words."""
    roff = re.sub(r"(?m)^\.(?:BR|RB|IR|RI)\b(.*)$", lambda m: m.group(1).replace('" "', " ").replace('"', ""), roff)
    roff = re.sub(r"(?m)^\.(?:[BI] |[A-Za-z]+)", " ", roff)
    return " ".join(re.sub(r"\\f.", "", roff).replace("\\-", "-").split())


def main():
    program, source = sys.argv[1:]
    with open(os.path.join(source, "docs", "man", "vernier.1"), encoding="utf-8") as file:
        page = plain(file.read())
    missing = []
    for command in re.findall(r"(?m)^  ([a-z]+) ", said(program)):
        if command in ("help", "version"):
            continue
        text = said(program, command)
        options = re.findall(r"(?m)^  (?:-\w, |    )(--[a-z-]+(?: \S+)?)", text)
        missing += [command + ": " + what for what in ["vernier " + command] + options if what not in page]
    print("\n".join(missing) or "the manual page names everything")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
