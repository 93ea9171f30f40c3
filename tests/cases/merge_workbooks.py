#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`vernier merge` of workbooks, as pandas, openpyxl and libxlsxwriter write them: what comes out is what comes out for
the same tables as CSV. Broken and hostile workbooks cost themselves."""
import csv
import io
import os
import shutil
import subprocess
import zipfile
from xml.sax.saxutils import escape, quoteattr

from program import Case, SAMPLES, VERNIER, main, run

HEADER = ["NPU Name", "Bench Name", "NPU max", "Bench max", "Max diff", "NormRelativeErr", "Requires_grad Consistent"]
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


def table(rank):
    names = ["Tensor.add.0.forward.input.0", "Torch.mul.0.forward.output.0", "Module.a<b>&\"c\".Linear.forward.0.input.0",
             "Distributed.all_reduce.0.forward.input.group", "Functional.linear.模块.forward.output.0"]
    rows = [[name, name, 1.5 + i, 1.25 * i, 0.1 * rank + 1e-7 * i, "%s%%" % (2.5 * i + rank), rank != 1 or i != 2]
            for i, name in enumerate(names)]
    rows[3][2:6] = [7, 8.0, "N/A", "unsupported"]
    rows[4][4] = "inf"
    return rows


def as_csv(sheets):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADER)
    for rows in sheets:
        writer.writerows(rows)
    return out.getvalue()


def letters(column):
    return chr(ord("A") + column)


class Book:
    """Writes as one of the libraries does."""
    def __init__(self, style):
        self.style, self.shared, self.order = style, {}, []

    def text(self, value, place):
        if self.style == "inline":
            return '<c %s t="inlineStr"><is><t>%s</t></is></c>' % (place, escape(value))
        if self.style == "runs":
            half = len(value) // 2
            return ('<c %s t="inlineStr"><is><r><t>%s</t></r><r><rPr/><t>%s</t></r><rPh sb="0" eb="1"><t>x</t></rPh></is></c>'
                    % (place, escape(value[:half]), escape(value[half:])))
        if self.style == "formula":
            return '<c %s t="str"><f>A1</f><v>%s</v></c>' % (place, escape(value))
        if value not in self.shared:
            self.shared[value] = len(self.order)
            self.order.append(value)
        return '<c %s s="1" t="s"><v>%d</v></c>' % (place, self.shared[value])

    def cell(self, value, row, column):
        place = "" if self.style == "runs" else 'r="%s%d"' % (letters(column), row)
        if isinstance(value, bool):
            return '<c %s t="b"><v>%d</v></c>' % (place, value)
        if isinstance(value, (int, float)):
            kind = ' t="n"' if self.style == "inline" else ""
            number = ("%.17G" if self.style == "shared" else "%r") % value
            return "<c %s%s><v>%s</v></c>" % (place, kind, number)
        return self.text(value, place)

    def sheet(self, rows):
        out = ['<worksheet xmlns="%s"><sheetFormatPr defaultRowHeight="15"/><sheetData>' % MAIN]
        for number, row in enumerate(rows, 1):
            cells = "".join(self.cell(value, number, column) for column, value in enumerate(row))
            out.append('<row r="%d">%s</row>' % (number, cells))
        return "".join(out) + "</sheetData></worksheet>"

    def write(self, path, sheets):
        parts = {"xl/worksheets/sheet%d.xml" % (i + 1): self.sheet(rows) for i, rows in enumerate(sheets)}
        names = ["part_%d" % i for i in range(len(sheets))]
        parts["xl/workbook.xml"] = '<workbook xmlns="%s" xmlns:r="%s"><sheets>%s</sheets></workbook>' % (
            MAIN, RELATIONS, "".join('<sheet name=%s sheetId="%d" r:id="rId%d"/>' % (quoteattr(n), i + 1, i + 1)
                                     for i, n in enumerate(names)))
        target = "/xl/worksheets" if self.style == "inline" else "worksheets"
        links = "".join('<Relationship Id="rId%d" Type="%s/worksheet" Target="%s/sheet%d.xml"/>'
                        % (i + 1, RELATIONS, target, i + 1) for i in range(len(sheets)))
        if self.order:
            links += '<Relationship Id="rId99" Type="%s/sharedStrings" Target="sharedStrings.xml"/>' % RELATIONS
            parts["xl/sharedStrings.xml"] = '<sst xmlns="%s">%s</sst>' % (
                MAIN, "".join("<si><t>%s</t></si>" % escape(text) for text in self.order))
        parts["xl/_rels/workbook.xml.rels"] = '<Relationships xmlns="%s">%s</Relationships>' % (PACKAGE, links)
        save(path, parts)


def save(path, parts):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' + text)


class MergeWorkbooks(Case):
    def merge(self, name, formats="json,xlsx"):
        folder = os.path.join(self.folder, name)
        done = subprocess.run([VERNIER, "merge", ".", "-o", "out", "--format", formats], cwd=folder, timeout=60, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=dict(os.environ, LC_ALL="C", NO_COLOR="1"))
        out = {}
        made = os.path.isdir(os.path.join(folder, "out"))
        for file in sorted(os.listdir(os.path.join(folder, "out"))) if made else []:
            with open(os.path.join(folder, "out", file), "rb") as opened:
                out[file] = opened.read()
        return done.returncode, (done.stderr + done.stdout).decode(), out

    def place(self, name, rank, suffix=".xlsx"):
        os.makedirs(os.path.join(self.folder, name), exist_ok=True)
        return os.path.join(self.folder, name, "compare_result_rank%d_20260101000000%s" % (rank, suffix))

    def csv(self, sheets_of=lambda rank: [table(rank)]):
        for rank in (0, 1, 10):
            with open(self.place("csv", rank, ".csv"), "w", encoding="utf-8") as file:
                file.write(as_csv(sheets_of(rank)))
        return self.merge("csv", "html,md,json,xlsx")

    def test_workbooks_of_every_writer_give_what_the_same_csv_gives(self):
        code, said, wanted = self.csv()
        self.assertEqual(code, 0, said)
        with zipfile.ZipFile(io.BytesIO(wanted["merge.xlsx"])) as book:
            self.assertTrue(any("NPU:7  Bench:8" in book.read(part).decode() for part in book.namelist()))
        for style in ("shared", "inline", "runs", "formula"):
            for rank in (0, 1, 10):
                Book(style).write(self.place(style, rank), [[HEADER] + table(rank)])
            code, said, found = self.merge(style, "html,md,json,xlsx")
            self.assertEqual((code, sorted(found)), (0, sorted(wanted)), said)
            for name, data in wanted.items():
                self.assertTrue(found[name] == data, (style, name))

    def test_tables_that_go_on_in_the_next_sheet_are_one(self):
        _, _, wanted = self.csv()
        for rank in (0, 1, 10):
            rows = table(rank)
            Book("shared").write(self.place("parts", rank), [[HEADER] + rows[:2], [["notes"], ["x"]], [],
                                                             [HEADER] + rows[2:]])
        code, said, found = self.merge("parts")
        self.assertEqual(code, 0, said)
        self.assertTrue(found["summary.json"] == wanted["summary.json"])
        self.assertTrue(found["merge.xlsx"] == wanted["merge.xlsx"])

    def test_what_vernier_writes_it_reads(self):
        code, said, _ = self.csv()
        self.assertEqual(code, 0, said)
        os.makedirs(os.path.join(self.folder, "own"))
        shutil.copy(os.path.join(self.folder, "csv", "out", "merge.xlsx"), self.place("own", 0))
        code, said, _ = self.merge("own")
        self.assertEqual(code, 3)
        self.assertIn("no row table: expected the column 'NPU Name' and a metric", said)

    def test_workbooks_of_a_comparison_say_what_its_row_tables_say(self):
        ranks = os.path.join(SAMPLES, "ranks")
        run("compare", os.path.join(ranks, "golden"), os.path.join(ranks, "target"), "-o", self.path("whole"), "--format", "xlsx,csv")
        for name, ending in (("books", ".xlsx"), ("tables", ".csv")):
            os.makedirs(self.path(name))
            for file in os.listdir(self.path("whole")):
                if file.endswith(ending) and file.startswith(("compare-", "rows-")):
                    shutil.copy(self.path("whole", file), self.path(name))
        books, tables, whole = (self.merge(name)[1] for name in ("books", "tables", "whole"))
        verdict = "STANDS OUT  rank 2: NormRelativeErr 1.00 at Distributed.all_reduce.3.forward.input.0"
        self.assertEqual([verdict in said for said in (books, tables, whole)], [True] * 3, books + tables + whole)
        code, said, _ = run(self.path("books", "compare-step0-rank2.xlsx"), "-o", self.path("o.json"))
        self.assertEqual((code, "FAILS     Distributed.all_reduce.3.forward" in said), (1, True), said)

    def refused(self, why, change):
        name = "broken%d" % len(os.listdir(self.folder))
        Book("shared").write(self.place(name, 0), [[HEADER] + table(0)])
        Book("shared").write(self.place(name, 1), [[HEADER] + table(1)])
        with zipfile.ZipFile(self.place(name, 1)) as archive:
            parts = {part: archive.read(part).decode().split("\n", 1)[1] for part in archive.namelist()}
        change(parts)
        save(self.place(name, 1), parts)
        code, said, found = self.merge(name)
        self.assertEqual(code, 4, said)
        self.assertIn("compare_result_rank1_20260101000000.xlsx", said)
        self.assertIn(why, said)
        self.assertIn("merge.xlsx", found)

    def test_hostile_workbooks_cost_themselves(self):
        sheet, shared = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"
        bomb = '<!DOCTYPE sst [<!ENTITY a "x"><!ENTITY b "&a;&a;&a;">]><sst><si><t>&b;</t></si></sst>'
        self.refused("a document type", lambda p: p.update({shared: bomb}))
        self.refused("nested deeper than 64", lambda p: p.update({sheet: "<a>" * 100 + "</a>" * 100}))
        self.refused("a shared text that is not there", lambda p: p.update({shared: "<sst/>"}))
        self.refused("sheet1.xml", lambda p: p.pop(sheet))
        self.refused("workbook.xml", lambda p: p.pop("xl/workbook.xml"))
        self.refused("line 3", lambda p: p.update({sheet: "<worksheet>\n<row>"}))
        self.refused("a tag longer than 1 MiB", lambda p: p.update({sheet: "<a b='" + "x" * 3000000 + "'/>"}))
        self.refused("a cell with more than 1 MiB", lambda p: p.update(
            {sheet: "<worksheet><row><c><v>" + "1" * 1100000 + "</v></c></row></worksheet>"}))
        self.refused("more than 16,384 columns", lambda p: p.update({sheet: "<w><row><c r='XFE1'/></row></w>"}))
        self.refused("400 times the file", lambda p: p.update(
            {sheet: p[sheet].replace("</sheetData>", " " * 70000000 + "</sheetData>")}))
        self.refused("a row inside a cell", lambda p: p.update({sheet: "<w><row><c><row><v>1</v></row></c></row></w>"}))
        self.refused("two cells in one place", lambda p: p.update(
            {sheet: "<w><row><c r='B1'/><c r='A1'/></row></w>"}))

    def test_a_workbook_cut_short_is_said_to_be_damaged(self):
        for rank in (0, 1):
            Book("shared").write(self.place("cut", rank), [[HEADER] + table(rank)])
        with open(self.place("cut", 1), "r+b") as file:
            file.truncate(os.path.getsize(self.place("cut", 1)) // 2)
        code, said, _ = self.merge("cut")
        self.assertEqual(code, 4, said)
        self.assertIn("the workbook is not readable", said)

    def test_rows_before_the_damage_count(self):
        rows = [["Tensor.add.%d.forward.input.0" % i, "x", 1, 1, 0.5, "1%", True] for i in range(100)]
        for rank in (0, 1):
            Book("inline").write(self.place("half", rank), [[HEADER] + rows])
        with zipfile.ZipFile(self.place("half", 1)) as archive:
            parts = {part: archive.read(part).decode().split("\n", 1)[1] for part in archive.namelist()}
        sheet = "xl/worksheets/sheet1.xml"
        parts[sheet] = parts[sheet][:len(parts[sheet]) // 2]
        save(self.place("half", 1), parts)
        code, said, found = self.merge("half")
        self.assertEqual(code, 4, said)
        self.assertIn('"rank1"', found["summary.json"].decode())


if __name__ == "__main__":
    main()
