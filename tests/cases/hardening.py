#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A release build is hardened: hardening.py PROGRAM. Needs readelf (binutils); 77 is "skipped"."""
import re
import shutil
import subprocess
import sys


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *arguments, sys.argv[1]], stdout=subprocess.PIPE, check=True).stdout.decode()


if not shutil.which("readelf"):
    sys.exit(77)
header, segments, dynamic, symbols = readelf("-h"), readelf("-l"), readelf("-d"), readelf("-s")
wanted = {
    "position-independent program": "DYN (" in header and " PIE" in dynamic,
    "read-only relocations": "GNU_RELRO" in segments,
    "all symbols bound at the start": "BIND_NOW" in dynamic or "NOW" in dynamic,
    "no executable stack": any("GNU_STACK" in line and "RWE" not in line for line in segments.split("\n")),
    "no segment that is written and executed": not any(" RWE " in line for line in segments.split("\n")),
    "stack protector": "__stack_chk_fail" in symbols,
    "checked functions of the C library": "_chk" in symbols.replace("__stack_chk_fail", ""),
}
# The mark of a whole program is lost where the start files of the C library lack it, so the code itself is asked.
machine = re.search(r"Machine:.*?(X86-64|AArch64)", header)
prefix, first = {"X86-64": ("x86_64", "endbr64"), "AArch64": ("aarch64", "bti|paciasp")}.get(machine and machine.group(1), ("", ""))
objdump = shutil.which(prefix + "-linux-gnu-objdump")
if objdump:
    code = subprocess.run([objdump, "-d", "--no-show-raw-insn", "--disassemble=main", sys.argv[1]], stdout=subprocess.PIPE).stdout.decode()
    wanted["control-flow protection"] = re.search(r"<main>:\n\s*[0-9a-f]+:\s*(%s)" % first, code) is not None
for what, there in wanted.items():
    if not there:
        print("missing:", what)
sys.exit(0 if all(wanted.values()) else 1)
