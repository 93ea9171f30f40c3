// SPDX-License-Identifier: Apache-2.0
// Tables are sorted by their heads: up, down, and back to the order in which they came. Long ones have a
// field: the rows that hold all of its words stay.
(function () {
  "use strict";
  var LEAST = 3;  // rows from which on an order says something
  var LONG = 20;  // rows from which on one looks for some
  var word = document.querySelector("#tools label");
  word = word ? word.firstChild.textContent.trim() : "";

  // What a cell says as a number: "1.2e-05", "45 %", "1,234", "÷2"; NaN where it is a word.
  function numberOf(text) {
    text = text.trim();
    if (text === "=" || text === "0") return text === "=" ? -1 : 0;
    var found = /^[×≈≤≥<>~]?\s*([-+−]?[\d,]*\.?\d+(?:e[-+]?\d+)?)/i.exec(text.replace("÷", "÷ "));
    if (text[0] === "÷") return 1 / numberOf(text.slice(1));
    return found ? Number(found[1].replace(/,/g, "").replace("−", "-")) : NaN;
  }
  // A status by how bad it is, worst first.
  function statusOf(cell, number) {
    var chip = cell && cell.querySelector(".k");
    return chip && isNaN(number) ? "EeUWwpPSN".indexOf(chip.classList[1]) : number;
  }
  function compare(a, b) {
    var both = isNaN(a.number) === isNaN(b.number);
    if (!both) return isNaN(a.number) ? 1 : -1;  // words after numbers
    return isNaN(a.number) ? a.text.localeCompare(b.text) : a.number - b.number;
  }

  function sort(table, column, heads) {
    var body = table.tBodies[0], old = heads[column].getAttribute("aria-sort"), way = old === "ascending" ? "descending" : old === "descending" ? "" : "ascending";
    if (!table.kept) table.kept = Array.prototype.slice.call(body.rows);
    var rows = table.kept.map(function (row, place) {
      var text = row.cells[column] ? row.cells[column].textContent : "";
      return {row: row, place: place, text: text, number: statusOf(row.cells[column], numberOf(text))};
    });
    if (way) rows.sort(function (a, b) { return compare(a, b) * (way === "ascending" ? 1 : -1) || a.place - b.place; });
    rows.forEach(function (one) { body.appendChild(one.row); });
    Array.prototype.forEach.call(heads, function (head, k) {
      if (way && k === column) head.setAttribute("aria-sort", way);
      else head.removeAttribute("aria-sort");
    });
  }

  function filter(table, wanted) {
    var words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
    Array.prototype.forEach.call(table.tBodies[0].rows, function (row) {
      var text = row.textContent.toLowerCase();
      row.classList.toggle("out", !words.every(function (one) { return text.indexOf(one) >= 0; }));
    });
  }
  function addFilter(table) {
    var field = document.createElement("input"), frame = table.closest(".t") || table;
    field.type = "search";
    field.className = "filter";
    field.placeholder = word;
    field.setAttribute("aria-label", word + ": " + (table.getAttribute("aria-label") || ""));
    field.addEventListener("input", function () { filter(table, field.value); });
    frame.parentNode.insertBefore(field, frame);
  }

  document.querySelectorAll("main table").forEach(function (table) {
    var heads = table.tHead ? table.tHead.rows[0].cells : [];
    if (!table.tBodies[0] || table.tBodies[0].rows.length < LEAST) return;
    if (word && table.tBodies[0].rows.length >= LONG) addFilter(table);
    Array.prototype.forEach.call(heads, function (head, column) {
      var made = document.createElement("button");
      if (!head.textContent) return;
      made.type = "button";
      made.className = "sort";
      made.textContent = head.textContent;
      head.textContent = "";
      head.appendChild(made);
      made.addEventListener("click", function () { sort(table, column, heads); });
    });
  });
})();
