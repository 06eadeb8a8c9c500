/**
 * Decides what the sandbox says to a conversation: prose, tool calls, structured JSON, reasoning,
 * and where a limit cuts it.
 */
import { createHash } from "node:crypto";
import { lastUserText, type Conversation, type Part, type Tool } from "./conversation.ts";
import { countTokens, takeTokens } from "./count-tokens.ts";
import { fillSchema } from "./fill-schema.ts";
import type { Directives } from "./parse-directives.ts";
import { stripDirectives } from "./read-directive-words.ts";
import { phrasesFor } from "./phrases.ts";
import { scriptStep } from "./read-script.ts";

export interface Answer {
  /** Counted even where it is not shown. */
  readonly reasoning: string;
  readonly text: string;
  readonly refusal: string | null;
  readonly calls: readonly Call[];
  readonly finish: "stop" | "stop-sequence" | "length" | "tools" | "refusal";
  readonly stopSequence: string | null;
  readonly reasoningTokens: number;
  /** All of it: reasoning, text, refusal, calls (name and arguments). */
  readonly outputTokens: number;
}

export interface Call {
  /** 24 characters; a dialect puts its prefix before it. The same request gets the same ids. */
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

const QUOTE_LENGTH = 500;
const INSTRUCTIONS_LENGTH = 60;
const RESULT_LENGTH = 200;
const SEVERAL =
  /\b(several|parallel|both|at once|simultaneously)\b|несколько|параллельно|одновременно|同时/iu;
/** Each is one token, and stays one after a space. */
const ONE_TOKEN_WORDS = [
  "the",
  "and",
  "with",
  "for",
  "from",
  "this",
  "that",
  "have",
  "not",
  "are",
  "you",
  "was",
  "but",
  "all",
  "can",
];

/**
 * @param digest hex digest of the request body, for tool call ids. @param choice index of the
 * choice, from 0.
 */
export function composeAnswer(
  conversation: Conversation,
  directives: Directives,
  digest: string,
  choice: number,
): Answer {
  const budget = conversation.maxTokens ?? Infinity;
  const asked = lastUserText(conversation.turns);
  const phrases = phrasesFor(stripDirectives(asked));

  const reasoning = conversation.reasoning ? takeTokens(phrases.reasoning, budget) : "";
  const reasoningTokens = countTokens(reasoning);
  let left = budget - reasoningTokens;
  const done = (rest: Partial<Answer>): Answer => {
    const answer = {
      reasoning,
      text: "",
      refusal: null,
      calls: [],
      finish: "stop",
      stopSequence: null,
      reasoningTokens,
      outputTokens: 0,
      ...rest,
    } as const;
    return { ...answer, outputTokens: countOutput(answer) };
  };

  if (directives.refusal) return done({ refusal: phrases.refusal, finish: "refusal" });

  const step = scriptStep(conversation, directives.script);
  const planned =
    step === null
      ? freeCalls(conversation, directives, stripDirectives(asked))
      : "calls" in step
        ? step.calls
        : [];
  if (planned.length > 0) {
    const calls = planned.map(({ name, input }, at) => ({
      id: callId(`${digest}:${choice}:${at}`),
      name,
      arguments: JSON.stringify(input),
    }));
    const affordable = calls.filter((call) => (left -= callTokens(call)) >= 0);
    return done({
      calls: affordable,
      finish: affordable.length < calls.length ? "length" : "tools",
    });
  }

  const whole =
    step !== null && "text" in step
      ? step.text
      : wholeText(conversation, directives, phrases, choice);
  const stop = firstStop(whole, conversation.stop);
  const text = takeTokens(stop === null ? whole : whole.slice(0, stop.at), left);
  if (stop === null) return done({ text, finish: text === whole ? "stop" : "length" });
  return text.length < stop.at
    ? done({ text, finish: "length" })
    : done({ text, finish: "stop-sequence", stopSequence: stop.sequence });
}

function countOutput(
  answer: Pick<Answer, "reasoningTokens" | "text" | "refusal" | "calls">,
): number {
  return (
    answer.reasoningTokens +
    countTokens(answer.text) +
    countTokens(answer.refusal ?? "") +
    answer.calls.reduce((sum, call) => sum + callTokens(call), 0)
  );
}

function callTokens(call: Call): number {
  return countTokens(call.name) + countTokens(call.arguments);
}

function callId(seed: string): string {
  return createHash("sha256").update(seed).digest("hex").slice(0, 24);
}

/** The calls that no script asks for: the same tool once more gets other arguments. */
function freeCalls(
  conversation: Conversation,
  { text, tokens, script }: Directives,
  asked: string,
): { name: string; input: unknown }[] {
  if (text !== null || tokens !== null || script !== null) return [];
  const called = chooseTools(conversation, asked);
  return called.map((tool, at) => {
    const variant = called.slice(0, at).filter((other) => other === tool).length;
    return { name: tool.name, input: fillSchema(tool.schema, variant) };
  });
}

/** Which tools to call now, repeats included: see README.md, Tools. */
function chooseTools(conversation: Conversation, asked: string): Tool[] {
  const { tools, toolChoice } = conversation;
  const first = tools[0];
  if (first === undefined || toolChoice.kind === "none") return [];
  if (toolChoice.kind === "named")
    return tools.filter((tool) => tool.name === toolChoice.name).slice(0, 1);
  const last = conversation.turns.findLast((turn) => turn.role !== "system");
  const usersTurn = last?.role === "user" && !last.parts.some((part) => part.type === "result");
  if (!usersTurn && toolChoice.kind === "auto") return [];

  const named = tools
    .map((tool) => ({ tool, at: asked.indexOf(tool.name) }))
    .filter((mention) => mention.at !== -1)
    .toSorted((a, b) => a.at - b.at)
    .map((mention) => mention.tool);
  if (!conversation.parallelTools) return [named[0] ?? first];
  if (named.length > 1) return named;
  if (!SEVERAL.test(asked)) return [named[0] ?? first];
  const pair = named[0] === undefined ? tools.slice(0, 2) : named;
  return pair.length > 1 ? pair : [pair[0] ?? first, pair[0] ?? first];
}

function wholeText(
  conversation: Conversation,
  directives: Directives,
  phrases: ReturnType<typeof phrasesFor>,
  choice: number,
): string {
  if (directives.text !== null) return directives.text;
  if (directives.tokens !== null) {
    return Array.from(
      { length: directives.tokens },
      (_, at) => ONE_TOKEN_WORDS[at % ONE_TOKEN_WORDS.length],
    ).join(" ");
  }
  if (conversation.format !== null)
    return JSON.stringify(fillSchema(conversation.format.schema, choice));

  const asked = stripDirectives(lastUserText(conversation.turns));
  const results = lastResults(conversation);
  const sentences = [phrases.greeting(conversation.model)];
  for (const { name, isError, text } of results)
    sentences.push(isError ? phrases.failure(name, text) : phrases.result(name, text));
  if (results.length === 0)
    sentences.push(asked === "" ? phrases.noText : phrases.quote(shorten(asked, QUOTE_LENGTH)));
  const images = conversation.turns.reduce((sum, turn) => sum + countImages(turn.parts), 0);
  if (images > 0) sentences.push(phrases.images(images));
  const instructions = conversation.turns.find(
    (turn) => turn.role === "system" && partsText(turn.parts) !== "",
  );
  if (instructions !== undefined)
    sentences.push(
      phrases.instructions(shorten(partsText(instructions.parts), INSTRUCTIONS_LENGTH)),
    );
  if (choice > 0) sentences.push(phrases.variant(choice + 1));
  return sentences.join(" ");
}

/** The tool results that end the conversation, with the names of the tools that gave them. */
function lastResults(
  conversation: Conversation,
): { name: string; isError: boolean; text: string }[] {
  const names = new Map<string, string>();
  for (const turn of conversation.turns)
    for (const part of turn.parts) if (part.type === "call") names.set(part.id, part.name);
  const asker = conversation.turns.findLastIndex((turn) => turn.role === "assistant");
  return conversation.turns.slice(asker + 1).flatMap((turn) =>
    turn.parts.flatMap((part) =>
      part.type === "result"
        ? [
            {
              name: names.get(part.callId) ?? part.callId,
              isError: part.isError,
              text: shorten(partsText(part.parts), RESULT_LENGTH),
            },
          ]
        : [],
    ),
  );
}

function countImages(parts: readonly Part[]): number {
  return parts.reduce(
    (sum, part) =>
      sum + (part.type === "image" ? 1 : part.type === "result" ? countImages(part.parts) : 0),
    0,
  );
}

function partsText(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** By whole characters, so that no emoji is cut in two. */
function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${[...text.slice(0, length * 2)].slice(0, length).join("")}…`;
}

function firstStop(
  text: string,
  sequences: readonly string[],
): { at: number; sequence: string } | null {
  let found: { at: number; sequence: string } | null = null;
  for (const sequence of sequences) {
    const at = sequence === "" ? -1 : text.indexOf(sequence);
    if (at !== -1 && (found === null || at < found.at)) found = { at, sequence };
  }
  return found;
}
