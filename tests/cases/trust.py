#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A verdict is as wide as what was compared, and red is only what was computed.

Damage: one side of a pair loses information in any way, and the exit code never improves: of an equal pair it is not 0, of a
pair that parts it is neither 0 nor is SAME or AGREES said without PARTIAL. Settings of the collection: on both sides of an equal
pair, and it stays green; on one side, and it is never red. VERNIER names the program, SAMPLES the folder of samples, SHARED a
folder whose data/dumps, where it is there, gives more pairs; TRUST_DAMAGES how many damages (300; 3,000 where FULL is set),
TRUST_SEED their seed.
"""
import copy
import json
import lzma
import os
import random
import re
import shutil
import subprocess
import tempfile
import unittest
import zlib

from program import DATA, ONLY_SAMPLES, SAMPLES, SHARED, VERNIER, also_with_samples, main, needs_samples

SEED = int(os.environ.get("TRUST_SEED", "14"))
DAMAGES = int(os.environ.get("TRUST_DAMAGES", "3000" if os.environ.get("FULL") else "300"))
STATS = ("Max", "Min", "Mean", "Norm")


def load(folder):
    with open(os.path.join(folder, "dump.json"), encoding="utf-8") as f:
        return json.load(f)


def is_tensor(node):
    return isinstance(node, dict) and "dtype" in node and "shape" in node


def tensors(node):
    """All tensors below a node that are not empty and have a value, and no file that tells more."""
    if is_tensor(node):
        if 0 not in node["shape"] and not node.get("data_name") and any(node.get(k) is not None for k in STATS + ("md5",)):
            yield node
    elif isinstance(node, (dict, list)):
        for child in node.values() if isinstance(node, dict) else node:
            yield from tensors(child)


def json_leaves(node):
    """All objects below a node."""
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from json_leaves(child)


def of_direction(name):
    found = re.search(r"\.(forward|backward|parameters_grad)(\.\d+)?$", name)
    return found.group(1) if found else ""


def is_module(name):
    return name.startswith(("Module.", "Cell."))


# ---- damages: a dump is changed in place; False where there is nothing to lose

def lose_statistics(dump, dice):
    found = [t for e in dump["data"].values() for t in tensors(e)]
    if not found:
        return False
    leaf = dice.choice(found)
    told = [k for k in STATS if leaf.get(k) is not None]
    lost = dice.sample(told, dice.randint(1, len(told))) if told else []
    kind = dice.randrange(4)
    for key in lost:
        if kind == 0:
            del leaf[key]
        else:
            leaf[key] = [None, "N/A", [1]][kind - 1]
    return bool(lost)


def lose_checksum(dump, dice):
    found = [t for e in dump["data"].values() for t in tensors(e) if t.get("md5")]
    if not found:
        return False
    leaf = dice.choice(found)
    if dice.random() < 0.5:
        del leaf["md5"]
    else:
        leaf["md5"] = "N/A"
    return True


def lose_outputs(dump, dice):
    found = [n for n, e in dump["data"].items() if any(True for _ in tensors(e.get("output", [])))]
    if not found:
        return False
    name = dice.choice(found)
    if dice.random() < 0.5:
        del dump["data"][name]["output"]
    else:
        dump["data"][name]["output"] = "gone"
    return True


def lose_entry(dump, dice):
    dump["data"][dice.choice(list(dump["data"]))] = dice.choice(["gone", 17, None, [1, 2]])
    return True


def lose_many(dump, dice):
    """A share of all tensors loses everything."""
    share, lost = dice.uniform(0.05, 0.95), False
    for entry in dump["data"].values():
        for leaf in tensors(entry):
            if dice.random() < share:
                lost = True
                for key in STATS + ("md5",):
                    if key in leaf:
                        leaf[key] = None
    return lost


def lose_input(dump, dice):
    """One argument of one call is gone, or is None."""
    found = [(e, k, i) for e in dump["data"].values() for k in ("input_args", "input", "output") if isinstance(e.get(k), list)
             for i, leaf in enumerate(e[k]) if is_tensor(leaf) and any(True for _ in tensors(leaf))]
    if not found:
        return False
    entry, key, at = dice.choice(found)
    entry[key][at] = dice.choice([None, "gone", {}, []])
    return True


def lose_type(dump, dice):
    """What a tensor is: its numbers stay."""
    found = [t for e in dump["data"].values() for t in tensors(e)]
    if not found:
        return False
    leaf = dice.choice(found)
    key = dice.choice(("shape", "dtype"))
    if dice.random() < 0.5:
        del leaf[key]
    else:
        leaf[key] = None
    return True


def lose_call(dump, dice):
    """One call of several of its kind is not there; where nothing else shows it, that is said and green."""
    kind = {n: re.sub(r"\d+", "", n) for n in dump["data"]}
    often = [n for n in kind if list(kind.values()).count(kind[n]) > 2 and any(True for _ in tensors(dump["data"][n].get("output", [])))]
    if not often:
        return False
    del dump["data"][dice.choice(often)]
    return True


def lose_list_end(dump, dice):
    """A list of arguments or results is shorter."""
    found = [e[k] for e in dump["data"].values() for k in ("input_args", "input", "output") if isinstance(e.get(k), list)
             and e[k] and any(True for _ in tensors(e[k][-1]))]
    if not found:
        return False
    dice.choice(found).pop()
    return True


def lose_layer(dump, dice):
    """All entries of one module."""
    layers = sorted({m.group(0) for n in dump["data"] for m in [re.match(r"(Module|Cell)\..*?\.\d+\.", n)] if m})
    layer = dice.choice(layers) if layers else None
    kept = {n: e for n, e in dump["data"].items() if layer and not n.startswith(layer)}
    if not kept or len(kept) == len(dump["data"]):
        return False
    dump["data"] = kept
    return True


def lose_outputs_of_a_class(dump, dice):
    classes = sorted({re.sub(r"\d+", "", n) for n, e in dump["data"].items() if any(True for _ in tensors(e.get("output", [])))})
    if len(classes) < 2:
        return False
    lost = dice.choice(classes)
    for name, entry in dump["data"].items():
        if re.sub(r"\d+", "", name) == lost:
            entry.pop("output", None)
    return True


def lose_kinds(dump, dice):
    """All shapes, or dtypes, or both."""
    found, keys = [t for e in dump["data"].values() for t in tensors(e)], dice.choice((("shape",), ("dtype",), ("shape", "dtype")))
    for leaf in found:
        leaf.update(dict.fromkeys(keys))
    return bool(found)


def lose_end(dump, dice):
    """The file breaks off: see write."""
    dump["cut"] = dice.uniform(0.2, 0.95)
    return True


DAMAGE = (lose_statistics, lose_statistics, lose_checksum, lose_outputs, lose_entry, lose_many, lose_end, lose_input, lose_type,
          lose_call, lose_list_end, lose_layer, lose_outputs_of_a_class, lose_kinds)


def write(dump, source, folder):
    cut = dump.pop("cut", None)
    os.makedirs(folder)
    for name in ("construct.json", "stack.json"):
        if os.path.exists(os.path.join(source, name)):
            os.symlink(os.path.abspath(os.path.join(source, name)), os.path.join(folder, name))
    text = json.dumps(dump)
    with open(os.path.join(folder, "dump.json"), "w", encoding="utf-8") as f:
        f.write(text if cut is None else text[:int(len(text) * cut)])
    if os.path.isdir(os.path.join(source, "dump_tensor_data")):
        os.symlink(os.path.abspath(os.path.join(source, "dump_tensor_data")), os.path.join(folder, "dump_tensor_data"))


# ---- settings of the collection: of a dump the one that another setting would have written

def only(keep):
    return lambda dump: dict(dump, data={n: e for n, e in dump["data"].items() if keep(n)})


def without_role(role):
    def change(dump):
        gone = {"inputs": ("input_args", "input_kwargs", "input"), "outputs": ("output",), "parameters": ("parameters",)}[role]
        return dict(dump, data={n: {k: v for k, v in e.items() if k not in gone} for n, e in dump["data"].items()})
    return change


def without_statistic(key):
    def change(dump):
        dump = copy.deepcopy(dump)
        for entry in dump["data"].values():
            for leaf in tensors(entry):
                leaf.pop(key, None)
        return dump
    return change


def rounded(form):
    def change(dump):
        dump = copy.deepcopy(dump)
        for entry in dump["data"].values():
            for leaf in tensors(entry):
                leaf.update({k: float(form % leaf[k]) for k in STATS if isinstance(leaf.get(k), float)})
        return dump
    return change


def scope(low, high):
    def change(dump):
        names = list(dump["data"])
        kept = set(names[int(low * len(names)):int(high * len(names))])
        return only(kept.__contains__)(dump)
    return change


SETTINGS = {
    "forward only": only(lambda n: of_direction(n) != "backward"),
    "backward only": only(lambda n: of_direction(n) != "forward"),
    "without gradients of weights": only(lambda n: of_direction(n) != "parameters_grad"),
    "level L0": only(is_module),
    "level L1": only(lambda n: not is_module(n)),
    "list linear": only(lambda n: "linear" in n.lower()),
    "scope": scope(0.25, 0.7),
    "without inputs": without_role("inputs"),
    "without outputs": without_role("outputs"),
    "without weights": without_role("parameters"),
    "without Mean": without_statistic("Mean"),
    "without Norm": without_statistic("Norm"),
    "six digits": rounded("%.6g"),
    "four decimals": rounded("%.4f"),
}


def pairs():
    """(name, golden folder, target folder, exit code of the whole pair)"""
    gpt = os.path.join(SAMPLES, "gpt")
    found = [] if ONLY_SAMPLES else [("samples", os.path.join(gpt, "golden"), os.path.join(gpt, "target"))]
    shared = os.path.join(SHARED, "data", "dumps")
    for case in sorted(os.listdir(shared)) if os.path.isdir(shared) else []:
        for target in sorted(os.listdir(os.path.join(shared, case))) if os.path.isdir(os.path.join(shared, case)) else []:
            if target.startswith("target") and case != "cnn-mix-tensor":
                found.append((case + "/" + target, os.path.join(shared, case, "bench"), os.path.join(shared, case, target)))
    out = []
    for name, golden, target in found:
        golden, target = (next((os.path.join(at, d) for d in ("step0/rank0", "step0/rank", "") if
                                os.path.exists(os.path.join(at, d, "dump.json"))), None) for at in (golden, target))
        if golden and target:
            out += [(name, golden, target), (name + " equal", golden, golden)]
    return out


class Trust(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.number = 0

    def compare(self, golden, target, *options):
        """Exit code and verdict."""
        done = subprocess.run([VERNIER, "compare", golden, target, "-o", os.path.join(self.folder, "out.json"), "--jobs", "1", *options],
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
        with open(os.path.join(self.folder, "out.json"), encoding="utf-8") as f:
            return done.returncode, json.load(f)["verdict"]

    def place(self, dump, source):
        self.number += 1
        folder = os.path.join(self.folder, "%05d" % self.number)
        write(dump, source, folder)
        return folder

    def other_names(self, rename):
        """The golden dump with other names, in construct.json too."""
        folder = os.path.join(self.folder, "renamed")
        os.makedirs(folder)
        dump = load(self.GOLDEN)
        with open(os.path.join(self.GOLDEN, "construct.json"), encoding="utf-8") as f:
            construct = json.load(f)
        with open(os.path.join(folder, "dump.json"), "w", encoding="utf-8") as f:
            json.dump(dict(dump, data={rename(n): e for n, e in dump["data"].items()}), f)
        with open(os.path.join(folder, "construct.json"), "w", encoding="utf-8") as f:
            json.dump({rename(k): rename(v) if isinstance(v, str) else v for k, v in construct.items()}, f)
        return folder

    def test_parts_of_an_adapter_are_no_wrappers_of_the_module_beside_them(self):
        def leaf(norm, *shape):
            return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": list(shape), "Max": norm / 4, "Min": -norm / 5, "Mean": norm / 99, "Norm": norm}

        def run(parts):
            data, grads = {}, {}
            for layer in range(3):
                for part, (rows, columns) in parts.items():
                    name = "Module.layers.%d.q%s.Linear." % (layer, part)
                    norm = 1 + layer + rows / 7 + columns / 9
                    data[name + "forward.0"] = {"input_args": [leaf(norm, 8, columns)], "input_kwargs": {}, "output": [leaf(norm * 2, 8, rows)],
                                                "parameters": {"weight": leaf(norm * 3, rows, columns)}}
                    grads = {name + "parameters_grad.0": {"weight": [leaf(norm / 8, rows, columns)]}, **grads}
            return self.place({"task": "statistics", "level": "L0", "framework": "pytorch", "data": {**data, **grads}}, self.folder)
        golden, target = run({"": (32, 32)}), run({".base_layer": (32, 32), ".lora_A": (4, 32), ".lora_B": (32, 4)})
        for sides, said in (((golden, target), "the golden run has no such op"), ((target, golden), "the target run leaves out")):
            code, verdict = self.compare(*sides)
            self.assertEqual((1, True, True), (code, said in verdict, "at Module.layers.0.q" in verdict), verdict)
            with open(os.path.join(self.folder, "out.json"), encoding="utf-8") as f:
                counts = json.load(f)["pairs"][0]["counts"]
            self.assertEqual((0, 12), (counts["error"], counts["same"]), counts)

    def test_equal_runs_whose_modules_are_of_another_class_are_the_same(self):
        other = self.other_names(lambda n: n.replace(".Linear.", ".NPULinear.").replace(".LayerNorm.", ".FusedNorm."))
        for sides in ((self.GOLDEN, other), (other, self.GOLDEN)):
            code, said = self.compare(*sides)
            self.assertEqual((0, True), (code, said.startswith("SAME      bit for bit: 1,276 slots.")), said)

    def test_ops_that_do_together_what_one_op_of_the_other_side_does_are_no_divergence(self):
        """gelu as a tanh and two products, of which the other side has some too; what only one side does is missing all the same."""
        name, whole = "Functional.gelu.2.%s", load(self.GOLDEN)

        def leaf(of, factor):
            return dict(of, **{k: of[k] * factor for k in STATS})

        def parts(dump, factor=1.0, gone=False):
            data = {}
            for n, e in dump["data"].items():
                if n == name % "forward" and not gone:
                    x, y = e["input_args"][0], e["output"][0]
                    t, half = leaf(x, 0.3), leaf(x, 0.7)
                    data["Torch.tanh.0.forward"] = {"input_args": [x], "input_kwargs": {}, "output": [t]}
                    data["Tensor.__mul__.8.forward"] = {"input_args": [t, x], "input_kwargs": {}, "output": [half]}
                    data["Tensor.__mul__.9.forward"] = {"input_args": [half, x], "input_kwargs": {}, "output": [leaf(y, factor)]}
                elif n == name % "backward" and not gone:
                    for k in (9, 8):
                        data["Tensor.__mul__.%d.backward" % k] = {"input": [e["input"][0]], "output": [leaf(e["output"][0], 1.0 / k)]}
                elif n not in (name % "forward", name % "backward"):
                    data[n] = e
            return dict(dump, data=data)
        rewritten = self.place(parts(whole), self.GOLDEN)
        for sides in ((self.GOLDEN, rewritten), (rewritten, self.GOLDEN)):
            code, said = self.compare(*sides)
            self.assertEqual((0, True), (code, "Tensor.__mul__ x2" in said and "in the target; values are equal." in said), said)
        for broken in (parts(whole, gone=True), parts(whole, 1.5)):
            place = self.place(broken, self.GOLDEN)
            for sides in ((self.GOLDEN, place), (place, self.GOLDEN)):
                code, said = self.compare(*sides)
                self.assertEqual(1, code, said)

    def in_parts(self, path, gelu=1.0, whole=1.0, weight=1.0):
        """The golden run with a module that computes its batch in two halves; `gelu`, `whole`, `weight`: off by a factor in one half, in
        what the module gives, in a weight of it."""
        golden = load(self.GOLDEN)
        with open(os.path.join(self.GOLDEN, "construct.json"), encoding="utf-8") as f:
            construct = json.load(f)
        data, around, counts, numbers = {}, {}, {}, {}
        part = re.compile(r"^Module\.%s\.\w+\.\w+\.(forward|backward)" % re.escape(path))

        def half(entry, k):
            entry = copy.deepcopy(entry)
            for leaf in tensors({key: v for key, v in entry.items() if key != "parameters"}):
                if leaf["shape"][0] in (2, 32) and len(leaf["shape"]) > 1:
                    leaf["shape"][0] //= 2
                    for key in STATS:
                        leaf[key] *= 0.9 - 0.1 * k
            return entry

        def renumbered(name, k=None):
            found = re.match(r"^(?!Module)(.+)\.(\d+)\.(forward|backward)$", name)
            if not found:
                return name if not k else re.sub(r"\d+$", str(k), name)
            stem, number = found.group(1), found.group(2)
            if found.group(3) == "forward":
                numbers[stem, number, k] = counts[stem] = counts.get(stem, -1) + 1
            return "%s.%d.%s" % (stem, numbers[stem, number, k], found.group(3))

        names = [n for n in golden["data"] if part.match(n) or (construct.get(n) or "").startswith("Module.%s." % path)]
        for name, entry in golden["data"].items():
            parent = construct.get(name)
            if name not in names:
                name = renumbered(name)
                data[name], around[name] = entry, parent
                if name == "Module.%s.FeedForward.forward.0" % path:
                    for leaf in tensors(entry["output"]):
                        leaf["Norm"] *= whole
            elif name == names[0] or name.split(".")[-2] == "backward" or name.endswith(".backward"):
                batch = [name] if name != names[0] else [n for n in names if ".forward" in n]
                for k in range(2):
                    for each in batch:
                        new = renumbered(each, k)
                        data[new] = half(golden["data"][each], k)
                        around[new] = renumbered(construct[each], k) if part.match(construct[each]) else construct[each]
                        for leaf in tensors(data[new]["output"]) if "gelu" in new and k else ():
                            leaf["Norm"] *= gelu
        for leaf in tensors(data["Module.%s.fc_in.Linear.forward.0" % path]["parameters"]):
            leaf["Norm"] *= weight
        folder = self.place(dict(golden, data=data), os.path.join(SAMPLES, "gpt"))
        with open(os.path.join(folder, "construct.json"), "w", encoding="utf-8") as f:
            json.dump(around, f)
        return folder

    def test_a_module_that_both_sides_agree_about_may_compute_in_parts(self):
        """Calls of other number and shape inside it are another way to the same; what it gives, and its weights, are held all the same."""
        for options in ({}, {"gelu": 1.5}):
            parts = self.in_parts("blocks.1.mlp", **options)
            for sides in ((self.GOLDEN, parts), (parts, self.GOLDEN)):
                code, said = self.compare(*sides)
                self.assertEqual((0, True), (code, "ops are on one side only; no op that both hold differs." in said), said)
        for options in ({"whole": 1.5}, {"weight": 1.5}):
            parts = self.in_parts("blocks.1.mlp", **options)
            for sides in ((self.GOLDEN, parts), (parts, self.GOLDEN)):
                code, said = self.compare(*sides)
                self.assertEqual(1, code, said)
                self.assertIn("blocks.1.mlp" if "weight" in options else "DIVERGES", said)

    def test_a_module_that_both_sides_agree_about_may_compute_in_steps_that_casts_hide(self):
        """A softmax as products, of which nothing that is recorded shows that they lead to the same; where the module differs, they part."""
        name, inside = "Functional.softmax.1.%s", "Module.blocks.1.attn.SelfAttention"
        for off in (1.0, 1.5):
            dump, data, around = load(self.GOLDEN), {}, {}
            with open(os.path.join(self.GOLDEN, "construct.json"), encoding="utf-8") as f:
                construct = json.load(f)
            for n, e in dump["data"].items():
                way = n.split(".")[-1]
                for k, new in enumerate(("Tensor.__mul__.8." + way, "Tensor.__mul__.9." + way) if n == name % way else (n,)):
                    data[new], around[new] = copy.deepcopy(e), construct.get(n)
                    for leaf in tensors(data[new]) if new != n else ():
                        leaf.update({key: 0.3 + 0.1 * k for key in STATS}, dtype="torch.bfloat16")
            for leaf in tensors(data[inside + ".forward.0"]["output"]):
                leaf["Norm"] *= off
            place = self.place(dict(dump, data=data), os.path.join(SAMPLES, "gpt"))
            with open(os.path.join(place, "construct.json"), "w", encoding="utf-8") as f:
                json.dump(around, f)
            for sides in ((self.GOLDEN, place), (place, self.GOLDEN)):
                code, said = self.compare(*sides)
                self.assertEqual((int(off > 1), off == 1), (code, "Tensor.__mul__ x2" in said and "in the target; values are equal." in said), said)

    def test_gradients_of_weights_in_one_and_in_parts_stand_on_one_side_each(self):
        def leaf(norm, *shape):
            return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": list(shape), "Max": norm / 4, "Min": -norm / 5, "Mean": norm / 99, "Norm": norm}

        def run(parts, out=3.0):
            data, parents = {}, {"Module.norm.LayerNorm.forward.0": None}
            data["Module.norm.LayerNorm.forward.0"] = {"input_args": [leaf(1.0, 8, 32)], "input_kwargs": {}, "output": [leaf(2.0, 8, 32)], "parameters": {}}
            around = "Module.layers.0.attn.Attention.forward.0"
            for part, rows in parts.items():
                name = "Module.layers.0.attn.%s.Linear." % part
                data[name + "forward.0"] = {"input_args": [leaf(2.0, 8, 32)], "input_kwargs": {}, "output": [leaf(rows / 9, 8, rows)],
                                            "parameters": {"weight": leaf(rows / 7, rows, 32)}}
                parents[name + "forward.0"] = around
            data["Module.layers.0.attn.o.Linear.forward.0"] = {"input_args": [leaf(1.5, 8, 32)], "input_kwargs": {}, "output": [leaf(out, 8, 32)],
                                                               "parameters": {"weight": leaf(4.0, 32, 32)}}
            data[around] = {"input_args": [leaf(2.0, 8, 32)], "input_kwargs": {}, "output": [leaf(out, 8, 32)], "parameters": {}}
            parents.update({"Module.layers.0.attn.o.Linear.forward.0": around, around: None})
            data.update(("Module.layers.0.attn.%s.Linear.parameters_grad.0" % part, {"weight": [leaf(rows / 70, rows, 32)]}) for part, rows in parts.items())
            data["Module.layers.0.attn.o.Linear.parameters_grad.0"] = {"weight": [leaf(0.4, 32, 32)]}
            folder = self.place({"task": "statistics", "level": "L0", "framework": "pytorch", "data": data}, self.folder)
            with open(os.path.join(folder, "construct.json"), "w", encoding="utf-8") as f:
                json.dump(parents, f)
            return folder
        parts, one = {"q": 32, "k": 16, "v": 16}, {"qkv": 64}
        for sides in ((run(parts), run(one)), (run(one), run(parts))):
            code, said = self.compare(*sides)
            self.assertEqual((0, True), (code, "Linear x3" in said and "in the target; values are equal." in said), said)
        self.assertEqual(1, self.compare(run(parts), run(one, 3.1))[0])
        self.assertEqual(1, self.compare(run(parts), run({"q": 32, "k": 16}))[0])

    def test_what_one_side_counts_for_its_log_alone_is_no_divergence_and_what_gradients_go_through_is(self):
        dump = load(self.GOLDEN)
        at = next(i for i, n in enumerate(dump["data"]) if ".backward" in n)
        given = next(e for n, e in dump["data"].items() if n.startswith("Functional.linear.")) ["output"][0]
        last = max(int(n.split(".")[2]) for n in dump["data"] if n.startswith("Tensor.masked_fill."))
        masked = dict(given, Max=given["Max"] / 3)
        extra = {"Tensor.masked_fill.%d.forward" % (last + 1): ([given], masked), "Torch.argmax.0.forward": ([masked], dict(given, Max=0.5)),
                 "Torch.eq.0.forward": ([masked], dict(given, Max=0.25)), "Tensor.item.0.forward": ([dict(given, Max=0.25)], dict(given, Max=0.2))}
        extra = {n: {"input_args": inputs, "input_kwargs": {}, "output": [result]} for n, (inputs, result) in extra.items()}
        names = list(dump["data"].items())

        def run(*left_out, more=()):
            return self.place(dict(dump, data=dict(names[:at] + [(n, e) for n, e in extra.items() if n not in left_out] + names[at:] + list(more))), self.GOLDEN)
        backward = [("Tensor.masked_fill.%d.backward" % (last + 1), {"input": [dict(given, Max=7.0)], "output": [dict(given, Max=8.0)]})]
        for other, expected in ((run(), 0), (run("Torch.argmax.0.forward", "Torch.eq.0.forward", "Tensor.item.0.forward"), 0), (run(more=backward), 1)):
            for sides in ((self.GOLDEN, other), (other, self.GOLDEN)):
                code, said = self.compare(*sides)
                self.assertEqual((expected, bool(expected)), (code, "masked_fill.%d.forward" % (last + 1) in said), said)

    def test_an_op_that_gave_the_result_of_a_module_and_that_one_side_lacks_is_named_before_the_module(self):
        def run(added):
            def leaf(norm):
                return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [48, 48], "Max": norm / 16, "Min": -norm / 17, "Mean": norm / 3900, "Norm": norm}
            calls, parents, x = {}, {}, 3.0
            for i in range(3):
                layer, number = "Module.layers.%d.Layer.forward.0" % i, i - (i == 2 and not added)
                y = x * 1.3
                calls["Functional.linear.%d.forward" % i] = {"input_args": [leaf(x)], "input_kwargs": {}, "output": [leaf(y)]}
                out = y + x if added or i != 1 else y
                if added or i != 1:
                    calls["Tensor.add.%d.forward" % number] = {"input_args": [leaf(x), leaf(y)], "input_kwargs": {}, "output": [leaf(out)]}
                    parents["Tensor.add.%d.forward" % number] = layer
                calls[layer] = {"input_args": [leaf(x)], "input_kwargs": {}, "output": [leaf(out)], "parameters": {}}
                parents.update({"Functional.linear.%d.forward" % i: layer, layer: None})
                x = out
            place = self.place({"task": "statistics", "level": "mix", "framework": "pytorch", "data": calls}, self.folder)
            with open(os.path.join(place, "construct.json"), "w", encoding="utf-8") as f:
                json.dump(parents, f)
            return place
        for golden, target, words in ((True, False, "the target run has no such op"), (False, True, "the golden run has no such op")):
            code, said = self.compare(run(golden), run(target))
            self.assertEqual((1, True), (code, "at Tensor.add.1.forward" in said and words in said), said)

    def told(self, golden, target, words):
        """Exit code, and whether the verdict holds the words."""
        code, said = self.compare(golden, target)
        return code, words in said or said

    def test_independent_calls_in_another_order_are_told(self):
        dump = load(self.GOLDEN)
        names = list(dump["data"])
        at = names.index("Functional.embedding.1.forward")
        self.assertEqual("Functional.embedding.0.forward", names[at - 2])
        names[at - 2:at + 2] = names[at:at + 2] + names[at - 2:at]
        place = self.place(dict(dump, data={n: dump["data"][n] for n in names}), self.GOLDEN)
        for sides in ((self.GOLDEN, place), (place, self.GOLDEN)):
            code, said = self.compare(*sides)
            self.assertEqual((0, True), (code, said.endswith("bit for bit: 1,276 slots. 2 ops run in another order.")), said)

    def test_arguments_that_mean_the_same_are_no_difference(self):
        def run(api="Functional.softmax", given=(), keywords=(), dtype="torch.float32"):
            def leaf(value):
                return {"type": "torch.Tensor", "dtype": dtype, "shape": [4, 8, 16], "Max": value, "Min": -value, "Mean": value / 9, "Norm": value * 30}

            def written(value):
                if value is None or isinstance(value, list):
                    return value and [written(v) for v in value]
                return {"type": "torch.dtype" if isinstance(value, str) else "int", "value": value}
            data = {"Functional.gelu.0.forward": {"input_args": [leaf(3.0)], "input_kwargs": {}, "output": [leaf(2.0)]},
                    api + ".0.forward": {"input_args": [leaf(2.0)] + [written(v) for v in given],
                                         "input_kwargs": {k: written(v) for k, v in dict(keywords).items()}, "output": [leaf(1.0)]}}
            return self.place({"task": "statistics", "level": "L1", "framework": "pytorch", "data": data}, self.folder)
        f32, bf16 = "torch.float32", "torch.bfloat16"
        same = (({"given": [-1]}, {"given": [2]}), ({"given": [-1]}, {"keywords": {"dim": 2}}), ({"keywords": {"dim": 0}}, {"keywords": {"dim": -3}}),
                ({"api": "Tensor.mean", "given": [[-1, 1]]}, {"api": "Tensor.mean", "given": [[2, -2]]}),
                ({"api": "Tensor.unsqueeze", "given": [-1]}, {"api": "Tensor.unsqueeze", "given": [3]}),
                ({"keywords": {"dim": 2, "dtype": None}}, {"keywords": {"dim": 2, "dtype": f32}}),
                ({"keywords": {"dim": 2}}, {"keywords": {"dim": 2, "dtype": f32}}))
        other = (({"given": [-1]}, {"given": [1]}), ({"given": [-1]}, {"given": [3]}), ({"keywords": {"dim": 1}}, {"keywords": {"dim": -1}}),
                 ({"api": "Tensor.unsqueeze", "given": [-1]}, {"api": "Tensor.unsqueeze", "given": [2]}),
                 ({"api": "Tensor.roll", "given": [-1]}, {"api": "Tensor.roll", "given": [2]}),
                 ({"keywords": {"dtype": None}}, {"keywords": {"dtype": bf16}}), ({"keywords": {"dim": 2}}, {"keywords": {"dim": 2, "dtype": bf16}}),
                 ({"keywords": {"dtype": None}, "dtype": bf16}, {"keywords": {"dtype": f32}, "dtype": bf16}),
                 ({"api": "Tensor.sum", "keywords": {"dtype": None}, "dtype": "torch.int32"},
                  {"api": "Tensor.sum", "keywords": {"dtype": "torch.int32"}, "dtype": "torch.int32"}))
        for pairs, code, word in ((same, 0, "SAME"), (other, 1, "DIVERGES")):
            for golden, target in pairs:
                for sides in ((golden, target), (target, golden)):
                    with self.subTest(sides=sides):
                        self.assertEqual((code, True), self.told(run(**sides[0]), run(**sides[1]), word))

    def test_a_bias_may_be_added_behind_the_product(self):
        def run(behind, weight=0.5, bias=0.4, result=0.7, dtype="torch.float32", backward=False):
            def leaf(value, *shape):
                return {"type": "torch.Tensor", "dtype": dtype, "shape": list(shape or (4, 8)), "Max": value, "Min": -value, "Mean": value / 30, "Norm": 3 * value}
            data, x, b, out = {}, leaf(1.0), leaf(bias, 8), leaf(result)

            def call(name, given, result):
                data[name + ".0.forward"] = {"input_args": given, "input_kwargs": {}, "output": [result]}
            call("Functional.layer_norm", [leaf(3.3)], x)
            call("Functional.linear", [x, leaf(weight, 8, 8)] + ([] if behind else [b]), leaf(0.6) if behind else out)
            if behind:
                call("Tensor.add", [leaf(0.6), b], out)
            call("Functional.gelu", [out], leaf(1.3))
            if backward and behind:
                data["Tensor.add.0.backward"] = {"input": [leaf(0.1)], "output": [leaf(0.1), leaf(0.3, 8)]}
            if backward:
                data["Functional.linear.0.backward"] = {"input": [leaf(0.1)], "output": [leaf(0.2), leaf(0.25, 8, 8)] + ([] if behind else [leaf(0.3, 8)])}
                data["Functional.layer_norm.0.backward"] = {"input": [leaf(0.2)], "output": [leaf(0.15)]}
            return self.place({"task": "statistics", "level": "L1", "framework": "pytorch", "data": data}, self.folder)
        for other in ({}, {"backward": True}):
            for sides in ((run(False, **other), run(True, **other)), (run(True, **other), run(False, **other))):
                code, said = self.compare(*sides)
                self.assertEqual((0, True), (code, "in the target; values are equal." in said), said)
        # One step of the sum more or less.
        code, said = self.compare(run(False, dtype="torch.bfloat16"), run(True, dtype="torch.bfloat16", result=0.7 * (1 + 2 ** -9)))
        self.assertEqual((0, True), (code, said.startswith("AGREES")), said)
        # A weight, a bias or a sum that is another one.
        for other in ({"weight": 0.51}, {"bias": 0.41}, {"result": 0.71}, {"result": 0.8}):
            for sides in ((run(False), run(True, **other)), (run(True), run(False, **other))):
                self.assertEqual(1, self.compare(*sides)[0], other)

    def test_the_operands_of_a_sum_or_a_product_may_stand_in_another_order(self):
        def run(swapped, api="Tensor.add", alpha=None, backward=False, noise=0.0, result=1.2, checksums=False):
            def leaf(high, *shape):
                told = {"md5": "%08x" % int(high * 1000)} if checksums else {}
                return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": list(shape or (4, 8)), "Max": high, "Min": -high,
                        "Mean": high / 100, "Norm": 3 * high} | told
            x, y, z = leaf(1.0), leaf(0.7 * (1 + noise)), leaf(result)
            two, gradients = ([y, x], [leaf(0.3), leaf(0.2)]) if swapped else ([x, y], [leaf(0.2), leaf(0.3)])
            keywords = {"alpha": {"type": "int", "value": alpha}} if alpha else {}
            data = {"Functional.layer_norm.0.forward": {"input_args": [leaf(3.3)], "input_kwargs": {}, "output": [x]},
                    "Functional.linear.0.forward": {"input_args": [x, leaf(0.5, 8, 8)], "input_kwargs": {}, "output": [y]},
                    api + ".0.forward": {"input_args": two, "input_kwargs": keywords, "output": [z]},
                    "Functional.gelu.0.forward": {"input_args": [z], "input_kwargs": {}, "output": [leaf(1.3)]}}
            if backward:
                gradients = gradients[::-1] if backward == "crossed" else gradients
                data[api + ".0.backward"] = {"input": [leaf(0.9)], "output": gradients}
            return self.place({"task": "statistics", "level": "L1", "framework": "pytorch", "data": data}, self.folder)
        for api in ("Tensor.add", "Tensor.__mul__", "Torch.maximum"):
            for other in ({}, {"backward": True}, {"alpha": 1}, {"checksums": True}):
                code, said = self.compare(run(False, api, **other), run(True, api, **other))
                self.assertEqual((0, True), (code, said.startswith("SAME")), (said, other))
        code, said = self.compare(run(False), run(True, noise=1e-7))
        self.assertEqual((0, True), (code, said.startswith("AGREES")), said)
        for api, other, words in (("Tensor.sub", {}, "at Tensor.sub.0.forward, step 0, rank 0: input.0 differs"),
                                  ("Tensor.add", {"alpha": 2}, "at Tensor.add.0.forward, step 0, rank 0: input.0 differs"),
                                  ("Tensor.add_", {}, "at Tensor.add_.0.forward, step 0, rank 0: input.0 differs"),
                                  ("Tensor.add", {"result": 1.3}, "at Tensor.add.0.forward, step 0, rank 0: inputs agree, output.0 differs by")):
            golden = run(False, api, **dict(other, result=1.2))
            self.assertEqual((1, True), self.told(golden, run(True, api, **other), words))
        # A gradient that went to the other operand is a defect.
        code, said = self.compare(run(False, "Tensor.mul", backward=True), run(False, "Tensor.mul", backward="crossed"))
        self.assertEqual((1, True), (code, "at Tensor.mul.0.backward" in said), said)
        code, said = self.compare(run(False, "Tensor.mul", backward=True), run(True, "Tensor.mul", backward="crossed"))
        self.assertEqual((1, True), (code, "at Tensor.mul.0.backward" in said), said)

    def test_weights_of_one_shape_that_changed_places_are_no_calls_in_another_order(self):
        """Of layers of a chain, close and far; of the last two heads, whose outputs nothing takes."""
        def leaf(*seed):
            dice = random.Random(repr(seed))
            norm = dice.uniform(5, 6)
            return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [8, 8], "Max": dice.uniform(1, 2), "Min": -dice.uniform(1, 2),
                    "Mean": norm / 100, "Norm": norm}

        def run(layers, heads=()):
            data, x = {}, leaf("x")
            for number, weight in enumerate([*layers, *heads]):
                y = leaf("linear", x, weight)
                data["Functional.linear.%d.forward" % number] = {"input_args": [x, leaf("w", weight)], "input_kwargs": {}, "output": [y]}
                if number < len(layers):
                    x = leaf("gelu", y)
                    data["Functional.gelu.%d.forward" % number] = {"input_args": [y], "input_kwargs": {}, "output": [x]}
            return self.place({"task": "statistics", "level": "L1", "framework": "pytorch", "data": data}, self.folder)
        far = list(range(40))
        for at, golden, target in ((1, run(far[:6]), run([0, 3, 2, 1, 4, 5])), (0, run(far), run([39, *far[1:39], 0])),
                                   (2, run([0, 1], [2, 3]), run([0, 1], [3, 2]))):
            for sides in ((golden, target), (target, golden)):
                code, said = self.compare(*sides)
                there = "at Functional.linear.%d.forward, step 0, rank 0: weight input.1 differs" % at
                self.assertEqual((1, True), (code, there in said), said)

    def l1(self, calls, dtype="float32"):
        """The folder of a dump without modules: (API, its inputs, its result), a tensor as its norm, a scalar in a tuple."""
        data, count = {}, {}

        def leaf(value):
            if value is None or isinstance(value, dict):
                return value
            if isinstance(value, tuple):
                return {"type": "float", "value": value[0]}
            return {"type": "torch.Tensor", "dtype": "torch." + dtype, "shape": [48, 48], "Max": value / 16, "Min": -value / 17,
                    "Mean": value / 3900, "Norm": value}
        for api, given, result in calls:
            number = count[api] = count.get(api, -1) + 1
            data["%s.%d.forward" % (api, number)] = {"input_args": [leaf(g) for g in given], "input_kwargs": {}, "output": [leaf(result)]}
        return self.place({"task": "statistics", "level": "L1", "framework": "pytorch", "data": data}, self.folder)

    def test_small_moments_and_gradients_beside_large_weights_are_no_rounding_errors_of_these(self):
        def step(square=1.0, weight=1.0):
            calls = []
            for i in range(3):
                p, k = 30.0 + i, 1 + i / 10
                m, v, g = 1e-3 * k, 1e-7 * k * square, 1e-3 * (2 + i)
                root = 2.2e-3 * k * square ** 0.5
                calls += [("Tensor.mul_", [p, (0.99999,)], p * 0.99999), ("Tensor.mul_", [m, (0.9,)], m * 0.9),
                          ("Tensor.add_", [m * 0.9, g], m * 1.1), ("Tensor.mul_", [v, (0.999,)], v * 0.999),
                          ("Tensor.addcmul_", [v * 0.999, g, g], v * 1.003), ("Tensor.sqrt", [v * 1.003], root),
                          ("Tensor.add_", [root, (1e-8,)], root * 1.04),
                          ("Tensor.addcdiv_", [p * 0.99999, m * 1.1, root * 1.04], p * 0.99998 * weight)]
            return self.l1(calls)

        def norms(small):
            return self.l1([("Tensor.norm", [n], n) for n in (20.0, 3.0, small, 2.0)])
        for golden, target, where in ((step(), step(10), "Tensor.mul_.2."), (step(), step(1e-3), "Tensor.mul_.2."),
                                      (step(), step(10, 1.001), "Tensor.mul_.2."), (norms(1e-5), norms(1.9e-5), "Tensor.norm.2.")):
            code, said = self.compare(golden, target)
            self.assertEqual((1, True), (code, "at " + where in said and "input.0 differs" in said), said)
        self.assertEqual(0, self.compare(step(), step(1 + 1e-7))[0])

    def test_scalars_of_a_bfloat16_run_are_two_steps_off_at_most_and_counts_are_exact(self):
        def run(tokens, factor):
            return self.l1([("Functional.linear", [13.9, 30.0], 11.2), ("Tensor.div", [11.2, (tokens,)], 1e-4),
                            ("Tensor.mul_", [3.0, (factor,)], 2.77)], "bfloat16")
        golden = run(131072.0, 0.92578125)
        for tokens, factor, expected in ((131072.0, 0.9296875, 0), (131072.0, 0.93359375, 0), (131072.0, 0.91796875, 0),
                                         (131072.0, 0.9375, 1), (131072.0, 0.9140625, 1), (130048.0, 0.92578125, 1),
                                         (130560.0, 0.92578125, 1)):
            code, said = self.compare(golden, run(tokens, factor))
            self.assertEqual((expected, bool(expected)), (code, "argument input.1 is" in said), (tokens, factor, said))

    def steps(self, *places):
        """The folder of a run whose steps are those dumps."""
        run = os.path.join(self.folder, "run%d" % self.number)
        for step, place in enumerate(places):
            shutil.copytree(place, os.path.join(run, "step%d" % step, "rank0"))
        self.number += 1
        return run

    def test_a_factor_that_was_computed_puts_what_it_scales_off_by_as_much(self):
        def run(by, factor, result):
            return self.l1([("Tensor.relu", [3.0], 2.0 * (1 + by)), ("Tensor.mul_", [2.0 * (1 + by), (0.12345678912 * (1 + factor),)],
                                                                  0.24691357824 * (1 + result))])
        golden = run(0, 0, 0)
        for result, expected in ((2.7e-6, 0), (4e-6, 1)):
            code, said = self.compare(golden, run(1.7e-6, 1e-6, result))
            self.assertEqual(expected, code, said)

    def trained(self, weight, gradient, dtype, step=1):
        """A run whose weights, and gradients of its last step, are so far off."""
        def leaf(value, by):
            return {"type": "torch.Tensor", "dtype": "torch." + dtype, "shape": [48, 48], "Max": value / 16 * (1 + by), "Min": -value / 17,
                    "Mean": value / 3900, "Norm": value}

        def place(weight, by):
            data = {"Functional.linear.0.forward": {"input_args": [leaf(3.0, 0), leaf(5.0, weight)], "input_kwargs": {}, "output": [leaf(4.0, weight / 2)]},
                    "Functional.linear.0.backward": {"input": [leaf(0.3, by)], "output": [leaf(0.2, by), leaf(0.5, by)]}}
            return self.place({"task": "statistics", "level": "L1", "framework": "pytorch", "data": data}, self.folder)
        return self.steps(*[place(0, 0)] * step, place(weight, gradient))

    def test_what_weights_that_noise_moved_give_is_off_by_more_and_what_equal_weights_give_is_not(self):
        for dtype, weight, by, more in (("float32", 1e-6, 1.5e-5, 2.5e-5), ("bfloat16", 8e-3, 6.5e-2, 0.1)):
            golden = self.trained(0, 0, dtype)
            for target, expected in ((self.trained(weight, by, dtype), 0), (self.trained(0, by, dtype), 1), (self.trained(weight, more, dtype), 1)):
                self.assertEqual(expected, self.compare(golden, target)[0], (dtype, target))

    def test_values_that_pass_by_the_room_of_weights_of_which_no_dump_tells_whether_they_moved_apart_are_told(self):
        def leaf(value, by=0.0):
            return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [48, 48], "Max": value / 16 * (1 + by), "Min": -value / 17,
                    "Mean": value / 3900, "Norm": value}

        def run(by, weight=None):
            steps = []
            for step in range(2):
                data = {"Module.m.Linear.forward.0": {"input_args": [leaf(3.0)], "input_kwargs": {}, "output": [leaf(4.0, 4e-7 * bool(by))]},
                        "Module.m.Linear.backward.0": {"input": [leaf(0.3, by * step)], "output": [leaf(0.2, by * step)]}}
                if weight is not None:
                    data["Module.m.Linear.forward.0"]["parameters"] = {"weight": leaf(5.0, weight * step)}
                steps.append(self.place({"task": "statistics", "level": "L0", "framework": "pytorch", "data": data}, self.folder))
            return self.steps(*steps)
        said = "2 of 8 tensors pass only if the weights have drifted apart, which the dumps do not record."
        for golden, target, expected in ((run(0), run(1.5e-5), (0, True)), (run(0), run(1e-6), (0, False)), (run(0, 0), run(1.5e-5, 1e-6), (0, False)),
                                         (run(0), run(2.5e-5), (1, False))):
            code, verdict = self.compare(golden, target)
            self.assertEqual(expected, (code, said in verdict), verdict)

    def run_of_a_bias(self, moved, gradient=2.8e-5, summed="bfloat16", weight=0):
        """Two steps; the largest of 32 elements of the bias is moved by a share of itself, those of the weight by another."""
        def leaf(norm, shape, largest, dtype="bfloat16"):
            return {"type": "torch.Tensor", "dtype": "torch." + dtype, "shape": shape, "Max": largest, "Min": -largest, "Mean": largest / 64, "Norm": norm}

        for step, by in enumerate((0, moved)):
            bias = leaf(0.5 * (1 + by), [32], 0.125 * (1 + by))
            weights = [leaf(8.0 * (1 + weight * step), [32, 32], 0.5), bias]
            data = {"Functional.linear.0.forward": {"input_args": [leaf(48.0, [36, 32], 3.0), *weights], "input_kwargs": {},
                                                    "output": [leaf(46.0, [36, 32], 3.0)]},
                    "Functional.linear.0.backward": {"input": [leaf(0.0055, [36, 32], 0.001, summed)], "output": [
                        leaf(0.0033, [36, 32], 0.0005), leaf(0.033, [32, 32], 0.005), leaf(gradient, [32], gradient / 2)]}}
            write({"task": "statistics", "level": "L1", "framework": "pytorch", "data": data}, self.folder,
                  os.path.join(self.folder, str(self.number), "step%d" % step, "rank0"))
        self.number += 1
        return os.path.join(self.folder, str(self.number - 1))

    def test_a_bias_whose_gradient_is_noise_of_16_bits_may_be_moved_by_it_and_no_other(self):
        for golden, target, gradients, summed, expected in (
                (0.05, -0.05, (2.8e-5, 2.8e-5), "bfloat16", 0), (0.05, -0.05, (2.8e-3, 2.8e-3), "bfloat16", 1),
                (0.05, -0.05, (2.8e-5, 2.8e-5), "float32", 1), (0.05, 2.0, (2.8e-5, 2.8e-5), "bfloat16", 1), (0.05, 0, (2.8e-5, 2.8e-5), "bfloat16", 1)):
            code, said = self.compare(self.run_of_a_bias(golden, gradients[0], summed), self.run_of_a_bias(target, gradients[1], summed))
            self.assertEqual((expected, bool(expected)), (code, "step 1, rank 0: weight input.2 differs" in said), (golden, target, gradients, summed, said))

    def test_a_bias_that_noise_moves_is_moved_otherwise_than_in_the_few_noise_runs_too(self):
        for gradient, expected in ((2.8e-5, 0), (2.8e-3, 1)):
            golden, target, *noise = (self.run_of_a_bias(moved, gradient, weight=weight)
                                      for moved, weight in ((0.05, 0), (-0.05, 0), (0.0499, 1e-4), (0.0501, 2e-4), (0.0499, 3e-4)))
            code, said = self.compare(golden, target, *(word for run in noise for word in ("--noise", run)))
            self.assertEqual((expected, False), (code, "noise not measured" in said), said)

    def test_a_bias_beyond_a_tolerance_of_the_user_differs_whatever_moved_it(self):
        criteria = os.path.join(self.folder, "criteria.yaml")
        with open(criteria, "w", encoding="utf-8") as f:
            f.write("limits: {norm: 0.01, max: 0.01, min: 0.01, mean: 0.01}\n")
        golden, target = self.run_of_a_bias(0.05, weight=2e-3), self.run_of_a_bias(-0.05)
        code, said = self.compare(golden, target, "--criteria", criteria)
        self.assertEqual((1, True), (code, "step 1, rank 0: weight input.2 differs" in said), said)

    def test_what_a_bias_moved_by_noise_does_in_float32_ends_in_a_module_whose_results_agree(self):
        def leaf(norm, shape, largest, mean=64):
            return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": shape, "Max": largest, "Min": -largest, "Mean": largest / mean, "Norm": norm}

        def run(moved, gradient=1.4e-9, felt=0.0, weight=0.0, told=True, whole=True, back=True):
            """Keys of an attention; what the largest element of their bias moved by, the scores feel a hundredth of."""
            for step, by in enumerate((0, moved)):
                x, k, s = leaf(48.0, [36, 32], 3.0), leaf(46.0, [36, 32], 3.0 * (1 + by / 1e3)), leaf(30.0, [36, 36], 4.0 * (1 + by / 10))
                w, bias = leaf(8.0 * (1 + weight * step), [32, 32], 0.5), leaf(0.5 * (1 + by * whole), [32], 0.125 * (1 + by))
                out = leaf(20.0 * (1 + felt * step), [36, 32], 2.0)
                slots, grad = leaf(0.0033, [36, 32], 0.0005), leaf(gradient, [32], gradient / 2)
                data = {"Functional.linear.0.forward": {"input_args": [x, w, bias], "input_kwargs": {}, "output": [k]},
                        "Module.attn.k.Linear.forward.0": {"input_args": [x], "input_kwargs": {}, "parameters": {"weight": w, "bias": bias}, "output": [k]},
                        "Torch.matmul.0.forward": {"input_args": [x, k], "input_kwargs": {}, "output": [s]},
                        "Functional.softmax.0.forward": {"input_args": [s], "input_kwargs": {}, "output": [leaf(6.0, [36, 36], 1.0)]},
                        "Module.attn.Attention.forward.0": {"input_args": [x], "input_kwargs": {}, "output": [out]},
                        "Functional.linear.0.backward": {"input": [leaf(0.0055, [36, 32], 0.001)], "output": [slots] + [leaf(0.033, [32, 32], 0.005), grad] * told},
                        "Module.attn.k.Linear.parameters_grad.0": {"weight": [leaf(0.033, [32, 32], 0.005)], "bias": [grad]},
                        "Module.attn.k.Linear.backward.0": {"input": [leaf(0.0055, [36, 32], 0.001)], "output": [slots]}}
                data = {name: entry for name, entry in data.items() if back or ".backward" not in name}
                within = {"Functional.linear.0.forward": "Module.attn.k.Linear.forward.0", "Module.attn.Attention.forward.0": None,
                          "Functional.linear.0.backward": "Module.attn.k.Linear.backward.0"}
                place = os.path.join(self.folder, str(self.number), "step%d" % step, "rank0")
                write({"task": "statistics", "level": "mix", "framework": "pytorch", "data": data}, self.folder, place)
                with open(os.path.join(place, "construct.json"), "w", encoding="utf-8") as file:
                    json.dump({name: within.get(name, None if "backward" in name or "grad" in name else "Module.attn.Attention.forward.0")
                               for name in data}, file)
            self.number += 1
            return os.path.join(self.folder, str(self.number - 1))
        golden, untold = run(1e-3), run(1e-3, told=False)
        for other, target, expected in ((golden, run(-1e-3), 0), (untold, run(-1e-3, told=False), 0), (golden, run(-1e-3, gradient=2.8e-6), 1),
                                        (golden, run(-1e-3, felt=1e-3), 1), (golden, run(-1e-3, weight=1e-3), 1), (golden, run(0.5), 1),
                                        (golden, run(-1e-3, back=False), 0), (run(1e-3, back=False), run(-1e-3), 0),
                                        (golden, run(-1e-3, gradient=2.8e-6, back=False), 1),
                                        (run(1e-3, back=False), run(-1e-3, back=False), 1)):
            code, said = self.compare(other, target)
            self.assertEqual(expected, code, said)
        # What one writer rounds to six digits is of float32 all the same.
        place, rounded = run(1e-3, whole=False), run(-1e-3, whole=False)
        for at, told in ((place, float), (rounded, lambda value: float("%.6g" % value))):
            for step in ("step0", "step1"):
                dump = load(os.path.join(at, step, "rank0"))
                for leaf in tensors(dump["data"]):
                    leaf.update({key: told(leaf[key] * (1 + 1.23456789e-5)) for key in STATS})
                with open(os.path.join(at, step, "rank0", "dump.json"), "w", encoding="utf-8") as file:
                    json.dump(dump, file)
        for sides in ((place, rounded), (rounded, place)):
            code, said = self.compare(*sides)
            self.assertEqual(0, code, said)

    def test_a_bias_that_noise_moves_before_a_normalisation_ends_there_where_no_module_is_around_both(self):
        def leaf(norm, shape, largest, mean=64):
            return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": shape, "Max": largest, "Min": -largest, "Mean": largest / mean, "Norm": norm}

        def run(level, moved, gradient=2.5e-7, felt=0.0, read=True):
            """A convolution of 8 x 16 x 16 places before a batch norm."""
            maps, data = [8, 32, 16, 16], {}
            for step, by in enumerate((0, moved)):
                x, y = leaf(480.0, [8, 3, 16, 16], 3.0), leaf(460.0 * (1 + by / 10), maps, 3.0 * (1 + by / 10))
                weight, bias = leaf(8.0, [32, 3, 3, 3], 0.5), leaf(0.5 * (1 + by), [32], 0.125 * (1 + by))
                out, ones, back = leaf(200.0 * (1 + felt * step), maps, 2.0), leaf(5.65, [32], 1.01), leaf(0.1, maps, 0.001)
                taken = y if read else leaf(470.0, maps, 3.1)
                api = {"Functional.conv2d.0.forward": {"input_args": [x, weight, bias], "input_kwargs": {}, "output": [y]},
                       "Functional.batch_norm.0.forward": {"input_args": [taken, ones], "input_kwargs": {}, "output": [out]},
                       "Functional.conv2d.0.backward": {"input": [back], "output": [None, leaf(0.33, [32, 3, 3, 3], 0.05), leaf(gradient, [32], gradient / 2)]}}
                module = {"Module.c.Conv2d.forward.0": {"input_args": [x], "input_kwargs": {}, "parameters": {"weight": weight, "bias": bias}, "output": [y]},
                          "Module.n.BatchNorm2d.forward.0": {"input_args": [taken], "input_kwargs": {}, "parameters": {"weight": ones}, "output": [out]},
                          "Module.c.Conv2d.parameters_grad.0": {"weight": [leaf(0.33, [32, 3, 3, 3], 0.05)], "bias": [leaf(gradient, [32], gradient / 2)]},
                          "Module.c.Conv2d.backward.0": {"input": [back], "output": [None]}}
                data = api if level == "L1" else module
                write({"task": "statistics", "level": level, "framework": "pytorch", "data": data}, self.folder,
                      os.path.join(self.folder, str(self.number), "step%d" % step, "rank0"))
            self.number += 1
            return os.path.join(self.folder, str(self.number - 1))
        for level in ("L1", "L0"):
            golden = run(level, 1e-3)
            for wrong, expected in (({}, 0), ({"gradient": 1e-5}, 1), ({"felt": 1e-3}, 1), ({"read": False}, 1)):
                code, said = self.compare(golden, run(level, -1e-3, **wrong))
                self.assertEqual(expected, code, (level, wrong, said))

    def test_what_an_optimizer_alone_writes_behind_the_last_op_of_the_other_side_is_missing(self):
        whole = load(self.GOLDEN)
        calls = 1 + max(int(n.split(".")[2]) for n in whole["data"] if n.startswith("Tensor.__truediv__."))

        def entry(norm):
            given, result = ({"type": "torch.Tensor", "dtype": "torch.float32", "shape": [96, 64], "Max": n, "Min": n / 9, "Mean": n / 4, "Norm": 50 * n}
                             for n in (norm, norm / 3))
            return {"input_args": [given], "input_kwargs": {}, "output": [result]}
        tail = {"Tensor.%s.%d.forward" % (api, i + (calls if api == "__truediv__" else 1000)): entry(3e-4 * (1 + i / 7 + at / 50))
                for i in range(20) for at, api in enumerate(("sqrt", "__truediv__", "addcdiv_"))}
        longer = self.place(dict(whole, data={**whole["data"], **tail}), self.GOLDEN)
        for sides in ((self.GOLDEN, longer), (longer, self.GOLDEN)):
            code, said = self.compare(*sides)
            self.assertEqual((1, True), (code, re.search(r"at Tensor\.(sqrt|__truediv__|addcdiv_)\.\d+\.forward, .* has no such op", said) is not None), said)

    def test_a_gradient_may_group_its_leading_axes_and_integers_may_have_another_type(self):
        def run(shape=(2, 9, 11), ints="torch.int64", result=2.0, backward=True):
            def leaf(norm, axes, dtype="torch.float32"):
                return {"type": "torch.Tensor", "dtype": dtype, "shape": list(axes), "Max": norm, "Min": -norm / 3, "Mean": norm / 9, "Norm": 4 * norm}
            name = "Functional.linear.0." + ("backward" if backward else "forward")
            data = {"Functional.embedding_bag.0.forward": {"input_args": [leaf(9, (7,), ints), leaf(1.5, (32, 11))], "input_kwargs": {}, "output": [leaf(result, (2, 11))]},
                    name: {"input" if backward else "input_args": [leaf(3.0, (2, 9, 11))], "output": [leaf(5.0, shape)]}}
            return self.place({"task": "statistics", "level": "L1", "framework": "pytorch", "data": data}, self.folder)
        for other, expected in ((run((18, 11)), 0), (run((11, 18)), 1), (run((18, 11), backward=False), 1), (run(ints="torch.int32"), 0),
                                (run(ints="torch.int32", result=2.5), 1), (run(ints="torch.float32"), 1)):
            golden = run(backward=any(".backward" in n for n in load(other)["data"]))
            for sides in ((golden, other), (other, golden)):
                code, said = self.compare(*sides)
                self.assertEqual(expected, code, said)

    def test_calls_that_one_side_alone_makes_are_missing_where_they_write_in_place_or_tell_other_ranks(self):
        whole = load(self.GOLDEN)
        grads = [leaf for n, e in whole["data"].items() if ".parameters_grad" in n for leaf in tensors(e)]

        def run(api, share, feeds=False):
            data = dict(whole["data"])
            for i, leaf in enumerate(grads):
                given = dict(leaf, **{s: leaf[s] * share for s in STATS})
                if feeds:
                    data["Torch.norm.%d.forward" % (900 + i)] = {"input_args": [leaf], "input_kwargs": {}, "output": [dict(leaf, shape=[], Max=leaf["Norm"])]}
                data["%s.%d.forward" % (api, 900 + i)] = {"input_args": [leaf], "input_kwargs": {}, "output": [given]}
            return self.place(dict(whole, data=data), self.GOLDEN)
        for api, share, feeds, expected in (("Tensor.mul_", 0.5, False, 1), ("Distributed.all_reduce", 2.0, False, 1), ("Tensor.__itruediv__", 0.25, True, 1),
                                            ("Tensor.clone", 1.0, False, 0), ("Torch.norm", 3.0, False, 0)):
            other = run(api, share, feeds)
            for sides in ((self.GOLDEN, other), (other, self.GOLDEN)):
                code, said = self.compare(*sides)
                self.assertEqual((expected, bool(expected)), (code, " at %s.900.forward" % api in said), (api, said))

    def test_calls_of_an_api_that_one_side_does_not_record_name_no_op_beside_which_one_happens_to_stand(self):
        def run(target):
            calls, at = [], 40.0
            for i in range(13):
                calls += [("Functional.linear", [at, 30.0 + i], at + 1)]
                calls += [("Torch.bucketize", [(2.0,)], 7.0 + i / 8)] * target
                calls += [("Torch.tanh", [at + 1], at + 1.5)] * (not target or i != 6)
                at += 1 if target and i == 6 else 1.5
            return self.l1(calls)
        golden, target = run(False), run(True)
        for sides, side in (((golden, target), "target"), ((target, golden), "golden")):
            code, said = self.compare(*sides)
            self.assertEqual((1, True), (code, "at Torch.tanh.6.forward, step 0, rank 0: the %s run has no such op" % side in said), said)

    def test_gradients_that_a_call_adds_up_to_one_number_err_by_all_that_their_terms_do(self):
        def run(total, largest=0.00045):
            def leaf(norm, shape, largest):
                return {"type": "torch.Tensor", "dtype": "torch.bfloat16", "shape": shape, "Max": largest, "Min": -largest, "Mean": 0.0, "Norm": norm}
            one = {"type": "torch.Tensor", "dtype": "torch.bfloat16", "shape": [], "Max": total, "Min": total, "Mean": total, "Norm": abs(total)}
            data = {"Tensor.__sub__.0.backward": {"input": [leaf(0.00123, [300, 2], largest)], "output": [leaf(0.00123, [300, 2], largest), one]}}
            return self.place({"task": "statistics", "level": "L1", "framework": "pytorch", "data": data}, self.folder)
        golden = run(1.1e-5)
        for total, expected in ((1.1e-6, 0), (-1.1e-6, 0), (2.0e-5, 0), (6e-5, 1), (-3e-5, 1)):
            code, said = self.compare(golden, run(total, largest=0.000447))
            self.assertEqual(expected, code, (total, said))

    def test_weights_that_another_platform_sums_up_in_another_order_are_no_divergence_where_the_results_agree(self):
        def run(near=(), largest=(), results=1.0, off=None):
            """Eight layers; the Norm of weights in `near` is off by its last digit, the largest number of those in `largest` too, the
            result of layer `off` by more."""
            data = {}
            for i in range(8):
                norm = 8.0 + i
                weight = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [48, 48], "Max": 0.5 * (1 + 1.2e-7 * (i in largest)),
                          "Min": -0.5, "Mean": 2.0 ** -10, "Norm": norm * (1 + 1.2e-7 * (i in near))}
                ones = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [48], "Max": 1.0, "Min": 1.0, "Mean": 1.0, "Norm": 48 ** 0.5}

                def x(at):
                    return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [16, 48], "Max": 3.0, "Min": -3.0, "Mean": 0.25,
                            "Norm": (20.0 + at) * (results if at else 1) * (1.001 if off is not None and at == 2 * off + 2 else 1)}
                data["Functional.layer_norm.%d.forward" % i] = {"input_args": [x(2 * i), ones], "input_kwargs": {}, "output": [x(2 * i + 1)]}
                data["Functional.linear.%d.forward" % i] = {"input_args": [x(2 * i + 1), weight], "input_kwargs": {}, "output": [x(2 * i + 2)]}
            write({"task": "statistics", "level": "L1", "framework": "pytorch", "data": data}, self.folder,
                  os.path.join(self.folder, str(self.number), "step0", "rank0"))
            self.number += 1
            return os.path.join(self.folder, str(self.number - 1))
        golden = run()
        for target, expected, words in ((run((0, 3)), 0, "AGREES"), (run(range(5), results=1 + 2e-7), 0, "AGREES"),
                                        (run((3,)), 0, "1 value passes by a rule: weight-sums 1."), (run((0, 3), (5,)), 0, "weight-sums 3."),
                                        (run((3,), off=3), 1, "at Functional.linear.3.forward, step 0, rank 0: weight input.1 differs")):
            for noise in ((), ("--noise", run(results=1 + 1e-7), "--noise", run(results=1 - 1e-7))):
                code, said = self.compare(golden, target, *noise)
                self.assertEqual((expected, True), (code, words in said), said)

    def test_a_value_that_is_zero_in_golden_is_said_to_be_zero_and_not_infinitely_far_off(self):
        for golden, target, words in (((13.9, 0.0), (13.9, 11.2), "output.0 is 0 in golden."),
                                      ((0.0, 11.2), (13.9, 11.2), "input.0 is 0 in golden, ")):
            sides = [self.l1([("Functional.linear", [given, 30.0], result)]) for given, result in (golden, target)]
            code, said = self.compare(*sides)
            self.assertEqual((1, True, False), (code, words in said, "Inf" in said), said)

    def test_what_a_call_overwrites_does_not_matter_before_it(self):
        for api, place, expected in (("zero_", 0, 0), ("copy_", 0, 0), ("copy_", 1, 1), ("mul_", 0, 1), ("masked_fill_", 0, 1)):
            golden, target = (self.l1([("Functional.linear", [13.9, 30.0], 11.2), ("Tensor." + api, given, 0.5), ("Functional.gelu", [11.2], 9.0)])
                              for given in ([3.0, 4.0], [3.0 + (place == 0), 4.0 + (place == 1)]))
            code, said = self.compare(golden, target)
            self.assertEqual(expected, code, (api, said))

    def test_an_op_on_integers_that_one_side_lacks_hides_no_difference_that_behind_equal_ops_is_more_than_rounding(self):
        def run(loss, moved=False, noise=0.0):
            labels = {"type": "torch.Tensor", "dtype": "torch.int64", "shape": [48], "Max": 60, "Min": 0, "Mean": 29.5, "Norm": 240.0}
            fine, out = ({"type": "torch.Tensor", "dtype": "torch.float32", "shape": shape, "Max": v, "Min": w, "Mean": m, "Norm": n} for shape, v, w, m, n in (
                ([48, 48], 0.7, -0.65, 0.0029, 11.25), ([], loss, loss, loss, loss)))
            calls = [("Functional.linear", [13.875, 30.0], 11.25), ("Functional.silu", [11.25], 11.25 * (1 + noise)), ("Tensor.float", [11.25 * (1 + noise)], fine)]
            calls += [("Torch.roll", [labels], labels)] if moved else []
            return self.l1(calls + [("Functional.cross_entropy", [fine, labels], out)], "bfloat16")
        golden = run(4.347)
        for target, expected in ((run(4.366), 1), (run(4.366, True), 1), (run(4.347, True), 0), (run(4.366, True, 2 ** -8), 0)):
            code, said = self.compare(golden, target)
            self.assertEqual((expected, bool(expected)), (code, "at Functional.cross_entropy.0.forward" in said), said)

    def test_weights_behind_a_step_carry_the_noise_of_gradients_in_16_bits_from_the_first_op_on(self):
        def leaf(norm, shape=(48, 48), dtype="torch.float32"):
            return {"type": "torch.Tensor", "dtype": dtype, "shape": list(shape), "Max": norm / 16, "Min": -norm / 16, "Mean": norm / 4096, "Norm": norm}

        def run(by=1.0, trains=True, kept=False):
            for step in (0, 1):
                weight = leaf(8.0 * (1 if kept else 1 + 2.0 ** -12 * step) * (by if step else 1))
                data = {"Module.norm.LayerNorm.forward.0": {"input_args": [leaf(64.0)], "input_kwargs": {}, "parameters": {"weight": weight}, "output": [leaf(65.0)]},
                        "Module.up.Linear.forward.0": {"input_args": [leaf(65.0)], "input_kwargs": {}, "output": [leaf(66.0, dtype="torch.bfloat16")]}}
                if trains:
                    data["Module.up.Linear.backward.0"] = {"input": [leaf(0.5 * (1 + by / 1e4), dtype="torch.bfloat16")], "output": [leaf(0.25)]}
                write({"task": "statistics", "level": "L0", "framework": "pytorch", "data": data}, self.folder,
                      os.path.join(self.folder, str(self.number), "step%d" % step, "rank0"))
            self.number += 1
            return os.path.join(self.folder, str(self.number - 1))
        self.assertEqual(0, self.compare(run(), run(by=1 + 4e-5))[0])
        self.assertEqual(1, self.compare(run(), run(by=1.1))[0])
        self.assertEqual(1, self.compare(run(trains=False), run(trains=False, by=1 + 4e-5))[0])
        code, said = self.compare(run(), run(kept=True))
        self.assertEqual(1, code, said)
        self.assertIn("at Module.norm.LayerNorm.forward.0, step 1, rank 0: weight parameters.weight differs", said)

    def test_a_16_bit_weight_that_stays_as_it_was_where_goldens_moved_was_not_updated(self):
        def leaf(norm, largest, noise):
            return {"type": "torch.Tensor", "dtype": "torch.bfloat16", "shape": [48, 48], "Max": largest * noise, "Min": -largest,
                    "Mean": norm / 4096 * noise, "Norm": norm}

        def run(kept=None, moves=(0, 2), noise=1.0, shift=0.0):
            """Two steps of two ranks; the largest elements move by two steps of bfloat16, but those of a layer that is kept."""
            for step, moved in enumerate(moves):
                data = {}
                for i in range(8):
                    by = shift + (0 if i == kept else moved * 2.0 ** -7)
                    data["Module.l%d.Linear.forward.0" % i] = {
                        "input_args": [leaf(64.0 + i, 4.0, 1.0)], "input_kwargs": {}, "output": [leaf(65.0, 4.0, noise)],
                        "parameters": {"weight": leaf(8.0 + i, 1 + by, noise if step and i != kept else 1.0)}}
                for rank in (0, 1):
                    place = os.path.join(self.folder, str(self.number), "step%d" % step, "rank%d" % rank)
                    write({"task": "statistics", "level": "L0", "framework": "pytorch", "data": data}, self.folder, place)
            self.number += 1
            return os.path.join(self.folder, str(self.number - 1))
        noise = 1 + 2.0 ** -8
        code, said = self.compare(run(), run(kept=5, noise=noise))
        self.assertEqual(1, code, said)
        self.assertIn("at Module.l5.Linear.forward.0, step 1, rank 0: weight parameters.weight differs", said)
        for golden, target in ((run(), run(noise=noise)), (run(), run(moves=(0, 1), noise=noise)),
                               (run(moves=(0, 1)), run(kept=5, noise=noise)), (run(kept=5), run(noise=noise, moves=(0, 1))),
                               (run(), run(kept=5, shift=2 * 2.0 ** -7, noise=noise))):
            self.assertEqual(0, self.compare(golden, target)[0])

    def test_noise_runs_without_a_statistic_leave_the_noise_unknown(self):
        dump = load(self.GOLDEN)
        for entry in dump["data"].values():
            for leaf in tensors(entry):
                leaf["md5"] = "%08x" % zlib.crc32(str(leaf).encode())
                for key in STATS:
                    del leaf[key]
        target = os.path.join(SAMPLES, "gpt", "target")
        out = os.path.join(self.folder, "n.json")
        done = subprocess.run([VERNIER, "compare", os.path.join(SAMPLES, "gpt", "golden"), target, "-o", out, "--noise",
                               self.place(dump, self.GOLDEN)], capture_output=True)
        self.assertIn(b"no noise run records values of the tensors of this dump", done.stderr)
        with open(out, encoding="utf-8") as f:
            self.assertIn("noise not measured", json.load(f)["verdict"])

    def test_an_integer_argument_that_varies_between_noise_runs_has_their_spread(self):
        """As the number of rows that a router gives to an expert."""
        whole = load(self.GOLDEN)
        dice = random.Random(7)

        def run(rows):
            dump = copy.deepcopy(whole)
            for entry in dump["data"].values():
                for leaf in tensors(entry.get("output", [])):
                    leaf.update({k: leaf[k] * (1 + dice.gauss(0, 2e-7)) for k in STATS if isinstance(leaf[k], float)})
            kind = "int" if isinstance(rows, int) else "tuple"
            dump["data"]["Functional.gelu.2.forward"]["input_args"].append({"type": kind, "value": rows})
            return self.place(dump, self.GOLDEN)
        golden, noise = run(100), [run(rows) for rows in (103, 98)]
        for rows, steady, want in ((102, False, 0), (96, False, 0), (400, False, 1), (102, True, 1)):
            self.judged(golden, run(rows), [run(100), run(100)] if steady else noise, want)
        pair, apart = run([1, -1]), [run([1, 1]), run([1, 2])]
        for rows, want in (([1, 3], 0), ([7, 1], 1), ([2, -1], 1)):
            self.judged(pair, run(rows), apart, want)
        three, apart = run([0.9, 1000, 7]), [run([0.900001, 1100, 7]), run([0.899999, 900, 7])]
        for rows, want in (([0.9000005, 1050, 7], 0), ([55.0, 1001, 7], 1), ([0.9, 1001, 8], 1)):
            self.judged(three, run(rows), apart, want)

    def judged(self, golden, target, noise, want):
        out = os.path.join(self.folder, "i.json")
        words = [part for one in noise for part in ("--noise", one)]
        done = subprocess.run([VERNIER, "compare", golden, target, *words, "-o", out], capture_output=True)
        with open(out, encoding="utf-8") as f:
            self.assertEqual(want, done.returncode, json.load(f)["verdict"])

    @needs_samples("dumps", "mlp-npy-tensor")
    def test_a_tensor_file_of_another_shape_is_no_pass(self):
        golden = os.path.join(SHARED, "data", "dumps", "mlp-npy-tensor", "bench", "step0", "rank0")
        place = os.path.join(self.folder, "files")
        shutil.copytree(golden, place, copy_function=shutil.copyfile)
        at = os.path.join(place, "dump_tensor_data")
        os.chmod(at, 0o755)
        shutil.copyfile(os.path.join(at, "Cell.act.ReLU.backward.2.input.0.npy"), os.path.join(at, "Cell.act.ReLU.backward.1.output.0.npy"))
        for sides in ((golden, place), (place, golden)):
            code, said = self.compare(*sides)
            self.assertEqual((4, True), (code, said.startswith("PARTIAL ")), said)

    @needs_samples("dumps", "mlp-npy-tensor")
    def test_tensor_files_are_compared_where_statistics_are_not_recorded(self):
        case = os.path.join(SHARED, "data", "dumps", "mlp-npy-tensor")
        golden, target = (os.path.join(case, run, "step0", "rank0") for run in ("bench", "target_linear_bf16"))

        def bare(source, files=True):
            dump = load(source)
            for entry in dump["data"].values():
                for leaf in (x for x in json_leaves(entry) if is_tensor(x)):
                    for key in STATS:
                        leaf.pop(key, None)
            return self.place(dump, source if files else self.folder)
        at = self.compare(golden, target)[1].split(":")[0]
        for sides, expected in (((bare(golden), bare(golden)), 0), ((golden, bare(golden)), 0), ((bare(golden), golden), 0),
                                ((bare(golden), bare(target)), 1), ((golden, bare(target)), 1), ((bare(golden, files=False), bare(golden)), 3)):
            code, said = self.compare(*sides)
            self.assertEqual((expected, expected == 1), (code, said.startswith(at)), said)

    @needs_samples("dumps", "mlp-npy-tensor")
    def test_tensor_files_that_one_side_lost_make_it_partial(self):
        golden = os.path.join(SHARED, "data", "dumps", "mlp-npy-tensor", "bench", "step0", "rank0")
        place = os.path.join(self.folder, "files")
        shutil.copytree(golden, place, copy_function=shutil.copyfile, ignore=shutil.ignore_patterns("dump_tensor_data"))
        for sides in ((golden, place), (place, golden)):
            code, said = self.compare(*sides)
            self.assertEqual((4, True), (code, said.startswith("PARTIAL ")), said)
        self.assertEqual(0, self.compare(place, place)[0])

    # ---- curves

    def curves(self, golden, lines):
        target, out = os.path.join(self.folder, "t.csv"), os.path.join(self.folder, "c.json")
        with open(target, "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")
        done = subprocess.run([VERNIER, "curves", golden, target, "-o", out], capture_output=True)
        with open(out, encoding="utf-8") as f:
            return done.returncode, json.load(f)["verdict"]

    def test_a_run_that_prints_every_tenth_step_is_held_against_these_steps_or_their_means(self):
        golden = os.path.join(SAMPLES, "curves", "golden.csv")
        with open(golden, encoding="utf-8") as f:
            head, *rows = f.read().split()
        code, said = self.curves(golden, [head] + rows[9::10])
        self.assertEqual((0, True), (code, said.startswith("SAME") and "(40 of 400)" in said), said)
        self.assertEqual(0, self.curves(golden, [head] + rows[::10])[0])  # nine more steps are no early end
        self.assertEqual(4, self.curves(golden, [head] + rows[9:300:10])[0])
        losses = [float(r.split(",")[1]) for r in rows]
        means = ["%d,%.9f" % (i, sum(losses[i - 10:i]) / 10) for i in range(10, 401, 10)]
        code, said = self.curves(golden, ["step,loss"] + means)
        self.assertEqual((0, True), (code, said.split()[0] in ("SAME", "WITHIN", "AGREES")), said)

    @needs_samples("wild", "seeds")
    def test_of_two_hundred_draws_of_seeds_of_one_recipe_at_most_two_are_outside(self):
        folder, dice, outside = os.path.join(SHARED, "data", "wild", "seeds"), random.Random(5), []
        seeds = sorted(name for name in os.listdir(folder) if re.fullmatch(r"seed\d+\.csv", name))
        for draw in range(200):
            golden, target, *noise = dice.sample(seeds, 3 + draw % 5)
            words = [word for name in noise for word in ("--noise", os.path.join(folder, name))]
            done = subprocess.run([VERNIER, "curves", os.path.join(folder, golden), os.path.join(folder, target), *words, "-o",
                                   os.path.join(self.folder, "s.json")], capture_output=True)
            outside += [(golden, target, noise)] if done.returncode else []
        self.assertLessEqual(len(outside), 2, outside)

    # ---- findings: inputs that were answered wrongly once

    GOLDEN = os.path.join(SAMPLES, "gpt", "golden", "step0", "rank0")

    def answer(self, change, golden=None):
        dump = load(golden or self.GOLDEN)
        for entry in dump["data"].values():
            change(entry)
        return self.compare(golden or self.GOLDEN, self.place(dump, golden or self.GOLDEN))

    def test_statistics_that_are_all_null_are_not_compared(self):
        def change(entry):
            for leaf in tensors(entry):
                leaf.update(dict.fromkeys(STATS))
        code, said = self.answer(change)
        self.assertEqual((3, True), (code, said.startswith("NOT COMPARED  golden holds statistics, the target no values: none of "
                                                           "1,106 tensors")), said)

    def test_integers_are_compared_to_the_last_digit_however_large_they_are(self):
        def run(seed, largest):
            ids = {"type": "torch.Tensor", "dtype": "torch.int64", "shape": [4], "Max": largest, "Min": 0, "Mean": None, "Norm": None}
            return self.l1([("Torch.gather", [3.0, ids, {"type": "int", "value": seed}], 2.0)])
        for seed in (2 ** 53 + 1, 2 ** 63 + 5, -2 ** 60):
            code, said = self.compare(run(seed, 7), run(seed - 1, 7))
            self.assertEqual((1, True), (code, "argument input.2 is %d, golden has %d" % (seed - 1, seed) in said), said)
        code, said = self.compare(run(1, 2 ** 53 + 1), run(1, 2 ** 53))
        self.assertEqual((1, True), (code, "input.1 differs" in said), said)
        self.assertEqual(0, self.compare(run(1, 2 ** 53), run(1, 2.0 ** 53))[0])

    def test_an_xor_checksum_of_a_single_value_is_the_value_and_compared(self):
        def run(result):
            def leaf(checksum, shape):
                return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": shape, "md5": checksum}
            data = {"Torch.sum.0.forward": {"input_args": [leaf("0x%016x" % 77, [4])], "input_kwargs": {}, "output": [leaf(result, [])]}}
            return self.place({"task": "statistics", "level": "L1", "framework": "pytorch", "data": data}, self.folder)
        for golden, target, expected in ((0.5, 0.25, 1), (0.5, 0.5, 0), ("0x3", "0xff", 1), ("0x3", "0x3", 0), (1.5, float("nan"), 1)):
            code, said = self.compare(run(golden), run(target))
            self.assertEqual((expected, bool(expected)), (code, "output.0 differs (checksums)" in said), (golden, target, said))

    def test_checksums_against_statistics_are_not_compared(self):
        def change(entry):
            for leaf in tensors(entry):
                leaf["md5"] = "%08x" % zlib.crc32(str(leaf).encode())
                for key in STATS:
                    del leaf[key]
        code, said = self.answer(change)
        self.assertEqual((3, True), (code, "the target checksums only" in said and "(170 arguments are equal)" in said), said)

    def test_statistics_that_contradict_equal_checksums_are_told(self):
        for lost, exit_code, word in ((float("nan"), 1, "NaN"), (9e9, 4, "equal checksums come with statistics that differ (1 times)")):
            for side, value in (("golden", 2.0), ("target", lost)):
                leaf = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [4, 8], "md5": "0badcafe", **dict.fromkeys(STATS, value)}
                folder = os.path.join(self.folder, side)
                os.makedirs(folder, exist_ok=True)
                with open(os.path.join(folder, "dump.json"), "w", encoding="utf-8") as file:
                    json.dump({"task": "statistics", "level": "L0", "framework": "pytorch", "data": {
                        "Module.a.Linear.forward.0": {"input_args": [], "input_kwargs": {}, "output": [leaf]}}}, file)
            done = subprocess.run([VERNIER, "compare", *(os.path.join(self.folder, side) for side in ("golden", "target")),
                                   "-o", os.path.join(self.folder, "m.json")], capture_output=True, text=True)
            self.assertIn(word, done.stderr + done.stdout)
            self.assertEqual(exit_code, done.returncode)

    def test_outputs_that_a_whole_side_lacks_are_a_setting_and_said(self):
        code, said = self.answer(lambda entry: entry.pop("output", None))
        self.assertEqual((0, True), (code, said.endswith("Golden alone records outputs (418).")), said)

    def test_a_statistic_or_keywords_that_a_whole_side_lacks_are_a_setting_and_said(self):
        dump = load(self.GOLDEN)
        bare = dict(dump, data={n: dict(e, input_kwargs={}) if "input_kwargs" in e else e for n, e in dump["data"].items()})
        for changed, told in ((without_statistic("Norm")(dump), "Norm (1,089)"), (bare, "arguments by keyword (57)")):
            place = self.place(changed, self.GOLDEN)
            for sides, who in (((self.GOLDEN, place), "Golden"), ((place, self.GOLDEN), "The target")):
                code, said = self.compare(*sides)
                self.assertEqual((0, True), (code, said.endswith(" %s alone records %s." % (who, told))), said)
                with open(os.path.join(self.folder, "out.json"), encoding="utf-8") as f:
                    why = json.load(f)["pairs"][0]["coverage"]["not_recorded"][0]["why"]
                self.assertIn("argument by keyword" if "keyword" in told else "has the statistic", why)
        for name, entry in dump["data"].items():
            if name.startswith("Functional.softmax"):
                entry["input_kwargs"] = {}
        self.assertEqual(1, self.compare(self.GOLDEN, self.place(dump, self.GOLDEN))[0])

    def test_checksums_or_files_that_a_whole_side_lacks_are_a_setting_and_said(self):
        for key, value, told in (("md5", "0badcafe", "checksums (1,106)"), ("data_name", "x.pt", "tensor files (1,106)")):
            dump = load(self.GOLDEN)
            for entry in dump["data"].values():
                for leaf in tensors(entry):
                    leaf[key] = value
            more = self.place(dump, self.GOLDEN)
            for sides, side in (((self.GOLDEN, more), "The target"), ((more, self.GOLDEN), "Golden")):
                code, said = self.compare(*sides)
                self.assertEqual((0, True), (code, said.endswith("%s alone records %s." % (side, told))), said)

    def test_statistics_that_one_writer_rounds_are_equal_as_far_as_both_tell(self):
        for form, named in (("%.6g", "%.6g"), ("%.4g", "%.4g"), ("%.4f", "%.4f"), ("%.9g", "%.9g")):
            def rounded(dump, form=form):
                for entry in dump["data"].values():
                    for leaf in tensors(entry):
                        leaf.update({k: float(form % leaf[k]) for k in STATS if isinstance(leaf[k], float)})
                    for leaf in entry.get("input_args", []):
                        if isinstance(leaf, dict) and isinstance(leaf.get("value"), float):
                            leaf["value"] = float(form % leaf["value"])
                return self.place(dump, self.GOLDEN)
            place = rounded(load(self.GOLDEN))
            for sides, alone in (((self.GOLDEN, place), "Golden alone"), ((place, self.GOLDEN), "The target alone")):
                code, said = self.compare(*sides)
                self.assertEqual((0, True), (code, alone + " records more digits of statistics than " + named + " (" in said), said)
            self.assertEqual((0, True), (self.compare(place, place)[0], self.compare(place, place)[1].startswith("SAME")))
            broken = load(self.GOLDEN)  # one weight, by a little more than the digits tell
            for leaf in tensors(broken["data"]["Functional.linear.4.forward"]["input_args"][1]):
                leaf.update({k: leaf[k] * 1.005 for k in STATS})
            code, said = self.compare(rounded(broken), self.GOLDEN)
            self.assertEqual((1, True), (code, "Functional.linear.4.forward" in said and "weight" in said), said)

    def test_runs_with_noise_whose_writers_round_both_are_no_finding(self):
        dice, sides = random.Random(3), []
        for _ in range(2):
            dump = load(self.GOLDEN)
            for entry in dump["data"].values():
                for leaf in tensors(entry.get("output", [])):
                    leaf.update({k: leaf[k] * (1 + dice.gauss(0, 2e-7)) for k in STATS})
                for leaf in tensors(entry):
                    leaf.update({k: float("%.5g" % leaf[k]) for k in STATS if isinstance(leaf[k], float)})
            sides.append(self.place(dump, self.GOLDEN))
        self.assertEqual(0, self.compare(*sides)[0], self.compare(*sides)[1])

    def chain(self, first=0, low=0, high=18, keep=None):
        """Nine calls forward and backward of linear and gelu in turn, each of a shape of its own; those from low to high."""
        def leaf(size, value):
            return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [4, size], "Max": value, "Min": -value, "Mean": 0.1, "Norm": 2 * value}
        calls = []
        for direction in ("forward", "backward"):
            for i in range(9) if direction == "forward" else reversed(range(9)):
                api = "Functional.%s.%d.%s" % ("gelu" if i % 2 else "linear", first + i // 2, direction)
                calls.append((api, {"input_args": [leaf(8 + i, 1.5 + i)], "input_kwargs": {}, "output": [leaf(9 + i, 2.5 + i)]}))
        data = {n: {k: v for k, v in e.items() if keep is None or k in keep} for n, e in calls[low:high]}
        return self.place({"task": "statistics", "level": "L1", "framework": "pytorch", "data": data}, self.folder)

    def test_two_settings_at_once_are_never_red(self):
        whole = self.chain()
        for golden, target in (({"first": 1}, {"keep": ("output",)}), ({"first": 1}, {"keep": ("input_args", "input_kwargs")}),
                               ({"low": 5, "high": 14}, {"high": 9}), ({"low": 5, "high": 14}, {"low": 9})):
            sides = [self.chain(**golden), self.chain(**target)]
            for pair in (sides, sides[::-1], (whole, sides[0]), (sides[1], whole)):
                code, said = self.compare(*pair)
                self.assertIn(code, (0, 4), (golden, target, said))
                self.assertNotIn("DIVERGES", said)

    def test_an_api_that_one_side_recorded_in_one_direction_only_is_a_setting_and_said(self):
        whole = load(self.GOLDEN)
        part = only(lambda n: not re.match(r"Functional\.softmax\.\d+\.backward", n))(whole)
        place = self.place(part, self.GOLDEN)
        for sides, alone in (((self.GOLDEN, place), "Golden alone"), ((place, self.GOLDEN), "The target alone")):
            code, said = self.compare(*sides)
            self.assertEqual((0, True), (code, said.endswith(alone + " records 4 calls of Functional.softmax.backward.")), said)
        single = dict(whole, data={n: e for n, e in whole["data"].items() if n != "Functional.softmax.1.backward"})
        self.assertEqual(1, self.compare(self.GOLDEN, self.place(single, self.GOLDEN))[0])

    def recomputed(self, recorded, numbered=False):
        """Golden's run with activation recomputation of its blocks, whose calls are `recorded` again or by no hook reached. `numbered`:
        their modules run backward under the number of the second forward call, and both stand at the root, as msProbe writes them."""
        dump = load(self.GOLDEN)
        with open(os.path.join(self.GOLDEN, "construct.json"), encoding="utf-8") as file:
            parents = json.load(file)
        last, data, done = {}, {}, {}
        for found in (re.match(r"(.*)\.(\d+)\.forward$", name) for name in dump["data"]):
            last[found and found[1]] = int(found[2]) if found else 0

        def block(name):
            return re.match(r"Module\.blocks\.(\d)\.Block\.", name)[1] if ".Block." in name else block(parents[name]) if parents.get(name) else None

        def again(name):
            found = re.match(r"(.*)\.(\d+)\.forward$", name)
            if not found:
                return name.replace(".forward.0", ".forward.1")
            last[found[1]] += 1
            return "%s.%d.forward" % (found[1], last[found[1]])

        for name, entry in dump["data"].items():
            at = block(name)
            if ".backward" in name and at and at not in done:
                done[at] = {n: again(n) for n in dump["data"] if n in parents and ".forward" in n and block(n) == at}
                data.update((new, dump["data"][old]) for old, new in done[at].items() if recorded or is_module(old))
                parents.update((new, done[at].get(parents[old], None if numbered else parents[old])) for old, new in list(done[at].items()))
            first = name.replace(".backward", ".forward")
            if at in done and first in done[at] and (numbered or not is_module(name)):
                name, old = done[at][first].replace(".forward", ".backward"), name
                parent = (parents[old] or "").replace(".backward", ".forward")
                parents[name] = (done[at].get(parent) or "").replace(".forward", ".backward") or None if numbered else parents[old]
                if not (recorded or is_module(name)):
                    continue
            data[name] = entry
        folder = self.place(dict(dump, data=data), self.GOLDEN)
        os.remove(os.path.join(folder, "construct.json"))
        with open(os.path.join(folder, "construct.json"), "w", encoding="utf-8") as file:
            json.dump(parents, file)
        return folder

    def test_activation_recomputation_on_one_side_is_no_divergence_and_hides_none(self):
        other = os.path.join(SAMPLES, "gpt", "target", "step0", "rank0")
        first = self.compare(self.GOLDEN, other)[1].split(":")[0]
        place = self.recomputed(True, True)
        dump = load(place)
        names = list(dump["data"])
        start, end = (names.index("Module.blocks.2.%s.backward.1" % n) for n in ("mlp.fc_out.Linear", "ln_1.LayerNorm"))
        names[start:end + 1] = names[end:end + 1] + names[start:end]
        self.assertEqual(0, self.compare(self.GOLDEN, self.place(dict(dump, data={n: dump["data"][n] for n in names}), place))[0])
        again, inner = "108 ops are on one side only", "API calls within modules ("
        for recorded, numbered, said in ((True, False, again), (False, False, inner), (True, True, again), (False, True, inner)):
            place = self.recomputed(recorded, numbered)
            for sides in ((self.GOLDEN, place), (place, self.GOLDEN)):
                code, verdict = self.compare(*sides)
                self.assertEqual((0, True), (code, said in verdict and verdict.startswith("SAME      bit for bit")), verdict)
            code, verdict = self.compare(place, other)
            self.assertEqual((1, first), (code, verdict.split(":")[0]))

    def test_a_call_made_again_with_other_values_is_an_op_that_the_other_run_lacks(self):
        place = self.recomputed(True)
        dump = load(place)
        name = next(n for n in dump["data"] if n.startswith("Functional.gelu.4."))
        dump["data"][name] = copy.deepcopy(dump["data"][name])
        dump["data"][name]["output"][0]["Norm"] *= 1.01
        self.assertEqual(1, self.compare(self.GOLDEN, self.place(dump, place))[0])

    def test_an_optimizer_that_steps_twice_makes_no_calls_again_for_their_gradients(self):
        dump = load(self.GOLDEN)
        steps = {"Tensor.add_.%d.forward" % i: {"input_args": [leaf, leaf], "input_kwargs": {}, "output": [leaf]}
                 for i, leaf in enumerate(leaf for n, e in dump["data"].items() if ".parameters_grad" in n for leaf in tensors(e))}
        golden = self.place(dict(dump, data={**dump["data"], **steps}), self.GOLDEN)
        twice = {"Tensor.add_.%d.forward" % (i + len(steps)): e for i, e in enumerate(steps.values())}
        code, said = self.compare(golden, self.place(dict(dump, data={**dump["data"], **steps, **twice}), self.GOLDEN))
        self.assertEqual((0, False), (code, "made again" in said), said)

    def test_the_only_call_of_a_module_may_be_missing_where_several_calls_of_a_module_are_not_recorded(self):
        dump = load(self.GOLDEN)
        dump["data"] = {n: e for n, e in dump["data"].items() if not re.match(r"Functional\.linear\.[5-9]\.forward", n)}
        self.assertEqual(1, self.compare(self.GOLDEN, self.place(dump, self.GOLDEN))[0])

    def test_an_op_whose_result_was_lost_is_not_called_equal(self):
        for value, slots in (("gone", 1275), ([{}], 1275)):
            dump = load(self.GOLDEN)
            dump["data"]["Functional.gelu.2.forward"]["output"] = value
            code, said = self.compare(self.GOLDEN, self.place(dump, self.GOLDEN))
            with open(os.path.join(self.folder, "out.json"), encoding="utf-8") as f:
                pair = json.load(f)["pairs"][0]
            self.assertEqual((4, {"same": 420, "no data": 1}, slots),
                             (code, {k: v for k, v in pair["ops"].items() if v}, pair["counts"]["slots"]), said)

    def test_inputs_agree_only_where_they_were_compared(self):
        whole, broken = load(self.GOLDEN), load(self.GOLDEN)
        for leaf in tensors(broken["data"]["Functional.gelu.2.forward"]["output"]):
            leaf.update({k: leaf[k] * 1.5 for k in STATS})
        lost = copy.deepcopy(whole)
        for leaf in tensors(lost["data"]["Functional.gelu.2.forward"]["input_args"]):
            leaf.update(dict.fromkeys(STATS))
        broken_at = self.place(broken, self.GOLDEN)
        for other, words in ((whole, "inputs agree"), (lost, "the dumps record too little of input.0"),
                             (without_role("inputs")(whole), "the dumps record too little of input.0")):
            for turned in (False, True):
                sides = (self.place(other, self.GOLDEN), broken_at)
                code, said = self.compare(*(sides[::-1] if turned else sides))
                self.assertEqual((1, True), (code, "at Functional.gelu.2.forward" in said and words in said), said)

    @needs_samples("dumps", "gpt2-dp4-l1")
    def test_a_tensor_that_a_collective_gives_and_one_side_lost_is_partial(self):
        golden = os.path.join(SHARED, "data", "dumps", "gpt2-dp4-l1", "bench", "step0", "rank1")
        dump = load(golden)
        dump["data"]["Distributed.all_reduce.3.forward"]["input_args"][0] = None
        place = self.place(dump, golden)
        for sides in ((golden, place), (place, golden)):
            code, said = self.compare(*sides)
            self.assertEqual((4, True), (code, said.startswith("PARTIAL SAME      bit for bit: 688 of 689 slots")), said)

    def test_shapes_or_dtypes_that_a_whole_side_does_not_record_are_told_and_not_red(self):
        broken = load(self.GOLDEN)
        for leaf in tensors(broken["data"]["Functional.gelu.2.forward"]["output"]):
            leaf.update({k: leaf[k] * 1.5 for k in STATS})
        broken_at = self.place(broken, self.GOLDEN)
        for keys in (("shape",), ("dtype",), ("shape", "dtype")):
            dump = load(self.GOLDEN)
            for leaf in [t for e in dump["data"].values() for t in tensors(e)]:
                for key in keys:
                    del leaf[key]
            place = self.place(dump, self.GOLDEN)
            for sides in ((self.GOLDEN, place), (place, self.GOLDEN)):
                code, said = self.compare(*sides)
                self.assertEqual((4, True), (code, said.startswith("PARTIAL SAME")), said)
            for sides in ((broken_at, place), (place, broken_at)):
                code, said = self.compare(*sides)
                self.assertEqual((1, True), (code, "at Functional.gelu.2.forward" in said), said)

    def test_floats_whose_dtype_is_not_recorded_are_no_indices(self):
        """What came from outside, and what was computed, has the floor of a float; a defect is found all the same."""
        def dumps(dtype, noise, defect=0.0):
            dice, data = random.Random(noise), {}
            for i in range(10):
                def leaf(value):
                    value *= 1 + 1e-7 * dice.gauss(0, 1) * bool(noise)
                    return dict({"type": "torch.Tensor", "shape": [8, 8], "Max": 1.5 * value, "Min": -value, "Mean": value / 100,
                                 "Norm": 8 * value}, **({"dtype": dtype} if dtype else {}))
                data["Functional.gelu.%d.forward" % i] = {"input_args": [leaf(1.1 + i)], "input_kwargs": {},
                                                          "output": [leaf((1.3 + i) * (1 + defect * (i == 4)))]}
            return {"task": "statistics", "level": "L1", "framework": "pytorch", "data": data}
        for golden, target in ((None, "torch.float32"), ("torch.float32", None), (None, None)):
            for defect in (0.0, 1e-3):
                for side, dump in (("golden", dumps(golden, 0)), ("target", dumps(target, 1, defect))):
                    os.makedirs(os.path.join(self.folder, side), exist_ok=True)
                    with open(os.path.join(self.folder, side, "dump.json"), "w", encoding="utf-8") as file:
                        json.dump(dump, file)
                done = subprocess.run([VERNIER, "compare", "golden", "target", "-o", "v.md"], cwd=self.folder, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, text=True)
                self.assertEqual(done.returncode, 1 if defect else 4 if golden or target else 0, done.stdout)
                self.assertIn("at Functional.gelu.4.forward" if defect else "AGREES", done.stdout)

    def test_a_hierarchy_that_names_none_of_the_ops_is_left_out_and_named(self):
        sample = os.path.join(SAMPLES, "gpt", "golden", "step0", "rank0")
        dump = load(sample)
        for side, prefix in (("golden", ""), ("target", "X")):
            os.makedirs(os.path.join(self.folder, side))
            shutil.copy(os.path.join(sample, "construct.json"), os.path.join(self.folder, side))
            with open(os.path.join(self.folder, side, "dump.json"), "w", encoding="utf-8") as file:
                json.dump(dict(dump, data={prefix + name: entry for name, entry in dump["data"].items()}), file)
        done = subprocess.run([VERNIER, "compare", "golden", "target", "-o", "v.md"], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        self.assertIn("it names 0 of the 421 ops of the dump next to it", done.stdout)

    def test_text_in_place_of_outputs_is_partial(self):
        code, said = self.answer(lambda entry: entry.update(output="gone") if "output" in entry else None)
        self.assertEqual((4, True), (code, said.startswith("PARTIAL ")), said)

    def test_an_entry_that_cannot_be_read_is_lost_and_not_a_missing_op(self):
        for wrong in ("gone", 17, None, [1, 2]):
            for share in (0.1, 0.5, 0.9):
                dump = load(self.GOLDEN)
                dump["data"][list(dump["data"])[int(share * len(dump["data"]))]] = wrong
                place = self.place(dump, self.GOLDEN)
                for sides in ((self.GOLDEN, place), (place, self.GOLDEN)):
                    code, said = self.compare(*sides)
                    self.assertEqual((4, True), (code, said.startswith("PARTIAL SAME")), said)

    def test_a_tensor_that_was_printed_as_nan_is_nan(self):
        dump = load(self.GOLDEN)
        name = next(n for n in dump["data"] if ".linear." in n)
        for leaf in tensors(dump["data"][name]["output"]):
            leaf.update(dict.fromkeys(STATS, "tensor(nan)"))
        place = self.place(dump, self.GOLDEN)
        code, said = self.compare(self.GOLDEN, place)
        self.assertEqual((1, True), (code, "NaN or Inf on one side" in said), said)
        out = os.path.join(self.folder, "l.json")
        located = subprocess.run([VERNIER, "locate", place, "-o", out], capture_output=True)
        with open(out, encoding="utf-8") as f:
            self.assertEqual((1, name), (located.returncode, json.load(f)["origins"][0]["op"]))

    def test_tensors_that_are_nan_on_both_sides_are_told(self):
        dump = load(self.GOLDEN)
        for name in ("Functional.linear.4.forward", "Functional.gelu.2.forward"):
            for leaf in tensors(dump["data"][name]["output"]):
                leaf.update(dict.fromkeys(STATS, float("nan")))
        place = self.place(dump, self.GOLDEN)
        code, said = self.compare(place, place)
        self.assertEqual((0, True), (code, said.endswith("2 tensors hold NaN on both sides.")), said)

    def test_an_entry_that_stands_twice_makes_it_partial(self):
        dump = load(self.GOLDEN)
        name = "Functional.gelu.2.forward"
        place = self.place(dump, self.GOLDEN)
        with open(os.path.join(place, "dump.json"), "r+", encoding="utf-8") as f:
            text = f.read().replace('"data": {', '"data": {%s: {"output": []}, ' % json.dumps(name), 1)
            f.seek(0)
            f.write(text)
        for sides in ((self.GOLDEN, place), (place, self.GOLDEN)):
            code, said = self.compare(*sides)
            self.assertEqual((4, True), (code, said.startswith("PARTIAL SAME")), said)

    def test_ranks_that_compare_nothing_make_the_run_partial(self):
        golden, target = os.path.join(SAMPLES, "ranks", "golden", "step0"), os.path.join(self.folder, "ranks")
        for rank in range(4):
            source = os.path.join(golden, "rank%d" % rank)
            dump = load(source)
            write(dump if rank == 0 else dict(dump, data={}), source, os.path.join(target, "rank%d" % rank))
        code, said = self.compare(golden, target)
        self.assertEqual((4, True), (code, said.startswith("PARTIAL SAME") and "3 of 4 ranks compared nothing: 1, 2, 3." in said), said)

    def test_a_rank_whose_folder_is_empty_in_both_runs_makes_them_partial(self):
        runs = []
        for side in ("golden", "target"):
            for rank in (0, 1):
                source = os.path.join(SAMPLES, "ranks", "golden", "step0", "rank%d" % rank)
                place = os.path.join(self.folder, side, "step0", "rank%d" % rank)
                if rank == 0:
                    write(load(source), source, place)
                else:
                    os.makedirs(place)
            runs.append(os.path.join(self.folder, side))
        code, said = self.compare(*runs)
        self.assertEqual((4, True), (code, said.startswith("PARTIAL SAME")), said)

    def test_ranks_whose_ops_are_all_others_make_the_run_partial(self):
        """target_other_ops"""
        golden, target = os.path.join(SAMPLES, "ranks", "golden", "step0"), os.path.join(self.folder, "others")
        for rank in range(4):
            source = os.path.join(golden, "rank%d" % rank)
            dump = load(source)
            if rank:
                dump["data"] = {"Torch.other%d.%d.forward" % (i % 7, i): e for i, e in enumerate(dump["data"].values())}
            write(dump, source, os.path.join(target, "rank%d" % rank))
        code, said = self.compare(golden, target)
        self.assertEqual((4, True), (code, said.startswith("PARTIAL SAME") and "3 of 4 ranks compared nothing: 1, 2, 3." in said), said)

    def test_dumps_whose_entries_are_nearly_all_unreadable_are_partial_for_every_command(self):
        """bd_a and bd_b: of 421 entries one can be read, the others are the number 5 in one run and 7 in the other."""
        sides = []
        for number in (5, 7):
            dump = load(self.GOLDEN)
            last = list(dump["data"])[-1]
            dump["data"].update({n: number for n in dump["data"] if n != last})
            sides.append(self.place(dump, self.GOLDEN))
        code, said = self.compare(*sides)
        self.assertEqual((4, True), (code, said.startswith("PARTIAL SAME")), said)
        for command in ("graph", "locate"):
            done = subprocess.run([VERNIER, command, sides[0], "-o", os.path.join(self.folder, "one.json")], capture_output=True)
            with open(os.path.join(self.folder, "one.json"), encoding="utf-8") as f:
                said = json.load(f)["verdict"]
            self.assertEqual((4, True), (done.returncode, said.startswith("PARTIAL ") and "1 dump, 1" in said), said)
            self.assertNotIn(" 1 ops", said)

    @needs_samples("findings")
    def test_work_without_bound_has_one(self):
        """Files of some kilobytes that took from seconds to hours; none may take ten seconds of processor time."""
        at = os.path.join(SHARED, "data", "findings", "work-without-bound")
        golden, gpt = os.path.join(at, "e1.pt"), os.path.join(SAMPLES, "gpt")
        mapping = os.path.join(self.folder, "map.yaml")
        with open(mapping, "wb") as f:
            f.write(lzma.open(os.path.join(at, "coll15.yaml.xz")).read())
        commands = [["compare", golden, os.path.join(at, "e200.pt")], ["merge", os.path.join(at, "xlsx-relations")],
                    *[["compare", os.path.join(gpt, "golden"), os.path.join(gpt, "target"), "--%s-mapping" % kind, mapping]
                      for kind in ("layer", "cell", "api", "data")]]
        for words in commands:
            began = os.times()
            done = subprocess.run([VERNIER, *words, "-o", os.path.join(self.folder, "w.json")], capture_output=True, timeout=120)
            ended = os.times()
            self.assertIn(done.returncode, (1, 2, 3, 4), words)
            self.assertLess(ended.children_user + ended.children_system - began.children_user - began.children_system, 10, words)

    def test_a_cycle_in_construct_json_ends_under_all_rules(self):
        for rules in ("vernier", "msprobe26", "msprobe8"):
            done = subprocess.run([VERNIER, "compare", os.path.join(DATA, "cycle", "a"), os.path.join(DATA, "cycle", "b"), "--rules", rules,
                                   "-o", os.path.join(self.folder, "c.json")], capture_output=True, timeout=20)
            self.assertIn(done.returncode, (0, 1, 3, 4))

    @also_with_samples
    def test_lost_information_never_improves_the_exit_code(self):
        dice, known, silent, seen = random.Random(SEED), {}, [], {}
        cases = pairs()
        for turn in range(DAMAGES):
            name, golden, target = cases[0] if turn % 4 == 0 else cases[1] if turn % 4 == 1 else dice.choice(cases)
            side, damage = dice.randrange(2), dice.choice(DAMAGE)
            if (golden, target) not in known:
                known[golden, target] = self.compare(golden, target)[0]
            source = (golden, target)[side]
            dump = load(source)
            if not damage(dump, dice):
                continue
            place = self.place(dump, source)
            code, said = self.compare(*((place, target) if side == 0 else (golden, place)))
            shutil.rmtree(place)
            seen[damage.__name__, known[golden, target], code] = seen.get((damage.__name__, known[golden, target], code), 0) + 1
            told = damage is lose_call and known[golden, target] == 0 and "on one side only; no op that both hold differs" in said
            if code == 0 and not told:
                silent.append("%d %s, side %d, %s: exit 0: %s" % (turn, name, side, damage.__name__, said[:120]))
        print("seed %d, %d damages: %s" % (SEED, DAMAGES, ", ".join("%s %d→%d: %d" % (*k, v) for k, v in sorted(seen.items()))))
        self.assertEqual([], silent)

    def test_a_setting_of_the_collection_is_never_red(self):
        for name, golden, target in pairs():
            if golden != target or ("samples" not in name and DAMAGES < 1000):
                continue
            dump = load(golden)
            for setting, change in SETTINGS.items():
                changed = change(dump)
                if changed["data"] == dump["data"] or not changed["data"]:
                    continue
                place = self.place(changed, golden)
                with self.subTest(pair=name, setting=setting, sides="both"):
                    code, said = self.compare(place, place)
                    self.assertEqual(0, code, said)
                for sides in ((place, golden), (golden, place)):
                    with self.subTest(pair=name, setting=setting, sides=sides.index(place)):
                        code, said = self.compare(*sides)
                        self.assertEqual(0, code, said)
                shutil.rmtree(place)


if __name__ == "__main__":
    main()
