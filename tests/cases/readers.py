#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One small model (samples/traces) as every writer of dumps leaves it, with one projection off: each reader of the table names exactly
that op, alone, in a folder, after 'convert' and across the writers that people hold against each other. A reader without a writer
here fails."""
import importlib.util
import json
import math
import os
import re
import pickle
import shutil
import subprocess
import sys
import types
import zipfile

import checkpoints
import torch_checkpoints as torch_like
from program import Case, SAMPLES, main, run

ROOT = os.path.dirname(SAMPLES)


def sample(name):
    spec = importlib.util.spec_from_file_location("make_" + name, os.path.join(SAMPLES, name, "make-%s.py" % name))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


traces, engines = sample("traces"), sample("engines")
engines.torch = types.SimpleNamespace(save=lambda value, path: torch_like.torch_save(path, value))


def modules(nodes):
    """(path, class, what went in, what came out), as rows of numbers, of the nodes that are what a module gives."""
    for node in nodes:
        if node.module() and not (node.name.startswith("Qcur") and node.op == "ROPE"):
            yield (*node.module(), (node.inputs or (node,))[0].rows, node.rows)


def figures(rows):
    flat = [value for row in rows for value in row]
    return max(flat), min(flat), sum(flat) / len(flat), math.sqrt(sum(value * value for value in flat))


def record(rows, kind="torch.float32", of="torch.Tensor"):
    return dict(zip(("Max", "Min", "Mean", "Norm"), figures(rows)), type=of, dtype=kind, shape=[len(rows), len(rows[0])], requires_grad=False)


def write_json(path, nodes):
    data = {"Module.%s.%s.forward.0" % (name, of): {"input_args": [record(given)], "input_kwargs": {}, "output": [record(gives)]}
            for name, of, given, gives in modules(nodes)}
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"task": "statistics", "level": "L0", "framework": "pytorch", "dump_data_dir": None, "data": data}, file)


def write_pkl(path, nodes):
    with open(path, "w", encoding="utf-8") as file:
        for name, of, given, gives in modules(nodes):
            for slot, rows in (("input.0", given), ("output", gives)):
                file.write(json.dumps(["%s_%s_0_forward_%s" % (name, of, slot), 1, [], "torch.float32", [len(rows), len(rows[0])],
                                       figures(rows)]) + "\n")


def write_kernels(path, nodes):
    with open(path, "w", encoding="utf-8") as file:
        file.write("Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,Max Value,Min Value,L2Norm Value\n")
        for place, (name, of, given, gives) in enumerate(modules(nodes)):
            for io, rows in (("input", given), ("output", gives)):
                most, least, _, norm = figures(rows)
                file.write('%s,Default/%s/%s-op%d,0,0,%d,%s,0,%d,float32,"(%d,%d)",%r,%r,%r\n' % (
                    of, name, of, place, 1700000000000001 + place, io, 4 * len(rows) * len(rows[0]), len(rows), len(rows[0]), most, least, norm))


def write_tree(path, nodes):
    """transformers' debug tree, as flat as it is where no module holds another."""
    def tensor(rows):
        most, least, mean, _ = figures(rows)
        flat = [value - mean for row in rows for value in row]
        spread = math.sqrt(sum(value * value for value in flat) / (len(flat) - 1))
        return {"shape": "torch.Size([1, %d, %d])" % (len(rows), len(rows[0])), "dtype": "torch.float32",
                **{key: "tensor(%.4e)" % value for key, value in (("mean", mean), ("std", spread), ("min", least), ("max", most))}}

    children = [{"module_path": "LlamaForCausalLM." + name, "inputs": {"args": [tensor(given)]}, "outputs": tensor(gives)}
                for name, _, given, gives in modules(nodes)]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"module_path": "LlamaForCausalLM", "inputs": {}, "children": children}, file)


def write_blocks(path, nodes):
    """torchtitan's activations of a step."""
    with open(path, "w", encoding="utf-8") as file:
        for name, _, given, gives in modules(nodes):
            most, least, mean, norm = figures(gives)
            file.write("[%s/op_0_mm]\n  Shape: torch.Size([%d, %d]), Dtype: torch.float32\n  L2 norm: %e\n  Min: %e\n  Max: %e\n  Mean: %e\n"
                       "  Input hashes: %e\n  Phase: forward\n\n" % (name, len(gives), len(gives[0]), norm, least, most, mean, figures(given)[3]))


def write_probe(path, nodes):
    with open(path, "w", encoding="utf-8") as file:
        for name, _, _, gives in modules(nodes):
            most, least, mean, norm = figures(gives)
            file.write(json.dumps({"module": name, "shape": [len(gives), len(gives[0])], "dtype": "torch.float32", "max": most, "min": least,
                                   "mean": mean, "norm": norm}) + "\n")


