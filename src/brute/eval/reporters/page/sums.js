// What the attempts of a run come to, as far as they are known: the same that a report in a file says of itself.
const STATUSES = ["failed", "error", "cancelled", "passed"];

// Between which shares the true pass rate lies, with 95 % confidence (Wilson's interval).
function wilson(passed, of) {
  if (!of) return [0, 1];
  const z = 1.959964, share = passed / of;
  const middle = share + (z * z) / (2 * of), scale = 1 + (z * z) / of;
  const half = z * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of));
  return [Math.max(0, (middle - half) / scale), Math.min(1, (middle + half) / scale)];
}

function known(those, what, all) {
  const spent = those.reduce((sum, attempt) => sum + (attempt[all] || attempt[what] > 0 ? attempt[what] : 0), 0);
  const whole = those.every((attempt) => attempt[all]);
  return !spent && !whole ? null : { known: spent, all: whole };
}

// Fill in what a case has come to. `going`: whether more of its attempts may still come.
function summed(one, going) {
  one.attempts = [...one.made.values()].sort((a, b) => a.number - b.number);
  const count = (word) => one.attempts.filter((attempt) => attempt.status === word).length;
  one.status = STATUSES.find(count);
  one.passed = count("passed");
  one.graded = one.passed + count("failed");
  [one.low, one.high] = wilson(one.passed, one.graded);
  one.tokens = known(one.attempts, "tokens", "tokensAll");
  one.cost = known(one.attempts, "cost", "costAll");
  one.attempts.forEach((attempt) => { attempt.secondsAll = typeof attempt.seconds === "number" && attempt.seconds >= 0; });
  one.seconds = known(one.attempts, "seconds", "secondsAll");
  const why = one.attempts.find((attempt) => attempt.status === one.status && attempt.words.length);
  one.why = why ? why.words[0] : "";
  const left = one.runs - one.attempts.length;
  one.left = left > 0 ? `${one.attempts.length.toLocaleString("en")} of ${plural(one.runs, "attempt")}${going ? " so far" : ""}` : "";
  one.tools = one.words = undefined;
}

// What of it was a judge's, where one was asked.
function judgedBy(votes, uncounted, tokens, cost) {
  return votes ? ` (the judge: ${plural(votes, "vote")}, ${uncounted ? "at least " : ""}${plural(tokens, "token")}${cost ? `, ${dollars(cost)}` : ""})` : "";
}

// Fill in what a report has come to, in the words of one in a file.
function totalled(report, run) {
  report.count = Object.fromEntries(STATUSES.map((word) => [word, 0]));
  const sums = { tokens: 0, cost: 0, tokensAll: true, costAll: true };
  const judge = [0, 0, 0, 0];
  let attempts = 0;
  for (const one of report.cases) {
    report.count[one.status] += 1;
    attempts += one.attempts.length;
    for (const { judged } of one.attempts) judged && judged.forEach((used, at) => { judge[at] += used; });
    for (const what of ["tokens", "cost"]) {
      sums[what] += one[what] ? one[what].known : 0;
      if (!one[what] || !one[what].all) sums[`${what}All`] = false;
    }
  }
  const several = report.cases.filter((one) => one.runs > 1);
  const whole = several.filter((one) => one.status === "passed" && !one.left).length;
  const k = several.reduce((most, one) => Math.max(most, one.runs), 0);
  const parts = [`${report.count.passed.toLocaleString("en")} of ${plural(report.cases.length, "case")} passed`];
  if (attempts !== report.cases.length) parts[0] += ` (${plural(attempts, "attempt")})`;
  if (k) parts.push(`pass^${k} ${(whole / several.length).toFixed(2)} (${whole.toLocaleString("en")} of ${plural(several.length, "case")})`);
  parts.push(sums.tokens || sums.tokensAll ? `tokens ${sums.tokensAll ? "" : "at least "}${sums.tokens.toLocaleString("en")}` : "tokens unknown");
  if (sums.cost || sums.costAll) parts.push(`cost ${sums.costAll ? "" : "at least "}${dollars(sums.cost)}`);
  const counts = ["failed", "passed", "error", "cancelled"].filter((word) => report.count[word])
    .map((word) => `${report.count[word].toLocaleString("en")} ${word === "error" && report.count[word] > 1 ? "errors" : word}`).join(", ");
  const took = run.seconds === null ? "" : ` in ${duration(run.seconds)}`;
  report.attempts = attempts;
  report.totals = attempts ? parts.join(", ") + judgedBy(...judge) : "";
  report.ending = run.state === "finished" ? `${counts || "no attempt can be read"}${took}` : `${run.state}: ${counts || "no attempt has ended"}`;
}
