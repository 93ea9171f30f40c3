#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every test that the tables of docs/testing.md and SECURITY.md name exists: testing_table.py SOURCE"""
import os
import re
import sys

source = sys.argv[1]
texts = []
for at, _, names in os.walk(os.path.join(source, "tests")):
    for name in names:
        if name.endswith((".c", ".py", ".txt", ".h")):
            with open(os.path.join(at, name), encoding="utf-8") as file:
                texts.append(file.read())
everything = "\n".join(texts)
missing = []


def rows():
    """What is promised, and the tests that hold it."""
    with open(os.path.join(source, "docs", "testing.md"), encoding="utf-8") as file:
        for line in file:
            if re.match(r"\| [A-Z]\d+ \|", line):
                yield "docs/testing.md: " + line.split("|")[1].strip(), line.split("|")[3]
    with open(os.path.join(source, "SECURITY.md"), encoding="utf-8") as file:
        table = file.read().split("| promise | test |\n|---|---|\n")[1]
    for line in table.split("\n\n")[0].split("\n"):
        yield "SECURITY.md: " + line.split("|")[1].strip(), line.split("|")[2]


for promise, held_by in rows():
    if not held_by.strip():
        missing.append(promise)
    for folder, name in re.findall(r"\b(unit|cases|fuzz|browser)/([a-z_0-9]+)", held_by):
        path = {"unit": "unit/%s_test.c", "cases": "cases/%s.py", "fuzz": "fuzz/fuzz_%s.c", "browser": "browser/%s.py"}[folder] % name
        if not os.path.exists(os.path.join(source, "tests", path)) and "unit/" + name not in everything:
            missing.append("%s: %s" % (promise, path))
    for name in re.findall(r"\b[a-z0-9]+(?:_[a-z0-9]+){2,}\b", held_by):
        if name not in everything:
            missing.append("%s: %s" % (promise, name))
for item in missing:
    print(item, "is no test")
sys.exit(1 if missing else 0)
