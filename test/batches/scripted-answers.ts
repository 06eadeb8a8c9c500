/** The upstream of the batches' tests: answers every request whole, with a usage that its prompt decides, and counts who asked. */
import { setTimeout as sleep } from "node:timers/promises";
import type { BatchEndpoint } from "../../src/contract/enums/batch-endpoint.ts";
import { openAiCompletion } from "../support/openai-stream.ts";
import { startScriptedUpstream, type ScriptedUpstream } from "../support/scripted-upstream.ts";

export interface CountingUpstream {
  readonly url: string;
  /** How often each prompt came. */
  readonly asked: ReadonlyMap<string, number>;
  /** Waits for this before it answers; replaced by tests. */
  before: (prompt: string) => Promise<void> | void;
  /** The status for a prompt; 200 by default. */
  status: (prompt: string, times: number) => number;
  /** What it counts, so many times. */
  inflate: number;
  close(): Promise<void>;
}

/** So many tokens an answer to this prompt takes. */
function usageOf(prompt: string): { readonly input: number; readonly output: number } {
  return { input: 10 + (prompt.length % 7), output: 3 + (prompt.length % 5) };
}

/** Of a text alone, in which there can be no more of them than bytes. */
function inputTokens(text: string): number {
  return 1 + (text.length % 3);
}

/** Roubles per 1M tokens, at the base price of `batch-world.ts`; a moderation costs the same whatever it reads. */
const PRICES: Readonly<Record<BatchEndpoint, readonly [input: number, output: number]>> = {
  "chat.completions": [150, 600],
  messages: [150, 600],
  responses: [150, 600],
  embeddings: [20, 0],
  completions: [100, 200],
  moderations: [0, 0],
};
const MODERATION_NANO = 10_000_000n;

/** In nano-roubles, at the base price of `batch-world.ts`. */
export function priceOf(prompt: string, endpoint: BatchEndpoint = "chat.completions"): bigint {
  if (endpoint === "moderations") return MODERATION_NANO;
  if (endpoint === "embeddings") return BigInt(inputTokens(prompt) * PRICES[endpoint][0]) * 1000n;
  const { input, output } = usageOf(prompt);
  const [sent, answered] = PRICES[endpoint];
  return BigInt(input * sent + output * answered) * 1000n;
}

interface Asked {
  readonly messages?: readonly { readonly content: unknown }[];
  readonly input?: unknown;
  readonly prompt?: unknown;
}

/** What the upstream is asked, whichever endpoint it is asked at. */
function promptOf({ messages, input, prompt }: Asked): string {
  const content = messages === undefined ? (input ?? prompt) : messages.at(-1)?.content;
  return typeof content === "string" ? content : JSON.stringify(content);
}

function answerTo(path: string, prompt: string, times: number): object {
  const used = usageOf(prompt);
  const [input, output] = [used.input * times, used.output * times];
  const alone = inputTokens(prompt) * times;
  const sent = { prompt_tokens: alone, total_tokens: alone };
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
  };
  if (path.endsWith("/embeddings"))
    return {
      object: "list",
      data: [{ object: "embedding", index: 0, embedding: [0.5, prompt.length] }],
      model: "m",
      usage: sent,
    };
  if (path.endsWith("/moderations"))
    return { id: "modr-1", model: "m", results: [{ flagged: prompt.includes("bad") }] };
  if (path.endsWith("/chat/completions"))
    // It knows nothing of batches: what it says of its tier changes no price.
    return {
      ...openAiCompletion({ pieces: [`heard ${prompt}`], usage }),
      service_tier: "default",
    };
  return {
    id: "cmpl-1",
    object: "text_completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, text: `heard ${prompt}`, finish_reason: "stop" }],
    usage,
  };
}

export async function startCountingUpstream(): Promise<CountingUpstream> {
  const asked = new Map<string, number>();
  const world = {
    before: async (): Promise<void> => undefined,
    status: () => 200,
    inflate: 1,
  } as Pick<CountingUpstream, "before" | "status" | "inflate">;
  const upstream: ScriptedUpstream = await startScriptedUpstream(async (exchange) => {
    const prompt = promptOf(exchange.request.json() as Asked);
    const times = (asked.get(prompt) ?? 0) + 1;
    asked.set(prompt, times);
    await world.before(prompt);
    const status = world.status(prompt, times);
    if (status !== 200)
      return exchange.json(status, { error: { message: "not now", type: "x", code: null } });
    exchange.json(200, answerTo(exchange.request.path, prompt, world.inflate));
  });
  return {
    url: upstream.url,
    asked,
    get before() {
      return world.before;
    },
    set before(next) {
      world.before = next;
    },
    get status() {
      return world.status;
    },
    set status(next) {
      world.status = next;
    },
    get inflate() {
      return world.inflate;
    },
    set inflate(next) {
      world.inflate = next;
    },
    async close() {
      await sleep(0);
      await upstream.close();
    },
  };
}
