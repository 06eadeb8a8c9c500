/**
 * Refuses a prompt that cannot fit into the context window of its model, before anything is held
 * for it or sent.
 */
import type { ChatModel } from "../../catalogue/catalogue.ts";
import { Fault } from "../../kernel/faults.ts";
import type { ChatRequest } from "../../protocol/chat-request.ts";

/** Another vendor's tokenizer may make fewer tokens of a text than ours. */
const OTHER_TOKENIZERS = 1.1;

/** Counts the texts; stops at the piece with which the count passes `stopAbove`. */
export type CountTexts = (texts: Iterable<string>, stopAbove?: number) => Promise<number>;

type Prompt = Pick<ChatRequest, "inputTokens" | "promptTexts">;

/**
 * By the upper estimate alone, which costs nothing more. Size proves nothing: long runs of spaces
 * are few tokens.
 */
export function mayBeTooLong(request: Prompt, model: ChatModel): boolean {
  return request.inputTokens > model.contextTokens;
}

/**
 * Throws a Fault for a prompt whose texts alone pass the window. In words by which clients of both
 * protocols know that they have to shorten it.
 */
export async function refuseTooLong(
  countTexts: CountTexts,
  request: Prompt,
  { contextTokens }: ChatModel,
): Promise<void> {
  const provenAbove = Math.ceil(contextTokens * OTHER_TOKENIZERS);
  const tokens = await countTexts(request.promptTexts(), provenAbove);
  if (tokens <= provenAbove) return;
  throw new Fault("context_length_exceeded", {
    message: `The prompt is too long: at least ${tokens} tokens > ${contextTokens} maximum. The model's maximum context length is ${contextTokens} tokens; shorten the conversation.`,
    param: "messages",
  });
}
