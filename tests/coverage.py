#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines that the tests ran, by folder and file, from gcov: coverage.py BUILD LIMIT

Fails where read/, compare/ or trend/ have less than LIMIT percent.
"""
import collections
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile

build, limit = os.path.abspath(sys.argv[1]), float(sys.argv[2])
lines = collections.defaultdict(dict)  # file -> line -> count
objects = [path for path in glob.glob(os.path.join(build, "**", "*.gcda"), recursive=True) if "/tests/" not in path]
with tempfile.TemporaryDirectory() as folder:
    for start in range(0, len(objects), 50):
        subprocess.run(["gcov", "--json-format", "--preserve-paths", *objects[start:start + 50]], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for path in glob.glob(os.path.join(folder, "*.json.gz")):
        with gzip.open(path, "rt") as file:
            content = json.load(file)
        for source in content["files"]:
            name = os.path.normpath(os.path.join(content.get("current_working_directory", build), source["file"]))
            for line in source["lines"]:
                seen = lines[name]
                seen[line["line_number"]] = seen.get(line["line_number"], 0) + line["count"]
by_folder = collections.defaultdict(lambda: [0, 0])
for name, seen in sorted(lines.items()):
    parts = name.split(os.sep)
    if "src" not in parts and "renderers" not in parts:
        continue
    folder = parts[-2]
    run = sum(1 for count in seen.values() if count)
    by_folder[folder][0] += run
    by_folder[folder][1] += len(seen)
    if run < 0.9 * len(seen):
        missed = [str(number) for number, count in sorted(seen.items()) if not count]
        print("%5.1f %%  %s/%s  not run: %s" % (100 * run / len(seen), folder, parts[-1], " ".join(missed[:40])))
bad = False
for folder, (run, count) in sorted(by_folder.items()):
    share = 100 * run / count
    low = folder in ("read", "compare", "trend") and share < limit
    bad = bad or low
    print("%5.1f %%  %s/  %d of %d lines%s" % (share, folder, run, count, "  BELOW THE LIMIT" if low else ""))
sys.exit(1 if bad or not by_folder else 0)
