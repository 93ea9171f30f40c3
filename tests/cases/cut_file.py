#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A mapped input that is cut while it is read ends the run with exit code 3 and a sentence, not with
a bus error. The run stops by itself just after it mapped the file, so that no clock decides the race.

VERNIER names the program, INJECT the library that stops it (tests/faults/inject.c), PRELOAD what has to
be loaded before it.
"""
import os
import signal
import subprocess
import sys
import tempfile

VERNIER = os.environ["VERNIER"]
PRELOAD = (os.environ.get("PRELOAD", "") + " " + os.environ["INJECT"]).strip()
ENTRY = '"Torch.add.%d.forward": {"input_args": [{"type": "int", "value": 1}], "output": []}'


def write_dump(path):
    with open(path, "w", encoding="utf-8") as out:
        out.write('{"task": "statistics", "level": "L1", "data": {' + ", ".join(ENTRY % i for i in range(2000)) + "}}")


def cut_at(path, number, out):
    """Cuts the file once the run has mapped file `number`; the exit code and what was said, or None if it
    maps fewer."""
    env = dict(os.environ, LC_ALL="C", LD_PRELOAD=PRELOAD, FAULT="stop:%d" % number,
               ASAN_OPTIONS="detect_leaks=0:verify_asan_link_order=0")
    run = subprocess.Popen([VERNIER, "compare", path, path, "--jobs", "1", "-o", out], env=env,
                           stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    _, status = os.waitpid(run.pid, os.WUNTRACED)
    if not os.WIFSTOPPED(status):
        run.returncode = os.waitstatus_to_exitcode(status)
        return None
    os.truncate(path, 0)
    os.kill(run.pid, signal.SIGCONT)
    _, said = run.communicate()
    return run.returncode, said.decode(errors="replace")


def main():
    seen = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "dump.json")
        for number in range(1, 9):
            write_dump(path)
            result = cut_at(path, number, os.path.join(folder, "out.json"))
            if result is None:
                break
            code, said = result
            cut = "was cut while it was read" in said
            seen += cut
            if code != 3 or not (cut or "vernier: error: " in said):
                sys.exit("file %d: exit code %d, said: %s" % (number, code, said))
            if os.path.exists(os.path.join(folder, "out.json")):
                sys.exit("file %d: an output was written" % number)
    if not seen:
        sys.exit("no run met a file that was cut")


main()
