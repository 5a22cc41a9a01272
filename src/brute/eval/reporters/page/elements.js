// Elements are made here and nowhere else: every text becomes a text node, so that none is ever read as HTML.
const SVG = "http://www.w3.org/2000/svg";

function element(name, about = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(about)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "on") for (const [event, act] of Object.entries(value)) made.addEventListener(event, act);
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  return filled(made, ...children);
}

function filled(parent, ...children) {
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return parent;
}

function drawn(name, about, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(about)) made.setAttribute(key, String(value));
  return filled(made, ...children);
}

function data(id) {
  return JSON.parse(document.getElementById(id).textContent);
}

function plural(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

const MARKS = { passed: "✓", failed: "✗", error: "!", cancelled: "–" };

function status(word) {
  return element("span", { class: `status ${word}` }, element("span", { "aria-hidden": "true" }, MARKS[word]), ` ${word}`);
}

// As `dollars` of the Python beside writes them.
function dollars(cost) {
  const digits = cost >= 1 || !cost ? 2 : cost >= 0.001 ? 4 : 6;
  return "$" + cost.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function duration(seconds) {
  return `${seconds >= 0.0995 || !seconds ? seconds.toFixed(1) : seconds.toFixed(3)} s`;
}

// Do something that draws anew what may hold the focus, and give it back to what has the same id then.
function keeping(act) {
  const { id } = document.activeElement || {};
  act();
  const again = id && document.activeElement.id !== id && document.getElementById(id);
  if (again) again.focus({ preventScroll: true });
}

// Go to the next or the previous of some elements.
function move(selector, by) {
  const those = [...document.querySelectorAll(selector)];
  const at = those.indexOf(document.activeElement);
  const next = those[at < 0 ? (by > 0 ? 0 : those.length - 1) : at + by];
  if (!next) return;
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

// What the keys do, where nobody types a text.
function keyed(keys) {
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "checkbox";
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    if (typing && event.key === "Escape") return event.target.blur();
    if (typing) return;
    event.preventDefault();
    keys[event.key]();
  });
}
