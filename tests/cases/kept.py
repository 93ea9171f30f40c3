#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nothing of value is lost: what a run may write, when it removes what is there, and what two runs do to one folder."""
import csv
import fcntl
import json
import os
import signal
import subprocess
import time
import unittest

from program import SAMPLES, VERNIER, Case, crc32c, main, run

GOLDEN, TARGET = (os.path.join(SAMPLES, "hooks", "recorded", side) for side in ("golden", "target"))


def contents(folder):
    found = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = file.read()
    return found


def status(folder):
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        return json.load(file)["status"]


class Reports(Case):
    def test_an_input_that_cannot_be_read_leaves_the_last_report_as_it_is(self):
        run("compare", GOLDEN, TARGET, cwd=self.folder)
        before = contents(self.path("vernier-compare"))
        self.assertGreater(len(before), 5)
        for wrong in (os.path.join(SAMPLES, "curves", "target.csv"), self.write("empty.json", "{}"), self.path("nowhere")):
            self.assertEqual(run("compare", GOLDEN, wrong, cwd=self.folder)[0], 3)
            self.assertEqual(contents(self.path("vernier-compare")), before)

    def test_a_command_that_could_compare_nothing_makes_no_folder(self):
        picture = self.write("a.png", b"\x89PNG\r\n")
        for command in (["graph", picture], ["locate", picture], ["curves", picture], ["tokens", picture, picture],
                        ["compare", picture, picture]):
            self.assertEqual(run(*command, cwd=self.folder)[0], 3, command)
        self.assertEqual(os.listdir(self.folder), ["a.png"])

    def test_a_folder_that_was_typed_gets_the_answer_and_loses_nothing(self):
        run("compare", GOLDEN, TARGET, "-o", self.out)
        before = set(os.listdir(self.out))
        self.assertEqual(run("compare", GOLDEN, self.write("empty.json", "{}"), "-o", self.out)[0], 3)
        self.assertLessEqual(before, set(os.listdir(self.out)))
        self.assertEqual(status(self.out), "no data")


class Locks(Case):
    def hold(self, kind):
        os.makedirs(self.out, exist_ok=True)
        file = open(os.path.join(self.out, ".vernier-lock"), "w")
        fcntl.flock(file, kind)
        return file

    def test_a_second_run_into_the_folder_ends_with_5_and_the_line_to_type(self):
        run("compare", GOLDEN, GOLDEN, "-o", self.out)
        before = contents(self.out)
        with self.hold(fcntl.LOCK_EX):
            for command in (["compare", GOLDEN, TARGET], ["graph", TARGET], ["compare", GOLDEN, TARGET, "--shard", "1/2"]):
                code, _, said = run(*command, "-o", self.out)
                self.assertEqual(code, 5, said)
                line = "vernier %s -o %s-2/" % (" ".join(command), self.out)
                self.assertIn(line, said)
            os.remove(os.path.join(self.out, ".vernier-lock"))
            self.assertEqual(contents(self.out), before)
        self.assertEqual(run("compare", GOLDEN, TARGET, "-o", self.out)[0], 1)
        self.assertNotIn(".vernier-lock", os.listdir(self.out))

    def test_parts_of_a_run_write_side_by_side(self):
        with self.hold(fcntl.LOCK_SH):
            self.assertEqual(run("compare", GOLDEN, TARGET, "--shard", "1/1", "-o", self.out)[0], 1)
            self.assertEqual(run("compare", GOLDEN, TARGET, "-o", self.out)[0], 5)

    def test_a_lock_ends_with_its_process(self):
        self.hold(fcntl.LOCK_EX).close()
        self.assertEqual(run("compare", GOLDEN, TARGET, "-o", self.out)[0], 1)
        self.assertNotIn(".vernier-lock", os.listdir(self.out))

    def test_of_runs_that_start_together_each_folder_holds_one_report(self):
        for _ in range(4):
            with open(os.devnull, "w") as null:
                both = [subprocess.Popen([VERNIER, "compare", GOLDEN, other, "-o", self.out], stdout=null, stderr=null)
                        for other in (GOLDEN, TARGET)]
                codes = [process.wait() for process in both]
            self.assertIn(codes, ([0, 1], [0, 5], [5, 1]))
            differs = status(self.out) == "error"
            self.assertEqual(os.path.exists(os.path.join(self.out, "card-step0-rank0.svg")), differs)


