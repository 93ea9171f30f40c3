// SPDX-License-Identifier: Apache-2.0
// The field of ranks that one reads off: one row a rank, one column a tick of the clock that the ranks share. Pointer
// or arrows: rank, op and error; click or Enter opens the page of that pair at that op; + and - zoom, Esc shows all.
(function () {
  "use strict";
  var box = document.getElementById("field-view"), data = document.getElementById("field-index");
  if (!box || !data) return;
  var canvas = document.getElementById("field-canvas"), said = document.getElementById("field-said");
  var LEFT = 86, FOOT = 20, lines = data.textContent.trim().split("\n"), end = Number(lines[0]) || 1;
  var rows = lines.slice(1).map(function (line) {
    var parts = line.split("|"), letters = parts[5].replace(/(\d+)(\D)/g, function (all, n, letter) { return letter.repeat(n); });
    var shifts = parts[6].split(" ").filter(Boolean).map(function (one) { return one.split(":").map(Number); });
    return {rank: parts[0], ops: Number(parts[1]), link: parts[2], stage: parts[3], group: parts[4], letters: letters, shifts: shifts};
  });
  if (!rows.length) return;
  var from = 0, to = end, row = 0, tick = 1, width = 0, height = Math.max(2, Math.min(16, Math.floor(640 / rows.length))), colours = [];
  function words(name) { return box.getAttribute("data-" + name); }
  function css(name) { return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim(); }
  function count(n) { return String(n).replace(/\B(?=(\d{3})+$)/g, ","); }
  function rgb(hex) { var v = parseInt(hex.slice(1), 16); return [v >> 16, v >> 8 & 255, v & 255]; }
  function mix(a, b, share) {
    a = rgb(css(a)); b = rgb(css(b));
    return "rgb(" + a.map(function (x, k) { return Math.round(x + (b[k] - x) * share); }).join(",") + ")";
  }

  // The op of a row that runs at a tick, from 1; 0: the rank waits, or has ended.
  function opAt(one, at) {
    var low = 0, high = one.shifts.length;
    while (low < high) {
      var middle = (low + high) >> 1;
      if (one.shifts[middle][0] + one.shifts[middle][1] <= at) low = middle + 1; else high = middle;
    }
    var op = at - (low ? one.shifts[low - 1][1] : 0);
    return op < 1 || op > one.ops || (low < one.shifts.length && op >= one.shifts[low][0]) ? 0 : op;
  }
  function letterOf(one, op) {
    return one.letters.charCodeAt(one.ops > one.letters.length ? Math.floor((op - 1) * one.letters.length / one.ops) : op - 1) - 97;
  }
  function errorText(level) { return level < 1 ? words("nothing") : level < 2 ? words("calm") : level > 10 ? words("worst") : "1e" + (level - 10); }

  // The worst level of each pixel column of a row; rows that are equal are asked for once.
  var known = {};
  function levelsOf(one, columns) {
    var key = one.ops + one.letters + one.shifts.join(), levels = known[key];
    if (levels) return levels;
    levels = known[key] = new Uint8Array(columns);
    var scale = columns / (to - from), bins = one.letters.length, next = 0, shift = 0;
    for (var k = 0; k < bins; k++) {
      var op = one.ops > bins ? Math.ceil(k * one.ops / bins) + 1 : k + 1, after = one.ops > bins ? Math.ceil((k + 1) * one.ops / bins) + 1 : k + 2;
      while (next < one.shifts.length && one.shifts[next][0] <= op) shift = one.shifts[next++][1];
      var low = Math.max(0, Math.floor((op + shift - 1 - from) * scale + 1e-9)), high = Math.min(columns, Math.ceil((after + shift - 1 - from) * scale - 1e-9));
      for (var level = one.letters.charCodeAt(k) - 97; low < high; low++) if (level > levels[low]) levels[low] = level;
    }
    return levels;
  }

  // The cells are painted once for each zoom; the mark of the cursor on top of them.
  var base = document.createElement("canvas"), scale = 1, stale = true;
  function paint() {
    var pen = base.getContext("2d"), x, free = 0, columns, wide;
    base.width = width * scale;
    base.height = canvas.height;
    pen.scale(scale, scale);
    colours = ["", css("same-fill")];
    for (var k = 0; k < 9; k++) colours.push(k < 2 ? mix("same-fill", "error-tint", (k + 1) / 3) : mix("error-tint", "error-fill", (k - 1.5) / 6.5));
    colours.push(css("nan"));
    known = {};
    columns = Math.min(Math.ceil(width - LEFT), Math.ceil(to - from));
    wide = (width - LEFT) / columns;
    pen.font = "11px " + getComputedStyle(document.body).fontFamily;
    rows.forEach(function (one, r) {
      var y = r * height, levels = levelsOf(one, columns), stage = r > 0 && one.stage !== rows[r - 1].stage;
      for (x = 0; x < columns; x++) if (levels[x]) {
        for (var last = x; last + 1 < columns && levels[last + 1] === levels[x];) last++;
        pen.fillStyle = colours[levels[x]];
        pen.fillRect(LEFT + x * wide, y, (last - x + 1) * wide + 0.2, height > 3 ? height - 1 : height);
        x = last;
      }
      if (stage || r && height > 3 && one.group !== rows[r - 1].group) { pen.fillStyle = css("rule"); pen.fillRect(stage ? 0 : LEFT - 8, y - 0.5, width, 1); }
      if (y < free) return;
      free = y + 12;
      pen.fillStyle = css("ink2");
      pen.textAlign = "right";
      pen.fillText(one.rank, LEFT - 10, y + Math.min(height, 12) - 1);
      pen.textAlign = "left";
      if (one.stage && (!r || stage)) pen.fillText(one.stage, 0, y + 10);
    });
    pen.fillStyle = css("ink2");
    pen.fillText(count(Math.floor(from) + 1), LEFT, rows.length * height + 14);
    pen.textAlign = "right";
    pen.fillText(count(Math.ceil(to)), width, rows.length * height + 14);
    stale = false;
  }
  function draw() {
    var pen = canvas.getContext("2d"), unit;
    if (stale) {
      scale = window.devicePixelRatio || 1;
      width = Math.max(320, canvas.clientWidth);
      canvas.width = width * scale;
      canvas.height = (rows.length * height + FOOT) * scale;
      canvas.style.height = rows.length * height + FOOT + "px";
      paint();
    }
    unit = (width - LEFT) / (to - from);
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(base, 0, 0);
    pen.scale(scale, scale);
    pen.strokeStyle = css("accent");
    pen.lineWidth = 2;
    pen.strokeRect(LEFT + (tick - 1 - from) * unit - 1, row * height - 1, Math.max(unit, 4) + 2, height + 2);
  }
  function say() {
    var one = rows[row], op = opAt(one, tick);
    said.textContent = words("rank") + " " + one.rank + (one.stage ? ", " + one.stage : "") + " · " +
      (op ? "#" + count(op) + " / " + count(one.ops) + " · " + errorText(letterOf(one, op)) : words("waits"));
  }
  function move(r, at) {
    row = Math.max(0, Math.min(rows.length - 1, r));
    tick = Math.max(1, Math.min(end, at));
    if (tick - 1 < from || tick > to) { var half = (to - from) / 2; zoom(half); }
    draw(); say();
  }
  // Of many ranks the canvas scrolls in a box of its own.
  function reveal() {
    var stage = canvas.parentNode, y = row * height;
    if (y < stage.scrollTop || y + height > stage.scrollTop + stage.clientHeight) stage.scrollTop = y - stage.clientHeight / 2;
  }
  function zoom(half) {
    half = Math.max(8, Math.min(end / 2, half));
    from = Math.max(0, Math.min(end - 2 * half, tick - half));
    to = Math.min(end, from + 2 * half);
    stale = true;
  }
  function open() {
    var one = rows[row], op = opAt(one, tick);
    if (one.link && op) location.href = one.link + "#op=@" + op;
  }
  function place(event) {
    var area = canvas.getBoundingClientRect();
    move(Math.floor((event.clientY - area.top) / height), Math.floor(from + (event.clientX - area.left - LEFT) / (width - LEFT) * (to - from)) + 1);
  }
  canvas.addEventListener("mousemove", place);
  canvas.addEventListener("click", function (event) { place(event); open(); });
  canvas.addEventListener("focus", say);
  canvas.addEventListener("keydown", function (event) {
    var by = Math.max(1, Math.round((to - from) / (event.shiftKey ? 20 : 200)));
    if (event.key === "ArrowLeft") move(row, tick - by);
    else if (event.key === "ArrowRight") move(row, tick + by);
    else if (event.key === "ArrowUp") move(row - 1, tick);
    else if (event.key === "ArrowDown") move(row + 1, tick);
    else if (event.key === "Enter") open();
    else if (event.key === "+" || event.key === "-") { zoom((to - from) / (event.key === "+" ? 4 : 1)); draw(); }
    else if (event.key === "Escape") { from = 0; to = end; stale = true; draw(); }
    else return;
    reveal();
    event.preventDefault();
    event.stopPropagation();
  });
  window.addEventListener("resize", function () { stale = true; draw(); });
  box.hidden = false;
  // Below the picture of the same field, which stays for print and without script.
  var heading = document.getElementById("pairs"), figure = heading && heading.parentNode.querySelector("#pairs ~ figure");
  if (figure) figure.parentNode.insertBefore(box, figure.nextSibling);
  // Begins where the error does.
  var start = Infinity;
  rows.forEach(function (one, r) {
    var first = one.letters.search(/[c-l]/), at = one.ops > one.letters.length ? Math.floor(first * one.ops / one.letters.length) + 1 : first + 1, shift = 0;
    one.shifts.forEach(function (pair) { if (pair[0] <= at) shift = pair[1]; });
    if (first >= 0 && at + shift < start) { start = tick = at + shift; row = r; }
  });
  draw();
  reveal();
})();
