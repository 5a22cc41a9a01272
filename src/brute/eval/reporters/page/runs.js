// The list of the runs of a log, the last one first; two of them can be chosen to be compared.
function Runs(path) {
  const chosen = [];
  const list = element("ol", { class: "cases runs", "aria-label": "runs" });
  const notes = element("ul", { class: "notes" });
  const counted = element("p", { class: "counted", role: "status" }, "reading ...");
  const compare = element("a", { class: "compare" });
  const more = element("button", { type: "button", class: "more", hidden: true, on: { click: () => { most += PAGE; draw(); } } }, "Show more");
  let last = "";
  let most = PAGE;
  let told = { runs: [], earlier: 0, troubles: [] };

  function row(run) {
    const pick = element("input", {
      type: "checkbox", id: `pick${run.number}`, checked: chosen.includes(run.number), "aria-label": `compare run ${run.id}`,
      on: { change: (event) => choose(run.number, event.target.checked) },
    });
    const known = ["finished", "running", "interrupted"].includes(run.state) ? run.state : "unfinished";
    const facts = [run.made, run.seconds !== null && duration(run.seconds), run.shard && `shard ${run.shard}`, run.commit];
    const verdict = run.failed ? "failed" : run.errors ? "error" : "";
    return element("li", {},
      element("label", { class: "pick" }, pick),
      element("a", { href: `${ROOT}run/${run.number}`, id: `run${run.number}` },
        element("span", { class: "what" }, element("b", {}, run.id), " ", run.began, " ", element("span", { class: `state ${known}` }, run.state),
          element("span", { class: "why" }, run.command)),
        element("span", { class: verdict }, facts.filter(Boolean).join(", "))));
  }

  function choose(number, taken) {
    if (taken) chosen.push(number);
    else chosen.splice(chosen.indexOf(number), 1);
    if (chosen.length > 2) chosen.shift();
    draw();
  }

  // The earlier run stands on the left, whichever was chosen first.
  function draw() {
    const shown = told.runs.slice(0, most);
    const pair = told.runs.filter((run) => chosen.includes(run.number)).reverse();
    keeping(() => list.replaceChildren(...shown.map(row)));
    more.hidden = shown.length === told.runs.length;
    notes.replaceChildren(...told.troubles.map((note) => element("li", {}, note)));
    const earlier = told.earlier ? ` and ${plural(told.earlier, "earlier run")}, which \`brute runs -n N\` lists` : "";
    counted.textContent = told.runs.length ? `${plural(told.runs.length, "run")}${earlier}` : "no runs yet";
    compare.textContent = pair.length === 2 ? `Compare ${pair[0].id} with ${pair[1].id}` : "To compare two runs, tick them";
    if (pair.length === 2) compare.setAttribute("href", `${ROOT}compare/${pair[0].number}/${pair[1].number}`);
    else compare.removeAttribute("href");
  }

  async function turn() {
    const now = await ask("runs");
    if (JSON.stringify(now) !== last) {
      last = JSON.stringify(now);
      told = now;
      draw();
    }
    return told.runs.some((run) => run.going);
  }

  keyed({ j: () => move(".runs a", 1), k: () => move(".runs a", -1) });
  const keys = element("p", { class: "keys" }, "Keys: j and k next and previous, Enter open, Tab and Space to tick");
  document.getElementById("page").replaceChildren(element("div", { id: "runs" },
    element("h1", {}, "brute eval"), element("h2", {}, `Runs of ${path}`), keepDoing(turn), notes,
    element("nav", {}, compare), counted, list, more, keys));
}
