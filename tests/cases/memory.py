#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command under valgrind: no error and no memory lost. 77 is "skipped", where valgrind is missing.

VERNIER names a program without sanitizers, SAMPLES the folder of samples.
"""
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile

import more_commands

VERNIER = os.path.abspath(os.environ["VERNIER"])
VALGRIND = ["valgrind", "--quiet", "--error-exitcode=66", "--leak-check=full", "--errors-for-leak-kinds=definite"]


def run(number, arguments, formats):
    """What valgrind has to say, or nothing."""
    done = subprocess.run([*VALGRIND, VERNIER, *arguments, "--jobs", "2", "-o", "out%d" % number, "--format", formats],
                          env=dict(os.environ, LC_ALL="C", NO_COLOR="1"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode < 0 or done.returncode == 66 or b"Invalid " in done.stdout:
        return " ".join(arguments) + "\n" + done.stdout.decode(errors="replace")[:4000]
    return None


def main():
    if not shutil.which("valgrind"):
        return 77
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    more_commands.make_every_input()
    cases = more_commands.every_command().values()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = list(pool.map(run, range(len(cases)), *zip(*cases)))
    os.chdir("/")
    shutil.rmtree(folder)
    bad = [text for text in said if text]
    for text in bad:
        print(text)
    print("memory: %d runs, %d with errors" % (len(said), len(bad)))
    return 1 if bad else 0


sys.exit(main())
