// Two runs that the reader chooses: what all measures say of them, the requests that decide, recall levels and items.

const { page } = tiebreak;
const { h } = page;

function verdict(content, measure, x, y) {
  const pair = content.pair(measure, x, y);
  const [run, other] = (pair.mean >= 0 ? [x, y] : [y, x]).map((one) => content.label(one));
  const interval = pair.low === null ? "" : `, 95% interval ${page.signed(pair.low, 4)} to ${page.signed(pair.high, 4)}`;
  const mean = `mean ${page.signed(pair.mean, 4)}${interval}`;
  const p = pair.p === null ? "" : `, corrected p ${pair.p < 0.001 ? "< 0.001" : `= ${page.number(pair.p, 3)}`}`;
  return pair.isShown
    ? `By ${measure.name}, ${run} was shown to be better than ${other} (${mean}${p}).`
    : `By ${measure.name}, no difference was shown between ${content.label(x)} and ${content.label(y)} (${mean}${p}).`;
}

// When differences are shown, once for the measures that share a rule.
function rules(content) {
  const byRule = Map.groupBy(content.compared, (measure) => measure.rule);
  return [...byRule].map(([rule, measures]) => `${measures.map(({ name }) => name).join(", ")}: ${tiebreak.ruleText(measures[0])}.`);
}

function showMeasures(box, content, x, y) {
  const rows = content.compared.map((measure) => [measure.name, ...tiebreak.pairCells(content.pair(measure, x, y))]);
  const columns = ["measure", ...tiebreak.pairColumns];
  const notes = [
    `Positive where ${content.label(x)} is better than ${content.label(y)}; wins are requests in which it is.`,
    tiebreak.pairNote,
    ...rules(content),
  ];
  page.table(box, columns, rows, { caption: `${content.label(x)} against ${content.label(y)}`, file: "pair", notes, filter: false });
}

function showDeciding(box, content, measure, x, y, choose) {
  const { deciding, wins, losses } = content.pair(measure, x, y);
  const rows = deciding
    .toSorted((one, other) => Math.abs(other.value) - Math.abs(one.value))
    .map(({ request, value }) => [content.requests[request], value, content.label(value > 0 ? x : y)]);
  if (rows.length === 0) {
    box.replaceChildren(h("p", {}, `By ${measure.name}, the two runs tie in every request.`));
    return;
  }
  const left = wins + losses - rows.length;
  const notes = [`Positive where ${content.label(x)} is better.`];
  if (left > 0) notes.push(`The largest values for each run; ${page.whole(left)} more requests differ.`);
  const columns = ["request", { title: measure.name, digits: 4, signed: true }, { title: "better", kind: "text" }];
  const onRow = choose && ((row) => choose(row[0]));
  page.table(box, columns, rows, { caption: `Requests that decide by ${measure.name}`, file: "requests", notes, onRow });
}

const WANTS = ["first", "10%", "20%", "30%", "40%", "50%", "60%", "70%", "80%", "90%", "all"];

function curveChart(content, x, y) {
  const values = content.curveOf(x, y).map((preference, k) => ({ wanted: WANTS[k], preference }));
  const wide = Math.max(...values.map(({ preference }) => Math.abs(preference)), 0.1);
  return {
    data: { values },
    height: 220,
    layer: [
      { mark: { type: "rule", color: "#888", strokeDash: [4, 3] }, encoding: { y: { datum: 0 } } },
      {
        mark: { type: "line", point: { size: 40, filled: true }, strokeWidth: 2.5 },
        encoding: {
          x: { field: "wanted", type: "nominal", sort: null, title: "relevant items that a user wants", axis: { labelAngle: 0, labelOverlap: "greedy", labelSeparation: 4 } },
          y: { field: "preference", type: "quantitative", title: "mean preference", scale: { domain: [-wide, wide], nice: true } },
        },
      },
    ],
  };
}

// The recall levels of one request: the i-th relevant item of each run.
function showLevels(box, content, request, x, y) {
  const name = content.requests[request];
  const detail = content.details?.[request];
  if (detail === undefined) {
    box.replaceChildren(
      h("p", {}, `The items of request ${name} are not in this page. `, h("code", {}, "tiebreak explain"), ` shows them: give it the judgements, the two runs and --request.`),
    );
    return;
  }
  const [first, second] = [x, y].map((one) => detail.levels[content.pairPlace.get(one)]);
  const side = ([positions, items], k) => [positions[k] ?? null, detail.items[items[k]] ?? null, detail.grades[items[k]] ?? null];
  const rows = Array.from({ length: Math.max(first[0].length, second[0].length) }, (_, k) => [k + 1, ...side(first, k), ...side(second, k)]);
  const notes = [`Level i: the i-th relevant item of each run, of ${page.whole(detail.m)} in all; "-" where a run retrieves no more of them. The higher of two positions is bold.`];
  if (rows.length < detail.m) {
    const isCut = Math.max(first[0].length, second[0].length) >= content.levels;
    notes.push(isCut ? `At most ${content.levels} levels are shown.` : `${page.whole(detail.m - rows.length)} more levels are reached by neither run.`);
  }
  if (rows.length === 0) {
    box.replaceChildren(h("p", {}, `Neither run retrieves any of the ${page.whole(detail.m)} relevant items of request ${name}.`));
    return;
  }
  const isHigher = (one, other) => one !== null && (other === null || one < other);
  const sideColumns = (one, record, best) => [
    { title: `position: ${content.label(one)}`, record: `${record}position`, best },
    { title: "item", record: `${record}item`, kind: "text" },
    { title: "grade", record: `${record}grade` },
  ];
  const columns = [
    "level",
    ...sideColumns(x, "", (row) => isHigher(row[1], row[4])),
    ...sideColumns(y, "other_", (row) => isHigher(row[4], row[1])),
  ];
  page.table(box, columns, rows, { caption: `Request ${name}: ${content.label(x)} and ${content.label(y)}`, file: "levels", notes, digits: 1 });
}

