#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every test that the table of docs/testing.md names exists: testing_table.py SOURCE"""
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
with open(os.path.join(source, "docs", "testing.md"), encoding="utf-8") as file:
    table = file.read()
missing = []
for line in table.split("\n"):
    if not re.match(r"\| [A-Z]\d+ \|", line):
        continue
    cells = line.split("|")
    if not cells[3].strip():
        missing.append(line)
    for folder, name in re.findall(r"\b(unit|cases|fuzz|browser)/([a-z_0-9]+)", cells[3]):
        path = {"unit": "unit/%s_test.c", "cases": "cases/%s.py", "fuzz": "fuzz/fuzz_%s.c", "browser": "browser/%s.py"}[folder] % name
        if not os.path.exists(os.path.join(source, "tests", path)) and "unit/" + name not in everything:
            missing.append("%s: %s" % (cells[1].strip(), path))
    for name in re.findall(r"\b[a-z0-9]+(?:_[a-z0-9]+){2,}\b", cells[3]):
        if name not in everything:
            missing.append("%s: %s" % (cells[1].strip(), name))
for item in missing:
    print("docs/testing.md:", item, "is no test")
sys.exit(1 if missing else 0)
