#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`vernier precheck` on the files of samples/precheck: what was planted stands first, with the figure that decides and the
standard it failed, in every file that tells it."""
import csv
import importlib.util
import json
import os
import zipfile

from program import Case, SAMPLES, main, run

spec = importlib.util.spec_from_file_location("make_precheck", os.path.join(SAMPLES, "precheck", "make-precheck.py"))
make = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make)

RESULT, DETAILS, RATIOS = "accuracy_checking_result_1.csv", "accuracy_checking_details_1.csv", "api_precision_compare_details_1.csv"


class Precheck(Case):
    def setUp(self):
        super().setUp()
        make.write(self.folder)

    def check(self, *files):
        code, _, said = run("precheck", *files, "-q", "-o", self.out, "--format", "json,html,md,csv,xlsx,svg", cwd=self.folder)
        if code > 1 and not os.path.exists(os.path.join(self.out, "summary.json")):
            return code, None, said
        with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as file:
            return code, json.load(file), said

    def rows(self, name, *rows):
        with open(self.path(name), "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)

    def test_what_fails_stands_first_with_the_figure_that_decides(self):
        for files in ((DETAILS,), (RESULT, DETAILS), (DETAILS, RESULT)):
            code, summary, said = self.check(*files)
            found = [(f["api"], f["direction"], f["status"], f["standard"], f["value"]) for f in summary["findings"]]
            self.assertEqual((code, found), (1, [
                ("Functional.linear.2", "forward", "error", "cosine similarity", "0.713"),
                ("Torch.matmul.4", "backward", "error", "share of elements within 1 %", "0.97"),
                ("Functional.layer_norm.1", "forward", "warning", "share of elements within 0.01 %", "0.99"),
                ("Functional.softmax.3", "forward", "warning", "share of elements within 0.1 %", "0.995")]), said)
            self.assertEqual([summary["counts"][x] for x in ("error", "warning", "pass", "skipped")], [2, 2, 80, 12])
            self.assertIn("FAILS     Functional.linear.2.forward: cosine similarity 0.713. failed 2, warned 2", said)

    def test_a_result_alone_tells_which_and_not_why(self):
        code, summary, said = self.check(RESULT)
        self.assertEqual((code, summary["findings"][0]["api"], summary["findings"][0]["standard"]), (1, "Functional.linear.2", None), said)

    def test_ratios_name_the_judgement_that_failed_and_the_algorithm(self):
        code, summary, said = self.check(RATIOS)
        self.assertEqual(code, 1, said)
        self.assertEqual([(f["api"], f["standard"], f["figure"], f["value"]) for f in summary["findings"]],
                         [("Functional.linear.2", "against the GPU", "ratio of RMSE", "7.5")])

    def test_mindspore_has_columns_of_its_own(self):
        code, summary, said = self.check("mindspore_details_1.csv")
        self.assertEqual((code, summary["findings"][0]["api"], summary["findings"][0]["value"]), (1, "Mint.add.2", "0.5"), said)

    def test_a_free_benchmark_is_sorted_by_sensitivity(self):
        code, summary, said = self.check("free_benchmark.csv")
        self.assertEqual([(f["api"], f["standard"].split(": ")[1], f["value"]) for f in summary["findings"]], [
            ("Functional.linear.2", "added noise", "12.5"), ("Functional.linear.2", "higher precision", "3.1"),
            ("Functional.softmax.3", "added noise", "1.8"), ("Torch.matmul.4", "noise of bits", "nan")], said)
        self.assertEqual((code, summary["status"]), (0, "warning"))

    def test_the_report_of_sglangs_comparator_is_rows_too(self):
        report = "comparator_report.jsonl"
        code, summary, said = self.check(report)
        self.assertEqual([(f["api"], f["status"], f["figure"], f["value"]) for f in summary["findings"]], [
            ("attn_out.layer_id=2", "error", "relative difference", "0.021"), ("attn_out.layer_id=2#1", "error", "relative difference", "0.021"),
            ("mode", "error", "values that differ", "extend / decode")], said)
        self.assertEqual((code, [summary["counts"][x] for x in ("error", "pass", "skipped")]), (1, [3, 10, 1]))
        with open(self.path(report), encoding="utf-8") as file:
            lines = file.read().split("\n")
        newer = [line.replace('"type": "comparison"', '"type": "comparison_tensor"').replace('"type": "skip"', '"type": "comparison_skip"')
                 for line in lines]
        odd = ['{"type": "comparison", "name": "s", "shape_mismatch": true, "baseline": {"shape": [2]}, "target": {"shape": [3]}, "diff": null}',
               '{"type": "comparison", "name": "r", "diff": {"passed": true, "rel_diff": 0}, "replicated_checks": [{"passed": false}]}',
               '{"type": "comparison", "name": "w", "diff": {"passed": true, "rel_diff": NaN}, "warnings": [{"kind": "general", "message": "dims"}]}',
               '{"type": "comparison"', "null", '{"type": "comparison", "name": null, "diff": 3, "warnings": 1, "location": []}']
        self.write(report, "\n".join(newer[:-1] + odd))
        code, summary, said = self.check(report)
        found = {f["api"]: (f["status"], f["figure"], f["value"]) for f in summary["findings"]}
        self.assertEqual((code, summary["partial"], found["s"]), (1, True, ("error", "shapes differ", "[2] / [3]")), said)
        self.assertEqual({found[name][0] for name in "rw"}, {"error"})
        self.assertIn("the line is no JSON object", json.dumps(summary))
        self.assertIn("names no API", json.dumps(summary))

    def report(self, *records, **summary):
        """What `precheck` says of a report of the comparator with these records, and the counts behind them."""
        lines = [*({"type": "comparison_tensor", "name": "t", "diff": {"passed": True, "rel_diff": 0}, **record} for record in records)]
        if summary:
            lines.append(dict({"type": "summary", "total": len(records), "passed": 0, "failed": 0, "skipped": 0}, **summary))
        self.write("report.jsonl", "".join(json.dumps(line) + "\n" for line in [{"type": "config", "config": {}}, *lines]))
        return self.check("report.jsonl")

    def test_the_comparators_report_is_held_against_its_summary(self):
        code, found, said = self.report({}, {"name": "u"}, passed=2)
        self.assertEqual((code, found["status"], found["partial"]), (0, "pass", False), said)
        for counts in ({"passed": 3}, {"passed": 1, "skipped": 1}, {}):
            code, found, said = self.report({}, {"name": "u"}, **counts)
            self.assertEqual((code, found["status"], found["partial"]), (4, "pass", True), said)
            self.assertIn("its summary counts", json.dumps(found))
        for counts in ({"passed": 2, "failed": 1}, {"passed": 2, "errored": 1}):
            code, found, said = self.report({}, {"name": "u"}, **counts)
            self.assertEqual((code, found["status"], found["partial"]), (1, "error", True), said)
            self.assertIn("records of it are in the file", said)
        code, found, said = self.report({}, {"diff": {"passed": False, "rel_diff": 1}}, passed=1, failed=1)
        self.assertEqual((code, found["partial"]), (1, False), said)

    def test_a_comparison_that_broke_off_or_is_unknown_never_passes(self):
        code, found, said = self.report({"diff": None}, failed=1)
        self.assertEqual((code, found["findings"][0]["figure"]), (1, None), said)
        self.assertIn("t.forward: the comparator computed no difference. failed 1.", said)
        broken = {"type": "comparison_error", "name": "q", "exception_type": "ValueError", "exception_message": "dims", "traceback_str": "T"}
        code, found, said = self.report({}, broken, passed=1, errored=1)
        self.assertEqual((code, found["partial"], [(f["api"], f["status"]) for f in found["findings"]]), (1, False, [("q", "error")]), said)
        self.assertIn("ValueError: dims", said)
        code, found, said = self.report({}, dict(broken, exception_message="", traceback_str="File x\n  y\nKeyError: 3\n"), passed=1, errored=1)
        self.assertIn("KeyError: 3", said)
        code, found, said = self.report({"errors": [{"category": "dims", "message": "dims unclear"}]}, failed=1)
        self.assertEqual((code, found["partial"]), (1, False), said)
        self.assertIn("dims unclear", said)
        code, found, said = self.report({}, {"type": "aligner_error", "name": "q"}, passed=1, errored=1)
        self.assertEqual(code, 1, said)
        for unknown in ("comparison_new", "new"):
            code, found, said = self.report({}, {"type": unknown}, passed=1)
            self.assertEqual((code, found["status"], found["partial"]), (4, "pass", True), said)
            self.assertIn("a kind that is not known", json.dumps(found))
        code, found, said = self.report({}, {"type": "log", "errors": [{"message": "no tokens"}]}, passed=1)
        self.assertEqual((code, found["partial"]), (0, False), said)
        self.assertIn("without a tensor", json.dumps(found))

    def test_values_that_are_lists_are_shown(self):
        values = {"type": "comparison_non_tensor", "baseline_value": [1, None], "target_value": {"a": True}, "values_equal": False}
        _, found, said = self.report(values, failed=1)
        self.assertEqual([f["value"] for f in found["findings"]], ["[1, None] / {'a': True}"], said)

    def test_a_message_is_cut_between_characters(self):
        heads = ["API Name", "Forward Test Success", "Backward Test Success", "Message"]
        for lead in range(3):
            self.rows("r.csv", heads, ["Torch.add.0", "error", "", "x" * lead + "名" * 80])
            code, _, said = self.check("r.csv")  # the program's words are decoded strictly
            self.assertEqual((code, "\ufffd" in said), (1, False))

    def test_all_that_pass_pass_and_none_is_no_pass(self):
        heads = ["API Name", "Forward Test Success", "Backward Test Success", "Message"]
        self.rows("r.csv", heads, ["Torch.add.0", "TRUE", "", ""], ["Torch.mul.0", "pass", "pass", ""])
        code, summary, said = self.check("r.csv")
        self.assertEqual((code, summary["status"], summary["counts"]["pass"]), (0, "pass", 3), said)
        for cells in ([], [["Torch.add.0", "SKIP", "", ""]], [["Torch.add.0", "", "", ""]]):
            self.rows("r.csv", heads, *cells)
            code, summary, said = self.check("r.csv")
            self.assertEqual((code, summary["status"]), (3, "no data"), said)
            self.assertIn("NOT CHECKED", said)

    def test_of_several_outputs_the_worst_counts(self):
        def row(output, cosine, status):
            return ["Torch.add.0.forward.output.%d" % output, "torch.float32", cosine, "1", status]
        self.rows("d.csv", ["API Name", "DEVICE Dtype", "余弦相似度", "最大绝对误差", "Status"], row(0, "1", "pass"), row(1, "0.2", "error"),
                  row(2, "1", "warning"))
        _, summary, said = self.check("d.csv")
        self.assertEqual([(f["output"], f["value"]) for f in summary["findings"]], [("output.1", "0.2")], said)

    def test_what_is_broken_costs_itself_and_other_files_are_refused(self):
        heads = "API Name,Forward Test Success,Backward Test Success,Message\n"
        for text, code in ((heads + ",pass,,\nTorch.add.0,pass,,\n", 4), (heads + "Torch.add.0,pass,,\nTorch.mul.0,er", 4)):
            self.write("r.csv", text)
            found, summary, said = self.check("r.csv")
            self.assertEqual((found, summary["partial"], summary["counts"]["pass"]), (code, True, 1), said)
        for text in ("", "step,loss\n1,2\n", "\x00\xff", "API Name\nx\n"):
            self.write("r.csv", text)
            code, _, said = run("precheck", self.path("r.csv"))
            self.assertEqual(code, 3, (text, said))
        self.assertIn("expected accuracy_checking_result_*.csv", said)
        self.assertEqual(run("precheck")[0], 2)
        self.assertEqual(run("precheck", self.path("absent.csv"))[0], 3)

    def test_a_status_that_is_no_word_of_theirs_is_told_and_makes_no_pass(self):
        heads = "API Name,Forward Test Success,Backward Test Success,Message\n"
        self.write("r.csv", heads + "a.0,BAD,pass,x\nb.0, SPACE ,,\n")
        self.write("d.csv", "API Name,DEVICE Dtype,Status\na.0.forward.output.0,torch.float32,WRONG\nb.0.forward.output.0,torch.float32,pass\n")
        for name in ("r.csv", "d.csv"):
            code, summary, said = self.check(name)
            untold = 2 if name == "r.csv" else 1
            self.assertEqual((code, summary["partial"], summary["counts"]["untold"], summary["counts"]["pass"]), (4, True, untold, 1), said)
            self.assertIn("a status is none of pass", json.dumps(summary))
            self.assertIn("without a verdict %d" % untold, said)
            self.assertIn("r.csv:2" if name == "r.csv" else "d.csv:2", run("precheck", name, "-o", self.out, cwd=self.folder)[2])
        self.write("r.csv", heads)
        self.assertNotRegex(self.check("r.csv")[2], r"CHECKED *\.")

    def test_a_forward_call_without_a_status_was_not_checked_and_is_counted(self):
        heads = "API Name,Forward Test Success,Backward Test Success,Message\n"
        for row, untold in (("b.0,,,", 1), ("b.0,,pass,", 1), ("b.0,pass,,", 0)):
            self.write("r.csv", heads + "a.0,pass,pass,\n" + row + "\n")
            code, summary, said = self.check("r.csv")
            self.assertEqual((code, summary["counts"]["untold"]), (0, untold), said)

    def test_megabytes_in_a_cell_are_cut(self):
        self.rows("r.csv", ["API Name", "Forward Test Success", "Backward Test Success", "Message"],
                  ["名" * 700000, "error", "", "x"], ["a", "error", "", "文" * 700000])
        code, summary, said = self.check("r.csv")
        self.assertEqual((code, len(summary["findings"])), (1, 2))
        self.assertLess(len(said), 5000)
        for name in os.listdir(self.out):
            self.assertLess(os.path.getsize(os.path.join(self.out, name)), 1000000, name)

    def test_files_of_one_kind_and_files_that_disagree_are_told(self):
        heads = ["API Name", "DEVICE Dtype", "Status"]
        self.rows("device.csv", heads, ["a.0.forward.output.0", "torch.float32", "pass"], ["a.0.forward.output.1", "torch.float32", "warning"])
        self.rows("gpu.csv", heads, ["a.0.forward.output.0", "torch.float32", "error"])
        code, summary, said = self.check("device.csv", "gpu.csv")
        problems = json.dumps(summary)
        self.assertEqual((code, summary["partial"]), (1, False), said)
        self.assertIn("read as one check with device.csv", problems)
        self.assertIn("counts: 1, first a.0 (forward)", problems)
        problems = json.dumps(self.check(RESULT, DETAILS)[1])
        self.assertNotIn("read as one check", problems)
        self.assertNotIn("another status", problems)

    def test_it_stands_beside_a_comparison_in_every_form(self):
        """The op where the runs part, another that is equal, one that inherits: each with what it did alone."""
        gpt = [os.path.join(SAMPLES, "gpt", side) for side in ("golden", "target")]
        at = "Functional.linear.8.forward"
        self.rows("r.csv", ["API Name", "DEVICE Dtype", "余弦相似度", "Status", "Message"], [at + ".output.0", "torch.float16", "0.5", "error", ""],
                  ["Functional.linear.0.forward.output.0", "torch.float16", "1.0", "pass", "fine"])
        code, _, said = run("compare", *gpt, "--precheck", DETAILS, "--precheck", "r.csv", "-o", self.out, "--format", "json,html,csv,xlsx,md",
                            cwd=self.folder)
        self.assertEqual(code, 1, said)
        self.assertIn("; alone it fails its pre-check too (cosine similarity 0.5).", said)
        with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as file:
            pair = json.load(file)["pairs"][0]
        self.assertEqual(pair["first_divergence"]["precheck_reason"], "cosine similarity 0.5")
        self.assertEqual([(op["op"], op["precheck"], op["status"], op["inherited"]) for op in pair["precheck"]["failed"]], [
            ("Functional.layer_norm.1.forward", "warning", "same", False), ("Functional.linear.2.forward", "error", "same", False),
            (at, "error", "error", False), ("Functional.softmax.3.forward", "warning", "error", True),
            ("Torch.matmul.4.backward", "error", "error", True)])
        with open(os.path.join(self.out, "rows-step0-rank0.csv"), encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
        cells = {name: {row["Pre-check"] for row in rows if row["NPU Name"].startswith(name + ".")}
                 for name in (at, "Functional.linear.0.forward", "Torch.matmul.4.backward", "Functional.linear.9.forward")}
        self.assertEqual(cells, {at: {"error: cosine similarity 0.5"}, "Functional.linear.0.forward": {"pass"},
                                 "Torch.matmul.4.backward": {"error: share of elements within 1 % 0.97"}, "Functional.linear.9.forward": {"N/A"}})
        with open(os.path.join(self.out, "index.html"), encoding="utf-8") as file:
            self.assertIn('id="precheck"', file.read())
        with zipfile.ZipFile(os.path.join(self.out, "compare.xlsx")) as book:
            texts = "".join(book.read(name).decode() for name in book.namelist())
        self.assertIn('name="Pre-check"', texts)
        self.assertIn("cosine similarity 0.5", texts)

    def test_beside_a_comparison_it_judges_nothing_and_is_told_where_it_says_nothing(self):
        gpt = [os.path.join(SAMPLES, "gpt", side) for side in ("golden", "target")]
        code, _, said = run("compare", gpt[0], gpt[0], "--precheck", DETAILS, "-o", "v.json", cwd=self.folder)
        self.assertEqual((code, "pre-check" in said), (0, False), said)
        with open(self.path("v.json"), encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["pairs"][0]["precheck"]["failed"]), 4)
        code, _, said = run("compare", *gpt, "--precheck", "mindspore_details_1.csv", "-o", "v.json", cwd=self.folder)
        self.assertIn("no op of the target is called as an API of the pre-check", said)
        self.rows("r.csv", ["API Name", "DEVICE Dtype", "Status"], ["Functional.linear.8.forward.output.0", "torch.float16", "pass"])
        self.assertIn("; alone it passes its pre-check.", run("compare", *gpt, "--precheck", "r.csv", "-o", "v.md", cwd=self.folder)[2])
        self.assertEqual(run("compare", *gpt, "--precheck", "r.csv", "--rules", "msprobe26", "-o", "v.md", cwd=self.folder)[0], 2)
        self.assertEqual(run("compare", *gpt, "--precheck", "absent.csv", "-o", "v.md", cwd=self.folder)[0], 3)

    def test_parts_of_a_run_tell_the_pre_check_as_one_process(self):
        ranks = [os.path.join(SAMPLES, "ranks", side) for side in ("golden", "target")]
        for more, out in ((["--shard", "1/2"], "parts/1"), (["--shard", "2/2"], "parts/2"), ([], "whole")):
            run("compare", *ranks, "--precheck", DETAILS, *more, "-o", out, "--format", "json,html", cwd=self.folder)
        run("merge", "parts", "-o", "joined", "--format", "json,html", cwd=self.folder)
        for name in ("summary.json", "index.html"):
            texts = []
            for folder in ("whole", "joined"):
                with open(self.path(folder, name), encoding="utf-8") as file:
                    texts.append(file.read())
            self.assertEqual(*texts)
            self.assertIn("precheck", texts[0])

    def test_names_of_any_kind_are_escaped_and_long_ones_cut(self):
        self.rows("r.csv", ["API Name", "Forward Test Success", "Backward Test Success", "Message"],
                  ["<u>\x1b[31m" + "名" * 200, "error", "", "=1+1 /home/somebody/x.py"])
        code, summary, said = self.check("r.csv")
        self.assertEqual(code, 1)
        self.assertNotIn("\x1b", said)
        with open(os.path.join(self.out, "index.html"), encoding="utf-8") as file:
            self.assertNotIn("<u>", file.read())
        code, _, said = run("precheck", "r.csv", "--redact", "-o", "-", "--format", "md", cwd=self.folder)
        self.assertNotIn("somebody", _ + said)


if __name__ == "__main__":
    main()
