#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Worked examples of the compare specification that need files: W0 with its call stack, W5 and W7 over several ops and ranks.

All cells of W0 to W6 stand in the unit tests msprobe_rows_test.c, msprobe_tensors_test.c and mapping_ops_test.c.
"""
import csv
import json
import os
import subprocess

from program import Case, VERNIER, main

COLUMNS = ["NPU Name", "NPU Dtype", "NPU Tensor Shape", "NPU Requires_grad", "Max diff", "Min diff", "Mean diff", "L2norm diff",
           "MaxRelativeErr", "MinRelativeErr", "MeanRelativeErr", "NormRelativeErr", "NPU max", "NPU min", "NPU mean",
           "NPU l2norm", "Bench max", "Bench min", "Bench mean", "Bench l2norm", "Requires_grad Consistent", "Result"]
W0 = """
Module.fc.Linear.forward.0.input.0|torch.float32|[4, 3]|False|0|0|0|0|0|0|0|0|2.0|-2.0|0.5|8.0|2.0|-2.0|0.5|8.0|True|pass
Module.fc.Linear.forward.0.input.1|None|None|N/A|0|0|0|0|0|0|0|0|None|None|None|None|None|None|None|None|True|pass
Module.fc.Linear.forward.0.input.scale|<class 'int'>|[]|N/A|0|0|0|0|0|0|0|0|3|3|3|3|3|3|3|3|True|pass
Module.fc.Linear.forward.0.parameters.weight|torch.float32|[2, 3]|True|0|0|0|0|0|0|0|0|0.5|-0.5|0.0|1.5|0.5|-0.5|0.0|1.5|True|pass
Module.fc.Linear.forward.0.output.0|torch.float32|[4, 2]|True|0|0|0|0.20000000000000018|0|0|0|10.000000000000009%|1.5|-1.0|0.25|2.2|1.5|-1.0|0.25|2.0|True|warning
Module.fc.Linear.parameters_grad.weight|torch.float32|[2, 3]|False|0.04999999999999999|0|0|0|24.999999999999993%|0|0|0|0.25|-0.25|0.0|0.75|0.2|-0.25|0.0|0.75|True|pass
"""


def tensor(shape, largest, least, mean, norm, gradient):
    return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": shape, "Max": largest, "Min": least, "Mean": mean,
            "Norm": norm, "requires_grad": gradient}


def T(norm):
    return tensor([4, 8], 1.0, -1.0, 0.25, norm, True)


def io(given, result, **kwargs):
    return {"input_args": [given], "input_kwargs": kwargs, "output": [result]}


class Examples(Case):
    def write(self, side, data, stack=None, level="L1"):
        folder = os.path.join(self.folder, side)
        os.makedirs(folder)
        dump = {"task": "statistics", "level": level, "framework": "pytorch", "dump_data_dir": None, "data": data}
        with open(os.path.join(folder, "dump.json"), "w", encoding="utf-8") as file:
            json.dump(dump, file)
        if stack:
            with open(os.path.join(folder, "stack.json"), "w", encoding="utf-8") as file:
                json.dump(stack, file)

    def compare(self, rules):
        out = os.path.join(self.folder, rules)
        done = subprocess.run([VERNIER, "compare", os.path.join(self.folder, "golden"), os.path.join(self.folder, "target"), "-o",
                               out, "--rules", rules, "--format", "json,csv"], capture_output=True, text=True, check=False)
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
        rows = {}
        for name in sorted(os.listdir(out)):
            if name.startswith("rows-"):
                with open(os.path.join(out, name), encoding="utf-8-sig", newline="") as file:
                    rows[name] = list(csv.DictReader(file))
        return done.returncode, summary, rows

    def w0(self, norm, largest):
        return {"Module.fc.Linear.forward.0": {
            "input_args": [tensor([4, 3], 2.0, -2.0, 0.5, 8.0, False), None],
            "input_kwargs": {"scale": {"type": "int", "value": 3}},
            "parameters": {"weight": tensor([2, 3], 0.5, -0.5, 0.0, 1.5, True)},
            "output": [tensor([4, 2], 1.5, -1.0, 0.25, norm, True)]},
                "Module.fc.Linear.parameters_grad": {"weight": [tensor([2, 3], largest, -0.25, 0.0, 0.75, False)]}}

    def test_w0_one_complete_pair_of_files(self):
        stack = {"0": [["Module.fc.Linear.forward.0"], ["File net.py, line 7, in forward, \n x = self.fc(x)"]]}
        self.write("target", self.w0(2.2, 0.25), stack, "L0")
        self.write("golden", self.w0(2.0, 0.2), None, "L0")
        _, _, rows = self.compare("msprobe26")
        rows = rows["rows-step0-rank0.csv"]
        self.assertEqual(["|".join(row[column] for column in COLUMNS) for row in rows], W0.strip().split("\n"))
        self.assertEqual([row["NPU_Stack_Info"] for row in rows],
                         ["['File net.py, line 7, in forward, \\n x = self.fc(x)']"] + ["N/A"] * 5)
        self.assertEqual([row["NPU Name"] for row in rows], [row["Bench Name"] for row in rows])
        self.assertEqual([len(json.loads(row["Err_message"])) for row in rows], [0, 0, 0, 0, 1, 0])

    def test_w5_a_backward_call_that_is_missing(self):
        def calls(missing=None):
            names = ["Functional.r.%d.forward" % i for i in range(3)] + ["Functional.r.%d.backward" % i for i in (2, 1, 0)]
            return {name: io(T(2.0), T(2.0)) if "forward" in name else {"input": [T(2.0)], "output": [T(2.0)]}
                    for name in names if name != missing}

        self.write("target", calls())
        self.write("golden", calls("Functional.r.2.backward"))
        want = {"msprobe26": ["Functional.r.1.backward", "Functional.r.0.backward", "N/A"],
                "msprobe8": ["N/A", "Functional.r.1.backward", "Functional.r.0.backward"]}
        for rules, names in want.items():
            _, _, rows = self.compare(rules)
            partners = {row["NPU Name"]: row["Bench Name"] for row in rows["rows-step0-rank0.csv"]}
            for call, name in zip((2, 1, 0), names):
                self.assertEqual(partners["Functional.r.%d.backward.input.0" % call],
                                 name if name == "N/A" else name + ".input.0", rules)

    def test_w7_the_first_difference_over_two_ranks(self):
        group = {"type": "torch.ProcessGroup", "group_ranks": [0, 1], "group_id": "g"}
        for side in ("target", "golden"):
            for rank in (0, 1):
                data = {}
                for name in ("Functional.linear.0", "Distributed.all_reduce.0", "Functional.linear.1", "Distributed.all_reduce.1",
                             "Functional.linear.2"):
                    wrong = (side, rank, name) == ("target", 1, "Functional.linear.1")
                    entry = io(T(1.0), T(3.0 if wrong else 1.0))
                    if name.startswith("Distributed"):
                        entry["input_kwargs"] = {"group": group}
                    data[name + ".forward"] = entry
                self.write(os.path.join(side, "rank%d" % rank), data, {"0": [list(data), ["File a.py, line 1, in f, \n x"]]})
        for rules in ("vernier", "msprobe26", "msprobe8"):
            code, summary, rows = self.compare(rules)
            self.assertEqual(code, 1)
            first = [pair["first_divergence"] for pair in summary["pairs"]]
            self.assertIsNone(first[0])
            self.assertEqual((first[1]["target"], first[1]["slot"], first[1]["stack"]),
                             ("Functional.linear.1.forward", "output.0", ["File a.py, line 1, in f, \n x"]), rules)
            self.assertIn("Functional.linear.1.forward, step 0, rank 1", summary["verdict"])
            differing = [row["NPU Name"] for row in rows["rows-step0-rank1.csv"] if row["L2norm diff"] not in ("0", "0.0", "N/A")]
            self.assertEqual(differing, ["Functional.linear.1.forward.output.0"], rules)


if __name__ == "__main__":
    main()
