/**
 * A conversation summed up: how a model is asked for it, the sealed item that it becomes, and what
 * that item is to the next request.
 */
import { openText, sealText, type AccountSeal } from "../account-seal.ts";
import { isRecord } from "../json/is-record.ts";
import { COMPACTION } from "./conversation-needs.ts";
import { userMessage, type Item } from "./input-items.ts";

const PURPOSE = "compaction";

/**
 * Said by the user, last: a model takes it for the task at hand, whatever it was told to be before.
 */
const WISH =
  "Stop here, and write a summary of this conversation that will take its place: whoever goes on with it sees your summary and nothing else of what was said. " +
  "Keep what was asked for and every wish and rule that still holds; what was done and decided, and why; names of files, functions, commands, addresses, figures and identifiers exactly as they are; " +
  "what failed and must not be tried again; what is under way and what is to be done next. Leave out greetings and what is settled and will not be needed again. " +
  "Answer with the summary alone, in the language of the conversation. Call no tools.";

/** How the summary stands in the next request. */
const INTRODUCTION = "What was said before was summed up, and this summary takes its place:\n\n";

/** The item by which a model is asked to sum up all before it. */
export const SUMMARY_WISH: Item = userMessage(WISH);

/** `id` of the item, as its caller is told it. */
export function compactionItem(seal: AccountSeal, id: string, summary: string): Item {
  return {
    id,
    type: COMPACTION,
    encrypted_content: sealText(seal, PURPOSE, INTRODUCTION + summary),
  };
}

/**
 * What an item of ours says to a model; null: it was not sealed here for this account, or is not
 * whole any more.
 */
export function openCompaction(seal: AccountSeal, item: Item): Item | null {
  const { encrypted_content: sealed } = item;
  const text = typeof sealed === "string" ? openText(seal, PURPOSE, sealed) : null;
  return text === null ? null : userMessage(text);
}

/** Whether a message is an earlier summary, opened. */
export function isSummary({ content }: Item): boolean {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return parts.some(
    (part) =>
      isRecord(part) && typeof part["text"] === "string" && part["text"].startsWith(INTRODUCTION),
  );
}