def write_probe_table(path, nodes):
    with open(path, "w", encoding="utf-8") as file:
        file.write("layer_name;dtype;shape;mean;norm;max;min\n")
        for name, _, _, gives in modules(nodes):
            most, least, mean, norm = figures(gives)
            file.write("%s;torch.float32;[%d, %d];%r;%r;%r;%r\n" % (name, len(gives), len(gives[0]), mean, norm, most, least))


def write_saved_logs(path, nodes):
    """DebugMode.save_logs."""
    def scalars(*values):
        return {"type": "tuple", "items": [{"type": "scalar", "value": value} for value in values]}

    logs = []
    for name, _, given, gives in modules(nodes):
        shapes = ["t: f32[%d, %d]" % (len(rows), len(rows[0])) for rows in (given, gives)]
        hashes = [["input_hash", {"type": "tuple", "items": [scalars(figures(given)[3]), {"type": "dict", "items": []}]}],
                  ["hash", {"type": "scalar", "value": figures(gives)[3]}]]
        logs += [{"type": "annotate", "call_depth": 1, "header": "nn.Mod", "tag": "Llama." + name},
                 {"type": "op", "call_depth": 2, "op_name": "aten::mm", "args_str": shapes[0], "kwargs_str": "", "output_str": "  ->  " + shapes[1],
                  "log": {"type": "dict", "items": hashes}}]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"format": "torch.utils._debug_mode.DebugMode.logs", "version": 1, "logs": logs}, file)


def torch_tensor(rows):
    return torch_like.Tensor(types.SimpleNamespace(shape=[len(rows), len(rows[0])], values=[value for row in rows for value in row]))


def engine(writer):
    def write(path, nodes):
        ids = torch_like.Tensor(types.SimpleNamespace(shape=[3], values=[3.0, 1.0, 4.0]))
        rows = [(name, torch_tensor(given), torch_tensor(gives)) for name, _, given, gives in modules(nodes)]
        writer(path, [(ids, rows)])
    return write


def write_arrays(path, nodes):
    """A safetensors file keeps the order of the alphabet: layers count by value there."""
    checkpoints.write_safetensors(path, {name: checkpoints.Tensor([len(gives), len(gives[0])], [v for row in gives for v in row])
                                         for name, _, _, gives in modules(nodes)})


UP = "model.layers.2.mlp.up_proj"
MINDSPORE, TRTLLM = r"Default/%s/Linear-op\d+\.0\.forward" % re.escape(UP), r"\d+\.model-\S+2-\d+\.mlp-\d+\.up_proj"
# By reader: the files that it reads (name, writer, the op that is named there). A folder where the name has no ending.
WRITERS = {
    "dump_json_read": [("dump.json", write_json, "Module.%s.Linear.forward.0" % UP)],
    "statistic_csv_read": [("statistic.csv", write_kernels, MINDSPORE)],
    "pkl_text_read": [("dump.pkl", write_pkl, "Module.%s.Linear.forward.0|%s.Linear.0.forward" % (UP, UP))],
    "debug_tree_read": [("LlamaForCausalLM_debug_tree_SUMMARY.json", write_tree, "LlamaForCausalLM." + UP)],
    "line_dump_read": [("dump.jsonl", traces.write_hook, "LlamaForCausalLM." + UP)],
    "llama_trace_read": [("llama.txt", traces.write_llama, "ffn_up-2")],
    "debug_mode_read": [("debug_mode.txt", traces.write_debug_mode, r"LlamaForCausalLM.%s.aten::mm" % UP)],
    "polygraphy_json_read": [("polygraphy.json", traces.write_polygraphy, "ffn_up-2_MUL_MAT")],
    "block_log_read": [("rank_0_activations.log", write_blocks, UP + "/op_0_mm")],
    "probe_lines_read": [("probe.jsonl", write_probe, UP), ("probe.csv", write_probe_table, UP)],
    "debug_mode_json_read": [("saved.json", write_saved_logs, r"Llama.%s.aten::mm" % UP)],
    "quant_log_read": [("quant_log.csv", traces.write_quant_log, UP + ".linear")],
    "module_struct_read": [],  # a structure without values: cases/monitor_beside
    "paddle_log_read": [("paddle.log", traces.write_paddle, r"matmul#22")],
    "tensor_set_read": [("passes", engine(engines.write_passes), UP), ("dumper", engine(lambda path, rows: engines.write_dumper(path, rows, 0)), UP),
                        ("trtllm", engine(engines.write_trtllm), TRTLLM),
                        ("intermediates", engine(engines.write_intermediates), "step_0/" + UP),
                        ("arrays.safetensors", write_arrays, r"model.layers.2.mlp.(up_proj|down_proj)")],
}
# What people hold against each other: the names on both sides, and the op as the target calls it.
ACROSS = [("dump.json", "passes"), ("dump.json", "llama.txt"), ("dump.json", "LlamaForCausalLM_debug_tree_SUMMARY.json"),
          ("dump.jsonl", "llama.txt"), ("dump.jsonl", "dump.json"), ("dump.jsonl", "dumper"), ("passes", "dumper"), ("dumper", "dump.json"),
          ("LlamaForCausalLM_debug_tree_SUMMARY.json", "llama.txt"), ("LlamaForCausalLM_debug_tree_SUMMARY.json", "passes")]

