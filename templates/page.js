// SPDX-License-Identifier: Apache-2.0
// Search, filter, fold and copy on a page that is complete without it.
(function () {
  "use strict";
  var tools = document.getElementById("tools");
  var search = document.getElementById("tool-search"), status = document.getElementById("tool-status");
  var said = document.getElementById("tool-said");
  var marks = {E: "E", e: "E", W: "W", w: "W", P: "P", S: "S", U: "U", N: "N"};
  var current = null, hits = [], at = -1;

  function list(selector, from) { return Array.prototype.slice.call((from || document).querySelectorAll(selector)); }

  function nameOf(row) {
    var cell = row.querySelector("td[title]"), code = row.querySelector("code");
    return cell ? cell.title : code ? code.textContent : "";
  }

  // Rows that stand for a node: they have a name and the chip of a status.
  var rows = list("main tbody tr").map(function (row) {
    var chip = row.querySelector(".k"), name = nameOf(row);
    return {row: row, name: name, mark: chip ? marks[chip.classList[1]] : "", text: (name + " " + row.textContent).toLowerCase()};
  }).filter(function (item) { return item.name && item.mark; });
  var drawn = list("svg title").map(function (title) {
    return {item: title.parentNode, name: title.textContent, text: title.textContent.toLowerCase()};
  }).filter(function (shape) { return shape.item.nodeName.toLowerCase() !== "svg"; });
  var folds = list("main details"), opened = folds.map(function (fold) { return fold.open; });
  if (!rows.length && !folds.length) return;

  function say(text) { said.textContent = text; }

  function choose(item) {
    if (current) current.row.removeAttribute("aria-current");
    current = item;
    item.row.setAttribute("aria-current", "true");
  }

  function apply() {
    var wanted = search.value.trim().toLowerCase(), mark = status.value, active = wanted !== "" || mark !== "";
    hits = rows.filter(function (item) {
      var fits = (!wanted || item.text.indexOf(wanted) >= 0) && (!mark || item.mark === mark);
      item.row.hidden = !fits;
      return fits;
    });
    at = -1;
    drawn.forEach(function (shape) {
      shape.item.classList.toggle("hit", wanted.length > 1 && shape.text.indexOf(wanted) >= 0);
    });
    folds.forEach(function (fold, i) {
      var has = hits.some(function (item) { return fold.contains(item.row); });
      fold.open = active && has ? true : opened[i];
    });
    say(active ? tools.getAttribute("data-found").replace("%d", hits.length) : "");
  }

  function next(step) {
    if (!hits.length) return;
    at = (at + step + hits.length) % hits.length;
    choose(hits[at]);
    hits[at].row.scrollIntoView({block: "center"});
  }

  function copied() { say(tools.getAttribute("data-copied") + " " + current.name); }

  function copy() {
    if (!current) return say(tools.getAttribute("data-choose"));
    if (navigator.clipboard && window.isSecureContext) {
      navigator.clipboard.writeText(current.name).then(copied, say);
      return;
    }
    var box = document.createElement("textarea");
    box.value = current.name;
    document.body.appendChild(box);
    box.select();
    document.execCommand("copy");
    document.body.removeChild(box);
    copied();
  }

  function jump() {
    var place = document.getElementById("first-divergence");
    place.setAttribute("tabindex", "-1");
    place.scrollIntoView();
    place.focus();
  }

  var open = document.getElementById("tool-open"), first = document.getElementById("tool-first");
  open.addEventListener("click", function () {
    var all = folds.some(function (fold) { return !fold.open; });
    folds.forEach(function (fold, i) { fold.open = opened[i] = all; });
    open.setAttribute("aria-pressed", String(all));
  });
  document.getElementById("tool-copy").addEventListener("click", copy);
  first.addEventListener("click", jump);
  first.hidden = !document.getElementById("first-divergence");
  search.addEventListener("input", apply);
  status.addEventListener("change", apply);
  search.addEventListener("keydown", function (event) {
    if (event.key === "Enter" || event.key === "ArrowDown") next(1);
    else if (event.key === "ArrowUp") next(-1);
    else if (event.key === "Escape") { search.value = ""; apply(); }
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", function (event) {
    if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.nodeName)) {
      search.focus();
      event.preventDefault();
    }
  });
  rows.forEach(function (item) { item.row.addEventListener("click", function () { choose(item); }); });
  drawn.forEach(function (shape) {
    shape.item.addEventListener("click", function () {
      var name = shape.name.split(/[\s:]/)[0];
      rows.some(function (item) { if (item.name === name) { choose(item); return true; } return false; });
    });
  });
  var verdict = document.getElementById("verdict");
  if (verdict) verdict.parentNode.insertBefore(tools, verdict.nextSibling);
  tools.hidden = false;
})();
