#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The commands `vernier monitor` and `vernier checklist` as users call them: trees with one planted
defect, exit codes, the same bytes for any number of threads, event files read back by a reader of its
own, and the sheets of the workbook."""
import csv
import html
import json
import math
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import zipfile

import program
from program import Case, VERNIER, main

NAMES = ["embedding.word_embeddings.weight"] + [
    "layers.%d.%s.weight" % (layer, part) for layer in range(4) for part in ("self_attention.linear_qkv", "mlp.linear_fc1")]


def run(*arguments, **environment):
    code, _, err = program.run(*arguments, **environment)
    return code, err.strip().split("\n")


def write_tree(base, ranks=4, steps=40, change=lambda rank, name, step, value: value, seed=1, prefix=""):
    """A tree of the first generation: grad_reduced, norm falling slowly with 2 % noise, 9 decimals."""
    numbers = random.Random(seed)
    for rank in range(ranks):
        folder = os.path.join(base, "May06_15-00-0%d-rank%d-0c77d1e%d" % (rank % 2, rank, rank))
        os.makedirs(folder)
        for first in range(0, steps, 10):
            with open(os.path.join(folder, "grad_reduced_%d-%d.csv" % (first, first + 9)), "w") as out:
                out.write("vpp_stage,name,step,norm,mean,max,shape,dtype\n")
                for step in range(first, min(first + 10, steps)):
                    for index, name in enumerate(NAMES):
                        value = (0.2 + 0.1 * index) * math.exp(-step / 80) * (1 + 0.02 * numbers.gauss(0, 1))
                        value = change(rank, name, step, value)
                        text = "nan" if value != value else repr(round(value, 9))
                        out.write('0,%s,%d,%s,%s,%s,"[64, 32]",torch.float32\n' % (
                            prefix + name, step, text, repr(round(value * 1e-3, 9)) if value == value else "nan", text))
    return base


def crc(data):
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    value ^= 0xFFFFFFFF
    return ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not data[at - 1] & 0x80:
            return value, at


def fields(data):
    """(number, value) of each field of a protocol buffer."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = data[at:at + 8], at + 8
        elif key & 7 == 5:
            value, at = data[at:at + 4], at + 4
        else:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        yield key >> 3, value


def events(path):
    """{(tag, step): float} of an event file; every check is verified."""
    with open(path, "rb") as f:
        data = f.read()
    points, at, first = {}, 0, True
    while at < len(data):
        size, check = struct.unpack_from("<QI", data, at)
        assert crc(data[at:at + 8]) == check
        payload = data[at + 12:at + 12 + size]
        assert crc(payload) == struct.unpack_from("<I", data, at + 12 + size)[0]
        at += 16 + size
        event = dict(fields(payload))
        if first:
            assert event[3] == b"brain.Event:2"
            first = False
            continue
        value = dict(fields(dict(fields(event[5]))[1]))
        points[value[1].decode(), event.get(2, 0)] = struct.unpack("<f", value[2])[0]
    return points


def near(a, b):
    return struct.unpack("<f", struct.pack("<f", a))[0] == b or (a != a and b != b)