# Every other input of the table of formats: its line in `vernier help inputs`, the file that a script of samples/ makes, the file that the
# fuzzer begins with, the command, and what it has to say. A reader of a table in src/read that no row names fails.
FORMATS = [
    ("comparator_report_read", "accuracy pre-check", "precheck/comparator_report.jsonl", "precheck/comparator_report.jsonl", "", "FAILS"),
    ("precheck_read", "accuracy pre-check", "precheck/accuracy_checking_details_1.csv", "precheck/accuracy_checking_details_1", "", "FAILS"),
    ("comparison_database_read", "results of other comparators", "other-tools/compare_result_1.vis.db", "beside/view.vis.db", "", "FAILS +layers.2:"),
    ("comparison_json_read", "results of other comparators", "other-tools/ckpt_similarity.json", "precheck/ckpt_similarity.json", "", "FAILS +layers.2.weight:"),
    ("comparison_json_read", "scores of an evaluation", "other-tools/golden/scores.json other-tools/target/scores.json", "precheck/scores.json", "", "FAILS +gsm8k:"),
    ("comparison_summary_read", "scores of an evaluation", "other-tools/summary.csv", "precheck/summary.csv", "precheck", "FAILS +gsm8k:"),
    ("comparison_summary_read", "scores of an evaluation", "other-tools/golden/scores.md other-tools/target/scores.md", "precheck/scores.md", "",
     "FAILS +gsm8k exact_match,strict-match:"),
    ("checksum_list_read", "checksums of weights", "other-tools/trainer.json other-tools/converter.json other-tools/engine.txt", "precheck/engine.txt", "",
     "model.layers.1.mlp.down_proj.weight"),
    ("comparison_table_read", "results of other comparators", "other-tools/precision_report.csv", "precheck/precision_checker.csv", "", "FAILS +layers.2.fwd_output"),
    ("comparison_table_read", "results of other comparators", "other-tools/result_1.csv", "precheck/msaccucmp.csv", "", "FAILS +layers.2:"),
    ("comparison_table_read", "results of other comparators", "other-tools/compare_result_1.csv", "precheck/compare_result.csv", "", "FAILS +Module.layers.2.Linear"),
    ("comparison_table_read", "results of other comparators", "other-tools/compare_result_1.xlsx", "xlsx/compare_result.xlsx", "", "FAILS +Module.layers.2.Linear"),
    ("comparison_table_read", "results of other comparators", "other-tools/gap.csv", "beside/gap.csv", "", "layers.2:"),
    ("comparison_lines_read", "results of other comparators", "other-tools/polygraphy.log", "precheck/polygraphy.log", "", "FAILS +layers.2:"),
    ("comparison_lines_read", "results of scripts", "other-tools/layers.log", "precheck/lines.log", "", "FAILS +layers.2:"),
    ("comparison_lines_read", "results of scripts", "other-tools/layers.md", "beside/layers.md", "", "FAILS +layers.2:"),
    ("comparison_table_read", "results of scripts", "other-tools/layers.csv", "precheck/layers.csv", "", "FAILS +layers.2:"),
    ("comparison_records_read", "results of scripts", "other-tools/layers.jsonl", "precheck/layers.jsonl", "", "FAILS +layers.2: largest absolute error 0.5"),
    ("comparison_lines_read", "results of scripts", "other-tools/npz.log", "precheck/npz.log", "", "FAILS +layers.2: cosine similarity 0.5"),
    ("comparison_lines_read", "results of scripts", "other-tools/numpy.log", "precheck/numpy.log", "", "FAILS +layers.2: largest absolute error 0.5"),
    ("comparison_lines_read", "results of scripts", "other-tools/compiled.log", "precheck/compiled.log", "", "FAILS +layers.2.weight.grad: RMSE"),
    ("token_read_tree", "log-probabilities of tokens", "other-tools/golden/chat.json other-tools/target/chat.json", "token_set/chat.json", "", "token 4 on"),
    ("token_read_tree", "log-probabilities of tokens", "other-tools/golden/prompt.json other-tools/target/prompt.json", "token_set/prompt.json", "", "token 5 on"),
    ("token_read_tree", "log-probabilities of tokens", "other-tools/golden/sglang.json other-tools/target/sglang.json", "token_set/sglang.json", "", "token 4 on"),
    ("token_read_tree", "log-probabilities of tokens", "other-tools/golden/tgi.json other-tools/target/tgi.json", "token_set/tgi.json", "", "token 4 on"),
    ("token_read_tree", "log-probabilities of tokens", "other-tools/golden/llama-server.json other-tools/target/llama-server.json", "token_set/llama-server.json", "",
     "token 4 on"),
    ("token_read_tree", "log-probabilities of tokens", "other-tools/golden/logits.jsonl other-tools/target/logits.jsonl", "token_set/logits.json", "", "token 4 on"),
    ("token_read_torch", "log-probabilities of tokens", "engines/rollout.pt", "token_set/slime.pt", "", "token 6 on"),
    ("token_read_lines", "log-probabilities of tokens", "tokens/golden.jsonl tokens/target.jsonl", "token_set/both.jsonl", "", "DIFFERS"),
    ("token_read_table", "log-probabilities of tokens", "tokens/golden.csv tokens/target.csv", "token_set/golden.csv", "", "DIFFERS"),
    ("saved_batches_read", "arrays of tokens", "other-tools/target/batches", "beside/tokens.npy", "check", "step 1, rank 1"),
    ("study_rungs_read", "a table of experiments", "other-tools/experiments.csv", "beside/experiments.csv", "study", "FAILED +Ladder of configurations: tp2"),
    ("monitor_side", "next to a monitor", "other-tools/anomaly_analyse.json", "beside/anomaly_analyse.json", "", "ALARM +2 alarms"),
    ("monitor_layers", "output of a training monitor", "other-tools/golden/layers.jsonl other-tools/target/layers.jsonl", "beside/layers.jsonl", "monitor", "layer_002"),
    ("inspect_log_read", "output of a training monitor", "inspect/golden inspect/target", "monitor/inspect.log", "", "decoder.2.mlp.linear_fc2"),
    ("module_struct_read", "next to a monitor", "other-tools/module_struct.json", "beside/module_struct.json", "", "4 modules"),
    ("config_pack_read", "config_check", "pack/golden.zip pack/target.zip", "beside/env", "", "DIFFERS"),
    ("block_log_read", "logs with a block an op", "other-tools/golden/ort.txt other-tools/target/ort.txt", "printed_dump/ort", "", "/model/layers.3/MatMul"),
    ("block_log_read", "logs with a block an op", "other-tools/stderr.txt", "printed_dump/underflow", "locate", "encoder.block.2.dropout"),
    ("block_log_read", "logs with a block an op", "other-tools/anomaly.log", "printed_dump/anomaly", "locate", "SqrtBackward0"),
    ("block_log_read", "logs with a block an op", "other-tools/norms.log", "printed_dump/norms", "locate", "model.layers.1.mlp.down_proj.weight"),
    ("debug_mode_read", "DebugMode", "other-tools/golden/eager.txt other-tools/target/compiled.txt", "printed_dump/compiled", "", "features.1"),
    ("statistic_csv_read", "MindSpore's own dump", "mindspore/golden mindspore/target", "tables/statistic.csv", "compare", "step 1, rank 0"),
]
MADE_BY = {"precheck": [["precheck", ""]], "other-tools": [["other-tools", ""]], "tokens": [["tokens", ""], ["tokens", "", "--form", "csv"]],
           "inspect": [["inspect", ""]], "pack": [["config-pack", "golden.zip"], ["config-pack", "target.zip", "--plant", "pip"]],
           "mindspore": [["mindspore-dump", "golden"], ["mindspore-dump", "target", "--defect", "ReLU-op5,1,0", "--run", "3"]]}
