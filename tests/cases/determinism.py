#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same input gives the same bytes: for any number of threads, locale, time zone, order of a folder
and place of the working folder, and with every command.

VERNIER names the program, INJECT the library that lists folders in another order (tests/faults/inject.c),
PRELOAD what has to be loaded before it, SAMPLES the folder of samples. With FULL set pictures and the
larger samples are compared too.
"""
import os
import re
import shutil
import subprocess

import more_commands
import small_inputs
from program import Case, SAMPLES, VERNIER, main

PRELOAD = (os.environ.get("PRELOAD", "") + " " + os.environ["INJECT"]).strip()
FULL = bool(os.environ.get("FULL"))
MORE = {"compare": ",xlsx,nodes,junit,vis-db", "graph": ",xlsx,nodes,vis-db", "locate": ",xlsx", "curves": ",xlsx",
        "advise": ",xlsx", "checklist": ",xlsx", "monitor": ",xlsx", "merge": ",xlsx", "study": ",xlsx", "history": ",xlsx",
        "checkpoints": ",xlsx", "tables": ",xlsx", "runs": ",xlsx"}
PICTURED = ("compare", "graph", "locate", "curves", "monitor")
LARGER = {
    "compare": ["compare", os.path.join(SAMPLES, "ranks", "golden"), os.path.join(SAMPLES, "ranks", "target")],
    "monitor": ["monitor", os.path.join(SAMPLES, "monitor")],
    "curves": ["curves", os.path.join(SAMPLES, "curves", "golden.csv"), os.path.join(SAMPLES, "curves", "target.csv"),
               "--noise", os.path.join(SAMPLES, "curves", "golden-again.csv")],
}
VARIANTS = [
    (["--jobs", "1"], {"LC_ALL": "C", "TZ": "UTC"}),
    (["--jobs", "2"], {"LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Shanghai"}),
    (["--jobs", "7"], {"LC_ALL": "zh_CN.UTF-8", "LANG": "tr_TR.UTF-8", "TZ": ":/nonsense"}),
    (["--jobs", "64"], {"LC_ALL": "nonsense", "TZ": "XXX-25:99", "COLUMNS": "-1", "TMPDIR": "."}),
    ([], {"LANG": "fa_IR", "XDG_CACHE_HOME": "/nonexistent", "XDG_DATA_DIRS": "", "LC_NUMERIC": "de_DE.UTF-8"}),
]


def make_again(order):
    """The same inputs, each folder filled in another order."""
    for top in ("golden", "target", "monitor"):
        shutil.move(top, "old")
        found = [(at, names) for at, _, names in os.walk("old")]
        for at, names in found if order else reversed(found):
            to = at.replace("old", top, 1)
            os.makedirs(to, exist_ok=True)
            for name in sorted(names, reverse=order):
                shutil.copy(os.path.join(at, name), to)
        shutil.rmtree("old")


class Determinism(Case):
    def setUp(self):
        super().setUp()
        self.at = os.path.join(self.folder, "here")
        os.mkdir(self.at)
        os.chdir(self.at)
        small_inputs.make_inputs()

    def outputs(self, arguments, formats, options=(), environment=None):
        shutil.rmtree("out", ignore_errors=True)
        env = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
        env.update({"NO_COLOR": "1", "ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0"}, **(environment or {}))
        done = subprocess.run([VERNIER, *arguments, "-o", "out", "--lang", "en", "--format", formats, *options], env=env,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
        self.assertIn(done.returncode, (0, 1), done.stderr.decode())
        files = {"verdict": done.stdout.strip().split(b"\n")[-1], "code": bytes([done.returncode])}
        for name in os.listdir("out"):
            if name == ".vernier-files":  # holds the checksums of the files as they are, with the times of PDF
                continue
            with open(os.path.join("out", name), "rb") as file:
                files[name] = re.sub(rb' --jobs \d+|,\s*"--jobs",\s*"\d+"', b"", file.read())  # they tell the command line
        return files

    def same(self, one, two, label):
        self.assertEqual(sorted(one), sorted(two), label)
        for name in one:
            self.assertTrue(one[name] == two[name], (label, name))

    def each_command(self):
        for name, (arguments, formats) in small_inputs.COMMANDS.items():
            yield name, [word for word in arguments if word not in ("--jobs", "1")], formats + MORE.get(name, "")
        if FULL:
            for name in PICTURED:
                yield name + " pictures", small_inputs.COMMANDS[name][0], "png,pdf"
            for name, arguments in LARGER.items():
                yield name + " larger", arguments, small_inputs.COMMANDS[name][1] + MORE[name] + ",png"

    def test_threads_locale_time_zone_and_environment_change_no_byte(self):
        for name, arguments, formats in self.each_command():
            if "--jobs" in arguments:
                arguments = arguments[: arguments.index("--jobs")]
            first = self.outputs(arguments, formats, *VARIANTS[0])
            self.assertGreater(len(first), 3)
            for variant in VARIANTS[1:] if FULL or name == "compare" else VARIANTS[2:3]:
                self.same(first, self.outputs(arguments, formats, *variant), (name, variant))

    def test_threads_that_share_the_work_of_one_pair_change_no_byte(self):
        more_commands.make_more_inputs()
        for name in more_commands.MORE_COMMANDS if FULL else ("elements", "two monitors", "merged ranks"):
            arguments, formats = more_commands.MORE_COMMANDS[name]
            if name in ("a missing run", "an unknown option", "boxes in Chinese"):
                continue
            first = self.outputs(arguments, formats, *VARIANTS[0])
            self.assertGreater(len(first), 3)
            for variant in VARIANTS[1:4]:
                self.same(first, self.outputs(arguments, formats, *variant), (name, variant))

    def test_the_order_of_folders_and_their_place_change_no_byte(self):
        for name, (arguments, formats) in small_inputs.COMMANDS.items():
            os.chdir(self.at)
            first = self.outputs(arguments, formats)
            for seed in (1, 2, 3) if FULL else (1,):
                shuffled = self.outputs(arguments, formats, (), {"LD_PRELOAD": PRELOAD, "FAULT": "shuffle:%d" % seed})
                self.same(first, shuffled, (name, "shuffled", seed))
            make_again(len(name) % 2 == 0)
            self.same(first, self.outputs(arguments, formats), (name, "made in another order"))
            there = os.path.join(self.folder, "another place", name)
            shutil.copytree(self.at, there)
            os.chdir(there)
            self.same(first, self.outputs(arguments, formats), (name, "elsewhere"))

    def test_the_date_of_the_source_is_the_only_date_in_an_output(self):
        arguments, _ = small_inputs.COMMANDS["compare"]
        plain = self.outputs(arguments, "xlsx,pdf,json,html")
        dated = self.outputs(arguments, "xlsx,pdf,json,html", (), {"SOURCE_DATE_EPOCH": "1700000000"})
        again = self.outputs(arguments, "xlsx,pdf,json,html", (), {"SOURCE_DATE_EPOCH": "1700000000"})
        self.same(dated, again, "the same date")
        for name in plain:
            if not name.endswith((".xlsx", ".pdf")):
                self.assertEqual(plain[name], dated[name], name)


if __name__ == "__main__":
    main()
