#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What other tools print of a model (samples/traces): the op that was planted is named, whoever wrote the text, and between
PyTorch's modules and llama.cpp's nodes. Broken text costs itself."""
import importlib.util
import json
import os
import random
import shutil

from program import Case, SAMPLES, main, run

spec = importlib.util.spec_from_file_location("make_traces", os.path.join(SAMPLES, "traces", "make-traces.py"))
make = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make)

PRINTED = ["llama.txt", "debug_mode.txt", "polygraphy.json", "quant_log.csv", "paddle.log"]
# Node of the model -> how each writer calls the op.
PLANTED = {
    "ffn_up-2": ["ffn_up-2", "LlamaForCausalLM.model.layers.2.mlp.up_proj.aten::mm", "ffn_up-2_MUL_MAT", "model.layers.2.mlp.up_proj.linear",
                 "matmul#22"],
    "Kcur-0": ["Kcur-0", "LlamaForCausalLM.model.layers.0.self_attn.k_proj.aten::mm", "Kcur-0_MUL_MAT", "model.layers.0.self_attn.k_proj.linear",
               "matmul#1"],
    "result_norm": ["result_norm", "LlamaForCausalLM.model.norm.aten::mul.Tensor", "result_norm_MUL", "model.norm.linear", "multiply#16"],
}


class PrintedDumps(Case):
    def compare(self, golden, target, *more):
        code, _, said = run("compare", golden, target, *more, "-o", "v.md", cwd=self.folder)
        return code, said

    def test_the_op_that_was_planted_is_named_of_every_writer(self):
        make.write(self.path("golden"), make.run())
        for node, names in PLANTED.items():
            make.write(self.path("target"), make.run(node))
            for file, name in zip(PRINTED, names):
                code, said = self.compare("golden/" + file, "target/" + file)
                self.assertEqual(code, 1, said)
                self.assertRegex(said, r"DIVERGES +at %s, " % name.replace("#", r"\#"))
        for file in PRINTED:
            code, said = self.compare("golden/" + file, "golden/" + file)
            self.assertEqual(code, 0, said)
            self.assertRegex(said, r"SAME +%s: " % ("in all digits that are written" if file == "llama.txt" else ".*"))
            self.assertEqual(run("graph", "golden/" + file, "-o", "v.md", cwd=self.folder)[0], 0)
            # The norm of DebugMode has numbers in the place of NaN and Inf: that it is finite says nothing.
            self.assertEqual(run("locate", "golden/" + file, "-o", "v.md", cwd=self.folder)[0], 3 if file == "debug_mode.txt" else 0, file)

    def test_modules_of_pytorch_are_nodes_of_llama(self):
        make.write(self.path("golden"), make.run())
        make.write(self.path("noisy"), make.run(noise=1e-8))
        for golden, target in (("golden/hook.jsonl", "noisy/llama.txt"), ("golden/llama.txt", "noisy/hook.jsonl")):
            code, said = self.compare(golden, target)
            self.assertEqual(code, 0, said)
            self.assertIn("AGREES    43 slots", said)
        for node in ("ffn_up-2", "Vcur-1", "attn_out-3", "result_output"):
            make.write(self.path("target"), make.run(node))
            module = [found for found in make.run() if found.name == node][0].module()[0]
            self.assertRegex(self.compare("golden/hook.jsonl", "target/llama.txt")[1], r"DIVERGES +at %s, " % node)
            self.assertIn("at LlamaForCausalLM.%s, " % module, self.compare("golden/llama.txt", "target/hook.jsonl")[1])

    def test_biases_make_the_sum_the_projection(self):
        def biased(nodes):
            for node in nodes:
                yield node
                if node.name[1:].startswith("cur-") and node.op == "MUL_MAT":
                    yield make.Node(node.name, "ADD", [[value + 1 for value in row] for row in node.rows], [node])

        def hooked(nodes):
            for node in nodes:
                shift = node.name[1:].startswith("cur-") and node.op == "MUL_MAT"
                yield make.Node(node.name, node.op, [[value + shift for value in row] for row in node.rows], []) if shift else node

        make.write_llama(self.write("l.txt", ""), list(biased(make.run())))
        make.write_hook(self.write("h.jsonl", ""), list(hooked(make.run())))
        code, said = self.compare("h.jsonl", "l.txt")
        self.assertEqual(code, 0, said)
        self.assertIn("AGREES    43 slots", said)

    def test_sums_of_the_printed_elements_alone_are_told(self):
        """As older writers give them; both prefixes are read."""
        make.write_llama(self.write("new.txt", ""), make.run(), "ggml_debug")
        self.assertNotIn("printed elements", self.compare("new.txt", "new.txt")[1])
        lines, total = [], 0.0
        with open(self.path("new.txt"), encoding="utf-8") as file:
            for line in file:
                if "sum = " in line:
                    line, total = "    sum = %f\n" % total, 0.0
                elif line.startswith("            ["):
                    total += sum(float(word) for word in line.strip(" [],\n").replace("..., ", "").split(","))
                lines.append(line)
        self.write("old.txt", "".join(lines))
        code, said = self.compare("old.txt", "old.txt")
        self.assertEqual(code, 0, said)
        self.assertIn("the sums are those of the printed elements alone", said)

    def test_a_hash_of_bits_is_a_checksum(self):
        text = "[nn.Mod] Net\n  aten::relu(t: f32[4, 4])  ->  t: f32[4, 4]  # {'input_hash': ((%d,), {}), 'hash': %d}\n"
        self.write("a.txt", text % (17, 12345678901234567890) * 3)
        self.write("b.txt", text % (17, 12345678901234567890) + text % (17, 5) + text % (5, 5))
        self.assertEqual(self.compare("a.txt", "a.txt")[0], 0)
        code, said = self.compare("a.txt", "b.txt")
        self.assertEqual(code, 1, said)
        self.assertIn("at Net.aten::relu#1, ", said)

    def test_two_files_that_might_each_be_the_dump_are_named_and_the_verdict_is_partial(self):
        def keep(folder, *files):
            make.write(self.path(folder), make.run())
            for file in set(os.listdir(self.path(folder))) - set(files):
                os.remove(self.path(folder + "/" + file))
        for first, second in (("rank0", "rank1"), ("rank0/step0", "rank1/step0"), ("step0", "step1"), ("step0/rank0", "step0/rank1")):
            for side in ("golden", "target"):
                shutil.rmtree(self.path(side), ignore_errors=True)
                keep(side + "/" + first, "llama.txt")
                keep(side + "/" + second, "llama.txt", "paddle.log")
            code, said = self.compare("golden", "target")
            self.assertEqual(code, 4, said)
            self.assertIn("golden/%s: 'llama.txt' and 'paddle.log' are dumps by their content" % second, said)
            self.assertNotIn("holds no dump", said)
            code, said = self.compare("golden", "target", *(("--step", "0") if second == "step1" else ("--rank", "0")))
            self.assertEqual(code, 0, said)
        code, said = self.compare("golden/step0/rank1", "target/step0/rank1")
        self.assertEqual(code, 3, said)
        self.assertIn("'llama.txt' and 'paddle.log' are dumps by their content", said)

    def test_calls_without_modules_lists_and_several_outputs_are_read(self):
        self.write("a.txt", "    aten::arange.start(0, 6, device=cpu)  ->  t$3: i64[6]  # {'hash': 15.0}\n"
                   "    aten::split(t$0: bf16[4, 4], 2)  ->  ('t$1: bf16[2, 4]', 't$2: bf16[2, 4]')  # {'input_hash': ((3.5, None), {}), "
                   "'hash': (1.5, 2.0)}\n    redistribute_input(0, S(0) -> R)\n"
                   "    aten::mm(dt$5: f8e4m3fn[8, 8]| S(0), t: b8[8])  ->  dt: f32[8, 8]| S(0)\n")
        self.assertEqual(run("convert", "a.txt", "-o", "a.jsonl", cwd=self.folder)[0], 0)
        with open(self.path("a.jsonl"), encoding="utf-8") as file:
            rows = [json.loads(line) for line in file][1:]
        self.assertEqual([(row["op"], row["io"], row["slot"], row["dtype"], row.get("norm")) for row in rows], [
            ("aten::arange.start", "output", "0", "torch.int64", 15.0), ("aten::split", "input", "0", "torch.bfloat16", 3.5),
            ("aten::split", "output", "0", "torch.bfloat16", 1.5), ("aten::split", "output", "1", "torch.bfloat16", 2.0),
            ("aten::mm", "input", "0", "torch.float8_e4m3fn", None), ("aten::mm", "input", "1", "torch.bool", None),
            ("aten::mm", "output", "0", "torch.float32", None)])

    def test_nan_is_located_whatever_the_writer_tells(self):
        nodes = make.run()
        at = [node.name for node in nodes].index("ffn_gate-1")
        nodes[at].flat[3] = nodes[at + 1].flat[3] = float("nan")
        make.write(self.path("golden"), nodes)
        names = ["ffn_gate-1", "LlamaForCausalLM.model.layers.1.mlp.gate_proj.aten::mm", "ffn_gate-1_MUL_MAT",
                 "model.layers.1.mlp.gate_proj.linear", "matmul#13"]
        for file, name in zip(PRINTED, names):
            code, _, said = run("locate", "golden/" + file, "-o", "v.md", cwd=self.folder)
            self.assertEqual(code, 1, said)
            self.assertRegex(said, r"NaN +born on .*, %s: " % name)

    def test_cut_and_broken_text_costs_itself(self):
        make.write(self.path("golden"), make.run())
        rng = random.Random(1)
        for file in PRINTED:
            with open(self.path("golden", file), "rb") as source:
                data = source.read()
            for _ in range(5):
                part = bytearray(data[:rng.randrange(1, len(data))])
                for _ in range(rng.randrange(0, 4)):
                    part[rng.randrange(len(part))] = rng.choice(b"()[]{},\n\0\xff'")
                self.write("cut", bytes(part))
                code, said = self.compare("golden/" + file, "cut")
                self.assertIn(code, (0, 1, 3, 4), said)
                self.assertNotIn("defect", said)
        self.write("half.txt", data[:0] + b"common_debug_cb_eval: x = (f32) ADD(a{2, 1, 1, 1}, }) = {2, 1, 1, 1}\n [ 1.0000, 2.0000]\n")
        code, _, said = run("graph", "half.txt", "-o", "v.md", cwd=self.folder)
        self.assertEqual(code, 4, said)
        self.assertIn("breaks off within a tensor", said)


if __name__ == "__main__":
    main()
