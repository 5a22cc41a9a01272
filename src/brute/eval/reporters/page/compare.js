// Two runs side by side, case by case: what each came to, and what is not the same.
const COMPARED = {
  change: ["what got worse first", (pair) => ["broken", "worse", "gone", "new", "changed", "better", "fixed", "same"].indexOf(pair.change)],
  plan: ["the order of the run", () => 0],
  tokens: ["tokens, what grew most first", (pair) => -grown(pair, "tokens")],
  cost: ["cost, what grew most first", (pair) => -grown(pair, "cost")],
  seconds: ["seconds, what grew most first", (pair) => -grown(pair, "seconds")],
};

function grown({ sides: [one, other] }, what) {
  return one && other && one[what] && other[what] ? other[what].known - one[what].known : 0;
}

// What became of a case, in a word: an error says nothing of the agent, and so neither breaks nor fixes it.
function became(one, other) {
  if (!one || !other) return one ? "gone" : "new";
  const share = (side) => (side.graded ? side.passed / side.graded : null);
  const [before, now] = [one, other].map(share);
  if (one.status === "passed" && other.status === "failed") return "broken";
  if (one.status === "failed" && other.status === "passed" && !other.left) return "fixed";
  if (before !== null && now !== null && before !== now) return now < before ? "worse" : "better";
  return one.status === other.status ? "same" : "changed";
}

