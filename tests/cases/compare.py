#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command `vernier compare` as its users call it: exit codes, files, the same bytes again.

VERNIER names the program, SAMPLES the folder of samples.
"""
import csv
import filecmp
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import xml.dom.minidom

from program import Case, SAMPLES, VERNIER, crc32c, main, run, shown_on

GPT = (os.path.join(SAMPLES, "gpt", "golden"), os.path.join(SAMPLES, "gpt", "target"))
RANKS = (os.path.join(SAMPLES, "ranks", "golden"), os.path.join(SAMPLES, "ranks", "target"))


def files_below(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names)


class Compare(Case):
    def summary(self):
        with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as file:
            return json.load(file)

    def copy(self, source):
        to = os.path.join(self.folder, "copy%d" % len(os.listdir(self.folder)))
        shutil.copytree(source, to)
        return to

    def test_a_planted_kernel_defect_is_named_and_exits_1(self):
        code, stdout, stderr = run("compare", *GPT, "-o", self.out, "--format", "json")
        self.assertEqual((code, stdout.count("\n")), (1, 1))
        last = stderr.strip().split("\n")[-1]
        self.assertTrue(last.startswith("DIVERGES  at Functional.linear.8.forward (blocks.2.attn.qkv), step 0, rank 0: inputs agree"), last)
        first = self.summary()["pairs"][0]["first_divergence"]
        self.assertEqual((first["kind"], first["slot"]), ("output", "output.0"))
        self.assertEqual(first["module"], "Module.blocks.2.attn.qkv.Linear.forward.0")
        self.assertEqual(self.summary()["verdict"], last)

    def test_a_run_against_itself_is_the_same_exits_0_and_says_so(self):
        os.symlink(GPT[0], self.path("link"))
        for twice, other in ((GPT[0], GPT[0]), (self.path("link"), GPT[0]), (os.path.join(GPT[0], "step0", "rank0", "dump.json"), GPT[0]),
                             (shutil.copytree(GPT[0], self.path("copy")), GPT[0])):
            code, _, stderr = run("compare", twice, other, "-o", self.out, "--format", "json")
            self.assertEqual(code, 0)
            self.assertIn("SAME      bit for bit", stderr)
            self.assertEqual("golden and target are the same dump" in stderr, twice != self.path("copy"))
        self.assertEqual(self.summary()["status"], "same")

    def test_runs_of_other_steps_are_told_what_each_has_and_how_two_dumps_are_compared(self):
        other = shutil.copytree(RANKS[1], self.path("other"))
        os.rename(os.path.join(other, "step0"), os.path.join(other, "step7"))
        code, _, stderr = run("compare", RANKS[0], other, "-o", self.out, "--format", "json")
        self.assertEqual(code, 3)
        self.assertTrue(stderr.strip().endswith("PARTIAL NOT COMPARED  the two runs share no step and rank: golden has step 0, rank 0 "
                                                "and 3 more, the target step 7, rank 0 and 3 more."), stderr)
        told = re.search(r"two dumps are compared by: vernier (.*)", stderr).group(1).split()
        code, _, stderr = run(*told, "-o", self.out, "--format", "json")
        self.assertIn("step 7, rank 0 of the target is compared with step 0, rank 0 of golden", stderr)
        self.assertEqual(code, 1)

    def test_a_checkpoint_against_itself_says_that_nothing_else_was_compared(self):
        maker = os.path.join(SAMPLES, "mindspore-checkpoint", "make-checkpoints.py")
        subprocess.run([sys.executable, maker, self.path("w")], check=True)
        one = shutil.copy(self.path("w", "golden.safetensors"), self.path("one.safetensors"))
        for target, same in ((one, True), (self.path("w", "golden.safetensors"), False)):
            code, _, stderr = run("compare", one, target, "-o", self.out, "--format", "json")
            self.assertEqual((code, "golden and target are the same: nothing else was compared" in stderr), (0, same))

    def test_of_four_ranks_the_one_whose_input_differs_is_the_origin(self):
        code, _, stderr = run("compare", *RANKS, "-o", self.out, "--format", "json")
        self.assertEqual(code, 1)
        self.assertIn("rank 2: input.0 differs", stderr)
        self.assertIn("4 of 4 ranks", stderr)
        self.assertEqual([p["rank"] for p in self.summary()["pairs"]], [0, 1, 2, 3])

    def some_ranks(self):
        """Rank 0 agrees with itself, rank 1 does not, of rank 2 the target breaks off."""
        for side, sources in (("golden", (0, 0, 0)), ("target", (0, 1, 0))):
            for rank, source in enumerate(sources):
                shutil.copytree(os.path.join(GPT[source], "step0", "rank0"), self.path(side, "step0", "rank%d" % rank))
        path = self.path("target", "step0", "rank2", "dump.json")
        with open(path, "r+", encoding="utf-8") as file:
            file.truncate(os.path.getsize(path) // 2)
        return self.path("golden"), self.path("target")

    def pair_files(self, *options):
        """The files of the pairs, and those that summary.json names."""
        shutil.rmtree(self.out, ignore_errors=True)
        run("compare", *self.sides, "-o", self.out, *options)
        named = {name for pair in self.summary()["pairs"] for name in pair["files"].values()}
        self.assertEqual(named - set(os.listdir(self.out)), set())
        return {name for name in os.listdir(self.out) if "-rank" in name}, named

    def test_pictures_and_workbooks_are_those_of_pairs_that_differ_or_of_all_that_are_asked_for(self):
        self.sides = self.some_ranks()
        books = {"compare-step0-rank%d.xlsx" % rank for rank in range(3)}
        written, named = self.pair_files()
        self.assertEqual({name for name in written if name.endswith(".xlsx")}, books - {"compare-step0-rank0.xlsx"})
        self.assertFalse({name for name in written if "rank0" in name})
        self.assertIn("graph-step0-rank1.svg", written)
        self.assertTrue(named <= written)
        for name in ("overview.svg", "index.html"):
            with open(os.path.join(self.out, name), encoding="utf-8") as file:
                text = file.read()
            self.assertTrue(all("rank %d" % rank in text for rank in range(3)), name)
        written, named = self.pair_files("--all-pictures")
        self.assertTrue(books < written)
        self.assertIn("graph-step0-rank0.svg", written & named)
        written, _ = self.pair_files("--format", "xlsx,json")
        self.assertEqual(written, books)

    def test_of_pairs_that_are_alike_one_is_shown_and_the_others_lead_to_it(self):
        tensor = '{"type": "torch.Tensor", "dtype": "torch.float32", "shape": [4], "Max": 1, "Min": -1, "Mean": 0.1, "Norm": %g}'
        for rank in range(40):
            for side, norm in (("golden", 1.0), ("target", 1.5 + rank / 100 if rank != 13 else 1.0)):
                to = os.path.join(self.folder, "alike", side, "step0", "rank%d" % rank)
                os.makedirs(to)
                with open(os.path.join(to, "dump.json"), "w", encoding="utf-8") as file:
                    file.write('{"task": "statistics", "level": "L1", "framework": "pytorch", "dump_data_dir": null, "data": '
                               '{"Functional.linear.0.forward": {"input_args": [%s], "input_kwargs": {}, "output": [%s]}}}'
                               % (tensor % 1, tensor % norm))
        self.sides = [os.path.join(self.folder, "alike", side) for side in ("golden", "target")]
        written, _ = self.pair_files()
        self.assertEqual({re.search(r"rank\d+", name)[0] for name in written if "-rank" in name}, {"rank0"})
        self.assertLessEqual(len(written), 30)
        self.assertEqual(set(re.findall(r'href="(page-[^"]*)"', self.read_out("index.html"))), {"page-step0-rank0.html"})
        self.assertIn("| 0 | 0–12, 14–39 | 39 | **error** | `Functional.linear.0.forward` |", self.read_out("summary.md"))

    def test_of_two_reports_it_says_what_is_new_and_what_was_fixed(self):
        self.sides = self.some_ranks()
        good, bad = os.path.join(self.folder, "good"), os.path.join(self.folder, "bad")
        run("compare", self.sides[0], self.sides[0], "-o", good)
        run("compare", *self.sides, "-o", bad)
        code, said, _ = run("compare", good, os.path.join(bad, "summary.json"), "-o", self.out)
        self.assertEqual(code, 1)
        self.assertRegex(said, r"^PARTIAL WORSE +\d new")
        self.assertRegex(self.read_out("summary.md"), r"\*\*new\*\* \| step 0, rank 1 \| 1 \| 1 \| same \| error \|")
        code, said, _ = run("compare", bad, good, "-o", self.out)
        self.assertEqual((code, said.split()[0]), (0, "BETTER"), said)
        self.assertEqual(run("compare", bad, bad, "-o", self.out)[0], 4)  # of rank 2 the target breaks off
        run("check", self.sides[0], "-o", os.path.join(self.folder, "check"))
        self.assertEqual(run("compare", bad, os.path.join(self.folder, "check"), "-o", self.out)[0], 3)

    def test_of_two_reports_the_verdict_is_as_wide_as_the_second(self):
        def report(name, status, partial=False):
            first = {"target": "a"} if status == "error" else None
            pairs = [{"step": 0, "rank": 0, "status": status, "first_divergence": first}]
            return self.write(name + ".json", json.dumps({"schema": "vernier.compare/1", "status": status, "partial": partial, "verdict": "x",
                                                          "pairs": pairs}))
        whole, part = report("whole", "same"), report("part", "same", True)
        unknown, wrong = report("unknown", "no data"), report("wrong", "error")
        for before, now, code, word in ((whole, part, 4, "PARTIAL UNCHANGED"), (part, whole, 0, "UNCHANGED"), (unknown, unknown, 4, "PARTIAL UNCHANGED"), (unknown, wrong, 1, "WORSE"),
                                        (wrong, unknown, 1, "WORSE"), (unknown, whole, 0, "BETTER")):
            got, said, _ = run("compare", before, now, "-o", self.out)
            self.assertEqual((got, said.startswith(word)), (code, True), said)

    def read_out(self, name):
        with open(os.path.join(self.out, name), encoding="utf-8") as file:
            return file.read()

    def test_of_several_pairs_those_that_differ_or_all_that_are_asked_for_have_a_page_that_the_index_leads_to(self):
        self.sides = self.some_ranks()
        for more, ranks in (((), [1]), (("--all-pictures",), [0, 1, 2])):
            self.pair_files("--format", "html,json,svg", *more)
            pages = ["page-step0-rank%d.html" % rank for rank in ranks]
            self.assertEqual(sorted(name for name in os.listdir(self.out) if name.endswith(".html")), ["index.html"] + pages)
            self.assertEqual(sorted(set(re.findall(r'href="(page-[^"]*)"', self.read_out("index.html")))), pages)
            self.assertEqual([pair["files"].get("html") for pair in self.summary()["pairs"] if "html" in pair["files"]], pages)
            self.assertTrue(all(self.listed().count(name) == 1 for name in pages))
        page = self.read_out("page-step0-rank1.html")
        self.assertIn('<a href="index.html">All pairs</a>', page)
        self.assertIn("step 0, rank 1", page)
        self.assertNotIn("rank 0", page)
        self.assertIn('id="op-index"', page)
        self.pair_files("--format", "html,json", "--lang", "zh", "--redact")
        page = self.read_out("page-step0-rank1.html")
        self.assertIn('<a href="index.html">全部数据对</a>', page)
        self.assertNotIn(self.folder, page)

    def test_layers_in_a_row_that_are_equal_are_one_row_of_the_page(self):
        run("compare", GPT[0], GPT[0], "-o", self.out, "--format", "html")
        page = self.read_out("index.html")
        table = page[page.index('<table aria-label="Layers">'):]
        rows = re.findall("<tr>.*</tr>", table[:table.index("</table>")])
        self.assertEqual(len(rows), 2, rows)
        self.assertIn("blocks.0 … blocks.3 ×4", rows[1])
        self.assertEqual(re.findall(r'<td class="n">([^<]*)</td>', rows[1]), ["·", "·", "108", "=", "—"])
        run("compare", *GPT, "-o", self.out, "--format", "html")
        self.assertNotIn("×", self.read_out("index.html").split('id="layers"')[1].split("</table>")[0])

    def test_where_there_is_one_page_no_pair_has_its_own(self):
        self.sides = self.some_ranks()
        self.pair_files("--format", "html,json", "--html", "folder", "--all-pictures")
        self.assertEqual([name for name in os.listdir(self.out) if name.endswith(".html")], ["index.html"])
        shutil.rmtree(self.out)
        run("compare", *GPT, "-o", self.out, "--format", "html", "--all-pictures")
        self.assertEqual([name for name in os.listdir(self.out) if name.endswith(".html")], ["index.html"])

    def test_a_workbook_is_named_only_where_it_is_written(self):
        self.sides = self.some_ranks()
        for formats, named in (("html,svg", False), ("html,md", False), ("svg,json", False), ("html,svg,xlsx", True)):
            shutil.rmtree(self.out, ignore_errors=True)
            run("compare", *self.sides, "-o", self.out, "--format", formats)
            for name in set(os.listdir(self.out)) & {"index.html", "graph-step0-rank1.svg"}:
                with open(os.path.join(self.out, name), encoding="utf-8") as file:
                    text = file.read()
                self.assertEqual("compare-step0-rank1.xlsx" in text, named, (formats, name))
                self.assertEqual("in the workbook" in text, False, (formats, name))
        picture = self.path("bug.svg")
        for more, book in (((), None), (("-o", self.path("bug.xlsx")), "bug.xlsx")):
            run("compare", *GPT, "-o", picture, *more)
            with open(picture, encoding="utf-8") as file:
                text = file.read()
            self.assertEqual(re.findall(r"is in (\S+\.xlsx)", text), [book] if book else [])

    def strip_values(self, side):
        shutil.copytree(GPT[0], self.path(side))
        path = self.path(side, "step0", "rank0", "dump.json")
        with open(path, encoding="utf-8") as file:
            dump = json.load(file)

        def strip(value):
            if isinstance(value, dict) and "Mean" in value:
                value.update({key: None for key in ("Max", "Min", "Mean", "Norm")})
            for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
                strip(part)
        for name, op in dump["data"].items():
            if "parameters_grad" not in name:
                strip(op)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(dump, file)

    def test_tensors_of_which_neither_side_tells_a_value_are_said(self):
        for side in ("bare", "other"):
            self.strip_values(side)
        code, _, said = run("compare", self.path("bare"), self.path("other"), "-o", self.out)
        self.assertEqual(code, 0, said)
        self.assertIn("bit for bit: 223 of 1,276 slots. Neither dump holds values of 1,053 tensors.", said)
        self.assertEqual(self.summary()["pairs"][0]["coverage"]["untold"], 1053)
        with open(os.path.join(self.out, "index.html"), encoding="utf-8") as file:
            self.assertIn("neither side holds values of 1,053 tensors", file.read())

    def on_terminal(self, *arguments, **environment):
        """What standard error shows where it is a terminal."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([VERNIER, *arguments], stdout=subprocess.DEVNULL, stderr=theirs,
                                   env={**os.environ, "LC_ALL": "C", "TERM": "xterm", **environment})
        return shown_on(ours, theirs, process).decode()

    def test_progress_tells_what_is_written_and_nothing_of_it_stays(self):
        sides = self.some_ranks()
        told = run("compare", *sides, "-o", self.out, VERNIER_PROGRESS="lines")[2]
        self.assertRegex(told, r"progress 3 3 \n(?s:.*)progress 3 3 graph-step0-rank1\.svg\n(?s:.*)progress 3 3 index\.html\n")
        shown = self.on_terminal("compare", *sides, "-o", self.out).rpartition("\r\x1b[K")[2]
        self.assertNotIn("pairs done", shown)
        self.assertIn("the file breaks off here", shown)
        for quiet in (self.on_terminal("compare", *sides, "-o", self.out, "-q"),
                      self.on_terminal("compare", *sides, "-o", self.out, TERM="dumb"),
                      run("compare", *sides, "-o", self.out)[2]):
            self.assertNotIn("pairs done", quiet)
        self.assertNotIn("writing", self.on_terminal("compare", *sides, "-o", "-"))
        failed = self.on_terminal("compare", *sides, "-o", os.path.join(self.out, "a.docx", "b.svg"), "--focus", "nowhere")
        self.assertNotIn("pairs done", failed.rpartition("\r\x1b[K")[2])

    def test_usage_errors_exit_2(self):
        for arguments in ([], [GPT[0]], [*GPT, "third"], [*GPT, "--nonsense"], [*GPT, "--format", "docx"],
                          [*GPT, "--rules", "mine"], [*GPT, "--jobs", "two"], [*GPT, "--step", "x-y"]):
            code, stdout, stderr = run("compare", *arguments, "-o", self.out)
            self.assertEqual((code, stdout), (2, ""), arguments)
            self.assertTrue(stderr.startswith("vernier: error: "), stderr)

    def test_inputs_that_hold_no_dump_exit_3(self):
        for bad in (os.path.join(self.folder, "absent"), self.folder, __file__):
            code, _, stderr = run("compare", bad, GPT[1], "-o", self.out)
            self.assertEqual(code, 3, stderr)
            self.assertIn(os.path.basename(bad), stderr)

    def test_nothing_in_common_is_not_compared(self):
        other = self.copy(GPT[1])
        path = os.path.join(other, "step0", "rank0", "dump.json")
        with open(path, encoding="utf-8") as file:
            text = file.read().replace(".forward", ".sideways").replace(".backward", ".upwards")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("Functional.", "X.").replace("Module.", "Y.").replace("Tensor.", "Z.").replace("Torch.", "W."))
        code, _, stderr = run("compare", GPT[0], other, "-o", self.out, "--format", "json")
        self.assertEqual(code, 3)
        self.assertIn("NOT COMPARED", stderr)

    def test_a_truncated_dump_is_partial_and_exits_4(self):
        cut = self.copy(GPT[0])
        path = os.path.join(cut, "step0", "rank0", "dump.json")
        with open(path, "r+b") as file:
            file.truncate(200000)
        code, _, stderr = run("compare", GPT[0], cut, "-o", self.out, "--format", "json")
        summary = self.summary()
        self.assertTrue(summary["partial"])
        self.assertIn("PARTIAL SAME", stderr.strip().split("\n")[-1])
        said = run("compare", GPT[0], cut, "-o", self.out, "--format", "json", "--lang", "zh")[2].strip().split("\n")[-1]
        self.assertTrue(said.startswith("不完整 完全相同  逐位一致"), said)
        self.assertEqual(summary["pairs"][0]["counts"]["unmatched_golden"], 0)
        self.assertIsInstance(summary["pairs"][0]["read"][1]["partial_at_byte"], int)
        self.assertEqual(code, 4)

    def test_a_rank_that_is_missing_does_not_stop_the_others(self):
        target = self.copy(RANKS[0])
        shutil.rmtree(os.path.join(target, "step0", "rank1"))
        code, _, stderr = run("compare", RANKS[0], target, "-o", self.out, "--format", "json")
        self.assertEqual(code, 4, stderr)
        self.assertEqual([p["status"] for p in self.summary()["pairs"]], ["same", "no data", "same", "same"])

    def test_html_folder_links_files_that_are_there(self):
        run("compare", *GPT, "-o", self.out, "--format", "html", "--html", "folder")
        with open(os.path.join(self.out, "index.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertNotIn("<script", page)
        self.assertNotIn(" style=", page)
        linked = [part.split('"')[0] for part in page.split(' src="')[1:]]
        self.assertGreaterEqual(len(linked), 3)
        for name in linked + ["page.css"]:
            self.assertTrue(os.path.exists(os.path.join(self.out, name)), name)
        code, _, stderr = run("compare", *GPT, "-o", os.path.join(self.out, "x.html"), "--html", "folder")
        self.assertEqual(code, 2, stderr)

    def test_an_output_that_cannot_be_written_exits_5(self):
        blocker = os.path.join(self.folder, "file")
        open(blocker, "w").close()
        code, _, stderr = run("compare", *GPT, "-o", os.path.join(blocker, "sub"), "--format", "json")
        self.assertEqual(code, 5, stderr)

    def test_single_files_take_their_format_from_the_extension(self):
        wanted = [os.path.join(self.folder, name) for name in ("bug.svg", "bug.png", "bug.md", "bug.json", "bug.html", "bug.xlsx")]
        code, _, stderr = run("compare", *GPT, *[x for path in wanted for x in ("-o", path)])
        self.assertEqual(code, 1, stderr)
        for path in wanted:
            self.assertGreater(os.path.getsize(path), 500, path)
        document = xml.dom.minidom.parse(wanted[0])
        title = document.getElementsByTagName("title")[0].firstChild.data
        self.assertTrue(title.startswith("Divergence tree: DIVERGES  at Functional.linear.8.forward"), title)

    def test_standard_output_carries_only_what_was_asked_for(self):
        code, stdout, _ = run("compare", *GPT, "-o", "-", "--format", "json")
        self.assertEqual(code, 1)
        self.assertEqual(json.loads(stdout)["schema"], "vernier.compare/1")

    def test_the_default_set_of_files_is_complete(self):
        code, _, stderr = run("compare", *GPT, "-o", self.out)
        self.assertEqual(code, 1, stderr)
        names = files_below(self.out)
        for name in ("index.html", "summary.json", "summary.md", "compare.xlsx", "graph-step0-rank0.svg",
                     "graph-step0-rank0.png", "card-step0-rank0.svg", "card-step0-rank0.png",
                     "profile-step0-rank0.svg", "profile-step0-rank0.png"):
            self.assertIn(name, names)
        self.assertLess(os.path.getsize(os.path.join(self.out, "index.html")), 2 << 20)
        self.assertLess(os.path.getsize(os.path.join(self.out, "summary.md")), 60000)
        self.assertLess(os.path.getsize(os.path.join(self.out, "graph-step0-rank0.svg")), 300 << 10)

    def test_csv_and_nodes_come_on_request(self):
        code, _, stderr = run("compare", *GPT, "-o", self.out, "--format", "csv,nodes")
        self.assertEqual(code, 1, stderr)
        with open(os.path.join(self.out, "rows-step0-rank0.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows[0][0], "NPU Name")
        self.assertTrue(any(row[0] == "Functional.linear.8.forward.output.0" for row in rows))
        with open(os.path.join(self.out, "nodes-step0-rank0.json"), encoding="utf-8") as file:
            nodes = json.load(file)
        self.assertEqual(nodes["target"][-1]["id"], "DefaultModel")

    def test_the_rows_of_several_pairs_are_one_table_with_step_and_rank(self):
        alone, table, again = self.path("alone.csv"), self.path("all.csv"), self.path("again.csv")
        code, _, stderr = run("compare", *RANKS, "-o", table, "--jobs", "1")
        self.assertEqual(code, 1, stderr)
        run("compare", *RANKS, "--rank", "2", "-o", alone)
        run("compare", *RANKS, "-o", again, "--jobs", "4")
        self.assertTrue(filecmp.cmp(table, again, shallow=False))
        with open(table, encoding="utf-8") as file:
            self.assertEqual(run("compare", *RANKS, "-o", "-", "--format", "csv")[1], file.read())
        rows, one = ([*csv.reader(open(path, newline="", encoding="utf-8"))] for path in (table, alone))
        self.assertEqual(rows[0], ["Step", "Rank", *one[0]])
        self.assertEqual([row[2:] for row in rows if row[:2] == ["0", "2"]], one[1:])
        self.assertEqual([x for i, x in enumerate(row[1] for row in rows[1:]) if i % (len(one) - 1) == 0], ["0", "1", "2", "3"])

    def listed(self):
        with open(os.path.join(self.out, ".vernier-files"), encoding="utf-8") as file:
            return [line.split("\t")[0] for line in file.read().splitlines()]

    def test_files_of_an_earlier_comparison_go_and_those_of_the_user_stay(self):
        code, _, stderr = run("compare", *RANKS, "-o", self.out)
        self.assertEqual(code, 1, stderr)
        self.assertIn("card-step0-rank2.png", os.listdir(self.out))
        self.write("out/notes.txt", "mine")
        code, _, stderr = run("compare", GPT[0], GPT[0], "-o", self.out)
        self.assertEqual(code, 0, stderr)
        fresh = self.path("fresh")
        run("compare", GPT[0], GPT[0], "-o", fresh)
        self.assertEqual(files_below(self.out), sorted([*files_below(fresh), "notes.txt"]))
        self.assertEqual(self.listed(), [name for name in files_below(fresh) if name != ".vernier-files"])

    def test_a_file_that_the_user_has_edited_stays_and_an_untouched_one_goes(self):
        run("compare", *RANKS, "-o", self.out)
        with open(os.path.join(self.out, "graph-step0-rank2.svg"), "a", encoding="utf-8") as file:
            file.write("<!-- mine -->")
        with open(os.path.join(self.out, "card-step0-rank2.svg"), "r+", encoding="utf-8") as file:
            file.write("<!")  # of the same size
        code, _, stderr = run("compare", GPT[0], GPT[0], "-o", self.out)
        self.assertEqual(code, 0, stderr)
        left = set(os.listdir(self.out))
        self.assertLessEqual({"graph-step0-rank2.svg", "card-step0-rank2.svg"}, left)
        self.assertNotIn("graph-step0-rank2.png", left)
        self.assertNotIn("graph-step0-rank2.svg", self.listed())

    def test_runs_of_other_ranks_into_one_folder_leave_each_others_files(self):
        run("compare", *RANKS, "--rank", "0-1", "-o", self.out)
        first = [name for name in files_below(self.out) if "-step0-rank" in name]
        run("compare", *RANKS, "--rank", "2-3", "-o", self.out)
        both = files_below(self.out)
        self.assertLessEqual(set(first), set(both))
        self.assertIn("graph-step0-rank2.svg", both)
        self.write("out/graph-step0-rank3.xml", "x")
        with open(os.path.join(self.out, ".vernier-files"), "a", encoding="utf-8") as file:
            file.write("graph-step0-rank3.xml\t1\t%d\n" % crc32c(b"x"))
        run("compare", *RANKS, "--rank", "2-3", "-o", self.out)
        self.assertEqual(files_below(self.out), both)
        run("compare", *RANKS, "-o", self.out, "--format", "json")
        self.assertEqual(files_below(self.out), [".vernier-files", "summary.json"])

    def test_a_list_that_somebody_else_wrote_removes_nothing_but_plain_files_of_the_folder(self):
        outside = self.write("outside.txt", "x")
        stay = ["out/sub/deep.txt", "out/dump.json", "out/rules.yaml", "out/maps.yaml", "out/model.safetensors", "out/known.csv"]
        for name in stay:
            self.write(name, "")
        os.symlink(outside, self.path("out", "link.txt"))
        self.write("out/old.png", "x")
        names = ["../outside.txt", outside, "sub/deep.txt", "sub", "link.txt", ".", "..", "dump.json", "rules.yaml", "maps.yaml",
                 "model.safetensors", "known.csv"]
        listed = "".join("%s\t0\t%d\n" % (name, crc32c(b"")) for name in names)
        self.write("out/.vernier-files", listed + "\0\nold.png\t1\t%d\n" % crc32c(b"x"))
        self.write("out/rules.yaml", "limits: {norm: 0.5}\n")
        self.write("out/maps.yaml", "Tensor.add: Tensor.add\n")
        code, _, stderr = run("compare", GPT[0], GPT[0], "-o", self.out, "--format", "json", "--criteria",
                              self.path("out", "rules.yaml"), "--data-mapping", self.path("out", "maps.yaml"),
                              "--write-mapping", self.path("out", "known.csv"))
        self.assertEqual(code, 0, stderr)
        self.assertFalse(os.path.exists(self.path("out", "old.png")))
        for name in (*stay, "outside.txt", "out/link.txt"):
            self.assertTrue(os.path.lexists(self.path(*name.split("/"))), name)

    def test_what_a_list_names_without_its_checksum_stays(self):
        """A list of somebody else beside files of theirs, or of a run that was interrupted: both hold names alone."""
        names = ["thesis.md", "a.json", "sub/a.json", "graph-step0-rank7.svg"]
        for name in names:
            self.write("out/" + name, "mine")
        crc = crc32c(b"mine")
        for stamp in ("", "\t", "\t4", "\t4\t", "\t4\tx", "\t4\t-1", "\t\t%d" % crc, "\t-4\t%d" % crc, "\tx\t%d" % crc, "\t4\t%d" % (crc ^ 1)):
            self.write("out/.vernier-files", "".join(name + stamp + "\n" for name in names))
            code, _, stderr = run("compare", GPT[0], GPT[0], "-o", self.out, "--format", "json")
            self.assertEqual(code, 0, stderr)
            self.assertEqual(files_below(self.out), sorted([".vernier-files", "summary.json", *names]), stamp)
            self.assertEqual(self.listed(), ["summary.json"])

    def test_a_pipe_in_the_place_of_the_list_does_not_stop_the_run(self):
        os.makedirs(self.out)
        os.mkfifo(os.path.join(self.out, ".vernier-files"))
        code, _, stderr = run("compare", GPT[0], GPT[0], "-o", self.out, "--format", "json")
        self.assertEqual(code, 0, stderr)
        self.assertEqual(files_below(self.out), [".vernier-files", "summary.json"])

    def test_nothing_goes_where_the_folder_is_part_of_an_input(self):
        golden = self.copy(GPT[0])
        for out in (golden, os.path.join(golden, "report")):
            os.makedirs(out, exist_ok=True)
            for name, text in (("mine.svg", "x"), (".vernier-files", "mine.svg\t1\t%d\n" % crc32c(b"x"))):
                with open(os.path.join(out, name), "w", encoding="utf-8") as file:
                    file.write(text)
            code, _, stderr = run("compare", golden, GPT[1], "-o", out, "--format", "md")
            self.assertEqual(code, 1, stderr)
            self.assertTrue(os.path.exists(os.path.join(out, "mine.svg")), out)

    def test_a_run_that_fails_leaves_a_list_of_what_it_wrote(self):
        os.makedirs(os.path.join(self.out, "summary.md"))
        code, _, stderr = run("compare", *RANKS, "-o", self.out)
        self.assertEqual(code, 5, stderr)
        written = [name for name in files_below(self.out) if name != ".vernier-files"]
        self.assertGreater(len(written), 5)
        self.assertLessEqual(set(written), set(self.listed()))

    def test_parts_in_one_folder_and_their_merge_leave_each_other_alone(self):
        run("compare", *GPT, "-o", self.out, "--format", "json,csv")
        for part in ("1/2", "2/2"):
            code, _, stderr = run("compare", *RANKS, "-o", self.out, "--format", "json,csv", "--shard", part)
            self.assertIn(code, (0, 1), stderr)
        parts = files_below(self.out)
        code, _, stderr = run("merge", self.out, "-o", self.out, "--format", "json,csv")
        self.assertEqual(code, 1, stderr)
        self.assertLessEqual(set(parts), set(files_below(self.out)))

    def test_junit_has_a_case_a_module_and_the_failure_says_where_it_starts(self):
        code, _, stderr = run("compare", *GPT, "-o", self.out, "--format", "junit")
        self.assertEqual(code, 1, stderr)
        document = xml.dom.minidom.parse(os.path.join(self.out, "junit.xml"))
        top = document.documentElement
        self.assertEqual(top.getAttribute("name"), stderr.strip().split("\n")[-1])
        cases = document.getElementsByTagName("testcase")
        self.assertEqual(len({c.getAttribute("name") for c in cases}), len(cases))
        self.assertEqual(int(top.getAttribute("tests")), len(cases))
        failed = [c for c in cases if c.getElementsByTagName("failure")]
        self.assertEqual(int(top.getAttribute("failures")), len(failed))
        starts = [c.getAttribute("name") for c in failed
                  if c.getElementsByTagName("failure")[0].getAttribute("type") == "error"]
        self.assertEqual(starts[0], "Module.blocks.2.attn.qkv.Linear")

    def test_junit_is_well_formed_whatever_the_names_hold(self):
        target = self.copy(GPT[1])
        for name in ("dump.json", "construct.json", "stack.json"):
            path = os.path.join(target, "step0", "rank0", name)
            with open(path, encoding="utf-8") as file:
                text = file.read().replace("blocks.2", "]]><b>&\\u0000\\u001b\\ud800'\\\"")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        run("compare", GPT[0], target, "-o", self.out, "--format", "junit")
        xml.dom.minidom.parse(os.path.join(self.out, "junit.xml"))

    def test_the_same_input_gives_the_same_bytes(self):
        one, two = os.path.join(self.folder, "one"), os.path.join(self.folder, "two")
        arguments = ("compare", *RANKS, "--format", "html,md,json,xlsx,svg,png,csv,nodes,junit")
        run(*arguments, "-o", one, "--jobs", "1", TZ="UTC")
        run(*arguments, "-o", two, "--jobs", "7", TZ="Asia/Shanghai", LANG="de_DE.UTF-8")
        self.assertEqual(files_below(one), files_below(two))
        for name in files_below(one):
            if name in ("summary.md", ".vernier-files"):
                continue  # names the command line, and holds the checksum of what does
            self.assertTrue(filecmp.cmp(os.path.join(one, name), os.path.join(two, name), shallow=False), name)

    def test_swapping_the_sides_mirrors_the_report(self):
        run("compare", *GPT, "-o", self.out, "--format", "json")
        there = self.summary()["pairs"][0]
        run("compare", GPT[1], GPT[0], "-o", self.out, "--format", "json")
        back = self.summary()["pairs"][0]
        self.assertEqual(there["first_divergence"]["target"], back["first_divergence"]["golden"])
        self.assertEqual(there["first_divergence"]["kind"], back["first_divergence"]["kind"])
        self.assertEqual(there["counts"], back["counts"])

    def test_criteria_change_the_tolerance_and_stand_in_the_report(self):
        path = os.path.join(self.folder, "criteria.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write("limits:\n  norm: 0.01\n  max: 0.5\n  min: 0.5\n  mean: 5\n")
        code, _, stderr = run("compare", *GPT, "--criteria", path, "-o", self.out, "--format", "json")
        self.assertEqual(code, 0, stderr)
        self.assertIn("AGREES", stderr)
        self.assertEqual(self.summary()["criteria"]["rules"][0]["limits"]["norm"]["pass"], 0.01)

    def test_criteria_that_leave_all_out_are_called_the_reason_and_no_limit_is_infinite(self):
        path = os.path.join(self.folder, "criteria.yaml")
        for text, code, said in (("rules:\n  - ops: '*'\n    ignore: true\n", 3, "NOT COMPARED  the criteria leave out what both sides record: none of"),
                                 ("limits:\n  norm: 1e400\n", 3, "criteria.yaml:2: expected a finite number")):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            got, out, stderr = run("compare", *GPT, "--criteria", path, "-o", self.out, "--format", "json")
            self.assertEqual((got, said in out + stderr), (code, True), out + stderr)

    def test_criteria_pass_by_absolute_or_relative_first_or_last_and_fail_what_no_rule_fits(self):
        for side, more in (("g", 0), ("t", 1e-4)):
            data = {"Functional.%s.0.forward" % name: {"input_args": [], "input_kwargs": {}, "output": [
                {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [64, 64], "Max": 1e-3 + more, "Min": -1.0, "Mean": 0.1, "Norm": 9.0,
                 "requires_grad": False}]} for name in ("relu", "silu")}
            self.write(side + "/dump.json", json.dumps({"task": "statistics", "level": "L1", "framework": "pytorch", "data": data}))
        for text, code in (("limits: {max: 1e-5}", 1), ("limits: {max: {pass: 1e-5, absolute: 1e-3}}", 0), ("limits: {max: {absolute: 1e-5}}", 1),
                           ("rules: [{ops: '*relu*', limits: {max: 1}}, {ops: '*silu*', limits: {max: 1}}]", 0),
                           ("unmatched: fail\nrules: [{ops: '*relu*', limits: {max: 1}}]", 1),
                           ("order: first\nrules: [{ops: '*silu*', limits: {max: 1}}, {ops: '*', limits: {max: 0}}, {ops: '*relu*', limits: {max: 1}}]", 1),
                           ("order: first\nrules: [{ops: '*relu*|*silu*', limits: {max: 1}}, {ops: '*', limits: {max: 0}}]", 0),
                           ("order: middle", 3), ("limits: {max: {warning: 1}}", 3), ("unmatched: pass", 3)):
            self.write("c.yaml", text + "\n")
            found, out, said = run("compare", self.path("g"), self.path("t"), "--criteria", self.path("c.yaml"))
            self.assertEqual(found, code, text + out + said)
            if code == 1:
                self.assertIn("would pass at max 1.0e-04" if "pass" not in text else "DIVERGES", out)

    def test_a_rule_of_the_criteria_that_fits_no_slot_is_told_with_its_line(self):
        path = os.path.join(self.folder, "criteria.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write("limits:\n  norm: 0.5\nrules:\n  - ops: 'Functional.*'\n    ignore: true\n"
                       "  - ops: 'Functionl.*'\n    ignore: true\n  - dtypes: float64\n    limits: {norm: 1}\n"
                       "  - {slots: 'input.0', dtypes: ['float32', 'bfloat16'], limits: {norm: 1}}\n")
        _, _, stderr = run("compare", *GPT, "--criteria", path, "-o", self.out, "--format", "json")
        told = [re.search(r"criteria.yaml:(\d+)", line).group(1) for line in stderr.splitlines() if "fits no slot" in line]
        self.assertEqual(told, ["6", "8"], stderr)
        self.assertEqual([n["line"] for n in self.summary()["problems"] if "fits no slot" in n["text"]], [6, 8])

    def test_the_rules_can_be_printed(self):
        code, stdout, _ = run("help", "rules")
        self.assertEqual(code, 0)
        for rule in ("nonfinite", "statistic", "inherited", "rewritten", "cancels", "THOUSANDTH", "bfloat16"):
            self.assertIn(rule, stdout)

    def test_a_dump_file_a_rank_a_step_and_a_root_are_all_inputs(self):
        for tail in ("", "step0", "step0/rank0", "step0/rank0/dump.json"):
            code, _, stderr = run("compare", os.path.join(GPT[0], tail), os.path.join(GPT[1], tail),
                                  "-o", self.out, "--format", "json")
            self.assertEqual(code, 1, stderr)
            self.assertIn("Functional.linear.8.forward", stderr)

    def test_help_names_every_option(self):
        code, stdout, _ = run("help", "compare")
        self.assertEqual(code, 0)
        for option in ("--golden", "--noise", "--rules", "--output", "--format", "--exit-zero", "Examples:"):
            self.assertIn(option, stdout)

    def test_exit_zero_silences_the_code_not_the_verdict(self):
        code, _, stderr = run("compare", *GPT, "-o", self.out, "--format", "json", "--exit-zero")
        self.assertEqual(code, 0)
        self.assertIn("DIVERGES", stderr)


if __name__ == "__main__":
    main()
