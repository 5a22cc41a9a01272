// What is on the screen: the list, or the case that the address names: #c3, #c3.2 (an attempt), #c3.2.c1 (a step of it).
const SIDE_BY_SIDE = 3;
const CHIPS = 200;

const report = data("report");
const page = document.getElementById("page");
const list = Cases(report);
let scrolled = 0;
let opened = null;

function Case(one, number) {
  const worst = ["failed", "error", "cancelled", "passed"];
  const sorted = [...one.attempts].sort((a, b) => worst.indexOf(a.status) - worst.indexOf(b.status) || a.number - b.number);
  const named = one.attempts.find((attempt) => attempt.number === number);
  const chosen = new Set(sorted.slice(0, SIDE_BY_SIDE).map((attempt) => attempt.number));
  if (named && !chosen.has(number)) {
    chosen.delete([...chosen].pop());
    chosen.add(number);
  }
  const columns = element("div", { class: "columns" });
  const draw = () => {
    const those = sorted.filter((attempt) => chosen.has(attempt.number));
    columns.replaceChildren(...those.map((attempt) => Transcript(`c${one.index}.${attempt.number}`, attempt, one)));
  };
  const press = (attempt) => (event) => {
    chosen.has(attempt.number) ? chosen.delete(attempt.number) : chosen.add(attempt.number);
    event.currentTarget.setAttribute("aria-pressed", String(chosen.has(attempt.number)));
    draw();
  };
  const few = sorted.slice(0, CHIPS).sort((a, b) => a.number - b.number);
  const chips = few.map((attempt) => element("button", {
    type: "button", class: `chip ${attempt.status}`, "aria-pressed": String(chosen.has(attempt.number)),
    title: attempt.status, on: { click: press(attempt) },
  }, `${MARKS[attempt.status]} ${attempt.number}`));
  if (sorted.length > CHIPS) chips.push(` and ${plural(sorted.length - CHIPS, "more attempt")}, by address: #c${one.index}.NUMBER`);
  draw();
  return element("article", { id: "case" },
    element("nav", {}, element("a", { href: "#", class: "back" }, "← all cases"), " ", beside(one.index, -1), " ", beside(one.index, 1)),
    element("h2", { tabindex: "-1" }, status(one.status), " ", one.suite && `${one.suite}: `, one.name),
    one.place && element("p", {}, element("code", {}, one.place)),
    one.said && element("div", { class: "part" }, element("span", { class: "label" }, "said"), text(one.said, "data")),
    one.runs > 1 && element("p", { class: "attempts", role: "group", "aria-label": "attempts" }, "attempts ", chips),
    columns);
}

// The case before or after in the list as it stands.
function beside(index, step) {
  const row = document.getElementById(`row${index}`) || list.querySelector(`#row${index}`);
  const item = row && row.parentElement[step < 0 ? "previousElementSibling" : "nextElementSibling"];
  return item && element("a", { href: item.firstElementChild.getAttribute("href"), class: step < 0 ? "previous" : "next" }, step < 0 ? "previous" : "next");
}

function route() {
  const [name, number, spot] = location.hash.slice(1).split(".");
  const index = /^c\d+$/.test(name) ? Number(name.slice(1)) : -1;
  const one = report.cases[index];
  if (!one) return back();
  const key = `${index}.${number || ""}`;
  const there = opened !== null && opened.index === index && (!spot || document.getElementById(location.hash.slice(1)));
  if (!there) {
    if (opened === null) scrolled = window.scrollY;
    opened = { index, key };
    page.replaceChildren(Case(one, Number(number)));
    document.title = `${one.name} - brute eval`;
    window.scrollTo(0, 0);
  }
  const anchor = spot && document.getElementById(location.hash.slice(1));
  const aim = anchor ? anchor.closest(".step") : page.querySelector("h2");
  page.querySelectorAll(".aimed").forEach((each) => each.classList.remove("aimed"));
  if (anchor) {
    aim.classList.add("aimed");
    aim.scrollIntoView({ block: "center" });
  }
  aim.focus({ preventScroll: true });
}

function back() {
  const from = opened;
  opened = null;
  document.title = "brute eval";
  if (!list.isConnected) page.replaceChildren(list);
  if (from === null) return;
  window.scrollTo(0, scrolled);
  const row = document.getElementById(`row${from.index}`);
  if (row) row.focus({ preventScroll: true });
}

// j and k go from case to case in the list, and from failure to failure, step by step, in a case.
function move(by) {
  const those = [...page.querySelectorAll(opened === null ? ".cases a" : ".step.blamed, .failures .to")];
  const at = those.indexOf(document.activeElement);
  const next = those[at < 0 ? (by > 0 ? 0 : those.length - 1) : at + by];
  if (!next) return;
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

const KEYS = {
  j: () => move(1),
  k: () => move(-1),
  "/": () => { if (opened !== null) location.hash = ""; setTimeout(() => document.getElementById("search").focus()); },
  Escape: () => { if (opened !== null) location.hash = ""; },
};

document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in KEYS)) return;
  if (typing && event.key === "Escape") return event.target.blur();
  if (typing) return;
  event.preventDefault();
  KEYS[event.key]();
});
window.addEventListener("hashchange", route);
page.replaceChildren(list);
route();
