#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the project writes, measured: language.py SOURCE [--list GROUP.MEASURE] [--update]

Counts, by group of texts, what a tired engineer does not read at once: long sentences, long paragraphs,
long table cells, and words that the field does not use. tests/language.tsv holds the counts that are left;
they may only fall. --list prints the places of one count, --update writes lower counts down.
Exit code 1: a count is above its line in language.tsv.
"""
import os
import re
import sys

SENTENCE_WORDS, PARAGRAPH_WORDS, CELL_WORDS, ZH_SENTENCE = 40, 100, 50, 80

# What is not the field's word, and what is.
WORDS = [
    (r"where (?:the runs|they|two runs) (?:first )?part", "diverge"),
    (r"(?:is|are|was) told|tells? nothing|untold", "is recorded, reported"),
    (r"says? nothing of", "does not describe"),
    (r"held against", "compared with"),
    (r"stands? (?:in|beside|there|behind|on one side)", "is in, is next to, exists"),
    (r"behind", "after"),
    (r"beside", "next to"),
    (r"set-up", "configuration"),
    (r"(?-i:alike)", "similar, in the same way"),  # ALIKE is the first word of a verdict
    (r"mended", "fixed"),
    (r"the house|carry(?:ing)? it on", "architecture, contributing"),
    (r"(?:fail|fails|failing) alone", "in isolation"),
    (r"what it was given|what it gives", "its inputs, its outputs"),
    (r"came in|went out", "input, output"),
    (r"giver|taker", "producer, consumer"),
    (r"aside ops?|unfelt", "logging-only op, no effect"),
    (r"handed on", "passed through"),
    (r"kept state", "unchanged state"),
    (r"by night|of a night|last night", "nightly run"),
    (r"deciding rel\. diff", "relative error"),
    (r"is lacking|lacks", "has no, is missing"),
]
WORDS_ZH = [("分歧", "不一致"), ("分开", "出现差异"), ("容限", "容差"), ("尖刺", "尖峰"), ("散布", "离散度"),
            ("各夜", "每次夜间任务"), ("逐夜", "每次夜间任务"), ("本夜", "本次"), ("昨夜", "上一次"), ("昨晚", "上一次")]
WORD_RES = [(re.compile(r"(?<![\w-])(?:" + pattern + r")(?![\w-])", re.I), better) for pattern, better in WORDS]

# Pages that are read by users; the others are for those who change the program.
REFERENCE = re.compile(r"docs/(?:spec|decisions|notes|changes)/|docs/(?:architecture|contributing|testing|performance|defects)\.md")


def lines_of(top, path):
    with open(os.path.join(top, path), encoding="utf-8") as file:
        return file.read().split("\n")


def blocks(lines):
    """(line, kind, text) of a Markdown page: paragraphs and cells; code is left out."""
    fenced, start, held = False, 0, []
    for number, line in enumerate(lines + [""], 1):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            line = ""
        elif fenced:
            continue
        new = re.match(r"\s*(?:[-*+] |\d+\. |> ?|#)", line)
        if held and (not line.strip() or new or line.lstrip().startswith("|")):
            yield start, "paragraph", " ".join(held)
            held = []
        if line.lstrip().startswith("|"):
            for cell in re.split(r"(?<!\\)\|", line.strip().strip("|")):
                if not re.fullmatch(r"[\s:-]*", cell):
                    yield number, "cell", cell.strip()
        elif line.strip() and not line.lstrip().startswith(("#", "<", "![")):
            start = start if held else number
            held.append(line.strip())


def prose(text):
    """Without what is typed or linked to."""
    text = re.sub(r"`+[^`]*`+", "CODE", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"https?://\S+", "LINK", text)


def sentences(text):
    return re.split(r"(?<=[.!?:;])\s+(?=[A-Z(*\"“]|CODE)|。|；|(?<=[:;])\s+", text)


def is_chinese(text):
    return len(re.findall(r"[\u4e00-\u9fff]", text)) * 4 > len(text)


def measure(counts, group, place, kind, text):
    """Adds the places of one text to its counts."""
    def add(what, note):
        counts.setdefault((group, what), []).append(f"{place}: {note}")
    plain = prose(text)
    if is_chinese(plain):
        for part in re.split(r"[。；！？]", plain):
            length = len(re.sub(r"\s", "", part))
            if length > ZH_SENTENCE:
                add("sentence", f"{length} characters: {part.strip()[:60]}")
        for word, better in WORDS_ZH:
            for _ in re.finditer(word, plain):
                add("word", f"{word} → {better}")
        return
    words = len(plain.split())
    if kind == "paragraph" and words > PARAGRAPH_WORDS:
        add("paragraph", f"{words} words: {plain[:60]}")
    if kind == "cell" and words > CELL_WORDS:
        add("cell", f"{words} words: {plain[:60]}")
    for part in sentences(plain):
        if len(part.split()) > SENTENCE_WORDS:
            add("sentence", f"{len(part.split())} words: {part[:60]}")
    for regex, better in WORD_RES:
        for hit in regex.finditer(plain):
            if hit.group(0).isupper():  # the first word of a verdict stays
                continue
            add("word", f"{hit.group(0)} → {better}: …{plain[max(0, hit.start() - 30):hit.end() + 20]}…")


def pages(top):
    for name in ("README.md", "README.zh.md", "SECURITY.md", "CHANGELOG.md"):
        if os.path.exists(os.path.join(top, name)):
            yield name, {"CHANGELOG.md": "changelog"}.get(name, "readme")
    for at, folders, names in os.walk(os.path.join(top, "docs")):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".md"):
                path = os.path.relpath(os.path.join(at, name), top)
                yield path, "reference" if REFERENCE.match(path) else "docs"


def comments(text):
    """(line, comment) of C; lines of one comment are joined."""
    start, held = 0, []
    for number, line in enumerate(text.split("\n"), 1):
        hit = re.match(r"(?:[^\"']|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')*?//+ ?(.*)", line)
        alone = re.match(r"\s*//", line)
        # A line with nothing behind its mark ends a paragraph.
        if held and (not alone or re.fullmatch(r"\s*//+\s*", line)):
            yield start, " ".join(held)
            held = []
        if hit:
            start = start if held else number
            held.append(hit.group(1))
    if held:
        yield start, " ".join(held)


def count(top):
    counts = {}
    for path, group in pages(top):
        for line, kind, text in blocks(lines_of(top, path)):
            measure(counts, group, f"{path}:{line}", kind, text)
    for number, line in enumerate(lines_of(top, "templates/words.zh"), 1):
        for text in line.split("\t") if "\t" in line else [line]:
            if text and not text.startswith("#"):
                measure(counts, "messages", f"templates/words.zh:{number}", "line", text)
    for folder in ("src", "renderers"):
        for at, folders, names in os.walk(os.path.join(top, folder)):
            folders.sort()
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    path = os.path.relpath(os.path.join(at, name), top)
                    for line, text in comments("\n".join(lines_of(top, path))):
                        text = re.sub(r'"[^"]*"', "TEXT", text)  # of inputs and outputs, keys
                        measure(counts, "comments", f"{path}:{line}", "paragraph", text)
    return counts


def main(top, *rest):
    counts = count(top)
    if rest[:1] == ("--list",):
        group, what = rest[1].split(".")
        print("\n".join(counts.get((group, what), [])))
        return 0
    limits_path = os.path.join(top, "tests", "language.tsv")
    limits = {}
    if os.path.exists(limits_path):
        for line in lines_of(top, "tests/language.tsv"):
            if line and not line.startswith("#"):
                group, what, most = line.split("\t")
                limits[group, what] = int(most)
    now = {key: len(found) for key, found in counts.items()}
    above = [key for key in now if now[key] > limits.get(key, 0)]
    if rest[:1] == ("--update",):
        with open(limits_path, "w", encoding="utf-8") as file:
            file.write("# Places that tests/language.py counts, by group and measure. They may only fall.\n")
            for (group, what), most in sorted(now.items()):
                file.write(f"{group}\t{what}\t{most}\n")
        return 0
    for key in sorted(above):
        print(f"{key[0]}.{key[1]}: {now[key]} places, at most {limits.get(key, 0)}; the last ones (--list shows all):")
        print("".join(f"  {place}\n" for place in counts[key][-5:]), end="")
    for key in sorted(limits):
        if now.get(key, 0) < limits[key]:
            print(f"{key[0]}.{key[1]} fell from {limits[key]} to {now.get(key, 0)}: language.py {top} --update")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
