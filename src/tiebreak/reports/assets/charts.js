// Vega-Lite charts: drawn without code from text (an interpreter of expressions), with their numbers as a table.

const { page } = tiebreak;
const { h } = page;
const ERRORS = 1; // of the levels of Vega: no warnings in the console
const FONT = "Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif"; // as wide as the library expects
const tip = h("div", { class: "tip", role: "presentation", hidden: true });

// What is under the mouse, as text.
function tooltip(handler, event, item, value) {
  tip.hidden = value === null || value === undefined || value === "";
  if (tip.hidden) return;
  const show = (cell) => (typeof cell === "number" && !Number.isInteger(cell) ? page.number(cell) : cell ?? "-");
  const isAdded = (name) => name.startsWith("_") || (/_(start|end)$/.test(name) && name.replace(/_\w+$/, "") in value); // by Vega
  const lines = typeof value === "object" ? Object.entries(value).filter(([name]) => !isAdded(name)) : [["", value]];
  tip.replaceChildren(...lines.map(([name, cell]) => h("div", {}, name && h("span", { class: "muted" }, `${name} `), show(cell))));
  const { width, height } = tip.getBoundingClientRect();
  const isLeft = event.clientX + width + 24 > document.documentElement.clientWidth;
  tip.style.left = `${Math.max(event.clientX + (isLeft ? -width - 12 : 12), 4)}px`;
  tip.style.top = `${Math.max(Math.min(event.clientY + 12, innerHeight - height - 8), 4)}px`;
}

function tables(spec) {
  const values = spec.data?.values ? { "": spec.data.values } : spec.datasets ?? {};
  return Object.entries(values).filter(([, records]) => Array.isArray(records) && records.length > 0);
}

// The picture as a file, on white paper.
function exportButtons(view, name) {
  const inWhite = async (call) => {
    const result = await view.background("white").runAsync().then(call);
    await view.background(null).runAsync();
    return result;
  };
  const button = (text, act) => h("button", { type: "button", "aria-label": `${text}: ${name}`, onclick: act }, text);
  const svg = async () => page.downloadText("chart.svg", "image/svg+xml", await inWhite(() => view.toSVG()));
  const png = async () => page.download("chart.png", await inWhite(() => view.toImageURL("png", 2)));
  return h("div", { class: "tools screen-only" }, button("Download SVG", svg), button("Download PNG", png));
}

// The numbers as a table, which is made when somebody looks, and the picture as a file.
function addNumbers(element, view, spec, name) {
  const box = h("div", {}, exportButtons(view, name));
  const details = h("details", { class: "numbers" }, h("summary", {}, "Numbers and downloads"), box);
  const fill = () => {
    for (const [part, records] of tables(spec)) {
      const isText = (column) => records.some((record) => typeof record[column] === "string");
      const columns = Object.keys(records[0]).toSorted((one, other) => isText(other) - isText(one)); // names first
      const rows = records.map((record) => columns.map((column) => record[column] ?? null));
      const table = h("div");
      box.append(table);
      page.table(table, columns, rows, { caption: [name, part].filter(Boolean).join(", "), file: "chart" });
    }
  };
  details.addEventListener("toggle", fill, { once: true });
  element.append(details);
}

async function draw(element, spec, { title = "", description = "" } = {}) {
  const name = [title, description].filter(Boolean).join(". ") || "Chart";
  const plot = h("div", { class: "plot-svg", "aria-hidden": "true" }); // of which screen readers would read every mark
  const image = h("div", { role: "img", "aria-label": page.printable(name) }, plot);
  const box = h("div", { class: "plot-box", role: "group", tabindex: "0", "aria-label": page.printable(`Chart: ${title || name}`) }, image);
  element.replaceChildren(box);
  const options = { mode: "vega-lite", renderer: "svg", ast: true, actions: false, defaultStyle: false, tooltip, logLevel: ERRORS };
  const config = { font: FONT, ...spec.config, mark: { tooltip: { content: "data" }, ...spec.config?.mark } };
  const { usermeta, ...rest } = spec; // its options for other pages would replace these
  try {
    const { view } = await vegaEmbed(plot, { ...rest, background: null, config }, options);
    addNumbers(element, view, spec, title || name);
    return view;
  } catch (error) {
    console.error(error);
    box.replaceChildren(h("p", { class: "failure" }, `This chart could not be drawn: ${error.message}`));
    return null;
  }
}

page.chart = async (element, spec, options) => {
  if (typeof vegaEmbed === "undefined") throw new Error("the page has no Vega: add_component(..., charts=True)");
  return draw(element, spec, options);
};

page.onStart.push(async () => {
  document.body.append(tip);
  for (const figure of document.querySelectorAll("figure.chart")) {
    const spec = figure.querySelector("script.spec");
    const title = figure.querySelector("figcaption b")?.textContent ?? "";
    const description = figure.querySelector("figcaption span")?.textContent ?? "";
    await draw(figure.querySelector(".plot"), JSON.parse(spec.textContent), { title, description });
  }
});
