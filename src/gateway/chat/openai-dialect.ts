/** Chat Completions as a dialect of the gateway, for upstreams that speak it too: bytes pass as they are. */
import { SSE_EVENT_LIMIT_BYTES } from "../../kernel/limits.ts";
import { createCompletionAssembler } from "../../protocol/openai/assemble-completion.ts";
import { limitStop } from "../../protocol/openai/limit-stop.ts";
import { readChatRequest } from "../../protocol/openai/read-chat-request.ts";
import { readChunk } from "../../protocol/openai/read-chunk.ts";
import type { ChatChunk } from "../../protocol/openai/read-chunk.ts";
import { readCompletion } from "../../protocol/openai/read-completion.ts";
import { renderUsage } from "../../protocol/openai/read-usage.ts";
import { renderOpenAiErrorEvent } from "../../protocol/openai/render-error.ts";
import { createStreamState } from "../../protocol/openai/stream-state.ts";
import type { SseEvent } from "../../protocol/sse/split-events.ts";
import { createEventSplitter } from "../../protocol/sse/split-events.ts";
import type { Assembler, ChatDialect, Frame, FrameReader, StreamIdentity } from "./chat-dialect.ts";

interface OpenAiFrame extends Frame {
  readonly chunk: ChatChunk | null;
}

function chunkOf(frame: Frame): ChatChunk | null {
  return "chunk" in frame ? (frame as OpenAiFrame).chunk : null;
}

const NO_TEXT = {
  text: "",
  hasContent: false,
  finished: false,
  usage: { kind: "absent" },
  withheld: false,
  error: null,
  chunk: null,
} as const;

function createFrameReader(options: { readonly includeUsage: boolean; readonly fallback: StreamIdentity }): FrameReader {
  const splitter = createEventSplitter(SSE_EVENT_LIMIT_BYTES);
  const state = createStreamState();

  function readFrame(event: SseEvent): OpenAiFrame {
    const reading = readChunk(event);
    switch (reading.kind) {
      case "chunk":
        return {
          kind: "data",
          bytes: event.bytes,
          text: reading.text,
          hasContent: reading.hasContent,
          finished: reading.finished,
          usage: reading.usage,
          withheld: reading.usageOnly && !options.includeUsage,
          error: null,
          chunk: reading,
        };
      case "error":
        return { ...NO_TEXT, kind: "error", bytes: event.bytes, error: { message: reading.message, status: reading.status } };
      case "garbage":
        return { ...NO_TEXT, kind: "garbage", bytes: event.bytes, error: { message: reading.reason, status: null } };
      default:
        return { ...NO_TEXT, kind: reading.kind, bytes: event.bytes };
    }
  }

  return {
    push(chunk) {
      const split = splitter.push(chunk);
      if (split.kind === "too-large") throw new RangeError(`one event of the stream is larger than ${SSE_EVENT_LIMIT_BYTES} bytes`);
      return split.events.map(readFrame);
    },
    delivered(frame) {
      const chunk = chunkOf(frame);
      if (chunk !== null) state.add(chunk);
    },
    get finished() {
      return state.finished;
    },
    get finishReason() {
      return state.finishReasons.get(0) ?? null;
    },
    get model() {
      return state.model;
    },
    limitStop(usage) {
      return limitStop({ state, usage: options.includeUsage ? usage : null, fallback: options.fallback });
    },
  };
}

function createAssembler(): Assembler {
  const assembler = createCompletionAssembler();
  return {
    push(frame) {
      const chunk = chunkOf(frame);
      if (chunk !== null) assembler.add(chunk.data);
    },
    finish(stoppedUsage) {
      const completion = assembler.completion(stoppedUsage === null ? undefined : "length");
      if (stoppedUsage !== null) completion["usage"] = renderUsage(stoppedUsage);
      return Buffer.from(JSON.stringify(completion));
    },
  };
}

export const openAiDialect: ChatDialect = {
  endpoint: "chat.completions",
  upstreamProtocol: "openai",
  readRequest: readChatRequest,
  createFrameReader,
  createAssembler,
  readAnswer(body) {
    const reading = readCompletion(body);
    switch (reading.kind) {
      case "completion":
        return {
          kind: "answer",
          usage: reading.usage,
          text: reading.text,
          hasContent: reading.hasContent,
          finishReason: reading.finishReasons[0] ?? null,
          model: typeof reading.data["model"] === "string" ? reading.data["model"] : null,
        };
      case "error":
        return { kind: "error", error: { message: reading.message, status: reading.status } };
      case "garbage":
        return { kind: "garbage", reason: reading.reason };
    }
  },
  errorEvent: (fault) => Buffer.from(renderOpenAiErrorEvent(fault)),
  keepAlive: Buffer.from(": keep-alive\n\n"),
};
