"""A desk assistant: it answers what everybody knows, searches the news for the rest, and keeps notes.

The model is the quickstart's, and is asked in the same way: some examples, and a grammar that keeps the next line in their form.
"""

import brute
from brute.middleware import MaxIterations, SystemPrompt, ToolLoop, Tools

EXAMPLES = """
User: what is the capital of France?
Action: say: The capital of France is Paris.

User: what did the president say yesterday?
Action: search: president speech yesterday
Result: The president told reporters that the roads will be repaired by June.
Action: say: The president told reporters that the roads will be repaired by June.

User: note that the rent is due on Friday
Action: note: the rent is due on Friday
Result: saved
Action: say: I have noted it.

User: who won the match last night?
Action: search: match result last night
Result: no results
Action: search: match score
Result: United beat City 3-1 in the final.
Action: say: United beat City 3-1 in the final.

User: how many days are there in a week?
Action: say: There are 7 days in a week.

User: look up the score of the match, and note it
Action: search: match score
Result: United beat City 3-1 in the final.
Action: note: United beat City 3-1
Result: saved
Action: say: I have noted that United beat City 3-1.

User: is there any news about the trial?
Action: search: trial news
Result: no results
Action: search: court trial
Result: no results
Action: say: I found no news about the trial.
"""

# One at a time: what else is in flight would move the last digits, and what a case is there to show is to be counted on.
model = brute.Local("smollm2", slots=1)


@brute.tool
def search(query: str) -> str:
    """Search the news of the last days."""
    raise TimeoutError("the news server did not answer")


@brute.tool
def note(text: str) -> str:
    """Keep a note."""
    return "saved"


async def completion(env):
    """One model call: the next line of the examples' text, read as a call or as the reply."""
    grammar = 'root ::= (" say: " [^\\n]+ | " search: " [A-Za-z0-9 ]+ | " note: " [^\\n]+) "\\n"'
    said = await model.complete(written(env.messages), grammar=grammar, stop=["\n"], max_tokens=40)
    action, _, rest = said.text.strip().partition(": ")
    if action in ("search", "note"):
        argument = {"query": rest} if action == "search" else {"text": rest}
        return said.message("", [brute.ToolCall(name=action, arguments=argument, id=f"{action}-{env.iteration}")])
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
            lines.append(f"User: {text}")
        elif message.role == "tool":
            lines.append(f"Result: {text}")
        else:
            lines += [f"Action: {call.name}: {' '.join(call.arguments.values())}" for call in message.tool_calls]
            lines += [f"Action: say: {text}\n"] if text else []
    return "\n".join([*lines, "Action:"])


agent = (
    brute.agent()
    .use(
        SystemPrompt,
        "You are a desk assistant. Questions about yesterday, today, last night or this week need a search. "
        "Other questions are answered. What is to be remembered is noted.",
    )
    .use(ToolLoop)
    .use(MaxIterations, 6)
    .use(Tools, [search, note])
    .run(completion)
)
