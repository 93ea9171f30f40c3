#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines that the tests ran, by folder, from gcov: coverage.py BUILD LIMIT [FOLDER …]

Fails where a folder has less than LIMIT percent. Of each FOLDER the files are listed with the lines
that did not run.
"""
import collections
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile


def read_counts(build):
    """File -> line -> how often it ran, over all programs."""
    counts = collections.defaultdict(collections.Counter)
    objects = sorted(path for path in glob.glob(os.path.join(build, "**", "*.gcda"), recursive=True)
                     if "/tests/" not in path)
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, len(objects), 50):
            subprocess.run(["gcov", "--json-format", "--preserve-paths", *objects[start:start + 50]], cwd=folder,
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for path in glob.glob(os.path.join(folder, "*.json.gz")):
            with gzip.open(path, "rt") as file:
                content = json.load(file)
            for source in content["files"]:
                name = os.path.normpath(os.path.join(content.get("current_working_directory", build), source["file"]))
                for line in source["lines"]:
                    counts[name][line["line_number"]] += line["count"]
    return counts


def by_folder(counts):
    """Folder -> file -> (lines, lines not run); main.c has no folder of its own and is left out."""
    folders = collections.defaultdict(dict)
    for name, lines in counts.items():
        parts = name.split(os.sep)
        stage = parts[parts.index("src") + 1] if "src" in parts else parts[-2]
        if not stage.endswith(".c") and (stage == "renderers" or "src" in parts):
            folders[stage][parts[-1]] = (len(lines), sorted(line for line, count in lines.items() if not count))
    return folders


def list_files(folder, files):
    for name, (count, missed) in sorted(files.items(), key=lambda item: (-len(item[1][1]), item[0])):
        if missed:
            print("%5.1f %%  %s/%s  not run: %s" % (100 - 100 * len(missed) / count, folder, name, " ".join(map(str, missed))))


def main():
    build, limit, shown = os.path.abspath(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
    folders = by_folder(read_counts(build))
    for folder in shown:
        list_files(folder, folders[folder])
    print("folder        lines   not run    share")
    bad = not folders
    for folder, files in sorted(folders.items()):
        count = sum(lines for lines, _ in files.values())
        missed = sum(len(lines) for _, lines in files.values())
        share = 100 - 100 * missed / count
        bad = bad or share < limit
        print("%-12s %6d   %7d   %5.1f %%%s" % (folder, count, missed, share, "  below %g %%" % limit if share < limit else ""))
    return 1 if bad else 0


sys.exit(main())
