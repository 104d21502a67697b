// Tables that can be sorted, filtered, downloaded as CSV, and copied as LaTeX and Markdown, as the library writes them.

const { page } = tiebreak;
const { h } = page;
const FILTER_FROM = 3; // rows
const PRINTED = 40; // rows: report.css hides the others on paper
const TEXT_ORDER = new Intl.Collator("en", { numeric: true }); // q2 before q10
const MISSING = new Set(["", "-", "\u2013"]);

// What a cell is sorted by: a number, text, or null, which is last in either direction.
function sortKey(text) {
  if (MISSING.has(text.trim())) return null;
  const match = /^[<(\[]?\s*([-+\u00B1]?(?:\d[\d,]*(?:\.\d+)?|inf))/.exec(text.trim());
  if (match === null) return text;
  return Number(match[1].replace(/[,+\u00B1]/g, "").replace("inf", "Infinity"));
}

function compareKeys(x, y) {
  if (typeof x === "number" && typeof y === "number") return x - y || 0;
  if (typeof x !== typeof y) return typeof x === "number" ? -1 : 1;
  return TEXT_ORDER.compare(x, y);
}

// Rows by the key of a column; those without one, and equal ones, in the order that was.
function sortRows(rows, column, direction) {
  const keys = new Map(rows.map((row) => [row, row.keys[column]]));
  return rows.toSorted((one, other) => {
    const [x, y] = [keys.get(one), keys.get(other)];
    if (x === null || y === null) return (x === null) - (y === null);
    return direction * compareKeys(x, y);
  });
}

// CSV, LaTeX, Markdown: the rules are the library's.

let rules = null;
function markup() {
  if (rules === null) {
    const one = page.data("rules");
    const whole = (pattern) => new RegExp(`^(?:${pattern})$`, "u");
    rules = { ...one, number: whole(one.number), latexNumber: new RegExp(one.latexNumber, "gu") };
  }
  return rules;
}

function csvCell(value) {
  if (value === null || value === undefined) return "";
  let text = Array.isArray(value) ? value.map(String).join(", ") : String(value);
  if (typeof value === "string" && markup().formula.some((start) => text.startsWith(start))) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function toCsv(header, rows) {
  return [header, ...rows].map((row) => row.map(csvCell).join(",") + "\n").join("");
}

function toMarkdown(columns, rows, notes) {
  const escape = (text) => [...page.printable(text).trim()].map((c) => (markup().markup.includes(c) ? `\\${c}` : c)).join("");
  const line = (cells) => `| ${cells.join(" | ")} |\n`;
  const cells = (row) => row.cells.map((cell) => (cell.isBest ? `**${escape(cell.text)}**` : escape(cell.text)));
  const rule = columns.map((column) => (column.kind === "number" ? "---:" : "---"));
  const under = notes.map((note) => `\n${escape(note)}\n`).join("");
  return [columns.map((column) => escape(column.title)), rule, ...rows.map(cells)].map(line).join("") + under;
}

function latex(text) {
  const { latex: map } = markup();
  const escaped = [...page.printable(text)].map((c) => map[c] ?? c).join("").replace(/-(?=-)/g, "-{}");
  return /^[[*]/.test(escaped) ? `{}${escaped}` : escaped;
}

function latexNumber(text) {
  if (text === "-") return "--";
  const { latexNumber: pattern, lowered } = markup();
  let parts = "";
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const [, number, marks] = match;
    parts += latex(text.slice(end, match.index));
    if (marks) parts += `\\textsuperscript{${[...marks].map((c) => lowered[c] ?? c).join("")}}`;
    else parts += `$${number.replaceAll("\u00B1", "\\pm").replaceAll(",", "{,}").replaceAll("inf", "\\infty")}$`;
    end = match.index + match[0].length;
  }
  return parts + latex(text.slice(end));
}

const LATEX_CELL = {
  number: latexNumber,
  signs: (text) => `\\texttt{${latex(text)}}`,
  text: latex,
};

function latexBold(text) {
  return text.startsWith("$") ? `\\textbf{\\boldmath${text}}` : `\\textbf{${text}}`;
}

// What numbers of a column are marked by, for the room that others leave.
function latexMark(column, c, rows) {
  if (column.kind !== "number") return "";
  const last = rows.map((row) => row.cells[c].text.trimEnd().slice(-1)).filter(Boolean);
  return last.some((mark) => markup().raised.includes(mark)) ? "a" : last.includes("*") ? "*" : "";
}

function toLatex(columns, rows, notes) {
  const marks = columns.map((column, c) => latexMark(column, c, rows));
  const cell = ({ text, isBest }, c) => {
    const plain = LATEX_CELL[columns[c].kind](text.trimEnd());
    const places = text.length - text.trimEnd().length;
    const room = marks[c] && places ? `\\phantom{\\textsuperscript{${marks[c].repeat(places)}}}` : "";
    return (isBest ? latexBold(plain) : plain) + room;
  };
  const ends = " \\\\\n";
  return [
    `\\begin{tabular}{${columns.map(({ kind }) => (kind === "number" ? "r" : "l")).join("")}}\n\\toprule\n`,
    columns.map((column) => latex(column.title)).join(" & ") + ends,
    "\\midrule\n",
    ...rows.map((row) => row.cells.map(cell).join(" & ") + ends),
    "\\bottomrule\n\\end{tabular}\n",
    ...notes.map((note) => `% ${page.printable(note)}\n`),
  ].join("");
}

// A table with its tools. `columns` have title and kind (number, text or signs); `rows` have cells ({text, isBest}),
// keys to sort by, and elements; `records` are what CSV has: columns and rows, `places` the rows they belong to.

class DataTable {
  constructor(block, { columns, rows, records, notes, file, most, hasFilter }) {
    Object.assign(this, { block, columns, rows, records, notes, file, most });
    this.table = block.querySelector("table");
    this.body = this.table.tBodies[0];
    this.sorted = rows;
    this.words = [];
    this.order = { column: null, direction: 0 };
    this.count = h("span", { class: "count muted", role: "status" });
    this.printed = block.querySelector(".print-only") ?? h("p", { class: "print-only" });
    block.querySelector(".table-box").after(this.printed);
    block.prepend(this.tools(hasFilter));
    this.addSorting();
  }

  tools(hasFilter) {
    const bar = h("div", { class: "tools screen-only" });
    if (hasFilter) {
      const id = page.newId("filter");
      const input = h("input", { id, type: "search", autocomplete: "off", spellcheck: "false", oninput: () => this.filter(input.value) });
      bar.append(h("label", { for: id }, "Filter"), input, this.count);
    }
    const about = this.table.caption?.textContent ?? this.file;
    const save = () => page.downloadText(`${this.file}.csv`, "text/csv", this.csv());
    bar.append(
      h("span", { class: "spring" }),
      h("button", { type: "button", "aria-label": `Download CSV: ${about}`, onclick: save }, "Download CSV"),
      page.copyButton("Copy as LaTeX", about, () => toLatex(this.columns, this.shown(), this.notes)),
      page.copyButton("Copy as Markdown", about, () => toMarkdown(this.columns, this.shown(), this.notes)),
    );
    return bar;
  }

  addSorting() {
    [...this.table.tHead.rows[0].cells].forEach((cell, column) => {
      const button = h("button", { type: "button", class: "sort", onclick: () => this.sort(column) });
      button.append(...cell.childNodes);
      cell.replaceChildren(button);
    });
  }

  // Numbers from the largest first, text from the first; then the other way; then as it was.
  sort(column) {
    const first = this.columns[column].kind === "number" ? -1 : 1;
    const before = this.order.column === column ? this.order.direction : 0;
    const direction = before === 0 ? first : before === first ? -first : 0;
    this.order = { column: direction === 0 ? null : column, direction };
    this.sorted = direction === 0 ? this.rows : sortRows(this.rows, column, direction);
    [...this.table.tHead.rows[0].cells].forEach((cell, c) => {
      if (c === column && direction !== 0) cell.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
      else cell.removeAttribute("aria-sort");
    });
    this.render();
  }

  filter(text) {
    this.words = text.toLowerCase().split(/\s+/).filter(Boolean);
    this.render();
  }

  shown() {
    const has = (row, word) => row.cells.some((cell) => cell.text.toLowerCase().includes(word));
    return this.sorted.filter((row) => this.words.every((word) => has(row, word)));
  }

  render() {
    const rows = this.shown();
    this.body.replaceChildren(...rows.slice(0, this.most).map((row) => row.element ?? (row.element = this.element(row))));
    const parts = [];
    if (rows.length < this.rows.length) parts.push(`${page.whole(rows.length)} of ${page.whole(this.rows.length)} rows`);
    if (rows.length > this.most) parts.push(`the first ${page.whole(this.most)} are shown`);
    this.count.textContent = parts.join("; ");
    this.printed.textContent = rows.length > PRINTED ? `Printed: the first ${PRINTED} of ${page.whole(rows.length)} rows.` : "";
  }

  element(row) {
    const cells = row.cells.map((cell, c) => {
      const { kind } = this.columns[c];
      const content = cell.node ?? (cell.isBest ? h("b", {}, cell.text) : cell.text);
      return h(c === 0 ? "th" : "td", { scope: c === 0 ? "row" : null, class: kind === "number" ? null : kind }, content);
    });
    return h("tr", {}, ...cells);
  }

  csv() {
    const rows = this.shown();
    const { columns, rows: records, places } = this.records;
    if (places === undefined) return toCsv(columns, rows.map((row) => records[row.index]));
    const byPlace = Map.groupBy(records.keys(), (k) => places[k]);
    return toCsv(columns, rows.flatMap((row) => (byPlace.get(row.index) ?? []).map((k) => records[k])));
  }
}

// The tables that are in the page as HTML.

function readRow(element, index) {
  const cells = [...element.cells].map((cell) => ({
    text: cell.textContent + " ".repeat(cell.dataset.room?.length ?? 0),
    isBest: cell.querySelector("b") !== null,
  }));
  return { element, index, cells };
}

function readTable(block) {
  const table = block.querySelector("table");
  const columns = [...table.tHead.rows[0].cells].map((cell) => ({ title: cell.textContent, kind: cell.className || "number" }));
  const rows = [...table.tBodies[0].rows].map(readRow);
  const texts = { columns: columns.map((column) => column.title), rows: rows.map((row) => row.cells.map((cell) => cell.text.trimEnd())) };
  const json = block.querySelector("script.records");
  const records = json === null ? texts : JSON.parse(json.textContent);
  // Records have all digits: they are what a column of the same name is sorted by.
  const named = columns.map((column) => (records.places === undefined ? records.columns.indexOf(column.title) : -1));
  for (const row of rows) {
    row.keys = row.cells.map((cell, c) => {
      const value = named[c] < 0 ? null : records.rows[row.index][named[c]];
      return typeof value === "number" ? value : columns[c].kind === "number" ? sortKey(cell.text) : cell.text;
    });
  }
  const notes = [...block.querySelectorAll(".notes p")].map((note) => note.textContent);
  const hasFilter = rows.length >= FILTER_FROM;
  new DataTable(block, { columns, rows, records, notes, file: block.dataset.file, most: rows.length, hasFilter });
}

page.onStart.push(() => {
  document.querySelectorAll(".table-block:not(.live)").forEach(readTable);
});

// Tables that scripts make.

function cellText(value, column) {
  if (value === null || value === undefined) return "-";
  if (typeof value !== "number") return String(value);
  if (column.isWhole) return column.signed ? page.signed(value, 0) : page.whole(value);
  return (column.signed ? page.signed : page.number)(value, column.digits);
}

function completeColumn(column, c, rows, digits) {
  const one = typeof column === "string" ? { title: column } : column;
  const values = rows.map((row) => valueOf(row[c])).filter((value) => value !== null && value !== undefined);
  const isNumeric = values.length > 0 && values.every((value) => typeof value === "number");
  const isWhole = isNumeric && one.digits === undefined && values.every(Number.isInteger);
  return { kind: isNumeric && c > 0 ? "number" : "text", digits, isWhole, ...one };
}

function valueOf(cell) {
  return cell !== null && typeof cell === "object" && !Array.isArray(cell) ? cell.value : cell;
}

function makeRow(row, index, columns, options) {
  const cells = row.map((cell, c) => {
    const own = cell !== null && typeof cell === "object" && !Array.isArray(cell) ? cell : { value: cell };
    return { text: own.text ?? cellText(own.value, columns[c]), isBest: columns[c].best?.(row) ?? false };
  });
  if (options.onRow) {
    const [first] = cells;
    first.node = h("button", { type: "button", class: "choose", onclick: () => options.onRow(row) }, first.text);
  }
  const keys = row.map((cell, c) => {
    const value = valueOf(cell) ?? null;
    return Array.isArray(value) ? String(value) : value;
  });
  return { index, cells, keys };
}

page.table = (element, columns, rows, options = {}) => {
  const { caption = "", file = "table", digits = 4, most = 500, notes = [] } = options;
  const whole = columns.map((column, c) => completeColumn(column, c, rows, digits));
  const head = whole.map((column) => h("th", { scope: "col", class: column.kind === "number" ? null : column.kind }, column.title));
  const label = caption || `Table of ${whole.map((column) => column.title).join(", ")}`;
  const table = h(
    "table",
    {},
    h("caption", { class: caption ? null : "visually-hidden" }, label),
    h("thead", {}, h("tr", {}, ...head)),
    h("tbody"),
  );
  const box = h("div", { class: "table-box", role: "group", tabindex: "0", "aria-label": page.printable(label) }, table);
  const under = notes.length ? [h("div", { class: "notes" }, ...notes.map((note) => h("p", {}, note)))] : [];
  const block = h("div", { class: "table-block live" }, box, ...under);
  const records = { columns: whole.map((column) => column.record ?? column.title), rows: rows.map((row) => row.map(valueOf)) };
  const data = rows.map((row, index) => makeRow(row, index, whole, options));
  element.replaceChildren(block);
  const hasFilter = options.filter ?? data.length >= FILTER_FROM;
  const made = new DataTable(block, { columns: whole, rows: data, records, notes, file, most, hasFilter });
  made.render();
  return made;
};
