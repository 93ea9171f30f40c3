#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`vernier compare` on two checkpoints: what differs is named with its figures; other names, fused, split,
transposed and padded weights are recognised and compared where they lie."""
import array
import json
import os
import random
import struct
import subprocess
import zipfile

from program import Case, VERNIER, main, run

HIDDEN, HEADS, KV, HEAD, FFN, VOCAB, LAYERS = 16, 4, 2, 4, 24, 50, 3


class Tensor:
    def __init__(self, shape, values):
        self.shape, self.values = list(shape), list(values)

    def rows(self):
        width = len(self.values) // self.shape[0]
        return [self.values[i * width:(i + 1) * width] for i in range(self.shape[0])]


def from_rows(rows, shape):
    return Tensor([len(rows)] + list(shape[1:]), [v for row in rows for v in row])


def scatter(rng, *shape):
    count = 1
    for size in shape:
        count *= size
    return Tensor(shape, array.array("f", (rng.gauss(0, 0.02) for _ in range(count))))


def model(seed=1):
    """The weights of a small Llama."""
    rng = random.Random(seed)
    out = {"model.embed_tokens.weight": scatter(rng, VOCAB, HIDDEN)}
    for i in range(LAYERS):
        layer = "model.layers.%d." % i
        out[layer + "input_layernorm.weight"] = Tensor([HIDDEN], [1.0] * HIDDEN)
        out[layer + "self_attn.q_proj.weight"] = scatter(rng, HEADS * HEAD, HIDDEN)
        out[layer + "self_attn.k_proj.weight"] = scatter(rng, KV * HEAD, HIDDEN)
        out[layer + "self_attn.v_proj.weight"] = scatter(rng, KV * HEAD, HIDDEN)
        out[layer + "self_attn.o_proj.weight"] = scatter(rng, HIDDEN, HEADS * HEAD)
        out[layer + "mlp.gate_proj.weight"] = scatter(rng, FFN, HIDDEN)
        out[layer + "mlp.up_proj.weight"] = scatter(rng, FFN, HIDDEN)
        out[layer + "mlp.down_proj.weight"] = scatter(rng, HIDDEN, FFN)
    out["model.norm.weight"] = Tensor([HIDDEN], [1.0] * HIDDEN)
    out["lm_head.weight"] = scatter(rng, VOCAB, HIDDEN)
    return out


def moved(tensor, seed, size=1e-4):
    """After some more training."""
    rng = random.Random(seed)
    return Tensor(tensor.shape, [v + rng.gauss(0, size) for v in tensor.values])


def transposed(tensor):
    return from_rows([list(column) for column in zip(*tensor.rows())], [tensor.shape[1], tensor.shape[0]])


def fused(parts, groups=1):
    rows = []
    for group in range(groups):
        for part in parts:
            size = part.shape[0] // groups
            rows += part.rows()[group * size:(group + 1) * size]
    return from_rows(rows, parts[0].shape)


def encode(values, dtype):
    if dtype == "F32":
        return array.array("f", values).tobytes()
    out = bytearray()  # bfloat16, to nearest even
    for value in values:
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
        out += struct.pack("<H", (bits + 0x7fff + (bits >> 16 & 1)) >> 16)
    return bytes(out)


def write_safetensors(path, weights, dtype="F32"):
    header, body = {"__metadata__": {"format": "pt"}}, b""
    for name, tensor in weights.items():
        data = encode(tensor.values, dtype)
        header[name] = {"dtype": dtype, "shape": tensor.shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + body)


def write_npy(path, tensor):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }" % "".join("%d," % s for s in tensor.shape)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head.encode() + encode(tensor.values, "F32"))


class Checkpoints(Case):
    def setUp(self):
        super().setUp()
        self.golden = model()

    def compare(self, target, *options, golden=None, dtype="F32"):
        write_safetensors(self.path("a.safetensors"), golden or self.golden)
        write_safetensors(self.path("b.safetensors"), target, dtype)
        return self.run_on("a.safetensors", "b.safetensors", *options)

    def run_on(self, golden, target, *options):
        options += () if "--format" in options else ("--format", "html,json,svg")
        done = subprocess.run([VERNIER, "compare", self.path(golden), self.path(target), "-o", self.path("out"), "-q",
                               *options], env=dict(os.environ, LC_ALL="C", NO_COLOR="1"), stdout=subprocess.PIPE,
                              check=False)
        with open(self.path("out/summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
        if done.returncode:
            self.assertIn(summary["verdict"], done.stdout.decode())
        return done.returncode, summary

    def of(self, summary, name, side="golden"):
        found = [w for w in summary["weights"] if (w[side] or "").split("[")[0] == name]
        self.assertTrue(found, name)
        return found[0]

    def test_one_scaled_embedding_is_named_with_its_figures(self):
        target = dict(self.golden)
        rng = random.Random(9)
        embed = self.golden["model.embed_tokens.weight"]
        target["model.embed_tokens.weight"] = Tensor(
            embed.shape, [v * 1.048 + rng.gauss(0, 1e-4) for v in embed.values])
        code, summary = self.compare(target)
        self.assertEqual(code, 1)
        self.assertRegex(summary["verdict"], r"^DIFFERS   26 of 27 weights equal bit for bit; model\.embed_tokens\.weight "
                         r"differs: cosine 0\.9999\d+, rel\. norm 4\.8e-02, rel\. L2 4\.8e-02$")
        weight = self.of(summary, "model.embed_tokens.weight")
        self.assertEqual((weight["status"], weight["forms"]), ("error", []))
        self.assertRegex(weight["worst_at"], r"^\[\d+, \d+\]$")

    def test_weights_that_one_side_alone_decays_are_told_as_a_group(self):
        golden = self.golden
        for group, names in (("one-dimensional weights", [name for name in golden if "norm" in name]),
                             ("matrices", [name for name in golden if "norm" not in name]),
                             ("some weights", ["lm_head.weight", "model.embed_tokens.weight"])):
            for factor, side in ((0.95, "the target"), (1.05, "golden")):
                target = {name: Tensor(one.shape, [value * factor for value in one.values]) if name in names else one for name, one in golden.items()}
                verdict = self.compare(target)[1]["verdict"]
                self.assertIn("norms of %s (" % group, verdict)
                self.assertIn("weight decay in %s only?" % side, verdict)
        self.assertNotIn("decay", self.compare({name: moved(one, 3, 1e-3) for name, one in golden.items()})[1]["verdict"])

    def test_a_checkpoint_on_the_way_says_which_hop_changes_weights(self):
        fused = dict(self.golden)
        for i in range(LAYERS):
            parts = [fused.pop("model.layers.%d.self_attn.%s_proj.weight" % (i, name)) for name in "qkv"]
            fused["model.layers.%d.self_attn.qkv_proj.weight" % i] = from_rows([row for part in parts for row in part.rows()], [0, HIDDEN])
        other = dict(fused)  # one layer holds its parts in another order than the others
        parts = [self.golden["model.layers.1.self_attn.%s_proj.weight" % name] for name in "vqk"]
        other["model.layers.1.self_attn.qkv_proj.weight"] = from_rows([row for part in parts for row in part.rows()], [0, HIDDEN])
        code, summary = self.compare(other)
        self.assertEqual((code, "model.layers.1.self_attn" in summary["verdict"]), (1, True), summary["verdict"])
        bad = dict(fused)
        bad["model.norm.weight"] = moved(fused["model.norm.weight"], 3, 1e-2)
        for name, between, where in (("fused", fused, "the second hop"), ("bad", bad, "the first hop")):
            write_safetensors(self.path("between.safetensors"), between)
            code, summary = self.compare(bad, "--via", self.path("between.safetensors"))
            self.assertEqual(code, 1)
            self.assertIn("%s changes weights" % where, summary["verdict"], name)
            self.assertIn("model.norm.weight differs", summary["verdict"])
        write_safetensors(self.path("between.safetensors"), fused)
        self.assertIn("no hop changes a weight", self.compare(fused, "--via", self.path("between.safetensors"))[1]["verdict"])

    def test_three_checkpoints_are_a_way_whose_hop_is_named(self):
        bad = dict(self.golden)
        bad["model.norm.weight"] = moved(bad["model.norm.weight"], 3, 1e-2)
        for name, weights in (("trainer", self.golden), ("converter", self.golden), ("engine", bad)):
            write_safetensors(self.path(name + ".safetensors"), weights)
        paths = [self.path(name + ".safetensors") for name in ("trainer", "converter", "engine")]
        for command in ([], ["compare"]):
            code, _, said = run(*command, *paths, "-o", self.path("o.json"))
            self.assertEqual((code, "the second hop changes weights" in said, "model.norm.weight" in said), (1, True, True), said)
        self.assertEqual(run("compare", *paths, paths[0], "-o", self.path("o.json"))[0], 2)

    def test_equal_checkpoints_are_the_same(self):
        code, summary = self.compare(self.golden)
        self.assertEqual((code, summary["verdict"]), (0, "SAME      all 27 weights equal bit for bit"))

    def test_renamed_weights_are_found_by_their_values(self):
        names = {"embed_tokens": "tok_embeddings", "self_attn": "attention", "q_proj": "wq", "k_proj": "wk",
                 "v_proj": "wv", "o_proj": "wo", "mlp": "feed_forward", "gate_proj": "w1", "down_proj": "w2",
                 "up_proj": "w3", "input_layernorm": "attention_norm", "lm_head": "output"}
        target = {}
        for name, tensor in self.golden.items():
            target[".".join(names.get(part, part) for part in name.split("."))] = tensor
        code, summary = self.compare(target)
        self.assertEqual(code, 0, summary["verdict"])
        for weight in summary["weights"]:
            self.assertEqual(".".join(names.get(part, part) for part in weight["golden"].split(".")), weight["target"])
            self.assertEqual("renamed" in weight["forms"], weight["golden"] != weight["target"])

    def test_renamed_and_trained_further_pairs_with_the_nearest(self):
        target = {name.replace("model.", "net.") + "_v2": moved(tensor, i)
                  for i, (name, tensor) in enumerate(self.golden.items())}
        code, summary = self.compare(target)
        self.assertEqual(code, 1)
        self.assertEqual(summary["counts"]["unmatched_golden"] + summary["counts"]["unmatched_target"], 0)
        for weight in summary["weights"]:
            if "norm" not in weight["golden"]:
                self.assertEqual(weight["golden"].replace("model.", "net.") + "_v2", weight["target"])
            self.assertIn("nearest", weight["forms"])

    def fused_target(self, groups, change=lambda t, i: t):
        target = dict(self.golden)
        for i in range(LAYERS):
            layer = "model.layers.%d." % i
            parts = [change(target.pop(layer + "self_attn.%s_proj.weight" % p), i) for p in "qkv"]
            target[layer + "self_attn.qkv_proj.weight"] = fused(parts, groups)
            parts = [change(target.pop(layer + "mlp.%s_proj.weight" % p), i) for p in ("gate", "up")]
            target[layer + "mlp.gate_up_proj.weight"] = fused(parts)
        return target

    def test_fused_weights_are_compared_with_their_parts(self):
        for groups in (1, KV):
            code, summary = self.compare(self.fused_target(groups))
            self.assertEqual(code, 0, summary["verdict"])
            self.assertEqual(summary["counts"]["fused"], 5 * LAYERS)
            q = self.of(summary, "model.layers.1.self_attn.q_proj.weight")
            place = "[0:16]" if groups == 1 else "[2 x 0:8]"
            self.assertEqual(q["target"], "model.layers.1.self_attn.qkv_proj.weight" + place)

    def test_split_weights_are_compared_with_the_whole(self):
        code, summary = self.compare(self.golden, golden=self.fused_target(KV))
        self.assertEqual(code, 0, summary["verdict"])
        self.assertEqual(summary["counts"]["split"], 5 * LAYERS)

    def test_fused_weights_that_differ_are_still_recognised(self):
        code, summary = self.compare(self.fused_target(KV, moved))
        self.assertEqual(code, 1)
        self.assertEqual(summary["counts"]["fused"], 5 * LAYERS)
        up = self.of(summary, "model.layers.2.mlp.up_proj.weight")
        self.assertEqual(up["target"], "model.layers.2.mlp.gate_up_proj.weight[24:48]")
        self.assertLess(up["rel_l2"], 0.02)

    def test_transposed_weights_are_turned_before_they_are_compared(self):
        target = dict(self.golden)
        for name in ("lm_head.weight", "model.layers.0.mlp.down_proj.weight"):
            target[name] = transposed(target[name])
        square = "model.layers.0.self_attn.o_proj.weight"
        target[square] = transposed(target[square])
        code, summary = self.compare(target)
        self.assertEqual((code, summary["counts"]["transposed"]), (0, 3), summary["verdict"])
        self.assertEqual(self.of(summary, square)["forms"], ["transposed"])

    def test_transposed_and_fused_at_once(self):
        target = {name: tensor for name, tensor in self.golden.items()}
        parts = [target.pop("model.layers.0.self_attn.%s_proj.weight" % p) for p in "qkv"]
        target["model.layers.0.attn.c_attn.weight"] = transposed(fused(parts))
        code, summary = self.compare(target)
        self.assertEqual(code, 0, summary["verdict"])
        self.assertEqual(self.of(summary, "model.layers.0.self_attn.v_proj.weight")["forms"], ["fused", "transposed"])

    def test_a_padded_vocabulary_is_compared_without_its_padding(self):
        target = dict(self.golden)
        for name, fill in (("model.embed_tokens.weight", 0.0), ("lm_head.weight", 0.25)):
            tensor = target[name]
            target[name] = Tensor([64, HIDDEN], tensor.values + [fill] * (14 * HIDDEN))
        code, summary = self.compare(target)
        self.assertEqual(code, 0, summary["verdict"])
        embed, head = self.of(summary, "model.embed_tokens.weight"), self.of(summary, "lm_head.weight")
        self.assertEqual((embed["forms"], embed["padding"]), (["padded"], "zeros"))
        self.assertEqual((head["padding"], head["target"]), ("equal rows", "lm_head.weight[0:50]"))
        self.assertIn("(2 padded)", summary["verdict"])

    def test_rounding_to_another_dtype_agrees(self):
        code, summary = self.compare(self.golden, dtype="BF16")
        self.assertEqual(code, 0)
        self.assertTrue(summary["verdict"].startswith("AGREES"), summary["verdict"])

    def raw(self, name, dtype, shape, form, *values):
        """A safetensors file of two weights with these values."""
        data = struct.pack("<%d%s" % (len(values), form), *values)
        header = json.dumps({"model.%s.weight" % key: {"dtype": dtype, "shape": shape, "data_offsets": [i * len(data), (i + 1) * len(data)]}
                             for i, key in enumerate(("a", "b"))}).encode()
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(struct.pack("<Q", len(header)) + header + 2 * data)
        return name

    def test_integers_have_no_rounding_and_large_ones_are_told_apart(self):
        many = self.raw("i.safetensors", "I64", [2], "q", 2**53, 5)
        for name, (dtype, form, values) in {"same": ("I64", "q", (2**53 + 1, 5)), "short": ("I32", "i", (7, 5))}.items():
            code, summary = self.run_on(many, self.raw(name + ".safetensors", dtype, [2], form, *values))
            self.assertEqual((code, summary["counts"]["error"]), (1, 2), summary["verdict"])
        code, summary = self.run_on(self.raw("7.safetensors", "I64", [2], "q", 7, 5), "short.safetensors")
        self.assertEqual((code, summary["counts"]["pass"]), (0, 2), summary["verdict"])
        code, summary = self.run_on("7.safetensors", self.raw("8.safetensors", "I32", [2], "i", 8, 5))
        self.assertEqual((code, summary["counts"]["error"]), (1, 2), summary["verdict"])

    def test_values_too_small_to_be_squared_and_too_large_have_no_figure_that_nobody_computed(self):
        tiny = self.raw("t.safetensors", "F64", [2], "d", 1e-200, 1e-200)
        code, summary = self.run_on(tiny, self.raw("u.safetensors", "F64", [2], "d", 2e-200, 1e-200))
        self.assertEqual(code, 1, summary["verdict"])
        huge = self.raw("h.safetensors", "F64", [2], "d", 1e308, 1e308)
        code, summary = self.run_on(huge, self.raw("k.safetensors", "F64", [2], "d", 1e307, 1e308))
        self.assertEqual((code, summary["weights"][0]["rel_norm"]), (1, None), summary["verdict"])

    def test_nought_and_minus_nought_are_equal_in_value_and_not_by_rounding(self):
        code, summary = self.run_on(self.raw("p.safetensors", "F32", [2], "f", 0.0, 1), self.raw("m.safetensors", "F32", [2], "f", -0.0, 1))
        self.assertEqual(code, 0, summary["verdict"])
        self.assertTrue(summary["verdict"].endswith("0 of 2 weights equal bit for bit; 2 equal in value"), summary["verdict"])

    def test_weights_without_an_element_are_not_compared(self):
        empty = self.raw("e.safetensors", "F32", [0], "f")
        code, summary = self.run_on(empty, self.raw("f.safetensors", "F32", [0], "f"))
        self.assertEqual((code, summary["status"], summary["counts"]["compared"], summary["counts"]["no_data"]), (3, "no data", 0, 2), summary["verdict"])
        self.assertEqual(summary["verdict"], "NOT COMPARED  no weight has values on both sides; 2 without an element on both sides")
        full = self.raw("v.safetensors", "F32", [2], "f", 1, 2)
        for sides in ((empty, full), (full, empty)):
            code, summary = self.run_on(*sides)
            self.assertEqual(code, 1, summary["verdict"])
            self.assertIn("another shape", summary["verdict"])

    def test_what_has_no_partner_is_said(self):
        target = dict(self.golden)
        del target["model.norm.weight"]
        target["extra.weight"] = Tensor([7], [0.5] * 7)
        code, summary = self.compare(target)
        self.assertEqual(code, 1)
        self.assertIn("1 only in golden; 1 only in the target", summary["verdict"])

    def test_nan_on_one_side_is_counted(self):
        target = dict(self.golden)
        values = list(target["lm_head.weight"].values)
        values[17] = float("nan")
        target["lm_head.weight"] = Tensor([VOCAB, HIDDEN], values)
        code, summary = self.compare(target)
        self.assertEqual(code, 1)
        self.assertIn("lm_head.weight differs: 1 element is NaN or Inf on one side", summary["verdict"])

    def test_one_name_with_two_shapes_is_said(self):
        target = dict(self.golden)
        target["model.norm.weight"] = Tensor([9], [3.0] * 9)
        code, summary = self.compare(target)
        self.assertEqual((code, self.of(summary, "model.norm.weight")["forms"]), (1, ["reshaped"]))

    def test_shards_and_folders_of_files_are_checkpoints(self):
        os.makedirs(self.path("shards"))
        os.makedirs(self.path("files"))
        names = list(self.golden)
        write_safetensors(self.path("shards/model-1.safetensors"), {n: self.golden[n] for n in names[:9]})
        write_safetensors(self.path("shards/model-2.safetensors"), {n: self.golden[n] for n in names[9:]})
        for name in names:
            write_npy(self.path("files/" + name + ".npy"), self.golden[name])
        write_safetensors(self.path("a.safetensors"), self.golden)
        for golden, target in (("a.safetensors", "shards"), ("shards", "files"), ("files", "a.safetensors")):
            code, summary = self.run_on(golden, target)
            self.assertEqual((code, summary["counts"]["same"]), (0, 27), summary["verdict"])

    def test_a_weight_that_two_files_have_names_both_and_which_counts(self):
        os.makedirs(self.path("both"))
        other = {name: Tensor(of.shape, [value + 1 for value in of.values]) for name, of in self.golden.items()}
        write_safetensors(self.path("both/end.safetensors"), self.golden)
        write_safetensors(self.path("both/start.safetensors"), other)
        write_safetensors(self.path("a.safetensors"), self.golden)
        code, summary = self.run_on("a.safetensors", "both")
        self.assertEqual((code, summary["counts"]["same"]), (4, 27), summary["verdict"])
        self.assertEqual([(problem["text"], problem["count"]) for problem in summary["problems"]],
                         [("a weight of 'start.safetensors' is in 'end.safetensors' too, which counts", 27)])

    def test_a_broken_shard_costs_its_own_weights(self):
        os.makedirs(self.path("shards"))
        write_safetensors(self.path("shards/1.safetensors"), self.golden)
        with open(self.path("shards/2.safetensors"), "wb") as file:
            file.write(b"\xff" * 40)
        write_safetensors(self.path("a.safetensors"), self.golden)
        code, summary = self.run_on("a.safetensors", "shards")
        self.assertEqual((code, summary["partial"], summary["counts"]["same"]), (4, True, 27))

    def test_what_a_shard_held_that_is_missing_or_broken_is_not_known(self):
        """It counts as unread on that side, and as absent on neither."""
        names = list(self.golden)
        write_safetensors(self.path("a.safetensors"), self.golden)
        os.makedirs(self.path("model"))
        for at, part in enumerate((names[:20], names[20:]), 1):
            write_safetensors(self.path("model/model-0000%d-of-00002.safetensors" % at), {n: self.golden[n] for n in part})
        self.assertEqual(self.run_on("a.safetensors", "model")[0], 0)
        for broken in (True, False):
            os.remove(self.path("model/model-00002-of-00002.safetensors"))
            if broken:
                self.write("model/model-00002-of-00002.safetensors", b"\xff" * 40)
            for sides in (("a.safetensors", "model"), ("model", "a.safetensors")):
                code, summary = self.run_on(*sides)
                self.assertEqual((code, summary["counts"]["same"]), (4, 20), summary["verdict"])
                self.assertEqual((summary["counts"]["unmatched_golden"], summary["counts"]["unmatched_target"]), (0, 0))
                self.assertIn("7 could not be read", summary["verdict"])
            code, _, said = run("check", "model", cwd=self.folder)
            self.assertEqual(code, 4, said)
            self.assertIn("model-00002" if broken else "of 2 shards of the checkpoint 1 are there", said)

    def picture(self):
        with open(self.path("out/weights.svg"), encoding="utf-8") as file:
            return file.read()

    def test_the_picture_shows_each_kind_by_layer(self):
        target = dict(self.golden)
        name = "model.layers.1.mlp.up_proj.weight"
        target[name] = moved(target[name], 5, 2e-3)
        values = list(target["model.norm.weight"].values)
        values[0] = float("inf")
        target["model.norm.weight"] = Tensor([HIDDEN], values)
        del target["model.layers.2.mlp.gate_proj.weight"]
        self.compare(target)
        picture = self.picture()
        for text in (">model.layers.*.mlp.up_proj.weight<", "<title>model.layers.1.mlp.up_proj.weight: 0.1",
                     "<title>model.norm.weight: NaN or Inf<", "<title>model.layers.2.mlp.gate_proj.weight: not comparable<",
                     "<title>lm_head.weight: equal<", "<title>model.layers.0.mlp.up_proj.weight: equal<"):
            self.assertIn(text, picture)
        with open(self.path("out/index.html"), encoding="utf-8") as page:
            self.assertIn("<title>model.layers.2.mlp.gate_proj.weight: not comparable<", page.read())
        write_safetensors(self.path("a.safetensors"), self.golden)
        subprocess.run([VERNIER, "compare", self.path("a.safetensors"), self.path("b.safetensors"), "-q", "-o",
                        self.path("one.svg")], check=False, stderr=subprocess.DEVNULL)
        with open(self.path("one.svg"), encoding="utf-8") as file:
            self.assertEqual(file.read(), picture)

    def test_of_very_many_kinds_the_picture_shows_the_worst(self):
        golden = {"m.%s%s.weight" % (chr(97 + i // 20), chr(97 + i % 20)): Tensor([2], [1.0, i]) for i in range(300)}
        target = dict(golden)
        target["m.ot.weight"] = Tensor([2], [1.5, 299])
        self.compare(target, golden=golden)
        self.assertIn("<title>m.ot.weight: ", self.picture())
        self.assertIn("the 48 kinds that differ most of 300", self.picture())

    def test_experts_share_the_cell_of_their_layer_and_thousands_of_layers_its_columns(self):
        golden = {"layers.%d.experts.%d.weight" % (i // 4, i % 4): Tensor([2], [1.0, i]) for i in range(8000)}
        target = dict(golden)
        target["layers.1999.experts.3.weight"] = Tensor([2], [2.0, 7999])
        self.compare(target, golden=golden)
        self.assertIn("<title>layers.1999.experts.3.weight: ", self.picture())
        self.assertIn(">layers.*.experts.*.weight<", self.picture())

    def test_nights_are_kept_and_tell_what_is_new(self):
        night = ("--history", self.path("nights.db"), "--title")
        code, summary = self.compare(self.golden, *night, "one")
        self.assertEqual(code, 0)
        target = dict(self.golden)
        target["lm_head.weight"] = moved(target["lm_head.weight"], 3)
        code, summary = self.compare(target, *night, "two")
        self.assertEqual(code, 1)
        self.assertIn("lm_head", json.dumps(summary["history"]))
        self.assertIn("history.svg", os.listdir(self.path("out")))
        done = subprocess.run([VERNIER, "history", self.path("nights.db"), "-o", self.path("trend"), "-q"],
                              stderr=subprocess.PIPE, check=False)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        with open(self.path("trend/summary.json"), encoding="utf-8") as file:
            self.assertIn('"checkpoints"', file.read())

    def test_all_outputs_are_the_same_for_any_number_of_threads(self):
        target = self.fused_target(KV, moved)
        seen = []
        for jobs in ("1", "2", "7"):
            self.compare(target, "--jobs", jobs, "--format", "html,md,json,csv,xlsx,svg")
            out = {}
            for name in sorted(os.listdir(self.path("out"))):
                with open(self.path("out/" + name), "rb") as file:
                    out[name] = file.read()
            seen.append(out)
        self.assertEqual(sorted(seen[0]), [".vernier-files", "compare.xlsx", "index.html", "summary.json", "summary.md", "weights.csv",
                                           "weights.svg"])
        self.assertTrue(seen[0] == seen[1] == seen[2])

    def write_npz(self, name, weights, method=zipfile.ZIP_STORED):
        with zipfile.ZipFile(self.path(name), "w", method) as archive:
            for key, tensor in weights.items():
                write_npy(self.path("one.npy"), tensor)
                with open(self.path("one.npy"), "rb") as file, archive.open(key + ".npy", "w", force_zip64=True) as out:
                    out.write(file.read())

    def test_arrays_of_numpy_savez_are_weights(self):
        target = dict(self.golden)
        target["model.layers.1.mlp.up_proj.weight"] = moved(target["model.layers.1.mlp.up_proj.weight"], 7)
        self.write_npz("a.npz", self.golden)
        self.write_npz("b.npz", target)
        write_safetensors(self.path("a.safetensors"), self.golden)
        for golden, other in (("a.npz", "a.npz"), ("a.npz", "a.safetensors"), ("a.safetensors", "a.npz")):
            code, summary = self.run_on(golden, other)
            self.assertEqual((code, summary["counts"]["same"]), (0, 27), summary["verdict"])
        code, summary = self.run_on("a.npz", "b.npz")
        self.assertEqual(code, 1)
        self.assertIn("26 of 27 weights equal bit for bit; model.layers.1.mlp.up_proj.weight differs", summary["verdict"])

    def test_what_savez_compressed_writes_is_what_savez_writes(self):
        target = dict(self.golden)
        target["model.layers.1.mlp.up_proj.weight"] = moved(target["model.layers.1.mlp.up_proj.weight"], 7)
        self.write_npz("a.npz", self.golden)
        self.write_npz("packed.npz", self.golden, zipfile.ZIP_DEFLATED)
        self.write_npz("target.npz", target, zipfile.ZIP_DEFLATED)
        code, summary = self.run_on("a.npz", "packed.npz")
        self.assertEqual((code, summary["counts"]["same"]), (0, 27), summary["verdict"])
        code, summary = self.run_on("packed.npz", "target.npz")
        self.assertEqual(code, 1)
        self.assertIn("26 of 27 weights equal bit for bit; model.layers.1.mlp.up_proj.weight differs", summary["verdict"])

    def test_packed_arrays_that_are_damaged_or_tell_more_than_they_hold_cost_themselves(self):
        self.write_npz("a.npz", self.golden)
        self.write_npz("b.npz", self.golden, zipfile.ZIP_DEFLATED)
        with open(self.path("b.npz"), "rb") as file:
            data = file.read()
        with zipfile.ZipFile(self.path("b.npz")) as archive:
            first = archive.infolist()[0]
        begin = data.index(b"model", first.header_offset)  # the name, an extra field of 20 bytes, the data
        begin += len(first.filename) + 20
        end = data.index(b"PK\x01\x02")
        self.write("flipped.npz", data[:begin] + b"\xff\xff" + data[begin + 2:])
        self.write("bomb.npz", data[:end + 24] + b"\xf0\xff\xff\xff" + data[end + 28:])
        self.write("crc.npz", data[:end + 16] + bytes([data[end + 16] ^ 1]) + data[end + 17:])
        for name, words in (("flipped.npz", "its packed data are damaged"), ("crc.npz", "its packed data are damaged"), ("bomb.npz", "unpack to more than is read in memory")):
            code, _, said = run("compare", "a.npz", name, "-o", "out", cwd=self.folder)
            self.assertIn(words, said, name)
            self.assertIn("PARTIAL SAME", said)
            self.assertIn("26 weights equal bit for bit; model.embed_tokens.weight could not be read", said)
            self.assertEqual(code, 4)

    def test_a_stored_array_that_is_damaged_is_told_by_check_too(self):
        self.write_npz("a.npz", self.golden)
        with open(self.path("a.npz"), "rb") as file:
            data = file.read()
        at = data.index(b"PK", 64) - 3  # within the last element of the first member
        self.write("b.npz", data[:at] + bytes([data[at] ^ 1]) + data[at + 1:])
        self.assertEqual(run("check", "a.npz", "-o", "out", cwd=self.folder)[0], 0)
        code, _, said = run("check", "b.npz", "-o", "out", cwd=self.folder)
        self.assertEqual(code, 4, said)
        self.assertIn("'model.embed_tokens.weight' is damaged: its bytes do not fit the checksum", said)

    def test_what_could_not_be_read_on_one_side_is_no_difference(self):
        names = sorted(self.golden)[:2]
        self.write_npz("a.npz", self.golden)
        self.write_npz("objects.npz", self.golden)
        with open(self.path("objects.npz"), "rb") as file:
            data = file.read()
        with zipfile.ZipFile(self.path("objects.npz")) as archive:
            for name in names:
                at = data.index(b"'<f4'", archive.getinfo(name + ".npy").header_offset)
                data = data[:at] + b"'|O' " + data[at + 5:]
        self.write("objects.npz", data)
        write_safetensors(self.path("odd.safetensors"), self.golden)
        with open(self.path("odd.safetensors"), "rb") as file:
            data = file.read()
        for name in names:
            at = data.index(b'"F32"', data.index(json.dumps(name).encode()))
            data = data[:at] + b'"F99"' + data[at + 5:]
        self.write("odd.safetensors", data)
        os.makedirs(self.path("folder"))
        for name, tensor in self.golden.items():
            write_npy(self.path("folder", name + ".npy"), tensor)
        for name in names:
            self.write(os.path.join("folder", name + ".npy"), b"\x93NUMPY cut")
        for pair in (("a.npz", "objects.npz"), ("objects.npz", "a.npz"), ("a.npz", "odd.safetensors"), ("a.npz", "folder")):
            code, summary = self.run_on(*pair)
            self.assertIn("PARTIAL SAME", summary["verdict"], pair)
            self.assertIn("2 could not be read", summary["verdict"], pair)
            self.assertEqual((code, summary["counts"]["same"], summary["counts"]["unmatched_golden"]), (4, 25, 0), pair)
            unread = [w["golden"] or w["target"] for w in summary["weights"] if w["status"] == "no data"]
            self.assertEqual(sorted(unread), names, pair)

    def test_cut_arrays_are_told(self):
        self.write_npz("a.npz", self.golden)
        with open(self.path("a.npz"), "rb") as file:
            data = file.read()
        self.write("cut.npz", data[:-40])
        self.assertEqual(run("compare", "a.npz", "cut.npz", cwd=self.folder)[0], 3)
        self.write("z.npz", b"PK\x03\x04" + b"\0" * 22 + b"\5\0\0\0a.npy")
        self.assertEqual(run("compare", "z.npz", "z.npz", cwd=self.folder)[0], 3)
        with zipfile.ZipFile(self.path("a.npz"), "a") as archive:
            archive.writestr("x.txt", "no array")
            archive.writestr("y.npy", b"no array")
        code, summary = self.run_on("a.npz", "a.npz")
        self.assertEqual((code, summary["partial"], summary["counts"]["same"]), (4, True, 27), summary["verdict"])

    def test_ten_thousand_equal_experts_pair_in_linear_time(self):
        golden = {"layers.%d.experts.%d.w.weight" % (i // 100, i % 100): Tensor([2], [1.0, i]) for i in range(10000)}
        target = {name.replace("experts", "moe.expert"): tensor for name, tensor in golden.items()}
        code, summary = self.compare(target, golden=golden)
        self.assertEqual((code, summary["counts"]["same"]), (0, 10000), summary["verdict"])


if __name__ == "__main__":
    main()
