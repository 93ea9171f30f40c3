#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs tests by CTest and says in the last line how many ran, passed, failed and were skipped, and why:
run_tests.py BUILD [OPTION OF CTEST]...

Ends with CTest's code. What a test leaves out of itself, such as what needs another user, stands in the lines before.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree


def reasons_of(case):
    """Why it, or a part of it, did not run: the lines "...skipped: REASON" of what it printed."""
    return [line.strip() for line in re.findall(r"skipped: (.+)", case.findtext("system-out") or "")]


def main():
    build, *options = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "tests.xml")
        code = subprocess.call(["ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error",
                                "--output-junit", report, *options])
        if not os.path.exists(report):
            return code or 1
        cases = xml.etree.ElementTree.parse(report).getroot().findall("testcase")
    named = collections.defaultdict(list)
    counts, skipped, parts = collections.Counter(), collections.Counter(), []
    for case in cases:
        status = case.get("status")
        named[status].append(case.get("name"))
        counts[status] += 1
        if status == "notrun":
            skipped.update([", ".join(sorted(set(reasons_of(case)))) or "it does not say why"])
        else:
            parts += ["  %s: %s" % (case.get("name"), reason) for reason in reasons_of(case)]
    slow = sorted(cases, key=lambda case: -float(case.get("time")))[:5]
    print("\nslowest: " + ", ".join("%s %.1f s" % (case.get("name"), float(case.get("time"))) for case in slow))
    if parts:
        print("left out of tests that ran:\n" + "\n".join(parts))
    if named["fail"]:
        print("failed: " + ", ".join(named["fail"]))
    ran = counts["run"] + counts["fail"]
    why = "" if not skipped else " (%s)" % "; ".join("%d: %s" % (count, reason) for reason, count in skipped.most_common())
    print("%d tests ran: %d passed, %d failed; %d skipped%s" % (ran, counts["run"], counts["fail"], counts["notrun"], why))
    return code


if __name__ == "__main__":
    sys.exit(main())
