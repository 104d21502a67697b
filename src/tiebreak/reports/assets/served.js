// Who is served worst by a run that the reader chooses: its utilities from the worst request to the best.

const { page } = tiebreak;
const { h } = page;
const MIDDLE = "median of the runs";

function sortedChart(data, one, label) {
  const rows = (name, line) => line.map((value, k) => ({ line: name, place: data.places[k], value }));
  const others = data.runs.length > 1 ? rows(MIDDLE, data.median) : [];
  const mark = { type: "line", interpolate: "monotone", clip: true };
  const names = others.length ? [label, MIDDLE] : [label];
  const scale = (range) => ({ domain: names, range: range.slice(0, names.length) });
  return {
    data: { values: [...rows(label, one.line), ...others] },
    height: 240,
    mark,
    encoding: {
      x: { field: "place", type: "quantitative", title: "requests, worst first", scale: { zero: false, nice: false }, axis: { tickMinStep: 1 } },
      y: { field: "value", type: "quantitative", title: data.measure },
      color: { field: "line", type: "nominal", title: null, scale: scale(["#0072B2", "#9a9a9a"]), legend: { orient: "top", labelLimit: 400 } },
      strokeDash: { field: "line", type: "nominal", title: null, scale: scale([[1, 0], [5, 4]]) },
    },
  };
}

tiebreak.component("served", (element, data, { state }) => {
  const content = tiebreak.content();
  const names = data.runs.map((one) => one.run);
  const chosen = () => data.runs[Math.max(names.indexOf(state.get("system")?.[0]), 0)];
  const choose = (run) => state.set({ system: [run] });
  const select = page.select({ label: "System", options: names, value: chosen().run, onChange: choose });
  const [all, worst, chart] = [h("div"), h("div"), h("div")];
  element.append(all, h("div", { class: "controls" }, select.element), h("div", { class: "columns" }, worst, chart));
  const rows = data.runs.map((one) => [content.nameCell(content.placeOf.get(one.run)), one.lowest, one.at_lowest, one.worst.slice(0, 3).map(([name]) => name).join(", ")]);
  const columns = ["run", { title: "worst value", digits: 4 }, "requests with it", { title: "worst requests", kind: "text" }];
  const notes = [`${data.measure} of ${page.whole(data.n)} requests; equal values in the order of names.`];
  if (data.runs.length < content.runs.length) notes.push(`The ${data.runs.length} runs with the best means, of ${page.whole(content.runs.length)}.`);
  page.table(all, columns, rows, { caption: "The worst requests of every run", file: "worst-requests", notes, onRow: (row) => choose(row[0].value) });

  async function draw() {
    const one = chosen();
    select.value = one.run;
    const label = content.label(content.placeOf.get(one.run));
    page.table(worst, ["request", { title: data.measure, digits: 4 }], one.worst, { caption: `Worst requests of ${label}`, file: "worst-of-run", filter: false });
    const title = `${data.measure} of ${label}, from its worst request to its best`;
    await tiebreak.figure(chart, sortedChart(data, one, label), title, data.runs.length > 1 ? `Beside it the ${MIDDLE}.` : "");
  }

  state.watch(["system"], () => {
    draw();
    page.announce(`Worst requests of ${chosen().run}`);
  });
  page.onStart.push(draw);
});
