// The numbers of a page about runs, as Python embedded them: nothing is computed here, only looked up.

const { page } = tiebreak;
const { h } = page;

class Content {
  constructor(data) {
    Object.assign(this, data);
    this.placeOf = new Map(data.runs.map((name, run) => [name, run]));
    this.pairPlace = new Map(data.paired.map((run, k) => [run, k]));
    this.compared = data.measures.filter((measure) => measure.pairs !== null);
  }

  label(run) {
    return this.labels?.[run] ?? this.runs[run];
  }

  // A cell of a table: the label, and the whole name for downloads.
  nameCell(run) {
    return { value: this.runs[run], text: this.label(run) };
  }

  // The measure of a name; by default the first.
  measure(name, among = this.measures) {
    return among.find((measure) => measure.name === name) ?? among[0];
  }

  // The measure in the address, a part of which may only know some.
  chosenMeasure(state, among = this.measures) {
    return this.measure(state.get("measure")?.[0], among);
  }

  // Runs with pairs, the best first by a measure.
  pairedByRank(measure) {
    return measure.leaders.map(([run]) => run).filter((run) => this.pairPlace.has(run));
  }

  // Where the lists of pairs have two runs, and whether the other way round.
  pairIndex(x, y) {
    const [a, b] = [this.pairPlace.get(x), this.pairPlace.get(y)];
    const [first, second] = a < b ? [a, b] : [b, a];
    const n = this.paired.length;
    return { k: (first * (2 * n - first - 1)) / 2 + (second - first - 1), isSwapped: a > b };
  }

  // A pair by a measure, positive where x is better.
  pair(measure, x, y) {
    const { k, isSwapped } = this.pairIndex(x, y);
    const all = measure.pairs;
    const turn = (value) => (isSwapped && value !== null ? 0 - value : value);
    const [low, high] = isSwapped ? [turn(all.high[k]), turn(all.low[k])] : [all.low[k], all.high[k]];
    const [wins, losses] = isSwapped ? [all.losses[k], all.wins[k]] : [all.wins[k], all.losses[k]];
    const flat = all.deciding[k];
    const deciding = [];
    for (let i = 0; i < flat.length; i += 2) deciding.push({ request: flat[i], value: turn(flat[i + 1]) });
    return { mean: turn(all.mean[k]), low, high, wins, losses, ties: all.ties[k], p: all.p?.[k] ?? null, isShown: all.shown[k] === "1", deciding };
  }

  curveOf(x, y) {
    const { k, isSwapped } = this.pairIndex(x, y);
    return this.curve[k].map((value) => (isSwapped ? 0 - value : value));
  }
}

let content = null;
tiebreak.content = () => (content ??= new Content(page.data("content")));

// A choice of the measure that all parts of the page share.
tiebreak.measureSelect = (state, among) =>
  page.select({
    label: "Measure",
    options: among.map((measure) => measure.name),
    value: tiebreak.content().chosenMeasure(state, among).name,
    onChange: (name) => state.set({ measure: [name] }),
  });

// A chart with its title and what is seen above it, as wide as there is room.
const WIDEST = 420;
const BESIDE = 150; // pixels for names and numbers along its axes
tiebreak.figure = async (element, spec, title, description) => {
  const width = Math.max(160, Math.min(WIDEST, element.clientWidth - BESIDE));
  const plot = h("div");
  const caption = h("figcaption", {}, h("b", {}, title), h("span", {}, description));
  element.replaceChildren(h("figure", { class: "live-chart" }, caption, plot));
  await page.chart(plot, { ...spec, width, config: tiebreak.content().config }, { title, description });
};

// When a difference is shown by a measure.
tiebreak.ruleText = (measure) => (measure.pairs.p === null ? measure.rule : `a difference is shown where ${measure.rule}`);

// A pair as cells of a table, after those that name it.
const pText = (p) => (p === null ? "-" : p < 0.001 ? "<0.001" : page.number(p, 3));
const signed = (title) => ({ title, digits: 4, signed: true });
tiebreak.pairColumns = [signed("mean"), signed("low"), signed("high"), "wins", "ties", "losses", { title: "p", kind: "number" }, { title: "shown", kind: "text" }];
tiebreak.pairCells = ({ mean, low, high, wins, ties, losses, p, isShown }) => [mean, low, high, wins, ties, losses, { value: p, text: pText(p) }, isShown ? "yes" : "no"];
tiebreak.pairNote =
  "low, high: 95% interval of this mean alone. p: corrected for all pairs compared by that measure, so that an interval may exclude 0 where no difference is shown.";
