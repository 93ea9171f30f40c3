#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What other tools of this trade print: blocks an op, probes of one's own, DebugMode of compiled models, results of other comparators.
Each holds a planted defect that has to be named."""
import importlib.util
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys

from program import Case, SAMPLES, main, run

spec = importlib.util.spec_from_file_location("make_other_tools", os.path.join(SAMPLES, "other-tools", "make-other-tools.py"))
make = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make)
OPS, titan, nodes, frames, probe, eager, saved, metrics = (make.OPS, make.titan, make.nodes, make.frames, make.probe, make.eager, make.saved, make.metrics)

class OtherOutputs(Case):
    def ran(self, *arguments):
        return run(*arguments, "-o", self.out, "--format", "json", cwd=self.folder)

    def pair(self, golden, target, name="log.txt"):
        self.write("a/" + name, golden)
        self.write("b/" + name, target)
        code, verdict, said = self.ran("compare", "a/" + name, "b/" + name)
        return code, verdict + said

    def named(self, golden, target, place, name="log.txt"):
        code, said = self.pair(golden, target, name)
        self.assertEqual((code, "DIVERGES  at " + place in said), (1, True), said)
        code, said = self.pair(golden, golden, name)
        self.assertEqual((code, "SAME" in said), (0, True), said)

    def test_the_planted_op_is_named_in_every_form(self):
        for bad in (0, 4, 8):
            self.named(titan(), titan(bad), OPS[bad], "rank_0_activations.log")
        self.named(nodes(), nodes(3), "/model/layers.3/MatMul")
        self.named(probe(), probe(3), "L01.attn", "probe.jsonl")
        self.named(probe(), probe(8), "L01.attn#1", "probe.jsonl")
        self.named(eager(), eager(bad=True), "Net.features.1.aten::mm")
        self.named(saved(), saved(True), "Net.features.1.aten::mm", "logs.json")

    def test_what_a_runtime_puts_in_front_of_every_line_hides_no_output_of_a_tool(self):
        lines = "".join("layer.%d max_diff: %s\n" % (i, "4.0e-01" if i == 2 else "0.0") for i in range(6))
        for front in ("2026-08-01T10:11:12.123456789Z ", "0: ", "\x1b[36m(Worker pid=4410)\x1b[0m ", "[rank0]: "):
            def printed(text):
                return "".join(front + line for line in text.splitlines(True))
            self.named(printed(titan()), printed(titan(4)), OPS[4], "rank_0_activations.log")
            self.named(printed(nodes()), printed(nodes(3)), "/model/layers.3/MatMul")
            self.named(printed(eager()), printed(eager(bad=True)), "Net.features.1.aten::mm")
            self.assertIn("layer.2: largest absolute error 4.0e-01", run("precheck", self.write("d.log", printed(lines)), "-o", self.path("o.json"))[2])

    def test_text_of_windows_is_read_as_any_other_wherever_it_lies(self):
        """Marks, UTF-16 (what PowerShell redirects into) and line ends, of either side, in a folder and alone."""
        for encoding in ("utf-8-sig", "utf-16", "utf-16-be"):
            for bad, name, place in ((nodes(3), "ort.txt", "/model/layers.3/MatMul"), (probe(3), "probe.jsonl", "L01.attn"),
                                     (titan(4), "rank_0_activations.log", OPS[4]), (saved(True), "logs.json", "Net.features.1.aten::mm")):
                self.write("g/step0/rank0/" + name, {"ort.txt": nodes, "probe.jsonl": probe, "logs.json": saved}.get(name, titan)())
                self.write("t/step0/rank0/" + name, "")
                with open(self.path("t/step0/rank0", name), "wb") as file:
                    file.write(bad.replace("\n", "\r\n").encode(encoding))
                for inner in ("", "/step0/rank0/" + name):
                    code, verdict, said = self.ran("compare", "g" + inner, "t" + inner)
                    self.assertEqual((code, "DIVERGES  at " + place in verdict), (1, True), (encoding, name, said, verdict))
                shutil.rmtree(self.path("g"))
                shutil.rmtree(self.path("t"))

    def test_a_fused_kernel_stands_for_the_ops_whose_last_output_it_holds(self):
        """Eager calls in modules against a region of Inductor, which keeps no module."""
        def pair(bad):
            plain, fused, value = "[nn.Mod] Net\n", "[inductor region (compile)] enter\n", 2.5
            was = value
            for i in range(4):
                off = was * 0.75 + (0.5 if i >= bad else 0)
                plain += ("  [nn.Mod] Net.%d\n    aten::add(t: f32[2, 8], 1)  ->  t: f32[2, 8]  # {'input_hash': ((%r, None), {}), 'hash': %r}\n"
                          "    aten::relu(t: f32[2, 8])  ->  t: f32[2, 8]  # {'input_hash': ((%r,), {}), 'hash': %r}\n"
                          % (i, value, value * 2, value * 2, value * 0.75))
                fused += ("  [triton] triton_poi_fused_add_relu_%d(in_ptr0=t: f32[2, 8], out_ptr0=t: f32[2, 8], xnumel=16)\n"
                          "    # pre-kernel hashes: {in_ptr0: %r, out_ptr0: 0.0}\n    # post-kernel hashes: {in_ptr0: %r, out_ptr0: %r}\n" % (i, was, was, off))
                value, was = value * 0.75, off
            return plain, fused
        code, said = self.pair(*pair(9))
        self.assertEqual(code, 0, said)
        for bad in (0, 2):
            code, said = self.pair(*pair(bad))
            self.assertEqual((code, "DIVERGES  at triton_poi_fused_add_relu_%d" % bad in said), (1, True), said)
            with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as file:
                self.assertIn('"golden": "Net.%d.aten::relu"' % bad, file.read())

    def test_a_compiled_model_pairs_with_the_eager_one(self):
        code, said = self.pair(eager(), eager(compiled=True))
        self.assertEqual((code, "not paired" in said), (0, False), said)
        code, said = self.pair(eager(), eager(compiled=True, bad=True))
        self.assertEqual((code, "features.1.aten::mm" in said), (1, True), said)

    def test_text_and_json_of_debug_mode_say_the_same(self):
        self.write("a.txt", eager()[:eager().index("    aten::sum")])
        self.write("b.json", saved())
        code, verdict, said = self.ran("compare", "a.txt", "b.json")
        self.assertEqual((code, "SAME" in verdict), (0, True), said)

    def test_locate_names_where_what_is_not_finite_came_first(self):
        for text, place, name in ((nodes(2), "/model/layers.2/MatMul", "out.txt"), (frames(2), "encoder.block.2.dropout", "stderr.txt"),
                                  (titan(4, True), OPS[4], "rank_0_activations.log"), (probe(count=3), "L01.mlp", "probe.jsonl")):
            self.write(name, text)
            code, verdict, said = self.ran("locate", name)
            self.assertEqual((code, place in verdict), (1, True), said + verdict)

    def test_the_number_right_after_the_word_norm_is_the_norm(self):
        for form in ("%s | grad_norm=%s | max=1.0\n", "%s (step 12) grad norm %s, 4 ranks\n"):
            self.write("norms.log", "".join(form % ("model.layers.%d.mlp.weight" % i, "inf" if i < 2 else 0.5) for i in range(5)))
            code, said, _ = self.ran("locate", "norms.log")
            self.assertEqual((code, "layers.1.mlp.weight" in said), (1, True), said)
        self.assertIn("layers.1.mlp.weight", run("graph", "norms.log", "-o", self.out, cwd=self.folder)[2])

    def test_locate_brackets_the_layer_by_norms_and_reads_anomaly_mode(self):
        for bad in (7, 1):
            lines = ["[rank 3] grad norm of module.decoder.layers.%d.%s.weight: %s" % (layer, part, "nan" if (layer, part) < (bad, "mlp") else 1 + layer / 10)
                     for layer in range(12) for part in ("attn", "mlp")]
            for order in (lines, lines[::-1]):
                self.write("norms.log", "step 3\n" + "\n".join(order) + "\n")
                code, out, said = run("locate", "norms.log", cwd=self.folder)
                self.assertEqual(code, 1, said)
                self.assertIn("layers.%d.attn.weight" % bad, out)
                self.assertIn("the shallowest finite gradient is that of module.decoder.layers.%d.mlp.weight" % bad, said)
        trace = ("x.py:825: UserWarning: Error detected in SqrtBackward0. Traceback of forward call that caused the error:\n"
                 '  File "train.py", line 88, in <module>\n    y = model(x)\n  File "model.py", line 31, in forward\n    y = torch.sqrt(h)\n'
                 " (Triggered internally at python_anomaly_mode.cpp:122.)\nTraceback (most recent call last):\n"
                 '  File "train.py", line 90, in <module>\n    total.backward()\n'
                 "RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.\n")
        for before in ("", "step: 1 loss: 2.5\nstep: 2 loss: 2.4\n"):
            self.write("train.log", before + trace)
            code, out, said = run("locate", "train.log", cwd=self.folder)
            self.assertEqual((code, "SqrtBackward0" in out), (1, True), said)
            self.assertIn('File "model.py", line 31, in forward: y = torch.sqrt(h)', said)
        self.assertIn("vernier curves", run("train.log", cwd=self.folder)[2])

    def test_logs_that_are_no_blocks_stay_logs(self):
        self.write("train.jsonl", "".join(json.dumps({"step": i, "loss": 2.0 - i / 10, "name": "train"}) + "\n" for i in range(8)))
        code, verdict, said = self.ran("train.jsonl")
        self.assertEqual((code, "curves" in said), (0, True), said)

    def checked(self, text, place, name="result.csv", code=1):
        self.write(name, text)
        for words in (("precheck", name), (name,)):
            found, verdict, said = self.ran(*words)
            self.assertEqual((found, place in verdict), (code, True), verdict + said)

    def test_results_of_other_comparators_name_the_first_that_fails(self):
        head = "module_name,check_type,tensor_index,status,max_abs_diff,mean_abs_diff,max_rel_diff,shape,note\n"
        rows = ["LOSS,loss,0,FAIL,1.0e+00,N/A,N/A,x,"] + ["layers.%d,fwd_output,0,%s,3.2e-02,1e-3,2e-1,\"(2, 4)\"," % (i, "FAIL" if i > 1 else "PASS") for i in range(5)]
        self.checked(head + "\n".join(rows) + "\n", "layers.2.fwd_output")
        head = "Index,OpType,NPUDump,GroundTruth,CosineSimilarity,CompareFailReason,IsOutputNode,IsPrecisionError\n"
        self.checked(head + "".join("%d,Mul,c%d,%sc%d,%g,,NO,%s\n" % (i, i, "a,b," if i % 2 else "", i, 0.5 if i > 2 else 0.9999, "YES" if i > 2 else "NO")
                                    for i in range(6)), "c3")
        head = "NPU Name,Bench Name,Max diff,MaxRelativeErr,Result,Err_message\n"
        rows = ["Functional.linear.%d.%s,x,0,0,%s,[]" % (i, part, "error" if i == 2 and part == "forward.output.0" else "pass")
                for i in range(4) for part in ("forward.input.0", "forward.output.0")]
        self.checked(head + "\n".join(rows) + "\n", "Functional.linear.2.forward")
        self.checked("".join("layer:%d, o_proj, diff: 3, diff>1e-05:[%d/100] diff_max:0.4\n" % (i, 5 if i > 1 else 0) for i in range(4)), "layer:2, o_proj", "d.log")
        self.checked("".join("layer %d: max diff %g\n" % (i, 0.5 if i > 2 else 0) for i in range(5)), "layer 3", "d.log")
        self.checked("".join("mlp.%d cos=0.99 max_abs_diff=%g %s\n" % (i, 0.5, "FAIL" if i == 1 else "PASS") for i in range(3)), "mlp.1", "d.log")
        self.checked("".join("[I]   Comparing Output: 'o%d' (dtype=float32)\n[I]   %s | Output: 'o%d' | Difference (rel=1e-05)\n" % (i, "FAILED" if i > 1 else "PASSED", i)
                             for i in range(4)), "o2", "run.log")

    def test_a_table_or_a_message_of_a_script_names_the_first_layer_that_differs(self):
        values = [(i, 0.5 if i > 2 else 0.0) for i in range(6)]
        self.checked("layer,max_abs_err,mean_abs_err\n" + "".join("h.%d,%g,1e-6\n" % pair for pair in values), "h.3: largest absolute error 0.5")
        self.checked("| Layer | Max diff | cos |\n|---|---|---|\n" + "".join("| h.%d | %g | 1 |\n" % pair for pair in values), "h.3: largest", "r.md")
        self.checked("name      max_diff   cos_sim\n" + "".join("h.%d       %.6f   1.0\n" % pair for pair in values), "h.3: largest", "r.txt")
        self.checked("".join("Layer %d: MaxDiff: %.6f, MeanDiff: 0.1\n" % pair for pair in values), "Layer 3: largest", "r.log")
        self.checked("h.0 OK\nh.3 AssertionError: Tensor-likes are not close!\n\nMismatched elements: 12 / 40 (30.0%)\n"
                     "Greatest absolute difference: 0.5 at index (0, 3) (up to 1e-05 allowed)\n", "h.3: largest absolute error 0.5", "r.log")
        self.write("sizes.csv", "op,max_abs,avg\n" + "".join("h.%d,%g,1\n" % pair for pair in values))
        self.assertNotIn("precheck", " ".join(run("sizes.csv", cwd=self.folder)[1:]))

    def test_a_check_of_checkpoints_names_the_weight_that_is_least_alike(self):
        weights = {"h.%d.w" % i: {"l2": 0.0, "cos": 1.0, "numel": 4, "shape": [2, 2]} for i in range(5)}
        self.write("a.json", json.dumps(weights))
        self.assertEqual(run("a.json", cwd=self.folder)[0], 0)
        weights["h.3.w"].update(l2=2.5, cos=0.9)
        weights["h.1.w"].update(l2=9.5, cos=0.99)
        self.write("a.json", json.dumps(weights))
        code, out, said = run("precheck", "a.json", cwd=self.folder)
        self.assertEqual(code, 1, said)
        self.assertIn("h.3.w: cos 0.9, l2 2.5. failed 2, passed 3", out)
        self.write("a.json", json.dumps(dict(weights, note="by hand")))
        self.assertIn("PARTIAL FAILS", run("a.json", cwd=self.folder)[1])
        self.write("a.json", json.dumps(weights)[:-20])
        self.assertIn(run("a.json", cwd=self.folder)[0], (2, 3))

    def test_the_largest_gap_of_executorch_is_named_and_no_gap_passes(self):
        head = ",aot_ops,aot_intermediate_output,runtime_ops,runtime_intermediate_output,gap,stacktraces\n"
        rows = "".join("%d,['aten.mm'],\"tensor([1.0, 2.0])\",native_call_%d,\"tensor([1.0, 2.0])\",%%s,x\n" % (i, i) for i in range(4))
        for gaps, code, word in ((("0.0",) * 4, 0, "passed 4"), (("0.0", "[1e-5]", "[0.25]", "2e-4"), 0, "WARNS     native_call_2: gap 0.25"),
                                 (("0.0", "nan", "1e-5", "2e-4"), 1, "FAILS     native_call_1")):
            self.write("gap.csv", head + rows % gaps)
            found, out, said = run("gap.csv", cwd=self.folder)
            self.assertEqual((found, word in out), (code, True), out + said)

    def test_metrics_of_layers_of_maxtext_are_a_monitor(self):
        self.write("a.jsonl", metrics())
        self.write("b.jsonl", metrics(20))
        code, out, said = run("monitor", "b.jsonl", cwd=self.folder)
        self.assertEqual(code, 1, said)
        self.assertRegex(out, r"activ layer_002 .* step 20")
        self.assertEqual(run("monitor", "a.jsonl", cwd=self.folder)[0], 0)
        self.assertIn("vernier curves", run("a.jsonl", cwd=self.folder)[2])

    def test_the_database_of_the_graph_viewer_shows_what_the_comparison_says(self):
        pair = [SAMPLES + "/gpt/golden", SAMPLES + "/gpt/target"]
        out = run("compare", *pair, "-o", "out", "--format", "vis-db", cwd=self.folder)[1]
        place = out.split("DIVERGES")[1].split(" at ")[1].split(" (")[0].split(",")[0]
        name = next(name for name in os.listdir(self.path("out")) if name.endswith(".vis.db"))
        code, out, said = run("out/" + name, cwd=self.folder)
        self.assertEqual(code, 1, said)
        self.assertIn("FAILS     " + place, out)
        self.assertIn("no history", run("history", "out/" + name, cwd=self.folder)[2])
        base = sqlite3.connect(self.path("out", name))
        base.execute("DELETE FROM tb_nodes WHERE data_source = 'Bench'")
        base.commit()
        base.close()
        code, _, said = run("precheck", "out/" + name, cwd=self.folder)
        self.assertEqual((code, "one side only" in said), (3, True), said)
        base = sqlite3.connect(self.path("view.vis.db"))
        base.execute("CREATE VIEW tb_nodes AS SELECT 'x' AS node_name")
        base.close()
        self.assertEqual(run("precheck", "view.vis.db", cwd=self.folder)[0], 3)

    def test_lists_of_checksums_name_the_hop_and_the_weight_that_changes(self):
        lists = dict(make.checksums())
        for name, text in lists.items():
            self.write(name, text)
        self.assertEqual(run("trainer.json", "converter.json", cwd=self.folder)[0], 0)
        for words in (["engine.txt"], ["engine.csv"]):
            code, out, said = run("trainer.json", "converter.json", *words, cwd=self.folder)
            self.assertEqual(code, 1, said)
            self.assertRegex(out, r"hop 2: model.layers.1.mlp.down_proj.weight: .* failed 1, passed 11")
        self.write("engine.txt", dict(make.checksums(off=-1))["engine.txt"].split("\n", 1)[1] + "cut of")
        code, out, said = run("trainer.json", "engine.txt", cwd=self.folder)
        self.assertEqual((code, "PARTIAL" in out, "1 weight is in one list only" in said), (4, True, True), out + said)
        self.write("star.txt", dict(make.checksums(off=-1))["engine.txt"].replace("  ", " *").replace("\n", "\r\n"))
        self.assertEqual(run("trainer.json", "star.txt", cwd=self.folder)[0], 0)
        self.assertIn("compared in their order", run("precheck", "trainer.json", cwd=self.folder)[2])
        # A checksum of another kind is no agreement.
        mixed = json.loads(lists["trainer.json"])
        name = sorted(mixed)[2]
        self.write("mixed.json", json.dumps({**mixed, name: hashlib.md5(name.encode()).hexdigest()}))
        code, out, said = run("precheck", "trainer.json", "mixed.json", cwd=self.folder)
        self.assertEqual((code, "PARTIAL" in out, "1 weight has a checksum of another length" in said), (4, True, True), said)

    def test_the_samples_name_what_was_planted(self):
        make.write(self.folder)
        for name, place in (("rank_0_activations.log", OPS[4]), ("ort.txt", "/model/layers.3/MatMul"), ("probe.jsonl", "L01.attn"),
                            ("eager.txt", "Net.features.1.aten::mm"), ("logs.json", "Net.features.1.aten::mm"), ("chat.json", "sample 0, token 4 on"),
                            ("sglang.json", "sample 0, token 4 on")):
            command = "tokens" if place.startswith("sample") else "compare"
            self.assertIn(place, run(command, "golden/" + name, "target/" + name, cwd=self.folder)[1], name)
        self.assertIn("features.1.aten::mm", run("compare", "golden/eager.txt", "target/compiled.txt", cwd=self.folder)[1])
        self.assertRegex(run("monitor", "target/layers.jsonl", cwd=self.folder)[1], "layer_002 .* step 20")
        self.assertIn("encoder.block.2", run("locate", "stderr.txt", cwd=self.folder)[1])
        for name, _ in make.results():
            self.assertIn("layers.2", run("precheck", name, cwd=self.folder)[1].split("failed")[0], name)
        subprocess.run([sys.executable, os.path.join(SAMPLES, "precheck", "make-precheck.py"), self.folder], check=True)
        self.assertIn("FAILS     layers.2.mlp.weight: cos 0.91", run("ckpt_similarity.json", cwd=self.folder)[1])
        self.assertIn("FAILS     gsm8k: 0.512 / 0.471 (-8.0 %", run("scores-golden.json", "scores-target.json", cwd=self.folder)[1])

    def scores(self, name, drop="", by=1.0, **more):
        tasks = {"gsm8k": {"exact_match,strict-match": 0.5, "exact_match_stderr,strict-match": 0.02, "exact_match,flexible-extract": 0.6},
                 "mmlu": {"acc,none": 0.64, "acc_stderr,none": 0.01, "alias": "mmlu"}, "arc": {"acc,none": 0.7}}
        if drop in tasks:
            score = next(iter(tasks[drop]))
            tasks[drop][score] *= by
        self.write(name, json.dumps({"results": {key: value for key, value in tasks.items() if by or key != drop}, "n-shot": {"mmlu": 5}, **more}))

    def test_scores_of_an_evaluation_agree_within_one_per_cent(self):
        self.scores("g.json")
        for drop, by, code in (("", 1, 0), ("mmlu", 0.992, 0), ("mmlu", 0.985, 1), ("gsm8k", 1.03, 1), ("arc", 0, 4)):
            with self.subTest((drop, by)):
                self.scores("t.json", drop, by)
                found, out, said = run("g.json", "t.json", cwd=self.folder)
                self.assertEqual(found, code, out + said)
                if code == 1:
                    self.assertRegex(out, r"FAILS +%s" % drop)
        self.assertIn("-0.8 %", run("precheck", "g.json", self.scores("t.json", "mmlu", 0.992) or "t.json", cwd=self.folder)[1])
        self.scores("t.json", **{"n-shot": {"mmlu": 0}})
        self.assertIn("'n-shot' differs", run("precheck", "g.json", "t.json", cwd=self.folder)[2])
        self.assertEqual(run("precheck", "g.json", cwd=self.folder)[0], 2)

    def test_a_summary_of_opencompass_is_an_evaluation_of_one_model_or_two(self):
        def table(models, *columns):
            return "dataset,version,metric,mode,%s\n" % models + "".join(
                "%s,a1b2,accuracy,gen,%s\n" % (name, ",".join(column)) for name, *column in zip(("ceval", "mmlu", "gsm8k"), *columns)) + \
                "--------- math ---------,-,-,-,%s\n" % ",".join("-" * len(columns))
        gpu, npu = ("58.20", "62.11", "51.02"), ("53.90", "62.30", "51.02")
        for words in ({"g.csv": table("llama-gpu", gpu), "t.csv": table("llama-npu", npu)}, {"both.csv": table("gpu,npu", gpu, npu)}):
            for name, text in words.items():
                self.write(name, text)
            code, verdict, said = self.ran("precheck", *words)
            self.assertEqual((code, "FAILS     ceval: 58.2 / 53.9 (-7.4 %)" in verdict), (1, True), said + verdict)

    def test_the_first_op_that_differs_at_all_is_named_beside_the_one_that_is_beyond(self):
        def lines(tiny, large):
            return "".join(json.dumps({"step": 0, "stage": "L%02d" % i, "name": "h", "shape": [4, 6], "dtype": "torch.bfloat16",
                                       "max": 2.5 * (1 + tiny * (i >= 6) + large * (i >= 8)), "min": -1.5, "mean": 0.25}) + "\n" for i in range(10))
        self.write("g.jsonl", lines(0, 0))
        for tiny, large, code in ((0.004, 1.0, 1), (0.004, 0, 0)):
            self.write("t.jsonl", lines(tiny, large))
            found, out, said = run("compare", "g.jsonl", "t.jsonl", cwd=self.folder)
            self.assertEqual(found, code, said)
            self.assertIn("equal bit for bit before L06", out)
        self.write("t.jsonl", lines(0, 1.0))
        self.assertNotIn("equal bit for bit before", run("compare", "g.jsonl", "t.jsonl", cwd=self.folder)[1])

    def test_a_console_that_breaks_off_is_partial(self):
        self.write("run.log", "[I] PASSED | Output: 'a' | Difference is within tolerance\n[I] Comparing Output: 'a' x\n[I] Comparing Output: 'b' x\n")
        code, verdict, said = self.ran("precheck", "run.log")
        self.assertEqual((code, "PARTIAL" in verdict), (4, True), verdict + said)


if __name__ == "__main__":
    main()
