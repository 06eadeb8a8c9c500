/**
 * What is kept of an answer as sealed bytes: what was sent with it and what was said, each for its
 * own row and no other.
 */
import type { Uuid } from "../../kernel/ids.ts";
import type { Seal } from "../../kernel/seal.ts";
import type { Item } from "../../protocol/responses/input-items.ts";
import type { ResponseName, StoredResponse } from "../../responses/stored-response.ts";

/** What was sent. */
export interface KeptInput {
  /** The items of this request alone, as they came. */
  readonly items: readonly Item[];
  /**
   * Of a summary: what else is put before the next input, in place of all that went before. Null of
   * any other answer.
   */
  readonly context: readonly Item[] | null;
}

/** The answer as its caller got it. */
export type KeptAnswer = Readonly<Record<string, unknown>>;

function placeOf({ accountId, responseId }: ResponseName, part: "input" | "answer"): string {
  return `response:${part}:${accountId}:${responseId}`;
}

/** `input` is the JSON of a KeptInput: what may be large is not read only to be written again. */
export function sealInput(seal: Seal, name: ResponseName, input: string): Buffer {
  return seal.seal(input, placeOf(name, "input"));
}

/** `answer` is the JSON of a KeptAnswer. */
export function sealAnswer(seal: Seal, name: ResponseName, answer: string): Buffer {
  return seal.seal(answer, placeOf(name, "answer"));
}

type Sealed = Pick<StoredResponse, "responseId" | "sealedInput">;

/** Null: it does not open, because another SESSION_SECRET sealed it. */
export function openInput(seal: Seal, accountId: Uuid, stored: Sealed): KeptInput | null {
  const { responseId, sealedInput } = stored;
  const text = seal.open(sealedInput, placeOf({ accountId, responseId }, "input"));
  return text === null ? null : (JSON.parse(text) as KeptInput);
}

type SealedAnswer = Pick<StoredResponse, "responseId" | "sealedResponse">;

/** As JSON; null for the same reason. */
export function openAnswerText(
  seal: Seal,
  accountId: Uuid,
  { responseId, sealedResponse }: SealedAnswer,
): string | null {
  return seal.open(sealedResponse, placeOf({ accountId, responseId }, "answer"));
}

export function openAnswer(seal: Seal, accountId: Uuid, stored: SealedAnswer): KeptAnswer | null {
  const text = openAnswerText(seal, accountId, stored);
  return text === null ? null : (JSON.parse(text) as KeptAnswer);
}

/** The items of an answer's output. */
export function outputOf({ output }: KeptAnswer): readonly Item[] {
  return Array.isArray(output) ? (output as readonly Item[]) : [];
}
