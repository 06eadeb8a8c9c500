/** Keeps one answer with what was sent for it, and says what became of that. */
import { CHAT_BODY_LIMIT_BYTES } from "../../kernel/limits.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Seal } from "../../kernel/seal.ts";
import { inputText, type Item } from "../../protocol/responses/input-items.ts";
import type { KeepVerdict } from "../../responses/stored-response.ts";
import type { ConversationCall, KeepAnswer } from "./conversation.ts";
import type { ResponseKeeper } from "./keep-responses.ts";
import type { Replayed } from "./replay-conversation.ts";
import { outputOf, sealAnswer, sealInput, type KeptAnswer } from "./response-seal.ts";

/** What became of an answer that was to be kept. */
export type KeepOutcome = KeepVerdict | "unnamed" | "too-large" | "failed";

export interface KeepAnswerDeps {
  readonly seal: Seal;
  readonly keeper: Pick<ResponseKeeper, "keep">;
  readonly retentionDays: number;
  /** All that an account may keep, files too. */
  readonly quotaBytes: number;
  /** `error`: why it failed, where it did. */
  onKept(outcome: KeepOutcome, error: unknown): void;
}

/** What goes before the answer when the conversation goes on. */
export interface Before {
  readonly replayed: Replayed;
  /** Of a summary: what stands beside it, in place of all that went before; null of any other. */
  readonly context: readonly Item[] | null;
}

const DAY_SECONDS = 86_400;
const LONGEST_ID = 128;
/** A longer one could not be put before another input. */
const MOST_BYTES = CHAT_BODY_LIMIT_BYTES;

/** A request that is made. */
export interface KeptCall extends Omit<ConversationCall, "parsed" | "requestId"> {
  readonly requestId: Uuid;
}

export function keepAnswer(deps: KeepAnswerDeps, call: KeptCall, before: Before): KeepAnswer {
  return async (answer) => {
    let failure: unknown = null;
    const outcome = await keep(deps, call, before, answer).catch((error: unknown): KeepOutcome => {
      failure = error;
      return "failed";
    });
    deps.onKept(outcome, failure);
    return outcome === "kept";
  };
}

async function keep(
  { seal, keeper, retentionDays, quotaBytes }: KeepAnswerDeps,
  { accountId, requestId, model, body, needs }: KeptCall,
  { replayed, context }: Before,
  answer: KeptAnswer,
): Promise<KeepOutcome> {
  const { id } = answer;
  if (!isId(id)) return "unnamed";
  const items = inputText(body);
  const beside = JSON.stringify(context);
  const text = JSON.stringify({ ...answer, store: true });
  if (bytesOf(items) + bytesOf(text) > MOST_BYTES) return "too-large";
  const ownBytes = bytesOf(context === null ? items : beside) + bytesOf(text);
  const name = { accountId, responseId: id };
  return keeper.keep({
    ...name,
    requestId,
    model,
    previousId: needs.previousId,
    anew: context !== null,
    turns: context === null ? replayed.turns + 1 : 1,
    replayedBytes: context === null ? replayed.bytes + ownBytes : ownBytes,
    sealedInput: sealInput(seal, name, `{"items":${items},"context":${beside}}`),
    sealedResponse: sealAnswer(seal, name, text),
    itemIds: outputOf(answer).flatMap((item) => (isId(item["id"]) ? [item["id"]] : [])),
    retentionSeconds: retentionDays * DAY_SECONDS,
    quotaBytes,
  });
}

/** No text of the database may have a NUL, wherever the id comes from. */
function isId(id: unknown): id is string {
  return typeof id === "string" && id !== "" && id.length <= LONGEST_ID && !id.includes("\0");
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}
