#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`vernier check` on activations and products of one dump: what Max and Min alone contradict, and what only looks like it."""
import json
import math
import os

from program import Case, main, run


def tensor(high, low, dtype="float32", shape=(4, 8), norm=None):
    return dict(type="torch.Tensor", dtype="torch." + dtype, shape=list(shape), Max=high, Min=low, Mean=(high + low) / 3,
                Norm=norm or math.hypot(high, low) * 2, requires_grad=True)


def number(value):
    return dict(type=type(value).__name__, value=value)


class Activations(Case):
    def verdict(self, law, entries):
        """What the invariant of that name comes to on these entries."""
        self.write("run/dump.json", json.dumps(dict(task="statistics", level="mix", framework="pytorch", data=entries)))
        path = os.path.join(self.folder, "summary.json")
        run("check", "run", "-q", "-o", path, cwd=self.folder)
        with open(path, encoding="utf-8") as file:
            summary = json.load(file)
        os.remove(path)
        return next(each["verdict"] for each in summary["invariants"] if each["name"] == law)

    def forward(self, name, given, gives, **kwargs):
        return {name: dict(input_args=[given], input_kwargs={key: number(value) for key, value in kwargs.items()}, output=[gives])}

    CURVES = {
        "Functional.relu": lambda x: max(x, 0.0), "Torch.tanh": math.tanh, "Tensor.sigmoid": lambda x: 1 / (1 + math.exp(-x)), "Torch.exp": math.exp,
        "Functional.softplus": lambda x: math.log1p(math.exp(x)), "Functional.elu": lambda x: x if x > 0 else math.expm1(x),
        "Functional.silu": lambda x: x / (1 + math.exp(-x)), "Functional.gelu": lambda x: x / 2 * math.erfc(-x / math.sqrt(2)),
        "Module.act.Tanh": math.tanh, "Module.act.GELU": lambda x: x / 2 * math.erfc(-x / math.sqrt(2)),
    }

    def test_an_activation_is_that_function_at_its_ends_or_the_run_is_broken(self):
        for name, curve in self.CURVES.items():
            call = name + (".forward.0" if "Module" in name else ".0.forward")
            for off, dtype, verdict in ((1, "float32", "holds"), (1 + 2e-5, "float32", "broken"), (1 + 8e-4, "float16", "holds"), (1.01, "float16", "broken"),
                                        (1.005, "bfloat16", "holds"), (1.05, "bfloat16", "broken")):
                got = self.verdict("elementwise", self.forward(call, tensor(1.7, -1.3, dtype), tensor(curve(1.7) * off, curve(-1.3), dtype)))
                self.assertEqual(got, verdict, (name, off, dtype))
        low = self.verdict("elementwise", self.forward("Torch.tanh.0.forward", tensor(1.7, -1.3), tensor(math.tanh(1.7), math.tanh(-1.3) * 1.0001)))
        self.assertEqual(low, "broken", "Min of a function that rises")

    def test_settings_of_an_activation_are_part_of_the_function(self):
        x, y = tensor(1.7, -1.3), 0.5 * math.log1p(math.exp(2 * 1.7))
        for name, gives, settings, verdict in (
                ("Functional.softplus.0.forward", tensor(y, 0.5 * math.log1p(math.exp(-2.6))), dict(beta=2), "holds"),
                ("Functional.softplus.0.forward", tensor(y, 0.5 * math.log1p(math.exp(-2.6))), {}, "broken"),
                ("Functional.elu.0.forward", tensor(1.7, 2 * math.expm1(-1.3)), dict(alpha=2.0), "holds"),
                ("Functional.elu.0.forward", tensor(1.7, 2 * math.expm1(-1.3)), {}, "broken"),
                ("Module.act.ELU.forward.0", tensor(1.7, 2 * math.expm1(-1.3)), {}, "holds"),
                ("Functional.gelu.0.forward", tensor(0.85 * (1 + math.tanh(math.sqrt(2 / math.pi) * (1.7 + 0.044715 * 1.7 ** 3))), -.17), dict(approximate="tanh"), "holds")):
            self.assertEqual(self.verdict("elementwise", self.forward(name, x, gives, **settings)), verdict, (name, settings))

    def test_an_activation_that_tells_too_little_cannot_be_checked(self):
        x = tensor(1.7, -1.3)
        for why, name, given, gives in (
                ("in place", "Torch.tanh_.0.forward", tensor(.9, -.8), tensor(.9, -.8)),
                ("the input is told behind the call", "Functional.silu.0.forward", tensor(1.3, -.2), tensor(1.3, -.2)),
                ("a class without a row", "Module.act.QuickGELU.forward.0", x, tensor(1.6, -.1)),
                ("the kept part of a logarithm of zeros", "Torch.log.0.forward", tensor(0.0, 0.0), tensor(float("-inf"), float("-inf"))),
                ("no number", "Torch.tanh.0.forward", tensor(float("nan"), float("nan")), tensor(.5, -.5)),
                ("silu below 0 falls and rises", "Functional.silu.0.forward", tensor(-.5, -3.0), tensor(-.1, -.27)),
                ("sizes of complex numbers", "Torch.exp.0.forward", tensor(2.0, 1.0, "complex64"), tensor(2.0, 1.5, "complex64")),
                ("integers", "Torch.exp.0.forward", tensor(2, 1, "int64"), tensor(9.0, 3.0, "float32"))):
            self.assertEqual(self.verdict("elementwise", self.forward(name, given, gives)), "cannot be checked", why)

    def backward(self, name, came, gives, given=None, **kwargs):
        forward = self.forward(name + ".forward", given or tensor(1.7, -1.3), tensor(1.4, -.3), **kwargs)
        return dict(forward, **{name + ".backward": dict(input=[came], output=[gives])})

    def test_a_gradient_is_no_larger_than_its_slope_allows(self):
        came = tensor(.3, -.5, norm=1.0)
        for name, high, low, settings, verdict in (
                ("Functional.relu.0", .3, -.5, {}, "holds"), ("Functional.relu.0", .3, -.50002, {}, "broken"), ("Functional.relu.0", .31, 0.0, {}, "broken"),
                ("Torch.sigmoid.0", .075, -.125, {}, "holds"), ("Torch.sigmoid.0", .075, -.126, {}, "broken"),
                ("Functional.silu.0", .3 * 1.0998, -.5 * 1.0998, {}, "holds"), ("Functional.silu.0", .331, -.5, {}, "broken"),
                ("Functional.gelu.0", .3 * 1.129, -.5, {}, "holds"), ("Functional.gelu.0", .3, -.58, {}, "broken"),
                ("Functional.elu.0", .6, -1.0, dict(alpha=2.0), "holds"), ("Functional.elu.0", .6, -1.0, {}, "broken")):
            self.assertEqual(self.verdict("slope", self.backward(name, came, tensor(high, low, norm=.2), **settings)), verdict, (name, high, low))
        long = self.backward("Torch.tanh.0", came, tensor(.2, -.2, norm=1.01))
        self.assertEqual(self.verdict("slope", long), "broken", "Norm")
        self.assertEqual(self.verdict("slope", self.backward("Torch.tanh.0", tensor(.3, -.5, "float16", norm=1), tensor(.3, -.5005, "float16", norm=1.2))), "holds")

    def test_a_mean_of_distances_gives_each_element_its_share(self):
        one = tensor(1.0, 1.0, shape=())
        for name in ("Functional.l1_loss.0", "Functional.smooth_l1_loss.0"):
            for high, settings, verdict in ((1 / 32, {}, "holds"), (1.01 / 32, {}, "broken"), (1.0, dict(reduction="sum"), "holds"), (1.01, dict(reduction="sum"), "broken")):
                self.assertEqual(self.verdict("slope", self.backward(name, one, tensor(high, -1 / 32), **settings)), verdict, (name, high, settings))

    def test_a_slope_that_is_not_known_cannot_be_checked(self):
        came, long = tensor(.3, -.5), tensor(30.0, -50.0)
        for why, entries in (("exp has none", self.backward("Torch.exp.0", came, long)),
                             ("alpha is told by the forward call", {"Functional.elu.0.backward": dict(input=[came], output=[long])}),
                             ("in place", self.backward("Torch.tanh_.0", came, long)), ("no gradient", self.backward("Torch.tanh.0", came, None))):
            self.assertEqual(self.verdict("slope", entries), "cannot be checked", why)

    def test_a_float32_result_of_float32_inputs_holds_more_than_16_bits(self):
        x, w, zeros, half, fine = tensor(1.7, -1.3), tensor(.31, -.27), tensor(0.0, 0.0), tensor(1.84375, -1.9765625), tensor(1.843751, -1.97656)
        for why, inputs, gives, verdict in (
                ("bfloat16", [x, w, zeros], half, "broken"), ("float16", [x, w], tensor(1.8427734375, -1.9765625), "broken"), ("float32", [x, w], fine, "holds"),
                ("one end", [x, w], tensor(1.84375, -1.97656), "holds"), ("an input of 16 bits", [tensor(1.5, -1.25), w], half, "cannot be checked"),
                ("relu in front", [tensor(1.7, 0.0), w], half, "broken"), ("one number but for its sign", [x, w], tensor(1.5, -1.5), "cannot be checked"),
                ("zeros", [x, w], tensor(0.0, 0.0), "cannot be checked"), ("no float32 is so large", [x, w], tensor(1e59, 1e58), "holds"), ("autocast", [x, w], tensor(1.84375, -1.9765625, "bfloat16"), "cannot be checked"),
                ("NaN", [x, w], tensor(float("nan"), float("nan")), "cannot be checked"), ("inputs in 16 bits", [tensor(1.7, -1.3, "bfloat16"), w], half, "cannot be checked")):
            got = self.verdict("rounded", {"Functional.linear.0.forward": dict(input_args=inputs, input_kwargs={}, output=[gives])})
            self.assertEqual(got, verdict, why)
        for why, gives, verdict in (("ends of tanh", tensor(1.0, -1.0), "cannot be checked"), ("inside", tensor(.875, -.8125), "broken")):
            self.assertEqual(self.verdict("rounded", self.forward("Torch.tanh.0.forward", x, gives)), verdict, why)

    def test_a_gradient_is_rounded_but_for_that_of_a_bias(self):
        x, w, came = tensor(1.7, -1.3), tensor(.31, -.27), tensor(.013, -.017)
        forward = {"Functional.conv2d.0.forward": dict(input_args=[x, w, tensor(.1, -.1)], input_kwargs={}, output=[x])}
        for why, gives, verdict in (("the input", [tensor(.25, -.125), tensor(.013, -.012), None], "broken"), ("the weight", [tensor(.013, -.012), tensor(.25, -.125), None], "broken"),
                                    ("the bias", [tensor(.013, -.012), tensor(.013, -.012), tensor(2 ** -20, -2 ** -21, shape=(8,))], "holds")):
            got = self.verdict("rounded", dict(forward, **{"Functional.conv2d.0.backward": dict(input=[came], output=gives)}))
            self.assertEqual(got, verdict, why)


if __name__ == "__main__":
    main()
