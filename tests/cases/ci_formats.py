#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run says to CI systems and dashboards: SARIF, GitLab Code Quality, GitHub annotations, OpenMetrics and JUnit tell the
same finding as the verdict, wherever the runs part, and nothing where they do not."""
import json
import os
import re
import shutil
import xml.dom.minidom

from program import Case, SAMPLES, main, run

GPT = [os.path.join(SAMPLES, "gpt", side) for side in ("golden", "target")]
SIDES = ("golden", "target")
RANKS = [os.path.join(SAMPLES, "ranks", side) for side in ("golden", "target")]
CURVES = [os.path.join(SAMPLES, "curves", side + ".csv") for side in ("golden", "target")]
FORMATS = "json,junit,sarif,codequality,github,openmetrics"
SAMPLE = re.compile(r'vernier_[a-z_]+\{command="[a-z]+"(,[a-z]+="([^"\\]|\\["\\])*")*\} [0-9.e+-]+$')


class CiFormats(Case):
    def report(self, *arguments, code=None):
        shutil.rmtree(self.out, ignore_errors=True)
        got, _, said = run(*arguments, "-o", self.out, "--format", FORMATS)
        if code is not None:
            self.assertEqual(got, code, said)

        def read(name):
            with open(os.path.join(self.out, name), encoding="utf-8") as file:
                return file.read()
        summary, sarif = json.loads(read("summary.json")), json.loads(read("vernier.sarif"))
        self.assertEqual((sarif["version"], len(sarif["runs"])), ("2.1.0", 1))
        issues, lines = json.loads(read("gl-code-quality-report.json")), read("annotations.txt").splitlines()
        results = sarif["runs"][0]["results"]
        self.assertEqual([r["message"]["text"] for r in results], [i["description"] for i in issues])
        self.assertEqual([r["level"] for r in results], [line[2:].split(" ")[0] for line in lines])
        return summary, results, issues, lines, self.metrics(read("vernier.prom"))

    def metrics(self, text):
        self.assertTrue(text.endswith("# EOF\n"))
        samples, typed, last = {}, set(), None
        for line in text.splitlines()[:-1]:
            if line.startswith("# TYPE"):
                last = line.split()[2]
                self.assertNotIn(last, typed)
                typed.add(last)
            elif not line.startswith("# HELP"):
                self.assertRegex(line, SAMPLE)
                self.assertTrue(line.startswith(last + "{"), line)
                name, value = line.rsplit(" ", 1)
                self.assertNotIn(name, samples)
                samples[name] = float(value)
        return samples

    def test_a_message_for_a_chat_is_five_short_lines_and_each_service_gets_its_body(self):
        link = "https://ci.example.com/42"
        long = self.write("long.csv", "step,loss\n" + "".join("%d,%g\n" % (step, 9 - step * 0.01) for step in range(60)))
        for words in (["compare", *GPT], ["compare", *RANKS], ["curves", *CURVES], ["curves", long], ["check", GPT[0]], ["locate", GPT[0]],
                      ["monitor", os.path.join(SAMPLES, "monitor")], ["compare", *GPT, "--lang", "zh"]):
            bodies = {name: run(*words, "--format", name, "--link", link, "-o", "-")[1]
                      for name in ("chat", "slack", "dingtalk", "feishu", "wecom")}
            text = bodies.pop("chat")
            bodies = {name: json.loads(body) for name, body in bodies.items()}
            self.assertLessEqual((text.count("\n"), len(text.encode()) // 2000), (5, 0), text)
            self.assertEqual(text.splitlines()[-1], link)
            self.assertEqual(bodies["feishu"], {"msg_type": "text", "content": {"text": text.rstrip("\n")}})
            self.assertEqual(bodies["wecom"]["markdown"]["content"].replace("**", ""), text.rstrip("\n"))
            self.assertEqual(bodies["dingtalk"]["markdown"]["text"].replace("  \n", "\n"), bodies["wecom"]["markdown"]["content"])
            self.assertEqual([(body["msgtype"], set(body["markdown"])) for body in (bodies["wecom"], bodies["dingtalk"])],
                             [("markdown", {"content"}), ("markdown", {"title", "text"})])
            self.assertEqual(list(bodies["slack"]), ["text"])
        names = json.dumps({"task": "statistics", "level": "L1", "data": {"Torch.<&>.0.forward": {"output": [
            {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], "Max": 1, "Min": 0, "Mean": "NaN", "Norm": 1}]}}})
        self.assertIn("&lt;&amp;&gt;", run("locate", self.write("dump.json", names), "--format", "slack", "-o", "-")[1])

    def test_a_file_has_the_format_that_its_name_or_the_option_says(self):
        """-o NAME writes the same bytes as a folder's file of that name; an ending of several formats is settled by --format."""
        self.report("compare", *GPT, code=1)

        def same(name, path, *options):
            code, _, said = run("compare", *GPT, "-o", self.path(path), *options)
            self.assertEqual(code, 1, said)
            with open(self.path(path), "rb") as one, open(os.path.join(self.out, name), "rb") as other:
                self.assertEqual(one.read(), other.read(), (path, options))
        for name in ("vernier.sarif", "gl-code-quality-report.json", "annotations.txt", "vernier.prom", "junit.xml"):
            same(name, name)
        same("gl-code-quality-report.json", "gl-code-quality-report.json", "--format", "codequality")
        same("gl-code-quality-report.json", "quality.json", "--format", "codequality")
        same("annotations.txt", "notes.txt", "--format", "github")
        same("summary.json", "gl-code-quality-report.json", "--format", "json")
        code, _, said = run("compare", *GPT, "-o", self.path("notes.rtf"), "--format", "html")
        self.assertEqual(code, 2, said)

    def test_the_forms_of_a_ticket_are_files_of_their_own_endings(self):
        for name, options, begins in (("a.html", (), "<!doctype html>"), ("b.html", ("--format", "fragment"), "<div>\n<p><strong>"),
                                      ("c.txt", (), "DIVERGES  at "), ("annotations.txt", ("--format", "txt"), "DIVERGES  at "),
                                      ("d.jira", (), "*DIVERGES* at "), ("e.md", (), "**DIVERGES** at ")):
            run("compare", *GPT, "-o", self.path(name), *options)
            with open(self.path(name), encoding="utf-8") as file:
                self.assertEqual(file.read(len(begins)).lower(), begins.lower(), name)
        run("compare", *GPT, "-o", self.path("all"), "--format", "txt,jira,fragment")
        self.assertEqual(sorted(set(os.listdir(self.path("all"))) - {".vernier-files"}), ["summary.html", "summary.jira", "summary.txt"])

    def test_what_does_not_fit_a_ticket_is_counted_and_a_chat_s_line_is_cut(self):
        rows = ["setting%04d" % i for i in range(300)]
        golden, target = (self.write(name, "".join("%s: %s\n" % (row, value * 900) for row in rows)) for name, value in (("g.yaml", "甲"), ("t.yaml", "乙")))
        text = run("checklist", golden, target, "--format", "md", "-o", "-")[1]
        shown = sum(row in text for row in rows)
        self.assertLess(len(text.encode()), 60000)
        self.assertTrue(50 > shown > 10, shown)
        self.assertIn("… and %d more rows, left out here" % (len(rows) - shown), text)
        dumps = [self.write("%s/dump.json" % side, json.dumps({"task": "statistics", "level": "L1", "data": {
            "Torch.%s.0.forward" % ("x" * 700): {"output": [{"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], "Max": value, "Min": 0,
                                                             "Mean": value / 2, "Norm": value}]}}})[:cut]) for side, value, cut in (("g", 1.0, None), ("t", 2.0, -2))]
        lines = run("compare", *map(os.path.dirname, dumps), "--format", "chat", "-o", "-")[1].splitlines()
        self.assertTrue(lines[0].startswith("PARTIAL DIVERGES ") and lines[0].endswith("…"), lines)

    def junit_failures(self):
        document = xml.dom.minidom.parse(os.path.join(self.out, "junit.xml"))
        return [case for case in document.getElementsByTagName("testcase") if case.getElementsByTagName("failure")]

    def test_the_finding_names_the_models_own_file_and_line(self):
        summary, results, issues, lines, metrics = self.report("compare", *GPT, "--source-root", "/opt/train", code=1)
        self.assertEqual([r["message"]["text"] for r in results], [summary["verdict"]])
        place = results[0]["locations"][0]
        self.assertEqual(place["physicalLocation"], {"artifactLocation": {"uri": "train.py"}, "region": {"startLine": 41}})
        self.assertEqual(place["logicalLocations"], [{"fullyQualifiedName": "Functional.linear.8.forward"}])
        self.assertEqual(issues[0]["location"], {"path": "train.py", "lines": {"begin": 41}})
        self.assertTrue(lines[0].startswith("::error title=vernier compare,file=train.py,line=41::DIVERGES"))
        first = summary["pairs"][0]["first_divergence"]
        name = 'vernier_first_divergence_position{command="compare",op="Functional.linear.8.forward",step="0",rank="0"}'
        self.assertEqual(metrics[name], first["position"])
        self.assertEqual(metrics['vernier_verdict{command="compare",state="differs"}'], 1)
        self.assertEqual(metrics['vernier_ops{command="compare",status="error"}'], summary["pairs"][0]["ops"]["error"])

    def test_without_a_root_the_file_is_named_as_the_dump_names_it(self):
        _, results, issues, _, _ = self.report("compare", *GPT)
        place = results[0]["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"]["uri"], "file:///opt/train/train.py")
        self.assertEqual(issues[0]["location"]["path"], "/opt/train/train.py")
        _, _, issues, _, _ = self.report("compare", *GPT, "--source-root", "/opt/tra")
        self.assertEqual(issues[0]["location"]["path"], "/opt/train/train.py")

    def test_where_nothing_differs_nothing_is_found(self):
        for arguments in (["compare", GPT[0], GPT[0]], ["curves", CURVES[0], os.path.join(SAMPLES, "curves", "golden-again.csv")]):
            got, _, said = run(*arguments, "-o", self.out, "--format", FORMATS.replace("junit,", ""))
            self.assertEqual(got, 0, said)
            with open(os.path.join(self.out, "vernier.sarif"), encoding="utf-8") as file:
                self.assertEqual(json.load(file)["runs"][0]["results"], [])
            self.assertEqual(os.path.getsize(os.path.join(self.out, "annotations.txt")), 0)
            with open(os.path.join(self.out, "vernier.prom"), encoding="utf-8") as file:
                self.assertEqual(self.metrics(file.read())['vernier_verdict{command="%s",state="agrees"}' % arguments[0]], 1)

    def test_pairs_that_part_at_one_place_are_one_finding_and_the_origin_stands_first(self):
        summary, results, _, _, metrics = self.report("compare", *RANKS, code=1)
        places = {(p["first_divergence"]["target"], p["first_divergence"]["slot"], p["first_divergence"]["kind"])
                  for p in summary["pairs"] if p["first_divergence"]}
        self.assertEqual(len(results), len(places))
        self.assertTrue(results[0]["message"]["text"].split(",")[0] in summary["verdict"], results[0])
        self.assertEqual(metrics['vernier_pairs{command="compare"}'], len(summary["pairs"]))
        self.assertEqual(len({r["partialFingerprints"]["vernier/1"] for r in results}), len(results))

    def test_what_was_not_compared_or_not_read_is_a_finding(self):
        target = os.path.join(self.folder, "target")
        shutil.copytree(GPT[1], target)
        with open(os.path.join(target, "step0", "rank0", "dump.json"), "w", encoding="utf-8") as file:
            file.write("{")
        _, results, _, _, metrics = self.report("compare", GPT[0], target, code=3)
        self.assertEqual([(r["ruleId"], r["level"]) for r in results][0], ("unread", "error"))
        self.assertEqual(metrics['vernier_verdict{command="compare",state="nothing"}'], 1)
        golden = self.path("golden")
        shutil.copytree(GPT[0], golden)
        path = os.path.join(golden, "step0", "rank0", "dump.json")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text[:len(text) // 2])
        _, results, _, lines, metrics = self.report("compare", golden, golden, code=4)
        self.assertEqual([(r["ruleId"], r["level"]) for r in results], [("partial", "warning")])
        self.assertTrue(lines[0].startswith("::warning "))
        self.assertEqual(metrics['vernier_partial{command="compare"}'], 1)

    def test_commands_without_places_tell_their_verdict(self):
        run("curves", *CURVES, "-o", self.out, "--format", FORMATS.replace("junit,", ""))
        with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as file:
            verdict = json.load(file)["verdict"]
        with open(os.path.join(self.out, "vernier.sarif"), encoding="utf-8") as file:
            results = json.load(file)["runs"][0]["results"]
        self.assertEqual([(r["ruleId"], r["message"]["text"]) for r in results], [("differs", verdict)])

    def test_junit_never_passes_where_the_runs_part(self):
        target = os.path.join(self.folder, "target")
        shutil.copytree(GPT[1], target)
        path = os.path.join(target, "step0", "rank0", "dump.json")
        with open(os.path.join(GPT[0], "step0", "rank0", "dump.json"), encoding="utf-8") as file:
            golden = file.read()
        names = [name for name in json.loads(golden)["data"] if name.endswith("forward") or ".forward." in name]
        for name in (names[0], names[len(names) // 2], names[-1]):
            for damage in ("lost", "weight", "output"):
                left = json.loads(golden)
                entry = left["data"][name]
                if damage == "lost":
                    del left["data"][name]
                elif damage == "weight" and entry.get("parameters"):
                    next(iter(entry["parameters"].values()))["Norm"] = 123.0
                else:
                    for tensor in entry.get("output", [])[:1]:
                        if isinstance(tensor, dict) and "Norm" in tensor:
                            tensor["Norm"] = 321.0
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(left, file)
                summary, results, _, _, _ = self.report("compare", GPT[0], target)
                failed = self.junit_failures()
                self.assertEqual(summary["verdict"].startswith("DIVERGES"), bool(failed), (name, damage, summary["verdict"]))
                self.assertEqual(bool(failed), any(r["level"] == "error" for r in results))
                if failed:
                    message = failed[0].getElementsByTagName("failure")[0].getAttribute("message")
                    self.assertEqual(message, summary["pairs"][0]["verdict"])

    def test_junit_is_an_error_where_little_or_nothing_was_compared(self):
        def strip(value, part):
            if isinstance(value, dict):
                return {k: strip(v, part) for k, v in value.items() if k not in ("Max", "Min", "Mean", "Norm")}
            return [strip(v, part) for v in value] if isinstance(value, list) else value
        golden = os.path.join(GPT[0], "step0", "rank0", "dump.json")
        with open(golden, encoding="utf-8") as file:
            dump = json.load(file)
        for name, data in (("all", {k: strip(v, k) for k, v in dump["data"].items()}),
                           ("backward", {k: strip(v, k) if "backward" in k else v for k, v in dump["data"].items()})):
            sides = [self.write(os.path.join(name, side, "dump.json"), json.dumps({**dump, "data": data})) for side in SIDES]
            if name == "backward":
                sides[0] = golden
            shutil.rmtree(self.out, ignore_errors=True)
            code, _, said = run("compare", *sides, "-o", self.out, "--format", "junit")
            self.assertEqual(code, 3 if name == "all" else 4, said)
            document = xml.dom.minidom.parse(os.path.join(self.out, "junit.xml"))
            cases = document.getElementsByTagName("testcase")
            self.assertEqual(len(document.getElementsByTagName("error")), 1)
            self.assertEqual(cases[0].getAttribute("name"), "compare")
            passed = [c for c in cases if not c.getElementsByTagName("skipped") and not c.getElementsByTagName("error")]
            self.assertEqual(bool(passed), name == "backward")
            for key, tag in (("errors", "error"), ("skipped", "skipped"), ("failures", "failure")):
                self.assertEqual(int(document.documentElement.getAttribute(key)), len(document.getElementsByTagName(tag)))

    def test_names_of_any_kind_stay_text(self):
        target = os.path.join(self.folder, "target")
        shutil.copytree(GPT[1], target)
        hostile = "%::error,a:b\\n::stop\\r\\u0000\\u001b\\\"{}"
        for name in ("dump.json", "stack.json"):
            path = os.path.join(target, "step0", "rank0", name)
            with open(path, encoding="utf-8") as file:
                text = file.read().replace("Functional.linear.8.", "Functional.li" + hostile + "near.8.").replace(
                    "/opt/train/train.py", "/opt/train/" + hostile)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        _, results, _, lines, _ = self.report("compare", GPT[0], target)
        self.assertEqual(len(lines), len(results))
        for line in lines:
            self.assertRegex(line, r"^::(error|warning) title=vernier compare(,file=[^:,]*,line=[0-9]+)?::")
        for result in results:
            for place in result.get("locations", []):
                uri = place.get("physicalLocation", {}).get("artifactLocation", {}).get("uri", "")
                self.assertRegex(uri, r"^[A-Za-z0-9._~/:%-]*$")


if __name__ == "__main__":
    main()
