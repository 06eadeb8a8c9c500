/**
 * Token counts of the sandbox: o200k_base over everything a model would read or write, by one rule
 * for all protocols.
 */
import { countTokens as countExactly, decode, encode } from "gpt-tokenizer/encoding/o200k_base";
import type { Conversation, Part, Turn } from "./conversation.ts";

/** Text that looks like a special token is ordinary text here. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };
/**
 * The tokenizer's time grows with the square of a run that has no break in it, so longer runs are
 * counted in pieces of this many characters.
 */
const LONG_RUN = /((?:[\p{L}\p{M}]{512}|[^\s\p{L}\p{N}]{512}|\s{512}))/u;
const TOKENS_PER_ANSWER_START = 3;
const TOKENS_PER_TURN = 4;
const TOKENS_PER_IMAGE = 85;

export function countTokens(text: string): number {
  let tokens = 0;
  for (const piece of text.split(LONG_RUN))
    if (piece !== "") tokens += countExactly(piece, AS_TEXT);
  return tokens;
}

/** The longest beginning of a text that has at most this many tokens and cuts no character. */
export function takeTokens(text: string, limit: number): string {
  if (countTokens(text) <= limit) return text;
  const tokens: number[] = [];
  for (const piece of text.split(LONG_RUN)) {
    for (const token of piece === "" ? [] : encode(piece, AS_TEXT)) tokens.push(token);
    if (tokens.length >= limit) break;
  }
  for (let length = limit; length > 0; length--) {
    const taken = decode(tokens.slice(0, length));
    if (text.startsWith(taken) && countTokens(taken) <= limit) return taken;
  }
  return "";
}

/**
 * Prompt tokens: 3 to start the answer, 4 per turn (neighbouring turns of one side are one: tool
 * results count as the user's), the tokens of every text, tool call (name and arguments), tool
 * result, tool (name, description, schema) and answer schema, and 85 per image. JSON is counted in
 * its shortest form. Earlier reasoning is free.
 */
export function countPrompt(
  conversation: Pick<Conversation, "turns" | "tools" | "format">,
): number {
  let tokens = TOKENS_PER_ANSWER_START;
  let side: Turn["role"] | null = null;
  for (const turn of conversation.turns) {
    if (turn.role !== side) tokens += TOKENS_PER_TURN;
    side = turn.role;
    tokens += countParts(turn.parts);
  }
  for (const tool of conversation.tools)
    tokens += countTokens(tool.name) + countTokens(tool.description) + countJson(tool.schema);
  if (conversation.format !== null) tokens += countJson(conversation.format.schema);
  return tokens;
}

function countParts(parts: readonly Part[]): number {
  let tokens = 0;
  for (const part of parts) {
    if (part.type === "text") tokens += countTokens(part.text);
    else if (part.type === "image") tokens += TOKENS_PER_IMAGE;
    else if (part.type === "call") tokens += countTokens(part.name) + countJson(part.input);
    else tokens += countParts(part.parts);
  }
  return tokens;
}

function countJson(value: unknown): number {
  return countTokens(JSON.stringify(value) ?? "");
}