class LeftFiles(Case):
    def test_what_killed_runs_left_is_removed_and_nothing_else(self):
        os.makedirs(self.out)
        dead = subprocess.Popen(["true"])
        dead.wait()
        left = [".compare.xlsx.%x-3-a1b2c3" % dead.pid, ".graph-step0-rank0.svg.%x-0-f" % dead.pid, "..vernier-files.%x-1-0" % dead.pid]
        kept = [".compare.xlsx.%x-3-a1b2c3" % os.getpid(), ".notes.c.%x-3-a1" % dead.pid, ".compare.xlsx.%x-3" % dead.pid,
                ".compare.xlsx", "compare.xlsx.%x-3-a1" % dead.pid, ".compare.xlsx.%x-3-G" % dead.pid]
        for name in left + kept:
            open(os.path.join(self.out, name), "w").close()
        run("compare", GOLDEN, TARGET, "-o", self.out)
        there = set(os.listdir(self.out))
        self.assertEqual([name for name in left if name in there], [])
        self.assertLessEqual(set(kept), there)

    def test_a_single_file_finds_those_of_its_own_name(self):
        dead = subprocess.Popen(["true"])
        dead.wait()
        left, other = (self.write(".%s.%x-0-1" % (name, dead.pid), "") for name in ("a.json", "b.json"))
        run("compare", GOLDEN, TARGET, "-o", self.path("a.json"))
        self.assertFalse(os.path.exists(left))
        self.assertTrue(os.path.exists(other))

    def test_after_a_kill_the_next_run_is_as_the_first(self):
        run("compare", GOLDEN, TARGET, "-o", self.out)
        names = sorted(os.listdir(self.out))
        for delay in (0.01, 0.03, 0.05, 0.08):
            with open(os.devnull, "w") as null:
                process = subprocess.Popen([VERNIER, "compare", GOLDEN, TARGET, "-o", self.out], stdout=null, stderr=null)
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
            process.wait()
        self.assertEqual(run("compare", GOLDEN, TARGET, "-o", self.out)[0], 1)
        # The workbook's library has temporary files of its own, each for a moment, under names that are not ours to remove.
        self.assertEqual([name for name in sorted(os.listdir(self.out)) if not name.startswith("tmp.")], names)


