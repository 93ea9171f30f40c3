#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the checkers of the sample set beside the tree side by side and prints one table: name, passed, failed, seconds.

    shared.py VERNIER SHARED LOGS [--jobs N] [--only NAME,...] [--baseline FILE] [--write]

A checker ends with "N passed, M failed"; what it printed stands in LOGS/NAME.log. The baseline says for each how many checks
failed and how many there were. Exit 1 where more fail or fewer are made, or a checker gave no count; --write then keeps what
is better, and never what is worse. Where SHARED is absent: 77, "skipped".
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import time

# Name, tool, arguments; "{data}" is the folder of the data. The long ones first.
CHECKERS = [
    ("collected-dumps", "check-collected.py", ["--what", "dumps"]),
    ("collected-rest", "check-collected.py", ["--what", "reports,folders,shards,noise,curves"]),
    ("dumps3", "check-dumps2.py", ["--cases", "{data}/dumps3"]),
    ("dumps2", "check-dumps2.py", []),
    ("check", "check-check.py", []),
    ("parity", "check-parity.py", []),
    ("wild2", "check-wild.py", ["--data", "{data}/wild2", "--jobs", "1"]),
    ("wild", "check-wild.py", ["--jobs", "1"]),
    ("ascend", "check-cases.py", ["--data", "{data}/ascend"]),
    ("cases", "check-cases.py", []),
    ("curves", "check-curves.py", []),
]
BASELINE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shared_baseline.txt")


def run(checker, options):
    """Passed, failed (None: it gave no count) and seconds."""
    name, tool, arguments = checker
    data = os.path.join(options.shared, "data")
    command = [sys.executable, "-B", os.path.join(options.shared, "tools", tool), "--vernier", options.vernier,
               *(argument.format(data=data) for argument in arguments)]
    began = time.monotonic()
    with open(os.path.join(options.logs, name + ".log"), "w+", encoding="utf-8", errors="replace") as log:
        try:
            subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, timeout=3600)
        except subprocess.TimeoutExpired:
            pass
        log.seek(0)
        counts = re.findall(r"^(\d+) passed, (\d+) failed$", log.read(), re.MULTILINE)
    passed, failed = map(int, counts[-1]) if counts else (None, None)
    return passed, failed, time.monotonic() - began


def baseline_of(path):
    """{name: (failed, checks)}"""
    known = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    name, failed, checks = line.split()
                    known[name] = (int(failed), int(checks))
    return known


def judge(passed, failed, known):
    """What is said of a checker beside its baseline, and whether it is worse."""
    if passed is None:
        return "gave no count", True
    if known is None:
        return "not in the baseline", False
    if failed > known[0]:
        return "WORSE: %d failed" % known[0], True
    if passed + failed < known[1]:
        return "FEWER: %d checks" % known[1], True
    if failed < known[0]:
        return "better: %d failed" % known[0], False
    return "", False


def write(path, known):
    with open(path, "w", encoding="utf-8") as file:
        file.write("# What `make shared` may not fall behind: checker, failed, checks. `make shared WRITE=1` keeps what is better.\n")
        for name, (failed, checks) in sorted(known.items()):
            file.write("%-16s %4d %5d\n" % (name, failed, checks))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vernier", type=os.path.abspath)
    parser.add_argument("shared", type=os.path.abspath)
    parser.add_argument("logs", type=os.path.abspath)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="names, separated by commas")
    parser.add_argument("--baseline", default=BASELINE)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if not os.path.isdir(os.path.join(options.shared, "tools")):
        print("skipped: the sample set is not here (%s)" % options.shared)
        return 77
    chosen = [one for one in CHECKERS if not options.only or one[0] in options.only.split(",")]
    if not chosen:
        parser.error("--only takes " + ", ".join(name for name, _, _ in CHECKERS))
    os.makedirs(options.logs, exist_ok=True)
    known, bad, began = baseline_of(options.baseline), [], time.monotonic()
    totals = [0, 0]
    print("%-16s %7s %7s %8s" % ("checker", "passed", "failed", "seconds"))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        asked = [(checker[0], pool.submit(run, checker, options)) for checker in chosen]
        for name, answer in asked:
            passed, failed, seconds = answer.result()
            said, worse = judge(passed, failed, known.get(name))
            if worse:
                bad.append(name)
            elif options.write:
                known[name] = (failed, passed + failed)
            for i, count in enumerate((passed, failed)):
                totals[i] += count or 0
            shown = ["-" if count is None else count for count in (passed, failed)]
            print(("%-16s %7s %7s %8.1f  %s" % (name, *shown, seconds, said)).rstrip(), flush=True)
    print("%-16s %7d %7d %8.1f" % ("all", *totals, time.monotonic() - began))
    if options.write:
        write(options.baseline, known)
    if bad:
        print("behind the baseline: %s; what failed: %s" % (", ".join(bad), os.path.join(options.logs, "NAME.log")))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
