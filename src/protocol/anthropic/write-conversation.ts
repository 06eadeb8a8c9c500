/**
 * Writes the turns of a conversation as the Messages protocol wants them: user and assistant in
 * turn, instructions apart.
 */
import type { NeutralRequest, NeutralTurn } from "../neutral/neutral-request.ts";
import {
  assistantBlocks,
  resultBlock,
  textBlocks,
  userBlocks,
  type Block,
} from "./write-blocks.ts";

export interface Message {
  readonly role: "user" | "assistant";
  readonly content: readonly Block[];
}

export interface Conversation {
  readonly system: readonly Block[];
  /** Empty where nothing was said at all. */
  readonly messages: readonly Message[];
}

/**
 * What the user says before a conversation that the assistant opens: the vendor wants the user
 * first. No word of any language.
 */
const OPENING: Message = { role: "user", content: [{ type: "text", text: "…" }] };

function blocksOf(turn: NeutralTurn): Block[] {
  switch (turn.role) {
    case "user":
      return turn.parts.flatMap(userBlocks);
    case "assistant":
      return turn.parts.flatMap(assistantBlocks);
    case "tool-results":
      return turn.results.map(resultBlock);
    case "system":
      return [];
  }
}

/** Neighbours of one role become one message; turns that say nothing disappear. */
function mergeTurns(
  turns: readonly NeutralTurn[],
): { readonly role: Message["role"]; content: Block[] }[] {
  const messages: { readonly role: Message["role"]; content: Block[] }[] = [];
  for (const turn of turns) {
    const blocks = blocksOf(turn);
    if (blocks.length === 0) continue;
    const role = turn.role === "assistant" ? "assistant" : "user";
    const last = messages.at(-1);
    if (last?.role === role) for (const block of blocks) last.content.push(block);
    else messages.push({ role, content: blocks });
  }
  return messages;
}

/** The results of tools come first in a message (the vendor's rule). */
function resultsFirst(content: readonly Block[]): Block[] {
  const isResult = ({ type }: Block): boolean => type === "tool_result";
  return [...content.filter(isResult), ...content.filter((block) => !isResult(block))];
}

/** An answer that the model shall go on with must not end in white space (the vendor's rule). */
function withoutTrailingSpace(content: readonly Block[]): readonly Block[] {
  const last = content.at(-1);
  if (last?.type !== "text" || typeof last["text"] !== "string") return content;
  return [...content.slice(0, -1), { ...last, text: last["text"].trimEnd() }];
}

/**
 * Instructions in the midst of the conversation go to its head, in their order, as the vendor's own
 * layer for OpenAI's protocol does. With instructions alone they are what the model is asked, so
 * the user says them.
 */
export function writeConversation({
  system,
  turns,
}: Pick<NeutralRequest, "system" | "turns">): Conversation {
  const instructions = [
    ...system,
    ...turns.flatMap((turn) => (turn.role === "system" ? turn.parts : [])),
  ].flatMap(textBlocks);
  const messages = mergeTurns(turns);
  if (messages.length === 0) {
    return {
      system: [],
      messages: instructions.length === 0 ? [] : [{ role: "user", content: instructions }],
    };
  }
  const lastIndex = messages.length - 1;
  const written = messages.map(({ role, content }, index): Message => {
    if (role === "user") return { role, content: resultsFirst(content) };
    return { role, content: index === lastIndex ? withoutTrailingSpace(content) : content };
  });
  return {
    system: instructions,
    messages: written[0]?.role === "assistant" ? [OPENING, ...written] : written,
  };
}
