#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No text of a picture lies over another, leaves its cell or the canvas: samples, the gallery, and generated extremes.

VERNIER names the program, SAMPLES the folder of samples.
"""
import glob
import json
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "browser"))
import svg_texts

from program import Case, SAMPLES, main, run

GPT = [os.path.join(SAMPLES, "gpt", side) for side in ("golden", "target")]
RANKS = [os.path.join(SAMPLES, "ranks", side) for side in ("golden", "target")]
NAMES = {"plain": "a_module", "cjk": "注意力机制的线性变换层" * 7 + "末尾层", "rtl": "שכבתהקשב" * 10,
         "latin": "MW_" * 26 + "MW"}


class Collisions(Case):
    def clean(self, *arguments):
        """In both languages: Chinese words have other widths."""
        for language in ("en", "zh"):
            self.clean_in(language, *arguments)

    def clean_in(self, language, *arguments):
        """Runs into a folder of its own and looks at every picture of it."""
        self.last = out = os.path.join(self.folder, "out%d" % len(os.listdir(self.folder)))
        code, _, told = run(*arguments, "-o", out, "--format", "svg", "--exit-zero", "-q", "--lang", language)
        self.assertLess(code, 5, told)
        pictures = glob.glob(os.path.join(out, "**", "*.svg"), recursive=True)
        self.assertTrue(pictures, told)
        for path in pictures:
            with self.subTest(picture=os.path.basename(path), command=" ".join(map(os.path.basename, arguments[:6])), language=language):
                self.assertEqual(svg_texts.collisions(path), [])

    def dump(self, name, ops, level="L1", task="statistics", construct=None):
        folder = self.path(name, "step0", "rank0")
        os.makedirs(folder)
        with open(os.path.join(folder, "dump.json"), "w", encoding="utf-8") as file:
            json.dump({"task": task, "level": level, "framework": "pytorch", "data": ops}, file, ensure_ascii=False)
        if construct:
            with open(os.path.join(folder, "construct.json"), "w", encoding="utf-8") as file:
                json.dump(construct, file, ensure_ascii=False)
        return self.path(name)

    def tensor(self, value, **more):
        return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [4, 4], "Max": value, "Min": value, "Mean": value,
                "Norm": value, **more}

    def modules(self, name, part, value, **more):
        """Three layers of a module with a long name; the values part from the second on."""
        ops, construct = {}, {}
        for layer in range(3):
            parent = "Module.%s.layers.%d.Block.forward.0" % (part, layer)
            for at in range(4):
                op = "Module.%s.layers.%d.%s%d.Linear.forward.0" % (part, layer, part, at)
                cell = self.tensor(value + (more.get("drift", 0) if layer else 0), **more.get("extra", {}))
                ops[op] = {"input_args": [cell], "input_kwargs": {}, "output": [cell]}
                construct[op] = parent
            construct[parent] = None
            ops[parent] = {"input_args": [self.tensor(value)], "input_kwargs": {}, "output": [self.tensor(value)]}
        return self.dump(name, ops, "mix", construct=construct)

    def test_the_detector_finds_what_collides(self):
        text = '<text x="%d" y="20" font-size="10">%s</text>'
        path = self.write("bad.svg", '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 40"><rect x="20" y="10" '
                          'width="30" height="12" stroke="#000"/>%s%s%s</svg>' % (text % (20, "a long label"),
                                                                                  text % (60, "b"), text % (95, "edge")))
        found = " ".join(svg_texts.collisions(path))
        self.assertIn("leaves the canvas", found)
        self.assertIn("lies over", found)
        self.assertIn("crosses the edge of a cell", found)

    def test_the_gallery_and_the_samples_are_free_of_collisions(self):
        images = os.path.join(svg_texts.ROOT, "docs", "images", "*.svg")
        for path in sorted(glob.glob(images)):
            self.assertEqual(svg_texts.collisions(path), [], path)
        for sides in (GPT, RANKS):
            self.clean("compare", *sides)
            self.clean("compare", *sides, "--view", "boxes")
            self.clean("graph", sides[1])
        self.clean("monitor", os.path.join(SAMPLES, "monitor"))
        self.clean("curves", *(os.path.join(SAMPLES, "curves", side + ".csv") for side in ("golden", "target")))

    def test_names_of_80_characters_in_any_script_collide_with_nothing(self):
        for script, part in NAMES.items():
            sides = [self.modules(script + "-g", part, 1.0), self.modules(script + "-t", part, 1.0, drift=0.1)]
            self.clean("compare", *sides)
            self.clean("compare", *sides, "--view", "boxes", "--focus", "first-divergence")
            self.clean("graph", sides[1])
            self.clean("locate", sides[1])
            rows = "".join("%d,%.4f\n" % (step, 9 * 0.9 ** step) for step in range(1, 50))
            runs = [self.write("%s%d.csv" % (part, i), "step,loss\n" + rows) for i in range(3)]
            self.clean("curves", *runs[:2])
            self.clean("curves", *runs)
            many = runs + [self.write("%s%d.csv" % (part, i), "step,loss\n" + rows) for i in range(3, 12)]
            self.clean("curves", *many)
            self.clean("curves", *self.judged(many))

    def test_an_argument_of_17_digits_is_rounded_and_never_cut_in_the_middle(self):
        sides = []
        for i, value in enumerate((-0.26134929060935974, -0.2744167551398277)):
            number = {"type": "float", "Max": value, "Min": value, "Mean": value, "Norm": value, "value": value}
            sides.append(self.dump("a%d" % i, {"Tensor.__sub__.0.forward": {
                "input_args": [self.tensor(1.0), number], "input_kwargs": {}, "output": [self.tensor(1.0 + i)]}}))
        self.clean("compare", *sides)
        with open(os.path.join(self.last, "card-step0-rank0.svg"), encoding="utf-8") as file:
            self.assertIn(">\u22120.27441676<", file.read())

    def test_labels_of_one_to_150_runs_collide_with_nothing(self):
        for count in (1, 3, 6, 8, 9, 12, 30, 150):
            files = []
            for i in range(count):
                rows = "".join("%d,%.5f,%.3f\n" % (step, 2 + 8 * 0.98 ** step + (i * step * 0.01 if i % 5 == 2 else i * 1e-3),
                                                   1 + i * 0.1) for step in range(1, 121))
                files.append(self.write("many%d/run%02d_lr%g_of_an_experiment.csv" % (count, i, 1e-4 * i),
                                        "step,loss,grad_norm\n" + rows))
            self.clean("curves", *files)
            self.clean("curves", *self.judged(files))

    def judged(self, files):
        """The first is golden, all others are under question."""
        return ["-g", files[0]] + [word for file in files[1:] for word in ("-t", file)]

    def test_a_legend_of_every_level_and_of_masks_has_room(self):
        dump = self.path("levels")
        shutil.copytree(GPT[1], dump)
        path = os.path.join(dump, "step0", "rank0", "dump.json")
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        names = list(content["data"])
        start, end = (names.index("Functional.softmax.%d.forward" % layer) for layer in (1, 2))
        for at, name in enumerate(names[start:end + 1]):
            op = content["data"][name]
            for part in (["input_args"] if at else []) + (["output"] if start + at < end else []):
                for tensor in op.get(part, []):
                    if tensor and "Max" in tensor:
                        tensor["Max"] = tensor["Min"] = tensor["Mean"] = tensor["Norm"] = float("nan")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file)
        self.clean("graph", dump)
        with open(os.path.join(self.last, "boxes-step0-rank0.svg"), encoding="utf-8") as file:
            self.assertIn("掩码的 −Inf：正常", file.read())

    def test_series_of_nothing_of_one_point_and_of_a_million_have_room(self):
        nothing = "".join("%d,nan,nan\n" % step for step in range(1, 60))
        many = "".join("%d,%.3f,1\n" % (step, 2 + 1e4 / step) for step in range(1, 1000001))
        for name, rows in (("nan", nothing), ("point", "1,2.5,1\n"), ("zero", "".join("%d,0,0\n" % i for i in range(60))),
                           ("many", many)):
            path = self.write(name + ".csv", "step,loss,grad_norm\n" + rows)
            self.clean_in("en", "curves", path)
            if name != "many":
                self.clean("curves", path, path)

    def test_ranks_by_the_dozen_and_by_the_thousand_have_room(self):
        for count in (2, 8, 64, 1000):
            for side, drift in (("g", 0), ("t", 0.1)):
                for rank in range(count):
                    cell, other = self.tensor(1.0), self.tensor(1.0 + drift * (rank % 3 == 0))
                    folder = self.path("%s%d" % (side, count), "step0", "rank%d" % rank)
                    os.makedirs(folder)
                    with open(os.path.join(folder, "dump.json"), "w") as file:
                        json.dump({"task": "statistics", "level": "L1", "framework": "pytorch", "data": {
                            "Torch.matmul.0.forward": {"input_args": [cell], "input_kwargs": {}, "output": [other]}}}, file)
            self.clean("compare", self.path("g%d" % count), self.path("t%d" % count), "--html", "folder")
            shutil.rmtree(self.path("t%d" % count))

    def test_many_alarms_in_a_map_of_few_rows_and_metrics_of_many_steps_have_room(self):
        for rank in range(40):
            text = "".join("0,%s,%d,%g,1,-1,0\n" % (name, step, 50 if rank % 9 == 4 and step == 6 else 1 + 0.01 * ((step * 7 + rank) % 5))
                           for name in ("decoder.layers.0.self_attention.%s.weight" % ("linear_" * 6), "a.b") for step in range(10))
            os.makedirs(self.path("monitor", "May06_15-00-01-rank%d-b2f0e6ab" % rank))
            self.write("monitor/May06_15-00-01-rank%d-b2f0e6ab/grad_reduced_0-9.csv" % rank, "vpp_stage,name,step,norm,max,min,mean\n" + text)
        self.clean("monitor", self.path("monitor"))
        os.makedirs(self.path("tables"))
        for step in (0, 5, 1000):
            for rank in range(8):
                self.write("tables/rows-step%d-rank%d.csv" % (step, rank), "NPU Name,Bench Name,NormRelativeErr\n"
                           "Torch.matmul.0.forward.output.0,Torch.matmul.0.forward.output.0,%g%%\n" % (rank + step / 100))
        self.clean("merge", self.path("tables"))
        with open(os.path.join(self.last, "rank-metrics.svg"), encoding="utf-8") as file:
            self.assertEqual(re.findall(r">(step\d+)<", file.read()), ["step0", "step5", "step1000"])

    def test_dumps_of_nan_of_structure_and_of_checksums_have_room(self):
        nan = [self.modules("n%d" % i, "m", float("nan")) for i in range(2)]
        self.clean("compare", *nan)
        self.clean("compare", self.modules("one", "m", 1.0), nan[0])
        self.clean("graph", nan[0])
        self.clean("locate", nan[0])
        checks = [self.modules("c%d" % i, "m", 1.0, extra={"md5": "abcd%d" % i}) for i in range(2)]
        self.clean("compare", *checks)
        shape = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [4]}
        ops = {"Torch.relu.%d.forward" % i: {"input_args": [shape], "input_kwargs": {}, "output": [shape]} for i in range(30)}
        structure = [self.dump("s%d" % i, ops, task="structure") for i in range(2)]
        self.clean("compare", *structure)
        self.clean("graph", structure[0])


if __name__ == "__main__":
    main()
