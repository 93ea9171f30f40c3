#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One list of hostile names through every command and every writer: what comes out is read again as
its format says, holds nothing that runs or leads elsewhere, and shows the name.

VERNIER names the program.
"""
import csv
import html
import html.parser
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import unicodedata
import xml.dom.minidom
import zipfile

from program import Case, VERNIER, main

NAMES = [
    "</script><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)", "]]>", "--><b>",
    "&amp;", "&#60;b&#62;", "javascript:alert(1)", "=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "=HYPERLINK(\"http://x\")",
    "\tTAB", "CR\rCR", "NUL\0NUL", "two\nSAME      bit for bit: 1 slot.", "\u202egnp.exe", "line\u2028separator",
    "\x1b[2J", "\x1b]8;;http://x\x07link", "%s%n%s%n", "${jndi:ldap://x}", "{{title}}{{#rows}}", "`code`", "```\nfence",
    "a|b", "[x](http://y)", "![x](y)", "@team #1", "e\u0301\u0301\u0301\u0301\u0301\u0301", "\U0001f680",
    "\ud800", "\uffff", "../../etc/passwd", "CON", "x" * 40000, "",
]
FORMATS = "html,md,txt,jira,fragment,json,xlsx,svg,csv"
TAGS = set("""html head meta title style script body main header footer section nav article h1 h2 h3 h4 p div span a table
thead tbody tr th td caption colgroup col ul ol li details summary figure figcaption svg g rect circle line path text tspan
desc defs pattern pre code b strong em i small label input button select option br wbr hr dl dt dd mark sup sub output time
clippath lineargradient stop template kbd abbr img link canvas""".split())


def shown(name, kept=""):
    """As utf8_display writes it; tables keep some characters as they are."""
    out = []
    for c in name:
        code = ord(c)
        if c in kept:
            out.append(c)
        elif code < 0x20 or 0x7F <= code < 0xA0:
            out.append("\\x%02X" % code)
        elif 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069 or code in (0x200E, 0x200F, 0x2028, 0x2029, 0xFEFF, 0xFFFF):
            out.append("\\u%04X" % code)
        else:
            out.append(c)
    return "".join(out)


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.text, self.links, self.bad = [], [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        for key, value in attributes:
            if key.startswith("on") or key in ("srcdoc", "formaction", "action", "background"):
                self.bad.append((tag, key, value))
            if key in ("href", "src", "xlink:href"):
                self.links.append(value)
            if key == "title":
                self.text.append(value or "")

    def handle_data(self, data):
        self.text.append(data)

    def handle_comment(self, data):
        self.bad.append(("comment", data, ""))


def tensor(value):
    return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2, 3], "Max": value, "Min": -value,
            "Mean": value / 10, "Norm": value * 3, "requires_grad": False}


def hostile_dump(shift, nan=False):
    data, construct, groups = {}, {}, []
    for i, name in enumerate(NAMES):
        module, op = "Module.%s.Linear.forward.0" % name, "Functional.%s.%d.forward" % (name, i)
        value = float("nan") if nan and i == 3 else 2.0 + shift * (i > 2)
        for key in (op, module):
            data[key] = {"input_args": [tensor(1.0), {"type": "str", "value": name + ("x" if shift else "")}],
                         "input_kwargs": {name[:100]: {"type": "str", "value": name}}, "output": [tensor(value)]}
        construct[op], construct[module] = module, None
        groups.append([[op, module], ["File /a/%s.py, line 3, in %s, \n %s" % (name, name, name)]])
    stack = {"%03d" % i: group for i, group in enumerate(groups)}
    return {"task": "statistics", "level": "mix", "framework": "pytorch", "dump_data_dir": None, "data": data}, construct, stack


class HostileNames(Case):
    def path(self, *parts):
        path = os.path.join(self.folder, *parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8", errors="surrogatepass", newline="") as file:
            file.write(text)
        return self.path(name)

    def dump(self, side, shift=0.0, nan=False):
        for name, content in zip(("dump", "construct", "stack"), hostile_dump(shift, nan)):
            with open(self.path(side, "step0", "rank0", name + ".json"), "w", encoding="ascii") as file:
                json.dump(content, file)
        return os.path.join(self.folder, side)

    def run_once(self, *arguments, formats=FORMATS, codes=(0, 1)):
        env = dict(os.environ, LC_ALL="C", NO_COLOR="1")
        done = subprocess.run([VERNIER, *arguments, "-o", self.out, "--format", formats, "--verbose"], env=env,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
        said = (done.stderr + done.stdout).decode()  # it is UTF-8, whatever the names hold
        self.assertIn(done.returncode, codes, said[-2000:])
        self.check_terminal(said)
        return said

    def check_terminal(self, said):
        for line in said.split("\n"):
            self.assertFalse(re.search("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]", line), repr(line[:300]))
        self.assertNotIn("SAME      bit for bit: 1 slot.", said.split("\n"))

    def check_all(self, must_show=(), skip=()):
        """Every file of the folder by its format."""
        names = os.listdir(self.out)
        self.assertEqual(len({name.lower() for name in names}), len(names))
        texts = {}
        for name in set(names) - {".vernier-files"}:
            self.assertRegex(name, r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,120}\Z")
            with open(os.path.join(self.out, name), "rb") as file:
                data = file.read()
            suffix = name.rsplit(".", 1)[-1]
            check = {"html": self.check_html, "svg": self.check_svg, "json": self.check_json, "md": self.check_markdown,
                     "csv": self.check_csv, "xlsx": self.check_book, "xml": self.check_junit, "db": self.check_database,
                     "txt": self.check_plain, "jira": self.check_jira}
            check = self.check_fragment if name == "summary.html" else check[suffix]
            texts.setdefault(suffix, []).append(check(data, name))
        for suffix in must_show:
            everything = "\n".join(texts[suffix])
            for name in NAMES:
                if len(name) > 100 or not name or name in skip or name in ("\ud800", "\uffff"):
                    continue
                wanted = shown(name, "\t\n" if suffix in ("csv", "xlsx") else "") if suffix != "json" else name
                self.assertTrue(wanted.strip() in everything, (suffix, name))

    def check_html(self, data, name):
        page = Page()
        page.feed(data.decode())
        page.close()
        self.assertEqual(page.bad, [], name)
        self.assertEqual(set(page.tags) - TAGS, set(), name)
        self.assertLessEqual(page.tags.count("script"), 1, name)
        self.assertEqual(data.lower().count(b"<script"), data.lower().count(b"</script"), name)
        self.assertEqual(page.tags.count("img"), 0, name)
        for link in page.links:
            self.assertRegex(link, r"\A(#[A-Za-z0-9_.-]*|[A-Za-z0-9_.-]+\.(html|json|xlsx|md|csv|svg|png|db|xml|pdf))\Z", name)
        return "".join(page.text)

    def check_svg(self, data, name):
        document = xml.dom.minidom.parseString(data)
        texts = []
        for element in document.getElementsByTagName("*"):
            self.assertIn(element.tagName.lower(), TAGS - {"script", "img", "link"}, name)
            for key, value in element.attributes.items():
                self.assertFalse(key.lower().startswith("on"), name)
                if key in ("href", "xlink:href"):
                    self.assertRegex(value, r"\A#[A-Za-z0-9_.-]*\Z", name)
                self.assertNotIn("javascript:", value if key in ("href", "style") else "", name)
            texts.extend(child.data for child in element.childNodes if child.nodeType == child.TEXT_NODE)
        return "".join(texts)

    def check_json(self, data, name):
        texts = []

        def walk(value):
            if isinstance(value, dict):
                for key, inner in value.items():
                    texts.append(key)
                    walk(inner)
            elif isinstance(value, list):
                for inner in value:
                    walk(inner)
            elif isinstance(value, str):
                texts.append(value)

        walk(json.loads(data.decode()))
        return "\n".join(texts)

    def check_markdown(self, data, name):
        self.assertLessEqual(len(data), 60000, name)
        text = data.decode()
        self.assertFalse(re.search("[\x00-\x08\x0b-\x1f\x7f]", text), name)
        plain = re.sub(r"^(`{3,})[^`\n]*\n.*?^\1`*$", "", text, flags=re.S | re.M)  # fenced code
        plain = re.sub(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", "", plain)  # code spans
        self.assertNotIn("`", plain, name)
        self.assertFalse(re.search(r"<[A-Za-z/!]", plain.replace("<details>", "").replace("</details>", "")
                                   .replace("<summary>", "").replace("</summary>", "")), (name, plain))
        self.assertFalse(re.search(r"\]\((?![A-Za-z0-9_.%-]+\))", plain), name)
        self.assertFalse(re.search(r"@[a-z]|https?://|#\d", plain), (name, plain))
        return text

    def check_fragment(self, data, name):
        self.assertLessEqual(len(data), 60100, name)
        document = xml.dom.minidom.parseString(data)
        tags = {element.tagName for element in document.getElementsByTagName("*")}
        self.assertLessEqual(tags, set("div p h2 h3 pre code strong em ul ol li table tbody tr th td".split()), name)
        self.assertFalse(any(element.attributes.length for element in document.getElementsByTagName("*")), name)
        rows = [len([cell for cell in row.childNodes]) for row in document.getElementsByTagName("tr")]
        self.assertTrue(all(rows), name)
        return "".join(node.data for element in document.getElementsByTagName("*") for node in element.childNodes
                       if node.nodeType == node.TEXT_NODE)

    def check_plain(self, data, name):
        """Wide lines are a piece that cannot be broken, or code."""
        self.assertLessEqual(len(data), 60000, name)
        text = data.decode()
        self.assertFalse(re.search("[\x00-\x09\x0b-\x1f\x7f]", text.replace("\t", "")), name)
        for line in text.split("\n"):
            wide = sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in line)
            if wide > 72 and not line.startswith("  "):
                self.assertNotIn(" ", line.strip().lstrip("- "), (name, line))
            self.assertEqual(line, line.rstrip(" ") if not line.startswith("  ") else line, name)
        return text

    def check_jira(self, data, name):
        """Outside of {noformat} no character is left that Jira reads but those of the form itself."""
        self.assertLessEqual(len(data), 60000, name)
        text = data.decode()
        self.assertFalse(re.search("[\x00-\x08\x0b-\x1f\x7f]", text), name)
        plain = re.sub(r"(?s)^\{noformat\}\n.*?\n\{noformat\}$", "", text, flags=re.M)
        plain = re.sub(r"\\[-*_+^~{}\[\]|!?]", "", plain)
        widths = []
        for line in plain.split("\n"):
            line = re.sub(r"^(h[23]\. |\*{1,2} |#{1,2} )", "", line)
            if line.startswith("||"):
                widths = [line.count("||") - 1]
                line = line.replace("||", "")
            elif line.startswith("|"):
                self.assertEqual([line.count("|") - 1], widths, (name, line))
                line = re.sub(r"(?<=\|)(\*|\{\{)([^|]*?)(\*|\}\}) (?=\|)", r"\2", line).replace("|", "")
            else:
                line = re.sub(r"^(PARTIAL )?\*([A-Za-z -]+)\* ", "", line)
            self.assertFalse(re.search(r"[*^~{}\[\]|!?<>@\\]|(?<![A-Za-z0-9])[_-]|://|:[()DPp]|&(?!#\d+;)|^bq\.|^h[1-6]\.", line),
                             (name, line))
        return html.unescape(re.sub(r"\\([-*_+^~{}\[\]|!?])", r"\1", text))

    def check_csv(self, data, name):
        rows = list(csv.reader(io.StringIO(data.decode(), newline="")))
        self.assertEqual({len(row) for row in rows}, {len(rows[0])}, name)
        for row in rows:
            for cell in row:
                if cell.startswith(("=", "+", "-", "@", "\t")):
                    float(cell)
        return "\n".join(cell for row in rows for cell in row)

    def check_book(self, data, name):
        texts = []
        with zipfile.ZipFile(io.BytesIO(data)) as book:
            self.assertIsNone(book.testzip(), name)
            for part in book.namelist():
                self.assertFalse(part.startswith("/") or ".." in part, name)
                document = xml.dom.minidom.parseString(book.read(part))
                for tag in ("f", "oleObject", "externalReference"):
                    self.assertEqual(document.getElementsByTagName(tag).length, 0, (name, part, tag))
                for relation in document.getElementsByTagName("Relationship"):
                    if relation.getAttribute("TargetMode") == "External":  # a file of the report, next to the workbook
                        self.assertRegex(relation.getAttribute("Target"), r"^(external:)?[\w-]+\.(html|svg|png)(#[\w.-]+)?$", name)
                for text in document.getElementsByTagName("t"):
                    texts.append("".join(child.data for child in text.childNodes))
                    self.assertLessEqual(len(texts[-1]), 32767, name)
        return "\n".join(texts)

    def check_junit(self, data, name):
        document = xml.dom.minidom.parseString(data)
        return "\n".join(case.getAttribute("name") for case in document.getElementsByTagName("testcase"))

    def check_database(self, data, name):
        connection = sqlite3.connect(os.path.join(self.out, name))
        self.assertEqual(connection.execute("pragma integrity_check").fetchone(), ("ok",))
        rows = connection.execute("select node_name from tb_nodes").fetchall()
        connection.close()
        return "\n".join(str(row[0]) for row in rows)

    def test_names_stay_text_in_every_output_of_compare(self):
        golden, target = self.dump("golden"), self.dump("target", 0.5)
        self.run_once("compare", golden, target, "--title", NAMES[0], formats=FORMATS + ",junit,nodes,vis-db", codes=(1,))
        self.check_all(must_show=("html", "json", "csv", "xlsx"))

    def test_names_stay_text_under_the_rules_of_msprobe_and_as_boxes(self):
        golden, target = self.dump("golden"), self.dump("target", 0.5)
        self.run_once("compare", golden, target, "--rules", "msprobe26", "--view", "boxes", codes=(1,))
        self.check_all(must_show=("csv", "xlsx"))

    def test_names_stay_text_in_the_pictures_beside_a_linked_page(self):
        golden, target = self.dump("golden"), self.dump("target", 0.5)
        self.run_once("compare", golden, target, "--html", "folder", formats="html", codes=(1,))
        pictures = [name for name in os.listdir(self.out) if name.endswith(".svg")]
        self.assertTrue(pictures)
        for name in pictures:
            with open(os.path.join(self.out, name), "rb") as file:
                self.check_svg(file.read(), name)

    def test_names_stay_text_in_every_output_of_graph(self):
        self.run_once("graph", self.dump("golden", nan=True), formats=FORMATS.replace(",csv", "") + ",nodes,vis-db")
        self.check_all()

    def test_names_stay_text_in_every_output_of_locate(self):
        self.run_once("locate", self.dump("golden", nan=True), codes=(1,))
        self.check_all()

    def test_names_stay_text_in_every_output_of_curves(self):
        usable = [name for name in NAMES if name and len(name) < 100 and "\0" not in name and name not in ("CR\rCR", "\ud800")]
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["step", "loss"] + usable)
        for step in range(40):
            writer.writerow([step, 3 - step / 50] + [step] * len(usable))
        path = self.write("run.csv", text.getvalue())
        for name in ("<script><b>", "@SUM(A1)", "a|b`c"):
            self.run_once("curves", name + "=" + path, "other=" + path)
            self.check_all()

    def test_names_stay_text_in_every_output_of_monitor(self):
        usable = [name for name in NAMES if name and len(name) < 100 and "\0" not in name and name not in ("CR\rCR", "\ud800")]
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["vpp_stage", "name", "step", "norm"])
        for step in range(8):
            for name in usable:
                writer.writerow([0, name, step, "nan" if step == 5 else 1 + step])
        self.write("monitor/May06_15-00-01-rank0-b2f0e6ab/grad_reduced_0-7.csv", text.getvalue())
        self.run_once("monitor", "<script>=" + os.path.join(self.folder, "monitor"))
        self.check_all()

    def test_names_stay_text_in_every_output_of_checklist(self):
        usable = [name for name in NAMES if name and len(name) < 100 and name not in ("\ud800", "\uffff") and "\0" not in name]
        sides = [self.write("%s.json" % side, json.dumps({"seed": 1, **{"k" + name: name + side for name in usable},
                                                          **{name + "k": i for i, name in enumerate(usable)}}))
                 for side in ("a", "b")]
        self.run_once("checklist", *sides, formats=FORMATS)
        self.check_all(must_show=("json",), skip=("NUL\0NUL",))

    def test_names_stay_text_in_every_output_of_advise(self):
        self.write("ckpt/health_ckpts.json", json.dumps([{"is_health": i % 2, "ckpt_name": name + "-%d_1.safetensors" % i}
                                                         for i, name in enumerate(NAMES)]))
        self.run_once("advise", "health", os.path.join(self.folder, "ckpt"))
        self.check_all()

    def test_folders_and_files_may_be_called_anything(self):
        names = ["a+b", "a b 模型", "-x", "%s%n", "a\nb", "'\"$(x)", "x" * 200, b"\xff\xfe".decode(errors="surrogateescape")]
        golden, target = self.dump("golden"), self.dump("target", 0.5)
        for name in names:
            side = os.path.join(self.folder, "./" + name)
            shutil.copytree(golden, side)
            shutil.rmtree(self.out, ignore_errors=True)
            self.run_once("compare", side, target, formats="html,md,txt,jira,fragment,json,svg,junit", codes=(1,))
            self.check_all()


if __name__ == "__main__":
    main()
