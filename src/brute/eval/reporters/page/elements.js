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

function dollars(cost) {
  return "$" + cost.toFixed(cost >= 1 || !cost ? 2 : cost >= 0.001 ? 4 : 6);
}

function duration(seconds) {
  return `${seconds >= 0.0995 || !seconds ? seconds.toFixed(1) : seconds.toFixed(3)} s`;
}
