/** The upstream of the batches' tests: answers every request whole, with a usage that its prompt decides, and counts who asked. */
import { setTimeout as sleep } from "node:timers/promises";
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
  close(): Promise<void>;
}

/** So many tokens an answer to this prompt takes. */
function usageOf(prompt: string): { readonly input: number; readonly output: number } {
  return { input: 10 + (prompt.length % 7), output: 3 + (prompt.length % 5) };
}

/** In nano-roubles, at the base price of `batch-world.ts`. */
export function priceOf(prompt: string): bigint {
  const { input, output } = usageOf(prompt);
  return BigInt(input * 150 + output * 600) * 1000n;
}

export async function startCountingUpstream(): Promise<CountingUpstream> {
  const asked = new Map<string, number>();
  const world = {
    before: async (): Promise<void> => undefined,
    status: () => 200,
  } as Pick<CountingUpstream, "before" | "status">;
  const upstream: ScriptedUpstream = await startScriptedUpstream(async (exchange) => {
    const body = exchange.request.json() as { messages: { content: unknown }[] };
    const content = body.messages.at(-1)?.content;
    const prompt = typeof content === "string" ? content : JSON.stringify(content);
    const times = (asked.get(prompt) ?? 0) + 1;
    asked.set(prompt, times);
    await world.before(prompt);
    const status = world.status(prompt, times);
    if (status !== 200)
      return exchange.json(status, { error: { message: "not now", type: "x", code: null } });
    const { input, output } = usageOf(prompt);
    const usage = {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
    };
    const completion = openAiCompletion({ pieces: [`heard ${prompt}`], usage });
    // It knows nothing of batches: what it says of its tier changes no price.
    exchange.json(200, { ...completion, service_tier: "default" });
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
    async close() {
      await sleep(0);
      await upstream.close();
    },
  };
}
