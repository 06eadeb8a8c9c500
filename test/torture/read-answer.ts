/** Reads what a client got, in either protocol: text, usage, and whether it says that it is over. */
import type { ChatAnswer } from "../support/post-chat.ts";
import type { Attempt, Dialect } from "./trace.ts";

export type AnswerReading = Pick<Attempt, "text" | "usage"> & { readonly over: boolean };

type Fields = Readonly<Record<string, unknown>>;

export function readAnswer(dialect: Dialect, stream: boolean, answer: ChatAnswer): AnswerReading {
  const body = answer.body.toString();
  if (stream && answer.status === 200) return readStream(dialect, body);
  const whole = parse(body);
  const over = !answer.broken && whole !== null;
  if (answer.status !== 200 || whole === null) return { text: "", usage: null, over };
  const usage = fields(whole["usage"]);
  return { text: wholeText(dialect, whole), usage: usageOf(dialect, usage, usage), over };
}

function readStream(dialect: Dialect, body: string): AnswerReading {
  let text = "";
  let over = false;
  let failed = false;
  const start: Record<string, unknown> = {};
  const end: Record<string, unknown> = {};
  for (const line of body.split("\n")) {
    if (!line.startsWith("data: ")) continue;
    if (line === "data: [DONE]") over = true;
    const event = parse(line.slice("data: ".length));
    if (event === null) continue;
    if (event["type"] === "message_stop") over = true;
    if (event["error"] !== undefined) failed = true;
    text += pieceOf(dialect, event);
    Object.assign(start, fields(fields(event["message"])["usage"]));
    Object.assign(end, fields(event["usage"]));
  }
  const usage =
    dialect === "openai" ? usageOf(dialect, end, end) : usageOf(dialect, { ...start, ...end }, end);
  return { text, usage, over: over && !failed };
}

function pieceOf(dialect: Dialect, event: Fields): string {
  const delta =
    dialect === "openai" ? fields(first(event["choices"])["delta"]) : fields(event["delta"]);
  const piece = dialect === "openai" ? delta["content"] : delta["text"];
  return typeof piece === "string" ? piece : "";
}

function wholeText(dialect: Dialect, whole: Fields): string {
  const text =
    dialect === "openai"
      ? fields(first(whole["choices"])["message"])["content"]
      : first(whole["content"])["text"];
  return typeof text === "string" ? text : "";
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
