// SPDX-License-Identifier: Apache-2.0
// Curves that one reads off: the values of all runs at the pointer, runs hidden by their names, a log axis,
// smoothing, and zoom by dragging. The pictures above stay as they are.
(function () {
  "use strict";
  var box = document.getElementById("curves-view"), data = document.getElementById("curve-data");
  if (!box || !data) return;
  var names = document.getElementById("curves-names"), metric = document.getElementById("curves-metric"), log = document.getElementById("curves-log");
  var smooth = document.getElementById("curves-smooth"), said = document.getElementById("curves-said"), canvas = document.getElementById("curves-canvas");
  var LEFT = 76, RIGHT = 12, TOP = 10, HEIGHT = 320, LABELS = 24, words = function (name) { return box.getAttribute("data-" + name); };
  var lines = data.textContent.split("\n"), all = [], hidden = {}, zoom = null, pointer = null, drag = null, shown = [], range = {};

  for (var k = 0; k + 4 < lines.length; k += 5) {
    var at = 0;
    all.push({series: lines[k], run: lines[k + 1], role: lines[k + 2], y: lines[k + 4].split(" ").map(Number),
      x: lines[k + 3].split(" ").map(function (step) { return at += Number(step); })});
  }
  var runs = unique(all.map(function (one) { return one.run; })), metrics = unique(all.map(function (one) { return one.series; }));
  if (!all.length) return;
  function unique(list) { return list.filter(function (one, i) { return list.indexOf(one) === i; }); }
  function css(name) { return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim(); }
  // Golden and target keep their colours; further runs get hues of their own, and dashes by turns.
  function look(run) {
    var role = all.filter(function (one) { return one.run === run; })[0].role, same = runs.filter(function (one) {
      return all.some(function (line) { return line.run === one && line.role === role; });
    }), place = same.indexOf(run);
    if (place === 0 && (role === "golden" || role === "target")) return {colour: css(role), dash: []};
    if (role === "noise") return {colour: css("noise"), dash: place % 2 ? [4, 3] : []};
    var dark = matchMedia("(prefers-color-scheme:dark)").matches;
    return {colour: "hsl(" + (place * 137 + 210) % 360 + ",60%," + (dark ? 68 : 38) + "%)", dash: place > 7 ? [6, 3] : []};
  }

  // The mean of the points within so many steps to both sides.
  function smoothed(line) {
    var half = Number(smooth.value), out = [], sum = 0, from = 0, to = 0, count = 0, number = function (v) { return isFinite(v); };
    if (!half) return line.y;
    line.x.forEach(function (x) {
      for (; to < line.x.length && line.x[to] <= x + half; to++) if (number(line.y[to])) { sum += line.y[to]; count++; }
      for (; line.x[from] < x - half; from++) if (number(line.y[from])) { sum -= line.y[from]; count--; }
      out.push(count ? sum / count : NaN);
    });
    return out;
  }

  function figure(value) { return value !== value ? "NaN" : !isFinite(value) ? (value > 0 ? "Inf" : "-Inf") : Math.abs(value) >= 1e5 || (value && Math.abs(value) < 1e-3) ? value.toExponential(3) : String(Number(value.toPrecision(6))); }
  function count(n) { return String(n).replace(/\B(?=(\d{3})+$)/g, ","); }
  function toX(x) { return LEFT + (range.width - LEFT - RIGHT) * (x - range.from) / (range.to - range.from || 1); }
  function fromX(px) { return range.from + (px - LEFT) / (range.width - LEFT - RIGHT) * (range.to - range.from); }
  function scaled(y) { return log.checked ? Math.log10(y) : y; }
  function toY(y) { return TOP + HEIGHT * (1 - (scaled(y) - range.low) / (range.high - range.low || 1)); }

  function measure() {
    var xs = [], low = Infinity, high = -Infinity;
    shown.forEach(function (line) { xs.push(line.x[0], line.x[line.x.length - 1]); });
    range = {width: Math.max(320, canvas.clientWidth), from: zoom ? zoom[0] : Math.min.apply(null, xs), to: zoom ? zoom[1] : Math.max.apply(null, xs)};
    shown.forEach(function (line) {
      line.x.forEach(function (x, i) {
        var y = scaled(line.smooth[i]);
        if (x < range.from || x > range.to || !isFinite(y)) return;
        low = Math.min(low, y); high = Math.max(high, y);
      });
    });
    var pad = (high - low || Math.abs(high) || 1) * 0.04;
    range.low = isFinite(low) ? low - pad : 0; range.high = isFinite(high) ? high + pad : 1;
  }
  function nice(span, about) {
    var step = Math.pow(10, Math.floor(Math.log10(span / about)));
    return [1, 2, 5, 10].map(function (n) { return n * step; }).filter(function (n) { return span / n <= about; })[0] || step * 10;
  }

  function draw() {
    shown = all.filter(function (line) { return line.series === metric.value && !hidden[line.run]; });
    shown.forEach(function (line) { line.smooth = smoothed(line); });
    measure();
    var scale = window.devicePixelRatio || 1, pen = canvas.getContext("2d"), bottom = TOP + HEIGHT, face = getComputedStyle(document.body).fontFamily;
    canvas.width = range.width * scale; canvas.height = (bottom + LABELS) * scale; canvas.style.height = bottom + LABELS + "px";
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.font = "11px " + face;
    pen.fillStyle = css("ink2");
    pen.strokeStyle = css("hair");
    var step = nice(range.high - range.low, 6), tick = nice(range.to - range.from || 1, 8), v;
    for (v = Math.ceil(range.low / step) * step; v <= range.high; v += step) {
      var y = TOP + HEIGHT * (1 - (v - range.low) / (range.high - range.low));
      pen.beginPath(); pen.moveTo(LEFT, y); pen.lineTo(range.width - RIGHT, y); pen.stroke();
      pen.textAlign = "right";
      pen.fillText(figure(Number((log.checked ? Math.pow(10, v) : v).toPrecision(3))), LEFT - 8, y + 4);
    }
    pen.textAlign = "center";
    tick = Math.max(1, Math.round(tick));
    for (v = Math.ceil(range.from / tick) * tick; v <= range.to; v += tick) pen.fillText(count(v), Math.min(toX(v), range.width - 4 - pen.measureText(count(v)).width / 2), bottom + 17);
    pen.save();
    pen.beginPath(); pen.rect(LEFT, TOP, range.width - LEFT - RIGHT, HEIGHT); pen.clip();
    shown.forEach(function (line) {
      var style = look(line.run), open = false;
      pen.strokeStyle = style.colour; pen.lineWidth = 1.4; pen.setLineDash(style.dash);
      pen.beginPath();
      line.x.forEach(function (x, i) {
        var at = toY(line.smooth[i]);
        if (!isFinite(at)) { open = false; return; }
        if (open) pen.lineTo(toX(x), at); else pen.moveTo(toX(x), at);
        open = true;
      });
      pen.stroke();
      pen.setLineDash([]);
      pen.strokeStyle = css("nan");
      line.x.forEach(function (x, i) {
        if (isFinite(line.y[i])) return;
        pen.beginPath(); pen.moveTo(toX(x) - 3, TOP + 4); pen.lineTo(toX(x) + 3, TOP + 10); pen.moveTo(toX(x) + 3, TOP + 4); pen.lineTo(toX(x) - 3, TOP + 10); pen.stroke();
      });
    });
    if (pointer !== null) {
      pen.strokeStyle = css("ink3"); pen.lineWidth = 1;
      pen.beginPath(); pen.moveTo(toX(pointer), TOP); pen.lineTo(toX(pointer), bottom); pen.stroke();
    }
    if (drag) { pen.fillStyle = css("accent"); pen.globalAlpha = 0.2; pen.fillRect(Math.min(toX(drag[0]), toX(drag[1])), TOP, Math.abs(toX(drag[1]) - toX(drag[0])), HEIGHT); }
    pen.restore();
    read();
  }

  // The values of all runs that are shown at the step of the pointer, or at the last one before it.
  function read() {
    said.textContent = "";
    if (pointer === null) { said.textContent = words("keys"); return; }
    said.append(words("step") + " " + count(Math.round(pointer)) + " ");
    shown.forEach(function (line) {
      var i = line.x.length - 1, whole = document.createElement("span");
      while (i > 0 && line.x[i] > pointer + 0.5) i--;
      if (line.x[0] > pointer + 0.5) return;
      whole.textContent = line.run + " " + figure(line.y[i]) + (line.x[i] === Math.round(pointer) ? "" : " (" + count(line.x[i]) + ")");
      whole.style.borderBottom = "3px solid " + look(line.run).colour;
      said.append(whole, " ");
    });
  }

  function move(to) { pointer = Math.max(range.from, Math.min(range.to, Math.round(to))); draw(); }
  function atEvent(event) { return fromX(event.clientX - canvas.getBoundingClientRect().left); }
  canvas.addEventListener("mousedown", function (event) { drag = [atEvent(event), atEvent(event)]; event.preventDefault(); canvas.focus(); });
  canvas.addEventListener("mousemove", function (event) { if (drag) drag[1] = atEvent(event); move(atEvent(event)); });
  canvas.addEventListener("mouseleave", function () { pointer = null; drag = null; draw(); });
  window.addEventListener("mouseup", function () {
    if (drag && Math.abs(toX(drag[1]) - toX(drag[0])) > 5) zoom = [Math.min(drag[0], drag[1]), Math.max(drag[0], drag[1])];
    if (drag) { drag = null; draw(); }
  });
  canvas.addEventListener("dblclick", function () { zoom = null; draw(); });
  canvas.addEventListener("keydown", function (event) {
    var span = range.to - range.from, middle = pointer === null ? range.from + span / 2 : pointer;
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") move(middle + (event.key === "ArrowRight" ? 1 : -1) * Math.max(1, event.shiftKey ? span / 20 : span / 400));
    else if (event.key === "+" || event.key === "=") { zoom = [middle - span / 4, middle + span / 4]; draw(); }
    else if (event.key === "-") { zoom = [middle - span, middle + span]; draw(); }
    else if (event.key === "Escape") { zoom = null; pointer = null; draw(); }
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  metrics.forEach(function (one) { metric.add(new Option(one, one)); });
  if (metrics.indexOf("loss") >= 0) metric.value = "loss";
  [metric, log].forEach(function (one) { one.addEventListener("change", draw); });
  metric.addEventListener("change", function () { zoom = null; draw(); });
  smooth.addEventListener("input", draw);
  runs.forEach(function (run) {
    var made = document.createElement("button");
    made.type = "button";
    made.textContent = run;
    made.setAttribute("aria-pressed", "true");
    made.style.borderBottom = "3px solid " + look(run).colour;
    made.addEventListener("click", function () {
      hidden[run] = !hidden[run];
      made.setAttribute("aria-pressed", String(!hidden[run]));
      draw();
    });
    names.appendChild(made);
  });
  var figures = document.querySelectorAll("main > figure");
  if (figures.length) figures[figures.length - 1].parentNode.insertBefore(box, figures[0].nextSibling);
  else document.querySelector("main").appendChild(box);
  box.hidden = false;
  smooth.max = String(Math.max(1, Math.round((Math.max.apply(null, all.map(function (one) { return one.x[one.x.length - 1]; })) || 1) / 40)));
  draw();
  window.addEventListener("resize", draw);
  matchMedia("(prefers-color-scheme:dark)").addEventListener("change", draw);
  window.vernierCurves = {shown: function () { return shown.map(function (line) { return line.run; }); }, range: function () { return [range.from, range.to]; }};
})();
