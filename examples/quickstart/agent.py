"""A news assistant: it answers what everybody knows, and searches the news for the rest.

The model behind it runs in this process and is very small. It can't pick a tool from a schema, but it can continue a text
that shows how it is done; so its completion is a handful of examples, and a grammar that keeps the next line in their form.
"""

import urllib.parse
import urllib.request

import brute
from brute.middleware import MaxIterations, SystemPrompt, ToolLoop, Tools

EXAMPLES = """
Question: what is the capital of France?
Action: memory: The capital of France is Paris.

Question: what did the president say yesterday?
Action: news: president speech yesterday
News: The president told reporters that the roads will be repaired by June.
Action: report: The president told reporters that the roads will be repaired by June.

Question: who won the match last night?
Action: news: match result last night
News: no results
Action: news: match score
News: United beat City 3-1 in the final.
Action: report: United beat City 3-1 in the final.

Question: how many days are there in a week?
Action: memory: There are 7 days in a week.

Question: who wrote Hamlet?
Action: memory: William Shakespeare wrote Hamlet.

Question: is there any news about the trial?
Action: news: trial news
News: no results
Action: news: court trial
News: no results
Action: report: I found no news about the trial.

Question: did the council vote today?
Action: news: council vote today
News: The council voted 12 to 7 to close the old bridge.
Action: report: The council voted 12 to 7 to close the old bridge.

Question: how many seconds are there in a minute?
Action: memory: There are 60 seconds in a minute.

Question: what is the price of gold now?
Action: news: gold price now
News: Gold rose by 1.5% to 2,410 dollars an ounce.
Action: report: Gold rose by 1.5% to 2,410 dollars an ounce.

Question: what happened in Rome last night?
Action: news: Rome last night
News: no results
Action: news: Rome
News: no results
Action: report: I found no news about Rome.
"""

model = brute.Local("smollm2")


@brute.tool
def search(query: str) -> str:
    """Search the news of the last days."""
    address = "https://news.example/search?" + urllib.parse.urlencode({"q": query})
    with urllib.request.urlopen(address, timeout=10) as page:
        return page.read().decode() or "no results"


async def completion(env):
    """One model call: the next line of the examples' text, read as a search or as the reply."""
    answer = "report" if env.messages[-1].role == "tool" else "memory"
    grammar = f'root ::= (" {answer}: " [^\\n]+ | " news: " [A-Za-z0-9 ]+) "\\n"'
    said = await model.complete(written(env.messages), grammar=grammar, stop=["\n"], max_tokens=60)
    action, _, rest = said.text.strip().partition(": ")
    if action == "news":
        call = brute.ToolCall(name="search", arguments={"query": rest}, id=f"search-{env.iteration}")
        return said.message("", [call])
    return said.message(rest)


completion.ready = model.ready  # fetches and loads the model before the first turn


def written(messages):
    """The conversation in the examples' form, up to where the model goes on."""
    lines = []
    for message in messages:
        text = " ".join(message.content.split())
        if message.role == "system":
            lines += [text, EXAMPLES]
        elif message.role == "user":
            lines.append(f"Question: {text}")
        elif message.role == "tool":
            lines.append(f"News: {text}")
        else:
            lines += [f"Action: news: {call.arguments['query']}" for call in message.tool_calls]
            lines += [f"Action: report: {text}\n"] if text else []
    return "\n".join([*lines, "Action:"])


agent = (
    brute.agent()
    .use(
        SystemPrompt,
        "You are a news assistant. Questions about yesterday, today, last night or this week need a search. "
        "Other questions are answered.",
    )
    .use(ToolLoop)
    .use(MaxIterations, 6)
    .use(Tools, [search])
    .run(completion)
)