class Parts(Case):
    """A part whose files were changed, sizes and checksums mended."""

    def merged(self, begins, change):
        part, report = self.path("part"), self.path("report")
        run("compare", GOLDEN, TARGET, "--shard", "1/1", "-o", part, "--format", "html,json,svg,csv")
        name = next(name for name in sorted(os.listdir(part)) if name.startswith(begins))
        with open(os.path.join(part, name), "rb") as file:
            text = change(file.read())
        with open(os.path.join(part, name), "wb") as file:
            file.write(text)
        shard = next(os.path.join(part, name) for name in os.listdir(part) if name.startswith("shard-"))
        with open(shard) as file:
            facts = json.load(file)
        for pair in facts["pairs"]:
            for file in pair["written"]:
                if file["name"] == name:
                    file.update(bytes=len(text), crc32c=crc32c(text))
        with open(shard, "w") as file:
            json.dump(facts, file)
        _, _, said = run("merge", part, "-o", report, "--format", "html,json,svg,csv")
        return name in os.listdir(report), said

    def test_a_picture_has_values_of_known_forms_alone(self):
        def rect(attribute):
            return lambda text: text.replace(b"</svg>", b"<rect %s/></svg>" % attribute)
        self.assertTrue(self.merged("card-", rect(b'fill="url(#card-step0-rank0-hatch)" x="-1.5e3"'))[0])
        for value in (b'fill="URL(http://example.org/x)"', b'fill="u\\72l(http://example.org/x)"', b'stroke="src(x)"',
                      b'fill="url(#a) url(http://example.org)"', b'fill="url( #a)"', b'fill="#fff;filter:url(x)"',
                      b'fill="image-set(x)"', b'transform="rotate(1) url(x)"', b'd="url(//x)"'):
            taken, said = self.merged("card-", rect(value))
            self.assertFalse(taken, value)
            self.assertIn("it is left out", said)

    def test_a_cell_is_harmless_whichever_separator_a_spreadsheet_takes(self):
        columns = 0

        def row(cells):
            def change(text):
                nonlocal columns
                columns = text.split(b"\n")[0].count(b",") + 1
                return text + cells + b"," * (columns - 1) + b"\n"
            return change
        self.assertTrue(self.merged("rows-", row(b"a;b -1;'=1"))[0])
        for cell in (b"a;=1+1;x", b"a;\xef\xbb\xbf=1+1", b"\xef\xbb\xbf=1+1", b"a\t@SUM(1)", b'"a\n+cmd|x"', b"a;-2+cmd|x", b"a,b"):
            taken, said = self.merged("rows-", row(cell))
            self.assertFalse(taken, cell)
            self.assertIn("a cell of this table", said)


class Settings(Case):
    @unittest.skipUnless(os.geteuid() == 0, "only root can give a file to another user")
    def test_a_file_of_settings_of_another_user_is_ignored_and_said(self):
        here = self.path("job")
        os.mkdir(here)
        file = self.write("vernier.toml", "[compare]\ncriteria = \"c.yaml\"\n")
        self.write("c.yaml", "max: {pass: 1e9, warning: 1e9}\n")
        call = ["compare", GOLDEN, TARGET, "-q", "-o", self.path("a.json")]
        ours = run(*call, cwd=here)
        os.chown(file, 12345, 12345)
        code, _, said = run(*call, cwd=here)
        self.assertEqual(code, 1)
        self.assertIn("../vernier.toml: this file belongs to another user and is ignored", said)
        self.assertNotIn("c.yaml", said)
        self.assertEqual(run(*call, cwd=here, SUDO_UID="12345")[0], ours[0])
        self.assertEqual(run(*call, "--config", file, cwd=here)[0], ours[0])
        self.assertIn("belongs to another user", run("config", cwd=here)[1])
        self.assertNotIn("belongs", run(*call, "--no-config", cwd=here)[2])

    def test_quiet_says_what_was_asked_for_and_not_done_and_twice_quiet_nothing(self):
        noise = os.path.join(SAMPLES, "ranks", "golden")
        for target in (GOLDEN, TARGET):
            said = run("compare", GOLDEN, target, "--noise", noise, "-q", "-o", self.path("a.json"))[2]
            self.assertIn("this noise run", said)
            self.assertEqual(run("compare", GOLDEN, target, "--noise", noise, "-qq", "-o", self.path("a.json"))[1:], ("", ""))


class Nights(Case):
    def dump(self, name, rank, largest, rows=1):
        tensor = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2, 3], "Max": 1.5, "Min": -1.0, "Mean": 0.1, "Norm": 2.0}
        data = {"Functional.relu.%d.forward" % i: {"input_args": [tensor], "input_kwargs": {}, "output": [dict(tensor, Max=largest)]}
                for i in range(rows)}
        self.write("%s/step0/rank%d/dump.json" % (name, rank),
                   json.dumps({"task": "statistics", "level": "L1", "framework": "pytorch", "data": data}))

    def test_a_part_of_another_night_is_none_of_this_one(self):
        for rows in (1, 5000):  # of more than a MiB
            for rank in (0, 1):
                self.dump("golden", rank, 2.5, rows)
                self.dump("target", rank, 2.5, rows)
            call = ["compare", self.path("golden"), self.path("target"), "-o", self.path("parts"), "--exit-zero", "-qq", "--format", "json"]
            for part in ("1/2", "2/2"):
                run(*call, "--shard", part)
            self.assertEqual(run("merge", self.path("parts"), "-o", self.path("a.json"))[0], 0)
            for rank in (0, 1):
                self.dump("target", rank, 9.5, rows)
            run(*call, "--shard", "2/2")
            code, _, said = run("merge", self.path("parts"), "-o", self.path("a.json"))
            self.assertIn(code, (1, 4), said)
            self.assertIn("its dumps held other values", said)


