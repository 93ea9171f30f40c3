// SPDX-License-Identifier: Apache-2.0
// Search, filter, fold, copy and follow on a page that is complete without it.
(function () {
  "use strict";
  var tools = document.getElementById("tools"), search = document.getElementById("tool-search");
  var status = document.getElementById("tool-status"), said = document.getElementById("tool-said");
  var found = document.getElementById("tool-hits"), card = document.getElementById("op");
  // The statuses of the list, by chip and by the marks of src/report/compare/op_index.h.
  var marks = {E: "E", e: "E", W: "W", w: "W", P: "P", p: "P", S: "S", U: "U", G: "U", T: "U", N: "N"};
  var glyphs = {E: "E", e: "E", W: "W", w: "W", P: "✓", p: "✓", S: "=", G: "U", T: "U", N: "·"};
  var current = null, chosen = -1, hits = [], at = -1;
  var SHOWN = 8, LISTED = 500;  // hits that are listed; rows for which a fold is opened

  function list(selector, from) { return Array.prototype.slice.call((from || document).querySelectorAll(selector)); }
  function byId(id) { return document.getElementById(id); }
  function count(n) { return String(n).replace(/\B(?=(\d{3})+$)/g, ","); }
  function fill(text, values) { return text.replace(/\{(\w+)\}/g, function (all, key) { return key in values ? values[key] : all; }); }

  // ---- every op of the pair

  // A name from its form, "#" for each number: the token says by how much they move on, or by their last step.
  function nameFrom(form, token) {
    var colon = token.indexOf(":"), old = form.last, name = form.pieces[0];
    var by = colon >= 0 ? token.slice(colon + 1).split(",").map(Number) : form.step || [];
    var now = by.map(function (n, k) { return old ? old[k] + n : n; });
    form.step = old ? by : by.map(function () { return 0; });
    form.last = now;
    for (var k = 1; k < form.pieces.length; k++) name += now[k - 1] + form.pieces[k];
    return name;
  }

  // "2*40 1*3": the number of a text for each op.
  function spread(line, held) {
    var list = new Uint16Array(held), at = 0;
    line.split(" ").forEach(function (one) {
      var star = one.indexOf("*"), to = at + parseInt(one.slice(star + 1), 36);
      if (star > 0) list.fill(parseInt(one.slice(0, star), 36), at, to);
      at = to || at;
    });
    return list;
  }
  // " SHAPE.FROM*COUNT+STEP" for each run of children.
  function runsOf(text) {
    return text.split(" ").filter(Boolean).map(function (run) {
      var numbers = run.split(/[.*+]/).map(function (n) { return parseInt(n, 36); });
      return {shape: numbers[0], from: numbers[1], count: numbers[2] || 1, step: numbers[3] || 0};
    });
  }
  // The second half of the index: src/report/compare/op_tree.h.
  function readTree(lines, out) {
    var at = 3, values, differing = 0;
    function counted() { var from = at + 1, n = Number(lines[at]) || 0; at = from + n; return lines.slice(from, at); }
    out.dtype = spread(lines[0] || "", out.held);
    out.rule = spread(lines[1] || "", out.held);
    values = (lines[2] || "").split(" ");
    out.value = [];
    for (var i = 0; i < out.held; i++) if ("PpwWeE".indexOf(out.mark[i]) >= 0) out.value[i] = values[differing++];
    out.texts = [""].concat(counted());
    out.sections = counted().map(function (line) {
      var blank = (line + " ").indexOf(" ");
      return {kind: line[0], micro: Number(line.slice(1, blank)), runs: runsOf(line.slice(blank))};
    });
    out.shapes = [null].concat(counted().map(function (line) {
      var bar = line.indexOf("|"), shape = bar < 0 ? line : line.slice(0, bar), own = /^[^ ]*/.exec(shape)[0];
      return {own: own ? parseInt(own, 36) : -1, label: bar < 0 ? "" : line.slice(bar + 1), runs: runsOf(shape.slice(own.length))};
    }));
  }

  function repeated(line, held) {  // "12*5": 12 tokens, each the one 5 before
    var out = [];
    line.split(" ").forEach(function (token) {
      var run = /^(\d+)\*(\d+)$/.exec(token);
      for (var k = 0; run && k < run[1]; k++) out.push(out[out.length - run[2]]);
      if (!run) out.push(token);
    });
    return out.slice(0, held);
  }

  function readOps() {
    var lines = byId("op-index").textContent.split("\n"), head = lines[0].split(" "), texts = Number(lines[7]), held = Number(head[1]);
    var known = 9 + texts + Number(lines[8 + texts]);
    var forms = lines.slice(9 + texts, known).map(function (form) { return {pieces: form[0] === "=" ? [form.slice(1)] : form.slice(1).split("#")}; });
    var givers = lines[6].split(" "), differing = 0, out = {count: Number(head[0]), held: held, place: lines[1], from: []}, names = null;
    // Names are made when the first one is asked for.
    Object.defineProperty(out, "name", {get: function () {
      return names || (names = repeated(lines[2], held).map(function (token) { return nameFrom(forms[parseInt(token, 36) - 1], token); }));
    }});
    out.mark = lines[3].replace(/(\d+)(\D)/g, function (all, n, mark) { return mark.repeat(n); });
    out.errors = [""].concat(lines.slice(8, 8 + texts));
    out.error = [lines[4].split(" "), lines[5].split(" ")];
    for (var i = 0; i < held; i++) {
      var back = "PpSN".indexOf(out.mark[i]) < 0 && givers[differing++];
      if (back) out.from[i] = i - parseInt(back, 36);
    }
    readTree(lines.slice(known), out);
    return out;
  }

  var read = null, low = null;
  function ops() { return read || (read = readOps()); }
  function lowNames() { return low || (low = ops().name.join("\n").toLowerCase().split("\n")); }
  function errorOf(i, side) { var id = ops().error[side][i]; return id ? ops().errors[parseInt(id, 36)] : "="; }
  function goesTo(i) {
    var out = [];
    ops().from.forEach(function (from, k) { if (from === i) out.push(k); });
    return out;
  }

  // ---- rows and shapes

  // Rows that stand for something: the chip of a status, and a name or what stands before the chip.
  function nameOf(row, heads, chip) {
    var cell = row.querySelector("td[title]"), code = row.querySelector("code"), before = [];
    if (cell || code) return cell ? cell.title : code.textContent.replace(/\u200e/g, "");  // markup_shown
    for (var i = 0; i < row.cells.length && !row.cells[i].contains(chip); i++)
      before.push(heads[i] + " " + row.cells[i].textContent);
    return before.join(" ");
  }

  // Found when they are first needed: a page opens without.
  var found_rows = null, found_shapes = null;
  function rows() {
    return found_rows || (found_rows = list("main table").reduce(function (out, table) {
      var heads = list("thead th", table).map(function (cell) { return cell.textContent; });
      list("tbody tr", table).forEach(function (row) {
        var chip = row.querySelector(".k"), name = chip && nameOf(row, heads, chip), mark = chip && marks[chip.classList[1]];
        if (name && mark) out.push({row: row, name: name, mark: mark, text: (name + " " + row.textContent).toLowerCase()});
      });
      return out;
    }, []));
  }
  function drawn() {
    return found_shapes || (found_shapes = list("svg * > title").map(function (title) {
      return {item: title.parentNode, name: shapeName(title), text: title.textContent.toLowerCase()};
    }));
  }
  function shapeName(title) { return title.textContent.split(/[\s:]/)[0]; }

  // What is wider than the window is reached and scrolled with the keyboard.
  function scrollers() {
    list(".t,figure").forEach(function (box) { if (box.scrollWidth > box.clientWidth) box.tabIndex = 0; });
  }
  window.addEventListener("load", function () { setTimeout(scrollers, 0); });
  window.addEventListener("resize", scrollers);
  document.addEventListener("toggle", scrollers, true);

  var folds = list("main details, #icicle details"), opened = folds.map(function (fold) { return fold.open; });
  var indexed = byId("op-index") !== null;
  if (!folds.length && !indexed && !rows().length) return;

  function say(text) { said.textContent = text; }

  function choose(item) {
    if (current) current.row.removeAttribute("aria-current");
    current = item;
    if (item) item.row.setAttribute("aria-current", "true");
  }

  function rowsOf(name) { return rows().filter(function (item) { return item.name === name; }); }

  function reveal(element) {
    for (var fold = element.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    element.scrollIntoView({block: "center", inline: "center"});
  }

  // ---- one op: what it is, where its difference comes from and goes

  // The address: "#op=NAME&in=PLACE", either part may be absent. PLACE is the icicle's.
  var shown = [];  // called with each op that is shown
  function part(name) { var found = new RegExp("[#&]" + name + "=([^&]*)").exec(location.hash); return found ? found[1] : ""; }
  function address(op, place) { return (op ? "#op=" + op : "") + (place ? (op ? "&" : "#") + "in=" + place : ""); }
  function go(i) { location.hash = address(encodeURIComponent(ops().name[i]), part("in")); }
  function setPlace(place) {
    try { history.replaceState(null, "", location.pathname + location.search + address(part("op"), place)); } catch (bad) { /* some viewers forbid it */ }
  }

  function links(into, ids) {
    while (into.childNodes.length > 1) into.removeChild(into.lastChild);
    into.hidden = !ids.length;
    ids.slice(0, SHOWN).forEach(function (i) {
      var link = document.createElement("a");
      link.textContent = ops().name[i];
      link.href = "#op=" + encodeURIComponent(ops().name[i]);
      into.appendChild(link);
      into.appendChild(document.createTextNode(" "));
    });
    if (ids.length > SHOWN) into.appendChild(document.createTextNode("+ " + count(ids.length - SHOWN)));
  }

  function word(mark) { return mark === "E" ? card.getAttribute("data-error") : mark === "W" ? card.getAttribute("data-warning") : mark === "p" ? card.getAttribute("data-allowed") : card.getAttribute("data-" + mark.toLowerCase()); }
  function errors(i) { return fill(card.getAttribute("data-errors"), {"in": errorOf(i, 0), out: errorOf(i, 1)}); }
  function place(i) { return "#" + count(i + 1) + " / " + count(ops().count) + " · " + ops().place; }
  function chip(element, mark) { element.className = "k " + (marks[mark] === "U" ? "U" : mark); element.textContent = glyphs[mark]; }

  function show(i) {
    var all = ops(), name = all.name[i], mark = all.mark[i], from = all.from[i];
    chosen = i;
    chip(byId("op-chip"), mark);
    byId("op-name").textContent = name;
    byId("op-facts").textContent = "";
    [word(mark), errors(i), place(i)].forEach(function (fact, k) {
      var whole = document.createElement("span");
      whole.textContent = fact;
      byId("op-facts").append(k ? " · " : "", whole);
    });
    links(byId("op-from"), from === undefined ? [] : [from]);
    links(byId("op-to"), goesTo(i));
    card.hidden = false;
    document.body.style.setProperty("padding-bottom", card.offsetHeight + "px");
    drawn().forEach(function (shape) { shape.item.classList.toggle("hit", shape.name === name); });
    choose(rowsOf(name)[0] || null);
  }

  function close() {
    card.hidden = true;
    chosen = -1;
    document.body.style.removeProperty("padding-bottom");
    drawn().forEach(function (shape) { shape.item.classList.remove("hit"); });
    if (part("op")) history.replaceState(null, "", location.pathname + location.search + address("", part("in")));
  }

  // The picture that has it, else its row.
  function look(name) {
    var shape = drawn().filter(function (one) { return one.name === name; })[0], row = rowsOf(name)[0];
    if (shape || row) reveal(shape ? shape.item : row.row);
  }

  // The op at a place among those of the target, from 1: the field of ranks counts so.
  function targetOp(place) {
    for (var i = 0; i < ops().held; i++) if (ops().mark[i] !== "G" && !--place) return i;
    return -1;
  }
  function open() {
    var wanted = part("op"), i;
    if (!wanted || !indexed) return;
    if (/^@\d+$/.test(wanted)) i = targetOp(Number(wanted.slice(1)));
    else try { i = ops().name.indexOf(decodeURIComponent(wanted)); } catch (bad) { i = -1; }
    if (i < 0) return close();
    if (i === chosen) return;
    show(i);
    if (shown.length) shown.forEach(function (act) { act(i); });
    else look(ops().name[i]);
  }

  function step(by, starting) {
    var all = ops(), wanted = starting ? "EWGT" : "EeWwGT", i = chosen < 0 ? (by > 0 ? -1 : all.held) : chosen;
    for (i += by; i >= 0 && i < all.held; i += by)
      if (wanted.indexOf(all.mark[i]) >= 0) return go(i);
  }

  function markdown(i) {
    var all = ops(), lines = ["**" + word(all.mark[i]) + "** `" + all.name[i] + "`, " + place(i), "- " + errors(i)];
    ["op-from", "op-to"].forEach(function (id) {
      var names = list("a", byId(id)).map(function (link) { return "`" + link.textContent + "`"; });
      if (names.length) lines.push("- " + byId(id).firstChild.data.trim() + " " + names.join(", "));
    });
    return lines.concat("- " + location.href).join("\n") + "\n";
  }

  // ---- search

  function hitsIn(wanted, mark) {
    var all = ops(), low = lowNames(), out = [];
    for (var i = 0; i < all.held; i++)
      if ((!wanted || low[i].indexOf(wanted) >= 0) && (!mark || marks[all.mark[i]] === mark)) out.push(i);
    return out;
  }

  function listHits(active) {
    found.textContent = "";
    found.hidden = !active || !indexed || !hits.length;
    if (found.hidden) return;
    hits.slice(0, SHOWN).forEach(function (i) {
      var item = document.createElement("li"), link = document.createElement("a"), sign = document.createElement("span");
      chip(sign, ops().mark[i]);
      sign.setAttribute("aria-hidden", "true");
      link.textContent = ops().name[i];
      link.href = "#op=" + encodeURIComponent(ops().name[i]);
      item.appendChild(sign);
      item.appendChild(link);
      item.appendChild(document.createTextNode(" #" + count(i + 1) + " · " + errorOf(i, 0) + " → " + errorOf(i, 1)));
      found.appendChild(item);
    });
  }

  function apply() {
    var wanted = search.value.trim().toLowerCase(), mark = status.value, active = wanted !== "" || mark !== "";
    var fitting = rows().filter(function (item) {
      var fits = (!wanted || item.text.indexOf(wanted) >= 0) && (!mark || item.mark === mark);
      item.row.hidden = !fits;
      return fits;
    });
    at = -1;
    hits = indexed ? (active ? hitsIn(wanted, mark) : []) : fitting;
    drawn().forEach(function (shape) {
      shape.item.classList.toggle("hit", wanted.length > 1 && shape.text.indexOf(wanted) >= 0);
    });
    folds.forEach(function (fold, i) {
      var has = active ? fitting.filter(function (item) { return fold.contains(item.row); }).length : 0;
      fold.open = has > 0 && (!indexed || has <= LISTED) || opened[i];
    });
    listHits(active);
    say(!active ? "" : !indexed ? tools.getAttribute("data-found").replace("%d", fitting.length)
      : fill(tools.getAttribute("data-ops"), {hits: count(hits.length), ops: count(ops().held), rows: count(fitting.length)}));
  }

  function next(by) {
    if (!hits.length) return;
    at = (at + by + hits.length) % hits.length;
    if (indexed) return go(hits[at]);
    choose(hits[at]);
    reveal(hits[at].row);
  }

  // ---- copying

  function copy(text, what) {
    function copied() { say(tools.getAttribute("data-copied") + " " + what); }
    if (navigator.clipboard && window.isSecureContext) {
      navigator.clipboard.writeText(text).then(copied, say);
      return;
    }
    var box = document.createElement("textarea");
    box.value = text;
    document.body.appendChild(box);
    box.select();
    document.execCommand("copy");
    document.body.removeChild(box);
    copied();
  }

  function copyName() {
    var name = chosen >= 0 ? ops().name[chosen] : current ? current.name : "";
    if (!name) return say(tools.getAttribute("data-choose"));
    copy(name, name);
  }

  function jump() {
    var target = byId("first-divergence");
    target.setAttribute("tabindex", "-1");
    target.scrollIntoView();
    target.focus();
  }

  // ---- what is clicked and typed

  function on(id, event, action) { byId(id).addEventListener(event, action); }

  on("tool-open", "click", function () {
    var all = folds.some(function (fold) { return !fold.open; });
    folds.forEach(function (fold, i) { fold.open = opened[i] = all; });
    byId("tool-open").setAttribute("aria-pressed", String(all));
  });
  on("tool-copy", "click", copyName);
  on("tool-first", "click", jump);
  byId("tool-first").hidden = !byId("first-divergence");
  search.addEventListener("input", apply);
  search.addEventListener("focus", function () { setTimeout(function () { if (indexed) lowNames(); rows(); }, 0); });
  status.addEventListener("change", apply);
  search.addEventListener("keydown", function (event) {
    if (event.key === "Enter" || event.key === "ArrowDown") next(1);
    else if (event.key === "ArrowUp") next(-1);
    else if (event.key === "Escape") { search.value = ""; apply(); }
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.nodeName)) return;
    if (event.key === "/") search.focus();
    else if (indexed && /^[nN]$/.test(event.key)) step(1, event.key === "N");
    else if (indexed && /^[pP]$/.test(event.key)) step(-1, event.key === "P");
    else if (event.key === "Escape" && !card.hidden) close();
    else return;
    event.preventDefault();
  });
  function chooseByName(name, item) {
    var i = indexed ? ops().name.indexOf(name) : -1;
    if (i >= 0) { show(i); shown.forEach(function (act) { act(i); }); go(i); }
    else if (item) choose(item);
  }
  // The row or the shape that was clicked.
  document.querySelector("main").addEventListener("click", function (event) {
    var row = event.target.closest("tbody tr"), at = event.target, item;
    if (event.target.closest("a,button,summary,input,select")) return;
    if (row) {
      item = rows().filter(function (one) { return one.row === row; })[0];
      return item && chooseByName(item.name, item);
    }
    for (; at.ownerSVGElement; at = at.parentNode) {
      var title = at.querySelector(":scope > title");
      if (title) return chooseByName(shapeName(title), rowsOf(shapeName(title))[0]);
    }
  });
  if (indexed) {
    on("tool-before", "click", function () { step(-1, false); });
    on("tool-after", "click", function () { step(1, false); });
    on("op-markdown", "click", function () { copy(markdown(chosen), ops().name[chosen]); });
    on("op-link", "click", function () { copy(location.href, location.href); });
    on("op-close", "click", close);
    byId("tool-before").hidden = byId("tool-after").hidden = false;
    window.addEventListener("hashchange", open);
    var covers = byId("op-index").textContent.slice(0, 40).split(/\s/).map(Number);
    search.placeholder = fill(tools.getAttribute(covers[1] < covers[0] ? "data-part" : "data-all"), {ops: count(covers[0]), held: count(covers[1])});
    window.vernierPage = {indexed: indexed, ops: ops, go: go, count: count, fill: fill, word: word, errors: errors, errorOf: errorOf, goesTo: goesTo,
      chip: chip, setPlace: setPlace, place: function () { return part("in"); },
      onShow: function (act) { shown.push(act); if (chosen >= 0) act(chosen); }};
    open();
  }
  var verdict = byId("verdict");
  if (verdict) verdict.parentNode.insertBefore(tools, verdict.nextSibling);
  tools.hidden = false;
})();
