#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`vernier tokens` on the batches of samples/tokens: each planted cause is named, equal arrays are certified with their
count, masked and padded tokens never count, and what is hostile is told."""
import importlib.util
import json
import math
import os

import schema
from program import Case, SAMPLES, VERNIER, main, run

spec = importlib.util.spec_from_file_location("make_tokens", os.path.join(SAMPLES, "tokens", "make-tokens.py"))
make = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make)

FILES = {"jsonl": ["golden.jsonl", "target.jsonl"], "one": ["both.jsonl"], "csv": ["golden.csv", "target.csv"],
         "npy": ["golden.npy", "target.npy", "--mask", "mask.npy", "--ids", "ids.npy"]}


class Tokens(Case):
    def tokens(self, *arguments):
        code, _, said = run("tokens", *arguments, "-o", self.out, "--format", "json,html,md,csv,xlsx,svg", cwd=self.folder)
        summary = None
        if os.path.exists(os.path.join(self.out, "summary.json")):
            with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as file:
                summary = json.load(file)
            os.remove(os.path.join(self.out, "summary.json"))
        return code, summary, said

    def sample(self, cause, form="jsonl", samples=12, tokens=200, seed=1):
        make.write(self.folder, make.batch(cause, samples, tokens, seed), form)
        return self.tokens(*FILES[form])

    def lines(self, name, *rows):
        return self.write(name, "".join(json.dumps(row) + "\n" for row in rows))

    def test_where_no_token_has_a_difference_no_figure_of_one_is_told(self):
        self.lines("a.jsonl", *[{"logprobs": [-1.0, -2.0], "token_ids": [1, 2]}] * 3)
        self.lines("other.jsonl", *[{"logprobs": [-1.0, -2.0], "token_ids": [7, 8]}] * 3)
        self.lines("null.jsonl", *[{"logprobs": [None, None], "token_ids": [1, 2]}] * 3)
        for name, why in (("other", "3 samples have other tokens. 0 tokens"),
                          ("null", "6 tokens are finite on one side only. 6 tokens")):
            code, summary, said = self.tokens("a.jsonl", name + ".jsonl")
            self.assertEqual((code, summary["mean_abs"], summary["mean_factor"], summary["max_token"]), (1, None, None, None), said)
            self.assertIn(why, summary["verdict"])
            self.assertNotIn("mean", summary["verdict"])
            self.assertEqual(schema.faults(summary, schema.read("tokens-1.schema.json"), known_only=True), [])

    def test_one_side_alone_and_an_empty_file_are_called_so(self):
        self.lines("a.jsonl", {"logprobs": [-1.0, -2.0]})
        code, _, said = self.tokens("a.jsonl")
        self.assertEqual((code, "of one side alone" in said), (3, True), said)
        self.write("empty.jsonl", "")
        code, _, said = self.tokens("a.jsonl", "empty.jsonl")
        self.assertEqual((code, "empty.jsonl: the file is empty" in said), (3, True), said)

    def test_each_planted_cause_is_named(self):
        words = {"temperature": ("temperature", 1), "shift": ("shift", 1), "first": ("first token", 1), "end": ("last token", 1),
                 "growth": ("growth", 1), "routing": ("routing", 0), "bfloat16": ("dtype", 0), "noise": ("none", 0)}
        for seed in (1, 2, 3):
            for cause, (name, expected) in words.items():
                code, summary, said = self.sample(cause, seed=seed)
                self.assertEqual((code, summary["cause"]["name"]), (expected, name), said)
        code, summary, _ = self.sample("temperature")
        self.assertAlmostEqual(summary["cause"]["figure"], 1.03, places=4)
        code, summary, _ = self.sample("bfloat16")
        self.assertEqual(summary["cause"]["dtype"], "bfloat16")

    def planted(self, change):
        """The cause of a golden of 8 x 40 tokens against change(value, index)."""
        rng = make.random.Random(5)
        rows = [[-rng.expovariate(1) for _ in range(40)] for _ in range(8)]
        for side, of in (("golden", lambda x, i: x), ("target", change)):
            self.lines(side + ".jsonl", *[{"id": str(k), "logprobs": [of(x, i) for i, x in enumerate(row)]} for k, row in enumerate(rows)])
        _, summary, _ = self.tokens("golden.jsonl", "target.jsonl")
        return summary["cause"]["name"], summary["verdict"]

    def test_no_temperature_is_nought_or_negative_and_a_small_one_has_its_digits(self):
        for factor in (0, -1):
            self.assertNotEqual(self.planted(lambda x, i, k=factor: k * x)[0], "temperature")
        name, verdict = self.planted(lambda x, i: 1.000002 * x)
        self.assertEqual(name, "temperature")
        self.assertIn("a constant factor 1.000002 explains it", verdict)

    def test_only_is_said_where_the_other_tokens_are_equal(self):
        name, verdict = self.planted(lambda x, i: x - 1 if i == 0 else x)
        self.assertEqual((name, "only the first token" in verdict), ("first token", True), verdict)
        name, verdict = self.planted(lambda x, i: x - 1 if i == 0 else x + 0.015 * (-1) ** i)
        self.assertEqual((name, "off 67 times as far as the others" in verdict), ("first token", True), verdict)

    def test_noise_of_any_size_has_no_cause(self):
        for size in (1e-7, 1e-4, 1e-2, 1):
            for seed in range(4):
                rows = make.batch("equal", 8, 300, seed)
                rng = make.random.Random(seed + 50)
                rows = [(g, [x + rng.gauss(0, size) for x in g], i, o, m) for g, _, i, o, m in rows]
                make.write(self.folder, rows, "jsonl")
                _, summary, said = self.tokens(*FILES["jsonl"])
                self.assertIn(summary["cause"]["name"], ("none", "dtype"), said)

    def test_every_form_gives_the_same_figures(self):
        figures = set()
        for form in FILES:
            code, summary, said = self.sample("temperature", form)
            self.assertEqual(code, 1, said)
            figures.add((summary["counts"]["tokens"], round(summary["mean_abs"], 6), round(summary["k3"], 6)))
        self.assertEqual(len(figures), 1)

    def test_equal_arrays_are_certified_with_their_count(self):
        for form in FILES:
            code, summary, said = self.sample("equal", form)
            count = summary["counts"]
            self.assertEqual((code, count["mismatch"], count["equal"]), (0, 0, count["tokens"]), said)
            self.assertIn("SAME      all 2,319 counted tokens are equal", said)

    def test_nothing_counted_is_no_certificate(self):
        row = {"logprobs": [-1.0, -2.0], "mask": [0, 0]}
        self.lines("a.jsonl", row)
        self.lines("b.jsonl", {"logprobs": [-1.0, -2.0]})
        code, summary, said = self.tokens("a.jsonl", "b.jsonl")
        self.assertEqual((code, summary["status"]), (3, "no data"), said)
        self.assertIn("NOT COMPARED", said)
        self.lines("a.jsonl", {"logprobs": [-1.0, -2.0], "sample_loss_mask": [0]})
        self.assertEqual(self.tokens("a.jsonl", "b.jsonl")[0], 3)

    def test_masked_and_padded_tokens_never_count(self):
        good = {"logprobs": [[-1.0, -2.0, -3.0, 0.0]], "token_loss_mask": [[0, 1, 1, 0]], "input_lengths": [3]}
        bad = dict(good, logprobs=[[-77.0, -2.0, -3.0, -55.0]])
        self.lines("a.jsonl", good)
        self.lines("b.jsonl", bad)
        code, summary, said = self.tokens("a.jsonl", "b.jsonl")
        self.assertEqual((code, summary["counts"]["tokens"], summary["counts"]["masked"]), (0, 2, 1), said)

    def test_the_figures_are_those_of_their_formulas(self):
        g, t = [-1.0, -2.0, -0.5], [-1.1, -1.7, -0.5]
        self.lines("a.jsonl", {"logprobs": g})
        self.lines("b.jsonl", {"logprobs": t})
        _, summary, _ = self.tokens("a.jsonl", "b.jsonl")
        d = [b - a for a, b in zip(g, t)]
        self.assertAlmostEqual(summary["mean_abs"], sum(map(abs, d)) / 3)
        self.assertAlmostEqual(summary["max_abs"], 0.3)
        self.assertEqual((summary["max_sample"], summary["max_token"]), (0, 1))
        self.assertAlmostEqual(summary["k1"], -sum(d) / 3)
        self.assertAlmostEqual(summary["k3"], sum(math.exp(x) - 1 - x for x in d) / 3)
        self.assertAlmostEqual(summary["perplexity_ratio"], math.exp(-sum(d) / 3))
        self.assertAlmostEqual(summary["mean_factor"], sum(math.exp(abs(x)) for x in d) / 3)
        self.assertEqual(summary["samples"][0]["parts_at"], 0)

    def test_other_tokens_are_told_and_nothing_behind_them_is_compared(self):
        code, summary, said = self.sample("ids")
        self.assertEqual((code, summary["counts"]["other_tokens"]), (1, 1), said)
        self.assertEqual(summary["samples"][2]["other_token_at"], 99)
        self.assertIn("sample 2, token 99", said)

    def test_a_mask_of_one_side_counts_for_both_and_is_told(self):
        self.lines("a.jsonl", {"logprobs": [-1.0, -2.0, -3.0], "mask": [0, 1, 1]})
        self.lines("b.jsonl", {"logprobs": [-9.0, -2.0, -3.0]})
        for sides, said_of in ((("a.jsonl", "b.jsonl"), "only golden"), (("b.jsonl", "a.jsonl"), "only the target")):
            code, _, said = self.tokens(*sides)
            self.assertEqual((code, said_of + " records a mask: it counts for both sides" in said), (0, True), said)

    def test_ids_that_one_side_alone_tells_are_no_other_tokens_and_told(self):
        told, untold = {"logprobs": [-1.0, -2.0], "token_ids": [7, 8]}, {"logprobs": [-1.0, -2.0]}
        other = {"logprobs": [-1.0, -2.0], "token_ids": [7, 9]}
        for rows, expected in (((told, untold), (0, 1, 0)), ((told, told), (0, 0, 0)), ((untold, untold), (0, 0, 0)), ((told, other), (1, 0, 1))):
            for first in ((), (told,)):  # with a sample of which both sides tell them
                self.lines("a.jsonl", *first, rows[0])
                self.lines("b.jsonl", *first, rows[1])
                for sides in (("a.jsonl", "b.jsonl"), ("b.jsonl", "a.jsonl")):
                    code, summary, said = self.tokens(*sides)
                    counts = summary["counts"]
                    self.assertEqual((code, counts["unchecked_tokens"], counts["other_tokens"]), expected, said)
                    self.assertEqual("on one side alone: whether its tokens are the same is not known" in said, bool(expected[1]), said)

    def test_values_that_are_not_finite_are_told(self):
        code, summary, said = self.sample("nan")
        self.assertEqual((code, summary["counts"]["one_side_not_finite"]), (1, 24), said)
        self.lines("a.jsonl", {"logprobs": [-1.0, float("-inf"), float("nan")]})
        self.lines("b.jsonl", {"logprobs": [-1.0, "-Infinity", None]})
        code, summary, said = self.tokens("a.jsonl", "b.jsonl")
        self.assertEqual((code, summary["counts"]["equal"], summary["counts"]["both_not_a_number"]), (0, 2, 1), said)
        self.assertIn("masked: 0; NaN on both sides: 1", said)
        self.lines("a.jsonl", {"logprobs": [None, -1.0, None, -2.0, None]})
        code, _, said = self.tokens("a.jsonl", "a.jsonl")  # in the middle of a sample a value was lost
        self.assertEqual((code, "1 token in the middle of a sample is NaN on both sides" in said), (4, True), said)
        self.lines("a.jsonl", {"logprobs": [None]})
        self.assertEqual(self.tokens("a.jsonl", "a.jsonl")[0], 3)
        self.lines("a.jsonl", {"logprobs": [-1.0] * 20})
        self.lines("b.jsonl", {"logprobs": [-1.0] * 11 + ["-Infinity"] + [-1.0] * 8})
        code, summary, said = self.tokens("a.jsonl", "b.jsonl")
        self.assertEqual((code, summary["samples"][0]["parts_at"]), (1, 11), said)
        self.assertIn("from sample 0, token 11 on", said)

    def test_what_does_not_fit_costs_itself(self):
        code, summary, said = self.sample("ragged")
        self.assertEqual((code, summary["partial"], summary["counts"]["mismatch"]), (4, True, 0), said)
        self.lines("a.jsonl", {"logprobs": [-1.0, -2.0]}, {"logprobs": [-1.0]}, {"logprobs": [-3.0]})
        self.lines("b.jsonl", {"logprobs": [-1.0]}, {"logprobs": [-1.0]})
        code, summary, said = self.tokens("a.jsonl", "b.jsonl")
        self.assertEqual((code, summary["counts"]["only_golden"], summary["counts"]["other_lengths"]), (4, 1, 1), said)
        self.write("b.jsonl", '{"logprobs": [-1.0, -2.0]}\n{"logprobs": [-1.0, x]}\n{"logprobs": [-3.0')
        code, summary, said = self.tokens("a.jsonl", "b.jsonl")
        self.assertEqual((code, summary["counts"]["equal"]), (4, 2), said)

    def test_what_cannot_be_read_is_refused_in_words(self):
        self.lines("a.jsonl", {"logprobs": [-1.0]})
        for name, text, words in (("b.jsonl", '{"content": "x"}\n', "no sample with log-probabilities"), ("b.csv", "a,b\n1,2\n", "logprob"),
                                  ("b.jsonl", "", "empty"), ("b.jsonl", "[" * 9000, ""), ("b.jsonl", '{"logprobs": ' + "[" * 9000, "")):
            self.write(name, text)
            code, _, said = self.tokens("a.jsonl", name)
            self.assertEqual(code, 3, said)
            if words != "empty":
                self.assertIn(words, said)
        for arguments, words in (([], "needs one file"), (["a.jsonl"] * 3, "needs one file"), (["a.jsonl", "a.jsonl", "--limit", "1"], "above 1"),
                                 (["a.jsonl", "a.jsonl", "--columns", "x"], "two names")):
            code, _, said = self.tokens(*arguments)
            self.assertEqual(code, 2, said)
            self.assertIn(words, said)
        self.assertEqual(self.tokens("a.jsonl", "absent.jsonl")[0], 3)
        make.write(self.folder, make.batch("equal", 3, 50), "npy")
        self.write("other.npy", make.npy([[1.0] * 9], "f"))
        self.assertEqual(self.tokens("golden.npy", "target.npy", "--mask", "other.npy")[0], 3)
        self.assertIn("name a second file", self.tokens("golden.npy")[2])

    def test_values_above_0_are_told_to_be_no_log_probabilities(self):
        self.lines("a.jsonl", {"golden": [25.0, 800.0, 1e308], "target": [25.0, 800.0, 1e308]})
        code, summary, said = self.tokens("a.jsonl")
        self.assertEqual((code, summary["counts"]["equal"]), (0, 3), said)
        self.assertIn("3 tokens have a value above 0: these are no log-probabilities", json.dumps(summary))
        self.lines("a.jsonl", {"golden": [1e-4, -1.0], "target": [0.0, -1.0]})
        self.assertNotIn("above 0", json.dumps(self.tokens("a.jsonl")[1]))

    def test_lengths_in_one_list_are_one_a_sample(self):
        row = {"golden": [[-1.0] * 9, [-2.0] * 9], "target": [[-1.0] * 9, [-2.0] * 6 + [-3.0] * 3]}
        for lengths, code, tokens in (([2, 6], 0, 8), ([[2], [7]], 1, 9), ([[2, 6]], 0, 8), ([2], 3, None), (2, 3, None)):
            self.lines("a.jsonl", dict(row, input_lengths=lengths))
            found, summary, said = self.tokens("a.jsonl")
            self.assertEqual((found, summary and summary["counts"]["tokens"]), (code, tokens), (lengths, said))

    def test_a_sample_that_one_column_lacks_is_told(self):
        for golden, target in (([[-1.0]], [[-1.0], [-2.0]]), ([[-1.0], [-2.0]], [[-1.0]])):
            self.lines("a.jsonl", {"golden": golden, "target": target})
            code, summary, said = self.tokens("a.jsonl")
            self.assertEqual((code, summary["partial"], summary["counts"]["tokens"]), (4, True, 1), said)
            self.assertIn("a sample of one side alone is left out", json.dumps(summary))

    def test_numbers_beside_lists_and_a_second_object_cost_their_line(self):
        good = '{"golden": [-1, -2], "target": [-1, -2]}'
        for bad in ('{"golden": [[-1, -2], -3, -4], "target": [[-1, -2], -9, -9]}', '{"golden": [-3, [-1, -2]], "target": [-9, [-1, -2]]}',
                    good + ' {"golden": [-1], "target": [-9]}'):
            self.write("a.jsonl", good + "\n" + bad + "\n")
            code, summary, said = self.tokens("a.jsonl")
            self.assertEqual((code, summary["partial"], summary["counts"]["tokens"]), (4, True, 2), said)
            self.assertIn("the line is no object with lists of numbers", json.dumps(summary))

    def test_a_mask_that_takes_nothing_out_is_held_against_the_other(self):
        self.lines("a.jsonl", {"logprobs": [-1.0, -2.0], "mask": [1, 1]})
        self.lines("b.jsonl", {"logprobs": [-1.0, -9.0], "mask": [1, 0]})
        code, summary, said = self.tokens("a.jsonl", "b.jsonl")
        self.assertEqual((code, summary["counts"]["other_masks"], summary["counts"]["masked"]), (4, 1, 1), said)
        self.assertIn("1 sample has other masks", json.dumps(summary))
        self.assertIn("the 1 counted token is equal. 1 token of 1 sample", said)

    def test_a_table_tells_the_length_and_the_mask_of_a_sample(self):
        self.write("a.csv", "sample,golden,target,length\n0,-1,-1,2\n0,-2,-2,2\n0,-3,-9,2\n1,-4,-4,1\n1,0,-7,1\n")
        code, summary, said = self.tokens("a.csv")
        self.assertEqual((code, summary["counts"]["tokens"]), (0, 3), said)
        self.write("a.csv", "sample,golden,target,sample_loss_mask\n0,-1,-1,1\n0,-2,-2,1\n1,-4,-5,0\n1,-1,-7,0\n")
        code, summary, said = self.tokens("a.csv")
        self.assertEqual((code, summary["counts"]["tokens"], summary["counts"]["masked"]), (0, 2, 2), said)

    def test_other_ids_where_both_sides_mask_are_no_difference(self):
        for golden, target, code in (([0, 1], [0, 1], 0), ([1, 1], [0, 1], 1)):
            self.lines("a.jsonl", {"logprobs": [-1.0, -2.0], "ids": [7, 8], "mask": golden})
            self.lines("b.jsonl", {"logprobs": [-1.0, -2.0], "ids": [9, 8], "mask": target})
            found, summary, said = self.tokens("a.jsonl", "b.jsonl")
            self.assertEqual((found, summary["counts"]["other_tokens"]), (code, code), said)

    def test_one_token_is_no_temperature(self):
        rng = make.random.Random(3)
        golden = [-abs(rng.gauss(0, 1)) - 1e-2 for _ in range(400)]
        noisy = [x + rng.gauss(0, 1e-4) for x in golden]
        for g, t in (([-1.0], [-1.001]), (golden + [-15.0], noisy + [-15.1]), ([-1e308] * 20, [1e308] * 20)):
            self.lines("a.jsonl", {"golden": g, "target": t})
            _, summary, said = self.tokens("a.jsonl")
            self.assertEqual(summary["cause"]["name"], "none", said)

    def test_equal_outliers_are_no_temperature(self):
        rng = make.random.Random(3)
        golden = [-abs(rng.gauss(0, 1)) - 1e-2 for _ in range(400)]
        noisy = [x + rng.gauss(0, 1e-4) for x in golden]
        for many in (2, 3, 9):
            self.lines("a.jsonl", {"golden": golden + [-100.0] * many, "target": noisy + [-100.1] * many})
            _, summary, said = self.tokens("a.jsonl")
            self.assertEqual(summary["cause"]["name"], "none", said)

    def test_a_constant_with_one_token_off_is_no_shift(self):
        for at in (0, 1, 20, 38, 39):
            target = [-2.0] * 40
            target[at] = -3.0
            self.lines("a.jsonl", {"golden": [-2.0] * 40, "target": target})
            _, summary, said = self.tokens("a.jsonl")
            self.assertEqual(summary["cause"]["name"], "none", (at, said))

    def test_one_token_is_no_rounding_step(self):
        rng = make.random.Random(4)
        golden = [-abs(rng.gauss(0, 1)) - 3 for _ in range(320)]
        rounded = [make.bfloat16(x) for x in golden]
        for target in (golden, rounded):
            target = list(target)
            target[100] = golden[100] - 2.0
            self.lines("a.jsonl", {"golden": golden, "target": target})
            code, summary, said = self.tokens("a.jsonl")
            self.assertEqual((code, summary["cause"]["name"]), (0, "none"), said)
            self.assertIn("max 2.0", said)
        self.lines("a.jsonl", {"golden": golden + rounded, "target": rounded + rounded})
        self.assertEqual(self.tokens("a.jsonl")[1]["cause"]["name"], "dtype")

    def test_options_that_no_file_has_a_use_for_are_refused(self):
        self.lines("a.jsonl", {"logprobs": [-1.0]})
        make.write(self.folder, make.batch("equal", 3, 50), "npy")
        for option in ("--mask", "--ids"):
            code, _, said = self.tokens("a.jsonl", "a.jsonl", option, "nope.npy")
            self.assertEqual(code, 2, said)
            self.assertIn("--mask and --ids are for .npy", said)
        code, _, said = self.tokens("golden.npy", "target.npy", "--columns", "x,y")
        self.assertEqual(code, 2, said)
        self.assertIn(".npy has no names", said)

    def test_other_things_under_usual_names_are_passed_over(self):
        row = {"golden": [-1.0, -2.0], "target": [-1.0, -2.0]}
        for more in ({"id": 5}, {"id": "u-1"}, {"tokens": ["a", "b"]}, {"mask": None}, {"ids": [{"a": 1}]}, {"sample": "x"}, {"length": "short"}):
            self.lines("a.jsonl", dict(more, **row))
            code, summary, said = self.tokens("a.jsonl")
            self.assertEqual((code, summary["partial"], summary["counts"]["equal"]), (0, False, 2), (more, said))
        self.lines("a.jsonl", {"target": "words", "golden": [-1.0]})
        self.assertEqual(self.tokens("a.jsonl")[0], 3)

    def test_columns_of_other_names_are_named(self):
        self.lines("a.jsonl", {"mine": [-1.0, -2.0], "theirs": [-1.0, -2.5]})
        code, summary, said = self.tokens("a.jsonl", "--columns", "mine,theirs")
        self.assertAlmostEqual(summary["max_abs"], 0.5, msg=said)
        code, summary, said = self.tokens("a.jsonl", "a.jsonl", "--columns", "theirs,theirs")
        self.assertEqual(code, 0, said)

    def test_the_limit_is_the_users(self):
        self.lines("a.jsonl", {"logprobs": [-1.0, -2.0, -1.5, -3.0]})
        self.lines("b.jsonl", {"logprobs": [-1.1, -1.9, -1.6, -2.9]})
        self.assertEqual(self.tokens("a.jsonl", "b.jsonl")[0], 1)
        self.assertEqual(self.tokens("a.jsonl", "b.jsonl", "--limit", "1.2")[0], 0)

    def test_the_picture_of_a_large_batch_is_small_and_that_of_equal_sides_has_no_empty_panel(self):
        self.sample("growth", samples=60, tokens=800)
        self.assertLess(os.path.getsize(os.path.join(self.out, "tokens.svg")), 300000)
        for cause, panels in ("growth", True), ("equal", False):
            self.sample(cause)
            with open(os.path.join(self.out, "tokens.svg"), encoding="utf-8") as file:
                self.assertEqual("By probability" in file.read(), panels)

    def test_page_picture_and_tables_are_there(self):
        self.sample("growth")
        for name, words in (("index.html", "By position"), ("summary.md", "perplexity ratio"), ("tokens.svg", "sample 3"),
                            ("tokens.csv", "Parts at token")):
            with open(os.path.join(self.out, name), encoding="utf-8-sig") as file:
                self.assertIn(words, file.read(), name)
        self.assertTrue(os.path.exists(os.path.join(self.out, "tokens.xlsx")))
        _, _, said = run("tokens", *FILES["jsonl"], "-o", self.out, "--format", "html", "--lang", "zh", cwd=self.folder)
        self.assertIn("随位置增大", said)


if __name__ == "__main__":
    main()
