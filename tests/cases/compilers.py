#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs made by different compilers and settings write the same bytes: compilers.py PROGRAM PROGRAM...

SAMPLES names the folder of samples.
"""
import os
import shutil
import subprocess
import sys
import tempfile

PROGRAMS = [os.path.abspath(path) for path in sys.argv[1:]]
os.environ["VERNIER"] = PROGRAMS[0] if PROGRAMS else ""  # makes the inputs that only it can make

import more_commands

SAMPLES = more_commands.SAMPLES
CASES = [(arguments, formats + ",xlsx") for arguments, formats in more_commands.every_command().values()]
CASES += [
    (["compare", os.path.join(SAMPLES, "gpt", "golden"), os.path.join(SAMPLES, "gpt", "target")],
     "html,md,json,svg,csv,xlsx,png,pdf,nodes,vis-db"),
    (["compare", os.path.join(SAMPLES, "ranks", "golden"), os.path.join(SAMPLES, "ranks", "target")], "html,md,json,svg,csv"),
    (["graph", os.path.join(SAMPLES, "gpt", "golden")], "html,json,svg,png"),
    (["monitor", os.path.join(SAMPLES, "monitor")], "html,md,json,svg,png"),
    (["curves"] + [os.path.join(SAMPLES, "curves", name + ".csv") for name in ("golden", "target")], "html,md,json,svg,png"),
    (["study", os.path.join(SAMPLES, "study", "before.yaml")], "html,md,json,svg,csv"),
]


def outputs(program, arguments, formats):
    shutil.rmtree("out", ignore_errors=True)
    env = dict(os.environ, LC_ALL="C", NO_COLOR="1", ASAN_OPTIONS="detect_leaks=0")
    done = subprocess.run([program, *arguments, "-o", "out", "--format", formats], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    found = {"": bytes([done.returncode & 255]) + done.stdout.strip().split(b"\n")[-1]}
    for name in sorted(os.listdir("out")) if os.path.isdir("out") else ():
        with open(os.path.join("out", name), "rb") as file:
            found[name] = file.read()
    return found


def main():
    if len(PROGRAMS) < 2:
        print("compilers: one program alone is like itself")
        return 77
    folder, differing, files = tempfile.mkdtemp(), [], 0
    os.chdir(folder)
    more_commands.make_every_input()
    for arguments, formats in CASES:
        wanted = outputs(PROGRAMS[0], arguments, formats)
        files += len(wanted) - 1
        for program in PROGRAMS[1:]:
            got = outputs(program, arguments, formats)
            differing += ["%s %s: %s" % (program, " ".join(arguments[:2]), name) for name in sorted(set(wanted) | set(got))
                          if wanted.get(name) != got.get(name)]
    os.chdir("/")
    shutil.rmtree(folder)
    for line in differing:
        print("not as with %s: %s" % (PROGRAMS[0], line))
    print("compilers: %d runs, %d files, %d programs, %d differ" % (len(CASES), files, len(PROGRAMS), len(differing)))
    return 1 if differing else 0


sys.exit(main())
