// What is on the screen: the list, or the case that the address names: #c3, #c3.2 (an attempt), #c3.2.c1 (a step of it).
// `told` answers what an attempt was, at once or as a promise; `leave` goes to where the list is left for, if there is such a place.
const SIDE_BY_SIDE = 3;
const CHIPS = 200;

function Page(report, told, leave = () => {}) {
  const page = document.getElementById("page");
  const list = Cases(report);
  let scrolled = 0;
  let opened = null;
  let routes = 0;

  // An attempt as a column, which is drawn once, however often others come and go beside it.
  function column(one, attempt) {
    const title = one.runs > 1 ? `Attempt ${attempt.number} of ${one.runs}` : "The attempt";
    const made = element("section", { class: "attempt", "aria-label": title });
    const fill = (known) => filled(made, Transcript(`c${one.index}.${attempt.number}`, known, attempt, title));
    const known = told(attempt);
    if (!(known instanceof Promise)) return { node: fill(known), ready: null };
    filled(made, element("h3", {}, status(attempt.status), ` ${title}`), element("p", { class: "waiting", role: "status" }, "reading ..."));
    const instead = (act) => (value) => { made.replaceChildren(); act(value); };
    const failed = (error) => filled(made, element("h3", {}, title), element("p", { class: "trouble", role: "alert" }, error.message));
    return { node: made, ready: known.then(instead(fill), instead(failed)) };
  }

  function Case(one, number) {
    const chosen = new Set();
    let touched = false;
    const drawn = new Map();
    const chips = element("p", { class: "attempts", role: "group", "aria-label": "attempts" });
    const columns = element("div", { class: "columns" });
    const heading = element("h2", { tabindex: "-1" });
    const worst = ["failed", "error", "cancelled", "passed"];
    const sorted = () => [...one.attempts].sort((a, b) => worst.indexOf(a.status) - worst.indexOf(b.status) || a.number - b.number);

    // Columns that are there already stay where they are: moved, they would lose what is scrolled and focused in them.
    function draw() {
      const those = sorted().filter((attempt) => chosen.has(attempt.number));
      for (const attempt of those) {
        const before = drawn.get(attempt.number);
        if (!before || before.id !== attempt.id) drawn.set(attempt.number, { id: attempt.id, ...column(one, attempt) });
      }
      const wanted = those.map((attempt) => drawn.get(attempt.number));
      [...columns.children].filter((node) => !wanted.some((each) => each.node === node)).forEach((node) => node.remove());
      wanted.forEach(({ node }, at) => { if (columns.children[at] !== node) columns.insertBefore(node, columns.children[at] || null); });
      return Promise.all(wanted.map((each) => each.ready));
    }

    function press(attempt, event) {
      touched = true;
      chosen.has(attempt.number) ? chosen.delete(attempt.number) : chosen.add(attempt.number);
      event.currentTarget.setAttribute("aria-pressed", String(chosen.has(attempt.number)));
      draw();
    }

    function chip(attempt) {
      return element("button", {
        type: "button", class: `chip ${attempt.status}`, "aria-pressed": String(chosen.has(attempt.number)), id: `chip${attempt.number}`,
        title: attempt.status, on: { click: (event) => press(attempt, event) },
      }, `${MARKS[attempt.status]} ${attempt.number}`);
    }

    // Also when more attempts have come in: while there is room, they are shown beside the others.
    function update() {
      const all = sorted();
      const named = one.attempts.find((attempt) => attempt.number === number);
      for (const attempt of touched ? [] : all) if (chosen.size < SIDE_BY_SIDE) chosen.add(attempt.number);
      if (named && !chosen.has(number) && !touched) {
        chosen.delete([...chosen].pop());
        chosen.add(number);
      }
      heading.replaceChildren();
      filled(heading, status(one.status), " ", one.suite && `${one.suite}: `, one.name, one.left && element("small", {}, ` (${one.left})`));
      keeping(() => {
        chips.replaceChildren();
        filled(chips, "attempts ", all.slice(0, CHIPS).sort((a, b) => a.number - b.number).map(chip),
          all.length > CHIPS && ` and ${plural(all.length - CHIPS, "more attempt")}, by address: #c${one.index}.NUMBER`);
      });
      chips.hidden = one.runs <= 1 && all.length <= 1;
      return draw();
    }

    const ready = update();
    const node = element("article", { id: "case" },
      element("nav", {}, element("a", { href: "#", class: "back" }, "← all cases"), " ", beside(one.index, -1), " ", beside(one.index, 1)),
      heading,
      one.place && element("p", {}, element("code", {}, one.place)),
      one.said && element("div", { class: "part" }, element("span", { class: "label" }, "said"), text(one.said, "data")),
      chips,
      columns);
    return { node, ready, update, index: one.index };
  }

  // The case before or after in the list as it stands.
  function beside(index, step) {
    const row = document.getElementById(`row${index}`) || list.node.querySelector(`#row${index}`);
    const item = row && row.parentElement[step < 0 ? "previousElementSibling" : "nextElementSibling"];
    return item && element("a", { href: item.firstElementChild.getAttribute("href"), class: step < 0 ? "previous" : "next" }, step < 0 ? "previous" : "next");
  }

  async function route() {
    const mine = ++routes;
    const [name, number, spot] = location.hash.slice(1).split(".");
    const index = /^c\d+$/.test(name) ? Number(name.slice(1)) : -1;
    const one = report.cases.find((each) => each.index === index);
    if (!one) return back();
    const there = opened !== null && opened.index === index && (!spot || document.getElementById(location.hash.slice(1)));
    if (!there) {
      if (opened === null) scrolled = window.scrollY;
      opened = Case(one, Number(number));
      page.replaceChildren(opened.node);
      document.title = `${one.name} - brute eval`;
      window.scrollTo(0, 0);
    }
    page.querySelector("h2").focus({ preventScroll: true });
    if (!spot) return aim(null);
    await opened.ready;
    if (mine === routes) aim(document.getElementById(location.hash.slice(1)));
  }

  function aim(anchor) {
    page.querySelectorAll(".aimed").forEach((each) => each.classList.remove("aimed"));
    if (!anchor) return;
    const step = anchor.closest(".step");
    step.classList.add("aimed");
    step.scrollIntoView({ block: "center" });
    step.focus({ preventScroll: true });
  }

  function back() {
    const from = opened;
    opened = null;
    document.title = "brute eval";
    if (!list.node.isConnected) page.replaceChildren(list.node);
    if (from === null) return;
    window.scrollTo(0, scrolled);
    const row = document.getElementById(`row${from.index}`);
    if (row) row.focus({ preventScroll: true });
  }

  // What has come in since: the list is drawn anew, and so is what changed of the case that is open.
  function update() {
    list.update();
    if (opened !== null) opened.update();
    else if (location.hash.length > 1) route();
  }

  keyed({
    // j and k go from case to case in the list, and from failure to failure, step by step, in a case.
    j: () => move(opened === null ? ".cases a" : ".step.blamed, .failures .to", 1),
    k: () => move(opened === null ? ".cases a" : ".step.blamed, .failures .to", -1),
    "/": () => { if (opened !== null) location.hash = ""; setTimeout(() => document.getElementById("search").focus()); },
    Escape: () => { if (opened !== null) location.hash = ""; else leave(); },
  });
  window.addEventListener("hashchange", route);
  page.replaceChildren(list.node);
  route();
  return { update };
}
