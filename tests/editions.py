#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The English and the Chinese edition of a page say the same commands, options and names: what stands in one as code
stands in the other. A page of docs/zh is the other edition of that name in docs; README.zh.md that of README.md.

    editions.py SOURCE_FOLDER
"""
import os
import re
import sys

FENCED = re.compile(r"^```[a-z]*\n(.*?)^```", re.M | re.S)
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z0-9-]*")
COMMAND = re.compile(r"\bvernier (?!-)[a-z]+")


def plain_of(block):
    """The lines of a block without comments and what a program printed in the language of the page."""
    lines = [re.sub(r"\s*(?:#\s|→|(?<=\]\])\s+\S).*", "", line).rstrip() for line in block.split("\n")]
    return [line for line in lines if line and line.isascii() and not re.match(r"(SAME|AGREES|DIVERGES)\b", line)]


def facts(page):
    """What both editions have to say: lines to type, and names in code. A sentence in code is printed text."""
    lines = [" ".join(line.split()) for block in FENCED.findall(page) for line in plain_of(block)]
    spans = re.findall(r"(?<!`)``(?!`)(.+?)``(?!`)|`([^`]+)`", FENCED.sub("", page))
    names = {" ".join((one or other).split()) for one, other in spans}
    return lines, {name for name in names if name.isascii() and not re.search(r"[a-z]\.$|[a-z]; ", name)}


def asked(page):
    """The commands and options of the table of questions of a README."""
    rows = [line.split(" | ") for line in page.split("\n") if line.startswith("| ")]
    return {word for row in rows if len(row) > 2 for code in re.findall(r"`([^`]+)`", row[1])
            for word in OPTION.findall(code) + COMMAND.findall(code)}


def difference(name, one, other):
    """What is said in one edition only."""
    for missing, edition in ((one - other, "the Chinese"), (other - one, "the English")):
        for what in sorted(missing):
            yield "%s: %s edition lacks `%s`" % (name, edition, what)


def compared(name, english, chinese):
    """What differs between two editions of the page of that name."""
    up = "../" * name.count("/")
    if "(%szh/%s)" % (up, name) not in english or "(../%s%s)" % (up, name) not in chinese:
        yield name + ": the editions do not link to each other"
    lines, names = facts(english)
    other_lines, other_names = facts(chinese)
    yield from difference(name, set(lines), set(other_lines))
    yield from difference(name, names, other_names)
    for pattern in OPTION, COMMAND:
        said = [set(pattern.findall("\n".join(sorted(spans) + block))) for block, spans in
                ((lines, names), (other_lines, other_names))]
        yield from difference(name, *said)
    for link in re.findall(r"\]\(([^)#]+)\)", chinese):
        if not link.startswith("http") and not os.path.exists(os.path.join(sys.argv[1], "docs", "zh", os.path.dirname(name), link)):
            yield "zh/%s: there is no %s" % (name, link)


def main():
    def text(*path):
        with open(os.path.join(sys.argv[1], *path), encoding="utf-8") as file:
            return file.read()

    wrong = list(difference("README", asked(text("README.md")), asked(text("README.zh.md"))))
    names = sorted(folder + name for folder in ("", "reference/")
                   for name in os.listdir(os.path.join(sys.argv[1], "docs", "zh", folder)) if name.endswith(".md"))
    for name in names:
        wrong += compared(name, text("docs", name), text("docs", "zh", name))
    print("\n".join(wrong) or "editions: %d pages say the same" % (len(names) + 1))
    return 1 if wrong or not names else 0


if __name__ == "__main__":
    sys.exit(main())
