/** One answer as the upstream of each protocol gives it, streamed and whole. */
import { anthropicMessage, anthropicStream } from "./anthropic-stream.ts";
import { openAiCompletion, openAiStream } from "./openai-stream.ts";
import type { Protocol } from "./protocol-pairs.ts";
import { responsesStream, responsesUsage, responsesWhole } from "./responses-stream.ts";
import type { Handler } from "./scripted-upstream.ts";

export interface PairAnswer {
  readonly thinking?: readonly string[];
  readonly pieces?: readonly string[];
  readonly calls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly pieces: readonly string[];
  }[];
  /** What the upstream reports; absent: nothing. */
  readonly tokens?: { readonly input: number; readonly output: number };
}

export interface ReportedAnswer {
  readonly events: readonly Buffer[];
  readonly whole: Record<string, unknown>;
}

/** What an upstream of each kind seals its thinking with. */
const PAIR_SEAL = "c2VhbA==";

function ofOpenAi({ thinking, pieces, calls, tokens }: PairAnswer): ReportedAnswer {
  const answer = {
    ...(thinking === undefined ? {} : { reasoning: thinking }),
    ...(pieces === undefined ? {} : { pieces }),
    ...(calls === undefined
      ? {}
      : { toolCalls: calls.map((call) => ({ ...call, arguments: call.pieces })) }),
    ...(tokens === undefined
      ? {}
      : {
          usage: {
            prompt_tokens: tokens.input,
            completion_tokens: tokens.output,
            total_tokens: tokens.input + tokens.output,
          },
        }),
  };
  return { events: openAiStream(answer), whole: openAiCompletion(answer) };
}

function ofAnthropic({ thinking, pieces, calls = [], tokens }: PairAnswer): ReportedAnswer {
  const answer = {
    blocks: [
      ...(thinking === undefined
        ? []
        : [{ type: "thinking" as const, pieces: thinking, signature: PAIR_SEAL }]),
      ...(pieces === undefined ? [] : [{ type: "text" as const, pieces }]),
      ...calls.map((call) => ({ type: "tool_use" as const, ...call })),
    ],
    ...(tokens === undefined
      ? {}
      : {
          startUsage: { input_tokens: tokens.input, output_tokens: 1 },
          usage: { input_tokens: tokens.input, output_tokens: tokens.output },
        }),
  };
  return { events: anthropicStream(answer), whole: anthropicMessage(answer) };
}

function ofResponses({ thinking, pieces, calls = [], tokens }: PairAnswer): ReportedAnswer {
  const answer = {
    items: [
      ...(thinking === undefined
        ? []
        : [{ type: "reasoning" as const, pieces: thinking, encrypted: PAIR_SEAL }]),
      ...(pieces === undefined ? [] : [{ type: "message" as const, pieces }]),
      ...calls.map(({ id, name, pieces: json }) => ({
        type: "function_call" as const,
        callId: id,
        name,
        pieces: json,
      })),
    ],
    ...(tokens === undefined ? {} : { usage: responsesUsage(tokens.input, tokens.output) }),
  };
  return { events: responsesStream(answer), whole: responsesWhole(answer) };
}

const WRITERS: Readonly<Record<Protocol, (answer: PairAnswer) => ReportedAnswer>> = {
  openai: ofOpenAi,
  anthropic: ofAnthropic,
  responses: ofResponses,
};

export function pairAnswer(upstream: Protocol, answer: PairAnswer): ReportedAnswer {
  return WRITERS[upstream](answer);
}

/** Gives the answer in the form that was asked for. */
export function telling(upstream: Protocol, answer: PairAnswer): Handler {
  const { events, whole } = pairAnswer(upstream, answer);
  return async (exchange) => {
    const { stream } = exchange.request.json() as { stream?: boolean };
    if (stream !== true) return exchange.json(200, whole);
    await exchange.sendAll(events);
    exchange.end();
  };
}
