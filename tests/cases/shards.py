#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`vernier compare --shard I/N` and `vernier merge`: the joined report is that of one process, byte for
byte, and what a part lacks is named.

The ranks are made here: small dumps of different size, some of which part from golden, one that only
golden has, one that cannot be read. RANKS in the environment sets how many (the full test takes 1,000).
"""
import filecmp
import io
import json
import os
import re
import shutil
import struct
import zipfile
import zlib

import program
from program import Case, crc32c, main

RANKS = int(os.environ.get("RANKS", "24"))
PARTS = 8
FORMATS = "html,md,json,xlsx,svg,png,csv,nodes,junit"


def tensor(norm):
    return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [4, 8], "Max": norm / 3, "Min": -norm / 4,
            "Mean": norm / 100, "Norm": norm, "requires_grad": False}


def write_rank(folder, rank, part_at=None):
    """A chain of linear layers whose number depends on the rank; from `part_at` on the norms are off."""
    data, construct, stack = {}, {}, {}
    for i in range(3 + rank % 5):
        name = f"Module.layers.{i}.Linear.forward.0"
        off = 1.02 if part_at is not None and i >= part_at else 1.0
        before = 1.02 if part_at is not None and i > part_at else 1.0
        data[name] = {"input_args": [tensor((2.0 + i + rank / 64) * before)], "input_kwargs": {},
                      "output": [tensor((3.0 + i + rank / 64) * off)]}
        construct[name] = None
        stack[str(i)] = [[name], ["File model.py, line 7, in forward, \n x = self.layer(x)"]]
    os.makedirs(folder)
    for file, content in (("dump.json", {"task": "statistics", "level": "L0", "framework": "pytorch", "data": data}),
                          ("construct.json", construct), ("stack.json", stack)):
        with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
            json.dump(content, out)


def npy(values, shape, descr):
    """A small .npy file of whole numbers or floats."""
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, tuple(shape))
    head += " " * (63 - (len(head) + 10) % 64) + "\n"
    packed = struct.pack("<%d%s" % (len(values), {"<i8": "q", "<f4": "f"}[descr]), *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode("latin-1") + packed


def write_whole_numbers(folder, task, differ_at):
    """Labels that no float stands for: where they differ, two of 64 elements do."""
    labels = [(i * 37) % 251 for i in range(64)]
    weights = [i / 8 for i in range(64)]
    if differ_at:
        labels[21], labels[40] = 7, 8
        weights[3] = 99.0
    os.makedirs(folder)
    slots = []
    for name, values, dtype in (("labels", labels, "torch.int64"), ("hidden", weights, "torch.float32")):
        slot = {"type": "torch.Tensor", "dtype": dtype, "shape": [8, 8], "Max": max(values), "Min": min(values),
                "Mean": sum(values) / 64, "Norm": sum(v * v for v in values) ** 0.5, "requires_grad": False}
        data = npy(values, (8, 8), "<i8" if name == "labels" else "<f4")
        if task == "md5":
            slot["md5"] = "%08x" % zlib.crc32(data)
        if task == "tensor":
            slot["data_name"] = name + ".npy"
            os.makedirs(os.path.join(folder, "dump_tensor_data"), exist_ok=True)
            with open(os.path.join(folder, "dump_tensor_data", slot["data_name"]), "wb") as out:
                out.write(data)
        slots.append(slot)
    name = "Module.embed.Embedding.forward.0"
    dump = {"task": task if task != "md5" else "statistics", "level": "L0", "framework": "pytorch",
            "data": {name: {"input_args": slots[:1], "input_kwargs": {}, "output": slots[1:]}}}
    with open(os.path.join(folder, "dump.json"), "w", encoding="utf-8") as out:
        json.dump(dump, out)


def write_files(folder, files):
    """Plain tensors by name, as a script leaves them: golden against target, 3 steps x 2 ranks."""
    for side in ("golden", "target"):
        for step in range(3):
            for rank in range(2):
                place = os.path.join(folder, side, "step%d" % step, "rank%d" % rank)
                os.makedirs(place)
                values = [(i * 37) % 251 for i in range(64)]
                if side == "target" and (step, rank) == (1, 1):
                    values[21], values[40] = 7, 8
                for name in files:
                    with open(os.path.join(place, name), "wb") as out:
                        out.write(npy(values, (8, 8), "<i8"))


def write_runs(folder, ranks, agree=False):
    for side in ("golden", "target"):
        for rank in range(ranks):
            place = os.path.join(folder, side, "step0", f"rank{rank}")
            parts = side == "target" and not agree and rank % 9 == 4
            write_rank(place, rank, part_at=rank % 3 if parts else None)
    if not agree:
        shutil.rmtree(os.path.join(folder, "target", "step0", "rank2"))
        with open(os.path.join(folder, "target", "step0", "rank3", "dump.json"), "w", encoding="utf-8") as out:
            out.write('{"task": "statistics", "level": "L0", "framework": "pytorch", "data": {"Module')


def formula_in_book(data, old=b"<sheetData>", new=b'<sheetData><row r="900"><c r="A900"><f>1+1</f></c></row>'):
    """The workbook with a formula in its first sheet."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as book, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as changed:
        for name in book.namelist():
            part = book.read(name)
            if name.startswith("xl/worksheets/sheet"):
                part = part.replace(old, new, 1)
            changed.writestr(name, part)
    return out.getvalue()


