#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants one fault in a source of each folder, builds and wants a test that fails: planted_faults.py TREE BUILD [SEED [FOLDER]...]

The fault is chosen by chance, not by hand: of a source and a line, an "==" becomes "!=". TREE is a clean checkout (a copy: a
worktree) and is left as it was; BUILD is its build folder. Prints a line for each fault and the first test that found it.
"""
import os
import random
import re
import subprocess
import sys

TREE, BUILD = map(os.path.abspath, sys.argv[1:3])
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
FOLDERS = sys.argv[4:] or ["src/" + name for name in ("base", "read", "model", "compare", "trend", "scene", "verdict", "picture",
                                                      "report", "export", "commands")] + ["renderers"]
# The quick ones first: a fault that the modules' tests find needs no more.
STAGES = ["^(unit|fuzz|hostile)/", "^cases/(approved|compare|better_answers|graph_examples|monitor|advise|pages|rank_metrics|ci_formats|exit_codes)$", "."]


def places(folder):
    """(path, line number) of every "==" of code below a folder."""
    found = []
    for at, _, names in os.walk(os.path.join(TREE, folder)):
        for path in sorted(os.path.join(at, name) for name in names if name.endswith(".c")):
            with open(path, encoding="utf-8") as file:
                for number, line in enumerate(file):
                    if " == " in line.split("//")[0] and "assert" not in line:
                        found.append((path, number))
    return sorted(found)


def first_failure():
    for tests in STAGES:
        done = subprocess.run(["ctest", "--test-dir", BUILD, "-j2", "-LE", "full|shared", "-R", tests, "--timeout", "600",
                               "-E", "^(house|bench)/|cases/packages", "--stop-on-failure"], capture_output=True, text=True)
        failed = re.findall(r"(\S+) \.*\s*\*\*\*(?:Failed|Exception)", done.stdout)
        if done.returncode and failed:
            return failed[0]
    return None


def main():
    if subprocess.check_output(["git", "-C", TREE, "status", "--porcelain"]):
        sys.exit("planted_faults: %s is not clean" % TREE)
    missed = 0
    for folder in FOLDERS:
        path, number = random.Random("%d %s" % (SEED, folder)).choice(places(folder))
        with open(path, encoding="utf-8") as file:
            whole = file.read()
        lines = whole.split("\n")
        lines[number] = lines[number].replace(" == ", " != ", 1)
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(lines))
            built = subprocess.run(["cmake", "--build", BUILD, "-j2", "--target", "vernier", "units", "replay", "hostile_tensors"],
                                   capture_output=True)
            found = "the build" if built.returncode else first_failure()
        finally:
            with open(path, "w", encoding="utf-8") as file:
                file.write(whole)
        missed += found is None
        print("%s:%d: %s -> %s" % (os.path.relpath(path, TREE), number + 1, lines[number].strip(), found or "NOT FOUND"), flush=True)
    print("%d planted, %d found" % (len(FOLDERS), len(FOLDERS) - missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
