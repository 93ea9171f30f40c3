#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages of pictures, --focus, --templates, and machines without fonts.

VERNIER names the program, SAMPLES the folder of samples.
"""
import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "browser"))
import scale_pair

from program import Case, SAMPLES, VERNIER, main

GPT = [os.path.join(SAMPLES, "gpt", side) for side in ("golden", "target")]
NO_FONT = "<fontconfig></fontconfig>"
ONE_FONT = ("<?xml version='1.0'?><!DOCTYPE fontconfig SYSTEM 'fonts.dtd'><fontconfig>"
            "<dir>/usr/share/fonts/truetype/dejavu</dir></fontconfig>")


class Pictures(Case):
    def run_it(self, *arguments, **environment):
        env = dict(os.environ, LC_ALL="C", NO_COLOR="1", **environment)
        done = subprocess.run([VERNIER, *arguments], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.returncode, (done.stderr + done.stdout).decode()

    def compare(self, *more, sides=GPT, **environment):
        return self.run_it("compare", *sides, *more, **environment)

    def read(self, name):
        with open(os.path.join(self.out, name), encoding="utf-8") as file:
            return file.read()

    def test_every_error_that_a_picture_shows_stands_in_the_tables(self):
        for sample in ("gpt", "ranks"):
            sides = [os.path.join(SAMPLES, sample, side) for side in ("golden", "target")]
            self.compare("-o", self.out, "--format", "svg,html,csv", sides=sides)
            page = self.read("index.html")
            self.assertIn("relative error", page)
            cells = set(re.findall(r"<td[^>]*>(?:<[^>]*>)*([^<]+)", page))
            picture = self.read("graph-step0-rank0.svg")
            self.assertIn("relative error", picture)
            shown = set(re.findall(r">(\d\.\d\de-\d\d|0\.\d{3,})<", picture))
            self.assertGreater(len(shown), 2)
            self.assertEqual(shown - cells, set())
            shutil.rmtree(self.out)

    def test_the_stripe_of_a_row_is_full_red_only_where_an_error_starts_in_it(self):
        self.compare("-o", self.out, "--format", "trace")
        trace = self.read("graph-step0-rank0.trace")
        stripes = dict((float(y), fill) for y, fill in re.findall(r"^box 32 (\S+) 6 \S+ fill=(\S+)", trace, re.M))
        rows = re.findall(r"^text \S+ (\S+) start 13 \S+ \"([^\"]+)\"", trace, re.M)
        heads = [stripes.get(float(y) - 13) for y, name in rows if name == "head"]
        self.assertEqual(heads, ["error.tint", "error.tint"])  # a warning starts in the second
        first = [stripes.get(float(y) - 13) for y, name in rows if name == "linear.8"]
        self.assertEqual(first, ["error.fill"])

    def test_the_dot_of_a_module_that_only_inherits_is_a_tint_though_an_op_in_it_is_missing(self):
        lacking = shutil.copytree(GPT[1], self.path("lacking"))
        dump = os.path.join(lacking, "step0", "rank0", "dump.json")
        with open(dump, encoding="utf-8") as file:
            whole = json.load(file)
        del whole["data"]["Tensor.__add__.1.backward"]
        with open(dump, "w", encoding="utf-8") as file:
            json.dump(whole, file)
        self.compare("-o", self.out, "--format", "trace", "--focus", "Tensor.__add__.1.backward", sides=[GPT[0], lacking])
        trace = self.read("graph-step0-rank0.trace")
        dots = dict((float(y), fill) for y, fill in re.findall(r"^box \S+ (\S+) 7.2 7.2 radius=3.6 fill=(error\S+)", trace, re.M))
        rows = [float(y) for y in re.findall(r'^text \S+ (\S+) start 13 \S+ "blocks.0"', trace, re.M)]
        self.assertEqual([fill for y in rows for at, fill in dots.items() if abs(at - y) < 10], ["error.tint"])

    def test_of_few_dumps_the_words_of_an_invariant_are_not_cut(self):
        self.run_it("check", GPT[0], "-o", self.path("check.svg"))
        with open(self.path("check.svg"), encoding="utf-8") as file:
            self.assertNotIn("…", re.sub(r"<title>[^<]*</title>", "", file.read()))

    def test_a_part_of_the_run_in_which_all_is_equal_takes_a_strip_of_the_profile(self):
        ranks = [os.path.join(SAMPLES, "ranks", side) for side in ("golden", "target")]
        self.compare("-o", self.out, "--format", "trace", sides=ranks)
        trace = self.read("profile-step0-rank0.trace")
        base = dict((name, float(y)) for y, name in
                    re.findall(r'^text 32 (\S+) start 15 ink "(Forward|Backward|After backward)"', trace, re.M))
        self.assertLess(base["Backward"] - base["Forward"], 100)
        self.assertLess(base["After backward"] - base["Backward"], 100)

    def test_a_label_of_the_profile_covers_no_mark(self):
        """Ops in a row of which the later ones differ more and more: marks on all sides of the first."""
        ops = [{}, {}]
        for i in range(120):
            for side in (0, 1):
                by = side * (i >= 60) * 10.0 ** (-6 + (i * 7 % 13) / 3)
                ops[side]["Torch.mul.%d.forward" % i] = self.call(self.tensor(1.0 + by * (i > 60)), self.tensor(2.0 + 2 * by))
        sides = [self.small_dump(name, dump) for name, dump in zip("gt", ops)]
        self.compare("-o", self.out, "--format", "trace", sides=sides)
        trace = self.read("profile-step0-rank0.trace")
        plates = re.findall(r"^box (\S+) (\S+) (\S+) (\S+) fill=paper opacity=0.85", trace, re.M)
        marks = [(float(x) + float(w) / 2, float(y) + float(h) / 2) for x, y, w, h in
                 re.findall(r"^box (\S+) (\S+) (\d(?:\.\d+)?) (\d(?:\.\d+)?) ", trace, re.M)]
        for path in re.findall(r"^path (.*) stroke=ink2 .*round", trace, re.M):
            marks += [(float(x), float(y)) for x, y in re.findall(r"M (\S+) (\S+)", path)]
        self.assertEqual(len(plates), 2)
        self.assertGreater(len(marks), 90)
        for x, y, w, h in (map(float, plate) for plate in plates):
            self.assertEqual([at for at in marks if x - 3 < at[0] < x + w + 3 and y - 3 < at[1] < y + h + 3], [])

    def test_of_many_ops_that_are_off_alike_the_first_is_named_and_the_others_are_counted(self):
        off = lambda i: 1 if i < 3 else 1.001 if i == 3 else -1
        ops = [{"Torch.mul.%d.forward" % i: self.call(self.tensor(1.0 + i), self.tensor((1.0 + i) * (off(i) if side else 1)))
                for i in range(20)} for side in (0, 1)]
        self.compare("-o", self.out, "--format", "svg", sides=[self.small_dump(name, dump) for name, dump in zip("gt", ops)])
        self.assertTrue("mul.4Torchlargest error, equal in 16 ops" in self.words("graph-step0-rank0.svg"))
        self.assertTrue([text for text in self.words("profile-step0-rank0.svg") if text.startswith("largest error, equal in 16 ops: ")])

    def test_a_picture_names_each_run_once_and_its_legend_only_what_is_drawn(self):
        top = self.path("a_folder_of_runs", "of_one_day")
        for side in GPT:
            shutil.copytree(side, os.path.join(top, os.path.basename(side)))
        sides = [os.path.join(top, os.path.basename(side)) for side in GPT]
        self.out = self.path("once")
        for view, name in (("boxes", "graph"), ("boxes", "card"), ("tree", "graph")):
            self.compare("--view", view, "--focus", "first-divergence", "-o", self.out, "--format", "svg", sides=sides)
            drawn = re.sub(r"(?s)<(title|desc)>.*?</\1>", "", self.read(name + "-step0-rank0.svg"))
            self.assertEqual(drawn.count("of_one_day"), 1, (view, name))
            self.assertIn("\u2026/target", drawn)
            if view == "boxes" and name == "graph":
                self.assertIn(">error, inherited<", drawn)
                self.assertNotIn("warning", drawn)
                self.assertNotIn("ghost", drawn)

    def test_no_picture_calls_equal_what_the_verdict_cannot(self):
        sides = []
        for i in range(2):
            ids = {"type": "torch.Tensor", "dtype": "torch.int64", "shape": [2, 16], "Max": 91, "Min": 0, "Mean": None, "Norm": None}
            out = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [4], "Max": 3.0, "Min": -4.0, "Mean": 0.5 + i, "Norm": 45.0 + i}
            sides.append(self.path("ids%d" % i))
            os.makedirs(os.path.join(sides[i], "step0", "rank0"))
            with open(os.path.join(sides[i], "step0", "rank0", "dump.json"), "w") as file:
                json.dump({"task": "statistics", "level": "L1", "framework": "pytorch", "data": {
                    "Functional.embedding.0.forward": {"input_args": [ids], "input_kwargs": {}, "output": [out]}}}, file)
        self.out = self.path("told")
        self.compare("-o", self.out, "--format", "svg", sides=sides)
        card, profile = (self.read(name + "-step0-rank0.svg") for name in ("card", "profile"))
        self.assertIn("the dumps record too little of", card)
        self.assertIn(">recorded: equal<", card)
        self.assertNotIn("bit for bit", card)
        self.assertIn("inputs equal where recorded, output", profile)

    def test_the_card_of_an_op_with_a_long_name_tells_its_parent(self):
        sides = []
        for i in range(2):
            cells = [{"type": "torch.Tensor", "dtype": "torch.float32", "shape": [4], "Max": v, "Min": v, "Mean": v, "Norm": v}
                     for v in (1.0, 1.0 + i)]
            op, parent = "Module.decoder.layers.7.%s.Linear.forward.0" % ("projection_" * 8), "Module.decoder.layers.7.Block.forward.0"
            sides.append(self.path("long%d" % i, "step0", "rank0"))
            os.makedirs(sides[i])
            for name, what in (("dump", {"task": "statistics", "level": "mix", "framework": "pytorch", "data": {
                    op: {"input_args": cells[:1], "input_kwargs": {}, "output": cells[1:]},
                    parent: {"input_args": cells[:1], "input_kwargs": {}, "output": cells[1:]}}}), ("construct", {op: parent, parent: None})):
                with open(os.path.join(sides[i], name + ".json"), "w") as file:
                    json.dump(what, file)
        self.out = self.path("long")
        self.compare("-o", self.out, "--format", "svg", sides=sides)
        card = re.sub(r"(?s)<title>.*?</title>", "", self.read("card-step0-rank0.svg"))
        self.assertIn("layers.7", re.search(r"<text[^>]*>(?:(?!</text>).)*\u203a.*?</text>", card).group(0))

    def test_the_picture_of_two_checkpoints_names_them(self):
        self.out = self.path("weights")
        sides = [os.path.join(SAMPLES, "study", side, "end.safetensors") for side in ("golden", "target")]
        self.compare("-o", self.out, "--format", "svg", sides=sides)
        self.assertIn("golden %s \u00b7 target \u2026/target/end.safetensors" % sides[0],
                      re.sub(r"<[^>]+>", "", self.read("weights.svg")))

    def test_the_disc_of_the_first_divergence_never_covers_its_mark(self):
        for error in (0.09, 0.06, 0.045, 0.03, 0.02, 0.015):
            ops = [{"Torch.mul.%d.forward" % i: self.call(self.tensor(1.0), self.tensor(1.0 + side * error * (i == 4)))
                    for i in range(9)} for side in (0, 1)]
            shutil.rmtree(self.out, ignore_errors=True)
            self.compare("-o", self.out, "--format", "trace", sides=[self.small_dump(name, dump) for name, dump in zip("gt", ops)])
            trace = self.read("profile-step0-rank0.trace")
            ring = re.search(r"^box (\S+) (\S+) 16 16 radius=8 stroke", trace, re.M)
            disc = re.search(r"^box (\S+) (\S+) 1[0-9.]+ 1[0-9.]+ radius=\S+ fill=error.text", trace, re.M)
            self.assertTrue(ring and disc, error)
            self.assertGreater(abs(float(ring.group(2)) - float(disc.group(2))), 12, error)

    def broken_target(self):
        """The target's numbers are NaN from a softmax on."""
        target = os.path.join(self.folder, "nan")
        shutil.copytree(GPT[0], target)
        path = os.path.join(target, "step0", "rank0", "dump.json")
        with open(path, encoding="utf-8") as file:
            dump = json.load(file)
        names = list(dump["data"])
        for name in names[names.index("Functional.softmax.1.forward"):]:
            for slot in dump["data"][name].get("output", []) + dump["data"][name].get("input_args", []):
                if isinstance(slot, dict) and isinstance(slot.get("Norm"), float):
                    slot.update(Max=float("nan"), Min=float("nan"), Mean=float("nan"), Norm=float("nan"))
        with open(path, "w", encoding="utf-8") as file:
            json.dump(dump, file)
        return target

    def test_where_nothing_is_a_number_the_profile_has_two_rims_and_no_empty_axis(self):
        self.compare("-o", self.out, "--format", "trace", sides=[GPT[0], self.broken_target()])
        trace = self.read("profile-step0-rank0.trace")
        base = dict((name, float(y)) for y, name in
                    re.findall(r'^text 32 (\S+) start 15 ink "(Forward|Backward|After backward)"', trace, re.M))
        self.assertLess(base["After backward"] - base["Backward"], 140)
        self.assertIn('"NaN or Inf"', trace)
        self.assertNotIn("floor 1", trace.split('"Forward"')[0])  # in the legend

    def test_the_legend_of_a_nan_names_no_mark_that_is_not_there(self):
        self.run_it("locate", self.broken_target(), "-o", self.out, "--format", "svg")
        told = self.words("locate-step0.svg")
        self.assertTrue([word for word in told if word.startswith("starts here, #40")], told)
        self.assertNotIn("arrived from another rank", told)
        self.assertNotIn("Inf becomes NaN", told)

    def test_a_title_breaks_no_name_where_it_can_break_between_words(self):
        self.run_it("monitor", os.path.join(SAMPLES, "monitor"), "-o", self.out, "--format", "trace")
        self.assertRegex(self.read("lines-grad_reduced.trace"), r'"layers\.1\.mlp\.linear_fc1\.weight[",]')

    def test_a_group_without_a_call_shows_the_worst_of_what_it_holds(self):
        self.run_it("graph", self.broken_target(), "-o", self.out, "--format", "trace")
        trace = self.read("graph-step0-rank0.trace")
        row = re.search(r'^text \S+ (\S+) start \S+ \S+ "clip_grad"', trace.split('"Hierarchy"')[1], re.M)
        chips = re.findall(r'^box \S+ (\S+) 13 13 fill=(\S+)|^box \S+ (\S+) \S+ \S+ fill=(overflow\.\S+)', trace, re.M)
        self.assertTrue(any(fill.startswith("overflow") and abs(float(y or 0) - float(row.group(1))) < 14
                            for pair in chips for y, fill in (pair[:2], pair[2:])), row.group(0))

    def test_every_picture_of_a_page_has_a_caption(self):
        sample = lambda *parts: os.path.join(SAMPLES, *parts)
        for arguments in (("compare", *GPT), ("graph", GPT[1]), ("check", GPT[1]), ("monitor", sample("monitor")),
                          ("curves", sample("curves", "golden.csv"), sample("curves", "target.csv")),
                          ("checklist", sample("config", "bench_pretrain.sh"), sample("config", "target_pretrain.yaml"))):
            self.run_it(*arguments, "-o", self.out, "--format", "html")
            page = self.read("index.html")
            figures = re.findall(r"<figure>.*?</figure>", page, re.DOTALL)
            self.assertTrue(figures)
            for figure in figures:
                self.assertRegex(figure, r"<figcaption>[^<]{20,}</figcaption>", arguments)

    def lacking_pair(self):
        """Golden has one op more; both construct.json list it."""
        sides = [os.path.join(self.folder, side) for side in ("whole", "less")]
        for side in sides:
            shutil.copytree(GPT[0], side)
        path = os.path.join(sides[1], "step0", "rank0", "dump.json")
        with open(path, encoding="utf-8") as file:
            dump = json.load(file)
        del dump["data"]["Tensor.__add__.7.forward"]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(dump, file)
        return sides

    def test_an_op_that_only_golden_recorded_is_drawn_on_its_side_though_both_hierarchies_name_it(self):
        sides = self.lacking_pair()
        self.compare("-o", self.out, "--format", "svg", sides=sides)
        tree = self.read("graph-step0-rank0.svg")
        self.assertIn("only in golden", tree)
        self.assertNotIn("only in target", tree)
        self.compare("-o", self.out, "--format", "svg", "--view", "boxes", "--focus", "first-divergence", sides=sides)
        boxes = self.read("graph-step0-rank0.svg")
        self.assertIn("no partner in target", boxes)
        self.assertEqual(boxes.count("only here"), 0 if "first divergence" in boxes else 1)

    def titles(self):
        out = {}
        for name in sorted(os.listdir(self.out)):
            if name.endswith(".svg"):
                out[name] = re.search(r"<title>([^<]*)</title>", self.read(name)).group(1)
        return out

    def check_titles(self, *arguments):
        """Of all pictures that a command makes; how many there are."""
        self.run_it(*arguments, "-o", self.out, "--format", "svg")
        titles = self.titles()
        self.assertEqual(len(set(titles.values())), len(titles), titles)
        for name in titles:
            with self.subTest(name, command=arguments[0]):
                shows = re.search(r"<desc>([^<]+)</desc>", self.read(name))
                self.assertTrue(shows, "what it shows is not told")
                self.assertNotIn(shows.group(1), titles[name])
                self.assertNotRegex(self.read(name), r"\d\.\d+e(\+00|-01)", "a number that tables write plain")
        shutil.rmtree(self.out)
        return len(titles)

    def test_every_picture_has_a_title_of_its_own_and_tells_what_it_shows(self):
        sample = lambda *parts: os.path.join(SAMPLES, *parts)
        ranks = [sample("ranks", side) for side in ("golden", "target")]
        tables = os.path.join(self.folder, "tables")
        self.compare("-o", tables, "--format", "csv", sides=ranks)
        log = self.write("norms.csv", "step,loss,grad_norm\n" + "".join(
            "%d,2.0,%.4f\n" % (step, 9 if step in (40, 90) else 1.2 + 4 * 0.9 ** step) for step in range(1, 121)))
        runs = self.many_runs(9, {})
        for least, *arguments in (
                (3, "compare", *GPT), (13, "compare", *ranks, "--all-pictures"), (6, "compare", ranks[0], ranks[0], "--all-pictures"),
                (1, "compare", *GPT, "--view", "boxes"), (1, "compare", "--runs", *GPT),
                (1, "compare", *(sample("study", side, "end.safetensors") for side in ("golden", "target"))),
                (4, "graph", ranks[1]), (1, "graph", GPT[1]), (1, "check", ranks[1]), (4, "monitor", sample("monitor")),
                (4, "monitor", "a=" + sample("monitor"), "b=" + sample("monitor")),
                (1, "checklist", sample("config", "bench_pretrain.sh"), sample("config", "target_pretrain.yaml")),
                (1, "curves", sample("curves", "golden.csv"), sample("curves", "target.csv")), (2, "curves", *runs),
                (2, "curves", *(sample("study", side, "step1.log") for side in ("golden", "target"))),
                (1, "advise", "skip", log), (2, "merge", tables), (4, "study", sample("study", "before.yaml"))):
            self.assertGreaterEqual(self.check_titles(*arguments), least, arguments)

    def test_a_picture_of_the_monitor_alarms_only_for_what_it_shows(self):
        self.run_it("monitor", os.path.join(SAMPLES, "monitor"), "-o", self.out, "--format", "svg")
        for name, title in self.titles().items():
            kind = re.sub(r"^(layers|lines|rank-layer|ranks)-", "", name[:-4])
            self.assertIn(kind, title)
            if "ALARM" in title:
                self.assertIn(kind, title.split("ALARM")[1])

    def test_of_many_runs_what_stands_out_is_in_colour_and_no_label_covers_another(self):
        for runs in (12, 30):
            files = []
            for run in range(runs):
                rows = "".join("%d,%.4f\n" % (step, 2 + 8 * 0.98 ** step + (step * 0.02 if run == 7 else run * 1e-3))
                               for step in range(1, 121))
                files.append(self.write("run%02d_lr%g_a_very_long_name_of_an_experiment.csv" % (run, 1e-4 * run),
                                        "step,loss\n" + rows))
            self.run_it("curves", *files, "-o", self.out, "--format", "svg")
            picture = self.read("curves.svg")
            self.assertIn("%d runs in grey" % (runs - 1), picture)
            self.assertIn(">run07_lr0.0007…", picture)
            self.assertNotIn(">run06_lr", re.sub(r"<title>[^<]*</title>", "", picture))
            shutil.rmtree(self.out)

    def many_runs(self, runs, strange):
        """Losses that fall alike; strange[run] says what becomes of one."""
        files = []
        for run in range(runs):
            rows = "".join("%d,%s\n" % (step, strange.get(run, lambda _, loss: "%.4f" % loss)(step, 2 + 8 * 0.98 ** step))
                           for step in range(1, 121))
            files.append(self.write("run%02d_of_an_experiment.csv" % run, "step,loss\n" + rows))
        return files

    def test_each_of_many_runs_has_a_panel_with_what_it_comes_to(self):
        files = self.many_runs(12, {7: lambda step, loss: "%.4f" % (loss + max(0, step - 60) * 0.05),
                                    4: lambda step, loss: "nan" if step > 80 else "%.4f" % loss})
        judged = ["-g", files[0]] + [word for file in files[1:] for word in ("-t", file)]
        self.run_it("curves", *judged, "-o", self.out, "--format", "svg,html")
        told = self.words("curves-runs.svg")
        for run in range(1, 12):
            said = told[told.index("run%02d…" % run) + 1]
            self.assertRegex(said, {7: r"^DIVERGESfrom step 6\d · \+2\.", 4: r"^OUTSIDEtolerance from step 81$"}.get(run, "^SAME0$"))
        self.assertNotIn("run00…", told)  # golden is what they differ from
        self.assertTrue("run01…" in self.read("index.html"))
        self.assertIn("9 runs in grey", self.words("curves.svg"))
        self.assertIn("2 of 11 targets beyond tolerance", " ".join(self.words("curves.svg")))
        shutil.rmtree(self.out)
        self.run_it("curves", *files, "-o", self.out, "--format", "svg")
        told = self.words("curves-runs.svg")
        self.assertEqual(told[told.index("run04…") + 1], "no number from step 81 on")
        self.assertRegex(told[told.index("run07…") + 1], r"^5\.\d+ at 120$")
        self.assertIn("highest in run07_of_an_experiment; no number at the end of 1 run: run04_of_an_experiment, from step 81 on",
                      re.search("<title>(.*?)</title>", self.read("curves-runs.svg")).group(1))

    def test_the_matrix_says_which_rank_alone_gave_a_communication_something_else(self):
        golden, target = (os.path.join(SAMPLES, "ranks", side) for side in ("golden", "target"))
        shutil.copytree(target, os.path.join(self.folder, "mended"))
        shutil.rmtree(os.path.join(self.folder, "mended", "step0", "rank3"))
        shutil.copytree(os.path.join(golden, "step0", "rank3"), os.path.join(self.folder, "mended", "step0", "rank3"))
        shutil.copytree(target, os.path.join(self.folder, "twice"))  # rank 3 gives what rank 2 gives
        shutil.rmtree(os.path.join(self.folder, "twice", "step0", "rank3"))
        shutil.copytree(os.path.join(target, "step0", "rank2"), os.path.join(self.folder, "twice", "step0", "rank3"))
        said = "only rank 2 has an input that differs; %d other ranks differ first in what they got from Distributed.all_reduce.3.forward"
        for side, words in ((target, said % 3), ("mended", said % 2), ("twice", None)):
            self.run_it("compare", golden, os.path.join(self.folder, side), "-o", self.out, "--format", "svg")
            told = self.words("overview.svg")
            self.assertTrue(words in told if words else not any("alone has" in text for text in told), told)

    def test_of_targets_that_leave_at_one_step_the_farthest_is_named(self):
        files = self.many_runs(6, {run: (lambda by: lambda step, loss: "%.4f" % (loss + (by if step > 60 else 0)))(by)
                                   for run, by in {1: 0.14, 2: -0.5, 3: 0.81, 4: 0.3}.items()})
        judged = ["-g", files[0]] + [word for file in files[1:] for word in ("-t", file)]
        _, said = self.run_it("curves", *judged, "-o", self.out, "--format", "svg")
        self.assertRegex(said, r"OUTSIDE +tolerance from step 61: the loss of run03_of_an_experiment stays \+0\.81 ")
        self.assertIn("4 of 5 targets beyond tolerance", " ".join(self.words("curves.svg")))

    def test_one_run_is_headed_by_what_is_seen_in_it(self):
        def said(name, change=lambda step, line: line, steps=200, sign=-1, **log):
            path = self.write(name + ".csv", "step,loss,grad_norm\n" + "".join(
                "%d,%s,%s\n" % (step, *change(step, ("%.4f" % (5 + sign * 0.01 * step + 0.01 * (step * 7 % 5)), "1.5")))
                for step in range(1, steps + 1)))
            self.run_it("curves", log.get("path", path), "-o", self.out, "--format", "svg,json")
            return " ".join(json.loads(self.read("summary.json"))["verdict"].split(":")[0].split()), self.read("curves.svg")

        spiky = lambda step, line: ("9.5", line[1]) if step in (120, 150, 180) else line
        self.assertEqual(said("calm")[0], "QUIET calm")
        verdict, picture = said("spiky", spiky)
        self.assertEqual(verdict, "SPIKES 3, first at step 120")
        self.assertIn(">spike<", picture)  # the legend of the rim has what is drawn
        self.assertNotIn(">checkpoint<", picture)
        self.assertEqual(said("nan", lambda step, line: ("nan", line[1]) if step == 17 else spiky(step, line))[0], "NaN at step 17")
        verdict, picture = said("inf", lambda step, line: (line[0], "inf") if step == 9 else line)
        self.assertEqual(verdict, "Inf at step 9 of the gradient norm")
        self.assertIn(">NaN or Inf<", picture)
        # Nothing is said of what is too short to be searched.
        self.assertEqual(said("short", steps=40)[0], "SHOWN short")
        self.assertEqual(said("rising", sign=1)[0], "RISES from 5.03 at step 1")
        skips = self.write("skips.log", "".join(
            " iteration %8d/    150 | consumed samples: %d | elapsed time per iteration (ms): 100.0 | learning rate: 1.0E-04 | "
            "global batch size: 8 | lm loss: %.6E | loss scale: 1.0 | grad norm: 1.0 | number of skipped iterations: %3d | "
            "number of nan iterations: 0 |\n" % (step, 8 * step, 5 - 0.01 * step, step in (40, 77)) for step in range(1, 151)))
        verdict, picture = said("unused", path=skips)
        self.assertEqual(verdict, "SKIPS 2, first at step 40")
        self.assertIn(">skipped<", picture)

    def test_a_run_that_broke_does_not_count_where_the_others_end(self):
        files = self.many_runs(4, {2: lambda step, loss: "nan" if step > 60 else "%.4f" % (loss + 1),
                                   3: lambda step, loss: "%.4f" % (loss + 0.5)})
        self.run_it("curves", *files, "-o", self.out, "--format", "svg")
        said = "the loss ends between 2.71 and 3.21, highest in run03_of_an_experiment; no number at the end of 1 run: run02"
        self.assertIn(said, re.search("<title>(.*?)</title>", self.read("curves.svg")).group(1))
        broken = [files[2], *(shutil.copy(files[2], os.path.join(self.folder, name)) for name in ("b.csv", "c.csv"))]
        _, said = self.run_it("curves", *broken, "-o", self.out + "-2", "--format", "svg")
        self.assertIn("no number at the end of 3 runs", said)

    def test_of_many_runs_whose_norms_end_apart_every_number_is_whole(self):
        files = []
        for run in range(40):
            far = {37: 1.2, 5: 0.8, 9: 0.6, 3: 0.4, 21: 0.9}.get(run, run * 1e-4)
            files.append(self.write("run-%02d-lr3e-4-of-an-experiment.csv" % run, "step,loss,grad_norm\n" + "".join(
                "%d,%.4f,%.4f\n" % (step, 2 + far, 0.3 + far) for step in range(100))))
        self.run_it("curves", *files, "-o", self.out, "--format", "svg")
        told = " ".join(self.words("curves.svg"))
        for number in ("1.500", "1.100", "0.9000", "0.7000", "1.200", "0.300 to 0.304"):
            self.assertRegex(told, r"(^|[^0-9.])%s( |$)" % re.escape(number))
        self.assertIn("35 runs in grey", told)

    def test_of_more_runs_than_fit_those_that_tell_most_have_panels(self):
        files = self.many_runs(60, {run: lambda step, loss, by=run: "%.4f" % (loss + by * 0.01) for run in range(60)})
        judged = ["-g", files[0]] + [word for file in files[1:] for word in ("-t", file)]
        self.run_it("curves", *judged, "-o", self.out, "--format", "svg")
        told = self.words("curves-runs.svg")
        self.assertIn("run59…", told)
        self.assertNotIn("run01…", told)
        self.assertIn("23 more runs are left out, ", " ".join(told))

    def test_lines_that_a_panel_has_no_room_for_are_counted_in_it_and_the_leading_one_is_drawn(self):
        files = self.many_runs(200, {run: lambda step, loss, by=run: "%.4f" % (loss + by * 0.01) for run in range(200)})
        judged = ["-g", files[0]] + [word for file in files[1:] for word in ("-t", file)]
        _, said = self.run_it("curves", *judged, "-o", self.out, "--format", "svg,json")
        picture = self.read("curves.svg")
        self.assertLess(len(picture), 300 << 10)
        for heading in ("Loss, target − golden", "Relative error, %"):
            panel = picture.split(">%s<" % heading)[1]
            left_out = int(re.search(r"(\d+) more lines are not drawn", panel).group(1))
            drawn = len(set(re.findall(r"<title>(run\d+_[^<]*)</title>", panel.split("Gradient norm")[0].split("Relative error")[0])))
            self.assertEqual(drawn + left_out, 199)
        leader = re.search(r"the loss of (run\d+)", said).group(1)
        self.assertIn("<title>%s_" % leader, picture.split(">Loss, target − golden<")[1].split("Relative error")[0])

    def test_few_runs_share_one_picture(self):
        self.run_it("curves", *self.many_runs(8, {}), "-o", self.out, "--format", "svg")
        self.assertNotIn("curves-runs.svg", os.listdir(self.out))

    def test_a_run_that_ends_in_the_warm_up_is_not_said_to_be_judged_after_it(self):
        rows = "".join("%d,2.0,%.4f\n" % (step, 9 + 40 * 0.95 ** step) for step in range(1, 301))
        log = self.write("norms.csv", "step,loss,grad_norm\n" + rows)
        self.run_it("advise", "skip", log, "--threshold", "3", "--count", "10", "-o", self.out, "--format", "svg")
        picture = self.read("skip.svg")
        self.assertIn("the run ends at step 10", picture)
        self.assertIn("within the warm-up", picture)
        self.assertNotIn("judged after", picture)
        self.assertRegex(picture, r">3(\.0+)?<")

    def words(self, name):
        """The texts of a picture, a line each."""
        return [re.sub(r"<[^>]*>", "", text) for text in re.findall(r"<text[^>]*>(?:<title>[^<]*</title>)?(.*?)</text>",
                                                                    self.read(name))]

    def small_dump(self, side, ops, rank=0, task="statistics"):
        self.write("%s/step0/rank%d/dump.json" % (side, rank),
                   json.dumps({"task": task, "level": "L1", "framework": "pytorch", "data": ops}))
        return os.path.join(self.folder, side)

    def tensor(self, value, **more):
        return dict({"type": "torch.Tensor", "dtype": "torch.float32", "shape": [4], "Max": value, "Min": value,
                     "Mean": value, "Norm": value}, **more)

    def call(self, given, result):
        return {"input_args": [given], "input_kwargs": {}, "output": [result]}

    def test_ranks_that_part_at_the_same_op_are_one_solid_column(self):
        for rank in range(24):
            ops = {"Tensor.add.%d.forward" % i: self.call(self.tensor(1.0), self.tensor(1.0)) for i in range(3)}
            golden = self.small_dump("g", ops, rank)
            ops["Tensor.add.1.forward"]["output"] = [self.tensor(1.0 + 0.001 * (rank + 1))]
            target = self.small_dump("t", ops, rank)
        self.compare("-o", self.out, "--format", "svg,trace", sides=[golden, target])
        told = self.words("overview.svg")
        self.assertIn("ranks 0–23", told)
        self.assertIn("add.1", told)
        self.assertNotIn("error, inherited", told)
        self.assertEqual(self.read("overview.trace").count("fill=error.tint"), 0)

    def test_a_rank_that_only_received_the_error_is_a_tint(self):
        ranks = [os.path.join(SAMPLES, "ranks", side) for side in ("golden", "target")]
        self.compare("-o", self.out, "--format", "trace", sides=ranks)
        self.assertIn("fill=error.tint", self.read("overview.trace"))

    def test_without_values_no_picture_speaks_of_bits_noise_or_errors(self):
        shape = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [4]}
        ops = {"Torch.relu.%d.forward" % i: self.call({"type": "float", "value": 0.5}, shape) for i in range(9)}
        golden = self.small_dump("g", ops, task="structure")
        ops["Torch.relu.5.forward"] = self.call({"type": "float", "value": 0.5}, dict(shape, dtype="torch.bfloat16"))
        target = self.small_dump("t", ops, task="structure")
        self.compare("-o", self.out, "--format", "svg,html", sides=[golden, target])
        self.assertNotIn("profile-step0-rank0.svg", os.listdir(self.out))
        told = "\n".join(self.words("graph-step0-rank0.svg"))
        self.assertIn("names, shapes and types agree", told)
        for word in ("bit for bit", "noise", "worst input", "without data;"):
            self.assertNotIn(word, told)
        self.assertIn("agrees in names, shapes and types; values were not compared", self.read("index.html"))

    def test_a_checksum_that_differs_under_an_equal_norm_is_no_peak(self):
        ops = {"Tensor.add.%d.forward" % i: self.call(self.tensor(1.0, md5="aa"), self.tensor(1.0, md5="aa"))
               for i in range(4)}
        golden = self.small_dump("g", ops)
        ops["Tensor.add.2.forward"]["output"] = [self.tensor(1.0, md5="bb")]
        target = self.small_dump("t", ops)
        self.compare("-o", self.out, "--format", "svg", sides=[golden, target])
        told = self.words("profile-step0-rank0.svg")
        self.assertNotIn("≠", told)

    def test_a_workbook_that_leaves_rows_out_is_not_said_to_hold_them_all(self):
        sides = scale_pair.write_pair(os.path.join(self.folder, "pair"), "noisy", 40000)
        self.compare("-o", self.out, "--format", "svg,html", sides=sides)
        self.assertNotIn("every row is in", self.read("graph-step0-rank0.svg") + self.read("index.html"))

    def test_a_weight_of_nan_is_called_so(self):
        linear = {"input_args": [self.tensor(1.0)], "input_kwargs": {}, "output": [self.tensor(1.0)],
                  "parameters": {"weight": [self.tensor(0.5)]}}
        golden = self.small_dump("g", {"Module.fc.Linear.forward.0": linear})
        broken = dict(linear, parameters={"weight": [self.tensor(float("nan"))]}, output=[self.tensor(float("nan"))])
        target = self.small_dump("t", {"Module.fc.Linear.forward.0": broken})
        self.compare("-o", self.out, "--format", "svg", sides=[golden, target])
        told = " ".join(self.words("graph-step0-rank0.svg"))
        self.assertIn("is NaN, golden has numbers", told)
        self.assertNotIn("Inf", told)

    def curves(self, *files):
        self.run_it("curves", *files, "-o", self.out, "--format", "svg")
        return self.read("curves.svg"), self.words("curves.svg")

    def test_the_label_of_a_line_tells_the_last_number_that_the_log_has(self):
        log = self.write("run.csv", "step,loss\n" + "".join("%d,%.4f\n" % (step, 3 + (step * 7 % 11) * 0.1) for step in range(1, 101)))
        self.assertIn("%.3f at 100" % (3 + (100 * 7 % 11) * 0.1), self.curves(log)[1])

    def test_names_of_runs_are_cut_to_what_differs_only_where_they_do_not_fit(self):
        for names, told in (("rate_%d-e5", "rate_7-e5"), ("run_of_a_sweep_with_a_name_too_long_rate_%d-e5", "…7…")):
            files = [self.write((names % run) + ".csv", "step,loss\n" + "".join(
                "%d,%.4f\n" % (step, 2 + 1 / step + (step * 0.1 if run == 7 else 0)) for step in range(1, 61))) for run in range(1, 11)]
            self.assertIn(told, self.curves(*files)[1])

    def test_the_step_from_which_one_side_is_no_number_has_a_disc_and_a_line(self):
        rows = [(step, "%.5f" % (2 + 8 * 0.98 ** step)) for step in range(1, 101)]
        golden = self.write("g.csv", "step,loss\n" + "".join("%d,%s\n" % row for row in rows))
        target = self.write("t.csv", "step,loss\n" + "".join("%d,%s\n" % (step, loss if step < 61 else "nan")
                                                             for step, loss in rows))
        picture, told = self.curves(golden, target)
        self.assertIn("no number on one side", told)
        self.assertIn("1", told)  # the disc
        self.assertGreater(picture.count('stroke="#A50F15"'), 2)  # the line through the panels
        empty = self.write("n.csv", "step,loss\n" + "".join("%d,nan\n" % step for step, _ in rows))
        told = " ".join(self.curves(golden, empty)[1])
        self.assertIn("at no step are both sides numbers", told)
        self.assertNotIn("over 0 steps", told)
        self.assertNotIn("decimals of the loss", told)

    def many_targets(self):
        """Golden and eleven targets with rates of their own, of which four leave it."""
        files = []
        for run in range(12):
            away = 0.01 if run in (3, 5, 7, 9) else 0
            rows = "".join("%d,%.5f,%.3f,%g\n" % (step, 2 + 8 * 0.97 ** step + away * (run + 1) * max(0, step - 60) + step * run % 7 * 1e-3,
                                                  1 + step * run % 5 * 0.1, 1e-4 * (run + 1)) for step in range(1, 201))
            files.append(self.write("run%02d.csv" % run, "step,loss,grad_norm,lr\n" + rows))
        return ["-g", files[0]] + [word for file in files[1:] for word in ("-t", file)]

    def test_of_many_targets_none_is_drawn_as_golden_is_and_no_label_loses_its_count(self):
        self.run_it("curves", *self.many_targets(), "-o", self.out, "--format", "trace")
        trace = self.read("curves.trace")
        black = re.findall(r'^text \S+ \S+ start \S+ (?:weight=\d+ )?golden "([^"]*)"', trace, re.M)
        self.assertEqual(set(black), {"run00"})
        self.assertRegex(trace, r'"\d+ (runs in )?grey"')
        self.assertNotRegex(trace, r'"\d+ \S*…')

    def test_what_cannot_be_told_has_no_mark_of_a_pass(self):
        rows = [(step, 2 + 8 * 0.97 ** step) for step in range(1, 201)]
        sides = [self.write(name + ".csv", "step,loss\n" + "".join("%d,%.6f\n" % (step, loss + by * (step % 7 - 3)) for step, loss in rows))
                 for name, by in (("g", 0), ("t", 1e-3))]
        self.run_it("curves", *sides, "-o", self.out, "--format", "trace,json")
        trace = self.read("curves.trace")
        self.assertIn('"CANNOT TELL"', trace)
        self.assertFalse("pass.fill" in trace)
        self.assertEqual(json.loads(self.read("summary.json"))["status"], "pass")

    def test_a_profile_of_checksums_is_two_rims(self):
        ops = [{"Torch.mul.%d.forward" % i: self.call(*(self.tensor(1.0, md5="%08x" % (i + 99 * side * (i >= at)))
                                                        for at in (9, 8))) for i in range(20)} for side in (0, 1)]
        for op in [op for side in ops for op in side.values()]:
            for cell in op["input_args"] + op["output"]:
                for stat in ("Max", "Min", "Mean", "Norm"):
                    del cell[stat]
        self.compare("-o", self.out, "--format", "trace", sides=[self.small_dump(name, dump) for name, dump in zip("gt", ops)])
        trace = self.read("profile-step0-rank0.trace")
        self.assertIn('"≠"', trace)
        self.assertLess(float(re.match(r'scene "profile" 1200 (\S+)', trace).group(1)), 400)

    def test_a_series_that_does_not_change_is_told_in_words(self):
        rows = "".join("%d,%.4f,1e-05,%s,2.5\n" % (step, 2 + 8 * 0.98 ** step, 0.5 if step < 50 else 0.25) for step in range(1, 101))
        log = self.write("run.csv", "step,loss,lr,loss_scale,grad_norm\n" + rows)
        told = self.curves(log)[1]
        self.assertIn("Learning rateconstant 1e-05", told)
        self.assertIn("Gradient normconstant 2.5", told)
        self.assertIn("Loss scalelog scale", told)  # the heading of a panel
        other = self.write("other.csv", "step,loss,lr,grad_norm\n" + "".join("%d,3,2e-05,2.5\n" % step for step in range(1, 101)))
        told = self.curves(log, other)[1]
        self.assertIn("Learning rateconstant: 1e-05 run · 2e-05 other", told)
        self.assertIn("Gradient normconstant 2.5", told)

    def test_a_difference_of_one_sign_has_all_of_the_height(self):
        for sign in (1, -1):
            sides = [self.write(name + ".csv", "step,loss\n" + "".join("%d,%.5f\n" % (step, 4 + by * step * 0.02) for step in range(1, 101)))
                     for name, by in (("g", 0), ("t", sign))]
            shutil.rmtree(self.out, ignore_errors=True)
            self.run_it("curves", *sides, "-o", self.out, "--format", "trace")
            part = self.read("curves.trace").split('"Loss, target − golden"')[1].split('"Relative error, %"')[0]
            ticks = [float(text.replace("−", "-")) for text in re.findall(r'^text \S+ \S+ end 11 ink\S* "([−\d.]+)"', part, re.M)]
            self.assertIn(0, ticks)
            self.assertEqual([tick for tick in ticks if tick * sign < 0], [])
            self.assertGreaterEqual(len(ticks), 3)

    def test_targets_of_both_signs_are_all_in_sight(self):
        sides = [self.write(name + ".csv", "step,loss\n" + "".join("%d,%.5f\n" % (step, 4 + by * step * 0.02) for step in range(1, 101)))
                 for name, by in (("g", 0), ("t0", -1.1), ("t1", 1))]
        self.run_it("curves", sides[0], *(word for path in sides[1:] for word in ("-t", path)), "-o", self.out, "--format", "trace")
        for heading, least in (("Loss, target − golden", 1), ("Relative error, %", 25)):
            part = self.read("curves.trace").split('"%s"' % heading)[1].split('"Relative error, %"')[0]
            ticks = [float(text.replace("−", "-")) for text in re.findall(r'^text \S+ \S+ end 11 ink\S* "([−\d.]+)"', part, re.M)]
            self.assertLessEqual(min(ticks), -least, heading)
            self.assertGreaterEqual(max(ticks), least, heading)

    def test_one_step_is_no_plural_and_digits_of_a_double_no_resolution(self):
        one = [self.write(name + ".csv", "step,loss\n1,%s\n" % loss) for name, loss in (("a", "2.5"), ("b", "2.6"))]
        self.assertIn("over 1 step ·", " ".join(self.curves(*one)[1]))
        full = self.write("f.csv", "step,loss\n" + "".join("%d,%r\n" % (i, 2 + 0.98 ** i) for i in range(1, 40)))
        told = " ".join(self.curves(full, full)[1])
        self.assertIn("The target prints the loss in full.", told)

    def test_an_iteration_that_the_log_calls_nan_is_counted_where_its_cross_stands(self):
        line = (" iteration %8d/      40 | consumed samples: %d | elapsed time per iteration (ms): 10.0 | learning rate: 1E-4 "
                "| global batch size: 8 | lm loss: %.6E | loss scale: 1.0 | grad norm: 1.000 "
                "| number of skipped iterations:   0 | number of nan iterations:   %d |\n")
        log = self.write("m.log", "".join(line % (i, 8 * i, 3 + 0.9 ** i, i == 21) for i in range(1, 41)))
        told = " ".join(self.curves(log)[1])
        self.assertIn("NaN 1", told)
        self.assertNotIn("NaN: 0", told)  # of the points, at the foot of the same picture

    def test_settings_on_one_side_have_one_count_in_head_chips_and_table(self):
        sides = [os.path.join(SAMPLES, "config", name) for name in ("bench_pretrain.sh", "target_pretrain.yaml")]
        self.run_it("checklist", *sides, "-o", self.out, "--format", "trace,md")
        head = int(re.search(r"on one side only: (\d+)", self.read("settings.trace")).group(1))
        chips = len(re.findall(r"^ *box .* hatch", self.read("settings.trace"), re.M))
        self.assertEqual(chips - 1, head)  # one more in the legend
        self.assertEqual(len(re.findall(r"(?m)^\| one side only", self.read("summary.md"))), head)

    def test_of_a_short_run_the_median_is_not_said_to_be_over_twenty_steps(self):
        short = os.path.join(self.folder, "short")
        shutil.copytree(os.path.join(SAMPLES, "monitor"), short,
                        ignore=lambda _, names: [name for name in names if re.search(r"_[12]0-\d+\.csv$", name)])
        self.run_it("monitor", short, "-o", self.out, "--format", "svg")
        told = "".join(self.read(name) for name in os.listdir(self.out) if name.endswith(".svg"))
        self.assertIn("median over all steps", told)
        self.assertNotIn("the first 20 steps", told)

    def test_a_dump_without_modules_is_folded_by_what_comes_again(self):
        calls = {}
        for i in range(40):
            for name in ("linear", "gelu", "add"):
                calls["Torch.%s.%d.forward" % (name, i)] = self.call(self.tensor(1.0), self.tensor(1.0 + i))
        self.run_it("graph", self.small_dump("g", calls), "-o", self.out, "--format", "svg")
        told = self.words("graph-step0-rank0.svg")
        self.assertIn("( linear.0 … add.0 ) ×403 calls each", told)
        self.assertIn("120", told)
        self.assertIn("[4] float32", told)
        self.assertLess(len(told), 60)
        self.assertNotIn("no overflow", told)  # nothing is, so no mark of it

    def test_repeats_show_the_range_of_what_differs_between_them(self):
        self.run_it("graph", GPT[1], "-o", self.out, "--format", "svg")
        told = self.words("graph-step0-rank0.svg")
        at = told.index("blocks.0 … blocks.3 ×4Block")
        self.assertEqual(told[at + 1:at + 6], ["108", "[2, 16, 64] float32", "199,936", "4.74–5.24", "64.8–67.6"])
        self.assertIn("−Inf of masks in 8 ops: healthy", told)

    def feeds(self, picture):
        return set(re.findall(r"<title>([^<→]+ → [^<]+)</title>", self.read(picture)))

    def test_lines_show_which_sibling_feeds_which_the_residuals_too(self):
        self.run_it("graph", GPT[1], "-o", self.out, "--format", "svg")
        feeds = self.feeds("graph-step0-rank0.svg")
        self.assertLessEqual({"tok → __add__.0", "pos → __add__.0", "ln_1 → attn", "attn → __add__.1", "__add__.1 → ln_2",
                              "__add__.1 → __add__.2", "mlp → __add__.2", "ln_f → head", "cross_entropy.0 → __truediv__.0"}, feeds)
        self.assertFalse({"ln_1 → mlp", "tok → pos", "attn → ln_2", "tok → head"} & feeds)

    def boxes_of(self, picture):
        """x, y, right, bottom of all boxes, without chips."""
        found = [tuple(map(float, box)) for box in
                 re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" rx', self.read(picture))]
        return [(x, y, x + width, y + height) for x, y, width, height in found]

    def test_the_boxes_of_a_dump_stand_in_each_other_and_arrows_go_where_the_lines_of_the_tree_go(self):
        self.run_it("graph", GPT[1], "-o", self.out, "--format", "svg")
        self.assertEqual(self.feeds("boxes-step0-rank0.svg"), self.feeds("graph-step0-rank0.svg"))
        boxes = self.boxes_of("boxes-step0-rank0.svg")
        told = self.words("boxes-step0-rank0.svg")
        self.assertEqual(len([word for word in told if word.startswith("blocks.0 … blocks.3 ×4")]), 1)
        self.assertNotIn("embedding.0Functional", told[:told.index("Backward139 ops")])  # the one call of `tok`, whose box says it
        inner = 0
        for i, a in enumerate(boxes):
            for b in boxes[i + 1:]:
                apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
                inside = a[0] < b[0] and b[2] < a[2] and a[1] < b[1] and b[3] < a[3]
                self.assertTrue(apart or inside, (a, b))
                inner += inside
        self.assertGreater(inner, 15)

    def test_a_box_of_calls_that_come_again_has_the_worst_level_in_it(self):
        calls = {}
        for i in range(40):
            worst = self.tensor(float("nan"), Norm=float("nan"))
            calls["Torch.linear.%d.forward" % i] = self.call(worst if i else self.tensor(1.0), worst)
            calls["Torch.gelu.%d.forward" % i] = self.call(worst, worst)
        self.run_it("graph", self.small_dump("g", calls), "-o", self.out, "--depth", "1", "--format", "svg")
        told = self.words("boxes-step0-rank0.svg")
        self.assertEqual([word for word in told if word in "MHC"][:3], ["C", "H", "H"])
        self.assertIn("( gelu.0 … linear.1 ) ×39", told)

    def test_constants_and_what_tells_no_values_feed_nothing(self):
        ops = {"Torch.ones.0.forward": self.call(self.tensor(1.0), self.tensor(0.5, Norm=1.0)),
               "Torch.relu.0.forward": self.call(self.tensor(0.5, Norm=1.0), self.tensor(0.25, Min=0.125)),
               "Torch.gelu.0.forward": self.call(self.tensor(0.25, Min=0.125), self.tensor(0.75, Min=0.5))}
        self.run_it("graph", self.small_dump("g", ops), "-o", self.out, "--format", "svg")
        self.assertEqual(self.feeds("graph-step0-rank0.svg"), {"relu.0 → gelu.0"})
        shutil.rmtree(self.out)
        shape = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [4]}
        ops = {"Torch.%s.0.forward" % name: self.call(shape, shape) for name in ("relu", "gelu")}
        self.run_it("graph", self.small_dump("s", ops, task="structure"), "-o", self.out, "--format", "svg")
        self.assertEqual(self.feeds("graph-step0-rank0.svg"), set())
        self.assertNotIn("feeds", self.words("graph-step0-rank0.svg"))

    def test_the_ranks_under_merged_metrics_are_told_in_even_steps(self):
        one = os.path.join(self.folder, "one", "rows-step0-rank0.csv")
        self.compare("-o", os.path.dirname(one), "--format", "csv")
        os.makedirs(os.path.join(self.folder, "tables"))
        for rank in range(64):
            shutil.copy(one, os.path.join(self.folder, "tables", "rows-step0-rank%d.csv" % rank))
        self.run_it("merge", os.path.join(self.folder, "tables"), "-o", self.out, "--format", "trace")
        row = re.findall(r'^text (\S+) (\S+) middle 11 ink2 "(\d+)"', self.read("rank-metrics.trace"), re.M)
        at = [float(x) for x, y, number in row if y == row[0][1]][:-1]  # the last rank is told in any case
        steps = [b - a for a, b in zip(at, at[1:])]
        self.assertGreater(len(steps), 10)
        self.assertLess(max(steps) - min(steps), 1, steps)

    def test_merged_metrics_stand_in_their_cells_as_numbers(self):
        ranks = [os.path.join(SAMPLES, "ranks", side) for side in ("golden", "target")]
        tables = os.path.join(self.folder, "tables")
        self.compare("-o", tables, "--format", "csv", sides=ranks)
        self.run_it("merge", tables, "-o", self.out, "--format", "svg")
        told = self.words("rank-metrics.svg")
        numbers = [text for text in told if re.match(r"^\d\.\d\de[-+]\d\d$|^\d+\.\d+$", text)]
        self.assertEqual(len(numbers), 4 * 8, told)  # four ranks, eight metrics

    def test_a_tree_that_is_longer_than_a_page_becomes_pages_in_every_format(self):
        sides = scale_pair.write_pair(os.path.join(self.folder, "pair"), "noisy", 4000)
        code, said = self.compare("-o", self.out, "--depth", "5", "--format", "svg,png,pdf,html", sides=sides)
        self.assertEqual(code, 1, said)
        pages = sorted(name for name in os.listdir(self.out) if re.fullmatch(r"graph-step0-rank0.*\.svg", name))
        self.assertGreater(len(pages), 2)
        self.assertEqual(pages, sorted(["graph-step0-rank0.svg"] +
                                       ["graph-step0-rank0-%d.svg" % i for i in range(2, len(pages) + 1)]))
        for i, name in enumerate(["graph-step0-rank0.svg"] + ["graph-step0-rank0-%d.svg" % i for i in range(2, len(pages) + 1)]):
            text = self.read(name)
            self.assertLessEqual(len(text.encode()), 300000)
            self.assertTrue("part %d of %d" % (i + 1, len(pages)) in text)
            self.assertEqual("continued: " in text, i > 0)
            self.assertTrue(os.path.exists(os.path.join(self.out, name[:-4] + ".png")))
        self.assertTrue("part %d of %d" % (len(pages), len(pages)) in self.read("index.html"))
        with open(os.path.join(self.out, "graph-step0-rank0.pdf"), "rb") as file:
            self.assertEqual(len(re.findall(rb"/Type /Page\b", file.read())), len(pages))
        self.assertFalse(any(re.fullmatch(r"graph-.*-2\.pdf", name) for name in os.listdir(self.out)))

    def test_a_single_file_has_its_further_pages_beside_it(self):
        sides = scale_pair.write_pair(os.path.join(self.folder, "pair"), "noisy", 4000)
        os.makedirs(self.out)
        self.compare("-o", os.path.join(self.out, "bug.svg"), "--depth", "5", sides=sides)
        self.assertTrue({"bug.svg", "bug-2.svg", "bug-3.svg"} <= set(os.listdir(self.out)))

    def test_a_focus_that_no_node_fits_is_an_error_with_what_is_spelled_like_it(self):
        code, said = self.compare("-o", self.out, "--focus", "blocks.1.atn.qkv")
        self.assertEqual(code, 2)
        self.assertIn("no node is called 'blocks.1.atn.qkv'", said)
        self.assertIn("'blocks.1.attn.qkv'", said)
        self.assertFalse(os.path.exists(self.out))

    def test_templates_replace_page_script_style_theme_and_words(self):
        source = os.path.join(os.path.dirname(SAMPLES), "templates")
        own = os.path.join(self.folder, "own")
        os.makedirs(own)
        script = "// of the house\r\ndocument.title = 'house';\r\n"
        with open(os.path.join(own, "page.js"), "w", encoding="utf-8", newline="") as file:
            file.write(script)
        self.write("own/page.css", "body { --house: 1 }\n")
        with open(os.path.join(source, "vernier.theme"), encoding="utf-8") as file:
            theme = file.read()
        self.assertIn("#A50F15", theme)
        self.write("own/vernier.theme", theme.replace("#A50F15", "#123456"))
        with open(os.path.join(source, "page.html"), encoding="utf-8") as file:
            self.write("own/page.html", file.read().replace("<main>", "<main data-house='1'>"))
        with open(os.path.join(source, "words.zh"), encoding="utf-8") as file:
            self.write("own/words.zh", file.read().replace("en: Overview\nzh: 总览", "en: Overview\nzh: 鸟瞰"))
        code, said = self.compare("-o", self.out, "--templates", own, "--lang", "zh", "--format", "html,svg")
        self.assertEqual(code, 1, said)
        page = self.read("index.html")
        plain = script.replace("\r\n", "\n")
        digest = base64.b64encode(hashlib.sha256(plain.encode()).digest()).decode()
        self.assertTrue("<script>" + plain + "</script>" in page)
        self.assertTrue("script-src 'sha256-" + digest + "'" in page)
        self.assertTrue("--house: 1" in page)
        self.assertTrue("data-house='1'" in page)
        self.assertTrue("鸟瞰" in page)
        self.assertTrue("#123456" in self.read("graph-step0-rank0.svg"))

    def test_a_script_that_would_end_its_element_is_refused(self):
        own = os.path.dirname(self.write("own/page.js", "var a = '</script>';\n"))
        code, said = self.compare("-o", self.out, "--templates", own, "--format", "html")
        self.assertNotEqual(code, 1)
        self.assertIn("page.js", said)

    def test_without_any_font_the_pictures_are_drawn_and_it_is_said(self):
        conf = self.write("none.conf", NO_FONT)
        code, said = self.compare("-o", self.out, "--format", "png,svg", FONTCONFIG_FILE=conf)
        self.assertEqual(code, 1, said)
        self.assertIn("no font is installed", said)
        self.assertGreater(os.path.getsize(os.path.join(self.out, "graph-step0-rank0.png")), 10000)
        code, said = self.compare("-o", self.out, "--format", "svg,html", FONTCONFIG_FILE=conf)
        self.assertNotIn("font", said)

    def test_without_a_chinese_font_png_that_nobody_asked_for_is_left_out(self):
        conf = self.write("one.conf", ONE_FONT)
        code, said = self.compare("-o", self.out, "--lang", "zh", FONTCONFIG_FILE=conf)
        self.assertEqual(code, 1, said)
        self.assertIn("fonts-noto-cjk", said)
        self.assertFalse([name for name in os.listdir(self.out) if name.endswith(".png")])
        self.assertTrue("首个" in self.read("graph-step0-rank0.svg"))

    def test_without_a_chinese_font_png_that_was_asked_for_is_in_english(self):
        conf = self.write("one.conf", ONE_FONT)
        code, said = self.compare("-o", self.out, "--lang", "zh", "--format", "png,svg", FONTCONFIG_FILE=conf)
        self.assertEqual(code, 1, said)
        self.assertIn("in English", said)
        self.assertTrue("Divergence tree" in self.read("graph-step0-rank0.svg"))
        self.assertTrue(os.path.exists(os.path.join(self.out, "graph-step0-rank0.png")))


if __name__ == "__main__":
    main()