class Rows(Case):
    def test_a_csv_that_was_asked_for_has_every_row(self):
        tensor = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], "Max": 1.0, "Min": 0.0, "Mean": 0.5, "Norm": 1.0}
        args = [tensor] * 200
        for side in ("golden", "target"):
            data = {"Functional.add.%d.forward" % i: {"input_args": args, "input_kwargs": {}, "output": args} for i in range(260)}
            self.write(side + "/dump.json", json.dumps({"task": "statistics", "level": "L1", "framework": "pytorch", "data": data}))
        run("compare", self.path("golden"), self.path("target"), "-o", self.out, "--format", "csv")
        run("compare", self.path("golden"), self.path("target"), "-o", self.path("rows.csv"))
        for path in (os.path.join(self.out, "rows-step0-rank0.csv"), self.path("rows.csv")):
            with open(path, "rb") as file:
                self.assertEqual(file.read().count(b"\n"), 1 + 260 * 400)


class Monitors(Case):
    def test_convert_keeps_every_row_rank_name_and_statistic(self):
        folder = os.path.join(SAMPLES, "monitor")
        code, out, said = run("convert", folder, "-o", "-")
        self.assertEqual((code, "3060 rows" in said, "next to the series of the monitor are not converted: 1" in said), (4, True, True), said)
        want = set()
        for start in os.listdir(folder):
            for name in os.listdir(os.path.join(folder, start)) if "rank" in start else ():
                if not name.startswith(("grad_", "param_")):
                    continue
                with open(os.path.join(folder, start, name), encoding="utf-8") as file:
                    for row in csv.DictReader(file):
                        want.add((int(start.split("rank")[1].split("-")[0]), row["name"], int(row["step"]), str(float(row["norm"]))))
        rows = [json.loads(line) for line in out.splitlines()]
        self.assertEqual({(row["rank"], row["name"], row["step"], str(float(row["norm"]))) for row in rows}, want)
        self.assertEqual(len(rows), 3060)

    def test_a_name_that_the_target_lacks_altogether_is_partial(self):
        for side, names in (("golden", "abc"), ("target", "ab"), ("more", "abcd")):
            rows = "".join("0,%s,%d,%s\n" % (name, step, 1 + step % 3 / 10) for step in range(30) for name in names)
            self.write(side + "/May06_15-00-00-rank0-aaaa/grad_reduced_0-29.csv", "vpp_stage,name,step,norm\n" + rows)
        def run_of(side):
            return run("monitor", "GOLDEN=" + self.path("golden"), "TARGET=" + self.path(side), "-o", self.path("a.json"))
        code, _, said = run_of("target")
        self.assertEqual((code, "GOLDEN alone has 1 name: c" in said), (4, True), said)
        self.assertEqual(run_of("more")[0], 0)


class Threads(Case):
    def test_a_number_of_threads_beyond_all_bounds_takes_no_time(self):
        begun = time.monotonic()
        self.assertEqual(run("compare", GOLDEN, TARGET, "-j", "2147483647", "-o", self.out)[0], 1)
        self.write("vernier.toml", "jobs = 2147483647\n")
        self.assertEqual(run("compare", GOLDEN, TARGET, cwd=self.folder)[0], 1)
        self.assertLess(time.monotonic() - begun, 10)


if __name__ == "__main__":
    main()
