#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every text marked with tr() or TR() has a Chinese line in templates/words.zh, with the same printf
directives in the same order; no line there is without use.

    words.py SOURCE_FOLDER [--list]      --list prints the missing lines, ready to be filled in
"""
import os
import re
import sys

MACROS = {"STR_FMT": "%.*s", "PRId64": "ld", "PRIu64": "lu", "PRIu32": "u", "PRId32": "d", "PRIX32": "X"}
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"|([A-Za-z_][A-Za-z_0-9]*)|((?:\s|\\\n)+)')
DIRECTIVE = re.compile(r"%(?:%|[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?(?:hh|h|ll|l|z|j|t)?[a-zA-Z])")


def literal(source, at):
    """The string that begins there, pieces joined, in C escapes, and where it ends; None: none."""
    text, good = "", False
    while at < len(source):
        piece = LITERAL.match(source, at)
        if not piece:
            break
        if piece.group(1) is not None:
            text += piece.group(1)
            good = True
        elif piece.group(2) is not None:
            if piece.group(2) not in MACROS:
                return None, at
            text += MACROS[piece.group(2)]
        at = piece.end()
    return text if good and text else None, at


def first_argument(source, at):
    """Where the text behind the first comma begins."""
    depth = 0
    while source[at] != "," or depth:
        depth += {"(": 1, ")": -1}.get(source[at], 0)
        at += 1
    return at + 1


def texts(source):
    """The strings of each tr(, TR( and tr_count( call."""
    for start in re.finditer(r"\b(?:tr|TR)\(", source):
        text, _ = literal(source, start.end())
        if text:
            yield text
    for start in re.finditer(r"\btr_count\((?!uint64_t)", source):
        one, at = literal(source, first_argument(source, start.end()))
        many, _ = literal(source, at + 1)
        yield from (one, many)


def unescape(text):
    return re.sub(r"\\(.)", lambda m: "\n" if m.group(1) == "n" else m.group(1), text)


def directives(text):
    return [d for d in DIRECTIVE.findall(text) if d != "%%"]


def read_shown(path, keys=("show", "step")):
    """The names and steps that 'vernier help logs' shows, and its lines of logs, of which some hold words."""
    with open(path, encoding="utf-8") as file:
        pieces = [line.strip().partition(" ")[::2] for line in file]
    return [rest for key, rest in pieces if key in keys], {rest for key, rest in pieces if key == "example"}


def main():
    top, listing = sys.argv[1], "--list" in sys.argv
    used = {}
    for folder in ("src", "renderers"):
        for at, _, names in os.walk(os.path.join(top, folder)):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    path = os.path.join(at, name)
                    with open(path, encoding="utf-8") as file:
                        for text in texts(re.sub(r"//[^\n]*", "", file.read())):
                            used.setdefault(unescape(text), (text, os.path.relpath(path, top)))
    shown, examples = read_shown(os.path.join(top, "templates", "logs.forms"))
    used.update({text: (text, "templates/logs.forms") for text in shown})  # printed by tr(), as they stand
    table, _ = read_shown(os.path.join(top, "templates", "checklist.table"), ("group", "text"))
    used.update({text: (text, "templates/checklist.table") for text in table})
    table, _ = read_shown(os.path.join(top, "templates", "explain.table"),
                          ("meaning", "figure", "column", "bad", "good", "nothing", "any"))
    used.update({text: (text, "templates/explain.table") for text in (row.rpartition(" | ")[0] or row for row in table)})
    table, _ = read_shown(os.path.join(top, "templates", "laws.table"), ("holds", "needs", "broken", "tested"))
    used.update({text: (text, "templates/laws.table") for text in table})
    table, _ = read_shown(os.path.join(top, "templates", "study.table"), ("title", "rule", "source", "needs"))
    used.update({text: (text, "templates/study.table") for text in table})
    table, _ = read_shown(os.path.join(top, "templates", "rules.table"), ("says", "source"))
    used.update({text: (text, "templates/rules.table") for text in table})
    with open(os.path.join(top, "templates", "page.labels"), encoding="utf-8") as file:
        labels = [line.strip().partition(" ")[2] for line in file if line[0] != "#"]
    used.update({text: (text, "templates/page.labels") for text in labels})
    help_table = os.path.join(top, "templates", "help.table")
    table = read_shown(help_table, ("say",))[0] + [row.partition(" | ")[2] for row in read_shown(help_table, ("row",))[0]]
    table += [text for row in read_shown(help_table, ("entry",))[0] for text in row.split(" | ")]
    table += [row.partition(" | ")[0] for row in read_shown(help_table, ("example",))[0]]
    table += [row.partition(" | ")[2] for row in read_shown(help_table, ("file",))[0]]
    used.update({text: (text, "templates/help.table") for text in table})
    known, english, wrong = {}, None, 0
    with open(os.path.join(top, "templates", "words.zh"), encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            if line.startswith("en: "):
                english = unescape(line[4:])
            elif line.startswith("zh: ") and english is not None and known.get(english, unescape(line[4:])) == unescape(line[4:]):
                known[english] = unescape(line[4:])
            elif line.startswith("zh: "):
                print("words.zh: a second or stray translation: %s" % line)
                wrong += 1
    for text, (raw, path) in sorted(used.items(), key=lambda item: item[1][1]):
        if text not in known:
            wrong += 1
            print("en: %s" % raw if listing else "%s: no Chinese text for: %s" % (path, raw))
        elif directives(text) != directives(known[text]):
            wrong += 1
            print("%s: directives differ: %r and %r" % (path, text, known[text]))
    for text in known:
        if text not in used and text not in examples and not listing:
            print("words.zh: not used: %r" % text)
            wrong += 1
    print("%d texts, %d translated, %d wrong" % (len(used), len(known), wrong), file=sys.stderr)
    return 1 if wrong or not used else 0


if __name__ == "__main__":
    sys.exit(main())
