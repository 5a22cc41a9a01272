// The page of a log: what it shows stands in its address.
function LiveRun(number) {
  let begun = false;
  const follow = Follow(number, () => {
    dirty = true;
    if (!begun) refresh();
    begun = true;
  });
  const { report } = follow;
  const about = element("p", { class: "suite" });
  const compare = element("a", { hidden: true }, "compare with the run before");
  const learn = element("button", { type: "button", class: "more", hidden: true, on: { click: () => { follow.learnAll = true; learn.hidden = true; } } });
  let dirty = true;

  function refresh() {
    if (!dirty || !follow.run) return;
    dirty = false;
    const { run } = follow;
    const left = run.planned - report.attempts;
    compare.hidden = run.before === null;
    compare.setAttribute("href", `${ROOT}compare/${run.before}/${run.number}`);
    about.textContent = [`run ${run.id}`, run.began, run.commit, run.shard && `shard ${run.shard}`, run.command].filter(Boolean).join(" · ");
    if (run.going && left > 0) report.ending += ` (${plural(left, "attempt")} to come)`;
    if (!follow.whole) report.ending = `reading ... ${report.ending}`;
    learn.hidden = follow.learnAll || report.attempts <= UNASKED;
    learn.textContent = `Read the seconds, tools and replies of ${plural(report.attempts, "attempt")} too`;
    view.update();
  }

  const trouble = keepDoing(() => drawing(follow.turn, refresh));
  const above = element("div", { class: "above" }, element("nav", {}, element("a", { href: ROOT, class: "back" }, "← all runs"), compare), trouble, about, learn);
  document.getElementById("page").before(above);
  const view = Page(report, (attempt) => ask(`attempt/${attempt.id}`), () => { location.href = ROOT; });
}

const shown = data("view");
if (shown.other !== undefined) Compare([shown.run, shown.other]);
else if (shown.run !== undefined) LiveRun(shown.run);
else Runs(shown.path);
