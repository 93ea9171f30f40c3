#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command with seven threads in a build with ThreadSanitizer: no race is reported. The unit tests
of the modules named on the command line are run too: threads.py UNITS MODULE...

VERNIER names the program, SAMPLES the folder of samples.
"""
import os
import shutil
import subprocess
import sys
import tempfile

import more_commands

VERNIER = os.path.abspath(os.environ["VERNIER"])
SAMPLES = more_commands.SAMPLES
SUPPRESSIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tsan.supp")
CASES = [(arguments, formats + (",xlsx,vis-db" if arguments[:3] == ["compare", "golden", "target"] else ""))
         for arguments, formats in more_commands.every_command().values()]
CASES += [
    (["compare", os.path.join(SAMPLES, "ranks", "golden"), os.path.join(SAMPLES, "ranks", "target")], "html,json,svg,xlsx,png,pdf"),
    # One pair has all threads: its pictures, and the blocks of its workbook.
    (["compare", os.path.join(SAMPLES, "gpt", "golden"), os.path.join(SAMPLES, "gpt", "target")], "html,md,json,xlsx,svg,png,csv"),
    (["graph", os.path.join(SAMPLES, "ranks", "golden")], "html,json,svg,png,vis-db"),
    (["monitor", os.path.join(SAMPLES, "monitor")], "html,json,svg,png,xlsx"),
    (["curves"] + [os.path.join(SAMPLES, "curves", name + ".csv") for name in ("golden", "target")], "html,json,svg,png"),
]


def run(command):
    env = dict(os.environ, LC_ALL="C", NO_COLOR="1",
               TSAN_OPTIONS="exitcode=66:halt_on_error=0:suppressions=" + SUPPRESSIONS)
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode < 0 or done.returncode == 66 or b"ThreadSanitizer" in done.stdout:
        print(" ".join(command), done.stdout.decode(errors="replace")[:4000], sep="\n")
        return 1
    return 0


def main():
    units, *modules = sys.argv[1:]
    commands = [[os.path.abspath(units), module] for module in modules]
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    more_commands.make_every_input()
    bad = sum(run([VERNIER, *arguments, "--jobs", "7", "-o", "out", "--format", formats]) for arguments, formats in CASES)
    bad += sum(run(command) for command in commands)
    os.chdir("/")
    shutil.rmtree(folder)
    print("threads: %d runs, %d with races" % (len(CASES) + len(commands), bad))
    return 1 if bad else 0


sys.exit(main())