class Monitor(Case):
    def tree(self, name="tree", **arguments):
        return write_tree(os.path.join(self.folder, name), **arguments)

    def summary(self, out=None):
        with open(os.path.join(out or self.out, "summary.json")) as f:
            return json.load(f)

    def test_a_clean_run_is_quiet(self):
        code, lines = run("monitor", self.tree(), "-o", self.out, "--format", "json")
        self.assertEqual(code, 0)
        self.assertTrue(lines[-1].startswith("QUIET     4 ranks x 40 steps, 9 names"))
        self.assertEqual(self.summary()["alarms"], [])

    def test_a_drop_that_the_original_rule_never_sees_is_an_alarm(self):
        tree = self.tree(change=lambda r, n, s, v: v / 5 if (r, n, s) == (2, NAMES[3], 30) else v)
        code, lines = run("monitor", tree, "-o", self.out, "--format", "json")
        self.assertEqual(code, 1)
        alarms = self.summary()["alarms"]
        self.assertEqual([(a["rule"], a["rank"], a["name"], a["step"]) for a in alarms], [("Drift", 2, NAMES[3], 30)])
        self.assertAlmostEqual(alarms[0]["ratio"], 0.2, delta=0.04)
        self.assertRegex(lines[-1], r"^ALARM     1 alarm: norm of grad_reduced layers\.1\.self_attention\.linear_qkv\.weight "
                                    r"0\.\d+x its history, step 30, rank 2$")

    def test_a_nan_is_certain_and_marked(self):
        tree = self.tree(change=lambda r, n, s, v: math.nan if (r, n, s) == (1, NAMES[5], 12) else v)
        code, _ = run("monitor", tree, "-o", self.out, "--format", "json,svg")
        self.assertEqual(code, 1)
        alarms = [a for a in self.summary()["alarms"] if a["rule"] == "AnomalyNan"]
        self.assertEqual([(a["rank"], a["step"], a["level"], a["value"]) for a in alarms], [(1, 12, "certain", "NaN")])
        with open(os.path.join(self.out, "layers-grad_reduced.svg"), encoding="utf-8") as f:
            self.assertIn("#B0009E", f.read())

    def test_a_nan_leads_the_headline_though_another_alarm_was_first(self):
        def change(rank, name, step, value):
            value = value * 6 if (rank, name, step) == (2, NAMES[3], 30) else value
            return math.nan if (rank, name, step) == (1, NAMES[5], 33) else value
        code, lines = run("monitor", self.tree(change=change), "-o", self.out, "--format", "json,svg,md")
        self.assertEqual(code, 1)
        verdict = self.summary()["verdict"]
        self.assertEqual(verdict, lines[-1])
        self.assertRegex(verdict, r"^ALARM     NaN in grad_reduced %s, step 33, rank 1; first alarm: norm of grad_reduced %s "
                                  r"\d+\.\dx its history, step 30, rank 2; 2 alarms$" % (NAMES[5], NAMES[3]))
        with open(os.path.join(self.out, "layers-grad_reduced.svg"), encoding="utf-8") as f:
            texts = " ".join(re.sub(r"<[^>]*>", "", f.read()).split())
        self.assertIn("ALARM NaN at %s, rank 1, step 33" % NAMES[5], texts)
        # The alarms keep their order: what is seen first may be the cause.
        self.assertEqual([a["step"] for a in self.summary()["alarms"]], [30, 30, 33])

    def test_places_of_alarms_are_whole_words_in_chinese_too(self):
        folder = os.path.join(self.folder, "tree", "May06_15-00-00-rank0-0c77d1e0")
        os.makedirs(folder)
        with open(os.path.join(folder, "actv_0-9.csv"), "w") as out:
            out.write("vpp_stage,name,step,micro_step,norm\n" + "".join(
                "%d,layers.0.mlp.output,%d,%d,%s\n" % (stage, step, micro, "nan" if (stage, step, micro) == (1, 7, 1) else "1.5")
                for step in range(10) for stage in (0, 1) for micro in (0, 1)))
        out = os.path.join(self.folder, "out")
        self.assertEqual(run("monitor", os.path.dirname(folder), "--lang", "zh", "-o", out)[0], 1)
        with open(os.path.join(out, "index.html"), encoding="utf-8") as f:
            page = f.read()
        self.assertNotIn("\ufffd", page)
        self.assertIn("layers.0.mlp.output（stage 1，微步 1）", page.replace("<wbr/>", ""))

    def test_one_of_a_kind_is_no_plural(self):
        folder = os.path.join(self.folder, "tree", "May06_15-00-00-rank0-0c77d1e0")
        os.makedirs(folder)
        with open(os.path.join(folder, "grad_reduced_0-0.csv"), "w") as out:
            out.write("vpp_stage,name,step,norm\n0,layers.0.weight,0,1.5\n")
        code, lines = run("monitor", os.path.dirname(folder), "-o", self.out)
        self.assertEqual((code, lines[-1]), (0, "QUIET     1 rank x 1 step, 1 name: no alarm"))
        self.assertTrue(lines[0].startswith("read 1 file, "), lines)

    def test_rules_of_a_configuration_beside_the_data_are_used(self):
        tree = self.tree(change=lambda r, n, s, v: v * 1.4 if (r, n, s) == (0, NAMES[1], 9) else v)
        self.assertEqual(run("monitor", tree, "-o", self.out, "--format", "json")[0], 0)
        with open(os.path.join(tree, "config.json"), "w") as f:
            json.dump({"alert": {"rules": [{"rule_name": "AnomalyTurbulence", "args": {"threshold": 0.2}}]}}, f)
        self.assertEqual(run("monitor", tree, "-o", self.out, "--format", "json")[0], 1)
        self.assertEqual({(a["rule"], a["step"]) for a in self.summary()["alarms"]}, {("AnomalyTurbulence", 9)})

    def test_a_bad_row_makes_the_verdict_partial(self):
        tree = self.tree()
        with open(os.path.join(tree, "May06_15-00-00-rank0-0c77d1e0", "grad_reduced_0-9.csv"), "a") as f:
            f.write("0,only,three\n")
        code, lines = run("monitor", tree, "-o", self.out, "--format", "json")
        self.assertEqual(code, 4)
        self.assertTrue(lines[-1].startswith("PARTIAL QUIET"))
        problem = self.summary()["problems"][0]
        self.assertEqual((problem["line"], problem["count"]), (92, 1))

    def test_wrong_calls_have_their_exit_codes(self):
        tree = self.tree()
        blocked = os.path.join(self.folder, "file")
        open(blocked, "w").close()
        self.assertEqual(run("monitor")[0], 2)
        self.assertEqual(run("monitor", tree, "--no-such-option")[0], 2)
        self.assertEqual(run("monitor", os.path.join(self.folder, "nothing"), "-o", self.out)[0], 3)
        self.assertEqual(run("monitor", blocked, "-o", self.out)[0], 3)
        self.assertEqual(run("monitor", tree, "-o", os.path.join(blocked, "out"))[0], 5)

    def test_the_same_bytes_for_any_threads_locale_and_time_zone(self):
        tree = self.tree(change=lambda r, n, s, v: v * 4 if (r, s) == (2, 30) else v)
        settings = [("1", {}), ("7", {"LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Shanghai"})]
        outs = []
        for jobs, environment in settings:
            outs.append(os.path.join(self.folder, "jobs" + jobs))
            env = dict({"LC_ALL": "C"}, **environment)
            done = subprocess.run([VERNIER, "monitor", tree, "-o", outs[-1], "--jobs", jobs, "--lang", "en", "--format",
                                   "html,md,json,csv,svg,xlsx,tensorboard"], env=dict(os.environ, **env), stderr=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 1)
        for folder, _, files in os.walk(outs[0]):
            for name in files:
                first = os.path.join(folder, name)
                with open(first, "rb") as f, open(first.replace(outs[0], outs[1]), "rb") as g:
                    self.assertEqual(f.read(), g.read(), name)

    def test_event_files_hold_the_numbers_of_the_files(self):
        tree = self.tree(ranks=2, steps=12, change=lambda r, n, s, v: math.nan if (r, n, s) == (1, NAMES[2], 7) else v)
        run("monitor", tree, "-o", self.out, "--format", "tensorboard")
        for rank in range(2):
            folder = os.path.join(self.out, "tensorboard", "rank%d" % rank, "grad_reduced")
            names = os.listdir(folder)
            self.assertEqual(len(names), 1)
            self.assertIn("tfevents", names[0])
            points = events(os.path.join(folder, names[0]))
            count = 0
            for path in sorted(os.listdir(tree)):
                if "rank%d-" % rank not in path:
                    continue
                for name in os.listdir(os.path.join(tree, path)):
                    with open(os.path.join(tree, path, name)) as f:
                        for row in csv.DictReader(f):
                            for op in ("norm", "mean", "max"):
                                got = points["vp%s:%s/%s" % (row["vpp_stage"], row["name"], op), int(row["step"])]
                                self.assertTrue(near(float(row[op]), got))
                                count += 1
            self.assertEqual(count, len(points))

    def test_the_gradient_probe_alarms_by_the_rule_of_its_manual(self):
        similar = {"layers.0.weight": (0.99, 0.985, 0.95), "layers.1.weight": (0.96, 0.97, 0.98), "summary": (0.98, 0.98, 0.97)}
        for step in range(3):
            self.write("probe/rank0/grad_summary_%d.csv" % step, "param_name,=0,max,min,norm,shape\n" + "".join(
                '%s,0.002,0.08,-0.08,%g,"[8, 8]"\n' % (name, 0.1 + step / 10) for name in ("layers.0.weight", "layers.1.weight")))
        self.write("probe/compare/rank0/similarities.csv", "step,0,1,2\n" + "".join(
            "%s,%s\n" % (name, ",".join(map(str, values))) for name, values in similar.items()))
        code, lines = run("monitor", self.path("probe"), "-o", self.out, "--format", "json,svg,csv")
        summary = self.summary()
        self.assertEqual((code, lines[-1]), (1, "ALARM     2 alarms; first: gradient direction of layers.1.weight agrees by 0.960 only, "
                                                "step 0, rank 0 of probe/compare"))
        self.assertEqual([(alarm["rule"], alarm["name"], alarm["step"], alarm["value"], alarm["history"]) for alarm in summary["alarms"]],
                         [("GradSimilarity", "layers.1.weight", 0, 0.96, None), ("GradSimilarity", "layers.0.weight", 2, 0.95, 0.985)])
        self.assertEqual([(one["name"], one["types"], one["series"], one["rows"]) for one in summary["runs"]],
                         [("probe", ["grad_summary"], 2, 6), ("probe/compare", ["similarity"], 3, 9)])
        run("monitor", self.path("probe"), "-o", self.out, "--format", "json", "--step", "0-1", "--rank", "0")
        self.assertEqual([alarm["name"] for alarm in self.summary()["alarms"]], ["layers.1.weight"])
        self.assertEqual(run("monitor", self.path("probe"), "-o", self.out, "--rank", "5")[0], 3)

    def test_steps_that_one_run_lacks_as_a_whole_are_no_loss_of_a_series(self):
        trees = [self.tree(name, ranks=1, seed=3) for name in ("gpu", "npu")]
        for tree, part in zip(trees, ("10-19", "20-29")):
            for folder in os.listdir(tree):
                os.remove(os.path.join(tree, folder, "grad_reduced_%s.csv" % part))
        code, lines = run("monitor", *trees, "-o", self.out, "--format", "json")
        self.assertEqual((code, self.summary()["apart"], self.summary()["comparisons"][0]["series"]), (0, None, 9), lines)

    def test_two_runs_are_paired_and_their_ratio_found(self):
        golden = self.tree("gpu", ranks=2, seed=3)
        target = self.tree("npu", ranks=2, seed=3, prefix="module.decoder.",
                           change=lambda r, n, s, v: v * 1.7 if n == NAMES[4] and s >= 20 else v)
        code, lines = run("monitor", "gpu=" + golden, "npu=" + target, "-o", self.out, "--format", "json,svg")
        self.assertEqual(code, 1)
        self.assertEqual(lines[-1], "DIFFERS   norm of grad_reduced module.decoder.%s is 1.7x golden's from step 20 on; "
                         "1 of 9 names differ" % NAMES[4])
        apart = self.summary()["apart"]
        self.assertEqual((apart["names"], apart["compared"], apart["step"]), (1, 9, 20))
        found = self.summary()["comparisons"]
        self.assertEqual(len(found), 1)
        self.assertEqual((found[0]["golden"], found[0]["target"], found[0]["series"]), ("gpu", "npu", 18))
        self.assertAlmostEqual(found[0]["largest_ratio"], 1.7, places=5)
        self.assertEqual(found[0]["median_ratio"], 1)
        self.assertTrue(found[0]["name"].endswith(NAMES[4]))
        self.assertTrue(os.path.exists(os.path.join(self.out, "ratio-grad_reduced-norm.svg")))

    def test_a_picture_tells_no_alarm_of_a_run_that_has_none(self):
        golden = self.tree("gpu", ranks=2)
        apart = self.tree("apart", ranks=2, change=lambda r, n, s, v: v * 1.7 if n == NAMES[4] else v)
        alarms = self.tree("alarms", ranks=2, change=lambda r, n, s, v: math.nan if (r, n, s) == (1, NAMES[4], 20) else v)
        differs = "norm of grad_reduced %s is 1.7x golden's from step 0 on; 1 of 9 names differ" % NAMES[4]
        for target, of_golden, of_target in (
                (apart, "QUIET     no alarm in grad_reduced; " + differs, "DIFFERS   " + differs),
                (alarms, "QUIET     no alarm in grad_reduced; npu alarms at %s, rank 1, step 20" % NAMES[4], "ALARM     NaN in grad_reduced")):
            run("monitor", "gpu=" + golden, "npu=" + target, "-o", self.out, "--format", "svg")
            for name, title in (("gpu", of_golden), ("npu", of_target)):
                with open(os.path.join(self.out, "layers-grad_reduced-%s.svg" % name), encoding="utf-8") as file:
                    said = html.unescape(re.search("<title>([^<]*)", file.read()).group(1))
                self.assertIn("layer by step: " + title, said)

    def test_a_run_that_is_called_as_its_side_is_named_once_above_its_panel(self):
        golden, target = self.tree("golden", ranks=2), self.tree("target", ranks=2)
        run("monitor", golden, target, "-o", self.out, "--format", "svg")
        with open(os.path.join(self.out, "ratio-grad_reduced-norm.svg"), encoding="utf-8") as file:
            picture = file.read()
        self.assertEqual((picture.count(">golden</tspan>"), picture.count(">target</tspan>")), (1, 1))

    def test_runs_of_one_recipe_agree_and_a_norm_that_is_another_all_along_does_not(self):
        golden = self.tree("gpu", ranks=2, seed=3)
        for name, code, change in (("again", 0, lambda r, n, s, v: v), ("half", 1, lambda r, n, s, v: v / 2),
                                   ("tenth", 0, lambda r, n, s, v: v * 1.1)):
            got, lines = run("monitor", golden, self.tree(name, ranks=2, seed=4, change=change), "-o", self.out)
            self.assertEqual(got, code, lines)
            self.assertIn("0.50x golden's from step 0 on; 9 of 9" if code else "x golden's (median of 9 names)", lines[-1])

    def test_a_norm_that_is_noise_beside_the_others_is_not_held_against_golden(self):
        def noise(factor):
            return lambda r, n, s, v: 1e-8 * factor if n == NAMES[2] else v

        golden = self.tree("gpu", ranks=1, change=noise(1))
        got, lines = run("monitor", golden, self.tree("npu", ranks=1, change=noise(3)), "-o", self.out)
        self.assertEqual(got, 0, lines)

    def test_values_that_one_run_lost_make_a_comparison_partial(self):
        def lose(path, keeps):
            for folder, _, files in os.walk(path):
                for file in files:
                    with open(os.path.join(folder, file), encoding="utf-8") as f:
                        rows = f.readlines()
                    with open(os.path.join(folder, file), "w", encoding="utf-8") as f:
                        f.writelines(rows[:1] + [new for i, row in enumerate(rows[1:]) for new in keeps(i, row)])
            return path

        def blank(i, row):
            cells = row.split(",")
            return [",".join(cells[:3] + [""] + cells[4:])]

        golden = self.tree("gpu", ranks=2)
        for name, keeps, said in (("holes", lambda i, row: [row] if i % 7 else [], "are in one run only, at steps that both recorded"),
                                  ("late", lambda i, row: [row] if int(row.split(",")[2]) >= 20 else [], "20 of 40 steps are not compared"),
                                  ("early", lambda i, row: [row] if int(row.split(",")[2]) < 20 else [], "20 of 40 steps are not compared"),
                                  ("blank", blank, "no series of the two runs")):
            got, lines = run("monitor", golden, lose(self.tree(name, ranks=2), keeps), "-o", self.out)
            self.assertEqual(got, 4, lines)
            self.assertIn(said, "\n".join(lines))
            self.assertTrue(lines[-1].startswith("PARTIAL QUIET"), lines)
        got, lines = run("monitor", golden, self.tree("alone", ranks=1), "-o", self.out)
        self.assertEqual(got, 0, lines)
        self.assertIn("gpu alone has 1 rank: 1", "\n".join(lines))

    def test_rows_without_a_number_are_no_quiet_ones(self):
        def only(keeps, name):
            path = self.tree(name, ranks=2)
            for folder, _, files in os.walk(path):
                for file in files:
                    with open(os.path.join(folder, file), encoding="utf-8") as f:
                        rows = f.readlines()
                    with open(os.path.join(folder, file), "w", encoding="utf-8") as f:
                        f.writelines(rows[:1] + [row if keeps(folder, row) else ",".join(row.split(",")[:3]) + ",,None,,,\n" for row in rows[1:]])
            return path

        got, lines = run("monitor", only(lambda folder, row: False, "none"), "-o", self.out)
        self.assertEqual((got, "holds a number" in lines[-1]), (3, True), lines)
        for name, keeps, said in (("rank", lambda folder, row: "rank0" in folder, "of 720 rows 360 without a number"),
                                  ("layer", lambda folder, row: NAMES[3] not in row, "of 720 rows 80 without a number"),
                                  ("late", lambda folder, row: int(row.split(",")[2]) < 30, "of 720 rows 180 without a number")):
            got, lines = run("monitor", only(keeps, name), "-o", self.out)
            self.assertEqual((got, said in "\n".join(lines), lines[-1][:13]), (4, True, "PARTIAL QUIET"), lines)

    def test_two_runs_without_enough_values_at_common_steps_are_not_held_against_each_other(self):
        golden = self.tree("gpu", ranks=1, steps=4)
        got, lines = run("monitor", golden, self.tree("npu", ranks=1, steps=4), "-o", self.out)
        self.assertEqual((got, lines[-1][:13]), (4, "PARTIAL QUIET"), lines)
        self.assertIn("the runs are not compared with each other", "\n".join(lines))

    def test_a_run_without_a_role_beside_the_target_is_golden(self):
        golden = self.tree("gpu", ranks=1, seed=3)
        half = self.tree("npu", ranks=1, seed=4, change=lambda r, n, s, v: v / 2)
        for words in ([golden, half], [golden, "-t", half], ["-t", half, golden], [half, "-g", golden], ["-t", half, "-g", golden]):
            _, lines = run("monitor", *words, "-o", self.out)
            self.assertRegex(lines[-1], r"is 0\.(49|50|51)x golden's")

    def test_what_is_asked_for_and_not_there_is_told_with_what_is(self):
        base = self.tree(ranks=2)
        for words, told in ((("--stat", "local_norm"), "there are norm, mean, max"), (("--type", "loss"), "there are types grad_reduced; ranks 0, 1"),
                            (("--series", "local_norm"), "did you mean --stat?")):
            code, lines = run("monitor", base, *words, "-o", self.out)
            self.assertEqual((code in (2, 3), told in lines[-1]), (True, True), lines)

    def test_steps_that_only_golden_has_are_columns_too(self):
        golden = write_tree(os.path.join(self.folder, "golden"), ranks=1, steps=40)
        target = write_tree(os.path.join(self.folder, "target"), ranks=1, steps=20)
        run("monitor", golden, target, "-o", self.out, "--format", "svg")
        with open(os.path.join(self.out, "ratio-grad_reduced-norm.svg"), encoding="utf-8") as f:
            text = f.read()
        self.assertIn(">39<", text)

    def test_what_only_one_run_has_is_marked_missing_and_named(self):
        def without(path, name, other):
            for folder, _, files in os.walk(path):
                for file in files:
                    with open(os.path.join(folder, file), encoding="utf-8") as f:
                        text = f.read()
                    with open(os.path.join(folder, file), "w", encoding="utf-8") as f:
                        f.write(text.replace(",%s," % name, ",%s," % other))

        golden, target = self.tree("gpu", ranks=2, steps=20), self.tree("npu", ranks=2, steps=20)
        without(target, NAMES[5], "layers.9.mlp.router.weight")
        run("monitor", "gpu=" + golden, "npu=" + target, "-o", self.out, "--format", "json,svg,md")
        found = [(m["run"], m["type"], m["name"], m["names"], m["ranks"]) for m in self.summary()["only_in_one_run"]]
        self.assertEqual(found, [("gpu", "grad_reduced", NAMES[5], 1, 2),
                                 ("npu", "grad_reduced", "layers.9.mlp.router.weight", 1, 2)])
        with open(os.path.join(self.out, "ratio-grad_reduced-norm.svg"), encoding="utf-8") as f:
            text = f.read()
        for words in ("missing in the target", "missing in golden", "no partner", NAMES[5] + ", only in gpu"):
            self.assertIn(words, text)
        with open(os.path.join(self.out, "summary.md"), encoding="utf-8") as f:
            self.assertIn("Only in one run", f.read())

    def test_the_workbook_has_its_sheets(self):
        run("monitor", self.tree(ranks=1, steps=10), "-o", self.out, "--format", "xlsx")
        with zipfile.ZipFile(os.path.join(self.out, "monitor.xlsx")) as book:
            text = book.read("xl/workbook.xml").decode()
        for sheet in ("Alarms", "Runs", "Series", "Values", "Rules"):
            self.assertIn('name="%s"' % sheet, text)

    def test_redaction_leaves_the_folders_out(self):
        tree = self.tree(change=lambda r, n, s, v: v * 4 if (r, s) == (2, 30) else v)
        run("monitor", tree, "-o", self.out, "--redact", "--format", "html,md,json,csv,svg")
        for name in os.listdir(self.out):
            with open(os.path.join(self.out, name), encoding="utf-8") as f:
                self.assertNotIn(self.folder, f.read(), name)
        self.assertEqual(self.summary()["runs"][0]["name"], "run1")

    def test_steps_ranks_and_types_are_chosen(self):
        code, _ = run("monitor", self.tree(), "-o", self.out, "--format", "json", "--step", "3-5,9", "--rank", "1,3")
        self.assertEqual(code, 0)
        run_ = self.summary()["runs"][0]
        self.assertEqual((run_["ranks"], run_["steps"]), ([1, 3], [3, 9]))
        self.assertEqual(run("monitor", os.path.join(self.folder, "tree"), "-o", self.out, "--type", "actv")[0], 3)


