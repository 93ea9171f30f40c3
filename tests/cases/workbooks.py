#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Workbooks for people who live in one: the verdict in A1, links that lead somewhere, print set-up.

VERNIER names the program, SAMPLES the folder of samples.
"""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml
import zipfile

VERNIER = os.environ["VERNIER"]
SAMPLES = os.environ["SAMPLES"]
GPT = [os.path.join(SAMPLES, "gpt", side) for side in ("golden", "target")]
NS = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


class Workbooks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.out = os.path.join(self.folder, "out")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def run_it(self, *arguments):
        done = subprocess.run([VERNIER, *arguments, "-o", self.out], capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        return done.stdout.splitlines()[0]

    def books(self):
        return sorted(os.path.join(self.out, name) for name in os.listdir(self.out) if name.endswith(".xlsx"))

    def sheets(self, path):
        """(name, the text of each cell by its place, root) of each sheet."""
        with zipfile.ZipFile(path) as book:
            names = [sheet.get("name") for sheet in xml.fromstring(book.read("xl/workbook.xml")).iter(NS + "sheet")]
            names = [name for name in names if not name.startswith("Chart")]
            roots = [xml.fromstring(book.read("xl/worksheets/sheet%d.xml" % (i + 1))) for i in range(len(names))]
        return [(name, {at: "".join(cell.itertext()) for at, cell in self.cells(root)}, root)
                for name, root in zip(names, roots)]

    def cells(self, root):
        """(place, element): rows and cells name their place only after a gap."""
        row = 0
        for line in root.iter(NS + "row"):
            row, column = int(line.get("r", row + 1)), 0
            for cell in line:
                letters = re.sub(r"\d", "", cell.get("r", ""))
                column = sum((ord(c) - 64) * 26 ** i for i, c in enumerate(reversed(letters))) if letters else column + 1
                yield "%s%d" % ((chr(64 + (column - 1) // 26) if column > 26 else "") + chr(65 + (column - 1) % 26), row), cell

    def conditions(self, root):
        return {(part.get("sqref"), rule.findtext(NS + "formula")) for part in root.iter(NS + "conditionalFormatting")
                for rule in part if rule.get("type") == "cellIs"}

    def test_words_of_a_status_have_conditions_where_a_word_has_one_look(self):
        self.run_it("compare", *GPT, "--format", "xlsx")
        sheets = {name: root for name, _, root in self.sheets(self.books()[0])}
        said = {formula for at, formula in self.conditions(sheets["What differs"]) if at.startswith("B2:B")}
        self.assertLessEqual({'"error"', '"error, inherited"'}, said)
        # An error that starts and one that is inherited are one word of the peer.
        self.assertNotIn('"error"', {formula for _, formula in self.conditions(sheets["Compare"])})

    def test_differences_are_numbers_beside_the_texts_of_the_peer(self):
        self.run_it("compare", *GPT, "--format", "xlsx")
        sheets = {name: (cells, root) for name, cells, root in self.sheets(self.books()[0])}
        cells, root = sheets["What differs"]
        self.assertEqual([cells[at + "1"] for at in "FGHI"], ["MaxRelativeErr", "MinRelativeErr", "MeanRelativeErr", "NormRelativeErr"])
        kinds = {at: cell.get("t") for at, cell in self.cells(root)}
        self.assertEqual([kinds[at + "2"] for at in "FGHI"], [None] * 4)
        self.assertAlmostEqual(float(cells["I2"]), 2.9e-05, delta=1e-06)

    def test_curves_have_charts_of_the_loss_and_of_its_difference(self):
        self.run_it("curves", os.path.join(SAMPLES, "curves", "golden.csv"), os.path.join(SAMPLES, "curves", "target.csv"), "--format", "xlsx")
        with zipfile.ZipFile(self.books()[0]) as book:
            names = [sheet.get("name") for sheet in xml.fromstring(book.read("xl/workbook.xml")).iter(NS + "sheet")]
            self.assertEqual(names[-2:], ["Chart", "Chart of differences"])
            self.assertIn("Values!$B$1", book.read("xl/charts/chart1.xml").decode())
            self.assertIn("Values!$A$2:$A$401", book.read("xl/charts/chart2.xml").decode())

    def test_every_workbook_begins_with_the_verdict_and_is_made_for_paper(self):
        sample = lambda *parts: os.path.join(SAMPLES, *parts)
        for arguments in (("compare", *GPT), ("check", GPT[0]), ("monitor", sample("monitor")), ("compare", "--runs", *GPT),
                          ("curves", sample("curves", "golden.csv"), sample("curves", "target.csv")), ("graph", GPT[0]),
                          ("checklist", sample("config", "bench_pretrain.sh"), sample("config", "target_pretrain.yaml"))):
            with self.subTest(arguments):
                shutil.rmtree(self.out, ignore_errors=True)
                verdict = self.run_it(*arguments, "--format", "xlsx")
                book, = self.books()
                sheets = self.sheets(book)
                self.assertEqual(sheets[0][0], "Summary")
                self.assertEqual(re.sub(r"\s+", " ", sheets[0][1]["A1"]), re.sub(r"\s+", " ", verdict))
                self.assertEqual([cell.get("ref") for cell in sheets[0][2].iter(NS + "mergeCell")], ["A1:C1"])
                for name, cells, root in sheets:
                    widths = [float(col.get("width")) for col in root.iter(NS + "col") for _ in range(int(col.get("min")), int(col.get("max")) + 1)]
                    for at, width in enumerate(widths[:26] if name != "Summary" else ()):
                        self.assertGreaterEqual(width, min(80, len(cells.get("%c1" % (65 + at), ""))), (name, at))
                    setup = root.find(NS + "pageSetup")
                    self.assertEqual(setup is not None and setup.get("orientation"), "landscape", name)

    def test_the_summary_leads_to_the_first_divergence_its_row_and_the_picture(self):
        self.run_it("compare", *GPT, "--format", "xlsx,svg")
        book, = self.books()
        sheets = {name: (cells, root) for name, cells, root in self.sheets(book)}
        links = {link.get("ref"): link.get("location") for link in sheets["Summary"][1].iter(NS + "hyperlink")}
        leads = {sheets["Summary"][0]["A" + at[1:]]: to for at, to in links.items() if "A" + at[1:] in sheets["Summary"][0]}
        sheet, row = re.match(r"'?(\w+)'?!A(\d+)", leads["its row"]).groups()
        self.assertEqual(sheets[sheet][0]["A" + row], "Functional.linear.8.forward.output.0")
        self.assertIn("First divergence", leads["first divergence"])
        with zipfile.ZipFile(book) as opened:
            relations = opened.read("xl/worksheets/_rels/sheet1.xml.rels").decode()
        files = re.findall(r'Target="([^"]*)"', relations)
        self.assertTrue(files and all(os.path.exists(os.path.join(self.out, name)) for name in files), files)
        kinds = {at: cell.get("t") for at, cell in self.cells(sheets["Summary"][1])}
        self.assertEqual((kinds["B12"], kinds["C12"]), (None, None))  # numbers

    def test_what_differs_has_result_error_and_rule_next_to_the_name_and_raw_statistics_are_closed(self):
        self.run_it("compare", *GPT, "--format", "xlsx")
        sheets = {name: (cells, root) for name, cells, root in self.sheets(self.books()[0])}
        cells, root = sheets["What differs"]
        self.assertEqual([cells[at] for at in ("A1", "B1", "C1", "D1", "E1")],
                         ["name", "status", "relative error", "floor", "rule"])
        self.assertEqual((cells["A2"], cells["B2"]), ("Functional.linear.8.forward.output.0", "error"))
        self.assertEqual(len(list(root.iter(NS + "dataBar"))), 1)
        cells, root = sheets["Compare"]
        pane = next(root.iter(NS + "pane"))
        self.assertEqual((pane.get("xSplit"), pane.get("ySplit")), ("1", "1"))
        closed = [int(column.get("max")) - int(column.get("min")) + 1 for column in root.iter(NS + "col") if column.get("hidden")]
        self.assertEqual(sum(closed), 8)


if __name__ == "__main__":
    unittest.main()
