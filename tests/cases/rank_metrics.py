#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`vernier merge` of row tables: a sheet a metric, a column a rank."""
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

import program
from program import Case, SAMPLES, main

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bench"))
import worst  # noqa: E402

HEADER = "NPU Name,Bench Name,NormRelativeErr,Max diff,NPU max,Bench max,Requires_grad Consistent"


def run(folder, *arguments):
    code, _, err = program.run(*arguments, cwd=folder)
    return code, err


class RankMetrics(Case):
    def write(self, name, *rows):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write("\n".join((HEADER, *rows)) + "\n")

    def sheet(self, number):
        with zipfile.ZipFile(os.path.join(self.folder, "out", "merge.xlsx")) as book:
            return book.read(f"xl/worksheets/sheet{number}.xml").decode()

    def names(self):
        with zipfile.ZipFile(os.path.join(self.folder, "out", "merge.xlsx")) as book:
            return re.findall(r'<sheet name="([^"]*)"', book.read("xl/workbook.xml").decode())

    def tables(self):
        self.write("compare_result_rank10_20260101000000.csv", "Tensor.add.0.forward.input.0,x,40%,4,9,9,True",
                   "Torch.mul.0.forward.output.0,x,N/A,0.5,7,8,True")
        self.write("compare_result_rank2_20260101000000.csv", "Tensor.add.0.forward.input.0,x,10%,1,9,9,True",
                   "Tensor.add.0.forward.input.0,x,90%,1,9,9,True")

    def test_each_metric_is_a_sheet_and_each_rank_a_column(self):
        self.tables()
        code, stderr = run(self.folder, "merge", ".", "-o", "out")
        self.assertEqual(code, 0, stderr)
        self.assertIn("STANDS OUT  rank 10: NormRelativeErr 0.400 at Tensor.add.0.forward.input.0, the median rank has at most "
                      "0.100. 2 reports, 2 rows, 2 metrics.", stderr)
        self.assertEqual(self.names(), ["Summary", "Max diff", "NormRelativeErr", "Requires_grad Consistent", "Largest"])
        sheet = self.sheet(3)
        for text in ("rank2", "rank10", "10%", "40%", "NPU:7  Bench:8"):
            self.assertIn(text, sheet)
        self.assertNotIn("90%", sheet)
        self.assertLess(sheet.index("rank2"), sheet.index("rank10"))
        files = os.listdir(os.path.join(self.folder, "out"))
        for name in ("index.html", "summary.md", "summary.json", "rank-metrics.svg", "rank-modules.png"):
            self.assertIn(name, files)

    def test_ranks_of_which_none_stands_out_are_alike_and_one_alone_is_merged(self):
        for rank, error in ((0, "10%"), (1, "11%"), (2, "9%")):
            self.write("compare_result_rank%d_20260101000000.csv" % rank, "Tensor.add.0.forward.input.0,x,%s,1,9,9,True" % error)
        self.assertIn("ALIKE     3 reports, 1 row, 2 metrics; largest NormRelativeErr 0.110 in rank 1 at ",
                      run(self.folder, "merge", ".", "-o", "out")[1])
        for rank in (1, 2):
            os.remove(os.path.join(self.folder, "compare_result_rank%d_20260101000000.csv" % rank))
        self.assertIn("MERGED    1 report, 1 row, 2 metrics; largest NormRelativeErr 0.100 in rank 0 at ",
                      run(self.folder, "merge", ".", "-o", "one")[1])

    def verdict_of(self, *errors):
        for rank, error in enumerate(errors):
            self.write("compare_result_rank%d_1.csv" % rank, "Tensor.add.0.forward.input.0,x,%s,True" % error)
        code, stderr = run(self.folder, "merge", ".", "-o", "out", "--format", "json,xlsx")
        self.assertEqual(code, 0, stderr)
        return stderr.splitlines()[-1]

    def test_tables_without_a_number_are_not_alike(self):
        rows = {"blank": "Tensor.add.0.forward.input.0,x,,,,,True", "na": "Tensor.add.0.forward.input.0,x,N/A,N/A,[0;1],[0;1],True",
                "number": "Tensor.add.0.forward.input.0,x,10%,1,9,9,True"}
        for names, code, said in ((("blank", "na"), 3, "NOT COMPARED  no table holds a number. 2 reports, 1 row, 2 metrics.\n"),
                                  (("number", "na", "number"), 4, "row tables without a number: 1, the first that of rank 1"),
                                  (("number", None), 4, "row tables without a number: 1, the first that of rank 1")):
            for rank, name in enumerate(names):
                self.write("compare_result_rank%d_1.csv" % rank, *([rows[name]] if name else []))
            got, told = run(self.folder, "merge", ".", "-o", "out", "--format", "json")
            self.assertEqual((got, said in told), (code, True), told)
            with open(os.path.join(self.folder, "out", "summary.json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file)["status"], "no data" if code == 3 else "pass")
            for rank in range(len(names)):
                os.remove(os.path.join(self.folder, "compare_result_rank%d_1.csv" % rank))

    def test_a_rank_without_a_finite_value_stands_out(self):
        """NaN in a table of vernier, or as the largest value of a side where msProbe has no number."""
        for cells, told in (("nan,1,9,9", "nan"), ("-NaN%,1,9,9", "-NaN%"), ("inf,1,9,9", "inf"), ("1%,nan,9,9", "Max diff nan"),
                            ("Nan,Nan,nan,2", "NPU:nan  Bench:2"), ("N/A,N/A,nan,nan", "NPU:nan  Bench:nan")):
            with self.subTest(cells):
                said = self.verdict_of("1%,1,9,9", "1%,1,9,9", cells)
                self.assertTrue(said.startswith("STANDS OUT  rank 2: "), said)
                self.assertIn(told + " at Tensor.add.0.forward.input.0", said)
                self.assertIn(told.split(" ")[-1], self.sheet(len(self.names())))
        self.assertIn("rank 0 and 2 more: NormRelativeErr nan at Tensor.add.0.forward.input.0, no rank is finite.",
                      self.verdict_of(*["nan,1,9,9"] * 3))

    def test_nan_goes_before_a_number_that_stands_out_and_is_called_nan(self):
        said = self.verdict_of("1%,1,9,9", "40%,1,9,9", "1%,nan,9,9", "2%,inf,9,9")
        self.assertTrue(said.startswith("STANDS OUT  rank 2 and 1 more: Max diff nan at Tensor.add.0.forward.input.0"), said)
        with open(os.path.join(self.folder, "out", "summary.json"), encoding="utf-8") as file:
            largest = next(m for m in json.load(file)["metrics"] if m["name"] == "Max diff")["largest"]
        self.assertEqual([cell["value"] for cell in largest], [1, 1, "NaN", "Infinity"])
        for inf in ("inf", "1"):
            self.verdict_of("1%,1,9,9", "40%,1,9,9", "1%,nan,9,9", "2%%,%s,9,9" % inf)
            self.assertEqual(run(self.folder, "merge", ".", "-o", "out")[0], 0)
            with open(os.path.join(self.folder, "out", "rank-metrics.svg"), encoding="utf-8") as file:
                words = re.findall(r">(NaN|Inf)<", file.read())
            self.assertEqual(words, ["NaN"] + ["Inf"] * (inf == "inf"))
        said = self.verdict_of("1%,nan,9,9", "40%,nan,9,9", "1%,nan,9,9", "1%,nan,9,9")
        self.assertTrue(said.startswith("STANDS OUT  rank 1: NormRelativeErr 0.400"), said)

    def test_shares_within_a_tolerance_are_best_at_one(self):
        for name in ("One Thousandth Err Ratio", "Five Thousandths Err Ratio"):
            for rank, share in enumerate(("0.99", "0.99", "0.5", "0.9901")):
                with open(os.path.join(self.folder, "rows-rank%d.csv" % rank), "w", encoding="utf-8") as file:
                    file.write("NPU Name,Bench Name,%s\nTensor.add.0.forward.input.0,x,%s\n" % (name, share))
            code, stderr = run(self.folder, "merge", ".", "-o", "out")
            self.assertEqual(code, 0, stderr)
            self.assertIn("STANDS OUT  rank 2: %s 0.500" % name, stderr)

    def test_noise_stands_out_beside_no_median_of_zero(self):
        """Up to the default floor of a float32 norm, with the absolute differences that go with it."""
        self.assertIn("ALIKE", self.verdict_of("0%,0,9,9", "0%,0,9,9", "0.0000001%,1e-8,9,9"))
        self.assertIn("STANDS OUT  rank 2: NormRelativeErr 0.00100", self.verdict_of("0%,0,9,9", "0%,0,9,9", "0.1%,1e-8,9,9"))

    def test_the_configuration_of_the_peer_chooses_rows_and_metrics(self):
        self.tables()
        with open(os.path.join(self.folder, "config.yaml"), "w", encoding="utf-8") as file:
            file.write("api:\n- Torch.mul\ncompare_index:\n- Max diff\n")
        code, stderr = run(self.folder, "merge", ".", "--config", "config.yaml", "-o", "out")
        self.assertEqual(code, 0, stderr)
        self.assertEqual(self.names(), ["Summary", "Max diff", "Largest"])
        self.assertNotIn("Tensor.add", self.sheet(2))

    def test_a_configuration_that_leaves_nothing_is_refused_with_its_place(self):
        self.tables()
        for text, code, told in (
                ("api:\n- Torch.div\n", 3, "no row holds one of the names under 'api'"),
                ("api: []\n", 3, "no row holds one of the names under 'api'"),
                ("api:\n- Torch.mul\ncompare_index:\n- Max difference\n", 3, "none of the metrics under 'compare_index'"),
                ("api:\n- Torch.mul\ncompare_index: Max diff\n", 3, "config.yaml:3: expected a list of metrics"),
                ("api:\n- Torch.mul\ncompare_index:\n- Max diff\n- Cosine\n", 0, "no row table has the metric 'Cosine'"),
                ("api:\n- Torch.mul\ncompare_index:\n", 0, "1 row, 2 metrics")):
            with open(os.path.join(self.folder, "config.yaml"), "w", encoding="utf-8") as file:
                file.write(text)
            shutil.rmtree(os.path.join(self.folder, "out"), ignore_errors=True)
            got, stderr = run(self.folder, "merge", ".", "--config", "config.yaml", "-o", "out")
            self.assertEqual(got, code, stderr)
            self.assertIn(told, stderr)
            self.assertEqual(os.path.exists(os.path.join(self.folder, "out", "summary.json")), code == 0)

    def test_tables_without_a_row_are_told(self):
        self.write("rows-step0-rank3.csv")
        code, stderr = run(self.folder, "merge", ".", "-o", "out")
        self.assertEqual(code, 3, stderr)
        self.assertIn("the row tables hold no row", stderr)

    def test_ranks_without_a_common_row_need_the_memory_of_their_rows(self):
        """400 stages of ten rows: 4,000 rows by 400 ranks by two metrics are 3 million cells, of which 8,000 are there."""
        worst.stages(self.folder, 4000)
        process = subprocess.Popen([program.VERNIER, "merge", os.path.join(self.folder, "tables"), "-j", "1", "-q", "-o",
                                    os.path.join(self.folder, "out")])
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        self.assertLess(usage.ru_maxrss, 400000)  # kB; with room for the quarantine of a sanitizer
        self.assertEqual(self.names(), ["Summary", "Max diff", "NormRelativeErr", "Largest"])
        self.assertEqual(self.sheet(2).count("<c "), 401 + 2 * 4000)

    def test_results_of_compare_are_merged(self):
        ranks = os.path.join(SAMPLES, "ranks")
        run(self.folder, "compare", os.path.join(ranks, "golden"), os.path.join(ranks, "target"), "--format", "csv",
            "-o", "results")
        code, stderr = run(self.folder, "merge", "results", "-o", "out", "--format", "json,xlsx,html")
        self.assertEqual(code, 0, stderr)
        with open(os.path.join(self.folder, "out", "summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
        self.assertEqual((summary["schema"], summary["ranks"]),
                         ("vernier.merge/1", ["rank0", "rank1", "rank2", "rank3"]))
        with open(os.path.join(self.folder, "out", "index.html"), encoding="utf-8") as file:
            headings = dict(re.findall(r'id="(\w+)"[^>]*>(Metrics and ranks|Modules and ranks)<', file.read()))
        self.assertEqual(headings, {"metrics": "Metrics and ranks", "modules": "Modules and ranks"})

    def test_a_file_that_is_no_row_table_costs_itself(self):
        self.tables()
        with open(os.path.join(self.folder, "rows-step0-rank3.csv"), "w", encoding="utf-8") as file:
            file.write("a,b\n1,2\n")
        code, stderr = run(self.folder, "merge", ".", "-o", "out")
        self.assertEqual(code, 4, stderr)
        self.assertIn("rows-step0-rank3.csv", stderr)


if __name__ == "__main__":
    main()
