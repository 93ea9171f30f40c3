#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command under valgrind: no error and no memory lost. 77 is "skipped", where valgrind is missing.

VERNIER names a program without sanitizers, SAMPLES the folder of samples.
"""
import os
import shutil
import subprocess
import sys
import tempfile

import small_inputs

VERNIER = os.path.abspath(os.environ["VERNIER"])
CASES = [(arguments, formats) for arguments, formats in small_inputs.COMMANDS.values()]
CASES += [
    (["compare", "golden/step0/rank0", "target/step0/rank0", "--rules", "msprobe26"], "xlsx,csv,nodes,vis-db"),
    (["compare", "golden", "absent"], "json"),
    (["compare", "golden", "target", "--unknown"], "json"),
    (["compare", "golden", "target", "--view", "boxes", "--lang", "zh"], "svg,html"),
]


def main():
    if not shutil.which("valgrind"):
        return 77
    folder, bad = tempfile.mkdtemp(), 0
    os.chdir(folder)
    small_inputs.make_inputs()
    for arguments, formats in CASES:
        done = subprocess.run(["valgrind", "--quiet", "--error-exitcode=66", "--leak-check=full", "--errors-for-leak-kinds=definite",
                               VERNIER, *arguments, "-o", "out", "--format", formats],
                              env=dict(os.environ, LC_ALL="C", NO_COLOR="1"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode == 66 or b"Invalid " in done.stdout:
            print(" ".join(arguments), done.stdout.decode(errors="replace")[:4000], sep="\n")
            bad += 1
    os.chdir("/")
    shutil.rmtree(folder)
    print("memory: %d runs, %d with errors" % (len(CASES), bad))
    return 1 if bad else 0


sys.exit(main())
