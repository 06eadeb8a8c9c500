/** The documentation in English: how to begin, money, errors, and the guides of the files beside. */
import { aroundGuidesEn } from "./guides-around.en.ts";
import { modelGuidesEn } from "./guides-models.en.ts";
import type { GuideTexts } from "./guides.ru.ts";

export const guidesEn: GuideTexts = {
  ...modelGuidesEn,
  ...aroundGuidesEn,
  menu: "Documentation",
  groups: {
    first: "First steps",
    models: "Models",
    files: "Files and events",
    reference: "Reference",
  },
  contents: "On this page",
  neighbours: "Pages before and after",
  before: "Previous",
  after: "Next",
  name: "What",
  meaning: "Meaning",
  tables: "Tables of parameters",
  task: "Task",
  rules: "What has to agree",
  filesOfSample:
    "`$IMAGE_URL`, `$VIDEO_URL` and `$AUDIO_URL` are addresses of your files, uploaded to us or public.",
  changelog: {
    title: "Changelog",
    description: "What has changed in the gateway, by version.",
    lead: "By version, the newest first.",
    none: "Nothing yet.",
  },
  start: {
    title: "Quick start",
    description: "Three steps to a first answer, and the settings of each client.",
    lead: "Three steps to a first answer.",
    sections: [
      {
        id: "key",
        title: "1. A key",
        texts: [
          "Sign up and create a key in the panel. It is shown once, when it is created: keep it where you keep secrets. A key may have a spend limit, models and IP addresses of its own.",
        ],
      },
      {
        id: "first-request",
        title: "2. A first request",
        texts: [
          "Send the key as `Authorization: Bearer …` or as `x-api-key`. The protocols are OpenAI Chat Completions, OpenAI Responses and Anthropic Messages: any chat model over any of them.",
        ],
        sample: "chat",
      },
      {
        id: "clients",
        title: "3. Your client",
        texts: ["Change the address and the key; the rest of your code stays."],
        sample: "clients",
      },
      {
        id: "models",
        title: "Which models there are",
        texts: ["The API has the list with prices, too."],
        sample: "models",
      },
    ],
  },
  money: {
    title: "Money and receipts",
    description: "Know the price before, what is held and charged, and how to repeat a request.",
    lead: "What you pay for, how to know it before, and how not to pay twice.",
    sections: [
      {
        id: "quote",
        title: "Know the price before",
        texts: [
          "The same body at `/v1/quote/…` charges nothing and calls no provider. The answer says what the request would hold, what it can cost at most, and whether there is money for it.",
        ],
        sample: "quote",
      },
      {
        id: "held",
        title: "Held, charged, released",
        texts: [
          "Before the answer at most what it can cost is held; the hold of a stream grows with its answer. After the answer it is charged by tokens and price exactly, and the rest is available at once.",
          "A request that nothing came back for costs nothing. An answer that broke off costs what arrived of it.",
          'Lack of money is a 402 and never a 429, which the official SDKs would repeat. When money runs out in the middle of a stream, it ends in order: `finish_reason: "length"` or `stop_reason: "max_tokens"`.',
        ],
      },
      {
        id: "receipts",
        title: "Balance and receipts",
        texts: [
          "Every answer has an `x-request-id`, by which its receipt is found. Receipts add up to exactly what was charged.",
        ],
        sample: "receipts",
      },
      {
        id: "repeat",
        title: "Repeat without paying twice",
        texts: [
          "With the header `Idempotency-Key` (one for each request of yours) the same key and body get the same answer for 24 hours, streams included, and are charged once. Another body with the same key is a 400. [More](/docs/idempotency).",
        ],
      },
    ],
  },
  errors: {
    title: "Errors",
    description: "The error codes of the API, what they mean and what to do.",
    lead: "Every error has an HTTP status and a code. Its body is in the form of the protocol of the request; the number of the request is in `x-request-id`.",
    sections: [
      {
        id: "when",
        title: "When to repeat",
        texts: [
          "Where repeating helps there is a `retry-after`; where it does not, `x-should-retry: false`. The official SDKs understand both.",
        ],
      },
    ],
    status: "HTTP",
    code: "Code",
    codes: "Codes",
    what: "What happened",
    remedy: "What to do",
    again: "may be repeated",
    byCode: {
      invalid_request: ["The body is not valid.", "`param` names the field to correct."],
      context_length_exceeded: [
        "The conversation is longer than the model can read.",
        "Shorten it, or take a model with a larger context.",
      ],
      previous_response_not_found: [
        "The answer that this conversation goes on from is not kept here.",
        "Send the whole conversation: answers are kept for a time, with `store: false` not at all.",
      ],
      wrong_endpoint: [
        "This model is not served at this address.",
        "Its page and `GET /v1/models` name its protocols.",
      ],
      idempotency_mismatch: [
        "This `Idempotency-Key` was used with another body.",
        "A new request needs a new one.",
      ],
      invalid_api_key: [
        "The key is missing, mistyped, deleted, frozen or expired.",
        "Take one from the panel that works.",
      ],
      insufficient_balance: ["The balance cannot pay for it.", "Top it up."],
      key_limit_exceeded: [
        "The spend limit of this key is used up.",
        "Wait for the next period, raise the limit, or take another key.",
      ],
      group_limit_exceeded: [
        "The spend limit of this key's group is used up.",
        "Wait for the next period, raise the group's limit, or take a key outside it.",
      ],
      permission_denied: [
        "The key may not do this: its models, its addresses, or the account is blocked.",
        "Look at the settings of the key in the panel.",
      ],
      storage_quota_exceeded: [
        "Files take all the room of the account.",
        "Delete some, or wait until they expire.",
      ],
      model_not_found: ["There is no such model.", "Compare its id with the list of models."],
      not_found: ["There is nothing at this address.", "Compare the path with the API reference."],
      method_not_allowed: ["This path does not take that method.", "`Allow` names those it takes."],
      request_timeout: ["The body did not arrive in time.", "Check the connection and repeat."],
      idempotency_in_progress: [
        "The first request with this `Idempotency-Key` still runs.",
        "Wait as long as `retry-after` says, and repeat.",
      ],
      conflict: [
        "It was changed in the meantime, or is there already.",
        "Read it anew and decide.",
      ],
      already_exists: ["Exactly this is there already.", "A second one would add nothing."],
      gone: ["It is not there any more.", "It expired or was used already."],
      idempotency_answer_gone: [
        "A request with this key was answered, but the answer was too large to be kept.",
        "Ask anew with another `Idempotency-Key`.",
      ],
      precondition_failed: [
        "What the request was made for has changed.",
        "Read it anew and repeat with the new tag.",
      ],
      request_too_large: ["The body is too large.", "Make it smaller."],
      unsupported_media_type: [
        "The body is of the wrong kind.",
        "Send JSON with `content-type: application/json`, or a form where one is wanted.",
      ],
      range_not_satisfiable: ["The file has no such range.", "Compare it with the file's size."],
      upgrade_required: ["Only HTTP is spoken here.", "Send the request without a WebSocket."],
      rate_limit_exceeded: [
        "Too many requests.",
        "Wait as long as `retry-after` says. The limits are in the headers of answers.",
      ],
      internal_error: [
        "Something went wrong on our side.",
        "Repeat; if it stays so, write to us with the number of the request.",
      ],
      upstream_error: [
        "No provider could answer.",
        "Repeat, or take another model. Nothing was charged.",
      ],
      overloaded: [
        "The gateway is overloaded or restarting.",
        "Wait as long as `retry-after` says. At Messages it is a 529.",
      ],
      upstream_timeout: ["The provider did not answer in time.", "Repeat. Nothing was charged."],
      storage_full: ["There is no room for files at the moment.", "Repeat later."],
    },
  },
};
