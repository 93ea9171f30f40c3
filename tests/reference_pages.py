#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of docs that are what the program says: reference_pages.py VERNIER SOURCE [--write]

A table stands between "<!-- made by tests/reference_pages.py: NAME -->" and "<!-- end -->"; NAME is a function below. Prints the
lines that are not what the program says, exit code 1; --write makes the pages anew. Pages of docs/zh get the Chinese of the program.
"""
import os
import re
import subprocess
import sys

BLOCK = re.compile(r"(<!-- made by tests/reference_pages\.py: ([\w-]+) -->\n)(.*?)(<!-- end -->\n)", re.S)
WORDS = {"en": {"option": "option", "effect": "effect", "input": "input", "accepted": "accepted", "source": "source", "taken": "what is taken",
                "format": "format", "line": "a line of it", "step": "step", "file": "what is written", "exit": "exit", "meaning": "meaning", "limit": "limit",
                "value": "value", "for": "what it limits", "why": "source", "event": "event", "writer": "written by", "every": "Options of every command"},
         "zh": {"option": "选项", "effect": "作用", "input": "输入", "accepted": "接受的形式", "source": "来源", "taken": "取用的内容",
                "format": "格式", "line": "其中一行", "step": "step", "file": "写出什么", "exit": "退出码", "meaning": "含义", "limit": "限值",
                "value": "取值", "for": "限定什么", "why": "依据", "event": "事件", "writer": "由谁写出", "every": "各命令共有的选项"}}


class Program:
    def __init__(self, path, source, lang, page):
        self.path, self.source, self.lang, self.page = path, source, lang, page

    def said(self, *words):
        env = {**os.environ, "LC_ALL": "C", "VERNIER_LANG": self.lang, "COLUMNS": "80"}
        return subprocess.run([self.path, *words], env=env, stdout=subprocess.PIPE, check=True).stdout.decode()

    def table(self, heads, rows):
        """Markdown; a page that a text names becomes a link."""
        def link(match):
            page = "docs/" + match.group(2) + ".md"
            own = "docs/zh/" + match.group(2) + ".md"
            target = own if self.lang == "zh" and os.path.exists(os.path.join(self.source, own)) else page
            if not os.path.exists(os.path.join(self.source, target)):
                return match.group(0)
            return "%s[%s](%s)%s" % (match.group(1), match.group(2), os.path.relpath(target, os.path.dirname(self.page)), match.group(3))

        def cell(text):
            text = re.sub(r"(?<!\\)\|", r"\\|", text)
            return re.sub(r"([(（])docs/([\w-]+)\.md([)）])", link, text)
        heads = [WORDS[self.lang][head] for head in heads]
        lines = ["| %s |" % " | ".join(heads), "|" + "---|" * len(heads)]
        return "\n".join(lines + ["| %s |" % " | ".join(map(cell, row)) for row in rows]) + "\n"


def plain(roff):
    for escape, text in (("\\-", "-"), ("\\(aq", "'"), ("\\(ga", "`"), ("\\(ha", "^"), ("\\(ti", "~"), ("\\&", ""), ("\\e", "\\")):
        roff = roff.replace(escape, text)
    return roff


def options_of(page, title):
    """(option, text) of a section of a manual page."""
    section = re.search(r'\.SH "%s"\n(.*?)(?=\.SH|\Z)' % title, page, re.S)
    for option, text in re.findall(r"\.TP\n(\\fB.*)\n(.*)\n", section.group(1) if section else ""):
        yield "`%s`" % plain(re.sub(r"\\f[BIR]", "", option)), plain(text)


def options(program):
    """Every command with its options; first those of all commands."""
    own, common = ("选项", "各命令共有的选项") if program.lang == "zh" else ("OPTIONS", "OPTIONS OF EVERY COMMAND")
    head = ("option", "effect")
    out = ["## %s\n\n" % WORDS[program.lang]["every"], program.table(head, options_of(program.said("man", "compare"), common))]
    for name, purpose in re.findall(r"(?m)^  ([a-z]+) +(.*)$", program.said("help")):
        rows = list(options_of(program.said("man", name), own))
        if rows:
            out.append("\n## %s\n\n%s\n\n%s" % (name, purpose[:1].upper() + purpose[1:], program.table(head, rows)))
    return "".join(out)


def inputs(program):
    lines = program.said("help", "inputs").split("\n\n")[0].split("\n")[1:]
    return program.table(("input", "accepted"), [(lines[i].strip(), lines[i + 1].strip()) for i in range(0, len(lines), 2)])


def log_sources(program):
    lines = program.said("help", "logs").split("\n\n")[0].split("\n")[1:]
    return program.table(("source", "taken"), [(lines[i].strip(), lines[i + 1].strip()) for i in range(0, len(lines), 2)])


def log_formats(program):
    lines = program.said("help", "logs").split("\n\n")[1].split("\n")[1:]
    return program.table(("format", "line", "step"), [(lines[i].strip(), lines[i + 1].strip(), lines[i + 2].strip().partition(": ")[2])
                                                      for i in range(0, len(lines), 3)])


def log_events(program):
    """The forms of templates/logs.forms that are events."""
    rows, form = {}, {}
    with open(os.path.join(program.source, "templates", "logs.forms"), encoding="utf-8") as file:
        for line in file:
            key, _, text = line.strip().partition(" ")
            if key == "form":
                form = {"form": text}
            form[key] = text.strip()
            if key == "line" and form.get("role") in ("skip", "overflow", "nan", "abort", "error", "restart", "checkpoint"):
                rows.setdefault(form["role"], []).append((form["form"], form["line"]))
    return program.table(("event", "writer", "line"), [(role if i == 0 else "", form, ("``%s``" if "`" in line else "`%s`") % line) for role, found in rows.items()
                                                       for i, (form, line) in enumerate(found)])


def invariants(program):
    return program.said("help", "checks").strip() + "\n"


def rows_of(text):
    return re.findall(r"(?m)^  (\S+(?:, \S+)*)  +(\S.*)$", text)


def formats(program):
    return program.table(("format", "file"), [("`%s`" % name, text) for name, text in rows_of(program.said("help", "formats"))])


def exits(program):
    return program.table(("exit", "meaning"), rows_of(program.said("help", "exit")))


def limits(program, command):
    text = re.search(r"(?:^|\n)[^\n]*vernier %s[^\n]*\n(.*?)(?=\n\n|\Z)" % command, program.said("help", "rules"), re.S).group(1)
    rows = re.findall(r"(?m)^  ([A-Z][A-Z0-9-]*) +(?:(\S+(?: %)?)  +|  +)(\S.*)\n +[(（](.*)[)）]$", text)
    return program.table(("limit", "value", "for", "why"), [("`%s`" % name, value, text, why) for name, value, text, why in rows])


MAKERS = {"options": options, "inputs": inputs, "log-sources": log_sources, "log-formats": log_formats, "log-events": log_events,
          "invariants": invariants, "formats": formats, "exits": exits,
          **{"limits-" + name: lambda program, name=name: limits(program, name) for name in ("curves", "monitor", "advise")}}


def pages(source):
    for folder in ("docs", "docs/reference", "docs/zh", "docs/zh/reference"):
        for name in sorted(os.listdir(os.path.join(source, folder))):
            if name.endswith(".md"):
                yield folder + "/" + name


def main():
    vernier, source, write = os.path.abspath(sys.argv[1]), sys.argv[2], "--write" in sys.argv
    wrong, seen = [], set()
    for page in pages(source):
        with open(os.path.join(source, page), encoding="utf-8") as file:
            text = file.read()
        program = Program(vernier, source, "zh" if page.startswith("docs/zh/") else "en", page)
        seen |= {match.group(2) for match in BLOCK.finditer(text)}
        made = BLOCK.sub(lambda match: match.group(1) + MAKERS[match.group(2)](program) + match.group(4), text)
        if write and made != text:
            with open(os.path.join(source, page), "w", encoding="utf-8") as file:
                file.write(made)
        elif made != text:
            old = set(text.split("\n"))
            wrong += ["%s: the program says: %s" % (page, line) for line in made.split("\n") if line not in old] or [page + ": lines too many"]
    wrong += ["no page has the table '%s'" % name for name in sorted(set(MAKERS) - seen)]
    if wrong and not write:
        print("\n".join(wrong) + "\ntests/reference_pages.py VERNIER SOURCE --write makes the pages anew")
    return 1 if wrong and not write else 0


if __name__ == "__main__":
    sys.exit(main())
