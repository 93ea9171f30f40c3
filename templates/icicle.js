// SPDX-License-Identifier: Apache-2.0
// The hierarchy of a pair as a picture that one enters: one cell a module or op, depth down, execution order
// across, below each band the errors of its ops. It is drawn from the index of page.js.
(function () {
  "use strict";
  var page = window.vernierPage, box = document.getElementById("icicle");
  if (!page || !page.indexed || !box || !page.ops().sections.length) return;
  var all = page.ops(), canvas = document.getElementById("icicle-canvas"), over = document.getElementById("icicle-over");
  var mode = document.getElementById("icicle-mode"), micro = document.getElementById("icicle-micro");
  var crumb = document.getElementById("icicle-crumb"), said = document.getElementById("icicle-said");
  var lists = document.getElementById("icicle-list");
  var LEFT = 112, TIER = 21, TIERS = 6, PROFILE = 76, GAP = 16, NARROW = 3, LISTED = 60;
  var RANKS = "NSPpweGTWE";  // marks, worse ones later: what starts here beats what is inherited
  var DECADES = [-8, 1];     // of the errors that have colours of their own

  // ---- the hierarchy in typed arrays, a node before what is in it

  var parent = [], end = [], op = [], shape = [], section = [], roots = [], nodeOf = new Int32Array(all.held).fill(-1);
  function expand(id, base, above, of) {
    var at = parent.length, own = all.shapes[id];
    parent.push(above); op.push(own.own < 0 ? -1 : base + own.own); shape.push(id); section.push(of); end.push(0);
    if (own.own >= 0) nodeOf[base + own.own] = at;
    expandAll(own.runs, base, at, of);
    end[at] = parent.length;
  }
  function expandAll(runs, base, above, of) {
    runs.forEach(function (run) {
      for (var k = 0; k < run.count; k++) expand(run.shape, base + run.from + k * run.step, above, of);
    });
  }
  all.sections.forEach(function (one, i) {
    roots.push(parent.length);
    parent.push(-1); op.push(-1); shape.push(0); section.push(i); end.push(0);
    expandAll(one.runs, 0, roots[i], i);
    end[roots[i]] = parent.length;
  });

  // Sizes of the texts of errors: a number, -1 for "=", Infinity for what has no size, NaN for nothing.
  var size = all.errors.map(function (text, id) {
    if (!id) return -1;
    var value = parseFloat(text);
    return text === "—" ? NaN : isNaN(value) ? Infinity : value;
  });
  function errorOf(i, side) { var id = all.error[side][i]; return id ? size[parseInt(id, 36)] : -1; }

  var count = parent.length, leaves = new Uint32Array(count), worst = new Uint8Array(count), deep = new Uint8Array(count);
  var out = new Float64Array(count), into = new Float64Array(count), given = new Float64Array(count);
  for (var n = count - 1; n >= 0; n--) {
    var i = op[n], p = parent[n];
    if (!leaves[n]) leaves[n] = 1;
    if (i >= 0) {
      worst[n] = Math.max(worst[n], RANKS.indexOf(all.mark[i]));
      out[n] = errorOf(i, 1); into[n] = errorOf(i, 0);
    } else into[n] = NaN;
    if (p < 0) continue;
    leaves[p] += leaves[n];
    worst[p] = Math.max(worst[p], worst[n]);
    deep[p] = Math.max(deep[p], Math.min(deep[n] + 1, 250));
    if (op[p] < 0 && out[n] > out[p]) out[p] = out[n];  // a container shows the largest in it
  }

  // ---- names

  // "blocks.2.attn.qkv" of a module's name, without its class, direction and call.
  function pathOf(name) {
    var found = /^(?:Module|Cell)\.(.*?)(?:\.[^.]+\.(?:forward|backward)(?:\.\d+)?|\.parameters_grad(?:\.\d+)?)$/.exec(name);
    return found ? found[1] : "";
  }
  function label(n) {
    if (parent[n] < 0) return "";
    if (op[n] < 0) return all.shapes[shape[n]].label;
    var name = all.name[op[n]], path = pathOf(name), above = "";
    if (/\.parameters_grad(\.\d+)?$/.test(name)) return "parameters_grad";
    if (!path) return name.replace(/^[A-Z]\w*\.(?=.*\.(?:forward|backward)$)/, "").replace(/\.(forward|backward)$/, "");
    for (var p = parent[n]; p >= 0 && !above; p = parent[p]) above = op[p] >= 0 ? pathOf(all.name[op[p]]) : "";
    return above && path.indexOf(above + ".") === 0 ? path.slice(above.length + 1) : path;
  }
  function children(n) {
    var found = [];
    for (var k = n + 1; k < end[n]; k = end[k]) found.push(k);
    return found;
  }
  function labels(n) {
    var path = [];
    for (; parent[n] >= 0; n = parent[n]) path.unshift(label(n));
    return path;
  }

  // ---- what is shown

  var path = [], step = 0, cursor = -1, hover = -1, cells = [], centre = new Float32Array(count), foot = new Float32Array(count);
  var steps = all.sections.filter(function (one) { return one.kind !== "A"; }).map(function (one) { return one.micro; })
    .filter(function (one, k, list) { return list.indexOf(one) === k; });
  var first = -1;
  for (n = 0; n < all.held && first < 0; n++) if ("EWGT".indexOf(all.mark[n]) >= 0 && nodeOf[n] >= 0) first = nodeOf[n];
  if (first >= 0 && all.sections[section[first]].kind !== "A") step = all.sections[section[first]].micro;
  else if (steps.length) step = steps[0];

  // What a block inherits is the largest error of its input and of the blocks before it (compare/block_errors.h).
  (function () {
    var before = {};
    for (n = 0; n < count; n++) {
      given[n] = into[n];
      if (op[n] < 0 || !/\.\d+$/.test(pathOf(all.name[op[n]]))) continue;
      if (before[parent[n]] > given[n]) given[n] = before[parent[n]];
      if (!(out[n] <= before[parent[n]])) before[parent[n]] = out[n];
    }
  })();
  // Added over inherited error; Infinity: nothing is inherited.
  function added(n) {
    if (op[n] < 0 || !isFinite(out[n]) || !isFinite(given[n]) || out[n] <= 0) return NaN;
    return given[n] > 0 ? Math.sqrt(Math.max(0, out[n] * out[n] - given[n] * given[n])) / given[n] : Infinity;
  }

  // The node at the path in a section, or -1 where it has none.
  function follow(root) {
    return path.reduce(function (at, wanted) {
      for (var k = at < 0 ? 0 : at + 1; at >= 0 && k < end[at]; k = end[k]) if (label(k) === wanted) return k;
      return -1;
    }, root);
  }
  function bands() {
    var found = [];
    all.sections.forEach(function (one, k) {
      var at = one.kind === "A" || one.micro === step ? follow(roots[k]) : -1;
      if (at >= 0 && end[at] > roots[k] + 1) found.push({node: at, kind: one.kind, root: at === roots[k]});
    });
    return found;
  }

  // ---- colours: a code a node, worse ones higher, and their paints

  var colours = {}, face = getComputedStyle(document.body).fontFamily;  // asked for once a drawing
  function css(name) { return colours[name] || (colours[name] = getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim()); }
  function rgb(hex) { var v = parseInt(hex.slice(1), 16); return [v >> 16, v >> 8 & 255, v & 255]; }
  function mix(a, b, share) {
    a = rgb(css(a)); b = rgb(css(b));
    return "rgb(" + a.map(function (x, k) { return Math.round(x + (b[k] - x) * share); }).join(",") + ")";
  }
  function decade(value) { return Math.max(DECADES[0], Math.min(DECADES[1] - 1, Math.floor(Math.log10(value)))) - DECADES[0]; }
  function growth(n) { return out[n] > 0 && into[n] > 0 && isFinite(out[n] / into[n]) ? Math.log10(out[n] / into[n]) : NaN; }

  var words = function (name) { return box.getAttribute("data-" + name); };
  var modes = {
    status: {
      code: function (n) { return op[n] >= 0 ? RANKS.indexOf(all.mark[op[n]]) : worst[n]; },
      paints: function () {
        return ["paper", "same-fill", "pass-fill", "paper", "warning-tint", "error-tint", "unmatched-edge", "unmatched-edge", "warning-fill", "error-fill"].map(css);
      },
      legend: function () { return [1, 2, 3, 4, 5, 6, 8, 9].map(function (code) { return [code, page.word(RANKS[code])]; }); }
    },
    error: {
      code: function (n) { var e = out[n]; return isNaN(e) ? 0 : e <= 0 ? 1 : e === Infinity ? 11 : 2 + decade(e); },
      paints: function () {
        var list = [css("paper"), css("same-fill")];
        for (var k = 0; k < 9; k++) list.push(k < 2 ? mix("same-fill", "error-tint", (k + 1) / 3) : mix("error-tint", "error-fill", (k - 1.5) / 6.5));
        return list.concat(css("nan"));
      },
      legend: function () {
        return [[1, "="]].concat([-8, -6, -4, -2, 0].map(function (e) { return [2 + e - DECADES[0], "1e" + e]; })).concat([[11, "NaN, ≠"]]);
      }
    },
    growth: {
      code: function (n) { var g = growth(n); return isNaN(g) ? 0 : 6 + Math.max(-5, Math.min(5, Math.round(g * 2.5))); },
      worth: function (code) { return code ? Math.abs(code - 6) * 2 + (code > 6) + 1 : 0; },
      paints: function () {
        var list = [css("paper")];
        for (var k = -5; k <= 5; k++) list.push(k < 0 ? mix("band", "accent", -k / 5) : mix("band", "error-fill", k / 5));
        return list;
      },
      legend: function () { return [[1, "÷100"], [4, "÷6"], [6, "×1"], [8, "×6"], [11, "×100"]]; }
    },
    added: {
      code: function (n) { var a = added(n); return isNaN(a) ? 0 : a === Infinity ? 12 : 6 + Math.max(-5, Math.min(5, Math.round(Math.log10(a) * 2.5))); },
      paints: function () {
        var list = [css("paper")];
        for (var k = -5; k <= 5; k++) list.push(mix("same-fill", "error-fill", (k + 5) / 10));
        return list.concat(css("target"));
      },
      legend: function () { return [[1, "≤ 0.01"], [4, "0.16"], [6, "1x"], [8, "6x"], [11, "≥ 100x"], [12, words("all-added")]]; }
    },
    dtype: {
      code: function (n) { return op[n] >= 0 ? all.dtype[op[n]] : 0; },
      paints: function () {
        var list = ["same-fill", "warning-fill", "pass-edge", "error-tint", "golden", "target", "overflow-high", "accent"].map(css);
        return [css("paper")].concat(all.texts.map(function (text, k) { return list[(k + 7) % 8]; }).slice(1));
      },
      legend: function () {
        return all.texts.map(function (text, k) { return [k, text]; }).filter(function (one) { return one[0] && all.dtype.indexOf(one[0]) >= 0; });
      }
    }
  };

  // ---- drawing

  var pen, paints, width, used = [], low, high;  // codes that are drawn; of the scale of errors
  function text(words_, x, y, colour, bold, right) {
    pen.font = (bold ? "600 13px " : "11px ") + face;
    pen.fillStyle = css(colour);
    pen.textAlign = right ? "right" : "left";
    pen.fillText(words_, x, y);
  }
  function inkOn(paint) {
    var c = paint[0] === "#" ? rgb(paint) : paint.match(/\d+/g).map(Number);
    return c[0] * 0.299 + c[1] * 0.587 + c[2] * 0.114 > 140 ? "#101418" : "#FFFFFF";
  }

  // One band: its cells, those too narrow to see gathered by pixel, each with the worst of them.
  function drawBand(band, y) {
    var view = modes[mode.value], tiers = Math.min(TIERS, deep[band.node] + (band.root ? 0 : 1)), unit = (width - LEFT) / leaves[band.node];
    var worth = view.worth || function (code) { return code; }, bins = [], flip = band.kind === "B";
    for (var t = 0; t < tiers; t++) bins.push(new Uint8Array(Math.ceil(width) + 1));
    function place(n, x, tier) {
      var w = unit * leaves[n], code = view.code(n), low = Math.floor(x);
      centre[n] = x + w / 2;
      foot[n] = y + TIER * Math.min(tier, tiers - 1) + TIER - 2;
      used[code] = 1;
      if (tier < 0) foot[n] = y;
      else if (tier < tiers && w < NARROW) {
        if (worth(code) > worth(bins[tier][low])) bins[tier][low] = code;
      } else if (tier < tiers) {
        cells.push({x: x, y: y + TIER * tier, w: w, n: n});
        paintCell(n, x, y + TIER * tier, w, code);
      }
      var at = x, kids = w < 0.02 ? [] : children(n);
      (flip ? kids.reverse() : kids).forEach(function (k) { place(k, at, tier + 1); at += unit * leaves[k]; });
    }
    place(band.node, LEFT, band.root ? -1 : 0);
    bins.forEach(function (row, tier) {
      for (var x = 0, to; x < row.length; x = to) {
        for (to = x + 1; to < row.length && row[to] === row[x];) to++;
        if (row[x]) { pen.fillStyle = paints[row[x]]; pen.fillRect(x, y + TIER * tier, to - x, TIER - 3); }
      }
    });
    text(words(band.kind), 0, y + 13, "ink", true);
    text(page.count(opsIn(band.node)) + (flip ? " ←" : " →"), 0, y + 28, "ink2");
    return y + TIER * tiers;
  }
  function opsIn(n) { var sum = 0; for (var k = n; k < end[n]; k++) sum += op[k] >= 0; return sum; }
  function paintCell(n, x, y, w, code) {
    pen.fillStyle = paints[code];
    pen.fillRect(x + 0.5, y + 0.5, w - 2, TIER - 4);
    pen.strokeStyle = mode.value === "status" && "PpS".indexOf(RANKS[code]) >= 0 ? css("pass-edge") : css("rule");
    pen.strokeRect(x + 0.5, y + 0.5, w - 2, TIER - 4);
    if (mode.value === "status" && op[n] >= 0 && worst[n] > code && worst[n] > 3) {
      pen.fillStyle = paints[worst[n]];
      pen.fillRect(x + 1, y + TIER - 6, w - 3, 3);
    }
    var name = w > 28 ? label(n) : "";
    pen.font = "11px " + face;
    if (!name || pen.measureText(name).width > w - 8) return;
    pen.textAlign = "center";
    pen.fillStyle = inkOn(paints[code]);
    pen.fillText(name, x + w / 2, y + 13);
    pen.textAlign = "left";
  }

  function hasProfile(list) { return list.some(function (n) { return out[n] > 0 || into[n] > 0; }); }
  // Of each pixel column the op with the worst mark and the largest error: more cannot be seen.
  function thinned(list, pitch) {
    if (pitch >= 2) return list;
    var best = [];
    list.forEach(function (n) {
      var x = Math.floor(centre[n] / 2), old = best[x];
      if (old === undefined || worst[n] > worst[old] || (worst[n] === worst[old] && !(out[n] <= out[old]))) best[x] = n;
    });
    return best.filter(function (n) { return n !== undefined; });
  }
  function profiled(band) {
    var list = [];
    for (var n = band.node; n < end[band.node]; n++) if (op[n] >= 0 && end[n] === n + 1) list.push(n);
    return list;
  }
  // One scale for all bands: from a decade below the smallest error up to the largest, 9 decades at most.
  function findScale(list) {
    low = 1; high = 1e-6;
    list.forEach(function (band) {
      profiled(band).forEach(function (n) {
        [into[n], out[n]].forEach(function (e) { if (e > 0 && isFinite(e)) { high = Math.max(high, e); low = Math.min(low, e); } });
      });
    });
    low = Math.max(low / 10, high * 1e-9);
  }
  // The errors of a band's ops below it: input (ring) joined to output, both on one log scale, and floors.
  function drawProfile(band, y) {
    var list = profiled(band);
    if (!hasProfile(list)) return y;
    var top = y + 8, bottom = y + PROFILE - 8, span = Math.log10(high / low);
    function at(e) { return e === Infinity ? top - 5 : e <= low ? bottom : e >= high ? top : bottom - (bottom - top) * Math.log10(e / low) / span; }
    pen.strokeStyle = css("hair");
    for (var d = Math.ceil(Math.log10(low)); d <= Math.log10(high); d += 3) {
      pen.beginPath(); pen.moveTo(LEFT, at(Math.pow(10, d)) + 0.5); pen.lineTo(width, at(Math.pow(10, d)) + 0.5); pen.stroke();
      text("1e" + d, LEFT - 8, at(Math.pow(10, d)) + 4, "ink2", false, true);
    }
    var pitch = (width - LEFT) / leaves[band.node], radius = Math.max(1.2, Math.min(3, pitch / 3));
    list = thinned(list, pitch);
    list.forEach(function (n) {
      var x = centre[n], value = all.value[op[n]], floor = value && parseFloat(value.split("/")[2]);
      if (floor > 0) { pen.fillStyle = css("noiseband"); pen.fillRect(x - Math.max(2, pitch) / 2, at(floor), Math.max(2, pitch), bottom - at(floor)); }
    });
    pen.strokeStyle = css("ink3");
    pen.beginPath();
    list.forEach(function (n) {
      if (isNaN(into[n]) || isNaN(out[n]) || (into[n] <= 0 && out[n] <= 0)) return;
      pen.moveTo(centre[n], at(into[n])); pen.lineTo(centre[n], at(out[n]));
      if (pitch > 5) { pen.moveTo(centre[n] + 2, at(into[n])); pen.arc(centre[n], at(into[n]), 2, 0, 7); }
    });
    pen.stroke();
    var status = modes.status.paints();
    status[4] = css("warning-tedge"); status[5] = css("error-tedge");
    list.forEach(function (n) {
      if (isNaN(out[n]) || out[n] < 0) return;
      pen.fillStyle = out[n] === Infinity ? css("nan") : RANKS.indexOf(all.mark[op[n]]) === 3 ? css("pass-edge") : status[RANKS.indexOf(all.mark[op[n]])];
      pen.strokeStyle = "we".indexOf(all.mark[op[n]]) >= 0 ? css("error-edge") : css("pass-edge");
      pen.beginPath(); pen.arc(centre[n], at(out[n]), radius, 0, 7); pen.fill();
      if (radius > 1.5) pen.stroke();
    });
    return y + PROFILE;
  }

  function size_canvas(height) {
    var scale = window.devicePixelRatio || 1;
    [canvas, over].forEach(function (c) {
      c.width = Math.round(width * scale); c.height = Math.round(height * scale);
      c.style.height = height + "px";
      c.getContext("2d").setTransform(scale, 0, 0, scale, 0, 0);
    });
  }

  function draw() {
    var list = bands(), y = 20, height = 40;
    width = Math.max(680, box.clientWidth);
    list.forEach(function (band) { height += TIER * Math.min(TIERS, deep[band.node] + (band.root ? 0 : 1)) + (hasProfile(profiled(band)) ? PROFILE : 0) + GAP; });
    size_canvas(height);
    pen = canvas.getContext("2d");
    colours = {};
    paints = modes[mode.value].paints();
    cells = [];
    centre.fill(NaN);
    used = [];
    findScale(list);
    list.forEach(function (band) { y = drawProfile(band, drawBand(band, y)) + GAP; });
    var x = LEFT;
    modes[mode.value].legend().forEach(function (one) {
      if (mode.value === "status" && !used[one[0]]) return;
      pen.fillStyle = paints[one[0]];
      pen.fillRect(x, y + 2, 14, 12);
      pen.strokeStyle = css("ink3");
      pen.strokeRect(x + 0.5, y + 2.5, 13, 11);
      text(one[1], x + 20, y + 12, "ink2");
      x += 38 + pen.measureText(one[1]).width;
    });
    drawCrumb();
    drawLists(list);
    overlay();
  }

  // Arcs to what gave the op its difference and to what takes it, and the outlines of what is looked at.
  function overlay() {
    var ink = over.getContext("2d"), at = hover >= 0 ? hover : cursor;
    ink.clearRect(0, 0, width, over.height);
    function arc(from, to, colour) {
      if (from < 0 || to < 0 || isNaN(centre[from]) || isNaN(centre[to])) return;
      var dip = Math.max(foot[from], foot[to]) + 14 + Math.min(60, Math.abs(centre[from] - centre[to]) / 8);
      ink.strokeStyle = css(colour); ink.lineWidth = 1.6;
      ink.beginPath(); ink.moveTo(centre[from], foot[from]); ink.quadraticCurveTo((centre[from] + centre[to]) / 2, dip + 10, centre[to], foot[to]); ink.stroke();
    }
    if (at >= 0 && op[at] >= 0) {
      var from = all.from[op[at]];
      if (from !== undefined) arc(nodeOf[from], at, "target");
      page.goesTo(op[at]).slice(0, 40).forEach(function (to) { arc(at, nodeOf[to], "accent"); });
    }
    function outline(n, colour, w) {
      cells.forEach(function (cell) {
        if (cell.n !== n) return;
        ink.strokeStyle = css(colour); ink.lineWidth = w;
        ink.strokeRect(cell.x, cell.y, cell.w - 1, TIER - 3);
      });
    }
    if (first >= 0 && !isNaN(centre[first])) {
      ink.fillStyle = css("error-text");
      ink.beginPath(); ink.arc(centre[first], topOf(first) - 9, 7.5, 0, 7); ink.fill();
      ink.fillStyle = css("paper"); ink.font = "700 10px sans-serif"; ink.textAlign = "center";
      ink.fillText("1", centre[first], topOf(first) - 5.5); ink.textAlign = "left";
    }
    if (hover >= 0) outline(hover, "ink", 1.5);
    if (cursor >= 0) {
      outline(cursor, "accent", 3);
      if (!isNaN(centre[cursor])) { ink.fillStyle = css("accent"); ink.fillRect(centre[cursor] - 1, topOf(cursor) - 4, 2, 4); }
    }
    said.textContent = at >= 0 ? describe(at) : words("keys");
  }
  // The top of the band that the node stands in.
  function topOf(n) {
    var top = foot[n];
    cells.forEach(function (cell) { if (section[cell.n] === section[n]) top = Math.min(top, cell.y); });
    return top;
  }

  function describe(n) {
    var i = op[n], parts = [];
    if (i < 0) return labels(n).join(" › ") + " · " + page.fill(words("ops"), {ops: page.count(opsIn(n))});
    parts.push(all.name[i], page.word(all.mark[i]), page.errors(i));
    if (isFinite(growth(n))) parts.push((growth(n) >= 0 ? "×" : "÷") + Math.pow(10, Math.abs(growth(n))).toPrecision(2));
    if (isFinite(added(n))) parts.push(page.fill(words("adds"), {times: added(n).toPrecision(2)}));
    if (all.value[i]) {
      var value = all.value[i].split("/");
      parts.push(page.fill(words("values"), {golden: value[0], target: value[1] || value[0]}));
      if (value[2]) parts.push(page.fill(words("floor"), {floor: value[2]}));
    }
    if (all.dtype[i]) parts.push(all.texts[all.dtype[i]]);
    if (all.rule[i]) parts.push(all.texts[all.rule[i]]);
    return parts.join(" · ");
  }

  function button(into, words_, act) {
    var made = document.createElement("button");
    made.type = "button";
    made.textContent = words_;
    made.addEventListener("click", act);
    into.appendChild(made);
    return made;
  }
  function drawCrumb() {
    crumb.textContent = "";
    [words("model")].concat(path).forEach(function (one, k) {
      if (k) crumb.append(" › ");
      var made = button(crumb, one, function () { enter(path.slice(0, k)); });
      if (k === path.length) made.setAttribute("aria-current", "true");
    });
  }
  function drawLists(list) {
    lists.textContent = "";
    list.forEach(function (band) {
      var kids = children(band.node), part = document.createElement("div"), items = document.createElement("ol");
      part.append(words(band.kind));
      kids.slice(0, LISTED).forEach(function (n) {
        var item = document.createElement("li"), sign = document.createElement("span"), inside = end[n] > n + 1;
        page.chip(sign, op[n] >= 0 ? all.mark[op[n]] : RANKS[worst[n]]);
        sign.setAttribute("aria-hidden", "true");
        item.appendChild(sign);
        button(item, label(n) + (inside ? " ›" : ""), function () { act(n); });
        item.append(" " + (op[n] >= 0 ? page.errorOf(op[n], 0) + " → " + page.errorOf(op[n], 1) : page.fill(words("ops"), {ops: page.count(opsIn(n))})));
        items.appendChild(item);
      });
      part.appendChild(items);
      if (kids.length > LISTED) part.append("+ " + page.count(kids.length - LISTED));
      lists.appendChild(part);
    });
  }

  // ---- going in and out

  function enter(to) {
    path = to;
    page.setPlace(path.map(encodeURIComponent).join("/"));
    draw();
  }
  function out_() { if (path.length) enter(path.slice(0, -1)); }
  function act(n) {
    cursor = n;
    hover = -1;
    if (end[n] > n + 1) enter(labels(n));
    else if (op[n] >= 0) { page.go(op[n]); overlay(); }
  }
  function reveal(i) {
    var n = nodeOf[i];
    if (n < 0) return;
    cursor = n; hover = -1;
    if (all.sections[section[n]].kind !== "A" && all.sections[section[n]].micro !== step) {
      step = all.sections[section[n]].micro;
      micro.value = String(step);
      draw();
    }
    var cell = cells.filter(function (one) { return one.n === n; })[0];
    if (!cell || cell.w < 8) enter(labels(parent[n]));
    else overlay();
    var place = box.getBoundingClientRect();
    if (place.top > innerHeight * 0.6 || place.bottom < innerHeight * 0.3) box.scrollIntoView({block: "start"});
  }
  // The next cell across, in the order in which they are drawn.
  function beside(by) {
    var at = cells.filter(function (cell) { return cell.n === cursor; })[0];
    var row = at && cells.filter(function (cell) { return cell.y === at.y; }).sort(function (a, b) { return a.x - b.x; });
    return at && (row[row.indexOf(at) + by] || at).n;
  }
  function key(event) {
    var next = -1, kids;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (cursor < 0 || isNaN(centre[cursor])) cursor = cells.length ? cells[0].n : -1;
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") next = beside(event.key === "ArrowRight" ? 1 : -1);
    else if (event.key === "ArrowUp") next = cells.some(function (cell) { return cell.n === parent[cursor]; }) ? parent[cursor] : cursor;
    else if (event.key === "ArrowDown") { kids = children(cursor); next = kids.length && !isNaN(centre[kids[0]]) ? kids[0] : cursor; }
    else if (event.key === "Enter" && cursor >= 0) act(cursor);
    else if (event.key === "Escape" && path.length) out_();
    else if (event.key === "Home") enter([]);
    else return;
    if (next >= 0 && next !== undefined) { cursor = next; hover = -1; overlay(); }
    event.preventDefault();
    event.stopPropagation();
  }
  function under(event) {
    var place = canvas.getBoundingClientRect(), x = event.clientX - place.left, y = event.clientY - place.top;
    var found = cells.filter(function (cell) { return x >= cell.x && x < cell.x + cell.w && y >= cell.y && y < cell.y + TIER; })[0];
    if (found) return found.n;
    // Between the cells, narrow ones: the deepest node whose pixel it is.
    for (var n = 0, best = -1; n < count; n++)
      if (Math.abs(centre[n] - x) < 1.5 && Math.abs(foot[n] - TIER / 2 - y) < TIER / 2 && (best < 0 || worst[n] > worst[best])) best = n;
    return best === undefined ? -1 : best;
  }

  canvas.addEventListener("mousemove", function (event) { var n = under(event); if (n !== hover) { hover = n; overlay(); } });
  canvas.addEventListener("mouseleave", function () { hover = -1; overlay(); });
  canvas.addEventListener("click", function (event) { var n = under(event); if (n >= 0) act(n); });
  canvas.addEventListener("keydown", key);
  mode.addEventListener("change", draw);
  steps.forEach(function (one) { micro.add(new Option(one, one)); });
  micro.value = String(step);
  micro.parentNode.hidden = steps.length < 2;
  micro.addEventListener("change", function () { step = Number(micro.value); draw(); });
  window.addEventListener("resize", function () { if (Math.max(680, box.clientWidth) !== width) draw(); });
  matchMedia("(prefers-color-scheme:dark)").addEventListener("change", draw);

  var figure = document.querySelector("#where ~ figure");
  if (figure) figure.parentNode.insertBefore(box, figure);
  box.hidden = false;
  try { path = page.place() ? page.place().split("/").map(decodeURIComponent) : []; } catch (bad) { path = []; }
  if (!bands().length) path = [];
  draw();
  page.onShow(reveal);
  // For tests: where the cell is that leads on to the first divergence.
  function wayOn() {
    var cell = cells.filter(function (one) { return one.n <= first && first < end[one.n] && labels(one.n).length > path.length; })[0];
    return cell && [cell.x + cell.w / 2, cell.y + TIER / 2];
  }
  window.vernierIcicle = {first: wayOn, path: function () { return path; }, cursor: function () { return cursor < 0 ? "" : op[cursor] < 0 ? label(cursor) : all.name[op[cursor]]; }};
})();
