/**
 * Paths that clients know from other gateways and that are not served here: what to use instead,
 * and in whose form they are told.
 */
import type { ErrorFamily } from "./error-family.ts";

export interface ForeignPath {
  /** Where the path belongs to another protocol than OpenAI's. */
  readonly family?: ErrorFamily;
  /** What to do, for the caller. It tells of public paths only. */
  readonly use: string;
}

const CHAT = "Call POST /v1/chat/completions, POST /v1/responses or POST /v1/messages";
const TASKS =
  "Order it as a task: POST /v1/tasks/{model}; GET /v1/models?type=task lists the models and their parameters.";

/** The first that fits counts. */
const FOREIGN: readonly (readonly [path: RegExp, found: ForeignPath])[] = [
  [
    /^\/v1\/v1\/messages(\/|$)/,
    {
      family: "anthropic",
      use: "The base URL ends in /v1 once too often: this client adds /v1 by itself.",
    },
  ],
  [
    /^\/v1\/v1\//,
    { use: "The base URL ends in /v1 once too often: this client adds /v1 by itself." },
  ],
  [
    /^\/messages(\/|$)/,
    { family: "anthropic", use: "The base URL lacks its end: it is http://…/v1 for this client." },
  ],
  [
    /^\/(chat\/completions|models|embeddings|rerank|moderations|completions|images\/generations)$/,
    { use: "The base URL lacks its end: it is http://…/v1 for this client." },
  ],
  [
    /^\/anthropic\//,
    {
      family: "anthropic",
      use: "The base URL has no /anthropic here: it is http://… for this client.",
    },
  ],
  [
    /^\/openai\/deployments\//,
    { use: `${CHAT}, with the model in the body: deployments in the path are Azure's.` },
  ],
  [/^\/openai\//, { use: "The base URL has no /openai here: it is http://…/v1 for this client." }],
  [/^\/responses(\/|$)/, { use: "The base URL lacks its end: it is http://…/v1 for this client." }],
  [
    /^\/v1\/responses\/[^/]+\/cancel$/,
    { use: "No response is made in the background here: to stop one, close its connection." },
  ],
  [
    /^\/v1\/conversations(\/|$)/,
    {
      use: "Conversations are not kept as such: go on from a response by `previous_response_id` of POST /v1/responses.",
    },
  ],
  [
    /^\/(batches|files)(\/|$)/,
    { use: "The base URL lacks its end: it is http://…/v1 for this client." },
  ],
  [
    /^\/v1\/complete$/,
    {
      family: "anthropic",
      use: "Text completions are not served. Call POST /v1/messages with the prompt as a user message.",
    },
  ],
  [/^\/v2\/(rerank|embed)$/, { use: "Call POST /v1/rerank or POST /v1/embeddings." }],
  [
    /^\/v1\/(embed|engines\/[^/]+\/(completions|embeddings))$/,
    { use: "Call POST /v1/embeddings or POST /v1/completions, with the model in the body." },
  ],
  [
    /^\/v1\/images\/variations$/,
    {
      use: "Variations are not served. Send the image to POST /v1/images/edits, with a prompt that asks for one.",
    },
  ],
  [
    /^\/v1\/images(?!\/(generations|edits)$)(\/|$)/,
    {
      use: "POST /v1/images/generations makes images from a prompt, POST /v1/images/edits from images.",
    },
  ],
  [/^\/v1\/(videos|video|music)(\/|$)/, { use: TASKS }],
  [
    /^\/v1\/audio(?!\/(speech|transcriptions|translations)$)(\/|$)/,
    {
      use: "POST /v1/audio/speech, /v1/audio/transcriptions and /v1/audio/translations are served.",
    },
  ],
  [/^\/v1\/predictions(\/|$)/, { family: "tasks", use: `Predictions are Replicate's. ${TASKS}` }],
  [/^\/api\/v1\/(jobs|generate|veo|runway)(\/|$)/, { family: "tasks", use: TASKS }],
  [/^\/queue\//, { family: "tasks", use: TASKS }],
  [
    /^\/v1\/uploads(\/|$)/,
    {
      use: "Send a file whole: for a batch to POST /v1/files, for a task to POST /v1/storage/upload; a chat takes images by URL or in the message.",
    },
  ],
  [
    /^\/v1\/(assistants|threads|vector_stores|conversations|realtime|fine_tuning|evals|containers)(\/|$)/,
    {
      use: `It is not served: nothing is kept between requests here. ${CHAT} with the whole conversation.`,
    },
  ],
  [
    /^(\/api)?(\/v1)?\/(credits|dashboard\/billing\/.*|user\/balance)$/,
    { use: "GET /v1/balance tells the balance, GET /v1/key the key's own limit." },
  ],
  [
    /^(\/api)?(\/v1)?\/(auth\/key|key\/info)$/,
    { use: "GET /v1/key tells the key's own limit and what it spent." },
  ],
  [
    /^(\/api)?\/v1\/(generation|usage|organization\/(usage|costs).*)$/,
    { use: "GET /v1/requests lists what was charged, GET /v1/requests/{id} is one receipt." },
  ],
  [
    /^\/v1\/(organizations|organization)(\/|$)/,
    { use: "Keys, limits and members are managed in the panel, at /panel." },
  ],
  [/^(\/v1)?\/model\/info$/, { use: "GET /v1/models lists the models with their prices." }],
  [
    /^\/(v1beta|v1alpha)\/models\/[^/]+:\w+$/,
    { use: `Gemini's own API is not served. ${CHAT}: its models answer there, too.` },
  ],
  [
    /^\/api\/(chat|generate|tags|show)$/,
    {
      use: `Ollama's own API is not served. ${CHAT}; clients of Ollama take an OpenAI-compatible base URL, http://…/v1.`,
    },
  ],
  [/^\/api\/v1\//, { use: "The base URL has no /api here: it is http://…/v1 for this client." }],
];

/** Null where no other gateway is known to have it. */
export function foreignPath(path: string): ForeignPath | null {
  return FOREIGN.find(([asked]) => asked.test(path))?.[1] ?? null;
}
