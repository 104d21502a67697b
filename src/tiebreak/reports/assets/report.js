// What every page has: text as DOM nodes, choices in the address, interactive parts, light and dark.
// Other files register with `tiebreak.component` or add to `tiebreak.page`. Names from files are text, never markup.

const UNPRINTABLE = /(?! )[\p{C}\p{Z}]/gu;

function printable(text) {
  return text.replace(UNPRINTABLE, "\uFFFD");
}

// An element; text among its children is text, functions among its attributes (onclick) listen.
function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, "").toLowerCase(), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  const nodes = children.flat().filter((child) => child !== null && child !== undefined && child !== false);
  element.append(...nodes.map((child) => (child instanceof Node ? child : printable(String(child)))));
  return element;
}

let nextId = 0;
function newId(prefix) {
  nextId += 1;
  return `${prefix}-${nextId}_`; // Python's ids have no underscore
}

function select({ label, options, value, onChange }) {
  const id = newId("select");
  const choices = options.map((option) => (typeof option === "object" ? option : { value: option, label: option }));
  const list = h("select", { id, onchange: () => onChange?.(list.value) });
  list.append(...choices.map((choice) => h("option", { value: choice.value }, choice.label)));
  if (value !== undefined && value !== null) list.value = value;
  const element = h("span", { class: "select" }, h("label", { for: id }, label), list);
  return {
    element,
    get value() {
      return list.value;
    },
    set value(choice) {
      list.value = choice;
    },
  };
}

// Numbers as the library writes them.

function isNumber(value) {
  return typeof value === "number" && Number.isFinite(value);
}

// toFixed rounds halves up; Python rounds them to the even digit.
function fixed(value, digits) {
  const text = value.toFixed(digits);
  const longer = value.toFixed(digits + 30);
  const isHalf = /50{29}$/.test(longer);
  return isHalf && /[13579]$/.test(text) ? longer.slice(0, -30).replace(/\.$/, "") : text;
}

function number(value, digits = 4) {
  return isNumber(value) ? fixed(value, digits) : "-";
}

function signed(value, digits = 4) {
  if (!isNumber(value)) return "-";
  const text = fixed(Math.abs(value), digits);
  return Number(text) === 0 ? text : (value < 0 ? "-" : "+") + text;
}

function whole(value) {
  return isNumber(value) ? fixed(value, 0).replace(/\B(?=(\d{3})+$)/g, ",") : "-";
}

function percent(value, digits = 0) {
  return isNumber(value) ? `${fixed(100 * value, digits)}%` : "-";
}

// Files and the clipboard.

