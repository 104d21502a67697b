// Runs from the best to the worst by a measure that the reader chooses.

const { page } = tiebreak;
const { h } = page;
const MOST_DRAWN = 60;
const ROW = 18; // pixels

function intervalChart(content, measure) {
  const rows = measure.leaders.slice(0, MOST_DRAWN);
  const values = rows.map(([run, , value, low, high]) => ({ run: content.label(run), value, low, high }));
  const x = { type: "quantitative", title: measure.name, scale: { zero: false } };
  const y = { field: "run", type: "nominal", title: null, sort: null, scale: { domain: values.map(({ run }) => run) } };
  const color = { value: content.config.mark.color };
  const rule = { mark: { type: "rule", strokeWidth: 2 }, transform: [{ filter: "isValid(datum.low)" }], encoding: { x: { ...x, field: "low" }, x2: { field: "high" }, y, color } };
  const point = { mark: { type: "point", filled: true, size: 50, opacity: 1 }, encoding: { x: { ...x, field: "value" }, y, color } };
  return { data: { values }, layer: [rule, point], height: { step: ROW } };
}

function valueTitle(measure) {
  return measure.kind === "preference" ? `${measure.name}: mean preference over the other runs` : measure.name;
}

// A column of ranks by MC4 with their intervals, which only preferences have.
function mc4Column(measure) {
  if (!measure.leaders.some((row) => row[7].length > 0)) return [];
  const text = (row) => (row[7].length > 1 ? `${row[7][0]} (${row[7][1]}-${row[7][2]})` : `${row[7][0] ?? "-"}`);
  return [{ title: "rank by MC4", cell: (row) => ({ value: row[7][0] ?? null, text: text(row) }), kind: "number" }];
}

function leaderColumns(content, measure) {
  const letters = measure.leaders.some((row) => row[5]) ? [{ title: "letters", cell: (row) => row[5], kind: "text" }] : [];
  const groups = content.groups.map((group, k) => ({
    title: `${group.name} (${page.whole(group.requests)})`,
    cell: (row) => row[6][k] ?? null,
    digits: 4,
    signed: measure.kind === "preference",
  }));
  return [
    { title: "run", cell: (row) => content.nameCell(row[0]), kind: "text" },
    { title: "rank", cell: (row) => row[1] },
    { title: measure.name, cell: (row) => row[2], digits: 4, signed: measure.kind === "preference", best: (row) => row[1] === 1 },
    { title: "low", cell: (row) => row[3], digits: 4, signed: measure.kind === "preference" },
    { title: "high", cell: (row) => row[4], digits: 4, signed: measure.kind === "preference" },
    ...letters,
    ...mc4Column(measure),
    ...groups,
  ];
}

function notes(content, measure) {
  const about = measure.about ? `${measure.name}, ${measure.about}.` : "";
  const value = measure.kind === "preference" ? "The value is the mean preference over all other runs, from -1 to 1." : `${measure.better === "lower" ? "Lower" : "Higher"} is better.`;
  const lettered = measure.leaders.some((row) => row[5]);
  const letters = lettered ? `Runs that share a letter were not shown to differ: ${tiebreak.ruleText(measure)}.` : "";
  const mc4 = measure.leaders.some((row) => row[7].length > 1) ? "In brackets: 95% bootstrap intervals of ranks." : "";
  const groups = content.groups.length ? "After the name of a group: how many requests it has." : "";
  return [about, `${value} low, high: its 95% interval by Student's t over requests.`, letters, mc4, groups].filter(Boolean);
}

tiebreak.component("leaderboard", (element, data, { state }) => {
  const content = tiebreak.content();
  const measures = content.measures.filter((measure) => measure.leaders.length > 0);
  const select = tiebreak.measureSelect(state, measures);
  const [chart, table] = [h("div"), h("div")];
  element.append(h("div", { class: "controls" }, select.element), table, chart);

  async function draw() {
    const measure = content.chosenMeasure(state, measures);
    select.value = measure.name;
    const columns = leaderColumns(content, measure);
    const rows = measure.leaders.map((row) => columns.map((column) => column.cell(row)));
    const shown = columns.map(({ best, ...column }) => (best ? { ...column, best: (cells) => cells[1] === 1 } : column));
    page.table(table, shown, rows, { caption: `Runs by ${measure.name}`, file: "leaderboard", notes: notes(content, measure) });
    const many = measure.leaders.length > MOST_DRAWN ? `, the first ${MOST_DRAWN}` : "";
    const title = `${valueTitle(measure)}, with 95% intervals${many}`;
    await tiebreak.figure(chart, intervalChart(content, measure), title, "The best run is at the top.");
  }

  state.watch(["measure"], () => {
    draw();
    page.announce(`Leaderboard by ${content.chosenMeasure(state, measures).name}`);
  });
  page.onStart.push(draw);
});
