/** Texts that are sent as such or as token ids, one or many: how many there are, and their size. */
import { Fault } from "../../kernel/faults.ts";
import { upperEstimate } from "../estimate-tokens.ts";

export interface TextInput {
  /** How many inputs it is. */
  readonly count: number;
  /** Upper estimates, input by input. */
  readonly estimates: readonly number[];
  /** More than these no tokenizer makes of all of them. */
  readonly mostTokens: number;
  readonly texts: readonly string[];
  /** Those that were sent as ids. */
  readonly tokenIds: number;
}

/** What an upstream may put around one input: a mark at its beginning and its end. */
const AROUND_INPUT = 2;
/** No tokenizer makes more tokens than bytes, marks of its own apart. */
const MOST_AROUND_INPUT = 8;

/** The count of an input is its own, whatever is around it. */
export function readTextInput(input: unknown, param: string, mostInputs: number): TextInput {
  if (typeof input === "string") return measured([input], []);
  if (!Array.isArray(input)) throw notAnInput(param);
  const items = input as readonly unknown[];
  if (items.length === 0) throw mistake(param, `'${param}' is empty. Send at least one input.`);
  if (typeof items[0] === "number") return measured([], [tokenIds(items, param)]);
  if (items.length > mostInputs)
    throw mistake(
      param,
      `'${param}' holds ${items.length} inputs; at most ${mostInputs} are taken at once.`,
    );
  const texts: string[] = [];
  const ids: number[] = [];
  for (const [index, item] of items.entries()) {
    if (typeof item === "string") texts.push(item);
    else ids.push(tokenIds(item, `${param}[${index}]`));
  }
  return measured(texts, ids);
}

function measured(texts: readonly string[], ids: readonly number[]): TextInput {
  const estimates = [...texts.map(upperEstimate), ...ids].map((tokens) => tokens + AROUND_INPUT);
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const tokens = ids.reduce((sum, count) => sum + count, 0);
  const count = texts.length + ids.length;
  return {
    count,
    estimates,
    mostTokens: bytes + tokens + count * MOST_AROUND_INPUT,
    texts,
    tokenIds: tokens,
  };
}

function tokenIds(value: unknown, param: string): number {
  if (!Array.isArray(value)) throw notAnInput(param);
  const ids = value as readonly unknown[];
  if (ids.length === 0) throw mistake(param, `'${param}' is empty.`);
  const wrong = ids.findIndex(
    (id) => typeof id !== "number" || !Number.isSafeInteger(id) || id < 0,
  );
  if (wrong >= 0) throw mistake(`${param}[${wrong}]`, `'${param}[${wrong}]' must be a token id.`);
  return ids.length;
}

/** What was generated: a prompt that was given back before it was not. */
export function withoutEcho(text: string, echoed: readonly string[] = []): string {
  const prompt = echoed.find((one) => one !== "" && text.startsWith(one));
  return prompt === undefined ? text : text.slice(prompt.length);
}

function notAnInput(param: string): Fault {
  return mistake(param, `'${param}' must be a text or a list of token ids.`);
}

function mistake(param: string, message: string): Fault {
  return new Fault("invalid_request", { message, param });
}

/** All inputs together, none longer than the window where there is one. */
export function boundedTokens({ estimates }: TextInput, window: number | null): number {
  return estimates.reduce((sum, tokens) => sum + Math.min(tokens, window ?? tokens), 0);
}
