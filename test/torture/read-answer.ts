/**
 * Reads what a client got, in any of the protocols: text, usage, whether it says that it is over,
 * and by which id it is kept.
 */
import type { ChatAnswer } from "../support/post-chat.ts";
import type { Attempt, Dialect } from "./trace.ts";

export type AnswerReading = Pick<Attempt, "text" | "usage" | "code" | "keptId"> & {
  readonly over: boolean;
};

type Fields = Readonly<Record<string, unknown>>;

const ENDED: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete"]);

export function readAnswer(dialect: Dialect, stream: boolean, answer: ChatAnswer): AnswerReading {
  const body = answer.body.toString();
  if (stream && answer.status === 200) return readStream(dialect, body);
  const whole = parse(body);
  const over = !answer.broken && whole !== null;
  const { code } = fields(whole?.["error"]);
  if (answer.status !== 200 || whole === null)
    return {
      text: "",
      usage: null,
      over,
      code: typeof code === "string" ? code : null,
      keptId: null,
    };
  const usage = fields(whole["usage"]);
  return {
    text: wholeText(dialect, whole),
    usage: usageOf(dialect, usage, usage),
    over,
    code: null,
    keptId: over ? keptIdOf(dialect, whole) : null,
  };
}

function readStream(dialect: Dialect, body: string): AnswerReading {
  let text = "";
  let over = false;
  let failed = false;
  let ended: Fields = {};
  const start: Record<string, unknown> = {};
  const end: Record<string, unknown> = {};
  for (const line of body.split("\n")) {
    if (!line.startsWith("data: ")) continue;
    if (line === "data: [DONE]") over = true;
    const event = parse(line.slice("data: ".length));
    if (event === null) continue;
    const { type, response } = event;
    if (type === "message_stop") over = true;
    if (event["error"] !== undefined || type === "response.failed") failed = true;
    text += pieceOf(dialect, event);
    if (ENDED.has(type)) {
      over = true;
      ended = fields(response);
    }
    Object.assign(start, fields(fields(event["message"])["usage"]));
    Object.assign(end, fields(event["usage"]), fields(ended["usage"]));
  }
  const usage =
    dialect === "messages"
      ? usageOf(dialect, { ...start, ...end }, end)
      : usageOf(dialect, end, end);
  over &&= !failed;
  return { text, usage, over, code: null, keptId: over ? keptIdOf(dialect, ended) : null };
}

function pieceOf(dialect: Dialect, event: Fields): string {
  const { delta } = event;
  const piece = {
    openai: fields(first(event["choices"])["delta"])["content"],
    messages: fields(delta)["text"],
    responses: event["type"] === "response.output_text.delta" ? delta : null,
  }[dialect];
  return typeof piece === "string" ? piece : "";
}

function wholeText(dialect: Dialect, whole: Fields): string {
  const text = {
    openai: fields(first(whole["choices"])["message"])["content"],
    messages: first(whole["content"])["text"],
    responses: first(first(whole["output"])["content"])["text"],
  }[dialect];
  return typeof text === "string" ? text : "";
}

/** The text of a response, as `GET /v1/responses/{id}` gives it. */
export function responseText(whole: Fields): string {
  return wholeText("responses", whole);
}

function keptIdOf(dialect: Dialect, { id, store }: Fields): string | null {
  return dialect === "responses" && store === true && typeof id === "string" ? id : null;
}

function usageOf(dialect: Dialect, input: Fields, output: Fields): Attempt["usage"] {
  const names =
    dialect === "openai"
      ? (["prompt_tokens", "completion_tokens"] as const)
      : (["input_tokens", "output_tokens"] as const);
  const [prompt, completion] = [input[names[0]], output[names[1]]];
  return typeof prompt === "number" && typeof completion === "number"
    ? { prompt, completion }
    : null;
}

function parse(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Fields) : null;
  } catch {
    return null;
  }
}

function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function first(value: unknown): Fields {
  return Array.isArray(value) ? fields(value[0]) : {};
}
