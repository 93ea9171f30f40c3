#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manual pages name every command, and every option with its value, as --help does; each page describes its command
in a paragraph, and has examples and the files that are written.

    manual.py VERNIER
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


def main():
    program, = sys.argv[1:]
    missing = []
    overview = plain(said(program, "man"))
    for command in re.findall(r"(?m)^  ([a-z]+) ", said(program, "help")):
        if "vernier " + command not in overview:
            missing.append("vernier " + command)
        text = said(program, "help", command)
        if "--output" not in text:
            continue
        roff = said(program, "man", command)
        page = plain(roff)
        sections = {title: text for title, text in re.findall(r'\.SH "([A-Z ]+)"\n(.*?)(?=\.SH|\Z)', roff, re.S)}
        missing += ["%s: a section %s" % (command, title) for title, least in (("DESCRIPTION", 15), ("EXAMPLES", 5), ("FILES", 20))
                    if len(sections.get(title, "").split()) < least]
        options = re.findall(r"(?m)^  (?:-\w, |    )(--[a-z-]+(?: \S+)?)", text)
        missing += [command + ": " + what for what in ["vernier " + command] + options if what not in page]
    print("\n".join(missing) or "the manual pages name everything")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
