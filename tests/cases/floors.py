#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is noise and where it starts: noise runs that tell nothing, weights after the first step, buffers that a call
overwrites, the order of ranks. The dumps are small and made here."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest

VERNIER = os.environ["VERNIER"]


def tensor(norm, shape=(4, 4), dtype="torch.float32", **more):
    return dict({"type": "torch.Tensor", "dtype": dtype, "shape": list(shape), "requires_grad": False,
                 "Max": norm / 2, "Min": -norm / 3, "Mean": norm / 50, "Norm": norm}, **more)


def scalar(value):
    return {"type": type(value).__name__, "value": value}


def call(inputs, outputs, **kwargs):
    return {"input_args": inputs, "input_kwargs": kwargs, "output": outputs}


def chain(factor=1.0, ops=6, shape=(4, 4), first=1.0):
    """Ops that feel each other: the output of each is the input of the next. `factor`: what each output is off by."""
    value, data = tensor(first, shape), {}
    for i in range(ops):
        given = tensor(first * (i + 2) * factor, shape)
        data["Functional.gelu.%d.forward" % i] = call([value], [given])
        value = given
    return data


class Floors(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()

    def tearDown(self):
        shutil.rmtree(self.folder)

    def dump(self, name, data, step=0, rank=0):
        place = os.path.join(self.folder, name, "step%d" % step, "rank%d" % rank)
        os.makedirs(place)
        with open(os.path.join(place, "dump.json"), "w", encoding="utf-8") as file:
            json.dump({"task": "statistics", "level": "L1", "framework": "pytorch", "dump_data_dir": None,
                       "data": data}, file)
        with open(os.path.join(place, "construct.json"), "w", encoding="utf-8") as file:
            json.dump({key: None for key in data}, file)

    def compare(self, target="target", noise=(), options=()):
        out = os.path.join(self.folder, "out")
        shutil.rmtree(out, ignore_errors=True)
        path = lambda name: os.path.join(self.folder, name)
        words = [VERNIER, "compare", path("golden"), path(target), *options, "-o", out, "--format", "json"]
        for run in noise:
            words += ["--noise", path(run)]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
            return done.returncode, json.load(file), done.stdout

    # ---- noise runs

    def test_golden_that_repeats_itself_says_nothing_of_another_platform(self):
        for name, factor in (("golden", 1), ("again", 1), ("target", 1 + 6e-7)):
            self.dump(name, chain(factor))
        code, summary, said = self.compare(noise=["again"])
        self.assertEqual(code, 0, summary["verdict"])
        self.assertIn("noise not measured", summary["verdict"])
        self.assertIn("equal bit for bit", said)

    def test_a_copy_of_the_target_is_no_noise_run(self):
        for name, factor in (("golden", 1), ("copy", 1.01), ("target", 1.01)):
            self.dump(name, chain(factor))
        code, summary, said = self.compare(noise=["copy"])
        self.assertEqual(code, 1, summary["verdict"])
        self.assertIn("a copy of it", said)

    def test_a_noise_run_of_another_model_is_left_out(self):
        self.dump("golden", chain())
        self.dump("target", chain(1.01))
        self.dump("other", chain(1.1, shape=(8, 3)))
        code, summary, said = self.compare(noise=["other"])
        self.assertEqual(code, 1, summary["verdict"])
        self.assertIn("of another model", said)
        self.assertIn("noise not measured", summary["verdict"])

    # ---- what noise decides

    def routed(self, rows, off=1.0, before=1.0, weight=3.0):
        """A router gives `rows` of 12 tokens to an expert; the count, the expert's rows and what follows tell it."""
        noise, feels = 1 + rows * 1e-7, rows / 8 * off
        data = {"Functional.gelu.%d.forward" % i: call([tensor(1.0 + i)], [tensor((2.0 + i) * noise * before)])
                for i in range(6)}
        data["Torch.bincount.0.forward"] = call([], [tensor(1.0, (3,), "torch.int64", Max=20, Min=rows, Mean=None,
                                                            Norm=None)])
        data["Functional.silu.0.forward"] = call([tensor(4.0 * feels, (rows, 4))], [tensor(5.0 * feels, (rows, 4))])
        data["Functional.linear.0.forward"] = call([tensor(2.0 * feels), tensor(weight)], [tensor(7.0 * feels)])
        data["Functional.linear.1.forward"] = call([tensor(7.0 * feels), tensor(2.5)], [tensor(6.0 * feels)])
        return data

    def test_what_a_router_decides_by_noise_is_noise_and_hides_no_defect_before_it_nor_a_weight_behind(self):
        for name, rows in (("golden", 8), ("noise1", 9), ("noise2", 7), ("noise3", 10)):
            self.dump(name, self.routed(rows))
        for name, data, at in (("clean", self.routed(6), None),
                               ("before", self.routed(6, before=1 + 1e-4), "Functional.gelu.0.forward"),
                               ("weight", self.routed(6, weight=3.001), "Functional.linear.0.forward"),
                               ("behind", self.routed(6, off=500), "Functional.silu.0.forward")):
            self.dump(name, data)
            code, summary, _ = self.compare(name, ["noise1", "noise2", "noise3"])
            self.assertEqual(code, 1 if at else 0, summary["verdict"])
            if at:
                self.assertIn("at " + at, summary["verdict"])

    def varying(self, values, extra=1):
        """Noise in every output, then calls whose last argument (None: none) is `values`."""
        data = chain(1 + extra * 1e-7)
        for i, value in enumerate(values):
            data["Tensor.view.%d.forward" % i] = call([tensor(2.0), scalar(value)], [tensor(3.0 + i)])
        return data

    def test_an_argument_that_varies_has_the_reach_of_its_numbers_or_the_texts_that_the_runs_have(self):
        for golden, runs, targets in (
                ([1], ([-1], [0], [1]), {(2,): 0, (900,): 1, (-900,): 1}),
                (["(1, -1)"], (["(1, 1)"], ["(1, -1)"], ["(1, 1)"]), {("(1, 1)",): 0, ("(77, 99)",): 1}),
                ([1] * 4, ([-1, 1, 1, 1], [1, -1, 1, 1], [1, 1, 1, 1]), {(1, 1, 1, 1): 0, (1, 1, 1, -1): 0, (1, 1, 1, 500): 1}),
                (["a1"], (["b1"], ["c2"], ["a1"]), {("b1",): 0, ("zzz",): 1, ("a2",): 1}),
                (["a1", "a1"], (["b1", "a1"], ["c2", "a1"], ["a1", "a1"]), {("c2", "a1"): 0, ("a1", "b1"): 1}),
                (["run-a"], (["run-b"], ["run-c"], ["run-d"]), {("run-e",): 0})):
            for i, values in enumerate([golden, *runs]):
                self.dump("noise%d" % i if i else "golden", self.varying(values, i * 2 + 1))
            for values, want in targets.items():
                self.dump("target", self.varying(values, 2))
                code, summary, _ = self.compare(noise=["noise1", "noise2", "noise3"])
                self.assertEqual(code, want, (golden, values, summary["verdict"]))
                shutil.rmtree(os.path.join(self.folder, "target"))
            for i in range(4):
                shutil.rmtree(os.path.join(self.folder, "noise%d" % i if i else "golden"))

    def rounded(self, run=0, loss=1.0, table=1.0, gradient=1.0):
        """A float32 loss and gradient behind results of bfloat16, and a table that nothing of them is in."""
        grad = {"requires_grad": True}
        half = dict(grad, dtype="torch.bfloat16")
        logits = tensor(15.0, (8, 10), Max=3.0, Min=-3.0, **grad)
        weight = tensor(0.01, (97, 48), Max=0.002 * gradient, Min=-0.0021)
        return {"Functional.silu.0.forward": call([tensor(1.5, **half)], [tensor(2.5, **dict(half, Min=-1.0 - run / 128))]),
                "Tensor.mul.0.forward": call([tensor(65.0, (24, 1))], [tensor(67.0 * table, (24, 6))]),
                "Functional.cross_entropy.0.forward": call([logits], [tensor(2.5 * loss, (), **grad)]),
                "Module.emb.Embedding.parameters_grad.0": {"weight": [weight]}}

    def test_one_number_of_16_bits_may_round_to_the_other_side_in_no_noise_run(self):
        """What is computed in float32 of it is as far off then, however equal all runs are; what is not is not."""
        for run in range(4):
            self.dump("run%d" % run, self.rounded(run))
        os.rename(os.path.join(self.folder, "run0"), os.path.join(self.folder, "golden"))
        for number, (code, change) in enumerate(((0, {"loss": 1 + 2e-4}), (0, {"gradient": 1 + 2e-3}), (1, {"loss": 1.01}),
                                                 (1, {"table": 1 + 2e-4}), (1, {"gradient": 1.2}))):
            self.dump("target%d" % number, self.rounded(2, **change))
            got, summary, _ = self.compare("target%d" % number, noise=["run1", "run2", "run3"])
            self.assertEqual((code, change), (got, change), summary["verdict"])

    def experts(self, seed, rows=8):
        """Four experts share 128 rows as `seed` tells; before and behind them the same API has `rows` throughout."""
        data = chain(1 + seed * 1e-7)
        shares = [16 + seed, 16 - seed, 40 + seed, 56 - seed]
        for i, count in enumerate([8] * 2 + shares + [rows] * 12):
            data["Functional.linear.%d.forward" % i] = call([tensor(2.0, (count, 4)), tensor(3.0)], [tensor(5.0, (count, 4))])
        return data

    def test_a_shape_that_varies_leaves_those_fixed_that_many_calls_have_in_all_runs(self):
        for name, seed in (("golden", 1), ("noise1", 3), ("noise2", 0), ("noise3", 2)):
            self.dump(name, self.experts(seed))
        for rows, want in ((8, 0), (9, 1)):
            self.dump("rows%d" % rows, self.experts(-1, rows))
            code, summary, _ = self.compare("rows%d" % rows, ["noise1", "noise2", "noise3"])
            self.assertEqual(code, want, summary["verdict"])
            if want:
                self.assertIn("at Functional.linear.6.forward", summary["verdict"])

    # ---- weights

    def weights(self, off):
        linear = lambda i: call([tensor(2.0), tensor(3.0 + i, Mean=0.5 + (off if i == 0 else 0))], [tensor(7.0 + i)])
        return {"Functional.linear.%d.forward" % i: linear(i) for i in range(6)}

    def test_weights_are_exact_at_the_first_step_only(self):
        for step, want in ((0, 1), (1, 0)):
            self.dump("golden", self.weights(0), step)
            self.dump("target", self.weights(1e-6), step)
            code, summary, _ = self.compare(options=["--step", str(step)])
            self.assertEqual(code, want, summary["verdict"])

    # ---- ranks

    def test_gradients_of_float32_carry_three_times_the_noise_once_weights_were_updated(self):
        given = lambda off: {"Functional.gelu.0.forward": call([tensor(1.0)], [tensor(2.0)]),
                             "Functional.gelu.0.backward": {"input": [tensor(2.0 * (1 + 1e-6))], "output": [tensor(3.0, Min=-1 - 1.5 * off)]}}
        for number, (step, off, want) in enumerate(((0, 8e-6, 1), (1, 8e-6, 0), (1, 2e-5, 1))):
            golden, target = "golden%d" % number, "target%d" % number
            for at in (0, 1):
                for name, far in ((golden, 0.0), (target, off if at == step else 1e-6)):
                    data = given(far)
                    if name == target:  # something before it differs too
                        data["Functional.gelu.0.forward"] = call([tensor(1.0)], [tensor(2.0 * (1 + 1e-6))])
                    self.dump(name, data, at)
            shutil.rmtree(os.path.join(self.folder, "golden"), ignore_errors=True)
            os.rename(os.path.join(self.folder, golden), os.path.join(self.folder, "golden"))
            code, summary, _ = self.compare(target)
            self.assertEqual((want, off), (code, off), summary["verdict"])

    def received(self, rank, off, buffer=1.0):
        """Rank 1 computes and sends to rank 0, which computes much later than it receives, in fewer ops."""
        extra = {"Functional.silu.%d.forward" % i: call([tensor(1.0)], [tensor(1.5)]) for i in range(3 * rank)}
        sent = tensor(5.0 * off)
        if rank == 1:
            extra["Functional.gelu.0.forward"] = call([tensor(1.0)], [sent])
            extra["Distributed.send.0.forward"] = call([sent, scalar(0)], [])
            return extra
        extra["Distributed.recv.0.forward"] = call([tensor(buffer), scalar(1)], [sent])
        extra["Functional.relu.0.forward"] = call([sent], [tensor(6.0 * off)])
        return extra

    def test_a_receiver_is_no_origin_where_the_sender_differs_before(self):
        for rank in (0, 1):
            self.dump("golden", self.received(rank, 1), rank=rank)
            self.dump("target", self.received(rank, 1.1), rank=rank)
        _, summary, _ = self.compare()
        self.assertIn("at Functional.gelu.0.forward, step 0, rank 1", summary["verdict"])

    def test_what_a_receive_overwrites_does_not_matter(self):
        for rank in (0, 1):
            self.dump("golden", self.received(rank, 1), rank=rank)
            self.dump("target", self.received(rank, 1, buffer=float("nan")), rank=rank)
        code, summary, _ = self.compare()
        self.assertEqual(code, 0, summary["verdict"])

    # ---- floats that were computed, and those that a person wrote

    def scaled(self, factor):
        return {"Tensor.mul_.%d.forward" % i: call([tensor(1.0 + i), scalar(factor)], [tensor(2.0 + i)])
                for i in range(3)}

    def test_a_float_that_was_computed_has_a_floor_and_a_written_one_has_none(self):
        for golden, target, want in ((0.8731562495231628, 0.8731563091278076, 0),
                                     (0.8731562495231628, 0.8775220307707786, 1), (0.1, 0.10000001, 1)):
            self.dump("golden", self.scaled(golden))
            self.dump("target", self.scaled(target))
            code, summary, _ = self.compare()
            self.assertEqual(code, want, summary["verdict"])
            shutil.rmtree(os.path.join(self.folder, "golden"))
            shutil.rmtree(os.path.join(self.folder, "target"))

    def test_a_tensor_without_dtype_is_of_floats_where_its_ends_are_written_so(self):
        for largest, smallest, want in ((1.0, 0.0, 0), (1, 0, 1)):
            for name, off in (("golden", 0), ("target", 1e-7)):
                ends = dict(dtype=None, Max=largest, Min=smallest)
                self.dump("%s%d" % (name, want), {"Functional.sigmoid.0.forward": call(
                    [tensor(3.0, **ends)], [tensor(50.0 * (1 + off), **ends)])})
            shutil.rmtree(os.path.join(self.folder, "golden"), ignore_errors=True)
            os.rename(os.path.join(self.folder, "golden%d" % want), os.path.join(self.folder, "golden"))
            code, summary, _ = self.compare("target%d" % want)
            self.assertEqual(code, want, summary["verdict"])

    # ---- what is equal to the bit

    def test_an_argument_that_changes_nothing_hides_no_later_defect(self):
        for name, p, factor in (("golden", 0.1, 1), ("target", 0.3, 1.2)):
            data = {"Functional.dropout.0.forward": call([tensor(1.0), scalar(p)], [tensor(1.0)])}
            data["Functional.silu.0.forward"] = call([tensor(1.0)], [tensor(3.0 * factor)])
            self.dump(name, data)
        _, summary, _ = self.compare()
        self.assertIn("at Functional.silu.0.forward", summary["verdict"])

    def test_a_difference_of_equal_numbers_is_rounded_once(self):
        for name, factor in (("golden", 1), ("target", 1.0004)):
            self.dump(name, {"Torch.sub.0.forward": call([tensor(50.0), tensor(49.9)], [tensor(0.02 * factor)])})
        code, summary, _ = self.compare()
        self.assertEqual(code, 1, summary["verdict"])

    def test_a_loss_in_float32_is_float32_in_a_run_of_bfloat16(self):
        for name, factor in (("golden", 1), ("target", 1.01)):
            loss = call([tensor(2.5)], [tensor(1.25 * factor, ())])
            self.dump(name, {"Functional.silu.0.forward": call([tensor(1.5, dtype="torch.bfloat16")],
                                                              [tensor(2.5, dtype="torch.bfloat16")]),
                             "Functional.mse_loss.0.forward": loss})
        code, summary, _ = self.compare()
        self.assertEqual(code, 1, summary["verdict"])

    def test_of_equal_inputs_the_norm_of_a_result_in_16_bits_keeps_to_a_step_of_its_type(self):
        def run(off):
            given = tensor(9.0, (16, 32), "torch.bfloat16")
            return {"Functional.layer_norm.0.forward": call([tensor(8.0, (16, 32), "torch.bfloat16")], [given]),
                    "Functional.gelu.0.forward": call([given], [tensor(6.0, (16, 32), "torch.bfloat16", Norm=6.0 * (1 + off))])}
        self.dump("golden", run(0))
        for off, wanted in ((0.006, 0), (0.012, 1)):
            self.dump("target%g" % off, run(off))
            code, summary, said = self.compare("target%g" % off)
            self.assertEqual(code, wanted, said)

    def test_a_norm_that_underflows_is_replaced_by_the_largest_element(self):
        for name, norm in (("golden", 0.0), ("target", 2.44140625e-4)):
            small = {"dtype": "torch.float16", "Max": 1.2e-4, "Min": -1.1e-4, "Mean": 0.0, "Norm": norm}
            self.dump(name, {"Functional.silu.0.backward": call([tensor(1.0, **small)], [tensor(1.0, **small)])})
        code, summary, _ = self.compare()
        self.assertEqual(code, 0, summary["verdict"])

    # ---- words

    def test_of_integers_nobody_says_that_they_agree(self):
        for name, factor in (("golden", 1), ("target", 1.2)):
            tokens = tensor(1.0, dtype="torch.int64", Max=9, Min=0, Mean=None, Norm=None)
            self.dump(name, {"Functional.embedding.0.forward": call([tokens, tensor(4.0)], [tensor(2.0 * factor)])})
        _, summary, _ = self.compare()
        self.assertNotIn("inputs agree", summary["verdict"])
        self.assertIn("too little of input.0", summary["verdict"])

    def test_an_input_that_another_op_gave_names_both(self):
        for name, order in (("golden", (0, 1)), ("target", (1, 0))):
            data = {"Functional.gelu.0.forward": call([tensor(1.0)], [tensor(2.0)]),
                    "Functional.tanh.0.forward": call([tensor(1.0)], [tensor(3.0)])}
            given = (tensor(2.0), tensor(3.0))
            data["Functional.silu.0.forward"] = call([given[order[0]]], [tensor(5.0 + order[0])])
            self.dump(name, data)
        _, summary, _ = self.compare()
        self.assertIn("it comes from Functional.tanh.0.forward, in golden from Functional.gelu.0.forward",
                      summary["verdict"])


if __name__ == "__main__":
    unittest.main()