function Compare(numbers) {
  const follows = numbers.map((number) => Follow(number, () => { dirty = true; }));
  const choice = { order: "change", all: false };
  const changed = new Map();
  const heads = numbers.map((number) => element("section", { class: "side" }, element("a", { href: `${ROOT}run/${number}` }, `run ${number}`)));
  const differs = element("ul", { class: "differs" });
  const notes = element("ul", { class: "notes" });
  const counted = element("p", { class: "counted", role: "status" }, "reading ...");
  const body = element("tbody");
  const more = element("button", { type: "button", class: "more", hidden: true, on: { click: () => { most += PAGE; draw(); } } }, "Show more");
  let dirty = true;
  let asked = "";
  let most = PAGE;

  function pairs() {
    const found = new Map();
    follows.forEach((follow, side) => follow.report.cases.forEach((one) => {
      const name = JSON.stringify([one.suite, one.name]);
      if (!found.has(name)) found.set(name, { name: one, sides: [null, null] });
      found.get(name).sides[side] = one;
    }));
    for (const pair of found.values()) {
      pair.what = pair.sides[0] && pair.sides[1] ? changed.get(pair.sides[1].index) || [] : [];
      pair.change = became(...pair.sides);
    }
    return [...found.values()];
  }

  function draw() {
    const all = pairs();
    const those = choice.all ? all : all.filter((pair) => pair.change !== "same" || pair.what.length);
    const key = COMPARED[choice.order][1];
    const sorted = those.map((pair, at) => [key(pair), at, pair]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map((each) => each[2]);
    keeping(() => body.replaceChildren(...sorted.slice(0, most).map(row)));
    more.hidden = sorted.length <= most;
    const count = (word) => all.filter((pair) => pair.change === word).length;
    const words = Object.entries({ broken: "broken", worse: "worse", better: "better", fixed: "fixed", changed: "otherwise changed", gone: "gone", new: "new" });
    const told = words.filter(([word]) => count(word)).map(([word, text]) => `${count(word).toLocaleString("en")} ${text}`);
    const reading = follows.every((follow) => follow.whole) ? "" : "reading ... ";
    counted.textContent = `${reading}${plural(all.length, "case")}: ${told.join(", ") || "every case came to the same"}`;
    follows.forEach(({ report, run }, side) => {
      if (run === null) return;
      heads[side].replaceChildren();
      filled(heads[side], element("span", { class: "label" }, side ? "and now" : "before"),
        element("h3", {}, element("a", { href: `${ROOT}run/${run.number}` }, run.id), ` ${run.began}`),
        element("p", {}, report.ending), element("p", {}, report.totals), element("p", { class: "why" }, run.command));
    });
    notes.replaceChildren(...follows.flatMap(({ report, run }) => report.notes.map((note) => element("li", {}, `run ${run.id}: ${note}`))));
  }

  function row(pair) {
    const [one, other] = pair.sides;
    const link = (side, at) => (side
      ? element("a", { href: `${ROOT}run/${numbers[at]}#c${side.index}`, id: `side${at}-${side.index}`, "aria-label": `${side.status}: ${side.name} in run ${at + 1}` }, status(side.status))
      : element("span", { class: "label" }, "not there"));
    const cell = (what, write) => element("td", { class: "number" },
      `${write(one)} → ${write(other)} `, difference(pair, what));
    return element("tr", { class: pair.change },
      element("th", { scope: "row" }, pair.name.suite && element("span", { class: "suite" }, `${pair.name.suite}: `), pair.name.name,
        pair.what.length > 0 && element("span", { class: "why" }, `the case changed: ${pair.what.join(", ")}`)),
      element("td", { class: "change" }, pair.change),
      element("td", {}, link(one, 0), " → ", link(other, 1), [one, other].map((side) => side && side.left && element("span", { class: "why" }, side.left))),
      cell("rate", rate), cell("tokens", spent("tokens", (n) => n.toLocaleString("en"))),
      cell("cost", spent("cost", dollars)), cell("seconds", spent("seconds", duration)));
  }

  const rate = (side) => (side && side.graded ? `${side.passed}/${side.graded}` : "?");
  const spent = (what, write) => (side) => (side && side[what] ? `${side[what].all ? "" : "≥ "}${write(side[what].known)}` : "?");

  // How much more or less, where both are known in full.
  function difference({ sides: [one, other] }, what) {
    if (!one || !other || !one[what] || !other[what] || !one[what].all || !other[what].all || !one[what].known) return null;
    const share = Math.round(100 * (other[what].known / one[what].known - 1));
    return share ? element("span", { class: "label" }, `${share > 0 ? "+" : "−"}${Math.abs(share)} %`) : null;
  }

  async function turn() {
    for (const follow of follows) await follow.turn();
    const now = JSON.stringify(follows.map(({ run, report }) => [run.going, report.cases.length]));
    if (now !== asked) {
      const told = await ask(`compare/${numbers.join("/")}`);
      changed.clear();
      told.cases.forEach(([, number, what]) => changed.set(number, what));
      differs.replaceChildren(...told.changes.map((each) => element("li", {}, each)));
      if (!told.changes.length) differs.append(element("li", {}, "nothing that is known of"));
      asked = now;
      dirty = true;
    }
    return follows.some(({ run }) => run.going);
  }

  function refresh() {
    if (dirty) draw();
    dirty = false;
  }

  const order = element("select", { on: { change: (event) => { choice.order = event.target.value; draw(); } } },
    Object.entries(COMPARED).map(([value, [text]]) => element("option", { value }, text)));
  const all = element("input", { type: "checkbox", id: "all", on: { change: (event) => { choice.all = event.target.checked; draw(); } } });
  const titles = ["case", "change", "status", "pass rate", "tokens", "cost", "seconds"];
  keyed({ j: () => move("tbody a", 1), k: () => move("tbody a", -1), Escape: () => { location.href = ROOT; } });
  document.title = "two runs - brute eval";
  document.getElementById("page").replaceChildren(element("div", { id: "compared" },
    element("nav", {}, element("a", { href: ROOT, class: "back" }, "← all runs"), element("a", { href: `${ROOT}compare/${[...numbers].reverse().join("/")}` }, "the other way round")),
    element("h1", {}, "brute eval"), keepDoing(() => drawing(turn, refresh)),
    element("div", { class: "sides-of-two" }, heads),
    element("details", { open: true }, element("summary", {}, "what they were made of, where it differs"), differs), notes,
    element("form", { class: "filters", on: { submit: (event) => event.preventDefault() } }, element("label", {}, "by ", order), element("label", {}, all, " also what is the same")),
    counted,
    element("div", { class: "wide" }, element("table", {}, element("thead", {}, element("tr", {}, titles.map((title) => element("th", { scope: "col" }, title)))), body)),
    more, element("p", { class: "keys" }, "Keys: j and k next and previous, Enter open, Esc all runs")));
}
