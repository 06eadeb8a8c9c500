/** The fault of a path where there is nothing, for whoever asks: also of one that is there for others only, so that nobody can tell them apart. */
import { Fault } from "../kernel/faults.ts";

/** What clients ask for by themselves where their base URL or their kind of API was chosen wrongly, and what to do then. It tells of public paths only. */
const HINTS: readonly (readonly [path: RegExp, hint: string])[] = [
  [/^\/v1\/v1\//, "The base URL ends in /v1 once too often: this client adds /v1 by itself."],
  [/^\/(chat\/completions|models|messages)$/, "The base URL lacks its end: it is http://…/v1 for this client."],
  [
    /^(\/v1)?\/responses(\/|$)/,
    'The Responses API is not served. Call POST /v1/chat/completions: `openai.chat(…)` in the AI SDK, `useResponsesApi: false` in LangChain, `setOpenAIAPI("chat_completions")` in the OpenAI Agents SDK. A client that knows no other API cannot be used here.',
  ],
];

/** @param path That of the request's target; it is not repeated. */
export function nothingHere(path = ""): Fault {
  const hint = HINTS.find(([asked]) => asked.test(path))?.[1];
  const message = "There is nothing at this path. GET /openapi.json lists what there is.";
  return new Fault("not_found", { message: hint === undefined ? message : `${message} ${hint}` });
}
