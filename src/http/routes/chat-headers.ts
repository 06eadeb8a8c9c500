/**
 * Headers of the chat endpoints as OpenAPI describes them: what a caller may send, and what every
 * answer may carry.
 */
import type { HeaderDescriptions } from "../route.ts";

export const IDEMPOTENCY_KEY: HeaderDescriptions = {
  "idempotency-key": {
    description:
      "The same key and body within 24 hours get the same answer (a stream is replayed) and are charged once. With another body it is a 400; while the first request still runs, a 409 with `retry-after`. " +
      "What was refused or failed before its first word is not remembered. An answer above 16 MB is charged once and not kept: then it is a 410.",
    example: "order-4711",
  },
};

export const CHAT_RESPONSE_HEADERS: HeaderDescriptions = {
  "idempotent-replayed": {
    description: "`true` on an answer that was given before, and is not charged again.",
    example: "true",
  },
  "x-tollgate-original-request-id": {
    description: "On such an answer: the request that was answered, whose receipt has the charge.",
    example: "req_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b",
  },
  "x-tollgate-cost": {
    description: "What was charged, roubles; of whole answers only.",
    example: "0.0198",
  },
};

export const DROPPED_TOOLS: HeaderDescriptions = {
  "x-tollgate-dropped-tools": {
    description:
      "Tools of the request that the model has not had, because they have no price here or no upstream of the model runs them; absent where there are none.",
    example: "web_search",
  },
};

const LIMITED = ["requests", "tokens"] as const;

function limit(what: string, example: string) {
  return {
    description: `How many ${what} a minute are allowed, by the limit of the key or the account that is nearest; absent where there is none.`,
    example,
  };
}

function remaining(what: string, example: string) {
  return { description: `How many ${what} of it are left.`, example };
}

function reset(what: string, example: string) {
  return { description: `When all ${what} of it are there again.`, example };
}

/** No vendor has a name for it. */
const CONCURRENT: HeaderDescriptions = {
  "x-ratelimit-limit-concurrent": {
    description: "How many requests may run at once; absent where there is no such limit.",
    example: "10",
  },
  "x-ratelimit-remaining-concurrent": { description: "How many of them are left.", example: "9" },
};

/** By OpenAI's names. */
export const CHAT_COMPLETIONS_RATE_LIMITS: HeaderDescriptions = {
  ...Object.fromEntries(
    LIMITED.flatMap((what) => [
      [`x-ratelimit-limit-${what}`, limit(what, "60")],
      [`x-ratelimit-remaining-${what}`, remaining(what, "59")],
      [`x-ratelimit-reset-${what}`, reset(what, "1s")],
    ]),
  ),
  ...CONCURRENT,
};

/** By Anthropic's names. */
export const MESSAGES_RATE_LIMITS: HeaderDescriptions = {
  ...Object.fromEntries(
    LIMITED.flatMap((what) => [
      [`anthropic-ratelimit-${what}-limit`, limit(what, "60")],
      [`anthropic-ratelimit-${what}-remaining`, remaining(what, "59")],
      [`anthropic-ratelimit-${what}-reset`, reset(what, "2026-11-21T09:30:01Z")],
    ]),
  ),
  ...CONCURRENT,
};
