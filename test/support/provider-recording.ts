/**
 * What real providers send, played back through the gateway to callers of every protocol and in
 * every way of delivery, read by the official SDKs.
 */
import assert from "node:assert/strict";
import { askBySdk, FINISH_WORDS, type Heard } from "./ask-by-sdk.ts";
import type { ChatScene } from "./chat-scene.ts";
import { CALLERS, type Protocol } from "./protocol-pairs.ts";
import { sseEvent } from "./sse-event.ts";

export interface Tokens {
  readonly input?: number;
  readonly cached?: number;
  readonly written?: number;
  readonly output: number;
}

export interface Recording {
  readonly name: string;
  /**
   * Of its stream: events as objects, or bytes as they came. None where the provider only answers
   * whole.
   */
  readonly stream?: readonly (object | string)[];
  readonly whole?: object;
  /** It comes as its stream also where it is asked for whole. */
  readonly alwaysStreams?: boolean;
  /** The ids of the calls as a caller of the other protocol has them, where that are others. */
  readonly carriedIds?: readonly string[];
  readonly says: Partial<Omit<Heard, "finish">> & { readonly finish: keyof typeof FINISH_WORDS };
  readonly tokens: Tokens;
  /** The finish reason is the provider's own word, and bytes pass to a caller of its protocol. */
  readonly ownFinish?: string;
  /** The SDK of the same protocol does not understand these bytes, which pass as they are. */
  readonly unreadable?: true;
}

/** Nano-roubles at the prices of `pairsCatalogue`. */
function pairPrice({ input = 0, cached = 0, written = 0, output }: Tokens): bigint {
  return BigInt(input * 150_000 + cached * 15_000 + written * 187_500 + output * 600_000);
}

const WAYS = [
  { way: "streamed", roubles: "1000", stream: true, asksStream: true },
  { way: "whole", roubles: "1000", stream: false, asksStream: false },
  // The worst case is too much to hold at once, so the upstream is asked for a stream that is put
  // together here.
  { way: "assembled", roubles: "1", stream: false, asksStream: true },
] as const;

function bytesOf(event: object | string): Buffer {
  return typeof event === "string" ? Buffer.from(event) : sseEvent(event);
}

/**
 * Plays one recording to callers of every protocol, streamed, whole and assembled, and insists on
 * what they hear and pay.
 */
export async function checkRecording(
  scene: ChatScene,
  upstream: Protocol,
  recording: Recording,
): Promise<void> {
  const { name, says, tokens, unreadable, alwaysStreams = false } = recording;
  for (const caller of CALLERS) {
    for (const { way, roubles, stream, asksStream } of WAYS) {
      const cell = `${name}: ${caller} caller, ${way}`;
      const streams = asksStream || alwaysStreams;
      if ((streams ? recording.stream : recording.whole) === undefined) continue;
      if (caller === upstream && unreadable === true) continue;
      const customer = await scene.customer({ roubles });
      const play = scene.play(async (exchange) => {
        assert.equal(
          (exchange.request.json() as { stream?: boolean }).stream === true,
          asksStream,
          cell,
        );
        if (!streams) return exchange.json(200, recording.whole);
        await exchange.sendAll((recording.stream ?? []).map(bytesOf));
        exchange.end();
      });
      const question = {
        url: scene.gateway.url,
        secret: customer.secret,
        model: `over-${upstream}`,
        user: play.user,
        stream,
      };
      const heard = await askBySdk(caller, question).catch((error: unknown) =>
        assert.fail(`${cell}: ${String(error)}`),
      );
      const finish =
        caller === upstream && recording.ownFinish !== undefined
          ? recording.ownFinish
          : FINISH_WORDS[says.finish][caller];
      const ids = caller === upstream ? undefined : recording.carriedIds;
      const calls = (says.calls ?? []).map((call, at) => ({ ...call, id: ids?.[at] ?? call.id }));
      assert.deepEqual(heard, { text: "", thinking: "", ...says, calls, finish }, cell);
      const [receipt] = await scene.receipts(customer.accountId, 1);
      const { state, chargedNano, detail } = receipt ?? assert.fail(cell);
      assert.deepEqual(
        [state, chargedNano, detail["usageSource"]],
        ["completed", pairPrice(tokens), "upstream"],
        cell,
      );
    }
  }
}
