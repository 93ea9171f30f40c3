#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The worked examples X1 to X13 of the graph specification, as a user runs them.

Inputs are written out in the shorthand of the specification: T(max, min, mean, norm) is a float32 tensor of shape
[2, 2], io(inputs; outputs) an entry. What each rule gives is told by the graph database and the file of nodes; the parts
of the examples that need no files stand in the unit tests of the same number.
"""
import json
import os
import shutil
import sqlite3
import struct
import subprocess
import tempfile

from program import Case, VERNIER, main

INF, NAN = float("inf"), float("nan")


def T(largest, least, mean, norm, **more):
    return dict({"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2, 2], "Max": largest, "Min": least,
                 "Mean": mean, "Norm": norm, "requires_grad": False}, **more)


GOOD = T(1, 0, .5, 1)


def io(inputs, outputs, **more):
    inputs = inputs if isinstance(inputs, list) else [inputs]
    outputs = outputs if isinstance(outputs, list) else [outputs]
    return dict({"input_args": inputs, "input_kwargs": {}, "output": outputs}, **more)


def integer(value):
    return {"type": "int", "value": value}


class Examples(Case):
    def write(self, side, construct, data, stack=None, task="statistics", framework="pytorch"):
        folder = self.path(side)
        os.makedirs(folder, exist_ok=True)
        dump = {"task": task, "level": "mix", "framework": framework, "dump_data_dir": None, "data": data}
        for name, content in (("dump.json", dump), ("construct.json", construct), ("stack.json", stack or {})):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                json.dump(content, file)
        return folder

    def run_vernier(self, *arguments):
        done = subprocess.run([VERNIER, *arguments], env=dict(os.environ, LC_ALL="C"), capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stderr + done.stdout

    def nodes(self, *arguments, side=None):
        """Rows of the database by graph and node; parsed where they are JSON."""
        out = tempfile.mkdtemp(dir=self.folder)
        code, stderr = self.run_vernier(*arguments, "-o", out, "--format", "vis-db")
        self.assertIn(code, (0, 1, 3, 4), stderr)  # 3: trees without data, nothing compared
        name = [name for name in os.listdir(out) if name.endswith(".vis.db")][0]
        database = sqlite3.connect(os.path.join(out, name))
        database.row_factory = sqlite3.Row
        self.addCleanup(database.close)
        self.config = dict(database.execute("SELECT * FROM tb_config").fetchone())
        stacks = {row["id"]: json.loads(row["stack_info"]) for row in database.execute("SELECT * FROM tb_stack")}
        graphs = {}
        for row in database.execute("SELECT * FROM tb_nodes ORDER BY node_order"):
            node = dict(row)
            node["stack"] = stacks[node["stack_id"]]
            for column in ("sub_nodes", "matched_node_link", "matched_distributed", "input_data", "output_data"):
                node[column] = json.loads(node[column] or "[]")
            graphs.setdefault(node["graph_id"], {})[node["node_name"]] = node
        return graphs if side is None else graphs[side]

    def compare(self, target, golden, *arguments, rules="msprobe26"):
        """Sides are (construct, data) pairs; gives the nodes of the target and of golden."""
        for side, content in (("target", target), ("golden", golden)):
            self.write(side, *content)
        graphs = self.nodes("compare", self.path("golden"), self.path("target"), "--rules", rules, *arguments)
        return graphs["NPU_0_0"], graphs["Bench_0_0"]

    def indices(self, nodes, names):
        return [nodes[name]["precision_index"] for name in names]

    # ---- X1

    def test_x1_build(self):
        net, linear = "Module.net.Net.forward.0", "Module.net.fc.Linear.forward.0"
        construct = {"Tensor.to.0.forward": None, "Torch.ones.0.forward": None, net: None, linear: net,
                     "Functional.linear.0.forward": linear, "Tensor.sum.0.forward": None,
                     "Module.net.Net.backward.0": None, "Module.net.fc.Linear.backward.0": None,
                     "Functional.linear.0.backward": None}
        back = {"input": [T(1, 1, 1, 1)], "output": [T(1, 1, 1, 1)]}
        data = {"Tensor.to.0.forward": io(GOOD, GOOD),
                "Torch.ones.0.forward": {"input_args": [integer(4)], "input_kwargs":
                                         {"device": {"type": "str", "value": "cpu"}, "dtype": None}, "output": [T(1, 1, 1, 2)]},
                net: io([GOOD, {"type": "torch.Size", "value": [2, 2]}, [T(3, 0, 1, 2), T(4, 0, 1, 2)]], T(2, 0, 1, 3)),
                linear: io(GOOD, T(2, 0, 1, 3), parameters={"weight": T(.1, -.1, 0, .3, requires_grad=True)}),
                "Functional.linear.0.forward": io(GOOD, T(2, 0, 1, 3)),
                "Tensor.sum.0.forward": io(T(2, 0, 1, 3), T(4, 4, 4, 4, shape=[])),
                "Module.net.Net.backward.0": {"input": [T(1, 1, 1, 1)], "output": [None]},
                "Module.net.fc.Linear.backward.0": back, "Functional.linear.0.backward": back,
                "Module.net.fc.Linear.parameters_grad": {"weight": [T(.1, 0, .05, .2)]}}
        stack = {"0": [["Tensor.to.0.forward", "Torch.ones.0.forward"], ["f1"]], "1": [[linear], ["f2"]]}
        nodes = self.nodes("graph", self.write("x1", construct, data, stack), "--rules", "msprobe26", side="NPU_0_0")
        self.assertEqual([(node["node_name"], node["node_type"]) for node in nodes.values()], [
            ("Tensor.to.0.forward", "1"), ("Torch.ones.0.forward", "1"), ("Apis_Between_Modules.0", "9"),
            ("Functional.linear.0.forward", "1"), (linear, "0"), (net, "0"), ("Tensor.sum.0.forward", "1"),
            ("Functional.linear.0.backward", "1"), ("Module.net.fc.Linear.parameters_grad", "0"),
            ("Module.net.fc.Linear.backward.0", "0"), ("Module.net.Net.backward.0", "0"), ("DefaultModel", "0")])
        self.assertEqual({node["micro_step_id"] for node in nodes.values()}, {0})
        self.assertEqual(self.config["micro_steps"], 1)
        self.assertEqual(nodes["DefaultModel"]["sub_nodes"], ["Apis_Between_Modules.0", net, "Tensor.sum.0.forward",
                                                              "Module.net.Net.backward.0"])
        self.assertEqual(nodes["Module.net.fc.Linear.backward.0"]["sub_nodes"],
                         ["Functional.linear.0.backward", "Module.net.fc.Linear.parameters_grad"])
        ones = nodes["Torch.ones.0.forward"]
        name = "Torch.ones.0.forward."
        self.assertEqual(list(ones["input_data"]), [name + "input.0", name + "input.device", name + "input.dtype"])
        self.assertEqual(list(ones["output_data"]), [name + "output.0"])
        four = ones["input_data"][name + "input.0"]
        self.assertEqual([four[key] for key in ("dtype", "shape", "Max", "Min", "Mean", "Norm")],
                         ["<class int>", "[]", "4", "4", "4", "4"])
        self.assertEqual(ones["input_data"][name + "input.dtype"], {"value": "null"})
        self.assertEqual(list(nodes[net]["input_data"]), [net + ".input.0", net + ".input.1", net + ".input.2.0",
                                                          net + ".input.2.1"])
        self.assertEqual(list(nodes[linear]["input_data"]), [linear + ".input.0", linear + ".parameters.weight"])
        self.assertEqual(list(nodes["Module.net.Net.backward.0"]["output_data"].values()), [{"value": "null"}])
        self.assertEqual(list(nodes["Module.net.fc.Linear.parameters_grad"]["input_data"]),
                         ["Module.net.fc.Linear.parameters_grad.weight"])
        self.assertEqual((nodes["Module.net.fc.Linear.backward.0"]["stack"], nodes["Functional.linear.0.forward"]["stack"]),
                         (["f2"], []))

    # ---- X2, X3: the indices stand in msprobe_nodes_test.c; here the cells

    def test_x2_cells_of_a_comparison(self):
        construct = {"Module.net.b.Linear.forward.0": None, "Functional.linear.0.forward": None,
                     "Module.net.e.Linear.forward.0": None}
        names = list(construct)
        target = {names[0]: io(GOOD, T(INF, 0, NAN, INF)), names[1]: io(T(1, 0, .5, 10.1), T(1, 0, .5, 12)),
                  names[2]: io([GOOD, GOOD], T(2, 0, 1, 3))}
        golden = {names[0]: io(GOOD, T(2, 0, 1, 3)), names[1]: io(T(1, 0, .5, 10), T(1, 0, .5, 10)),
                  names[2]: io(GOOD, T(2, 0, 1, 3))}
        nodes, bench = self.compare((construct, target), (construct, golden))
        self.assertEqual(self.indices(nodes, names), [1, .5, 1])
        item = nodes[names[0]]["output_data"][names[0] + ".output.0"]
        self.assertEqual((item["L2norm diff"].strip(), item["NormRelativeErr"], item["Result"]), ("inf", "inf%", "error"))
        item = nodes[names[1]]["input_data"][names[1] + ".input.0"]
        self.assertEqual((item["NormRelativeErr"], item["Result"]), ("1.000000%", "pass"))
        item = nodes[names[1]]["output_data"][names[1] + ".output.0"]
        self.assertEqual((item["NormRelativeErr"], item["Result"]), ("20.0%", "warning"))
        self.assertNotIn("Result", bench[names[1]]["output_data"][names[1] + ".output.0"])
        self.assertEqual((self.config["graph_type"], self.config["task"]), ("compare", "summary"))
        colours = json.loads(self.config["node_colors"])
        self.assertEqual(sorted(colours), ["#C7C7C7", "#FF704D", "#FFDC7F", "#FFFCF3"])

    def test_x3_checksums_and_structure(self):
        construct = {"Module.a.A.forward.0": None, "Torch.empty.0.forward": None}
        target = {name: io(dict(GOOD, md5="aaaaaaaa"), dict(GOOD, md5="cccccccc")) for name in construct}
        golden = {name: io(dict(GOOD, md5="aaaaaaaa"), dict(GOOD, md5="bbbbbbbb")) for name in construct}
        nodes, _ = self.compare((construct, target), (construct, golden))
        self.assertEqual(self.indices(nodes, construct), [1, 1])
        self.assertEqual(self.config["task"], "md5")
        shapes = [(construct, {}, None, "structure")] * 2
        nodes, _ = self.compare(*shapes)
        self.assertEqual(self.indices(nodes, construct), [None, None])
        self.assertTrue(all(node["matched_node_link"] for node in nodes.values()))
        self.assertEqual((self.config["task"], list(json.loads(self.config["node_colors"]))), ("structure", ["#C7C7C7"]))

    # ---- X4

    def x4(self, block, group, module):
        construct = {"Module.m.Blk.forward.0": None}
        construct.update({"Tensor.%s.forward" % name: "Module.m.Blk.forward.0" for name in block})
        construct.update({"Torch.%s.forward" % name: None for name in group})
        construct.update({module: None, "Torch.abs.7.forward": None})
        return construct, {name: io(GOOD, GOOD) for name in construct}

    def test_x4_exact_against_fuzzy(self):
        target = self.x4(["mul.20", "add.2", "mul.21", "sum.5", "div.3"], ["cat.0", "cat.1"], "Module.n.X.forward.0")
        golden = self.x4(["mul.15", "mul.16", "sum.5", "div.2"], ["cat.3", "cat.4"], "Module.n.X.forward.1")
        same = ["Module.m.Blk.forward.0", "Apis_Between_Modules.0", "Torch.abs.7.forward", "Tensor.sum.5.forward"]
        for options, pairs in (((), {}), (("--fuzzy",), {"mul.20": "mul.15", "mul.21": "mul.16", "div.3": "div.2",
                                                         "cat.0": "cat.3", "cat.1": "cat.4"})):
            nodes, bench = self.compare(target, golden, *options)
            for name in same:
                self.assertEqual(nodes[name]["matched_node_link"][-1], name)
            for name in ("mul.20", "mul.21", "add.2", "div.3", "cat.0", "cat.1"):
                full = ("Torch.%s.forward" if name.startswith("cat") else "Tensor.%s.forward") % name
                partner = [link.split(".", 1)[1].rsplit(".", 1)[0] for link in nodes[full]["matched_node_link"][-1:]]
                self.assertEqual(partner, [pairs[name]] if name in pairs else [], (options, name))
            self.assertEqual(nodes["Module.n.X.forward.0"]["matched_node_link"], [])
            self.assertEqual(bench["Module.n.X.forward.1"]["micro_step_id"], 1)
        self.assertEqual(nodes["Tensor.div.3.forward"]["matched_node_link"],
                         ["DefaultModel", "Module.m.Blk.forward.0", "Tensor.div.2.forward"])

    def test_x4_a_module_that_moved(self):
        target = ({"Module.A.A.forward.0": None, "Module.x.B.forward.0": "Module.A.A.forward.0",
                   "Torch.cat.0.forward": "Module.x.B.forward.0"}, {})
        golden = ({"Module.A.A.forward.0": None, "Module.x.B.forward.0": None,
                   "Torch.cat.0.forward": "Module.x.B.forward.0"}, {})
        data = {name: io(GOOD, GOOD) for name in target[0]}
        for options, count in (((), 1), (("--fuzzy",), 3)):
            nodes, _ = self.compare((target[0], data), (golden[0], data), *options)
            self.assertEqual(sum(bool(nodes[name]["matched_node_link"]) for name in target[0]), count, options)

    # ---- X5

    def x5(self, names, add):
        top, model, embedding, embed, encoder = names
        construct = {top: None, model: top, embedding: model, embed: embedding, encoder: model,
                     encoder.replace("forward", "backward"): None, "Tensor.add.%d.forward" % add: None}
        return construct, {name: io(GOOD, GOOD) for name in construct}

    def test_x5_layer_mapping(self):
        long = "Module.module.module.language_model."
        target = self.x5(["Module.module.Float16Module.forward.0", "Module.module.module.GPTModel.forward.0",
                          long + "embedding.Embedding.forward.0", "Functional.embedding.0.forward",
                          long + "encoder.ParallelTransformer.forward.0"], 0)
        inner = long + "TransformerLanguageModel.forward.0"
        target[0][inner] = "Module.module.module.GPTModel.forward.0"
        target[1][inner] = io(GOOD, GOOD)
        for part in ("embedding.Embedding.forward.0", "encoder.ParallelTransformer.forward.0"):
            target[0][long + part] = inner
        golden = self.x5(["Module.model.FloatModule.forward.0", "Module.model.module.GPT2Model.forward.0",
                          "Module.model.module.embedding.LanguageModelEmbedding.forward.0", "Functional.embedding.3.forward",
                          "Module.model.module.decoder.TransformerBlock.forward.0"], 2)
        # Modules that hold others come first in construct, as calls are entered.
        mapping = self.path("layers.yaml")
        with open(mapping, "w", encoding="utf-8") as file:
            file.write("TopLayer: {module: model}\n"
                       "GPTModel: {language_model.embedding: embedding, language_model.encoder: decoder}\n")
        stack = {"0": [["Tensor.add.0.forward"], ["File a.py, line 1, in forward, \n x"]]}
        target, golden = (*target, stack), (*golden, stack)
        nodes, _ = self.compare(target, golden, "--layer-mapping", mapping)
        links = {name: (node["matched_node_link"] or [None])[-1] for name, node in nodes.items()}
        self.assertEqual(links.pop(inner), None)
        self.assertEqual((links["Functional.embedding.0.forward"], links["Tensor.add.0.forward"]),
                         ("Functional.embedding.3.forward", "Tensor.add.2.forward"))
        self.assertEqual(links[long + "encoder.ParallelTransformer.backward.0"],
                         "Module.model.module.decoder.TransformerBlock.backward.0")
        self.assertTrue(all(links.values()), links)
        nodes, _ = self.compare(target, golden, "--layer-mapping")
        matched = [name for name, node in nodes.items() if node["matched_node_link"]]
        self.assertEqual(matched, ["Tensor.add.0.forward", "DefaultModel"])

    # ---- X6

    def x6(self):
        model = "Module.0.module."
        gpt, block = model + "GPT.%s.0", model + "decoder.Block.%s.0"
        layer, mlp = model + "decoder.layers.%d.TransformerLayer.%s.%d", model + "decoder.layers.0.mlp.MLP.%s.1"
        forward, backward = "forward", "backward"
        construct = {gpt % forward: None, block % forward: gpt % forward, layer % (0, forward, 0): block % forward,
                     layer % (1, forward, 0): block % forward, gpt % backward: None, block % backward: gpt % backward,
                     layer % (1, forward, 1): None, layer % (1, backward, 1): None, layer % (0, forward, 1): None,
                     mlp % forward: layer % (0, forward, 1), layer % (0, backward, 1): None,
                     mlp % backward: layer % (0, backward, 1)}
        frame = "File /x/torch/utils/checkpoint.py, line 5, in recompute_fn, \n fn(*args)"
        stack = {"0": [[layer % (1, forward, 1), layer % (0, forward, 1)], [frame]]}
        return construct, stack, gpt, block, layer, mlp

    def test_x6_recompute(self):
        construct, stack, gpt, block, layer, mlp = self.x6()
        build = lambda name, **more: self.nodes("graph", self.write(name, construct, {}, **more), "--rules", "msprobe26",
                                                side="NPU_0_0")
        for name, more in (("a", {"stack": stack}), ("b", {"framework": "mindspore"})):
            nodes = build(name, **more)
            self.assertEqual(nodes["DefaultModel"]["sub_nodes"], [gpt % "forward", gpt % "backward"])
            self.assertEqual(nodes[block % "backward"]["sub_nodes"],
                             [layer % (1, "forward", 1), layer % (1, "backward", 1), layer % (0, "forward", 1),
                              layer % (0, "backward", 1)])
            self.assertEqual(nodes[mlp % "forward"]["up_node"], layer % (0, "forward", 1))
            self.assertEqual(nodes[mlp % "backward"]["up_node"], layer % (0, "backward", 1))
            self.assertEqual(self.config["micro_steps"], 1)
        build("c")
        self.assertEqual(self.config["micro_steps"], 3)

    def test_x6_micro_steps(self):
        order = ["Module.A.A.forward.0", "Torch.mul.0.forward", "Module.A.A.backward.0", "Torch.sum.9.forward",
                 "Torch.sum.10.forward", "Module.A.A.forward.1", "Module.A.A.backward.1", "optimizer", "clip_grad"]
        construct = {name: None for name in order}
        construct["Torch.add.5.forward"] = "optimizer"
        nodes = self.nodes("graph", self.write("a", construct, {}), "--rules", "msprobe26", side="NPU_0_0")
        self.assertEqual(self.config["micro_steps"], 2)
        self.assertEqual([nodes[name]["micro_step_id"] for name in order], [0] * 5 + [1] * 4)
        self.assertEqual((nodes["Apis_Between_Modules.0"]["micro_step_id"], nodes["Torch.add.5.forward"]["micro_step_id"]),
                         (0, 1))

    # ---- X7

    def test_x7_overflow(self):
        bad = T(INF, 0, NAN, NAN)
        data = {"Torch.mul.0.forward": io(GOOD, bad), "Torch.mul.1.forward": io(bad, bad),
                "Torch.mul.2.forward": io(bad, GOOD), "Torch.mul.3.forward": io(GOOD, T(1, 0, .5, 101)),
                "Torch.mul.5.forward": io(T(0, 0, 0, 0), T(1, 0, .5, 100)),
                "Torch.mul.4.forward": io(GOOD, T(1, 0, .5, NAN)), "Torch.empty.0.forward": io(GOOD, bad),
                "Tensor.masked_fill_.0.forward": io(bad, bad),
                "Torch.mul.6.forward": io(GOOD, bad, parameters={"weight": bad}), "Module.a.A.forward.0": io(GOOD, GOOD)}
        construct = {name: "Module.a.A.forward.0" for name in data}
        construct["Module.a.A.forward.0"] = None
        nodes = self.nodes("graph", self.write("a", construct, data), "--rules", "msprobe26", side="NPU_0_0")
        self.assertEqual([nodes[name]["overflow_level"] for name in data],
                         ["critical", "high", "medium", "high", None, None, None, None, "critical", None])

    # ---- X8

    def x8_rank(self, side, rank, factor):
        group = {"group": {"type": "torch.ProcessGroup", "group_ranks": [0, 1], "group_id": "g1"}}
        data = {"Module.a.A.forward.0": io(GOOD, GOOD)}
        for name in ("all_reduce.0", "all_reduce.1"):
            data["Distributed.%s.forward" % name] = io(GOOD, GOOD, input_kwargs=group)
        data["Distributed.broadcast.0.forward"] = io([GOOD, integer(0)], GOOD, input_kwargs=group)
        if rank == 0:
            data["Distributed.send.0.forward"] = io(GOOD, GOOD, input_kwargs={"dst": integer(1)})
        else:
            data["Distributed.recv.0.forward"] = io(GOOD, GOOD, input_kwargs={"src": integer(0)})
        op = {"class_type": "torch.distributed.P2POp", "tensor": GOOD, "op": "isend" if rank == 0 else "irecv",
              "peer": 1 - rank, "tag": 0, "group_id": "g1"}
        data["Distributed.batch_isend_irecv.0.forward"] = io([[op]], GOOD)
        for entry in data.values():
            entry["output"] = [T(factor, 0, .5 * factor, factor)]
        self.write(os.path.join(side, "step0", "rank%d" % rank), {name: None for name in data}, data)

    def x8(self, rules):
        for side in ("target", "golden"):
            for rank in (0, 1):
                self.x8_rank(side, rank, 2 if (side, rank) == ("target", 1) else 1)
        graphs = self.nodes("compare", self.path("golden"), self.path("target"), "--rules", rules)
        return graphs, lambda graph, name: graphs[graph]["Distributed.%s.forward" % name]["matched_distributed"]

    def check_x8_links(self, link):
        def partner(rank, index, name):
            return {str(rank): [index, "Distributed.%s.forward" % name]}

        for side, index in (("NPU", "1"), ("Bench", "Nan")):
            first = side + "_0_0"
            for name in ("all_reduce.0", "all_reduce.1"):
                self.assertEqual(link(first, name), {"communications_type": "send_receive", "nodes_info": partner(1, index, name)})
            self.assertEqual(link(first, "broadcast.0"),
                             {"communications_type": "send", "nodes_info": partner(1, index, "broadcast.0")})
            self.assertEqual(link(first, "send.0"), {"communications_type": "send", "nodes_info": partner(1, index, "recv.0")})
            second, index = side + "_0_1", "0" if side == "NPU" else "Nan"
            self.assertEqual(link(second, "broadcast.0"),
                             {"communications_type": "receive", "nodes_info": partner(0, index, "broadcast.0")})
            self.assertEqual(link(second, "recv.0"),
                             {"communications_type": "receive", "nodes_info": partner(0, index, "send.0")})

    def test_x8_communication_across_ranks(self):
        graphs, link = self.x8("msprobe26")
        self.check_x8_links(link)
        self.assertEqual(link("NPU_0_0", "batch_isend_irecv.0"), {})
        self.assertEqual([graphs["NPU_0_%d" % rank]["Apis_Between_Modules.0"]["precision_index"] for rank in (0, 1)], [0, 1])
        self.assertEqual(graphs["NPU_0_0"]["Apis_Between_Modules.0"]["sub_nodes"],
                         ["Distributed.%s.forward" % name for name in ("all_reduce.0", "all_reduce.1", "broadcast.0", "send.0",
                                                                       "batch_isend_irecv.0")])

    def test_x8_with_the_batches_that_the_peer_never_links(self):
        graphs, link = self.x8("vernier")
        self.check_x8_links(link)
        self.assertEqual(link("NPU_0_0", "batch_isend_irecv.0"), [
            {"communications_type": "send", "nodes_info": {"1": ["1", "Distributed.batch_isend_irecv.0.forward"]}}])
        self.assertEqual([graphs["NPU_0_%d" % rank]["Apis_Between_Modules.0"]["precision_index"] for rank in (0, 1)], [0, 1])

    # ---- X9: the merges stand in rank_merge_test.c; here that a user gets them

    def test_x9_merged_values_stand_in_the_database(self):
        for rank in (0, 1):
            data = {"Module.fc.A.forward.0": io(GOOD, T(2 + rank, -rank, 1 + rank, 3 + rank))}
            self.write(os.path.join("run", "rank%d" % rank), {name: None for name in data}, data)
        node = self.nodes("graph", self.path("run"), "--parallel-merge", "tp=2", side="NPU_0_0")["Module.fc.A.forward.0"]
        item = node["output_data"]["Module.fc.A.forward.0.output.0"]
        self.assertEqual([item[key] for key in ("Max", "Min", "Mean", "Norm")], ["3", "-1", "1.5", "5.0"])
        self.assertEqual(len(json.loads(node["parallel_merge_info"])), 1)

    # ---- X10

    def x10(self):
        one = {"Module.A.A.forward.0": None, "Module.A.A.backward.0": None}
        two = dict(one, **{"Module.A.A.forward.1": None, "Module.A.A.backward.1": None})
        for side, places in (("target", [(2, 0), (2, 1), (10, 0), (10, 1)]),
                             ("golden", [(2, 0), (2, 1), (2, 2), (3, 0), (10, 0), (10, 1), (10, 2)])):
            for step, rank in places:
                construct = two if (step, rank) == (2, 1) else one
                data = {name: io(GOOD, GOOD) for name in construct}
                self.write(os.path.join(side, "step%d" % step, "rank%d" % rank), construct, data)

    def test_x10_layout_level(self):
        self.x10()
        for rules in ("msprobe26", "vernier"):
            graphs = self.nodes("compare", self.path("golden"), self.path("target"), "--rules", rules)
            self.assertEqual((self.config["step_list"], self.config["rank_list"]), ("[2, 10]", "[0, 1]"))
            self.assertEqual(sorted(graphs), sorted("%s_%d_%d" % (side, step, rank) for side in ("NPU", "Bench")
                                                    for step in (2, 10) for rank in (0, 1)))
            self.assertEqual({node["micro_step_id"] for node in graphs["NPU_2_1"].values()}, {0, 1})
            # W11: msProbe takes the number of whichever rank it wrote first; here the largest counts.
            self.assertEqual(self.config["micro_steps"], 2)

    def test_x10_ranks_and_steps_of_one_side_are_said(self):
        self.x10()
        code, stderr = self.run_vernier("compare", self.path("golden"), self.path("target"), "-o", self.path("out.json"))
        self.assertEqual(code, 4, stderr)
        for place in ("step2/rank2", "step3/rank0", "step10/rank2"):
            self.assertIn(place + "/dump.json: the target run has no dump of this step and rank",
                          stderr.replace(os.sep, "/"))

    # ---- X11

    def test_x11_odd_trees(self):
        construct = {"Module.a.A.forward.0": "Module.zz.P.forward.0", "Module.b.B.forward.0": "Module.c.C.forward.0",
                     "Module.c.C.forward.0": "Module.b.B.forward.0", "Module.ok.K.forward.0": None}
        data = {name: io(GOOD, GOOD) for name in construct}
        folder = self.write("odd", construct, data)
        self.assertEqual(list(self.nodes("graph", folder, "--rules", "msprobe26", side="NPU_0_0")),
                         ["Module.ok.K.forward.0", "DefaultModel"])
        nodes = self.nodes("graph", folder, side="NPU_0_0")
        self.assertTrue(set(construct) < set(nodes))

    def test_x11_gradients(self):
        construct = {"Module.A.A.forward.0": None, "Module.A.A.backward.0": None, "Module.A.A.backward.1": None}
        data = {"Module.A.A.parameters_grad.%d" % i: {"w": [GOOD]} for i in (0, 1)}
        data["Module.Q.Q.parameters_grad"] = {"w": [GOOD]}
        folder = self.write("grads", construct, data)
        nodes = self.nodes("graph", folder, "--rules", "msprobe26", side="NPU_0_0")
        self.assertEqual(nodes["Module.A.A.backward.1"]["sub_nodes"], ["Module.A.A.parameters_grad.0",
                                                                      "Module.A.A.parameters_grad.1"])
        self.assertNotIn("Module.Q.Q.parameters_grad", nodes)
        self.assertIn("Module.Q.Q.parameters_grad", self.nodes("graph", folder, side="NPU_0_0"))

    # ---- X12

    def npy(self, side, name, values):
        header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
        header += " " * (63 - (len(header) + 10) % 64) + "\n"
        folder = self.path(side, "dump_tensor_data")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name), "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                       struct.pack("<%df" % len(values), *values))

    def tensors(self, side, apis):
        data = {}
        for api, (given, result) in apis.items():
            entry = {}
            for field, place, values in (("input_args", "input.0", given), ("output", "output.0", result)):
                file = "%s.%s.npy" % (api, place)
                self.npy(side, file, values)
                entry[field] = [{"type": "mindspore.Tensor", "dtype": "Float32", "shape": [len(values)], "data_name": file,
                                 "Max": sum(values) if values[-1] != values[-1] else max(values), "Min": min(values),
                                 "Mean": sum(values) / len(values), "Norm": 1.0}]
            data[api] = dict(entry, input_kwargs={})
        self.write(side, {"Cell.m.M.forward.0": None, **{api: "Cell.m.M.forward.0" for api in apis}} if len(apis) == 1
                   else {api: None for api in apis}, data, task="tensor", framework="mindspore")

    def x12(self, target, golden, rules="msprobe26"):
        for side in ("target", "golden"):
            shutil.rmtree(self.path(side), ignore_errors=True)
        self.tensors("target", target)
        self.tensors("golden", golden)
        return self.nodes("compare", self.path("golden"), self.path("target"), "--rules", rules)["NPU_0_0"]

    X, Y = [1, 2, 3, 4], [2, 4, 6, 8]
    OFF = [1.01 * value for value in Y]

    def test_x12_tensor_mode(self):
        name = "Mint.add.0.forward"
        x, y, off = self.X, self.Y, self.OFF
        examples = (
            (x, y, "1.0", "0.0", "1.0", 0), (x, off, "1.0", "0.009999990463", "0.0", 1),
            (x, [2, 4, 6, 2], "0.848528137424", "0.75", "0.75", .5),
            ([1.01 * value for value in x], off, "1.0", "0.009999990463", "0.0", 0),
            (x, [2, 4, 6, NAN], "N/A", "N/A", "N/A", 1), (x, [2, 4, 6], "shape unmatched", "shape unmatched",
                                                           "shape unmatched", 1),
            (x, [2, 4, 6, 9.6], "0.99596016066", "0.200000047684", "0.75", 0))
        for given, result, cosine, error, share, index in examples:
            node = self.x12({name: (given, result)}, {name: (x, y)})[name]
            item = list(node["output_data"].values())[0]
            for key, want in (("Cosine", cosine), ("MaxRelativeErr", error), ("One Thousandth Err Ratio", share)):
                if want[0].isdigit():
                    self.assertAlmostEqual(float(item[key]), float(want), 6, (result, key))
                else:
                    self.assertEqual(item[key], want, (result, key))
            self.assertEqual(node["precision_index"], index, result)

    def test_x12_the_group_of_two_errors(self):
        apis = {"Mint.add.%d.forward" % i: (self.X, self.OFF) for i in (0, 1)}
        golden = {api: (self.X, self.Y) for api in apis}
        for rules, group in (("msprobe26", 0), ("vernier", 1)):  # W1
            nodes = self.x12(apis, golden, rules)
            self.assertEqual(self.indices(nodes, apis), [1, 1], rules)
            self.assertEqual(nodes["Apis_Between_Modules.0"]["precision_index"], group, rules)


if __name__ == "__main__":
    main()