def computing_condition(data):
    """The workbook whose cells are coloured by what a formula computes, not by a text that they are compared with."""
    return formula_in_book(data, b'<formula>"error"</formula>', b'<formula>"error"&amp;WEBSERVICE("http://x")</formula>')


def run(folder, *arguments):
    code, _, err = program.run(*arguments, cwd=folder)
    return code, err


def compare(folder, *arguments):
    return run(folder, "compare", "golden", "target", *arguments)


def files_of(folder):
    return sorted(os.listdir(folder))


class Shards(Case):
    def load(self, *names):
        with open(self.path(*names), encoding="utf-8") as file:
            return json.load(file)

    def shard_all(self, parts, *arguments, folder=None):
        codes = []
        for part in range(1, parts + 1):
            code, stderr = compare(self.folder, *arguments, "--shard", f"{part}/{parts}", "-o",
                                   folder or os.path.join("parts", str(part)))
            self.assertIn(code, (0, 1, 3, 4), stderr)
            codes.append(code)
        return codes

    def assert_same_files(self, one, two):
        self.assertEqual(files_of(one), files_of(two))
        for name in files_of(one):
            self.assertTrue(filecmp.cmp(os.path.join(one, name), os.path.join(two, name), shallow=False), name)

    def test_parts_joined_give_the_bytes_of_one_process(self):
        write_runs(self.folder, RANKS)
        code, stderr = compare(self.folder, "--format", FORMATS, "--title", "Night's run", "-o", "report")
        self.assertEqual(code, 1, stderr)
        os.rename(self.path("report"), self.path("one"))
        self.shard_all(PARTS, "--format", FORMATS, "--title", "Night's run")
        joined, said = run(self.folder, "merge", "parts", "-o", "report")
        self.assertEqual(joined, 1, said)
        self.assertEqual(said.splitlines()[-1], stderr.splitlines()[-1])
        self.assertTrue(said.splitlines()[-1].startswith("PARTIAL DIVERGES"))
        self.assert_same_files(self.path("one"), self.path("report"))

    def test_of_pairs_that_agree_parts_leave_as_little_as_one_process(self):
        write_runs(self.folder, 6)
        agrees = {"compare-step0-rank0.xlsx", "graph-step0-rank0.svg"}
        for options, extra in (((), set()), (("--all-pictures",), agrees)):
            compare(self.folder, *options, "-o", "report")
            os.rename(self.path("report"), self.path("one"))
            self.shard_all(2, *options)
            run(self.folder, "merge", "parts", "-o", "report")
            self.assert_same_files(self.path("one"), self.path("report"))
            self.assertEqual(agrees & set(os.listdir(self.path("one"))), extra)
            for folder in ("one", "report", "parts"):
                shutil.rmtree(self.path(folder))

    def assert_joined_is_whole(self, *options):
        """Compares in one process and in two parts; returns what the one said."""
        code, stderr = compare(self.folder, *options, "--format", FORMATS, "-o", "report")
        self.assertIn(code, (0, 1), stderr)
        os.rename(self.path("report"), self.path("one"))
        self.shard_all(2, *options, "--format", FORMATS)
        joined, said = run(self.folder, "merge", "parts", "-o", "report")
        self.assertEqual(joined, code, said)
        self.assertEqual(said.splitlines()[-1], stderr.splitlines()[-1])
        self.assert_same_files(self.path("one"), self.path("report"))
        return stderr

    def test_what_elements_of_whole_numbers_show_survives_the_parts(self):
        write_files(self.folder, ["labels.npy"])
        said = self.assert_joined_is_whole()
        self.assertIn("differs in 2 of 64 elements, first at [2, 5]: 7, golden has", said)

    def test_every_link_of_a_joined_page_leads_to_a_file(self):
        """Whatever the report is written as: what the parts have left and it has not is not linked."""
        write_runs(self.folder, 14)
        self.shard_all(2)
        for words in (["m"], ["m", "--format", "html"], ["m", "--format", "html,svg"], ["m/m.html"], ["-", "--format", "html"]):
            with self.subTest(" ".join(words)):
                code, out, said = program.run("merge", "parts", "-o", *words, cwd=self.folder)
                self.assertEqual(code, 1, said)
                os.makedirs(self.path("m"), exist_ok=True)
                if words[0] == "-":
                    self.write("m/standard.html", out)
                pages = [name for name in files_of(self.path("m")) if name.endswith(".html")]
                self.assertEqual(len(pages) > 1, words == ["m"], pages)
                for name in pages:
                    with open(self.path("m", name), encoding="utf-8") as file:
                        links = set(re.findall(r'(?:href|src)="([^"#][^"]*)"', file.read()))
                    self.assertTrue(links or len(pages) == 1)
                    self.assertEqual([link for link in links if not link.startswith("data:")
                                      and not os.path.exists(self.path("m", link))], [], name)
                self.assertEqual("pages of pairs link files" in said, "html" in words[-1] and words[0] == "m", said)
                shutil.rmtree(self.path("m"))

    def test_in_every_mode_the_joined_report_is_that_of_one_process(self):
        for task in ("statistics", "md5", "tensor"):
            for side in ("golden", "target"):
                for step in range(3):
                    for rank in range(2):
                        write_whole_numbers(self.path(side, f"step{step}", f"rank{rank}"), task,
                                            side == "target" and (step, rank) == (1, 1))
            with self.subTest(task):
                self.assertIn("DIVERGES", self.assert_joined_is_whole())
            for folder in ("golden", "target", "one", "report", "parts"):
                shutil.rmtree(self.path(folder))

    def test_criteria_go_along_with_the_parts(self):
        write_runs(self.folder, 12, agree=True)
        with open(self.path("criteria.yaml"), "w", encoding="utf-8") as out:
            out.write("limits:\n  norm: {pass: 1e-9, warning: 0.5}\n  max: 0.25\nrules:\n"
                      "  - ops: 'Functional.*'\n    slots: 'output.*'\n    dtypes: [float32]\n"
                      "    limits:\n      mean: {pass: 2, warning: 3}\n    reason: they scatter\n"
                      "  - ops: ['*.nothing.*']\n    ignore: true\n")
        options = ("--criteria", "criteria.yaml", "--format", "html,md,json,xlsx,junit")
        code, stderr = compare(self.folder, *options, "-o", "report")
        os.rename(self.path("report"), self.path("one"))
        self.assertEqual(self.load("one", "summary.json")["criteria"]["rules"][1]["reason"], "they scatter")
        self.assertEqual([notice["line"] for notice in self.load("one", "summary.json")["problems"]
                          if "fits no slot" in notice["text"]], [5, 11])
        self.shard_all(4, *options)
        self.assertEqual(run(self.folder, "merge", "parts", "-o", "report")[0], code, stderr)
        self.assert_same_files(self.path("one"), self.path("report"))

    def test_every_pair_is_in_one_part_and_the_parts_weigh_the_same(self):
        write_runs(self.folder, 20)
        self.shard_all(4, "--format", "json")
        weights, seen = [], []
        for part in range(1, 5):
            shard = self.load("parts", str(part), f"shard-{part}-of-4.json")
            mine = [pair.get("place", 0) for pair in shard["pairs"]]
            weights.append(sum(shard["places"][i].get("bytes", 0) for i in mine))
            seen += mine
        self.assertEqual(sorted(seen), list(range(20)))
        self.assertLess(max(weights) - min(weights), max(p.get("bytes", 0) for p in shard["places"]))

    def test_all_parts_may_write_into_the_folder_of_the_report(self):
        write_runs(self.folder, 5, agree=True)
        compare(self.folder, "--format", "html,json,xlsx", "-o", "report")
        os.rename(self.path("report"), self.path("one"))
        self.assertEqual(self.shard_all(3, "--format", "html,json,xlsx", folder="report"), [0, 0, 0])
        code, stderr = run(self.folder, "merge", "report", "-o", "report")
        self.assertEqual(code, 0, stderr)
        for part in range(1, 4):
            os.remove(self.path("report", f"shard-{part}-of-3.json"))
        for folder in ("one", "report"):  # that of the parts names their files as well
            os.remove(self.path(folder, ".vernier-files"))
        self.assert_same_files(self.path("one"), self.path("report"))

    def test_more_parts_than_pairs_leave_some_with_nothing_to_do(self):
        write_runs(self.folder, 2, agree=True)
        self.assertEqual(self.shard_all(5, "--format", "json,md"), [0] * 5)
        code, stderr = run(self.folder, "merge", "parts", "-o", "report")
        self.assertEqual(code, 0, stderr)
        self.assertIn("SAME", stderr)
        shutil.rmtree(self.path("parts", "5"))
        self.assertEqual(run(self.folder, "merge", "parts", "-o", "report")[0], 0)

    def test_a_run_of_one_pair_joins_as_well(self):
        write_runs(self.folder, 1, agree=True)
        compare(self.folder, "-o", "report")
        os.rename(self.path("report"), self.path("one"))
        self.shard_all(2)
        self.assertEqual(run(self.folder, "merge", "parts", "-o", "report")[0], 0)
        self.assert_same_files(self.path("one"), self.path("report"))

    def test_the_history_of_joined_parts_is_that_of_one_process(self):
        write_runs(self.folder, 5)
        compare(self.folder, "--format", "json,html,xlsx", "--history", "one.jsonl", "-o", "report")
        os.rename(self.path("report"), self.path("one"))
        self.shard_all(2, "--format", "json,html,xlsx")
        run(self.folder, "merge", "parts", "--history", "two.jsonl", "-o", "report")
        self.assertTrue(filecmp.cmp(self.path("one.jsonl"), self.path("two.jsonl"), shallow=False))
        for name in ("index.html", "summary.json", "compare.xlsx"):
            self.assertTrue(filecmp.cmp(self.path("one", name), self.path("report", name), shallow=False), name)

    def test_a_missing_part_is_named_and_the_rest_reported(self):
        write_runs(self.folder, 6, agree=True)
        self.shard_all(3, "--format", "json")
        shutil.rmtree(self.path("parts", "2"))
        code, stderr = run(self.folder, "merge", "parts", "-o", "report")
        self.assertEqual(code, 4, stderr)
        self.assertIn("part 2 of 3 is missing: 2 of 6 pairs were not compared", stderr)
        self.assertIn("PARTIAL SAME", stderr)
        summary = self.load("report", "summary.json")
        self.assertEqual(summary["partial"], True)
        self.assertEqual(sum(pair["status"] == "same" for pair in summary["pairs"]), 4)
        self.assertEqual(len(summary["pairs"]), 6)

    def broken(self, change):
        """The message and exit code of a merge of which one shard file was changed as text."""
        path = self.path("parts", "1", "shard-1-of-2.json")
        with open(path, encoding="utf-8") as file:
            whole = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(change(whole))
        result = run(self.folder, "merge", "parts", "-o", "report")
        with open(path, "w", encoding="utf-8") as file:
            file.write(whole)
        return result

    def test_a_broken_part_is_named_and_the_rest_reported(self):
        write_runs(self.folder, 4, agree=True)
        self.shard_all(2, "--format", "json,html")
        changes = {"cut": lambda text: text[:len(text) // 2],
                   "empty": lambda text: "",
                   "another version": lambda text: text.replace('"version": "', '"version": "0.0.', 1),
                   "a status that does not exist": lambda text: text.replace('"status": 1', '"status": 77', 1),
                   "a pair of another part": lambda text: text.replace('"pairs": [', '"pairs": [{"place": 1},', 1),
                   "a text for a number": lambda text: text.replace('"part": 1', '"part": "one"', 1)}
        for what, change in changes.items():
            code, stderr = self.broken(change)
            self.assertEqual(code, 4, what + stderr)
            self.assertIn("shard-1-of-2.json", stderr, what)
            self.assertIn("part 1 of 2 is missing", stderr, what)
        for what, change in changes.items():
            shutil.rmtree(self.path("parts", "2"), ignore_errors=True)
            self.assertEqual(self.broken(change)[0], 3, what)

    def test_a_part_of_other_dumps_of_the_same_sizes_is_left_out(self):
        # A part of an earlier run, whose dumps differed in one digit in the middle of a large file, or in an array.
        write_runs(self.folder, 2, agree=True)
        for name in ("dump.json", "dump_tensor_data/x.npy"):
            shutil.rmtree(self.path("parts"), ignore_errors=True)
            path = self.path("target", "step0", "rank0", name)
            if name == "dump.json":
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                whole = text.replace('"data": {', '"data": {' + " " * 700000 + " " * 700000, 1).encode()
            else:
                os.makedirs(os.path.dirname(path))
                whole = b"\x93NUMPY" + bytes(64)
            for half in (whole, whole[:len(whole) // 2] + b"\t" + whole[len(whole) // 2 + 1:]):
                with open(path, "wb") as file:
                    file.write(half)
                part = 1 if half is whole else 2
                compare(self.folder, "--format", "json", "--shard", f"{part}/2", "-o", os.path.join("parts", str(part)))
            code, stderr = run(self.folder, "merge", "parts", "-o", "report")
            self.assertEqual(code, 4, name)
            self.assertIn("its dumps held other values", stderr, name)

    def test_a_part_cut_anywhere_is_refused(self):
        write_runs(self.folder, 2, agree=True)
        self.shard_all(2, "--format", "json")
        with open(self.path("parts", "1", "shard-1-of-2.json"), encoding="utf-8") as file:
            size = len(file.read())
        for at in range(0, size - 1, 4999):
            code, stderr = self.broken(lambda text, end=at: text[:end])
            self.assertEqual(code, 4, stderr)

    def test_no_file_outside_the_folder_of_the_shard_is_taken(self):
        write_runs(self.folder, 4, agree=True)
        self.shard_all(2, "--format", "csv,json")
        with open(self.path("secret.csv"), "w", encoding="utf-8") as file:
            file.write("secret")
        shard = self.load("parts", "1", "shard-1-of-2.json")
        name = shard["pairs"][0]["written"][0]["name"]
        code, stderr = self.broken(lambda text: text.replace(f'"{name}"', '"../../secret.csv"'))
        self.assertEqual(code, 4, stderr)
        os.remove(self.path("parts", "1", name))
        os.symlink(self.path("secret.csv"), self.path("parts", "1", name))
        code, stderr = run(self.folder, "merge", "parts", "-o", "report2")
        self.assertEqual(code, 4, stderr)
        self.assertNotIn(name, files_of(self.path("report2")))

    def test_a_changed_file_of_a_pair_is_named_and_left_out(self):
        write_runs(self.folder, 4, agree=True)
        self.shard_all(2, "--format", "csv,json")
        name = self.load("parts", "1", "shard-1-of-2.json")["pairs"][0]["written"][0]["name"]
        with open(self.path("parts", "1", name), "a", encoding="utf-8") as file:
            file.write("x")
        code, stderr = run(self.folder, "merge", "parts", "-o", "report")
        self.assertEqual(code, 4, stderr)
        self.assertIn("this file is not what the shard wrote", stderr)
        self.assertNotIn(name, files_of(self.path("report")))

    def test_a_part_brings_nothing_that_runs_into_the_report(self):
        """Script in a picture, formula in a table and in a workbook, a name that no pair has: checksums right."""
        write_runs(self.folder, 14)
        self.shard_all(1, "--format", "html,json,csv,svg,xlsx,png,nodes", "--all-pictures")
        clean = run(self.folder, "merge", "parts", "-o", "clean")[1]
        rank = "step0-rank13"
        hostile = {f"graph-{rank}.svg": lambda data: data.replace(b"</svg>", b"<script>alert(1)</script></svg>"),
                   f"card-{rank}.svg": lambda data: data.replace(b"<rect ", b'<rect onclick="x()" ', 1),
                   f"profile-{rank}.svg": lambda data: data.replace(b"<style>", b"<style>@import 'http://x';"),
                   f"rows-{rank}.csv": lambda data: data + b"=HYPERLINK(1)\n",
                   f"compare-{rank}.xlsx": formula_in_book, "compare-step0-rank4.xlsx": computing_condition,
                   f"graph-{rank}.png": lambda data: data + b"<script>",
                   f"nodes-{rank}.json": lambda data: b"<script>",
                   "index.svg": lambda data: b"<svg/>"}
        shard = self.load("parts", "1", "shard-1-of-1.json")
        pair = next(p for p in shard["pairs"] if any(rank in file["name"] for file in p["written"]))
        pair["written"].append({"name": "index.svg"})
        pair["files"].append({"format": "svg", "file": "index.svg"})
        for file in [file for p in shard["pairs"] for file in p["written"]]:
            if file["name"] not in hostile:
                continue
            path = self.path("parts", "1", file["name"])
            data = b""
            if os.path.exists(path):
                with open(path, "rb") as opened:
                    data = opened.read()
            changed = hostile[file["name"]](data)
            self.assertNotEqual(changed, data)
            file["bytes"], file["crc32c"] = len(changed), crc32c(changed)
            with open(path, "wb") as out:
                out.write(changed)
        with open(self.path("parts", "1", "shard-1-of-1.json"), "w", encoding="utf-8") as file:
            json.dump(shard, file)
        code, stderr = run(self.folder, "merge", "parts", "-o", "report")
        self.assertEqual(code, 1, stderr)
        self.assertNotIn("not what the shard wrote", stderr)
        listed = json.dumps(self.load("report", "summary.json")["pairs"])
        for name in hostile:
            self.assertIn(name, stderr)
            self.assertNotIn(name, clean)
            self.assertNotIn(name, files_of(self.path("report")))
            self.assertNotIn(f'"{name}"', listed)
            if name != "index.svg":
                self.assertIn(name, files_of(self.path("clean")))
        for said in ("this picture has something", "a cell of this table", "this workbook has something",
                     "none that vernier writes", "that this pair never has"):
            self.assertIn(said, stderr)

    def test_a_page_of_a_part_is_the_template_around_known_elements(self):
        write_runs(self.folder, 6)
        self.shard_all(1, "--format", "html,json")
        name = "page-step0-rank4.html"
        path = self.path("parts", "1", name)
        with open(path, "rb") as file:
            data = file.read()
        changes = {
            "nothing": lambda page: page,
            "script": lambda page: page.replace(b"<footer>", b"<script>alert(1)</script><footer>"),
            "own script": lambda page: page.replace(b"<script>", b"<script>alert(1);"),
            "policy": lambda page: page.replace(b"default-src 'none'", b"default-src 'self'"),
            "refresh": lambda page: page.replace(b"</h1>", b'</h1><meta http-equiv="refresh" content="0;url=http://x"/>'),
            "form": lambda page: page.replace(b"<footer>", b'<form action="http://x"></form><footer>'),
            "event": lambda page: page.replace(b"<footer>", b'<p onclick="x()"></p><footer>'),
            "link outside": lambda page: page.replace(b'href="index.html"', b'href="http://x"'),
            "link to a script": lambda page: page.replace(b'href="index.html"', b'href="javascript:x()"'),
            "style": lambda page: page.replace(b"<footer>", b"<style>*{background:url(http://x)}</style><footer>"),
            "comment": lambda page: page.replace(b"<footer>", b"<!-- x --><footer>"),
            "title": lambda page: page.replace(b"</title>", b"</title><base href='http://x'/>", 1),
            "skip link": lambda page: page.replace(b"</a>\n<main>", b"</a><object data='x'></object>\n<main>", 1),
            "behind": lambda page: page + b"<p>x</p>",
            "cut": lambda page: page[:-9],
            "empty": lambda page: b""}
        for what, change in changes.items():
            with self.subTest(what):
                changed = change(data)
                self.assertEqual(changed == data, what == "nothing")
                with open(path, "wb") as out:
                    out.write(changed)
                shard = self.load("parts", "1", "shard-1-of-1.json")
                file = next(f for p in shard["pairs"] for f in p["written"] if f["name"] == name)
                file["bytes"], file["crc32c"] = len(changed), crc32c(changed)
                with open(self.path("parts", "1", "shard-1-of-1.json"), "w", encoding="utf-8") as out:
                    json.dump(shard, out)
                _, stderr = run(self.folder, "merge", "parts", "-o", "report")
                self.assertEqual("this page is none that vernier writes" in stderr, what != "nothing", stderr)
                self.assertEqual(name in files_of(self.path("report")), what == "nothing")
                shutil.rmtree(self.path("report"))

    def test_a_carriage_return_does_not_bring_a_formula_into_a_table(self):
        """To a spreadsheet it ends a row: what stands behind it is a cell."""
        for end in (b"a\r=1+1\n", b'"a\r=1+1"\n', b"a\x0b=1+1\n"):
            with self.subTest(end):
                for name in os.listdir(self.folder):
                    shutil.rmtree(self.path(name))
                write_runs(self.folder, 4, agree=True)
                self.shard_all(1, "--format", "json,csv")
                shard = self.load("parts", "1", "shard-1-of-1.json")
                file = next(f for p in shard["pairs"] for f in p["written"] if f["name"].endswith(".csv"))
                with open(self.path("parts", "1", file["name"]), "rb") as opened:
                    data = opened.read() + end
                file["bytes"], file["crc32c"] = len(data), crc32c(data)
                with open(self.path("parts", "1", file["name"]), "wb") as out:
                    out.write(data)
                with open(self.path("parts", "1", "shard-1-of-1.json"), "w", encoding="utf-8") as out:
                    json.dump(shard, out)
                _, stderr = run(self.folder, "merge", "parts", "-o", "report")
                self.assertIn("a cell of this table is one that a spreadsheet runs", stderr)
                self.assertNotIn(file["name"], files_of(self.path("report")))

    def test_doubled_parts_and_parts_of_other_runs_are_named(self):
        write_runs(self.folder, 4, agree=True)
        self.shard_all(2, "--format", "json")
        shutil.copytree(self.path("parts", "1"), self.path("parts", "again"))
        code, stderr = run(self.folder, "merge", "parts", "-o", "report")
        self.assertEqual(code, 0, stderr)
        self.assertIn("part 1 is there twice with the same content", stderr)
        shutil.rmtree(self.path("parts", "again"))
        compare(self.folder, "--format", "json", "--overflow", "--shard", "1/2", "-o", "parts/other")
        code, stderr = run(self.folder, "merge", "parts", "-o", "report")
        self.assertEqual(code, 4, stderr)
        self.assertIn("this shard belongs to another run and is left out: it was made with other options", stderr)

    def test_mappings_of_all_parts_are_those_of_one_process(self):
        write_runs(self.folder, 4, agree=True)
        for rank in range(4):
            file = self.path("target", "step0", f"rank{rank}", "dump.json")
            with open(file, encoding="utf-8") as opened:
                text = opened.read().replace("layers.1.", "blocks.%d." % (rank + 1))
            with open(file, "w", encoding="utf-8") as out:
                out.write(text)
            for name in ("construct.json", "stack.json"):
                os.remove(self.path("target", "step0", f"rank{rank}", name))
        options = ("--write-mapping", "rows.yaml", "--write-layer-mapping", "layers.yaml")
        compare(self.folder, *options, "-o", "whole")
        whole = []
        for name in ("rows.yaml", "layers.yaml"):
            with open(self.path(name), encoding="utf-8") as file:
                whole.append(file.read())
        self.assertIn("blocks.4", whole[0])
        for name in ("rows.yaml", "layers.yaml"):
            os.remove(self.path(name))
        self.shard_all(3, *options)
        self.assertNotIn("rows.yaml", files_of(self.folder))
        # No path comes from a part: whoever merges says where to write.
        code, stderr = run(self.folder, "merge", "parts", "-o", "report")
        self.assertIn("give --write-mapping to merge", stderr)
        self.assertNotIn("rows.yaml", files_of(self.folder))
        code, stderr = run(self.folder, "merge", "parts", *options, "-o", "report")
        self.assertIn(code, (0, 1), stderr)
        for name, text in zip(("rows.yaml", "layers.yaml"), whole):
            with open(self.path(name), encoding="utf-8") as file:
                self.assertEqual(file.read(), text, name)
        run(self.folder, "merge", "parts", "--write-mapping", "other.yaml", "-o", "report")
        self.assertIn("other.yaml", files_of(self.folder))

    def test_a_mapping_that_no_part_noted_is_refused(self):
        write_runs(self.folder, 2, agree=True)
        self.shard_all(2)
        code, stderr = run(self.folder, "merge", "parts", "--write-mapping", "x.yaml", "-o", "report")
        self.assertEqual(code, 2, stderr)
        self.assertIn("--write-mapping: the parts were made without it", stderr)

    def test_a_pair_with_many_tensors_is_a_part_of_its_own(self):
        write_runs(self.folder, 4, agree=True)
        for side in ("golden", "target"):
            tensors = self.path(side, "step0", "rank1", "dump_tensor_data")
            os.makedirs(tensors)
            for i in range(200):
                with open(os.path.join(tensors, "%d.npy" % i), "wb") as file:
                    file.write(bytes(1000))
        _, heavy = compare(self.folder, "--shard", "1/2", "-o", "x")
        _, light = compare(self.folder, "--shard", "2/2", "-o", "x")
        self.assertIn("part 1 of 2, 1 of 4 pairs", heavy)
        self.assertIn("part 2 of 2, 3 of 4 pairs", light)

    def test_wrong_usage_exits_2(self):
        write_runs(self.folder, 1, agree=True)
        for value in ("0/2", "3/2", "1", "a/b", "1/2/3", "-1/2", "1/9999999"):
            self.assertEqual(compare(self.folder, "--shard", value, "-o", "x")[0], 2, value)
        self.assertEqual(compare(self.folder, "--shard", "1/2", "-o", "x.svg")[0], 2)
        self.assertEqual(compare(self.folder, "--shard", "1/2", "--format", "vis-db", "-o", "x")[0], 2)
        self.assertEqual(compare(self.folder, "--shard", "1/2", "--history", "h", "-o", "x")[0], 2)
        self.assertEqual(run(self.folder, "merge")[0], 2)
        code, said = run(self.folder, "merge", "golden", "target")
        self.assertEqual(code, 3)
        self.assertIn("hint: parts are made by: vernier compare GOLDEN TARGET --shard I/N -o DIR/", said)
        self.assertEqual(run(self.folder, "merge", "nothing")[0], 3)


if __name__ == "__main__":
    main()
