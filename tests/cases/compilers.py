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

import small_inputs

SAMPLES = small_inputs.SAMPLES
CASES = [(arguments, formats + ",xlsx") for arguments, formats in small_inputs.COMMANDS.values()]
CASES += [
    (["compare", os.path.join(SAMPLES, "gpt", "golden"), os.path.join(SAMPLES, "gpt", "target")], "html,md,json,svg,csv,xlsx,png"),
    (["compare", os.path.join(SAMPLES, "ranks", "golden"), os.path.join(SAMPLES, "ranks", "target")], "html,md,json,svg,csv"),
    (["monitor", os.path.join(SAMPLES, "monitor")], "html,md,json,svg"),
    (["curves"] + [os.path.join(SAMPLES, "curves", name + ".csv") for name in ("golden", "target")], "html,md,json,svg"),
]


def outputs(program, arguments, formats):
    shutil.rmtree("out", ignore_errors=True)
    env = dict(os.environ, LC_ALL="C", NO_COLOR="1", ASAN_OPTIONS="detect_leaks=0")
    done = subprocess.run([program, *arguments, "-o", "out", "--format", formats], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    found = {"": bytes([done.returncode & 255]) + done.stderr.strip().split(b"\n")[-1]}
    for name in sorted(os.listdir("out")):
        with open(os.path.join("out", name), "rb") as file:
            found[name] = file.read()
    return found


def main():
    programs = [os.path.abspath(path) for path in sys.argv[1:]]
    if len(programs) < 2:
        print("compilers: one program alone is like itself")
        return 77
    folder, differing = tempfile.mkdtemp(), []
    os.chdir(folder)
    small_inputs.make_inputs()
    for arguments, formats in CASES:
        wanted = outputs(programs[0], arguments, formats)
        for program in programs[1:]:
            got = outputs(program, arguments, formats)
            differing += ["%s %s: %s" % (program, arguments[0], name) for name in sorted(set(wanted) | set(got))
                          if wanted.get(name) != got.get(name)]
    os.chdir("/")
    shutil.rmtree(folder)
    for line in differing:
        print("not as with %s: %s" % (programs[0], line))
    return 1 if differing else 0


sys.exit(main())
