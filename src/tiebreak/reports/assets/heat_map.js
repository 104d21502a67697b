// Every run against every other: a table of cells, one of which can be reached by the keyboard, and arrows go on.
// Its numbers are a table of all pairs, which is made when somebody looks.

const { page } = tiebreak;
const { h } = page;
const WITH_NUMBERS = 14; // runs: cells of more have signs only
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function signText(pair) {
  return !pair.isShown ? "\u00B7" : pair.mean > 0 ? "+" : "\u2212";
}

function numberText(pair) {
  return page.signed(pair.mean, 2).replace("-", "\u2212") + (pair.isShown ? "*" : "");
}

function describe(content, measure, x, y, pair) {
  const [run, other] = [content.runs[x], content.runs[y]];
  const shown = pair.isShown ? "shown to differ" : "not shown to differ";
  return `${run} over ${other} by ${measure.name}: ${page.signed(pair.mean, 3)}, ${shown}`;
}

function cell(content, measure, x, y, most, hasNumbers) {
  if (x === y) return h("td", { class: "self" }, "");
  const pair = content.pair(measure, x, y);
  const text = hasNumbers ? numberText(pair) : signText(pair);
  const label = page.printable(describe(content, measure, x, y, pair));
  const one = h("td", { class: "pair", tabindex: "-1", title: label, "aria-label": label }, text);
  one.style.backgroundColor = page.mix(pair.mean, most);
  one.choose = { x, y };
  return one;
}

function heatTable(content, measure) {
  const runs = content.pairedByRank(measure);
  const hasNumbers = runs.length <= WITH_NUMBERS;
  const most = Math.max(...measure.pairs.mean.map((mean) => Math.abs(mean ?? 0)));
  const head = runs.map((run, k) => h("th", { scope: "col", title: page.printable(content.runs[run]) }, `${k + 1}`));
  const rows = runs.map((x, k) =>
    h("tr", {}, h("th", { scope: "row", class: "text" }, `${k + 1} ${content.label(x)}`), ...runs.map((y) => cell(content, measure, x, y, most, hasNumbers))),
  );
  const label = `Mean preference by ${measure.name} of the run of each row over that of each column`;
  return h(
    "table",
    { class: hasNumbers ? "heat" : "heat small", role: "grid", "aria-label": page.printable(label) },
    h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "text" }, "run"), ...head)),
    h("tbody", {}, ...rows),
  );
}

function notes(content, measure) {
  const runs = content.pairedByRank(measure).length;
  const marks = runs <= WITH_NUMBERS ? "* shown to differ" : "+ shown to be better, \u2212 worse, \u00B7 no difference shown";
  const first = `Pairs of the first ${runs} of ${page.whole(content.runs.length)} runs by ${content.compared[0].name} are shown.`;
  return [
    ...(runs < content.runs.length ? [first] : []),
    `Each cell: the mean preference by ${measure.name} of the run of its row over the run of its column; the best run is first.`,
    measure.pairs.p === null ? `${measure.rule}.` : `${marks}: ${measure.rule}.`,
  ];
}

function showPairs(box, content, measure) {
  const runs = content.pairedByRank(measure);
  const cells = (x, y) => [content.nameCell(x), content.nameCell(y), ...tiebreak.pairCells(content.pair(measure, x, y))];
  const rows = runs.flatMap((x, k) => runs.slice(k + 1).map((y) => cells(x, y)));
  const columns = ["run", { title: "other", kind: "text" }, ...tiebreak.pairColumns];
  const notes = ["Positive where the run is better than the other; wins are requests in which it is.", tiebreak.pairNote];
  page.table(box, columns, rows, { caption: `Pairs by ${measure.name}`, file: "pairs", notes });
}

tiebreak.component("heat-map", (element, data, { state }) => {
  const content = tiebreak.content();
  const select = tiebreak.measureSelect(state, content.compared);
  const box = h("div", { class: "scroll heat-box" });
  const under = h("div", { class: "notes" });
  const hint = h("p", { class: "muted screen-only" }, "Choose a cell to see the two runs below: by mouse, or with the arrow keys and Enter.");
  const pairs = h("div");
  const numbers = h("details", { class: "numbers", ontoggle: () => drawNumbers() }, h("summary", {}, "Numbers and downloads"), pairs);
  element.append(h("div", { class: "controls" }, select.element), hint, box, under, numbers);

  function drawNumbers() {
    if (numbers.open) showPairs(pairs, content, content.chosenMeasure(state, content.compared));
  }

  function choose({ x, y }) {
    state.set({ pair: [content.runs[x], content.runs[y]], request: null });
    document.querySelector('[data-component="pair-explorer"]')?.scrollIntoView();
  }

  // The only cell that the Tab key reaches.
  function focusCell(table, row, column, isMoving) {
    const next = table.tBodies[0].rows[row]?.cells[column];
    if (next === undefined || !next.matches("td")) return;
    table.querySelector('td[tabindex="0"]')?.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    if (isMoving) next.focus();
  }

  function onKey(event) {
    const one = event.target;
    if (one.choose && (event.key === "Enter" || event.key === " ")) choose(one.choose);
    else if (MOVES[event.key]) {
      const [down, right] = MOVES[event.key];
      focusCell(event.currentTarget, one.parentElement.sectionRowIndex + down, one.cellIndex + right, true);
    } else return;
    event.preventDefault();
  }

  function draw() {
    const measure = content.chosenMeasure(state, content.compared);
    select.value = measure.name;
    const table = heatTable(content, measure);
    table.addEventListener("click", (event) => {
      const one = event.target.closest("td");
      if (one?.choose) choose(one.choose);
    });
    table.addEventListener("keydown", onKey);
    focusCell(table, 0, 2, false);
    box.replaceChildren(table);
    under.replaceChildren(...notes(content, measure).map((note) => h("p", {}, note)));
    drawNumbers();
  }

  draw();
  state.watch(["measure"], draw);
});
