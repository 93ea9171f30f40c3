# SPDX-License-Identifier: Apache-2.0
"""What collides in an SVG picture: texts with texts, with the edge of the canvas, with the cell that they stand in.

Widths are those that the layout reserves (src/scene/font_widths.c), so that the answer is the same on every machine.
"""
import os
import re
import unicodedata
import xml.etree.ElementTree as ET

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ASCENT, DESCENT = 0.70, 0.10   # of the font size: capitals and digits, and what two lines must keep apart below
TOUCH = 1.0                    # px that a cut to tenths and a side bearing may cost
CELL_HEIGHT, CELL_WIDTH = 40, 400
ROW = 16                       # px: what is not in the same rows need not be held against each other


def read_widths():
    with open(os.path.join(ROOT, "src", "scene", "font_widths.c"), encoding="utf-8") as file:
        source = file.read()
    faces = []
    for name in ("regular", "bold"):
        with open(os.path.join(ROOT, "src", "scene", "font_%s.widths" % name), encoding="utf-8") as file:
            faces.append([int(n) for n in re.findall(r"\d+", file.read())])
    widths = [{}, {}]
    for first, last, at in re.findall(r"\{0x(\w+), 0x(\w+), regular \+ (\d+)", source):
        for c in range(int(first, 16), int(last, 16) + 1):
            for bold in range(2):
                widths[bold][c] = faces[bold][int(at) + c - int(first, 16)]
    return widths


WIDTHS = read_widths()


def char_em(c, bold, mono):
    if unicodedata.category(c) in ("Mn", "Me", "Cf"):
        return 0
    if 0x1F000 <= ord(c) < 0x20000:
        return 1.25
    if unicodedata.east_asian_width(c) in "WF":
        return 1
    return 1233 / 2048 if mono else (WIDTHS[bold].get(ord(c)) or 2048) / 2048


def width(text, size, weight, mono=False):
    return sum(char_em(c, weight >= 600, mono) for c in text) * size


class Text:
    def __init__(self, element):
        mono = "ono" in (element.get("font-family") or "")
        size, weight = float(element.get("font-size")), int(element.get("font-weight", 400))
        x, y = float(element.get("x")), float(element.get("y"))
        runs = [(element.text or "", size, weight, 0.0, mono)]
        for child in element:
            if child.tag.endswith("tspan"):
                runs.append((child.text or "", float(child.get("font-size", size)), int(child.get("font-weight", weight)),
                             float(child.get("dx", 0)), mono or "ono" in (child.get("font-family") or "")))
            runs.append((child.tail or "", size, weight, 0.0, mono))
        self.text = "".join(run[0] for run in runs).strip()
        wide = sum(dx + width(text, at, heavy, fixed) for text, at, heavy, dx, fixed in runs)
        left = x - {"middle": wide / 2, "end": wide}.get(element.get("text-anchor"), 0)
        self.box = (left, y - ASCENT * size, left + wide, y + DESCENT * size)
        if element.get("transform"):   # turned by -90 degrees around (x, y)
            self.box = (x - ASCENT * size, y - (left + wide - x), x + DESCENT * size, y - (left - x))
        self.opaque = element.get("opacity") is None

    def __repr__(self):
        return "%r at %.0f,%.0f-%.0f,%.0f" % ((self.text[:60],) + self.box)


def overlap(a, b):
    return min(min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1]))


def by_rows(boxes, box_of):
    rows = {}
    for box in boxes:
        at = box_of(box)
        for row in range(int(at[1] // ROW), int(at[3] // ROW) + 1):
            rows.setdefault(row, []).append(box)
    return rows


def collisions(path):
    """One sentence each."""
    root = ET.parse(path).getroot()
    right, bottom = [float(n) for n in root.get("viewBox").split()[2:]]
    texts, cells, hits = [], [], []
    for element in root.iter():
        tag = element.tag.split("}")[-1]
        if tag == "text":
            texts.append(Text(element))
        elif tag == "rect" and element.get("stroke") and element.get("x"):
            x, y, w, h = (float(element.get(key)) for key in ("x", "y", "width", "height"))
            if 8 <= w <= CELL_WIDTH and h <= CELL_HEIGHT:
                cells.append((x, y, x + w, y + h))
    texts = [text for text in texts if text.text]
    for text in texts:
        if text.box[0] < -TOUCH or text.box[2] > right + TOUCH or text.box[1] < -TOUCH or text.box[3] > bottom + TOUCH:
            hits.append("%s leaves the canvas of %.0f x %.0f" % (text, right, bottom))
    seen = set()
    for band in by_rows(texts, lambda text: text.box).values():
        band.sort(key=lambda text: text.box[0])
        for i, a in enumerate(band):
            for b in band[i + 1:]:
                if b.box[0] > a.box[2]:
                    break
                if overlap(a.box, b.box) > TOUCH and (id(a), id(b)) not in seen:
                    seen.add((id(a), id(b)))
                    hits.append("%s lies over %s" % (a, b))
    rows = by_rows(cells, lambda cell: cell)
    for text in texts:
        inside = (text.box[0] + 2 * TOUCH, text.box[1] + 2 * TOUCH, text.box[2] - 2 * TOUCH, text.box[3] - 2 * TOUCH)
        near = {cell for row in range(int(inside[1] // ROW), int(inside[3] // ROW) + 1) for cell in rows.get(row, ())}
        if any(cell[0] <= inside[0] and inside[2] <= cell[2] and overlap(inside, cell) > 0 for cell in near):
            continue
        for cell in near:
            if overlap(inside, cell) > 0:
                hits.append("%s crosses the edge of a cell %.0f-%.0f" % (text, cell[0], cell[2]))
                break
    return hits


if __name__ == "__main__":
    import sys
    for name in sys.argv[1:]:
        found = collisions(name)
        for hit in found[:int(os.environ.get("MOST", 8))]:
            print("%s: %s" % (name, hit))
        if len(found) > 8:
            print("%s: %d in all" % (name, len(found)))
