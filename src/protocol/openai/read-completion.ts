/** A whole (non-streamed) answer of an OpenAI-protocol upstream, read into what the gateway needs to know of it. */
import type { UpstreamErrorReading } from "./read-chunk.ts";
import type { UsageReading } from "./read-usage.ts";

export type CompletionReading =
  | {
      readonly kind: "completion";
      readonly usage: UsageReading;
      /** All generated text of all choices, for counting where usage is absent. */
      readonly text: string;
      readonly hasContent: boolean;
      /** One per choice; null where the upstream gave none. */
      readonly finishReasons: readonly (string | null)[];
      readonly data: Record<string, unknown>;
    }
  | UpstreamErrorReading
  | { readonly kind: "garbage"; readonly reason: string };

/** `error` also when a 200 carries an error object; `garbage` when the body is not a completion at all. */
export function readCompletion(body: Uint8Array): CompletionReading {
  void body;
  return { kind: "garbage", reason: "not written yet" };
}
