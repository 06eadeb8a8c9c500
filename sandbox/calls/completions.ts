/** The old completions: goes on with a prompt, word by word, within its limit of tokens. */
import { countTokens, takeTokens } from "../count-tokens.ts";
import { isObject } from "../is-object.ts";
import type { Directives } from "../parse-directives.ts";
import { stripDirectives } from "../read-directive-words.ts";
import { splitPieces } from "../split-pieces.ts";
import { bad, type Call } from "./call.ts";
import { readTexts } from "./text-inputs.ts";

const DEFAULT_TOKENS = 16;
const HUGE = 5_000_000_000;
const DONE = "data: [DONE]\n\n";

export const completions: Call = {
  path: /^\/v1\/completions\/?$/,
  read(body) {
    if (typeof body.model !== "string" || body.model === "")
      return bad("model", "you must provide a model parameter");
    const { model } = body;
    const read = readTexts(body.prompt ?? "<|endoftext|>");
    if (read === null) return bad("prompt", "prompt must be a text or token ids");
    const limit = countOr(body.max_tokens, DEFAULT_TOKENS);
    const choices = countOr(body.n, 1);
    const suffix = typeof body.suffix === "string" ? body.suffix : "";
    const wantsUsage = isObject(body.stream_options) && body.stream_options.include_usage === true;
    return {
      ok: true,
      call: {
        model,
        stream: body.stream === true,
        text: read.text,
        answer(directives) {
          const made = read.inputs.flatMap((prompt) =>
            Array.from({ length: choices }, () => continued(prompt, limit, directives)),
          );
          const echo = (index: number): string =>
            body.echo === true ? (read.inputs[Math.floor(index / choices)] ?? "") : "";
          const prompt = read.tokens + countTokens(suffix);
          const tokens = made.reduce((sum, { tokens: count }) => sum + count, 0);
          const usage = reported(prompt, tokens, directives);
          const head = {
            id: "cmpl-sandbox",
            object: "text_completion",
            created: 1_763_712_000,
            model,
          };
          const choice = (index: number, text: string, finish: string | null): unknown => ({
            index,
            text,
            logprobs: null,
            finish_reason: finish,
          });
          return {
            whole: {
              ...head,
              choices: made.map(({ text, finish }, index) =>
                choice(index, echo(index) + text, finish),
              ),
              ...(usage === null ? {} : { usage }),
            },
            events: [
              ...made.flatMap(({ text, finish }, index) => [
                ...splitPieces(echo(index) + text).map((piece) =>
                  eventOf({ ...head, choices: [choice(index, piece, null)] }),
                ),
                eventOf({ ...head, choices: [choice(index, "", finish)] }),
              ]),
              ...(usage === null || !wantsUsage ? [] : [eventOf({ ...head, choices: [], usage })]),
              ...(directives.noDone ? [] : [DONE]),
            ],
          };
        },
      },
    };
  },
};

interface Made {
  readonly text: string;
  readonly tokens: number;
  readonly finish: "stop" | "length";
}

function continued(prompt: string, limit: number, directives: Directives): Made {
  const asked = stripDirectives(prompt).trim();
  const whole =
    directives.text ??
    (directives.tokens === null
      ? ` … and so on after “${asked.slice(-40)}”.`
      : " the".repeat(directives.tokens));
  const text = takeTokens(whole, limit);
  return { text, tokens: countTokens(text), finish: text === whole ? "stop" : "length" };
}

function reported(prompt: number, completion: number, { usage }: Directives): unknown {
  const figures = (sent: unknown, made: unknown, total: unknown): unknown => ({
    prompt_tokens: sent,
    completion_tokens: made,
    total_tokens: total,
  });
  switch (usage?.kind) {
    case "none":
      return null;
    case "zero":
      return figures(0, 0, 0);
    case "negative":
      return figures(prompt, -5, prompt - 5);
    case "fraction":
      return figures(prompt, completion + 0.5, prompt + completion + 0.5);
    case "huge":
    case "overflow":
      return figures(HUGE, HUGE, HUGE + HUGE);
    case "text":
      return figures(String(prompt), String(completion), String(prompt + completion));
    case "exact":
      return figures(usage.prompt, usage.completion, usage.prompt + usage.completion);
    default:
      return figures(prompt, completion, prompt + completion);
  }
}

function countOr(value: unknown, absent: number): number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : absent;
}

function eventOf(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
