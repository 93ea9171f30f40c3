#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of the rules `vernier` in docs/reference/rules.md are made from src/compare/judge/rule_table.c: rules_page.py SOURCE [--write]

The Chinese edition takes its sentences from templates/words.zh. Prints what is not as it would be made, exit code 1; --write makes it so. What each rule is worth, how many answers of recorded pairs
change without it, stands in tests/data/rules.json and is measured by rules_worth.py.
"""
import json
import os
import re
import sys

SCOPES = {"RULE_CHECKS": "What a slot is checked for", "RULE_EXCUSES": "What excuses a slot that differs",
          "RULE_FLOORS": "What changes the floor of a slot", "RULE_ACCUSES": "What is a difference within its floor",
          "RULE_SETTLES": "What an op on one side only is no divergence by", "RULE_PLACES": "The point of divergence is named by"}
PAGES = ("docs/reference/rules.md", "docs/zh/reference/rules.md")
CHINESE = {"What a slot is checked for": "检查一个值的哪些方面", "What excuses a slot that differs": "不同的值凭什么放行",
           "What changes the floor of a slot": "什么改变一个值的噪声底", "What is a difference within its floor": "在噪声底之内仍算差异的情况",
           "What an op on one side only is no divergence by": "只在一边有的算子何时不算差异", "The point of divergence is named by": "按什么指出首个差异",
           "rule": "规则", "gives": "得到", "when": "何时", "why": "依据", "changes": "改变", "wider": "放宽", "narrower": "收紧", "other": "另定",
           "later op": "后面的算子", "missing op": "缺失的算子"}
BEGIN, END = "<!-- made by tests/rules_page.py from the table of the rules -->\n", "<!-- end -->\n"
ROW = re.compile(r"\[(\w+)\]\s*=\s*\{(.*?)\},(?=\s*(?:\[|\};|//))", re.S)
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')


def fields(row):
    """id, scope, levels."""
    parts, depth, at, quoted = [], 0, 0, False
    for i, c in enumerate(row):
        quoted ^= c == '"' and row[i - 1] != "\\"
        depth += 0 if quoted else {"(": 1, ")": -1}.get(c, 0)
        if c == "," and depth == 0 and not quoted:
            parts.append(row[at:i])
            at = i + 1
    parts.append(row[at:])
    joined = ["".join(TEXT.findall(part)) for part in parts]
    return joined[0], parts[1].strip(), joined[2]


def rules(source):
    with open(os.path.join(source, "src/compare/judge/rule_table.c"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(source, "templates/rules.table"), encoding="utf-8") as file:
        said = dict(re.findall(r"(?m)^rule (.+)\n  says (.+\n  source .+)$", file.read()))
    rows = [fields(match.group(2)) for match in ROW.finditer(text)]
    return [(*row, *said[row[0]].split("\n  source ")) for row in rows if row[0] in said]


def words(source, page):
    """What a text of the tables is on that page."""
    if "/zh/" not in page:
        return {}
    with open(os.path.join(source, "templates/words.zh"), encoding="utf-8") as file:
        return {**dict(re.findall(r"(?m)^en: (.+)\nzh: (.+)$", file.read())), **CHINESE}


def tables(source, of_page):
    with open(os.path.join(source, "tests/data/rules.json"), encoding="utf-8") as file:
        worth = json.load(file)["changes"]
    own, out = words(source, of_page), []
    for scope, heading in SCOPES.items():
        heads = ["rule", "gives", "when", "why"] + ([] if scope == "RULE_CHECKS" else ["changes"])
        out += ["", "### " + own.get(heading, heading), "", "| %s |" % " | ".join(own.get(head, head) for head in heads), "|---" * len(heads) + "|"]
        for name, _, gives, says, why in (row for row in rules(source) if row[1] == scope):
            # The statuses of a value are names, the same in both editions.
            cells = ["`%s`" % name, CHINESE.get(gives, gives) if own else gives, own.get(says, says), own.get(why, why)]
            out.append("| %s |" % " | ".join(cells + ([] if scope == "RULE_CHECKS" else [str(worth.get(name, 0) or "·")])))
    return "\n".join(out[1:]) + "\n"


def main():
    source, write, wrong = sys.argv[1], "--write" in sys.argv, []
    for page in PAGES:
        path = os.path.join(source, page)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        head, rest = text.split(BEGIN)
        made = head + BEGIN + tables(source, page) + END + rest.split(END)[1]
        if write:
            with open(path, "w", encoding="utf-8") as file:
                file.write(made)
        elif made != text:
            old = set(text.split("\n"))
            wrong += ["%s lacks: %s" % (page, line) for line in made.split("\n") if line not in old]
            wrong.append(page + " is not what rules_page.py --write makes of the table of the rules")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