SCRIPTS = {"config-pack": "make-pack.py"}


def torch_save(value, path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps(value, protocol=2))
        archive.writestr("archive/version", "3\n")


class Readers(Case):
    @classmethod
    def setUpClass(cls):
        cls.nodes = {"golden": traces.run(), "target": traces.run("ffn_up-2")}

    def place(self, side, name, writer, inside=""):
        path = self.path(side, inside, name)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(os.path.dirname(path) if "." in name else path, exist_ok=True)
        writer(path, self.nodes[side])
        return path

    def sides(self, name, writer):
        return [self.place(side, name, writer) for side in ("golden", "target")]

    def compare(self, *arguments):
        code, _, said = run("compare", *arguments, "-o", "v.md", cwd=self.folder)
        return code, said

    def named(self, said, code, op, what):
        self.assertEqual(code, 1, (what, said))
        self.assertRegex(said, r"DIVERGES +at (%s), " % op, what)

    def test_every_reader_of_the_table_has_a_writer_here(self):
        with open(os.path.join(ROOT, "src", "read", "dump", "dump_source.c"), encoding="utf-8") as file:
            text = file.read()
        table = text[text.index("formats[] = {"):text.index("enum { FORMATS")]
        self.assertEqual(set(re.findall(r"\.read(?:_path)? = (\w+)", table)), set(WRITERS))

    def test_every_other_format_has_a_sample_that_is_read_a_file_of_the_fuzzer_and_a_line_of_help(self):
        for folder, runs in MADE_BY.items():
            os.makedirs(self.path("made", folder))
            for script, out, *options in runs:
                subprocess.run([sys.executable, os.path.join(SAMPLES, script, SCRIPTS.get(script, "make-%s.py" % script)),
                                self.path("made", folder, out), *options], check=True, capture_output=True)
        os.makedirs(self.path("made", "engines"))
        kept, engines.torch.save = engines.torch.save, lambda value, path: torch_save(value, path)
        engines.write_rollout(self.path("made", "engines", "rollout.pt"), 0.3)
        engines.torch.save = kept
        entries = run("help", "inputs")[1]
        for reader, entry, made, seed, command, expected in FORMATS:
            _, _, said = run(*command.split(), *made.split(), "-o", self.out, "--format", "json", cwd=self.path("made"))
            self.assertRegex(said, expected, (reader, made))
            self.assertRegex(entries, r"(?m)^  .*" + re.escape(entry), reader)
            self.assertGreater(os.path.getsize(os.path.join(ROOT, "tests", "fuzz", "corpus", seed)), 0, reader)

    def test_every_reader_of_the_tables_of_results_and_tokens_is_a_row_of_formats(self):
        rows = {row[0] for row in FORMATS}
        for path, pattern in (("precheck/comparison_result.c", r"\{comparison_\w+_(?:is|are), (\w+)|_is, (\w+_read),"), ("token/token_file.c", r"(token_read_\w+)\(")):
            with open(os.path.join(ROOT, "src", "read", path), encoding="utf-8") as file:
                found = {name for names in re.findall(pattern, file.read()) for name in ([names] if isinstance(names, str) else names) if name}
            self.assertTrue(found)
            self.assertLessEqual(found, rows, path)

    def test_the_op_that_was_planted_is_named_of_every_reader(self):
        for name, writer, op in sum(WRITERS.values(), []):
            golden, target = self.sides(name, writer)
            code, said = self.compare(golden, target)
            self.named(said, code, op, name)
            code, said = self.compare(golden, golden)
            self.assertEqual((code, "SAME" in said), (0, True), (name, said))

    def test_the_same_in_a_tree_of_steps_and_ranks(self):
        for name, writer, op in sum(WRITERS.values(), []):
            if name in ("trtllm", "passes", "intermediates"):
                continue  # have folders of ranks of their own
            for side in ("golden", "target"):
                self.place(side, name, writer, os.path.join("of_" + name, "step0", "rank0"))
            code, said = self.compare("golden/of_" + name, "target/of_" + name)
            self.named(said, code, op, name)

    def test_what_is_converted_to_the_open_form_parts_at_the_same_op(self):
        """Two writers of one run: its own, and vernier."""
        for name, writer, op in sum(WRITERS.values(), []):
            golden, target = self.sides(name, writer)
            self.assertEqual(run("convert", golden, "-o", "golden.jsonl", cwd=self.folder)[0], 0, name)
            code, said = self.compare("golden.jsonl", target)
            self.named(said, code, op, name)

    def test_across_the_writers_that_people_compare(self):
        writers = {name: (writer, op) for name, writer, op in sum(WRITERS.values(), [])}
        for one, other in ACROSS:
            for golden, target in ((one, other), (other, one)):
                code, said = self.compare(self.place("golden", golden, writers[golden][0]), self.place("target", target, writers[target][0]))
                self.named(said, code, "%s|%s" % (writers[golden][1], writers[target][1]), (golden, target))


if __name__ == "__main__":
    main()