EXPERTS = os.path.join(program.SAMPLES, "experts", "make-experts.py")
INSPECT = os.path.join(program.SAMPLES, "inspect", "make-inspect.py")


class InspectLogs(Case):
    """Statistics logs of NVIDIA-DL-Framework-Inspect, a statistic a line."""

    def make(self, *options):
        subprocess.run([sys.executable, INSPECT, self.path("runs"), *options], check=True)

    def monitor(self, *arguments):
        code, lines = run("monitor", *(self.path("runs", name) for name in arguments), "--format", "json,xlsx", "-o", self.out)
        with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as file:
            return code, lines, json.load(file)

    def test_the_layer_that_was_planted_is_named_whatever_the_layout(self):
        for options in ([], ["--each-rank"]):
            self.make(*options)
            code, lines, _ = self.monitor("golden", "target")
            self.assertEqual(code, 1)
            self.assertIn("norm of wgrad decoder.2.mlp.linear_fc2 3.9x its history, step 30, rank 0 of target", lines[-1])
            self.assertEqual(self.monitor("golden")[0], 0)
            shutil.rmtree(self.path("runs"))

    def test_objects_types_and_statistics_are_told_apart(self):
        folder = "runs/log/nvdlfw_inspect_statistics_logs/"
        lines = ["INFO - m.weight_net_weight_max \t iteration=%06d \t value=%.4f\nother text iteration=3\n"
                 "INFO - m.weight_net_weight_cur_amax \t iteration=%06d \t value=%.4f\n" % (i, 1 + i / 10, i, 2 + i / 10) for i in range(30)]
        lines.append("INFO - m.weight_net_weight_max \t iteration=000031 \t value=many\n")
        lines.append("INFO - m.weight_net_weight_max \t iteration=000032 \t value=9")
        self.write(folder + "nvdlfw_inspect_globalrank-3.log", "".join(lines))
        code, lines, summary = self.monitor("log")
        self.assertEqual(code, 4)
        self.assertIn("PARTIAL QUIET", lines[-1])
        said = "\n".join(lines)
        self.assertIn("globalrank-3.log:91: 1 cell is no number", said)
        self.assertIn("1 rank x 30 steps, 1 name", said)
        found = summary["runs"][0]
        self.assertEqual((found["ranks"], found["types"], found["names"], found["series"]), ([3], ["weight"], 1, 2))

    def test_what_four_decimals_round_away_is_no_alarm(self):
        rng = random.Random(5)
        text = "".join("INFO - a.fc_wgrad_l2_norm iteration=%06d value=%.4f\n" % (i, abs(rng.gauss(0.00012, 0.00002))) for i in range(200))
        self.write("runs/log/nvdlfw_inspect_statistics_logs/nvdlfw_inspect_globalrank-0.log", text)
        self.assertEqual(self.monitor("log")[0], 0)

    def test_a_log_alone_is_read_whatever_it_is_called_with_statistics_of_blocks(self):
        names = ["layers.%d.qkv_%s_%s" % (layer, tensor, stat) for layer in range(3) for tensor in ("activation", "gradient")
                 for stat in ("max_blockwise_dynamic_range_block_32_dim_1", "mxfp8_underflows%", "fp8_block_scaling_scale_inv_min")]
        text = "".join("INFO - %s \t\t iteration=%06d \t\t value=%.4f\n" % (
            name, step, (3.5 + step % 3 / 100) * (9 if (name, step) == (names[9], 20) else 1)) for step in range(30) for name in names)
        self.write("runs/nvdlfw_inspect_globalrank-2.log", text)
        self.write("runs/te.txt", text)
        for name, rank in (("nvdlfw_inspect_globalrank-2.log", 2), ("te.txt", 0)):
            code, lines, _ = self.monitor(name)
            self.assertEqual(code, 1)
            self.assertIn("max_blockwise_dynamic_range_block_32_dim_1 of gradient layers.1.qkv 9.0x its history, step 20, rank %d" % rank, lines[-1])

    def test_a_log_of_other_lines_is_refused_in_words(self):
        self.write("runs/log/nvdlfw_inspect_statistics_logs/nvdlfw_inspect_globalrank-0.log", "nothing of the kind\n")
        code, lines = run("monitor", self.path("runs/log"), "--format", "json", "-o", self.out)
        self.assertEqual(code, 3)
        self.assertIn("no line is a statistic", "\n".join(lines))