function download(name, content) {
  const link = h("a", { href: content, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}

function downloadText(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  download(name, address);
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Not allowed, or an old browser: the way before there was a clipboard for pages.
    const area = h("textarea", { class: "visually-hidden", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    if (!isCopied) throw new Error("the browser does not let this page copy");
  }
}

// A button that copies what `text` returns, and says whether that worked.
function copyButton(label, about, text) {
  const name = page.printable(about ? `${label}: ${about}` : label);
  const button = h("button", { type: "button", "aria-label": name }, label);
  button.addEventListener("click", async () => {
    try {
      await copy(text());
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed";
    }
    announce(button.textContent);
    setTimeout(() => (button.textContent = label), 2000);
  });
  return button;
}

const live = h("div", { class: "visually-hidden", role: "status" });

function announce(text) {
  live.textContent = printable(text);
}

// Choices in the address: #pair=bm25,dense&measure=RPP. Every value is a list of names.

const state = { values: new Map(), watchers: [] };

function parseHash(hash) {
  const values = new Map();
  if (!hash.includes("=")) return values; // none, or a link to a section
  for (const part of hash.replace(/^#/, "").split("&")) {
    const [key, ...rest] = part.split("=");
    try {
      values.set(decodeURIComponent(key), rest.join("=").split(",").map(decodeURIComponent));
    } catch {
      // a damaged link: its other choices hold
    }
  }
  return values;
}

function formatHash(values) {
  const parts = [...values].map(([key, names]) => `${encodeURIComponent(key)}=${names.map(encodeURIComponent).join(",")}`);
  return `#${parts.join("&")}`;
}

function changeState(values) {
  const keys = new Set([...state.values.keys(), ...values.keys()]);
  const changed = [...keys].filter((key) => JSON.stringify(state.values.get(key)) !== JSON.stringify(values.get(key)));
  state.values = values;
  for (const watcher of state.watchers) {
    if (watcher.keys.some((key) => changed.includes(key))) watcher.call();
  }
}

function withChanges(changes) {
  const values = new Map(state.values);
  for (const [key, names] of Object.entries(changes)) {
    if (names === null) values.delete(key);
    else values.set(key, [names].flat().map(String));
  }
  return values;
}

const publicState = {
  get: (key) => state.values.get(key) ?? null,
  set(changes) {
    const values = withChanges(changes);
    history.replaceState(null, "", formatHash(values));
    changeState(values);
  },
  link: (changes) => formatHash(withChanges(changes)),
};

// The part of the page that the address is of.
function target() {
  const [key] = parseHash(location.hash).keys();
  if (key === undefined) return document.getElementById(location.hash.slice(1));
  return state.watchers.find((watcher) => watcher.keys.includes(key))?.element ?? null;
}

function followAddress() {
  if (!location.hash.includes("=")) return; // the browser goes there
  changeState(parseHash(location.hash));
  target()?.scrollIntoView();
}

// Interactive parts.

const components = new Map();

function component(name, start) {
  components.set(name, start);
}

const data = new Map();
function pageData(name) {
  if (!data.has(name)) {
    const block = [...document.querySelectorAll("script[data-name]")].find((one) => one.dataset.name === name);
    data.set(name, block === undefined ? null : JSON.parse(block.textContent));
  }
  return data.get(name);
}

function startComponent(element) {
  const block = element.nextElementSibling;
  const own = block?.matches("script.component-data") ? JSON.parse(block.textContent) : null;
  const watch = (keys, call) => state.watchers.push({ keys, call, element });
  element.replaceChildren();
  try {
    const start = components.get(element.dataset.component);
    if (start === undefined) throw new Error(`no script is called ${element.dataset.component}`);
    start(element, own, { ...page, state: { ...publicState, watch } });
  } catch (error) {
    console.error(error);
    element.replaceChildren(h("p", { class: "failure" }, `This part could not be shown: ${error.message}`));
  }
}

const page = {
  h,
  newId,
  select,
  number,
  signed,
  whole,
  percent,
  download,
  downloadText,
  copyButton,
  announce,
  printable,
  data: pageData,
  state: publicState,
  onStart: [],
  // Between the colours of worse, neither and better, for a value from -most to most.
  mix(value, most) {
    if (!isNumber(value) || value === 0 || !(most > 0)) return "var(--page)";
    const share = Math.min(Math.abs(value) / most, 1) * 100;
    return `color-mix(in oklab, var(${value > 0 ? "--better-fill" : "--worse-fill"}) ${share.toFixed(1)}%, var(--page))`;
  },
};

// Light and dark: as the system has it, until the reader chooses.

function startTheme() {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const button = h("button", { type: "button", class: "theme screen-only", onclick: () => show(root.dataset.theme !== "dark") });
  function show(isDark) {
    root.dataset.theme = isDark ? "dark" : "light";
    button.textContent = isDark ? "Light colours" : "Dark colours";
  }
  system.addEventListener("change", () => show(system.matches));
  show(system.matches);
  document.querySelector(".page-header").append(button);
}

function startCode() {
  for (const block of document.querySelectorAll(".code-block")) {
    const code = block.querySelector("code");
    block.append(h("span", { class: "tools screen-only" }, copyButton("Copy", "", () => code.textContent)));
  }
}

// Charts are drawn after the page has been shown and move what is below them: the address is followed again.
async function start() {
  document.body.append(live);
  startTheme();
  startCode();
  let isMoved = false;
  for (const event of ["wheel", "touchstart", "keydown", "pointerdown"]) {
    addEventListener(event, () => (isMoved = true), { once: true, passive: true });
  }
  state.values = parseHash(location.hash);
  document.querySelectorAll(".component").forEach(startComponent);
  addEventListener("hashchange", followAddress);
  target()?.scrollIntoView();
  await Promise.all(page.onStart.map((call) => call()));
  if (!isMoved) target()?.scrollIntoView();
  document.documentElement.dataset.ready = "";
}

window.tiebreak = { component, page };
addEventListener("DOMContentLoaded", start);
