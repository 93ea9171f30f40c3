#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A release build is hardened: hardening.py PROGRAM. Needs readelf (binutils); 77 is "skipped"."""
import platform
import shutil
import subprocess
import sys


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *arguments, sys.argv[1]], stdout=subprocess.PIPE, check=True).stdout.decode()


if not shutil.which("readelf"):
    sys.exit(77)
header, segments, dynamic, symbols = readelf("-h"), readelf("-l"), readelf("-d"), readelf("-s")
wanted = {
    "position-independent program": "DYN (" in header,
    "read-only relocations": "GNU_RELRO" in segments,
    "all symbols bound at the start": "BIND_NOW" in dynamic or "NOW" in dynamic,
    "no executable stack": any("GNU_STACK" in line and "RWE" not in line for line in segments.split("\n")),
    "no segment that is written and executed": not any(" RWE " in line for line in segments.split("\n")),
    "stack protector": "__stack_chk_fail" in symbols,
    "checked functions of the C library": "_chk" in symbols.replace("__stack_chk_fail", ""),
}
if platform.machine() == "x86_64":
    wanted["control-flow protection"] = "IBT" in readelf("-n") or "endbr64" in subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", sys.argv[1]], stdout=subprocess.PIPE).stdout.decode()[:20000000]
for what, there in wanted.items():
    if not there:
        print("missing:", what)
sys.exit(0 if all(wanted.values()) else 1)