class Experts(Case):
    """samples/experts: the router hooks of msProbe's monitor, and torchao's quant_logger."""

    def monitor(self, *arguments):
        code, lines = run("monitor", *(self.path("runs", name) for name in arguments), "--format", "json", "-o", self.out)
        with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as file:
            return code, lines, json.load(file)

    def setUp(self):
        super().setUp()
        subprocess.run([sys.executable, EXPERTS, self.path("runs")], check=True)

    def test_a_router_that_collapses_is_named_in_one_run_and_in_two(self):
        self.assertEqual(self.monitor("router/golden")[0], 0)
        for runs in (["router/target"], ["router/golden", "router/target"]):
            code, lines, summary = self.monitor(*runs)
            self.assertEqual(code, 1, lines)
            self.assertEqual({(alarm["type"], alarm["name"], alarm["step"], alarm["ops"][0], alarm["rank"]) for alarm in summary["alarms"]}, {
                (hook, "layers.2.mlp.router", 20, metric, rank) for rank in (0, 1) for hook, metric in (
                    ("moe_router_weight_hook", "router_weight_similarity"), ("moe_router_logit_hook", "per_token_expert_entropy"))})

    def test_the_tensor_that_torchao_logged_larger_is_named(self):
        """A CSV by itself, and one a rank, whatever its name."""
        self.assertEqual(self.monitor("torchao/golden.csv")[0], 0)
        code, lines, summary = self.monitor("torchao/golden.csv", "torchao/target.csv")
        self.assertEqual((code, {(alarm["name"], alarm["step"]) for alarm in summary["alarms"]}),
                         (1, {("model.layers.2.mlp.experts.0.down_proj.linear.x", 20)}), lines)
        self.assertIn("max_abs of torchao model.layers.2.mlp.experts.0.down_proj.linear.x 4.1x its history, step 20, rank 0 of target.csv", lines[-1])
        for rank, side in enumerate(("golden", "target")):
            os.makedirs(self.path("runs", "each", "rank_%d" % rank))
            shutil.copy(self.path("runs", "torchao", side + ".csv"), self.path("runs", "each", "rank_%d" % rank, "any.csv"))
        self.assertEqual({alarm["rank"] for alarm in self.monitor("each")[2]["alarms"]}, {1})

    def test_logs_of_several_ranks_in_one_folder_have_the_ranks_of_their_names(self):
        def place(folder, **logs):
            os.makedirs(self.path("runs", folder))
            for name, side in logs.items():
                shutil.copy(self.path("runs", "torchao", side + ".csv"), self.path("runs", folder, name + ".csv"))
        place("both", a_rank0="target", a_rank1="golden")
        code, lines, summary = self.monitor("both")
        self.assertEqual((code, {alarm["rank"] for alarm in summary["alarms"]}), (1, {0}), lines)
        place("unnamed", a="golden", b="target")
        code, lines, _ = self.monitor("unnamed")
        self.assertEqual(code, 4, lines)
        self.assertIn("b.csv: a second log of rank 0: it is left out; name its rank (log_rank1.csv)", "\n".join(lines))

    def test_rows_of_torchao_that_do_not_fit_and_names_of_one_run_are_told(self):
        with open(self.path("runs", "torchao", "golden.csv"), encoding="utf-8") as file:
            rows = file.read().splitlines()
        self.write("runs/ragged.csv", "\n".join(rows[:4] + [row.rsplit(",", 1)[0] for row in rows[4:200]] + rows[200:]) + "\n")
        code, lines, _ = self.monitor("ragged.csv")
        self.assertEqual(code, 4, lines)
        self.assertIn("ragged.csv:5: 196 rows do not fit the header and are left out, from this line", "\n".join(lines))
        self.write("runs/less.csv", "\n".join(row for row in rows if ".3." not in row) + "\n")
        for lost, runs in ((4, ("torchao/golden.csv", "less.csv")), (0, ("less.csv", "torchao/golden.csv"))):
            code, lines, _ = self.monitor(*runs)
            self.assertEqual(code, lost, lines)
            self.assertIn("golden.csv alone has 2 names, first model.layers.3.", "\n".join(lines))
        code, lines, _ = self.monitor("torchao/golden.csv", "torchao/golden.csv")
        self.assertNotIn("alone has", "\n".join(lines))

    def test_other_rows_of_torchao_are_read_too(self):
        """Out of order, other columns, names in quotes, numbers that are none; and a table without rows."""
        head, rows = "extra,op,fqn,counter_val,avg,tag,max_abs\n", []
        for step in range(30):
            rows.append('"a,b",linear,"m ""x"", y",%d,0.5,w,%r\n' % (step, 1 + step / 100))
        rows.append(',linear,other,99,0,x,many\n')
        self.write("runs/t.csv", head + "".join(reversed(rows)))
        code, lines, summary = self.monitor("t.csv")
        self.assertEqual((code, summary["runs"][0]["steps"]), (4, [0, 29]), lines)
        self.write("runs/t.csv", head)
        code, lines = run("monitor", self.path("runs", "t.csv"))
        self.assertEqual(code, 3)
        self.assertIn("no tensor could be read", "\n".join(lines))


