// What the page asks the server for: the token is the first part of every address, and so of the page's own.
const ROOT = `/${location.pathname.split("/")[1]}/`;
const SOON = 1000;
const LATER = 5000;

// Up to how many transcripts are looked into for the list without being asked to.
const UNASKED = 20000;

async function ask(path) {
  let answer;
  try {
    answer = await fetch(`${ROOT}data/${path}`, { cache: "no-store", credentials: "omit", redirect: "error" });
  } catch {
    throw new Error("the server does not answer; it may have been ended");
  }
  if (!(answer.headers.get("content-type") || "").startsWith("application/json")) throw new Error((await answer.text()).slice(0, 300));
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.error);
  return told;
}

// Do it now, and again and again while somebody looks; what goes wrong is said, and it is tried again. `act` answers whether to come back soon.
function keepDoing(act) {
  const trouble = element("p", { class: "trouble", role: "alert", hidden: true });
  let timer = null;
  let busy = false;
  async function turn() {
    clearTimeout(timer);
    if (busy || document.hidden) return;
    busy = true;
    let wait = LATER;
    try {
      wait = (await act()) ? SOON : LATER;
      trouble.hidden = true;
    } catch (error) {
      trouble.textContent = `${error.message} (what is shown is from ${new Date().toLocaleTimeString()} or before)`;
      if (trouble.hidden) trouble.hidden = false;
    }
    busy = false;
    timer = setTimeout(turn, wait);
  }
  document.addEventListener("visibilitychange", turn);
  turn();
  return trouble;
}

// Do something that takes a while, and draw what has come in meanwhile twice a second, and not with each slice.
async function drawing(act, refresh) {
  const pulse = setInterval(refresh, 500);
  try {
    return await act();
  } finally {
    clearInterval(pulse);
    refresh();
  }
}

// A run as it comes in: its attempts, slice by slice and then as they end; and what is said of their transcripts, after that.
function Follow(number, changed) {
  const report = { cases: [], notes: [], count: {}, totals: "", ending: "reading ..." };
  const follow = { report, run: null, whole: false, learnAll: false, turn };
  let cases, attempts, troubles, after, learned, replaced = null;
  forget();

  function forget() {
    report.cases.length = 0;
    cases = { byName: new Map(), byNumber: new Map() };
    attempts = new Map();
    troubles = new Set();
    after = learned = 0;
  }

  function caseOf(told) {
    const name = JSON.stringify([told.suite, told.name]);
    let one = cases.byName.get(name);
    if (!one) {
      one = { place: "", attempts: [], made: new Map(), ...told };
      cases.byName.set(name, one);
      report.cases.push(one);
    }
    one.runs = told.runs;
    cases.byNumber.set(told.index, one);
  }

  function take(told) {
    const touched = new Set();
    told.cases.forEach(caseOf);
    for (const [id, cased, n, status, tokens, tokensAll, cost, costAll, words, judged] of told.attempts) {
      const one = cases.byNumber.get(cased);
      const made = { id, number: n, status, tokens, tokensAll, cost, costAll, words, judged, tools: [], reply: "", one };
      one.made.set(n, made);
      attempts.set(id, made);
      touched.add(one);
    }
    return touched;
  }

  // What could not be read stays to be said: what is there is not all, and nobody may take it for that.
  function tell(touched, troubled) {
    const { run } = follow;
    troubled.forEach((each) => troubles.add(each));
    touched.forEach((one) => summed(one, run.going));
    totalled(report, run);
    const missing = follow.whole ? run.told - report.attempts : 0;
    if (missing > 0 || troubles.size) report.ending = `the log is damaged, and not all of the run can be read: ${report.ending}`;
    report.notes = [...new Set([
      ...run.notes, ...troubles, ...(missing > 0 ? [`${plural(missing, "attempt")} of this run can't be read`] : []),
    ])];
    changed();
  }

  async function read() {
    let more = true;
    while (more) {
      const told = await ask(`run/${number}?after=${after}&most=${after ? 2500 : 500}`);
      if (replaced !== null && told.run.replaced !== replaced) {
        // Attempts that were made again count no more.
        replaced = told.run.replaced;
        forget();
        continue;
      }
      replaced = told.run.replaced;
      const ended = follow.run && follow.run.going !== told.run.going;
      const news = JSON.stringify(follow.run) !== JSON.stringify(told.run) || !follow.whole;
      follow.run = told.run;
      after = told.after;
      more = told.more;
      follow.whole = !more;
      const touched = take(told);
      if (touched.size || news) tell(ended ? new Set(report.cases) : touched, told.troubles);
    }
  }

  async function learn() {
    let more = attempts.size > 0 && learned < after && (follow.learnAll || attempts.size <= UNASKED);
    while (more && !document.hidden) {
      const told = await ask(`run/${number}/gist?after=${learned}`);
      learned = told.after;
      more = told.more;
      const touched = new Set();
      for (const [id, seconds, tools, reply] of told.gists) {
        const attempt = attempts.get(id);
        if (!attempt) continue;
        Object.assign(attempt, { seconds, tools, reply });
        touched.add(attempt.one);
      }
      if (touched.size) tell(touched, told.troubles);
    }
  }

  async function turn() {
    await read();
    await learn();
    return follow.run.going;
  }

  return follow;
}
