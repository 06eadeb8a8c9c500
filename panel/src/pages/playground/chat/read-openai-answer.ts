/** What a Chat Completions answer says, whole or chunk by chunk. */
import { NO_ANSWER } from "./conversation.ts";
import type { Answer, ToolCall } from "./conversation.ts";

interface CallPart {
  readonly index?: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

interface MessagePart {
  readonly content?: string | null;
  readonly refusal?: string | null;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly CallPart[];
}

interface Body {
  readonly choices?: readonly {
    readonly delta?: MessagePart;
    readonly message?: MessagePart;
    readonly finish_reason?: string | null;
  }[];
}

/** Adds a chunk. */
export function addOpenAiChunk(answer: Answer, chunk: unknown): Answer {
  const choice = (chunk as Body).choices?.[0];
  const delta = choice?.delta ?? {};
  return {
    ...answer,
    text: answer.text + (delta.content ?? "") + (delta.refusal ?? ""),
    thinking: answer.thinking + (delta.reasoning_content ?? ""),
    calls: (delta.tool_calls ?? []).reduce(addCallPart, answer.calls),
    finish: choice?.finish_reason ?? answer.finish,
  };
}

export function readOpenAiAnswer(body: unknown): Answer {
  const choice = (body as Body).choices?.[0];
  return addOpenAiChunk(NO_ANSWER, {
    choices: [
      {
        delta: {
          ...choice?.message,
          tool_calls: (choice?.message?.tool_calls ?? []).map((call, index) => ({
            ...call,
            index,
          })),
        },
        finish_reason: choice?.finish_reason,
      },
    ],
  });
}

function addCallPart(calls: readonly ToolCall[], part: CallPart): readonly ToolCall[] {
  const at = part.index ?? 0;
  const before = calls[at] ?? { id: "", name: "", arguments: "" };
  const after = {
    id: part.id ?? before.id,
    name: before.name + (part.function?.name ?? ""),
    arguments: before.arguments + (part.function?.arguments ?? ""),
  };
  return calls.length <= at ? [...calls, after] : calls.with(at, after);
}
