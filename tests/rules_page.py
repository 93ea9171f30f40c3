#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of the rules `vernier` in docs/reference/rules.md are made from src/compare/judge/rule_table.c: rules_page.py SOURCE [--write]

Prints what is not as it would be made, exit code 1; --write makes it so. What each rule is worth, how many answers of recorded pairs
change without it, stands in tests/data/rules.json and is measured by rules_worth.py.
"""
import json
import os
import re
import sys

SCOPES = {"RULE_CHECKS": "What a slot is checked for", "RULE_EXCUSES": "What excuses a slot that differs",
          "RULE_FLOORS": "What changes the floor of a slot", "RULE_ACCUSES": "What is a difference within its floor",
          "RULE_SETTLES": "What an op on one side only is no divergence by", "RULE_PLACES": "The point of divergence is named by"}
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


def page(source):
    with open(os.path.join(source, "tests/data/rules.json"), encoding="utf-8") as file:
        worth = json.load(file)["changes"]
    out = []
    for scope, heading in SCOPES.items():
        of_scope = [row for row in rules(source) if row[1] == scope]
        if scope == "RULE_CHECKS":
            out += ["", "### " + heading, "", "| rule | gives | when | why |", "|---|---|---|---|"]
            out += ["| `%s` | %s | %s | %s |" % (row[0], row[2], row[3], row[4]) for row in of_scope]
        else:
            out += ["", "### " + heading, "", "| rule | gives | when | why | changes |", "|---|---|---|---|---|"]
            out += ["| `%s` | %s | %s | %s | %s |" % (row[0], row[2], row[3], row[4], worth.get(row[0], 0) or "·") for row in of_scope]
    return "\n".join(out[1:]) + "\n"


def main():
    source, write = sys.argv[1], "--write" in sys.argv
    path = os.path.join(source, "docs/reference/rules.md")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    head, rest = text.split(BEGIN)
    made = head + BEGIN + page(source) + END + rest.split(END)[1]
    if write:
        with open(path, "w", encoding="utf-8") as file:
            file.write(made)
    elif made != text:
        old = set(text.split("\n"))
        print("\n".join("docs/reference/rules.md lacks: " + line for line in made.split("\n") if line not in old))
        print("docs/reference/rules.md is not what rules_page.py --write makes of the table of the rules")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
