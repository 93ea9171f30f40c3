#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`vernier check`: each invariant in a run where it holds, in one where it is broken, in one where it cannot be checked; no alarm
on clean runs; the documents that are made from the program."""
import functools
import itertools
import json
import math
import os
import re
import shutil
import sys
import zlib
from xml.etree import ElementTree

from program import Case, SHARED, VERNIER, main, needs_samples, run

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests", "defects"))
import make_defects as make  # noqa: E402
import make_states as states  # noqa: E402
import record_kinds as kinds  # noqa: E402
import scoreboard  # noqa: E402

# A run of every kind of rank, in which each invariant has evidence.
EVERY = "tp=2,pp=2,dp=2,steps=3"


@functools.lru_cache(maxsize=None)
def scored():
    """The scoreboard, and what `check` said of each made defect; run once for all tests."""
    seen = []
    return scoreboard.score(VERNIER, seen), seen


class Check(Case):
    def check(self, *arguments):
        path = os.path.join(self.folder, "summary.json")
        code, said, errors = run("check", *arguments, "-q", "-o", path, cwd=self.folder)
        summary = None
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                summary = json.load(file)
            os.remove(path)
        return code, summary, said + errors

    def of(self, summary, name):
        return next(law for law in summary["invariants"] if law["name"] == name)

    def broken(self, summary):
        return [law["name"] for law in summary["invariants"] if law["verdict"] == "broken"]

    def dump(self, folder, entries, level="mix"):
        self.write(os.path.join(folder, "dump.json"), json.dumps({"task": "statistics", "level": level, "framework": "pytorch", "data": entries}))

    def states(self, kind, defect="", shares=""):
        """What `check` says of checkpoints or a monitor."""
        folder = "%s-%s%s" % (kind, defect, shares)
        states.make(self.path(folder), kind, defect, shares)
        return self.check(folder, "--rate", str(states.RATE))

    def table(self):
        """The names of all invariants, as the program lists them, but those of arrays of tokens (cases/token_arrays)."""
        names = re.findall(r"^\| `([a-z-]+)` ", run("help", "checks")[1], re.M)
        return [name for name in names if name not in ("vocabulary", "shift", "loss-mask", "positions", "batches")]

    def test_every_invariant_holds_where_it_should(self):
        held = set()
        make.make(self.path("run"), "", EVERY)
        make.make(self.path("one"), "", "")
        for code, summary, said in [self.check("run"), self.check("one")] + [self.states(kind, "", shares) for kind, shares in states.CLEAN]:
            self.assertEqual((code, summary["status"], self.broken(summary)), (0, "pass", []), said)
            for law in summary["invariants"]:
                self.assertEqual(law["checked"] > 0, law["verdict"] == "holds", law)
                held.update([law["name"]] * (law["verdict"] == "holds"))
        for law, verdict in scored()[0][4][2]:
            held.update([law] * (verdict == "holds"))
        self.assertEqual(sorted(held), sorted(self.table()))

    def test_every_invariant_is_broken_by_a_defect(self):
        found = set()
        for defect, law, summary in scored()[1]:
            self.assertIn(summary["exit"], (1,) if law else (0, 4), defect)
            if law:
                self.assertEqual((summary["status"], self.of(summary, law)["verdict"]), ("error", "broken"), defect)
                self.assertTrue(self.of(summary, law)["evidence"][0]["text"], defect)
                found.add(law)
            else:
                self.assertEqual(self.broken(summary), [], defect)
        self.assertEqual(sorted(found), sorted(self.table()))

    def test_an_invariant_without_evidence_cannot_be_checked(self):
        self.dump("run", {"Tensor.add.0.forward": {"input_args": [], "input_kwargs": {}, "output": []}})
        code, summary, said = self.check("run")
        self.assertEqual((code, summary["status"]), (3, "no data"), said)
        self.assertIn("NOT CHECKED", said)
        self.assertEqual([law["name"] for law in summary["invariants"]], [name for name in self.table() if not name.startswith("expect-")])
        summary = self.check("run", "--expect", "frozen=absent")[1]
        self.assertEqual([law["name"] for law in summary["invariants"]], self.table())
        for law in summary["invariants"]:
            self.assertEqual((law["verdict"], law["checked"]), ("cannot be checked", 0), law["name"])
            self.assertTrue(law["why"], law["name"])

    def test_what_is_declared_and_nothing_can_be_held_to_is_never_green(self):
        """No weight or call of that name; weights of one step that tell no requires_grad; nothing of it with --skip."""
        weight = make.tensor(make.numbers("w", 36), [6, 6])
        del weight["requires_grad"]
        hidden = make.tensor(make.numbers("h", 12), [2, 6])
        self.dump("run/step0/rank0", {"Module.fc.Linear.forward.0": {"input_args": [hidden], "input_kwargs": {}, "parameters": {"weight": weight},
                                                                     "output": [hidden]}}, "L0")
        self.assertEqual(self.check("run")[0], 0)
        for kind, text in (("frozen", "frozen=*"), ("frozen", "frozen=absent"), ("trained", "trained=*.weight"), ("init", "init=absent=1"),
                           ("compute", "compute=*absent*=float16"), ("batch", "batch=4"), ("length", "length=4"), ("generated", "generated=4"), ("trained", "trained=" + "层" * 80)):
            code, summary, said = self.check("run", "--expect", text)
            self.assertEqual((code, summary["partial"], self.of(summary, "expect-" + kind)["verdict"]), (4, True, "cannot be checked"), text)
            self.assertIn("--expect %s: nothing" % text, summary["problems"][0]["text"])
            self.assertEqual(self.check("run", "--expect", text, "--skip", "expect-%s=why" % kind)[0], 0, text)
        # What a later one takes over wholly decides nothing.
        self.assertEqual(self.check("run", "--expect", "compute=float16", "--expect", "compute=*fc*=float32")[0], 4)
        self.assertEqual(self.check("run", "--expect", "compute=*=float16", "--expect", "compute=*absent*=float32")[0], 1)

    def test_what_is_declared_is_held_against_the_last_that_names_it(self):
        weights = {"a.weight": make.numbers("a", 400, .02), "b.weight": [1.0] * 8, "n.weight": make.numbers("n", 8)}
        for step in range(3):
            entries = {}
            for name, values in weights.items():
                moved = [v + .01 * step * (name != "b.weight") for v in values]
                node = make.tensor(moved, [len(values)], grad=name != "b.weight")
                value = make.tensor([1.0] * 8, [2, 4], "torch.bfloat16" if name == "a.weight" else "torch.float32")
                entries["Module.%s.Linear.forward.0" % name[0]] = {"input_args": [value], "input_kwargs": {}, "parameters": {"weight": node}, "output": [value]}
            self.dump("run/step%d/rank0" % step, entries, "L0")
        for declared, found in ((["frozen=*", "trained=a.*|n.*"], []), (["trained=a.*|n.*", "frozen=*"], ["expect-frozen"]), (["trained=*"], ["expect-trained"]),
                                (["init=a.weight=0.02"], []), (["init=a.weight=0.03"], ["expect-init"]), (["init=a.*=0.02,0.01"], ["expect-init"]),
                                (["init=n.weight=1", "init=b.weight=0,1"], []), (["init=b.weight=0"], ["expect-init"]),
                                (["compute=float32", "compute=*.a.*=bfloat16"], []), (["compute=bfloat16"], ["expect-compute"]),
                                (["batch=*=2", "length=*=4"], []), (["batch=*=3"], ["expect-batch"]), (["length=*.n.*=3"], ["expect-length"])):
            code, summary, said = self.check("run", *(option for text in declared for option in ("--expect", text)))
            self.assertEqual((code, self.broken(summary)), (1 if found else 0, found), (declared, said))

    def test_what_is_declared_may_stand_in_settings_and_a_mistake_in_it_is_refused(self):
        make.make(self.path("run"), "", "steps=2")
        self.write("vernier.toml", '[check]\nexpect = ["frozen=rotary.*|scale.*", "compute=*LayerNorm*=bfloat16"]\n')
        code, summary, said = self.check("run")
        self.assertEqual((code, self.broken(summary), self.of(summary, "expect-frozen")["verdict"]), (1, ["expect-compute"], "holds"), said)
        self.assertIn("Judged by settings: --expect (vernier.toml).", summary["verdict"])
        self.assertEqual(self.check("run", "--expect", "frozen=rotary.*")[0], 0)
        for text in ("", "x=3", "frozen", "frozen=", "init=a", "init=a=-1", "init=a=nan", "init=a=1,x", "init==1", "compute=bf16", "compute==float16", "batch=0",
                     "batch=a=1.5", "length=-1", "length=9223372036854775808"):
            code, _, said = self.check("run", "--expect", text)
            self.assertEqual((code, "--expect: expected" in said), (2, True), said)

    def meant(self, name, steps=2, rows=4, length=6, dtype="torch.bfloat16", moved=0.0, backward=True, calls=1, heads=1, norm=1.0):
        """A small run in name/dump, of which the configuration is to be held against."""
        for step in range(steps):
            entries = {}
            for call in range(calls):
                ids = make.tensor([float((i + step) % 7) for i in range(rows * (length + call))], [rows, length + call], "torch.int64")
                entries["Module.embed.Embedding.forward.%d" % call] = {"input_args": [ids], "input_kwargs": {}, "output": []}
            weight = make.tensor([v + step * moved for v in make.numbers("w", 64, .02)], [8, 8], "torch.float32")
            scale = make.tensor([norm + .1 * i * (norm != 1) for i in range(8)], [8], "torch.float32")
            entries["Module.norm.LayerNorm.forward.0"] = {"input_args": [], "input_kwargs": {}, "parameters": {"weight": scale}, "output": []}
            for call in range(4):
                out = make.tensor(make.numbers("o%d" % call, 32), [4, 8], "torch.float32" if call < heads else dtype)
                entries["Module.vision.fc%d.Linear.forward.0" % call] = {"input_args": [], "input_kwargs": {}, "parameters": {"weight": weight}, "output": [out]}
            if backward:
                entries["Module.vision.fc0.Linear.backward.0"] = {"input": [], "output": []}
            self.dump("%s/dump/step%d/rank0" % (name, step), entries, "L0")

    def test_a_configuration_beside_the_dump_tells_what_was_meant(self):
        """In its folder or the one above, by its known keys; said in the sentence, on the page and in the summary."""
        self.meant("run", moved=.001)
        for place in ("run/dump/train.yaml", "run/train.yml"):
            self.write(place, "bf16: true\nper_device_train_batch_size: 4\nfreeze_vision: true\n")
            code, summary, said = self.check("run/dump")
            name = os.path.basename(place)
            self.assertEqual((code, self.broken(summary)), (1, ["expect-frozen"]), said)
            self.assertIn("(%s: freeze_vision true)" % name, self.of(summary, "expect-frozen")["evidence"][0]["text"])
            self.assertIn("Expected by %s: compute=bfloat16, batch=4, frozen=vision." % name, summary["verdict"])
            self.assertEqual([(it["expect"], it["checked"] > 0) for it in summary["expects"]], [("compute=bfloat16", True), ("batch=4", True), ("frozen=vision", True)])
            self.assertEqual(summary["expects"][0]["from"], "%s: bf16 true" % name)
            os.remove(self.path(place))
        self.assertEqual(self.check("run/dump")[1]["expects"], [])

    def test_the_own_words_of_the_user_win_over_a_configuration(self):
        self.meant("run", moved=.001)
        self.write("run/dump/train.yaml", "bf16: true\nfreeze_vision: true\n")
        self.write("else.toml", "[train]\nfp16 = true\n")
        for options, found in (((), ["expect-frozen"]), (("--expect", "trained=vision.*"), ["expect-trained"]), (("--run-config", "none"), []),
                               (("--skip", "expect-frozen=why"), []), (("--expect", "compute=*fc0*=float32"), ["expect-frozen"]),
                               (("--run-config", "else.toml"), ["expect-compute"])):
            code, summary, said = self.check("run/dump", *options)
            self.assertEqual((code, self.broken(summary)), (1 if found else 0, found), (options, said))
        code, _, said = self.check("run/dump", "--run-config", "absent.yaml")
        self.assertEqual((code, "absent.yaml" in said), (3, True), said)

    def test_a_configuration_that_may_be_of_another_run_is_named_and_left_out(self):
        self.meant("run", moved=.001)
        self.write("run/dump/a.yaml", "freeze_vision: true\n")
        self.write("run/dump/b.yml", "bf16: true\n")
        code, summary, said = self.check("run/dump")
        self.assertEqual((code, summary["expects"]), (0, []), said)
        self.assertIn("b.yml is left out", json.dumps(summary["problems"]))
        os.remove(self.path("run/dump/b.yml"))
        for number in range(40):
            self.write("many/file%d.json" % number, "{}")
            self.write("many/file%d.yaml" % number, "bf16: %s\n" % ("true" if number == 7 else "false"))
        self.meant("many", moved=.001)
        shutil.move(self.path("many/dump/step0"), self.path("many/step0"))
        shutil.rmtree(self.path("many/dump"))
        self.assertEqual(self.check("many")[1]["expects"], [])
        os.rename(self.path("run/dump/a.yaml"), self.path("run/a.yaml"))
        self.assertEqual(self.check("run/dump")[0], 1)
        self.meant("run/other")
        code, summary, said = self.check("run/dump")
        self.assertEqual((code, summary["expects"], "a.yaml in the folder above is left out" in json.dumps(summary["problems"])), (0, [], True), said)
        self.assertEqual(self.check("run/dump", "--run-config", "run/a.yaml")[0], 1)
        for options in ((), ("--run-config", "run/a.yaml")):
            self.assertNotIn("a.yaml", json.dumps(self.check("run/dump", "--redact", *options)[1]))

    def test_a_configuration_gives_no_alarm_on_a_run_that_keeps_to_it_as_right_runs_do(self):
        """A head in float32, a last batch, packed, paired and split samples, a few tokens more, an evaluation, weights that were trained before."""
        for number, (config, run_of, found) in enumerate((
                ("bf16: true", {"heads": 3}, []), ("bf16: true", {"heads": 4}, ["expect-compute"]), ("bf16: true", {"heads": 4, "backward": False}, []),
                ("torch_dtype: bfloat16", {"heads": 4}, []),
                ("micro_batch_size: 4", {"rows": 3}, ["expect-batch"]), ("micro_batch_size: 4", {"rows": 3, "steps": 1}, []), ("micro_batch_size: 4", {"rows": 1}, []),
                ("micro_batch_size: 4", {"rows": 8}, []), ("micro_batch_size: 4", {"rows": 2}, []), ("micro_batch_size: 4", {"rows": 3, "backward": False}, []),
                ("seq_length: 6", {"length": 6}, []), ("seq_length: 6", {"length": 7}, []), ("seq_length: 6", {"length": 20}, ["expect-length"]),
                ("seq_length: 6", {"length": 20, "rows": 1}, []), ("seq_length: 6", {"length": 20, "backward": False}, []), ("seq_length: 6\npacking: true", {"length": 20}, []),
                ("max_new_tokens: 3", {"calls": 3, "backward": False}, []), ("max_new_tokens: 3", {"calls": 4, "backward": False}, ["expect-generated"]),
                ("max_new_tokens: 3", {"calls": 4}, []),
                ("initializer_range: 0.02", {}, []), ("initializer_range: 0.5", {}, []), ("initializer_range: 0.02", {"norm": 1.5}, []),
                ("freeze_vision: true", {}, []), ("freeze_absent: true", {"moved": .001}, []), ("finetuning_type: full", {}, []))):
            name = "run%d" % number
            self.meant(name, **run_of)
            self.write(name + "/dump/train.yaml", config + "\n")
            code, summary, said = self.check(name + "/dump")
            self.assertEqual(([law for law in self.broken(summary) if law.startswith("expect-")], code in (0, 1)), (found, True), (config, run_of, said))

    def calls(self, rank, step=0, seed=0, evaluates=0, batch=None, moved=()):
        """A dump of level L1 of two layers: forward, backward, reductions; before them `evaluates` passes without a gradient."""
        data, weights = {}, []
        for layer, shape in enumerate(([8, 4], [6, 8], [3, 6])):
            for size in (shape, shape[:1]):
                name = "w%d%s" % (layer, size)
                other = step if name in moved or "all" in moved else 0
                weights.append(make.tensor(make.numbers("%s,%d,%d" % (name, other, seed if layer == 1 else 0), math.prod(size)), size, grad=True))
        for number in range(evaluates + 1):
            trains, rows = number == evaluates, 5
            x = make.tensor(make.numbers("x%s%d%d" % (rank if batch is None else batch, step, trains), rows * 4), [rows, 4])
            for layer in range(3):
                out = make.tensor(make.numbers("y%d%d%d%s" % (layer, step, trains, rank if batch is None else batch), rows * 3), [rows, 3], grad=trains)
                data["Functional.linear.%d.forward" % (3 * number + layer)] = dict(
                    input_args=[x, *weights[2 * layer:2 * layer + 2]], input_kwargs={}, output=[out])
                x = out
        for layer in reversed(range(3)):
            shapes = [it["shape"] for it in weights[2 * layer:2 * layer + 2]]
            weight, bias = ([make.numbers("g%d%s%d%d" % (layer, kind, rank, step), math.prod(shape)), shape] for kind, shape in zip("wb", shapes))
            came = make.tensor([v / 5 for v in bias[0]] * 5, [5, len(bias[0])])
            data["Functional.linear.%d.backward" % (3 * evaluates + layer)] = dict(
                input=[came], output=[make.tensor(*bias), make.tensor(make.numbers("i", 4), [4]), make.tensor(weight[0], weight[1][::-1])])
            for kind, (values, shape) in (("w", weight), ("b", bias)):
                total = [sum(column) for column in zip(*(make.numbers("g%d%s%d%d" % (layer, kind, at, step), len(values)) for at in range(2)))]
                data["Distributed.all_reduce.%d.forward" % (2 * (2 - layer) + (kind == "b"))] = dict(
                    input_args=[make.tensor(values, shape)], input_kwargs={}, output=[make.tensor(total, shape)])
        return data

    def test_weights_of_calls_pair_by_their_place_whatever_a_rank_evaluates_before(self):
        for name, seed, batch, moved, broken in (("clean", 0, None, ["all"], []), ("copies", 7, None, ["all"], ["replicas"]),
                                                 ("data", 0, "same", ["all"], ["dp-inputs"]), ("still", 0, None, ["w0[8, 4]", "w2[3, 6]"], ["updates"])):
            for step, rank in itertools.product(range(2), range(2)):
                self.dump("%s/step%d/rank%d" % (name, step, rank), self.calls(rank, step, seed * rank, 2 * rank, batch, moved), "L1")
            code, summary, said = self.check(name)
            self.assertEqual(self.broken(summary), broken, said)
            for law in ("replicas", "dp-inputs", "reduced-all", "gradient-sums"):
                self.assertGreater(self.of(summary, law)["checked"], 0, (name, law))
        what = self.of(self.check("copies")[1], "replicas")["evidence"][0]
        self.assertEqual((what["step"], what["rank"], what["other_rank"], what["what"]), (0, 0, 1, "Functional.linear.1.forward input.1"))

    def test_evidence_names_the_first_step_the_weight_and_the_ranks(self):
        make.make(self.path("run"), "norm-drift", "tp=2")
        _, summary, said = self.check("run")
        law = self.of(summary, "tensor-copies")
        first = law["evidence"][0]
        self.assertEqual((first["step"], first["rank"], first["other_rank"], first["what"]), (1, 0, 1, "layers.0.norm.bias"))
        self.assertRegex(said, r"^BROKEN    norm or router weights differ over tensor-parallel ranks: layers\.0\.norm\.bias, Norm .* against "
                               r".* \(step 1, ranks 0 and 1\)\. 1 invariant is broken; \d+ of \d+ invariants that can be seen here hold")

    def test_no_clean_layout_gives_an_alarm(self):
        """Every layout of up to 8 ranks, those of three steps of one and of two as well; what was recorded; states; what was declared."""
        (_, clean, (_, of_states), (_, recorded), (_, declared, _), (_, of_kinds, known)), _ = scored()
        layouts = {tuple(sorted((key, size) for key, size in make.layout(text).items() if key != "steps")) for text in make.CLEAN}
        every = itertools.product((1, 2, 4, 8), (1, 2, 4), (1, 2, 4, 8))
        self.assertEqual(layouts, {tuple((key, size) for key, size in (("dp", dp), ("pp", pp), ("tp", tp)) if size > 1)
                                   for tp, pp, dp in every if tp * pp * dp <= 8})
        self.assertGreaterEqual(len(clean + of_states + recorded + declared + of_kinds), 105)
        for name, holds, found in clean + of_states + recorded + declared + of_kinds:
            self.assertEqual((holds > 0, found), (True, []), name)
        self.assertEqual(dict(known), {kind: [law] for kind, law in kinds.KNOWN.items()})

    def test_the_layout_is_found_or_told(self):
        make.make(self.path("run"), "", EVERY)
        found = self.check("run")[1]["layout"]
        code, told, said = self.check("run", "--layout", "tp=2,pp=2,dp=2,order=tp-dp-pp")
        self.assertEqual(code, 0, said)
        self.assertTrue(told["layout"]["given"])
        self.assertEqual((found["ranks"], found["pipeline"]), (told["layout"]["ranks"], told["layout"]["pipeline"]))
        for text, words in (("tp=3", "tp"), ("tp=2,dp=3", "tp x pp x dp is 6, and there are 8 ranks"), ("dp=0", "dp is a whole number"), ("tp=2,dp=9223372036854775807", "dp is a whole number"), ("xx=2", "xx")):
            code, _, said = self.check("run", "--layout", text)
            self.assertEqual(code, 2, said)
            self.assertIn(words, said)
        for lang in ("en", "zh"):
            said = self.check("run", "--layout", "tp=2,order=xx", "--lang", lang)[2]
            self.assertIn("--layout: order", said)
            self.assertEqual((said.count("parallel"), said.count("合并")), (0, 0), said)
        self.assertIn("needs the dumps of all ranks", self.check("run", "--rank", "1,3", "--layout", "dp=2")[2])

    def test_what_is_not_known_of_ranks_is_not_guessed(self):
        """Weights that differ, and no communication that tells why."""
        for rank in range(2):
            weight = make.tensor(make.numbers("w%d" % rank, 36), [6, 6], grad=True)
            value = make.tensor(make.numbers("x", 30), [5, 6], grad=True)
            self.dump("run/step0/rank%d" % rank, {"Module.fc.Linear.forward.0": {"input_args": [value], "input_kwargs": {},
                                                                                 "parameters": {"weight": weight}, "output": [value]}}, "L0")
        code, summary, said = self.check("run")
        self.assertEqual((code, self.of(summary, "replicas")["why"]), (4, "it is not known which ranks hold the same weights"), said)
        self.assertIn("replicas was not checked", said)
        self.assertEqual(self.broken(self.check("run", "--layout", "dp=2")[1]), ["replicas"])

    def test_stages_of_a_pipeline_are_no_copies(self):
        make.make(self.path("run"), "", "pp=2")
        self.assertEqual([rank["copies"] for rank in self.check("run")[1]["layout"]["ranks"]], [None, None])

    def test_groups_that_an_older_dump_does_not_tell_are_not_mixed_up(self):
        run_of = make.Run("", tp=2, dp=2, steps=2)
        run_of.process_group = lambda ranks: None
        run_of.write(self.path("run"))
        code, summary, said = self.check("run")
        self.assertEqual((code, self.broken(summary)), (0, []), said)
        for name in ("collective-calls", "collective-results", "collective-sums", "reduced-use"):
            self.assertEqual(self.of(summary, name)["verdict"], "cannot be checked", name)

    def test_a_dump_that_begins_inside_of_the_model_tells_nothing_of_the_batch(self):
        """The table of angles is the same in every step."""
        for first, verdict in ((True, "cannot be checked"), (False, "broken")):
            folder = "run%d" % first
            for step in range(2):
                hidden = make.tensor(make.numbers("h%d" % (step * first), 30), [5, 6], grad=first)
                angles = make.tensor(make.numbers("a", 30), [5, 6])
                self.dump("%s/step%d/rank0" % (folder, step), {
                    "Module.layers.3.Layer.forward.0": {"input_args": [hidden, angles], "input_kwargs": {}, "parameters": {}, "output": [hidden]},
                    "Module.layers.3.Layer.backward.0": {"input": [hidden], "output": [hidden]}}, "L0")
            self.assertEqual(self.of(self.check(folder)[1], "step-inputs")["verdict"], verdict)

    def linear(self, path, weight, shape=(6, 6), gradient=None, trained=True, class_name="Linear", inputs=(5, 6)):
        """A forward call of a module with a weight, and what its backward brings."""
        count = 1
        for size in inputs:
            count *= size
        value = make.tensor(make.numbers("v", count), inputs, grad=True)
        name = "Module.%s.%s." % (path, class_name)
        out = {name + "forward.0": {"input_args": [value], "input_kwargs": {}, "output": [value],
                                    "parameters": {"weight": make.tensor(weight, shape, grad=trained)}}}
        if gradient:
            out[name + "backward.0"] = {"input": [value], "output": [value]}
            out[name + "parameters_grad.0"] = {"weight": [make.tensor(gradient, shape)]}
        return out

    def judged(self, folder, law, *options):
        return self.of(self.check(folder, *options)[1], law)["verdict"]

    def test_a_batch_that_is_run_again_without_training_is_no_alarm(self):
        for step in range(2):
            self.dump("run/step%d/rank0" % step, {"Module.fc.Linear.forward.0": {
                "input_args": [make.tensor(make.numbers("h", 30), [5, 6])], "input_kwargs": {}, "parameters": {}, "output": []}}, "L0")
        self.assertEqual(self.judged("run", "step-inputs"), "cannot be checked")

    def test_weights_that_move_tell_a_training_whose_dumps_are_of_the_forward_alone(self):
        for name, path, moved, verdict in (("trained", "fc", 1, "broken"), ("again", "fc", 0, "cannot be checked"), ("norm", "fc.running_mean", 1, "cannot be checked")):
            for step in range(2):
                entries = self.linear("fc", make.numbers("w%d" % (step * moved), 36), inputs=(5, 7))
                call = entries["Module.fc.Linear.forward.0"]
                call["input_args"][0] = dict(call["input_args"][0], requires_grad=False)
                if path.endswith("mean"):
                    call["parameters"] = {"running_mean": call["parameters"]["weight"]}
                self.dump("%s/step%d/rank0" % (name, step), entries, "L0")
            self.assertEqual(self.judged(name, "step-inputs"), verdict, name)

    def test_tokens_that_are_drawn_inside_of_a_dump_leave_frozen_weights_alone(self):
        weight = make.tensor(make.numbers("w", 60), [10, 6])
        for name, moved, verdict in (("others", 1, "holds"), ("same", 0, "broken")):
            for step in range(2):
                tokens = make.tensor([step * moved, 3, 5, 7], [4], "torch.int64")
                entries = {"Torch.randint.0.forward": {"input_args": [], "input_kwargs": {}, "output": [tokens]},
                           "Functional.embedding.0.forward": {"input_args": [tokens, weight], "input_kwargs": {}, "output": [weight]},
                           "Functional.embedding.0.backward": {"input": [weight], "output": []}}
                self.dump("%s/step%d/rank0" % (name, step), entries)
            self.assertEqual(self.judged(name, "step-inputs"), verdict)

    def test_every_mistake_in_a_run_of_some_kind_breaks_what_is_meant(self):
        for kind, mistake, law, found in scored()[0][5][0]:
            self.assertIn(law, found, (kind, mistake))

    def test_dumps_between_which_no_weight_moves_may_be_micro_batches(self):
        """PARTIAL, unless it is told what was meant of them."""
        make.make(self.path("run"), "optimizer-elsewhere", "")
        code, summary, said = self.check("run")
        self.assertEqual((code, self.of(summary, "updates")["verdict"]), (4, "cannot be checked"), said)
        words = "no weight moved from step 0 to step 2 of rank 0, though gradients came"
        self.assertIn(words, summary["problems"][0]["text"])
        self.assertIn("no weight moved from step 0 to step 1: ", self.of(summary, "updates")["why"])
        run("check", "run", "-q", "--format", "html,md,svg,junit", "-o", "out", cwd=self.folder)
        for file in ("index.html", "summary.md", "check.svg", "junit.xml"):
            with open(self.path("out", file), encoding="utf-8") as text:
                self.assertIn(words, " ".join(text.read().split()), file)
        self.assertIn("<error", run("check", "run", "-q", "--format", "junit", "-o", "-", cwd=self.folder)[1])
        self.assertEqual(self.check("run", "--skip", "updates=micro batches")[0], 0)
        self.assertEqual(self.check("run", "--step", "0,1")[0], 4)
        code, summary, said = self.check("run", "--expect", "trained=layers.*")
        self.assertEqual((code, self.broken(summary)), (1, ["expect-trained"]), said)

    def test_batches_of_which_only_some_repeat_are_not_green(self):
        """Several steps on one batch, or a loader that repeats it: no dump tells."""
        for step in range(4):
            entries = self.linear("up", make.numbers("w%d" % step, 36))
            entries["Module.embed.Embedding.forward.0"] = {"input_args": [make.integers([step // 2, 3, 5])], "input_kwargs": {}, "output": []}
            entries = {"Module.embed.Embedding.forward.0": entries.pop("Module.embed.Embedding.forward.0"), **entries}
            entries["Module.embed.Embedding.forward.0"]["input_args"].append(make.tensor(make.numbers("b%d" % (step // 2), 30), [5, 6]))
            entries["Module.up.Linear.backward.0"] = {"input": [make.tensor(make.numbers("v", 30), [5, 6])], "output": []}
            self.dump("run/step%d/rank0" % step, entries)
        code, summary, said = self.check("run")
        law = self.of(summary, "step-inputs")
        self.assertEqual((code, law["verdict"], law["open"]), (4, "holds", 2), said)
        self.assertTrue(law["why"].startswith("holds in 1 of 3 dumps: a step has the batch of the step before"), law["why"])
        self.assertIn("a loader that repeats it (step 1, rank 0); --skip step-inputs=WHY", said)
        self.assertEqual(self.check("run", "--skip", "step-inputs=two epochs")[0], 0)

    def test_tokens_of_which_ends_alone_are_recorded_repeat_where_all_that_is_made_of_them_does(self):
        for name, other, verdict in (("same", "o", "broken"), ("other", "p", "cannot be checked")):
            for step in range(2):
                tokens = dict(make.tensor([1, 3, 5, 7], [4], "torch.int64"), Mean=None, Norm=None)
                outputs = [make.tensor(make.numbers(key, 24), [4, 6], grad=True) for key in ("e", other if step else "o")]
                self.dump("%s/step%d/rank0" % (name, step), {
                    "Module.e.Embedding.forward.0": {"input_args": [tokens], "input_kwargs": {}, "output": outputs[:1]},
                    "Module.fc.Linear.forward.0": {"input_args": outputs[:1], "input_kwargs": {}, "output": outputs[1:]},
                    "Module.fc.Linear.backward.0": {"input": outputs[1:], "output": outputs[:1]}})
            self.assertEqual(self.judged(name, "step-inputs"), verdict, name)

    def test_a_weight_that_gets_gradients_in_some_steps_alone_is_neither_green_nor_an_alarm(self):
        """Two optimizers or losses take turns, or a gradient is lost: no dump tells. One that none ever comes to, and that decays at most, is lost."""
        for name, moves, comes, expected in (("turn", (0, 0), 1, 4), ("undumped", (0, 1), 0, 4), ("decayed", (0, 2), 0, 1), ("still", (0, 0), 0, 1)):
            for step in range(2):
                entries = self.linear("up", make.numbers("w%d" % step, 36))
                values = [v * (.99 if moves[step] == 2 else 1) + (.01 * i if moves[step] == 1 else 0) for i, v in enumerate(make.numbers("l", 36))]
                entries.update(self.linear("late", values))
                for of in ("up", "late") if comes and step else ("up",):
                    entries["Module.%s.Linear.backward.0" % of] = {"input": [make.tensor(make.numbers("v%d" % step, 12), [2, 6])], "output": []}
                    entries["Module.%s.Linear.parameters_grad" % of] = {"weight": [make.tensor(make.numbers("g%s%d" % (of, step), 36), [6, 6])]}
                self.dump("%s/step%d/rank0" % (name, step), entries)
            code, summary, said = self.check(name, "--skip", "updates=of gradients", "--skip", "step-inputs=of gradients")
            self.assertEqual((code, self.broken(summary)), (expected, ["gradients"] if expected == 1 else []), (name, said))
            if expected == 4:
                self.assertIn("a weight gets no gradient here and is trained in other steps", said)
                self.assertEqual(self.check(name, "--skip", "gradients=turns", "--skip", "updates=turns", "--skip", "step-inputs=turns")[0], 0, name)

    def test_copies_that_part_and_meet_again_are_neither_green_nor_an_alarm(self):
        at = self.path("kinds")
        scoreboard.unpack(at, "kinds.tar.xz")
        code, summary, said = self.check("kinds/averaged")
        self.assertEqual((code, self.of(summary, "replicas")["verdict"], self.of(summary, "replicas")["open"]), (4, "holds", 2), said)
        self.assertIn("weights of replicas diverge and are equal again in a later step (step 1, rank 1)", said)
        self.assertEqual(self.check("kinds/averaged", "--skip", "replicas=averaged every second step")[0], 0)
        self.assertEqual(self.broken(self.check("kinds/averaged", "--step", "0,1")[1]), ["replicas"])

    def test_a_gradient_of_one_value_throughout_may_come_again(self):
        """That of a bias behind which all is summed up is the number of samples in every step."""
        for name, again, verdict in (("sum", [2.0] * 6, "holds"), ("stale", make.numbers("s", 6), "broken")):
            for step in range(2):
                entries = self.linear("up", make.numbers("w%d" % step, 36))
                entries["Module.up.Linear.backward.0"] = {"input": [make.tensor(make.numbers("v%d" % step, 12), [2, 6])], "output": []}
                entries["Module.up.Linear.parameters_grad"] = {"weight": [make.tensor(make.numbers("g%d" % step, 36), [6, 6])],
                                                               "bias": [make.tensor(again, [6])], "scale": [make.tensor(make.numbers("c%d" % step, 6), [6])]}
                self.dump("%s/step%d/rank0" % (name, step), entries)
            self.assertEqual(self.judged(name, "repeated-gradients"), verdict, name)

    def test_an_invariant_that_did_not_see_a_dump_says_so(self):
        make.make(self.path("run"), "", "")
        at = next(os.path.join(folder, name) for folder, _, names in sorted(os.walk(self.path("run/step2"))) for name in names if name == "dump.json")
        with open(at, "w", encoding="utf-8") as file:
            file.write("{")
        code, summary, said = self.check("run")
        law = self.of(summary, "finite")
        self.assertEqual((code, law["verdict"], law["open"], law["why"]), (4, "holds", 1, "holds in 2 of 3 dumps: a dump could not be read"), said)
        self.assertIn("holds in 2 of 3 dumps", run("check", "run", "-q", "--format", "junit", "-o", "-", cwd=self.folder)[1])

    def test_gradients_of_several_micro_batches_under_one_name_are_in_the_order_of_their_backwards(self):
        """What stays of the last one of the step before, behind a step of the optimizer, is what zero_grad left."""
        for name, kept, moved, verdict in (("clean", 0, 1, "holds"), ("kept", 1, 1, "broken"), ("micro", 1, 0, "holds"), ("elsewhere", 2, 1, "holds")):
            stays = [0.0] * 6
            for step in range(2):
                arrived = [make.numbers("g%d,%d" % (step, call), 12) for call in range(3)]
                gradients = [[a + b + c * kept for a, b, c in zip(values, values[6:], stays)] for values in arrived]
                entries = self.linear("up", make.numbers("w%d" % (step * moved), 36))
                for call, values in enumerate(arrived):
                    entries["Module.up.Linear.backward.%d" % call] = {"input": [make.tensor(values, [2, 6])], "output": []}
                entries["Module.up.Linear.parameters_grad"] = {"bias": [make.tensor(values, [6]) for values in gradients]}
                self.dump("%s/step%d/rank0" % (name, step), entries)
                stays = gradients[-1]
            self.assertEqual(self.judged(name, "bias-gradients"), verdict, name)

    def test_copies_are_found_among_more_models_than_a_matrix_that_all_share_can_tell_apart(self):
        """70 models of one table of positions, each held by two ranks."""
        models = 70
        shared = self.linear("p", make.numbers("p", 36))
        for rank in range(2 * models):
            own = {name: entry for path in "abc" for name, entry in self.linear(path, make.numbers(path + str(rank % models), 36)).items()}
            self.dump("run/step0/rank%d" % rank, {**shared, **own}, "L0")
        ranks = self.check("run")[1]["layout"]["ranks"]
        self.assertEqual([rank["copies"] for rank in ranks], [*range(models), *range(models)])

    def test_ranks_that_gather_tokens_for_their_experts_hold_copies(self):
        """Most of their weights are other experts under the same names."""
        for name, verdict in (("clean", "holds"), ("drifted", "broken")):
            for rank in range(2):
                tokens = make.tensor(make.numbers("t%d" % rank, 12), [2, 6], grad=True)
                entries = {"Module.embed.Embedding.forward.0": {"input_args": [make.integers([rank, 3, 5])], "input_kwargs": {}, "output": [tokens]}}
                for path in "abcde":
                    entries.update(self.linear(path, make.numbers(path + str(rank * (path == "c" and name == "drifted")), 36)))
                entries["Distributed.all_gather_into_tensor.0.forward"] = {
                    "input_args": [make.tensor(make.numbers("all", 24), [4, 6]), tokens], "output": [make.tensor(make.numbers("all", 24), [4, 6])],
                    "input_kwargs": {"group": dict(type="torch.ProcessGroup", group_ranks=[0, 1], group_id="0")}}
                for expert in range(8):
                    entries.update(self.linear("experts.%d.up" % expert, make.numbers("x%d,%d" % (rank, expert), 36)))
                self.dump("%s/step0/rank%d" % (name, rank), entries, "L0")
            code, summary, said = self.check(name)
            self.assertEqual([rank["copies"] for rank in summary["layout"]["ranks"]], [0, 0], said)
            self.assertEqual((self.broken(summary), self.of(summary, "replicas")["verdict"]), (["replicas"] * (name == "drifted"), verdict), said)

    def test_experts_are_called_where_tokens_come(self):
        for name, missing, verdict in (("experts", "experts.1", "holds"), ("dense", "up", "broken"), ("shared", "shared_experts.up", "broken")):
            for rank in range(2):
                entries = {}
                for path in ("up", "experts.0", "experts.1", "shared_experts.up", "down"):
                    if rank == 0 or path != missing:
                        entries.update(self.linear(path, make.numbers("%s%d" % (path, rank), 36)))
                self.dump("%s/step0/rank%d" % (name, rank), entries, "L0")
            self.assertEqual(self.judged(name, "module-order", "--layout", "tp=2"), verdict)

    def test_norms_over_all_heads_of_a_rank_are_shares(self):
        for name, path, inputs, verdict in (("heads", "q_norm", (5, 6), "cannot be checked"), ("head", "q_norm", (5, 2, 2, 6), "broken"), ("whole", "norm", (5, 6), "broken"),
                                            ("keys", "key_layernorm", (5, 6), "cannot be checked"), ("points", "keypoint_head.norm", (5, 6), "broken"),
                                            ("answer", "query_head.norm", (5, 6), "broken")):
            for rank in range(2):
                self.dump("%s/step0/rank%d" % (name, rank), self.linear("layers.0." + path, make.numbers("n%d" % rank, 6), [6], class_name="RMSNorm", inputs=inputs), "L0")
            self.assertEqual(self.judged(name, "tensor-copies", "--layout", "tp=2"), verdict)

    def test_a_step_that_is_too_short_for_a_large_weight_is_no_alarm(self):
        """An Adam moves elements of 1 as far as those of 0.02: below 3e-8 nothing is left of it in float32."""
        for name, rate, verdict in (("short", 1e-8, "holds"), ("usual", 1e-6, "broken"), ("long", 1e-4, "broken")):
            for step in range(2):
                entries = self.linear("norm", [1.0] * 6, [6], make.numbers("g", 6, 100), class_name="LayerNorm")
                for path in "abcdefgh":
                    entries.update(self.linear(path, [v + step * rate for v in make.numbers(path, 36, .02)], gradient=make.numbers("g" + path, 36, .1)))
                self.dump("%s/step%d/rank0" % (name, step), entries, "L0")
            self.assertEqual(self.judged(name, "updates"), verdict)
        self.assertEqual([self.judged(name, "expect-trained", "--expect", "trained=*") for name in ("short", "long")], ["holds", "broken"])

    def test_the_average_of_a_model_moves_though_it_is_frozen(self):
        """Beside more weights that stay: a target network, a teacher, an encoder. No average of anything trained: a tower of more layers,
        or of other sizes, one layer of a teacher."""
        for name, moved, layers, shape, verdict in (("average", "target.", 4, (6, 6), "holds"), ("decayed", "encoder.1.3", 4, (6, 6), "broken"),
                                                    ("tower", "target.", 5, (6, 6), "broken"), ("layer", "encoder.0.", 4, (6, 6), "broken"), ("wide", "target.", 4, (4, 9), "broken")):
            for step in range(2):
                entries = {}
                for model, count in (("student", 4), ("target", layers), ("encoder", 9)):
                    for path in ("%s.%d.%d" % (model, layer // 4, layer % 4) for layer in range(count)):
                        by = .01 * step * (model == "student" or path.startswith(moved))
                        entries.update(self.linear(path, [v + by for v in make.numbers(path, 36)], shape if model == "target" else (6, 6),
                                                   trained=model == "student"))
                self.dump("%s/step%d/rank0" % (name, step), entries, "L0")
            self.assertEqual(self.judged(name, "frozen"), verdict)

    def test_weights_of_one_value_are_held_to_updates_not_to_steps(self):
        """The second factor of LoRA, in micro steps: the optimizer did not run between them."""
        for name, rate, verdict in (("micro", 0, "holds"), ("steps", .01, "broken")):
            for step in range(3):
                entries = {**self.linear("lora_A", [v + rate * step for v in make.numbers("a", 36)]), **self.linear("lora_B", [0.0] * 36)}
                self.dump("%s/step%d/rank0" % (name, step), entries, "L0")
            self.assertEqual(self.judged(name, "constant-weights"), verdict)

    def test_a_step_that_the_scaler_of_a_loss_left_out_is_no_alarm(self):
        """Nor is its dump held: two of the four are. Without float16 and without a scaler nothing leaves steps out."""
        infinite = dict.fromkeys(("Max", "Norm", "Mean"), float("inf"))
        checked = {}
        for name, scaled, bad, moved, verdict in (
                ("finite", "float16", (), (3,), "holds"), ("skipped", "float16", (0, 1), (3,), "holds"), ("unscaled", "unscale", (0, 1), (3,), "holds"),
                ("plain", "", (0, 1), (3,), "broken"), ("taken", "float16", (0,), (1, 2, 3), "broken"), ("never", "float16", (0, 1, 2, 3), (), "broken"),
                ("forward", "float16", (0,), (2, 3), "broken"), ("both", "float16", (0,), (2, 3), "broken")):
            weight = make.numbers("w", 36)
            for step in range(4):
                weight = [v + .01 * (step in moved) for v in weight]
                entries = self.linear("fc", weight, gradient=make.numbers("g%d" % step, 36))
                entries["Module.act.GELU.forward.0"] = {"input_args": [make.tensor([1, 2, 3, 4], [4])], "input_kwargs": {}, "parameters": {},
                                                        "output": [make.tensor([1, 2, 3, step], [4], "torch.float16" if scaled == "float16" else "torch.bfloat16")]}
                gradients = entries["Module.fc.Linear.parameters_grad.0"]["weight"]
                outputs = entries["Module.act.GELU.forward.0"]["output"]
                for where in {"forward": [outputs], "both": [gradients, outputs]}.get(name, [gradients]):
                    where[0] = dict(where[0], **infinite) if step in bad else where[0]
                if scaled == "unscale":
                    entries["Torch._amp_foreach_non_finite_check_and_unscale_.0.forward"] = {"input_args": [gradients[0]], "input_kwargs": {}, "output": [gradients[0]]}
                self.dump("%s/step%d/rank0" % (name, step), entries, "mix")
            law = self.of(self.check(name)[1], "finite")
            self.assertEqual(law["verdict"], verdict, name)
            checked[name] = law["checked"]
            if name == "plain":
                self.assertEqual(law["evidence"][0]["step"], 0)
        self.assertEqual(2 * checked["skipped"], checked["finite"])

    def test_activations_that_are_scaled_in_place_are_no_gradients(self):
        """As in a further micro batch, or in an evaluation behind the backward."""
        hidden, scaled = (make.tensor([v * by for v in make.numbers("h", 30)], [5, 6]) for by in (1, 20))
        for name, before, verdict in (("gradients", {}, "broken"), ("activations", self.linear("fc", make.numbers("w", 36)), "cannot be checked")):
            entries = {"Functional.linear.0.backward": {"input": [hidden], "output": [hidden]}}
            for call in range(2):
                entries["Tensor.mul_.%d.forward" % call] = {"input_args": [hidden, make.tensor([20.0], [])], "input_kwargs": {}, "output": [scaled]}
            self.dump(name, {**entries, **before})
            self.assertEqual(self.judged(name, "clipping"), verdict)

    def test_clipping_is_judged_though_further_calls_follow(self):
        """An evaluation, a second model; what is scaled behind a forward call is of that."""
        fc = self.linear("fc", make.numbers("w", 36), gradient=make.numbers("g", 36))
        forward = {"Module.fc.Linear.forward.0": fc["Module.fc.Linear.forward.0"]}
        for name, first, then, verdict in (("last", fc, {}, "broken"), ("forward", fc, self.linear("eval", make.numbers("w", 36)), "broken"),
                                           ("model", fc, self.linear("other", make.numbers("w", 36), gradient=make.numbers("g", 36)), "broken"),
                                           ("recomputed", fc, self.linear("fc2", make.numbers("w", 36)), "cannot be checked"),
                                           ("activations", {**fc, **self.linear("eval", make.numbers("w", 36))}, self.linear("on", make.numbers("w", 36)),
                                            "cannot be checked"), ("no backward", forward, {}, "cannot be checked")):
            entries = dict(first)
            for call, factor in enumerate((.25, .25, .9, .25)):
                values = make.numbers("c%d" % call, 30)
                entries["Tensor.mul_.%d.forward" % call] = {"input_args": [make.tensor(values, [5, 6], grad=name == "recomputed"), make.tensor([factor], [])], "input_kwargs": {},
                                                            "output": [make.tensor([factor * v for v in values], [5, 6])]}
            self.dump(name, {**entries, **then})
            self.assertEqual(self.judged(name, "clipping"), verdict, name)

    def layers(self, folder, count, other, unmasked=False):
        """Layers of a causal attention; those in `other` see what comes later, or compute in bfloat16."""
        entries = {}
        for layer in range(count):
            odd, shape = layer in other, [1, 4, 4]
            values = make.numbers("s%d" % layer, 16)
            scores = [v if odd and unmasked or i % 4 <= i // 4 else -1e4 for i, v in enumerate(values)]
            rows = [math.exp(v) / math.fsum(map(math.exp, scores[i // 4 * 4:i // 4 * 4 + 4])) for i, v in enumerate(scores)]
            dtype = "torch.bfloat16" if odd and not unmasked else "torch.float32"
            steps = ["Functional.linear", "Tensor.mul", "Torch.matmul", "Functional.softmax", "Torch.matmul", "Functional.linear", "Tensor.add"]
            for number, api in enumerate(steps):
                held = (scores, rows) if "softmax" in api else (values, make.numbers("%d,%d" % (layer, number), 16))
                call = sum(name.startswith(api + ".") for name in entries)
                entries["%s.%d.forward" % (api, call)] = {"input_args": [make.tensor(held[0], shape)], "input_kwargs": {}, "output": [make.tensor(held[1], shape, dtype)]}
        self.dump(folder, entries, "L1")

    def test_one_layer_of_many_is_named_and_layers_in_turn_and_at_the_ends_are_not(self):
        for name, unmasked, law in (("mask", True, "causal-rows"), ("type", False, "layer-dtypes")):
            for count, other, broken in ((4, [1], True), (8, [2], True), (8, [], False), (8, [0, 2, 4, 6], False), (8, [1, 3, 5], False), (3, [1], False), (8, [0], False), (8, [7], False)):
                folder = "%s%d%s" % (name, count, "".join(map(str, other)))
                self.layers(folder, count, other, unmasked)
                self.assertEqual(self.broken(self.check(folder)[1]), [law] * broken, folder)
        for other, broken in (([2], True), ([0], False), ([1, 3, 5], False)):
            entries = {}
            for layer in range(8):
                entries.update(self.linear("layers.%d.fc" % layer, make.numbers("w%d" % layer, 36)))
                entries["Module.layers.%d.fc.Linear.forward.0" % layer]["output"][0] = make.tensor(
                    make.numbers("o%d" % layer, 30), [5, 6], "torch.bfloat16" if layer in other else "torch.float32")
            self.dump("modules%s" % other, entries, "L0")
            self.assertEqual(self.broken(self.check("modules%s" % other)[1]), ["layer-dtypes"] * broken, other)
        self.layers("ends", 8, [0, 7])
        self.assertEqual(self.broken(self.check("ends")[1]), [])

    def test_the_one_layer_that_gets_no_mask_is_named(self):
        for name, masks, verdict in (("all", "mmmmm", "holds"), ("one", "mm-mm", "broken"), ("turns", "m-m-m", "cannot be checked"), ("end", "mmmm-", "cannot be checked"),
                                     ("none", "-----", "cannot be checked"), ("flag", "cc-cc", "broken")):
            entries = {}
            for layer, mask in enumerate(masks):
                value = make.tensor(make.numbers("q%d" % layer, 24), [2, 3, 4], grad=True)
                entries["Functional.scaled_dot_product_attention.%d.forward" % layer] = {
                    "input_args": [value] * 3, "input_kwargs": {"attn_mask": make.tensor([0.0, -1e4, 0.0] * 3, [3, 3]) if mask == "m" else None,
                                                                "is_causal": {"type": "bool", "value": mask == "c"}}, "output": [value]}
            self.dump(name, entries, "L1")
            self.assertEqual(self.judged(name, "causal-rows"), verdict, name)

    def test_experts_of_all_layers_take_as_many_rows(self):
        for name, rows, verdict in (("all", [(5, 3)] * 4, "holds"), ("lost", [(5, 3), (5, 0), (4, 4), (1, 7)], "broken"),
                                    ("capacity", [(5, 2), (4, 4), (3, 3), (5, 1)], "cannot be checked"), ("one", [(5, 3)], "cannot be checked")):
            entries = {}
            for layer, loads in enumerate(rows):
                for expert, load in enumerate(loads):
                    if load:
                        value = make.tensor(make.numbers("x%d,%d" % (layer, expert), load * 2), [load, 2], grad=True)
                        entries["Module.layers.%d.experts.%d.MLP.forward.0" % (layer, expert)] = {"input_args": [value], "input_kwargs": {}, "output": [value]}
            self.dump(name, entries, "L0")
            self.assertEqual(self.judged(name, "routing"), verdict, name)

    def test_tied_weights_are_found_by_what_they_do_and_have_one_gradient(self):
        for name, head, gradients, later, verdict in (("tied", "w", "gg", "vv", "holds"), ("gradients", "w", "gh", "vv", "broken"), ("apart", "w", "gg", "vu", "broken"),
                                                      ("other", "x", "gh", "vu", "cannot be checked")):
            for step in range(2):
                values = ("w", head) if step == 0 else later
                entries = {}
                for (path, kind), value, gradient in zip((("shared", "Embedding"), ("decoder.project", "Linear")), values, gradients):
                    entries.update(self.linear(path, make.numbers(value, 30), (5, 6), make.numbers(gradient + str(step), 30), class_name=kind))
                self.dump("%s/step%d/rank0" % (name, step), entries)
            self.assertEqual(self.judged(name, "tied-embeddings"), verdict, name)

    def test_a_frozen_weight_among_the_inputs_of_calls_may_not_move(self):
        for name, moved, frozen, verdict in (("still", [], True, "holds"), ("one", [1], True, "broken"), ("average", [0, 1, 2, 3], True, "cannot be checked"),
                                             ("half", [0, 1, 2], True, "cannot be checked"), ("trained", [1], False, "cannot be checked")):
            for step in range(2):
                entries = {}
                for call in range(5):
                    weight = make.numbers("w%d,%d" % (call, step * (call in moved)), 12)
                    value = make.tensor(make.numbers("v%d,%d" % (call, step), 6), [2, 3])
                    entries["Functional.linear.%d.forward" % call] = {"input_args": [value, make.tensor(weight, [4, 3], grad=not frozen)], "input_kwargs": {},
                                                                      "output": [make.tensor(make.numbers("o%d" % call, 8), [2, 4])]}
                self.dump("%s/step%d/rank0" % (name, step), entries, "L1")
            self.assertEqual(self.judged(name, "frozen"), verdict, name)

    def test_stages_of_a_pipeline_that_begin_with_one_seed_are_no_replicas(self):
        for name, joined, verdict in (("stages", True, "cannot be checked"), ("ranks", False, "broken")):
            for step in range(2):
                for rank in range(2):
                    weight = make.numbers("w%s" % (rank if step else ""), 36)
                    ends = [make.tensor(make.numbers("%d,%d" % (step, number if joined or number == rank else 7 + number), 30), [5, 6], grad=True) for number in (rank, rank + 1)]
                    self.dump("%s/step%d/rank%d" % (name, step, rank), {"Module.fc.Linear.forward.0": {
                        "input_args": ends[:1], "input_kwargs": {}, "output": ends[1:], "parameters": {"weight": make.tensor(weight, [6, 6], grad=True)}}}, "L0")
            self.assertEqual(self.judged(name, "replicas"), verdict, name)
            self.stripped(name, name + " digests", True)
            self.assertEqual(self.judged(name + " digests", "replicas"), verdict, name)

    def test_running_statistics_among_the_inputs_of_calls_are_no_weights_where_no_gradient_is_recorded(self):
        value = make.tensor(make.numbers("v", 30), [5, 6])
        for rank in range(2):
            places = [make.tensor(make.numbers(key, 6), [6]) for key in ("m%d" % rank, "s%d" % rank, "w", "b")]
            entries = {"Functional.batch_norm.0.forward": {"input_args": [value] + places, "input_kwargs": {}, "output": [value]},
                       "Functional.linear.0.forward": {"input_args": [value, make.tensor(make.numbers("l", 36), [6, 6])], "input_kwargs": {}, "output": [value]},
                       "Functional.linear.0.backward": {"input": [value], "output": [value]}}
            for it in [value] + places + entries["Functional.linear.0.forward"]["input_args"]:
                it.pop("requires_grad", None)
            self.dump("run/step0/rank%d" % rank, entries, "L1")
        self.assertEqual(self.judged("run", "replicas", "--layout", "dp=2"), "holds")

    def test_one_micro_batch_that_two_replicas_share_is_named(self):
        for name, seeds, verdict in (("each", ["a", "b", "c"], "holds"), ("shared", ["a", "=", "c"], "broken")):
            for rank in range(2):
                entries = {}
                for number, seed in enumerate(seeds):
                    value = make.tensor(make.numbers(seed + str(rank if seed != "=" else ""), 30), [5, 6])
                    out = make.tensor(make.numbers("o%d,%d" % (rank, number), 30), [5, 6], grad=True)
                    entries["Module.fc.Linear.forward.%d" % number] = {"input_args": [value], "input_kwargs": {}, "output": [out],
                                                                       "parameters": {"weight": make.tensor(make.numbers("w", 36), [6, 6], grad=True)}}
                self.dump("%s/rank%d" % (name, rank), entries, "L0")
            self.assertEqual(self.judged(name, "dp-inputs"), verdict, name)

    def test_a_policy_is_trained_on_one_batch_several_times(self):
        for name, ratio, verdict in (("policy", True, "cannot be checked"), ("usual", False, "broken")):
            for step in range(2):
                before = make.tensor(make.numbers("old", 30), [5, 6])
                now, out = (make.tensor(make.numbers("%s%d" % (what, step), 30), [5, 6], grad=True) for what in "no")
                entries = {"Functional.linear.0.forward": {"input_args": [make.tensor(make.numbers("x", 15), [5, 3]), make.tensor(make.numbers("w%d" % step, 18), [6, 3], grad=True)],
                                                           "input_kwargs": {}, "output": [now]},
                           "Tensor.sub.0.forward": {"input_args": [now, before], "input_kwargs": {}, "output": [out]},
                           "Torch.%s.0.forward" % ("exp" if ratio else "relu"): {"input_args": [out], "input_kwargs": {}, "output": [out]},
                           "Functional.linear.0.backward": {"input": [now], "output": []}}
                self.dump("%s/step%d/rank0" % (name, step), entries, "L1")
            self.assertEqual(self.judged(name, "step-inputs"), verdict, name)

    def passes(self, folder, inputs, level="L0"):
        """Three modules, forward and backward, and forward again within the backward; `inputs`: by call, forward after forward."""
        entries = {}
        for number, layer in enumerate(("a", "b", "c", "c", "b", "a")):
            value = make.tensor(make.numbers(inputs[number], 30), [5, 6], grad=True)
            name, again = "Module.%s.Linear." % layer, number > 2
            if number == 3:
                entries["Module.loss.Linear.backward.0"] = {"input": [value], "output": [value]}
            entries[name + "forward.%d" % again] = {"input_args": [value], "input_kwargs": {}, "output": [make.tensor(make.numbers("o" + inputs[number], 30), [5, 6], grad=True)]}
            if again:
                entries[name + "backward.0"] = {"input": [value], "output": [value]}
        self.dump(folder, entries, level)

    def test_a_call_that_runs_again_within_the_backward_is_known_without_a_flag(self):
        for name, inputs, verdict in (("same", "abccba", "holds"), ("other", "abccxa", "broken"), ("next", "abcfed", "cannot be checked"),
                                      ("drawn", "abccba", "broken")):
            self.passes(name, inputs)
            if name == "drawn":  # two of four calls: a dropout and the part that it is in
                path = self.path(name, "dump.json")
                with open(path, encoding="utf-8") as file:
                    entries = json.loads(re.sub(r"Module\.b\.Linear", "Module.b.Dropout", file.read()))["data"]
                for part in ("Module.b.Dropout", "Module.part.Sequential"):
                    for way in ("forward.0", "forward.1", "backward.0"):
                        it = entries[part + "." + way] = dict(entries.get("Module.b.Dropout." + way, {}))
                        if way == "forward.1":
                            it["output"] = [make.tensor(make.numbers("drawn", 30), [5, 6], grad=True)]
                order = sorted(entries, key=lambda it: ("backward" in it or "forward.1" in it, "loss" not in it, "backward" in it))
                self.dump(name, {key: entries[key] for key in order}, "L0")
            law = self.of(self.check(name)[1], "recompute")
            self.assertEqual(law["verdict"], verdict, name)
            if name == "other":
                self.assertEqual(law["evidence"][0]["what"], "Module.b.Linear.forward.1")

    def test_one_micro_batch_of_another_weight_is_named_and_weights_by_tokens_are_not(self):
        for name, weights, within, verdict in (("even", (.25,) * 4, False, "holds"), ("last", (.25, .25, .25, 1.), False, "broken"),
                                               ("tokens", (.2, .3, .1, .4), False, "cannot be checked"), ("scaled", (256., 256., 256., 1024.), False, "broken"),
                                               ("of their own", (1., 1., .5), False, "cannot be checked"), ("two", (.5, 1.), False, "cannot be checked"),
                                               ("losses", (1., 1., 1., .4), True, "cannot be checked")):
            calls = [("forward", i) for i in range(len(weights))] + [("backward", i) for i in range(len(weights))]
            entries, loss = {}, make.tensor([1.5], [], grad=True)
            scores = make.tensor(make.numbers("s", 12), [2, 6], grad=True)
            for way, call in calls if within else sorted(calls, key=lambda it: (it[1], it[0] == "backward")):
                entries["Functional.cross_entropy.%d.%s" % (call, way)] = (
                    {"input_args": [scores], "input_kwargs": {}, "output": [loss]} if way == "forward" else
                    {"input": [make.tensor([weights[call]], [])], "output": [scores]})
            self.dump(name, entries, "L1")
            self.assertEqual(self.judged(name, "micro-batches"), verdict, name)

    def test_a_layer_whose_gradient_is_not_scaled_is_named_and_another_part_of_the_model_is_not(self):
        names = ["layers.%d.fc" % i for i in range(4)] + ["head"]
        for left, verdict, others in (("", "holds", 1), ("layers.2.fc", "broken", 1), ("head", "holds", 1), ("layers.2.fc", "broken", .5)):
            entries = {}
            for name in names:
                entries.update(self.linear(name, make.numbers(name, 36), gradient=make.numbers("g" + name, 36)))
            runs = [(name, .25) for name in names if name != left] + [(left, others)] * (bool(left) and others != 1)
            for call, (name, factor) in enumerate(runs):
                values = make.numbers("g" + name, 36)
                entries["Tensor.mul_.%d.forward" % call] = {"input_args": [make.tensor(values, [6, 6]), {"type": "float", "value": factor}], "input_kwargs": {},
                                                            "output": [make.tensor([v * factor for v in values], [6, 6])]}
            folder = "scaled%s%s" % (left, others)
            self.dump(folder, entries)
            law = self.of(self.check(folder)[1], "clipping")
            self.assertEqual(law["verdict"], verdict, folder)
            self.assertLessEqual({it["what"] for it in law["evidence"]}, {"layers.2.fc.weight", "Tensor.mul_.4.forward"})

    def test_an_average_that_decays_is_no_average(self):
        for name, moved, verdict in (("average", lambda old, now: .9 * old + .1 * now, "holds"), ("decays", lambda old, now: .99 * old, "broken"),
                                     ("rounding", lambda old, now: old * (1 + 2e-7), "holds")):
            for step in range(3):
                entries = {}
                for layer in range(4):
                    start = make.numbers("w%d" % layer, 36)
                    went = [[v + .01 * at * w for v, w in zip(start, make.numbers("d%d" % layer, 36))] for at in range(3)]
                    mean = start
                    for at in range(step):
                        mean = [moved(a, b) for a, b in zip(mean, went[at + 1])]
                    entries.update(self.linear("net.%d" % layer, went[step]))
                    entries.update(self.linear("mean.%d" % layer, mean, trained=False))
                self.dump("%s/step%d/rank0" % (name, step), entries)
            self.assertEqual(self.judged(name, "averages"), verdict, name)

    def test_a_weight_that_its_average_has_reached_may_stay(self):
        """Its gradient is rounding, as that of a bias before a norm. One that stays far from what it follows belongs to no average."""
        for name, still, far, verdict in (("near", .9, 0, "broken"), ("none", .9, 1, "cannot be checked"), ("average", .99, 0, "holds")):
            for step in range(3):
                entries = self.linear("mean.4", make.numbers("s", 36), trained=False)
                entries.update(self.linear("net.4", [v + far for v in make.numbers("s", 36)]))
                for layer in range(5, 9):
                    start, way = make.numbers("w%d" % layer, 36), make.numbers("d%d" % layer, 36)
                    now = [v + .01 * step * w for v, w in zip(start, way)]
                    mean = [v + .005 * step * w for v, w in zip(start, way)]
                    entries.update(self.linear("net.%d" % layer, now))
                    entries.update(self.linear("mean.%d" % layer, [v * still ** step for v in start] if layer == 6 and still == .9 else mean, trained=False))
                self.dump("%s/step%d/rank0" % (name, step), entries)
            self.assertEqual(self.judged(name, "averages"), verdict, name)

    def test_copies_of_one_batch_are_named_though_a_recorded_call_made_it(self):
        """A batch that is drawn or cut within the step is the result of a call, and nothing goes in from outside."""
        for defect in ("", "same-data"):
            make.make(self.path("run" + defect), defect, "dp=2,steps=2")
            for at, _, names in os.walk(self.path("run" + defect)):
                for name in names:
                    with open(os.path.join(at, name), encoding="utf-8") as file:
                        dump = json.load(file)
                    ids = [node for entry in dump["data"].values() for node in entry.get("input_args", []) if node and node.get("dtype") == "torch.int64"]
                    drawn = {"Torch.randint.%d.forward" % i: {"input_args": [], "input_kwargs": {}, "output": [node]} for i, node in enumerate(ids)}
                    self.write(os.path.join(at, name), json.dumps(dict(dump, data={**drawn, **dump["data"]})))
            self.assertEqual("dp-inputs" in self.broken(self.check("run" + defect)[1]), bool(defect))

    def test_ranks_that_scatter_sequences_may_norm_other_values(self):
        make.make(self.path("run"), "no-all-reduce", "tp=2")
        self.assertEqual(self.broken(self.check("run")[1]), ["tp-norms"])
        for at, _, names in os.walk(self.path("run")):
            for name in names:
                with open(os.path.join(at, name), encoding="utf-8") as file:
                    dump = json.load(file)
                part = make.tensor(make.numbers("p", 15), [5, 3])
                dump["data"] = {"Distributed.reduce_scatter_tensor.0.forward": {"input_args": [None, part], "input_kwargs": {}, "output": [part]},
                                **dump["data"]}
                self.write(os.path.join(at, name), json.dumps(dump))
        self.assertEqual(self.of(self.check("run")[1], "tp-norms")["verdict"], "cannot be checked")

    def test_experts_of_one_name_may_differ(self):
        for name, verdict in (("fc", "broken"), ("experts.0.fc", "holds")):
            for rank in range(2):
                entries = {}
                for path, seed in (("a", 0), ("b", 1), (name, "x%d" % rank)):
                    value = make.tensor(make.numbers("v", 30), [5, 6], grad=True)
                    entries["Module.%s.Linear.forward.0" % path] = {"input_args": [value], "input_kwargs": {}, "output": [value],
                                                                    "parameters": {"weight": make.tensor(make.numbers(seed, 36), [6, 6], grad=True)}}
                self.dump("%s/step0/rank%d" % (name, rank), entries, "L0")
            self.assertEqual(self.of(self.check(name)[1], "replicas")["verdict"], verdict)

    def test_one_step_without_change_may_be_a_warm_up(self):
        make.make(self.path("run"), "optimizer-elsewhere", "steps=2")
        law = self.of(self.check("run")[1], "updates")
        self.assertEqual(law["verdict"], "cannot be checked")
        self.assertIn("a warm-up from 0", law["why"])

    def test_a_bias_that_two_layers_share_gets_the_sum_of_both(self):
        """A writer that numbers no backward calls gives both under one name."""
        first, second = make.numbers("g", 12), make.numbers("h", 12)
        bias = [sum(first[i::6] + second[i::6]) for i in range(6)]
        for folder, calls, verdict in (("shared", (first, second), None), ("one", (first,), "a gradient is not what arrived")):
            lines = [{"schema": "vernier.dump/1", "framework": "pytorch", "level": "L0"}]
            for io, direction, values, shape in [("output", "forward", first, [2, 6]), *(("input", "backward", values, [2, 6]) for values in calls),
                                                 ("grad", None, bias, [6])]:
                node = {key.lower(): value for key, value in make.statistics(tuple(values)).items()}
                lines.append({"op": "M.up", "module": "up", "class": "Linear", "io": io, "slot": "bias" if io == "grad" else "0", "dtype": "torch.float32",
                              "shape": shape, **({"direction": direction} if direction else {}), **node})
            self.write(os.path.join(folder, "step0", "rank0", "dump.jsonl"), "".join(json.dumps(line) + "\n" for line in lines))
            law = self.of(self.check(folder)[1], "bias-gradients")
            self.assertEqual((law["verdict"], law["checked"]), ("cannot be checked", 0), folder)
            self.assertTrue(law["why"].startswith(verdict or "needs one backward call"), law["why"])

    def test_a_small_gradient_of_bfloat16_is_held_to_what_arrived_in_every_spelling(self):
        """What float16 cannot tell of such numbers, bfloat16 can."""
        arrived = [value * 1e-9 for value in make.numbers("g", 12)]
        bias = [2 * (arrived[i] + arrived[i + 6]) for i in range(6)]
        for dtype in ("torch.bfloat16", "BFloat16"):
            lines = [{"schema": "vernier.dump/1", "framework": "pytorch", "level": "L0"}]
            for io, direction, values, shape in [("output", "forward", arrived, [2, 6]), ("input", "backward", arrived, [2, 6]), ("grad", None, bias, [6])]:
                node = {key.lower(): value for key, value in make.statistics(tuple(values)).items()}
                lines.append({"op": "M.up", "module": "up", "class": "Linear", "io": io, "slot": "bias" if io == "grad" else "0", "dtype": dtype,
                              "shape": shape, **({"direction": direction} if direction else {}), **node})
            folder = dtype.replace(".", "-")
            self.write(os.path.join(folder, "step0", "rank0", "dump.jsonl"), "".join(json.dumps(line) + "\n" for line in lines))
            law = self.of(self.check(folder)[1], "bias-gradients")
            self.assertTrue(law.get("why", "").startswith("a gradient is not what arrived"), (dtype, law))

    def test_tensors_whose_statistics_are_null_and_dumps_of_graphs_give_no_alarm(self):
        """float8 has none; a graph's dump names no stack, no hierarchy and ranks by process; a step in it may lack its backward."""
        make.make(self.path("run"), "", "tp=2,dp=2,steps=3")
        for at, _, names in os.walk(self.path("run")):
            for name in names:
                if name != "dump.json":
                    os.remove(os.path.join(at, name))
                    continue
                with open(os.path.join(at, name), encoding="utf-8") as file:
                    text = json.load(file)

                def reduce(node):
                    if isinstance(node, dict):
                        if node.get("type") == "torch.Tensor" and node.get("shape") and node["shape"][0] % 2 == 0:
                            node.update(dict.fromkeys(("Max", "Min", "Mean", "Norm")), dtype="torch.float8_e4m3fn")
                        for value in node.values():
                            reduce(value)
                    for value in node if isinstance(node, list) else []:
                        reduce(value)
                reduce(text["data"])
                self.write(os.path.join("fp8", os.path.relpath(at, self.path("run")), name), json.dumps(text))
                text["data"] = {key: value for key, value in text["data"].items() if ".forward" in key}
                self.write(os.path.join("graph", os.path.relpath(at, self.path("run")), name), json.dumps(text))
        for name in ("fp8", "graph"):
            code, summary, said = self.check(name)
            self.assertEqual((code, self.broken(summary)), (0, []), said)

    def test_zero_gradients_of_one_step_are_no_alarm(self):
        make.make(self.path("run"), "zero-gradient", "steps=1")
        self.assertEqual(self.broken(self.check("run")[1]), [])

    def test_one_number_whose_gradient_cancels_in_every_step_is_no_alarm(self):
        for size, verdict in ((1, "cannot be checked"), (6, "broken")):
            for step in range(2):
                self.dump("run%d/step%d/rank0" % (size, step), self.linear("fc", make.numbers("w%d" % step, size), [size], gradient=[0.] * size))
            self.assertEqual(self.judged("run%d" % size, "zero-gradients"), verdict)

    def test_the_rank_on_which_a_number_is_lost_comes_before_those_that_it_reaches(self):
        bad = {**make.tensor([1., 2.], [2]), **dict.fromkeys(("Max", "Min", "Mean", "Norm"), float("nan"))}
        for rank in range(2):
            good = make.tensor([1., 2.], [2])
            call = {"input_args": [bad if rank else good], "input_kwargs": {}, "output": [bad]}
            self.dump("run/step0/rank%d" % rank, {"Torch.log.0.forward": {"input_args": [good], "input_kwargs": {}, "output": [bad if rank else good]},
                                                  "Distributed.all_reduce.0.forward": call})
        evidence = self.of(self.check("run")[1], "finite")["evidence"]
        self.assertEqual([(it["rank"], it["what"]) for it in evidence][:1], [(1, "Torch.log.0.forward")], evidence)

    def test_replicas_are_found_by_checksums_of_what_they_reduce(self):
        make.make(self.path("run"), "no-broadcast", "dp=2")
        self.stripped("run", "digests", True)
        self.assertEqual(self.judged("digests", "replicas"), "broken")

    def test_running_statistics_of_norms_move_with_the_data_of_each_rank(self):
        for step in states.STEPS:
            for rank in range(2):
                tensors = {name: ("F32", shape, states.weight(name, shape, step, 0, False, "")) for name, shape in states.shapes()}
                for name in ("bn.running_mean", "bn.running_var", "norm.moving_variance"):
                    tensors[name] = ("F32", [8], states.numbers((name, step, rank), 8, 5))
                states.write_safetensors(self.path("run", "step%d" % step, "rank%d.safetensors" % rank), tensors)
        code, summary, said = self.check("run", "--rate", str(states.RATE))
        self.assertEqual((code, self.broken(summary)), (0, []), said)
        self.assertEqual([self.of(summary, name)["verdict"] for name in ("replicas", "weight-steps")], ["holds", "holds"])

    def test_checkpoints_are_told_by_their_names(self):
        states.make(self.path("run"), "weights", "", "tp")
        code, summary, said = self.check("run")
        self.assertEqual((code, summary["steps"], summary["dumps"]), (0, 3, 6), said)
        self.assertEqual([rank["shares"] for rank in summary["layout"]["ranks"]], [0, 0])
        self.assertRegex(self.of(summary, "weight-steps")["why"], "and the rate: --rate$")
        self.assertEqual(self.check("run", "--step", "100", "--rank", "1")[1]["dumps"], 1)
        self.assertEqual(self.check("run", "--step", "7")[0], 3)
        states.make(self.path("two"), "weights", "stale", "")
        parts = ["two/step%d" % step for step in states.STEPS]
        self.assertEqual(self.broken(self.check(*parts)[1]), ["updates"])
        for text in ("-1", "nan", "x"):
            self.assertEqual(self.check("run", "--rate", text)[0], 2)

    def test_checkpoints_whose_names_tell_no_step_are_taken_in_their_order(self):
        for at, step in enumerate(states.STEPS):
            tensors = {name: ("F32", shape, states.weight(name, shape, step, 0, False, "stale")) for name, shape in states.shapes()}
            states.write_safetensors(self.path("abc"[at] + ".safetensors"), tensors)
        law = self.of(self.check("a.safetensors", "b.safetensors", "c.safetensors")[1], "updates")
        self.assertEqual((law["verdict"], law["evidence"][0]["step"], law["evidence"][0]["what"]), ("broken", 2, "layers.0.up.weight"))

    def test_checkpoints_and_monitors_that_break_off_are_told(self):
        states.make(self.path("run"), "weights", "", "")
        path = self.path("run", "step300", "rank1.safetensors")
        with open(path, "rb") as file:
            data = file.read()
        with open(path, "wb") as file:
            file.write(data[:len(data) // 2])
        code, summary, said = self.check("run")
        self.assertEqual((code, self.broken(summary)), (4, []), said)
        states.make(self.path("out"), "monitor", "", "")
        for at, _, names in os.walk(self.path("out")):
            for name in names:
                if "rank1" in at:
                    self.write(os.path.join(at, name), "vpp_stage,name,step,norm\n0,a,x,1\n0,a\n")
        self.assertEqual(self.broken(self.check("out")[1]), [])

    def test_a_weight_of_checkpoints_that_alone_of_its_siblings_never_moves_is_told(self):
        names = ["layers.%d.up.weight" % i for i in range(4)]
        for at, step in enumerate((10, 20, 30)):
            states.write_safetensors(self.path("run", "checkpoint-%d" % step, "model.safetensors"), {
                name: ("F32", (8, 4), states.weight(name, (8, 4), states.STEPS[0 if name == names[2] else at], 0, False, ""))
                for name in names})
        code, summary, said = self.check("run")
        self.assertEqual(code, 4, said)
        self.assertIn("layers.2.up.weight alone of its siblings did not move", json.dumps(summary))
        self.assertEqual(self.check("run", "--expect", "frozen=layers.2.*")[0], 0)

    def test_weights_and_whole_checkpoints_that_one_step_lacks_are_told(self):
        for at, step in enumerate((10, 20, 30, 40)):
            tensors = {name: ("F32", shape, states.weight(name, shape, states.STEPS[max(at - 1, 0)], 0, False, ""))
                       for name, shape in states.shapes() if step != 30 or "layers.1." not in name}
            if step != 20:
                states.write_safetensors(self.path("run", "checkpoint-%d" % step, "model.safetensors"), tensors)
        os.makedirs(self.path("run", "checkpoint-20", "runs"))
        code, summary, said = self.check("run")
        self.assertEqual((code, summary["partial"], self.broken(summary)), (4, True, []), said)
        folder, weights = summary["problems"]
        self.assertEqual((folder["file"], folder["text"]), ("run/checkpoint-20", "is called after a step and holds no weights"))
        self.assertIn("are missing: 2, the first layers.1.input_layernorm.weight in step 30, rank 0", weights["text"])
        self.assertEqual(self.check("run", "--step", "10,40")[0], 0)
        # What lies beside the weights of its step is no checkpoint of its own.
        self.write("beside/checkpoint-10/global_step10/notes.txt", "x")
        shutil.copytree(self.path("run", "checkpoint-10"), self.path("beside", "checkpoint-10"), dirs_exist_ok=True)
        self.assertEqual(self.check("beside")[0], 0)

    def test_labels_that_are_rolled_tokens_are_no_alarm_of_statistics(self):
        """Tokens rolled by one have the statistics of the tokens."""
        tokens = make.tensor([3.0, 1.0, 2.0, 5.0, 4.0], [5], "torch.int64")
        logits = make.tensor(make.numbers("l", 30), [5, 6], grad=True)
        for digest, verdict in ((None, "cannot be checked"), ("0000aaaa", "broken"), ("0000bbbb", "holds")):
            ids, labels = dict(tokens), dict(tokens)
            if digest:
                ids["md5"], labels["md5"] = "0000aaaa", digest
            self.dump("%s/step0/rank0" % digest, {
                "Module.e.Embedding.forward.0": {"input_args": [ids], "input_kwargs": {}, "output": [logits]},
                "Functional.cross_entropy.0.forward": {"input_args": [logits, labels], "input_kwargs": {}, "output": [logits]}})
            self.assertEqual(self.of(self.check(str(digest))[1], "labels")["verdict"], verdict)

    def test_nights_tell_which_invariant_is_new(self):
        for night, defect in (("n1", ""), ("n2", "norm-drift")):
            make.make(self.path(night), defect, "tp=2")
            summary = self.check(night, "--history", self.path("nights.db"))[1]
        self.assertEqual([one["label"] for one in summary["history"]["nights"]], ["n1", "n2"])
        code, said, _ = run("history", "nights.db", "-q", "-o", self.out, cwd=self.folder)
        self.assertEqual(code, 1)
        self.assertIn("New: tensor-copies", said)

    def test_skipped_invariants_stand_in_the_report_with_their_reason(self):
        make.make(self.path("run"), "repeated-batch", "")
        code, summary, said = self.check("run", "--skip", "step-inputs=one batch on purpose")
        law = self.of(summary, "step-inputs")
        self.assertEqual((code, law["verdict"], law["why"]), (0, "skipped", "one batch on purpose"), said)
        self.assertIn("1 skipped", summary["verdict"])
        for text, words in (("step-inputs", "NAME=WHY"), ("step-inputs= ", "NAME=WHY"), ("nothing=x", "'nothing'"), ("", "''")):
            code, _, said = self.check("run", "--skip", text)
            self.assertEqual(code, 2, said)
            self.assertIn(words, said)

    def test_the_tolerance_is_the_users(self):
        make.make(self.path("run"), "no-reduction", "dp=2")
        self.assertEqual(self.check("run")[0], 1)
        code, summary, said = self.check("run", "--tolerance", "0.9")
        self.assertEqual(self.of(summary, "replicas")["verdict"], "holds", said)
        for text in ("-1", "1", "nan"):
            self.assertEqual(self.check("run", "--tolerance", text)[0], 2)

    def stripped(self, source, folder, digest):
        """The run without what its tensors hold; with `digest` a checksum instead."""
        for at, _, names in os.walk(self.path(source)):
            for name in names:
                with open(os.path.join(at, name), encoding="utf-8") as file:
                    text = file.read()
                if name == "dump.json":
                    text = json.dumps(self.strip(json.loads(text), digest))
                self.write(os.path.join(folder, os.path.relpath(os.path.join(at, name), self.path(source))), text)

    def strip(self, node, digest):
        if isinstance(node, list):
            return [self.strip(item, digest) for item in node]
        if not isinstance(node, dict):
            return node
        if "Max" not in node:
            return {key: self.strip(value, digest) for key, value in node.items()}
        values = [node.get(key) for key in ("Max", "Min", "Mean", "Norm")]
        out = {**node, **dict.fromkeys(("Max", "Min", "Mean", "Norm"))}
        out.pop("md5", None)
        return {**out, "md5": "%08x" % zlib.crc32(repr(values).encode())} if digest else out

    def test_what_is_not_told_is_not_counted_as_held(self):
        """Of the whole table: without values only what needs none holds, with checksums alone nothing that needs statistics."""
        make.make(self.path("run"), "", EVERY)
        self.stripped("run", "nothing", False)
        self.stripped("run", "digests", True)
        layout = ("--layout", "tp=2,pp=2,dp=2,order=tp-dp-pp")
        held = [law["name"] for law in self.check("nothing", *layout)[1]["invariants"] if law["verdict"] != "cannot be checked"]
        self.assertEqual(held, ["collective-calls", "module-order", "gradients", "layer-dtypes", "dtypes"])
        _, summary, said = self.check("digests", *layout)
        self.assertEqual(self.broken(summary), [], said)
        for name in ("zero-gradients", "saturation", "constant", "softmax", "finite", "collective-sums", "updates"):
            self.assertEqual((name, self.of(summary, name)["verdict"], self.of(summary, name)["checked"]), (name, "cannot be checked", 0))
        for name in ("replicas", "recompute", "frozen", "transfers"):
            self.assertEqual((name, self.of(summary, name)["verdict"]), (name, "holds"))

    def test_a_gradient_that_one_rank_does_not_tell_is_neither_zero_nor_held(self):
        for last, verdict in ((0.0, "broken"), (None, "cannot be checked"), (1.0, "holds")):
            for step in range(2):
                for rank in range(2):
                    gradient = make.tensor([0.0] * 6, [6])
                    if rank and step:
                        gradient.update(Max=last, Min=last)
                    self.dump("%s/step%d/rank%d" % (last, step, rank), {"Module.fc.parameters_grad": {"weight": [gradient]}}, "L0")
            self.assertEqual((last, self.of(self.check(str(last))[1], "zero-gradients")["verdict"]), (last, verdict))

    def monitor(self, folder, change):
        """A clean monitor, each row of which went through `change(rank, line, cells)`."""
        states.make(self.path(folder), "monitor", "", "")
        for at, _, names in os.walk(self.path(folder)):
            rank = re.search(r"rank(\d)", at)
            for name in names:
                with open(os.path.join(at, name), encoding="utf-8") as file:
                    head, *rows = file.read().splitlines()
                cells = [change(int(rank[1]), line, row.split(",")) for line, row in enumerate(rows)]
                self.write(os.path.join(at, name), "\n".join([head] + [",".join(row) for row in cells]) + "\n")
        return self.check(folder)

    def test_nan_of_a_monitor_breaks_finite_and_is_compared_in_no_law(self):
        clean = {law["name"]: law["checked"] for law in self.states("monitor")[1]["invariants"]}
        for ranks in ((0, 1), (1,)):
            code, summary, said = self.monitor("all%d" % len(ranks), lambda rank, line, cells: cells[:3] + ["nan"] * 4 if rank in ranks else cells)
            self.assertEqual((code, self.broken(summary)), (1, ["finite"]), said)
            self.assertIn("the tensor holds NaN", said)
            for name in ("gradient-copies", "reduced-gradients"):
                self.assertEqual(self.of(summary, name)["verdict"], "cannot be checked", name)
        code, summary, said = self.monitor("cell", lambda rank, line, cells: cells[:4] + ["nan"] + cells[5:] if rank and line == 4 else cells)
        self.assertEqual((code, self.broken(summary), self.of(summary, "finite")["broken"]), (1, ["finite"], 2), said)
        self.assertLess(self.of(summary, "gradient-copies")["checked"], clean["gradient-copies"])

    def test_a_monitor_with_empty_cells_is_partial(self):
        code, summary, said = self.monitor("blank", lambda rank, line, cells: cells[:4] + [""] + cells[5:] if rank and line == 4 else cells)
        self.assertEqual((code, summary["partial"]), (4, True), said)
        self.assertRegex(json.dumps(summary), r"gradients with only some of their statistics: 2, the first layers\.")

    def test_nan_of_all_ranks_is_no_equality(self):
        make.make(self.path("run"), "", "tp=2,dp=2,steps=2")
        for at, _, names in os.walk(self.path("run")):
            if "dump.json" in names:
                path = os.path.join(at, "dump.json")
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                self.write(path, re.sub(r'"(Max|Min|Mean|Norm)": [-+.\de]+', r'"\1": NaN', text))
        code, summary, said = self.check("run", "--layout", "tp=2,dp=2")
        self.assertEqual((code, self.broken(summary)), (1, ["finite"]), said)
        held = [law["name"] for law in summary["invariants"] if law["verdict"] == "holds"]
        self.assertEqual(held, ["collective-calls", "module-order", "gradients", "layer-dtypes", "dtypes"])

    def test_statistics_that_are_told_with_few_digits_are_no_alarm(self):
        """On all ranks, and on one alone."""
        make.make(self.path("clean"), "", "tp=2,dp=2,steps=3")
        for form, ranks in [(form, "0123") for form in ("%.6g", "%.5g", "%.4g", "%.4f")] + [("%.5g", "1")]:
            folder = "run" + form[1:] + ranks
            shutil.copytree(self.path("clean"), self.path(folder))
            for at, _, names in os.walk(self.path(folder)):
                if "dump.json" in names and at[-1] in ranks:
                    path = os.path.join(at, "dump.json")
                    with open(path, encoding="utf-8") as file:
                        text = file.read()
                    self.write(path, re.sub(r'"(Max|Min|Mean|Norm)": (-?\d+\.[-+.\de]+)', lambda m: '"%s": %s' % (m[1], form % float(m[2])), text))
            code, summary, said = self.check(folder)
            self.assertEqual((code, self.broken(summary)), (0, []), (form, ranks, said))
            self.assertEqual(self.of(summary, "collective-sums")["verdict"], "holds", form)

    def test_few_digits_of_a_monitor_are_no_alarm(self):
        """Small gradients beside large ones, whose last digits are gone; one that moves less than is told."""
        for form, scale in (("%.2f", 1e-3), ("%.3f", 1e-3), ("%.4f", 1e-5), ("%.3g", 1e-5), ("%.4g", 1), ("%.6g", 1e-3)):
            def change(rank, line, cells):
                values = [float(cell) * (scale if "layernorm" in cells[1] else 1) for cell in cells[3:]]
                if cells[1] == "layers.1.up.weight":
                    values = [v * (1 + 1e-6 * int(cells[2])) for v in (0.6543, 0.0123, -0.4321, 0.5678)]
                return cells[:3] + [form % value for value in values]
            code, summary, said = self.monitor("run%s,%g" % (form[1:], scale), change)
            self.assertEqual((code, self.broken(summary)), (0, []), (form, scale, said))

    def test_monitors_of_several_runs_are_refused(self):
        for name in ("one", "two"):
            states.make(self.path("runs", name), "monitor", "", "")
        code, _, said = self.check("runs")
        self.assertEqual(code, 3, said)
        self.assertRegex(said, r"holds several runs: one, two\n.*vernier check runs/one")
        self.assertEqual(self.check("runs/one")[0], 0)

    def test_few_digits_of_weights_are_no_step_too_far(self):
        for form, verdict in (("%.17g", "holds"), ("%.4f", "holds"), ("%.4f far", "broken")):
            for step in range(2):
                entries = {}
                for k in range(40):
                    at = 0.01004 * k + (2e-5 if "far" not in form else 0.02) * step
                    weight = make.tensor([at, -at, at / 3, at / 7], [2, 2])
                    weight.update((key, float(form.split()[0] % weight[key])) for key in ("Max", "Min", "Mean", "Norm"))
                    entries["Module.fc%d.Linear.forward.0" % k] = {"input_args": [], "input_kwargs": {}, "parameters": {"weight": weight}, "output": []}
                self.dump("%s/step%d/rank0" % (form, step), entries)
            law = self.of(self.check(form, "--rate", "1e-5")[1], "weight-steps")
            self.assertEqual((form, law["verdict"]), (form, verdict), law)

    def test_a_rank_that_holds_nothing_is_told(self):
        make.make(self.path("run"), "", "tp=2,dp=2,steps=2")
        self.dump("run/step1/rank2", {})
        code, summary, said = self.check("run")
        self.assertEqual((code, summary["partial"]), (4, True), said)
        self.assertIn("hold nothing: 1, the first that of step 1, rank 2", json.dumps(summary))

    def test_a_rank_that_one_step_lacks_is_told(self):
        make.make(self.path("run"), "", "tp=2,dp=2,steps=3")
        os.remove(self.path("run", "step1", "rank2", "dump.json"))
        for arguments in ([], ["--layout", "tp=2,dp=2"]):
            code, summary, said = self.check("run", *arguments)
            self.assertEqual((code, summary["partial"], summary["status"]), (4, True, "pass"), said)
            self.assertIn("missing: 1, the first that of step 1, rank 2", json.dumps(summary))
        self.assertEqual(self.check("run", "--rank", "0,1,3")[0], 0)

    def test_a_layout_that_the_groups_contradict_is_told(self):
        make.make(self.path("run"), "", "tp=2,dp=2")
        code, summary, said = self.check("run", "--layout", "pp=4")
        self.assertEqual((code, summary["partial"]), (4, True), said)
        self.assertRegex(json.dumps(summary), r"the groups \[?\[0, 1\].* of communications are over several stages")
        make.make(self.path("pipeline"), "", EVERY)
        self.assertEqual(self.check("pipeline", "--layout", "tp=2,pp=2,dp=2,order=tp-dp-pp")[0], 0)
        code, _, said = self.check("run", "--layout", "tp=2,dp=2,ep=2")
        self.assertEqual(code, 2)
        self.assertIn("--layout: expected tp, pp, dp, vpp or order, found 'ep'", said)
        self.assertNotIn("parallel merge", said)

    def test_a_dump_that_breaks_off_is_told_and_makes_no_alarm_of_what_it_lacks(self):
        make.make(self.path("run"), "", "tp=2,dp=2")
        path = self.path("run", "step1", "rank3", "dump.json")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.write(path, text[:len(text) // 2])
        code, summary, said = self.check("run")
        self.assertEqual((code, summary["partial"]), (4, True), said)
        self.assertIn("PARTIAL HOLDS", said)
        self.write(path, "")
        code, summary, said = self.check("run")
        self.assertEqual((code, self.broken(summary)), (4, []), said)

    def test_what_cannot_be_read_is_refused_in_words(self):
        self.write("empty/step0/rank0/dump.json", "")
        for arguments, code in ((["absent"], 3), (["empty"], 3), ([], 2), (["a", "b"], 2)):
            self.assertEqual(self.check(*arguments)[0], code, arguments)

    def test_page_picture_and_tables_are_there(self):
        make.make(self.path("run"), "scale-one-rank", "dp=2")
        run("check", "run", "-q", "-o", self.out, "--format", "html,md,csv,xlsx,svg,json", cwd=self.folder)
        for name, words in (("index.html", "layout, found: the same weights on ranks: 0, 1"), ("summary.md", "reduced-use"),
                            ("check.svg", "reduced-use"), ("check.csv", "reduced-use"), ("evidence.csv", "Distributed.all_reduce.0")):
            with open(os.path.join(self.out, name), encoding="utf-8-sig") as file:
                self.assertIn(words, file.read(), name)
        self.assertTrue(os.path.exists(os.path.join(self.out, "check.xlsx")))
        said = self.check("run", "--lang", "zh")[2]
        self.assertIn("被破坏", said)
        self.assertNotRegex(said, "[\u4e00-\u9fff）][.,;]|[.;]\n")

    def test_junit_and_sarif_have_a_case_and_a_finding_for_what_is_broken(self):
        make.make(self.path("run"), "scale-one-rank", "dp=2")
        run("check", "run", "-q", "-o", self.out, "--format", "junit,sarif", "--skip", "finite=<no> & \"why\"", cwd=self.folder)
        suite = ElementTree.parse(os.path.join(self.out, "junit.xml")).getroot().find("testsuite")
        cases = {case.get("name"): case for case in suite.findall("testcase")}
        self.assertEqual(cases["finite"].find("skipped").get("message"), '<no> & "why"')
        self.assertEqual((len(cases["reduced-use"]), cases["reduced-use"][0].tag, len(cases["gradients"])), (1, "failure", 0))
        self.assertEqual(int(suite.get("failures")), sum(case.find("failure") is not None for case in cases.values()))
        name = next(name for name in os.listdir(self.out) if name.endswith(".sarif"))
        with open(os.path.join(self.out, name), encoding="utf-8") as file:
            rules = [result["ruleId"] for result in json.load(file)["runs"][0]["results"]]
        self.assertEqual(rules, [name for name in cases if cases[name].find("failure") is not None])

    def test_what_was_not_checked_is_never_green_for_ci(self):
        make.make(self.path("cut"), "", "dp=2")
        path = os.path.join(self.path("cut"), "step0", "rank1", "dump.json")
        with open(path, "r+", encoding="utf-8") as file:
            file.truncate(os.path.getsize(path) * 3 // 4)
        self.dump("bare", {"Functional.add.0.forward": {"input_args": [], "output": []}})
        make.make(self.path("broken"), "scale-one-rank", "dp=2")
        os.truncate(self.path("broken/step0/rank1/dump.json"), os.path.getsize(path))
        for name, code, rule in (("cut", 4, "partial"), ("bare", 3, "nothing"), ("broken", 1, "partial")):
            got = run("check", name, "-q", "-o", self.out, "--format", "junit,codequality", cwd=self.folder)
            self.assertEqual(got[0], code, got)
            suites = ElementTree.parse(os.path.join(self.out, "junit.xml")).getroot()
            own = [case for case in suites.iter("testcase") if case.get("name") == "check"]
            self.assertEqual((len(own), len(list(suites.iter("error")))), (int(code != 1), int(code != 1)), name)
            self.assertEqual(int(suites[0].get("errors")), len(own))
            self.assertEqual(int(suites[0].get("tests")), len(list(suites.iter("testcase"))))
            with open(os.path.join(self.out, "gl-code-quality-report.json"), encoding="utf-8") as file:
                found = [issue["check_name"] for issue in json.load(file)]
            self.assertEqual((found[-1], len(found) > 1), ("vernier-" + rule, code == 1), name)

    def test_the_scoreboard_is_that_of_the_program(self):
        with open(os.path.join(SOURCE, "docs", "defects.md"), encoding="utf-8") as file:
            self.assertEqual(file.read(), scoreboard.document(*scored()[0]),
                             "tests/defects/scoreboard.py VERNIER --write SOURCE makes docs/defects.md anew")

    @needs_samples("checks.json")
    def test_the_scoreboard_of_dumps_of_msprobe_is_that_of_the_program(self):
        self.assertEqual(scoreboard.kept_msprobe(), scoreboard.of_msprobe(VERNIER, SHARED))

    @needs_samples("dumps")
    def test_no_golden_and_no_clean_run_of_the_sample_set_gives_an_alarm(self):
        """146 runs. The weights of groups-mix get NaN as gradients indeed."""
        clean = 0
        for case in ("dumps", "dumps2", "noise"):
            for at, folders, _ in os.walk(os.path.join(SHARED, "data", case)):
                name = os.path.basename(at)
                if not re.match(r"bench$|noise\d$|target_(same|clean\d?)$", name) or not any(f.startswith("step") for f in folders):
                    continue
                _, summary, said = self.check(at)
                expected = ["finite"] if "groups-mix" in at else []
                self.assertEqual(self.broken(summary), expected, (at, said))
                clean += 1
        self.assertGreaterEqual(clean, 146)

    def shown(self):
        """Of each invariant the levels that show it, and what they need, as the program lists them."""
        rows = re.findall(r"^\| `([a-z-]+)` .* \| (?:([\w, ]+): )?([\w ]+) \|$", run("help", "checks")[1], re.M)
        return {name: (levels.split(", "), needs) for name, levels, needs in rows}

    @needs_samples("checks.json")
    def test_what_recorded_dumps_show_is_what_the_table_of_levels_says(self):
        table, seen = self.shown(), {}
        with open(os.path.join(SHARED, "data", "checks.json"), encoding="utf-8") as file:
            entries = [entry for entry in json.load(file) if entry["dump"].endswith("/bench")]
        for entry in entries:
            summary = self.check(os.path.join(SHARED, "data", entry["dump"]))[1]
            has = {"one dump"} | ({"two steps", "two steps or ranks"} if summary["steps"] > 1 else set())
            has |= {"two ranks", "two steps or ranks"} if len(summary["layout"]["ranks"]) > 1 else set()
            for law in summary["invariants"]:
                levels, needs = table[law["name"]]
                if law["checked"]:
                    self.assertTrue(entry["level"] in levels and needs in has, (entry["dump"], law["name"]))
                    seen.setdefault(law["name"], set()).add(entry["level"])
                self.assertLessEqual(law["checked"] > 0, law["possible"], law)
        core = {"replicas": {"L1", "mix"}, "updates": {"L0", "L1", "mix"}, "gradients": {"L0", "L1", "mix"}, "reduced-all": {"L1", "mix"},
                "dp-inputs": {"L1", "mix"}, "step-inputs": {"L0", "L1", "mix"}, "collective-sums": {"L1", "mix"}, "gradient-sums": {"L1", "mix"},
                "elementwise": {"L0", "L1", "mix"}, "slope": {"L0", "L1", "mix"}, "rounded": {"L1", "mix"}, "finite": {"L0", "L1", "mix"}}
        for name, levels in core.items():
            self.assertLessEqual(levels, seen[name], name)

    def test_what_breaks_later_on_the_same_ranks_follows_the_first(self):
        make.make(self.path("both"), "scale-one-rank", "dp=2,steps=3")
        broken = {law["name"]: law.get("follows") for law in self.check("both")[1]["invariants"] if law["verdict"] == "broken"}
        self.assertEqual((broken["reduced-use"], broken["replicas"]), (None, "reduced-use"))


if __name__ == "__main__":
    main()
