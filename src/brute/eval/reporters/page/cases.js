// The list of cases: what is to be seen of it, in which order, and its charts.
const PAGE = 100;

const ORDERS = {
  status: ["what went wrong first", (one) => ["failed", "error", "cancelled", "passed"].indexOf(one.status)],
  plan: ["the order of the run", () => 0],
  rate: ["pass rate, lowest first", (one) => (one.graded ? one.passed / one.graded : 2)],
  tokens: ["tokens, most first", (one) => -(one.tokens ? one.tokens.known : -1)],
  cost: ["cost, most first", (one) => -(one.cost ? one.cost.known : -1)],
  seconds: ["seconds, most first", (one) => -(one.seconds ? one.seconds.known : -1)],
};

function Cases(report) {
  const choice = { statuses: new Set(), tool: "", text: "", order: "status" };
  const most = {};
  const list = element("ol", { class: "cases", "aria-label": "cases" });
  const counted = element("p", { class: "counted", role: "status" });
  const more = element("button", { type: "button", class: "more", on: { click: () => show() } }, "Show more");
  let matching = [];
  let shown = 0;

  // What a case is searched in is put together when somebody searches for the first time.
  function words(one) {
    if (one.words === undefined) {
      const each = one.attempts.flatMap((attempt) => [...attempt.words, attempt.reply, ...attempt.tools]);
      one.words = [one.suite, one.name, one.said, ...each].join("\n").toLowerCase();
    }
    return one.words;
  }

  function matches(one) {
    if (choice.statuses.size && !choice.statuses.has(one.status)) return false;
    if (choice.tool && !one.tools.has(choice.tool)) return false;
    return choice.text.toLowerCase().split(/\s+/).every((word) => words(one).includes(word));
  }

  // `kept`: as many rows stay as there were.
  function apply(kept = 0) {
    const key = ORDERS[choice.order][1];
    matching = report.cases.filter(matches).map((one) => [key(one), one]);
    matching.sort((a, b) => a[0] - b[0] || a[1].index - b[1].index);
    list.replaceChildren();
    shown = 0;
    show(Math.max(PAGE, kept));
    const attempts = matching.reduce((sum, [, one]) => sum + one.attempts.length, 0);
    counted.textContent = `${plural(matching.length, "case")}, ${plural(attempts, "attempt")}`;
  }

  function show(count = PAGE) {
    const rows = matching.slice(shown, shown + count).map(([, one]) => row(one));
    list.append(...rows);
    shown += rows.length;
    more.hidden = shown >= matching.length;
  }

  function row(one) {
    const name = [one.suite && element("span", { class: "suite" }, `${one.suite}: `), one.name];
    return element("li", {},
      element("a", { href: `#c${one.index}`, id: `row${one.index}` },
        element("span", { class: "what" }, status(one.status), " ", element("b", {}, name),
          one.left && element("span", { class: "left" }, ` ${one.left}`), one.why && element("span", { class: "why" }, one.why)),
        element("span", { class: "charts" }, rate(one), bar(one, "tokens"), bar(one, "cost"), bar(one, "seconds"))));
  }

  // The share that passed as a bar, and as a line over it what it may really be.
  function rate(one) {
    const told = one.graded ? `${one.passed} of ${one.graded} passed` : "none graded";
    const range = one.graded ? `, 95 % between ${Math.round(100 * one.low)} and ${Math.round(100 * one.high)} %` : "";
    const width = one.graded ? (100 * one.passed) / one.graded : 0;
    return chart("pass rate", told, `${told}${range}`,
      drawn("rect", { class: "good", x: 0, y: 2, width, height: 6 }),
      one.graded && drawn("path", { class: "range", d: `M${100 * one.low} 5H${100 * one.high}M${100 * one.low} 2.5V7.5M${100 * one.high} 2.5V7.5` }));
  }

  function bar(one, what) {
    const spent = one[what];
    const write = { tokens: (n) => n.toLocaleString("en"), cost: dollars, seconds: duration }[what];
    const told = spent ? `${spent.all ? "" : "≥ "}${write(spent.known)}` : "?";
    const width = spent && most[what] ? (100 * spent.known) / most[what] : 0;
    return chart(what, told, `${what}: ${spent ? told : "unknown"}`, drawn("rect", { class: "spent", x: 0, y: 2, width, height: 6 }));
  }

  function chart(what, told, title, ...shapes) {
    const picture = drawn("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" });
    return element("span", { class: "chart", title },
      element("span", { class: "label" }, what), filled(picture, ...shapes), element("span", { class: "told" }, told));
  }

  function chip(word) {
    const press = (event) => {
      choice.statuses.has(word) ? choice.statuses.delete(word) : choice.statuses.add(word);
      event.currentTarget.setAttribute("aria-pressed", String(choice.statuses.has(word)));
      apply();
    };
    return element("button", { type: "button", class: `chip ${word}`, "aria-pressed": "false", on: { click: press } });
  }

  function options(pairs, label, act) {
    const select = element("select", { on: { change: act } });
    const offer = (pairs) => select.replaceChildren(...pairs.map(([value, text]) => element("option", { value, selected: value === select.value }, text)));
    offer(pairs);
    return { node: element("label", {}, `${label} `, select), select, offer };
  }

  const chips = Object.fromEntries(["failed", "error", "cancelled", "passed"].map((word) => [word, chip(word)]));
  const search = element("input", {
    type: "search", id: "search", placeholder: "name, sentence or reply", autocomplete: "off", spellcheck: "false",
    on: { input: (event) => { choice.text = event.target.value; apply(); } },
  });
  const tools = options([["", "any"]], "tool", (event) => { choice.tool = event.target.value; apply(); });
  const orders = options(Object.entries(ORDERS).map(([key, [text]]) => [key, text]), "by",
    (event) => { choice.order = event.target.value; apply(); });
  const filters = element("form", { class: "filters", role: "search", on: { submit: (event) => event.preventDefault() } },
    element("span", { role: "group", "aria-label": "status" }, Object.values(chips)),
    element("label", {}, "text ", search), tools.node, orders.node);
  const ending = element("p", { class: "ending" });
  const totals = element("p");
  const notes = element("ul", { class: "notes" });
  const head = element("header", {}, element("h1", {}, "brute eval"), ending, totals, notes);

  // What the report has come to: the counts, what can be chosen, and the list as it stands.
  function update() {
    for (const what of ["tokens", "cost", "seconds"]) {
      most[what] = report.cases.reduce((high, one) => Math.max(high, one[what] ? one[what].known : 0), 0);
    }
    const names = new Set();
    report.cases.forEach((one, index) => {
      if (one.index === undefined) one.index = index;
      if (one.tools === undefined) one.tools = new Set(one.attempts.flatMap((attempt) => attempt.tools));
      one.tools.forEach((name) => names.add(name));
    });
    if (names.size + 1 !== tools.select.options.length) tools.offer([["", "any"], ...[...names].sort().slice(0, 1000).map((name) => [name, name])]);
    for (const [word, made] of Object.entries(chips)) {
      const count = report.count[word] || 0;
      made.hidden = !count && !choice.statuses.has(word);
      made.textContent = `${count.toLocaleString("en")} ${word === "error" && count > 1 ? "errors" : word}`;
    }
    ending.textContent = report.ending;
    totals.textContent = report.totals;
    notes.replaceChildren(...report.notes.map((note) => element("li", {}, note)));
    keeping(() => apply(shown));
  }

  const keys = element("p", { class: "keys" }, "Keys: / text, j and k next and previous, Enter open, Esc back");

  update();
  return { node: element("div", { id: "list" }, head, filters, counted, list, more, keys), update };
}