tiebreak.component("pair-explorer", (element, data, { state }) => {
  const content = tiebreak.content();
  const ranked = content.pairedByRank(content.compared[0]);
  const options = ranked.map((run) => ({ value: content.runs[run], label: content.runs[run] }));
  const pairState = () => {
    const [x, y] = (state.get("pair") ?? []).map((name) => content.placeOf.get(name));
    const isKnown = content.pairPlace.has(x) && content.pairPlace.has(y) && x !== y;
    return isKnown ? [x, y] : ranked.slice(0, 2);
  };
  const setPair = (x, y) => state.set({ pair: [content.runs[x], content.runs[y]], request: state.get("request") });
  const change = (k) => (name) => {
    const old = pairState();
    const next = old.with(k, content.placeOf.get(name));
    if (next[0] === next[1]) next[1 - k] = old[k];
    setPair(...next);
  };
  const selects = ["First system", "Second system"].map((label, k) => page.select({ label, options, onChange: change(k) }));
  const measureSelect = tiebreak.measureSelect(state, content.compared);
  const swap = h("button", { type: "button", class: "screen-only", onclick: () => setPair(...pairState().toReversed()) }, "Swap");
  const [unknown, lead] = [h("p", { class: "muted" }), h("p", { class: "lead" })];
  const [measures, deciding, curve, levels] = [h("div"), h("div"), h("div"), h("div")];
  const hasItems = content.details !== null;
  const requestBox = h("div");
  element.append(h("div", { class: "controls" }, ...selects.map((one) => one.element), swap, measureSelect.element), unknown, lead, measures);
  element.append(h("div", { class: "columns" }, deciding, curve));
  if (hasItems) element.append(h("h3", {}, "One request"), h("div", { class: "controls" }, requestBox), levels);

  function chooseRequest(name) {
    state.set({ pair: pairState().map((run) => content.runs[run]), request: [name] });
    levels.scrollIntoView({ block: "nearest" });
  }

  // Those that decide come first, then others whose items are in the page.
  function requestChoices(measure, x, y) {
    const first = content.pair(measure, x, y).deciding.toSorted((one, other) => Math.abs(other.value) - Math.abs(one.value));
    const others = Object.keys(content.details).map(Number);
    return [...new Set([...first.map(({ request }) => request), ...others])];
  }

  function drawRequest(measure, x, y) {
    const choices = requestChoices(measure, x, y);
    const named = content.requests.indexOf(state.get("request")?.[0]);
    const request = named >= 0 ? named : choices.find((one) => one in content.details) ?? choices[0];
    const all = choices.includes(request) ? choices : [request, ...choices];
    const names = all.map((one) => content.requests[one]);
    const select = page.select({ label: "Request", options: names, value: content.requests[request], onChange: chooseRequest });
    const hadFocus = requestBox.contains(document.activeElement);
    requestBox.replaceChildren(select.element);
    if (hadFocus) select.element.querySelector("select").focus();
    showLevels(levels, content, request, x, y);
  }

  function drawUnknown() {
    const names = (state.get("pair") ?? []).filter((name) => name && !content.pairPlace.has(content.placeOf.get(name)));
    const text = `The link names a run without pairs in this page: ${names.join(", ")}. The first two are shown instead.`;
    unknown.textContent = page.printable(names.length ? text : "");
    unknown.hidden = names.length === 0;
  }

  let drawn = "";
  async function draw() {
    const [x, y] = pairState();
    const measure = content.chosenMeasure(state, content.compared);
    drawUnknown();
    if (hasItems) drawRequest(measure, x, y);
    const wanted = JSON.stringify([x, y, measure.name]);
    if (wanted === drawn) return; // another request: the tables keep their filter, and the focus stays
    drawn = wanted;
    [selects[0].value, selects[1].value] = [content.runs[x], content.runs[y]];
    measureSelect.value = measure.name;
    lead.textContent = page.printable(verdict(content, measure, x, y));
    showMeasures(measures, content, x, y);
    showDeciding(deciding, content, measure, x, y, hasItems ? chooseRequest : null);
    if (content.curve !== null) {
      const title = `Recall levels: above 0 ${content.label(x)} is better, below 0 ${content.label(y)}`;
      const description = "Which run users prefer who want the first relevant item, some share of them, or all.";
      await tiebreak.figure(curve, curveChart(content, x, y), title, description);
    }
  }

  state.watch(["pair", "request", "measure"], () => {
    draw();
    const [x, y] = pairState();
    page.announce(`${content.runs[x]} against ${content.runs[y]}`);
  });
  page.onStart.push(draw);
});
