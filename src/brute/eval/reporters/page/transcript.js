// One attempt as it went: what is wrong with it, what took how long, and the conversation step by step.
function Transcript(base, told, attempt, title) {
  const blamed = new Map();
  told.failures.forEach((failure) => failure.spots.forEach((spot) => {
    blamed.set(spot, [...(blamed.get(spot) || []), failure]);
  }));
  const known = new Set(told.steps.flatMap((step) => step.spots));
  return [
    element("h3", {}, status(attempt.status), ` ${title}`),
    element("p", { class: "spent" }, told.spent),
    told.left && element("p", { class: "note" }, "something of the agent could not be stopped, and was left behind"),
    told.failures.length > 0 && element("ul", { class: "failures" }, told.failures.map((each) => wrong(each, base, known))),
    waterfall(told.bars, base, known),
    element("ol", { class: "steps" }, told.steps.map((step) => stepped(step, base, blamed))),
    told.notes.map((note) => element("p", { class: "note" }, note))];
}

function wrong(failure, base, known) {
  const spots = failure.spots.filter((spot) => known.has(spot));
  return element("li", { class: failure.error ? "error" : "failed" },
    element("strong", {}, failure.message), " ", element("code", { class: "kind" }, failure.kind),
    spots.map((spot) => [" ", element("a", { href: `#${base}.${spot}`, class: "to" }, `→ ${place(spot)}`)]),
    failure.wanted && element("dl", { class: "sides" },
      element("dt", {}, "wanted"), element("dd", { class: "wanted" }, marked(failure.wanted, "ins")),
      element("dt", {}, "got"), element("dd", { class: "got" }, marked(failure.got, "del"))),
    failure.detail && text(failure.detail, "detail"));
}

function place(spot) {
  const number = Number(spot.slice(1));
  return { c: `call ${number}`, m: `message ${number + 1}`, r: `model call ${number}` }[spot[0]] || "the end";
}

function marked(parts, name) {
  return parts.map(([piece, differs]) => (differs ? element(name, {}, piece) : piece));
}

// A long text scrolls in its own box, also by keyboard.
function text(content, kind) {
  return content && element("pre", { class: kind, tabindex: content.length > 1500 ? "0" : null }, content);
}

function waterfall(bars, base, known) {
  if (!bars.length) return null;
  const end = Math.max(...bars.map((bar) => (bar.to === null ? bar.from : bar.to)), 0.000001);
  return element("details", { class: "waterfall", open: bars.length <= 30 },
    element("summary", {}, `what took how long: ${duration(end)} in all`),
    element("ol", {}, bars.map((bar) => {
      const to = bar.to === null ? end : bar.to;
      const x = (100 * bar.from) / end;
      const shape = drawn("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
        drawn("rect", { class: `bar ${bar.kind}`, x, y: 2, width: Math.max(0.6, (100 * (to - bar.from)) / end), height: 6 }));
      const took = bar.to === null ? "never ended" : duration(bar.to - bar.from);
      const label = known.has(bar.spot) ? element("a", { href: `#${base}.${bar.spot}` }, bar.label) : element("span", {}, bar.label);
      return element("li", {}, label, shape, element("span", { class: "told" }, took));
    })));
}

function stepped(step, base, blamed) {
  const failures = [...new Set(step.spots.flatMap((spot) => blamed.get(spot) || []))];
  const ids = step.spots.map((spot) => element("span", { id: `${base}.${spot}`, class: "anchor" }));
  const why = failures.map((failure) => element("p", { class: "because" }, `✗ ${failure.message}`));
  const about = { class: `step ${step.what} ${step.who || ""}${failures.length ? " blamed" : ""}`, tabindex: "-1" };
  return element("li", about, ids, { said, call, unmade, note: noted, end: noted }[step.what](step), why);
}

function said(step) {
  const known = [step.model, step.tokens !== null && plural(step.tokens, "token"), step.took !== null && duration(step.took)];
  return [element("p", { class: "who" }, element("b", {}, step.who), " ", known.filter(Boolean).join(", ")), text(step.text, "text")];
}

function call(step) {
  return [
    element("p", { class: "who" }, `call ${step.number} `, element("b", {}, step.name), " ",
      element("span", { class: `outcome ${step.outcome}` }, step.outcome),
      step.by && ` by ${step.by}`, step.took !== null && ` ${duration(step.took)}`),
    part(step.malformed ? "malformed arguments" : "arguments", step.asked),
    step.executed !== null && part("executed with", step.executed),
    step.error !== null && part("error", step.error),
    step.result !== null && part("result", step.result),
  ];
}

function part(label, content) {
  return element("div", { class: `part ${label.split(" ")[0]}` }, element("span", { class: "label" }, label), text(content || "(nothing)", "data"));
}

function unmade(step) {
  return [element("p", { class: "who" }, "asked for ", element("b", {}, step.name), ", and nobody made the call"), part("arguments", step.asked)];
}

function noted(step) {
  return element("p", { class: "who" }, step.text);
}
