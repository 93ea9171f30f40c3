#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every test that the tables of docs/notes/test-cases.md and SECURITY.md name is one of the file that they name it for:
testing_table.py SOURCE"""
import os
import re
import sys

source = sys.argv[1]
missing = []


def rows():
    """What is promised, and the tests that hold it."""
    with open(os.path.join(source, "docs", "notes", "test-cases.md"), encoding="utf-8") as file:
        for line in file:
            if re.match(r"\| [A-Z]\d+ \|", line):
                yield "docs/notes/test-cases.md: " + line.split("|")[1].strip(), line.split("|")[3]
    with open(os.path.join(source, "SECURITY.md"), encoding="utf-8") as file:
        table = file.read().split("| promise | test |\n|---|---|\n")[1]
    for line in table.split("\n\n")[0].split("\n"):
        yield "SECURITY.md: " + line.split("|")[1].strip(), line.split("|")[2]


def text_of(path):
    try:
        with open(os.path.join(source, "tests", path), encoding="utf-8") as file:
            return file.read()
    except OSError:
        return None


PATHS = {"unit": "unit/%s_test.c", "cases": "cases/%s.py", "fuzz": "fuzz/fuzz_%s.c", "browser": "browser/%s.py"}
# A file, or a name of more than two words: a test of the file before it. "…" stands for its end.
CITED = re.compile(r"\b(unit|cases|fuzz|browser)/([a-z_0-9]+)|\b([a-z0-9]+(?:_[a-z0-9]+){2,})(_?…)?")
for promise, held_by in rows():
    if not held_by.strip():
        missing.append(promise)
    path = text = None
    for folder, file, name, cut in CITED.findall(held_by):
        if folder:
            path = PATHS[folder] % file
            text = text_of(path)
            # Of some programs there are two tests: without fonts, and so on.
            if text is None and "unit/" + file not in text_of("CMakeLists.txt"):
                missing.append("%s: %s" % (promise, path))
        elif not re.search(r"\b(?:test_)?" + name + ("" if cut else r"\b"), text or ""):
            missing.append("%s: %s of %s" % (promise, name, path))
for item in missing:
    print(item, "is no test")
sys.exit(1 if missing else 0)
