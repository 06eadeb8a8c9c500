/**
 * The items of a conversation so far, by the id of its last answer: what was sent and said, oldest
 * first.
 */
import type { Queryable } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import { CHAT_BODY_LIMIT_BYTES } from "../../kernel/limits.ts";
import type { Seal } from "../../kernel/seal.ts";
import type { Item } from "../../protocol/responses/input-items.ts";
import { findChain, findResponses } from "../../responses/responses.store.ts";
import type {
  ResponseHead,
  ResponseName,
  StoredResponse,
} from "../../responses/stored-response.ts";
import { openAnswer, openInput, outputOf } from "./response-seal.ts";

/** Answers that a conversation may go on from, one from the other. */
const MOST_TURNS = 1_000;

export interface ReplayDeps {
  readonly db: Queryable;
  readonly seal: Seal;
  /** Hears of an answer that does not open: SESSION_SECRET was changed. */
  onUnopened(name: ResponseName): void;
}

export interface Replayed {
  readonly items: readonly Item[];
  readonly turns: number;
  /** As JSON. */
  readonly bytes: number;
}

/** Throws a Fault for an answer that is not kept, and for a conversation that is too long. */
export async function replayConversation(deps: ReplayDeps, name: ResponseName): Promise<Replayed> {
  const { accountId, responseId } = name;
  const chain = await findChain(deps.db, name, MOST_TURNS);
  const head = chain[0];
  if (head === undefined) throw notFound(responseId);
  checkLength(head, responseId);
  const first = chain.at(-1) ?? head;
  if (!first.anew && first.previousId !== null) throw notFound(responseId, first.previousId);
  const ids = chain.map((one) => one.responseId).toReversed();
  const stored = await findResponses(deps.db, accountId, ids);
  const items = stored.flatMap((one) => itemsOf(deps, accountId, one, responseId));
  // One that was deleted between the two looks.
  if (stored.length < ids.length) throw notFound(responseId);
  return { items, turns: head.turns, bytes: head.replayedBytes };
}

function itemsOf(
  { seal, onUnopened }: ReplayDeps,
  accountId: string,
  stored: StoredResponse,
  asked: string,
): readonly Item[] {
  const input = openInput(seal, accountId, stored);
  const answer = openAnswer(seal, accountId, stored);
  if (input === null || answer === null) {
    onUnopened({ accountId, responseId: stored.responseId });
    throw notFound(asked);
  }
  return [...(input.context ?? input.items), ...outputOf(answer)];
}

/** As the vendor words it, for clients that look for it. */
function notFound(responseId: string, missing: string | null = null): Fault {
  const why =
    missing === null
      ? "Answers are kept for this account for a time, unless they were asked for with `store: false` or were deleted."
      : `The conversation went on from '${missing.slice(0, 128)}', which is kept no longer.`;
  return new Fault("previous_response_not_found", {
    message: `Previous response with id '${responseId.slice(0, 128)}' not found. ${why} Send the whole conversation as 'input' instead.`,
    param: "previous_response_id",
  });
}

function checkLength({ turns, replayedBytes }: ResponseHead, responseId: string): void {
  if (turns < MOST_TURNS && replayedBytes <= CHAT_BODY_LIMIT_BYTES) return;
  const most =
    turns < MOST_TURNS
      ? `${CHAT_BODY_LIMIT_BYTES / 1024 ** 2} MB`
      : `${MOST_TURNS} answers that follow each other`;
  throw new Fault("request_too_large", {
    message: `The conversation that '${responseId}' goes on is longer than ${most}. Begin a new one, with a summary of this.`,
    param: "previous_response_id",
  });
}