class Checklist(Case):
    def compare(self, golden, target):
        paths = [os.path.join(self.folder, name) for name in ("golden", "target")]
        for path, text in zip(paths, (golden, target)):
            with open(path, "w") as f:
                f.write(text)
        out = os.path.join(self.folder, "out")
        code, lines = run("checklist", *paths, "-o", out)
        summary = None
        if os.path.exists(os.path.join(out, "summary.json")):
            with open(os.path.join(out, "summary.json")) as f:
                summary = json.load(f)
        return code, lines[-1], summary

    def test_a_difference_is_named_and_exits_1(self):
        code, verdict, summary = self.compare("--seed 7 --adam-beta2 0.95 --num-layers 2\n", "seed: 7\nbetas: [0.9, 0.999]\nnum_layers: 2\n")
        self.assertEqual(code, 1)
        self.assertEqual(verdict, "DIFFERS   1 setting differs: beta2 0.95 / 0.999; 2 equal; on one side only: 1; "
                                  "values that the checklist advises against: 0")
        self.assertEqual([m["key"] for m in summary["mismatch"]], ["beta2"])
        self.assertEqual(summary["equal"], len(summary["equal_pairs"]))

    def test_equal_configurations_exit_0(self):
        self.assertEqual(self.compare("--seed 7\n", "seed: 7\n")[0], 0)

    def test_nothing_in_common_is_not_compared(self):
        for golden in ("--seed 7\n", "hidden_dropout: 0.1\n"):  # one of them is advised against
            code, verdict, summary = self.compare(golden, "hidden_size: 64\n")
            self.assertEqual((code, summary["status"]), (3, "no data"))
            self.assertTrue(verdict.startswith("NOT COMPARED"))

    def test_seeds_of_64_bits_are_told_apart_to_the_last_digit(self):
        self.assertEqual(self.compare("seed: 18446744073709551615\n", "seed: 18446744073709551614\n")[0], 1)
        self.assertEqual(self.compare("seed: 9007199254740993\n", "seed: 9007199254740993\n")[0], 0)
        self.assertEqual(self.compare("seed: 100000000000000000000\n", "seed: 1e20\n")[0], 0)

    def test_a_file_without_settings_is_refused(self):
        self.assertEqual(self.compare("nothing here\n", "seed: 7\n")[0], 3)

    def test_tables_are_read_whatever_the_file_is_called(self):
        for head in ("[training]", "[[groups]]  # of parameters", "[Model-2]"):
            code, verdict, _ = self.compare(head + "\nseed = 7\nnum_layers = 2\n", "seed: 7\nnum_layers: 2\n")
            self.assertEqual((code, verdict[:6]), (0, "AGREES"), head)
        for text in ("[true]", "[{}]", '["seed"]', "[1, 2]"):
            self.assertIn("no setting", " ".join(run("checklist", self.write("a", text), self.write("b", "seed: 7\n"))[1]), text)

    def test_a_folder_is_told_to_be_one(self):
        code, lines = run("checklist", self.folder, self.folder)
        self.assertEqual((code, lines[-1]), (3, "vernier: error: %s: this is a folder: name the file of the settings in it" % self.folder))

    def test_a_file_against_itself_says_that_nothing_else_was_compared(self):
        one, other = self.write("a", "seed: 7\n"), self.write("b", "seed: 7\n")
        for target, same in ((one, True), (other, False)):
            code, lines = run("checklist", one, target, "-o", self.path("out.json"))
            self.assertEqual((code, "golden and target are the same: nothing else was compared" in "\n".join(lines)), (0, same))


if __name__ == "__main__":
    main()
