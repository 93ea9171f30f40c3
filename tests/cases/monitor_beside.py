#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What lies beside the series of a monitor: a folder of a single card, the alarms that the run wrote itself, structure and stacks."""
import json
import os
import shutil

from program import Case, main, run

TAG = "Dec03_21-34-40"
MODULES = ["embedding", "decoder.layers.0.mlp.linear_fc1", "decoder.layers.0.mlp.linear_fc2", "decoder.final_layernorm"]


def series(names, step):
    """Norms that jump at a step, all of them."""
    rows = ["vpp_stage,name,step,micro_step,norm"]
    for at in range(30):
        rows += ["0,%s,%d,0,%.7f" % (name, at, (2 + 0.01 * (at % 3)) * (8 if at == step else 1)) for name in sorted(names)]
    return "\n".join(rows) + "\n"


def alarm(name, rank, step, call):
    tag = "0:%s/rank%d/actv_grad" % (name, rank)
    return "%s_step_%d_call_%d" % (tag, step, call), {
        "rank": rank, "step": step, "micro_step": 0, "pp_stage": 0, "vpp_stage": 0, "call_id": call, "tag_name": tag, "group_mates": [0, 1],
        "message": "Rule AnomalyTurbulence reports anomaly signal in ('%s', 'norm') at step %d." % (tag, step)}


class MonitorBeside(Case):
    def monitor(self, path):
        return run("monitor", path, "-o", self.path("out.json"))

    def test_the_folder_of_a_single_card_is_rank_0(self):
        self.write("run/%s-abcd1234/grad_reduced_0-29.csv" % TAG, series(["layers.0.w"], 23))
        code, _, said = self.monitor(self.path("run"))
        self.assertRegex(said, "layers.0.w .*step 23, rank 0")
        self.assertEqual(code, 1)

    def test_alarms_that_the_run_wrote_are_told_where_nothing_else_was_kept(self):
        alarms = [alarm("layers.3.attn", 1, 12, 88), alarm("layers.1.attn", 0, 12, 112), alarm("layers.0.mlp", 0, 13, 40)]
        for rank in (0, 1):
            own = dict(one for one in alarms if one[1]["rank"] == rank)
            self.write("run/anomaly_detected/rank%d/anomaly.json" % rank, json.dumps(own))
        self.write("ticket/17/anomaly_detected/rank0/anomaly.json", json.dumps(dict(alarms)))
        shutil.make_archive(self.path("packed"), "zip", self.folder, "run")
        self.write("run/._anomaly_detected", "shadow of macOS")
        for path in (self.path("run"), self.path("run/anomaly_detected"), self.write("any.json", json.dumps(dict(alarms))),
                     self.path("ticket"), self.path("packed.zip")):
            code, _, said = self.monitor(path)
            self.assertRegex(said, r"3 alarms; first: norm of actv_grad layers.3.attn, reported by the run itself \(AnomalyTurbulence\), step 12, rank 1")
            self.assertEqual(code, 1)
        self.assertRegex(run(self.path("any.json"), "-o", self.path("out.json"))[2], "ALARM .*layers.3.attn")
        self.write("run/anomaly_detected/rank0/anomaly.json", '{"broken')
        self.assertRegex(self.monitor(self.path("run"))[2], r"PARTIAL.*1 alarm: .*rank 1")

    def test_modules_alarm_in_the_order_in_which_they_run_and_the_line_of_code_is_told(self):
        names = ["%s.output:0" % module for module in MODULES[2:]]
        self.write("run/%s-rank0-abcd1230/actv_0-29.csv" % TAG, series(names, 21))
        stacks = "".join('0:%s,"File core/mlp.py, line %d, in forward, \n x = f(x) \nFile train.py, line 9, in step, \n"\n' % (module, 200 + i)
                         for i, module in enumerate(MODULES))
        self.write("run/%s-rank0-abcd1230/stack_info.csv" % TAG, "module_name,stack_info\n" + stacks)
        for with_struct in (False, True):
            if with_struct:
                self.write("run/module_struct/rank0/module_struct.json", json.dumps({"0:" + module: {} for module in MODULES}))
            said = self.monitor(self.path("run"))[2]
            self.assertRegex(said, "first: norm of actv decoder.layers.0.mlp.linear_fc2.output:0 .*step 21")
            self.assertIn("is called from core/mlp.py, line 202", said)

    def test_a_structure_alone_is_drawn_as_a_graph(self):
        tensor = {"config": "tuple[1]", "0": "size=(512, 4, 64), dtype=torch.bfloat16"}
        text = json.dumps({"0:" + module: {"input": tensor, "output": tensor, "input_grad": tensor} for module in MODULES}, indent=1)
        code, _, said = run("graph", self.write("module_struct/rank0/module_struct.json", text), "-o", self.path("out.json"))
        self.assertIn("1 dump, 4 ops, 4 modules", said)
        self.assertEqual(code, 0)

    def test_two_structures_are_compared_by_their_modules_and_shapes(self):
        def write(name, modules, size=64, of="embedding"):
            tensor = {"config": "tuple[1]", "0": "size=(512, 4, %d), dtype=torch.bfloat16"}
            return self.write(name + "/module_struct.json", json.dumps({"0:" + module: {
                side: dict(tensor, **{"0": tensor["0"] % (size if module == of else 64)}) for side in ("input", "output")} for module in modules}, indent=1))
        golden = write("a", MODULES)
        for target, code, words in ((write("b", MODULES), 3, "the structures are equal"), (write("c", MODULES[:2] + ["decoder.extra"] + MODULES[2:]), 1, "decoder.extra"),
                                    (write("d", MODULES[:1] + MODULES[2:]), 1, MODULES[1]), (write("e", MODULES, 96), 1, "at embedding")):
            found, _, said = run("compare", golden, target, "-o", self.path("out.json"))
            self.assertEqual((found, words in said), (code, True), said)


if __name__ == "__main__":
    main()
