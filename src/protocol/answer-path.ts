/**
 * The way of one answer from an upstream's protocol to a caller's: bytes as they are where both
 * speak the same, else translated.
 */
import type {
  Assembler,
  AnswerIdentity,
  AnswerReading,
  ChatDialect,
  Frame,
  StreamWriter,
  UpstreamDialect,
  WireEvent,
} from "./chat-dialect.ts";
import type { ChatRequest } from "./chat-request.ts";
import type { RequestTarget, RequestWriting } from "./neutral/neutral-request.ts";
import { spliceBytes, type ByteRange } from "./json/splice-bytes.ts";
import type { TokenUsage } from "../kernel/token-usage.ts";

/** Collects the delivered frames of a stream into one whole answer for the caller. */
export interface AnswerCollector {
  push(frame: Frame): void;
  /**
   * The JSON body, with the usage that was charged where the gateway writes it. `stopped`: the
   * balance stopped the answer.
   */
  finish(usage: TokenUsage, stopped: boolean): Buffer;
}

export interface AnswerPath {
  /** The upstream speaks another protocol than the caller. */
  readonly translated: boolean;
  /** The body for the upstream, or the fault that names what cannot be said in its protocol. */
  writeRequest(request: ChatRequest, target: RequestTarget): RequestWriting;
  createWriter(identity: AnswerIdentity): StreamWriter;
  createCollector(identity: AnswerIdentity): AnswerCollector;
  /** A whole answer for the caller; `body` are the bytes that `answer` was read from. */
  wholeAnswer(
    answer: Extract<AnswerReading, { kind: "answer" }>,
    body: Buffer,
    usage: TokenUsage,
    identity: AnswerIdentity,
  ): Buffer;
}

export function answerPath(caller: ChatDialect, upstream: UpstreamDialect): AnswerPath {
  return caller.native === upstream.protocol
    ? passingPath(caller)
    : translatingPath(caller, upstream);
}

function passingPath(caller: ChatDialect): AnswerPath {
  return {
    translated: false,
    writeRequest(request, { model, stream, refusesUsage, droppedTools }) {
      const dropped = droppedTools === undefined ? {} : { droppedTools };
      const usage = refusesUsage === true ? "never" : true;
      const body = stream
        ? request.rewrite({ model, stream, includeUsage: usage, ...dropped })
        : request.rewrite({ model, includeUsage: false, ...dropped });
      return { ok: true, body };
    },
    createWriter: (identity) => caller.createNativeWriter(identity),
    createCollector(identity) {
      const assembler = caller.createAssembler();
      return {
        push(frame) {
          if (frame.payload !== null) assembler.add(frame.payload);
        },
        finish(usage, stopped) {
          return ownAnswer(caller, assembler.finish(usage, stopped), identity);
        },
      };
    },
    wholeAnswer(answer, body, usage, identity) {
      const shown = caller.showUsage(body, answer.reportedUsage, usage);
      return ownAnswer(caller, shown, identity, shown === body ? answer.modelAt : null);
    },
  };
}

/**
 * A whole answer with what is the gateway's own in it. `modelAt`: where its model's name stands;
 * null where that is to be looked for.
 */
function ownAnswer(
  caller: ChatDialect,
  body: Buffer,
  identity: AnswerIdentity,
  modelAt: ByteRange | null = null,
): Buffer {
  const { answerModel } = identity;
  const named = answerModel === null ? body : renamed(caller, body, answerModel, modelAt);
  return caller.ownAnswer === undefined ? named : caller.ownAnswer(named, identity);
}

function renamed(
  caller: ChatDialect,
  body: Buffer,
  model: string,
  modelAt: ByteRange | null,
): Buffer {
  return modelAt === null
    ? caller.renameModel(body, model)
    : spliceBytes(body, [{ start: modelAt.start, end: modelAt.end, text: JSON.stringify(model) }]);
}

function translatingPath(caller: ChatDialect, upstream: UpstreamDialect): AnswerPath {
  return {
    translated: true,
    writeRequest(request, target) {
      const reading = request.neutral(target.seal);
      return reading.ok ? upstream.writeRequest(reading.request, target) : reading;
    },
    createWriter(identity) {
      const read = upstream.createEventReader();
      const writer = caller.createEventWriter(identity);
      const render = (events: readonly WireEvent[]): Buffer | null =>
        events.length === 0 ? null : caller.renderEvents(events);
      return {
        write: (frame) => render(writer.write(read(frame))),
        writeAll: (frames) =>
          render(
            frames.length === 1 && frames[0] !== undefined
              ? writer.write(read(frames[0]))
              : frames.flatMap((frame) => writer.write(read(frame))),
          ),
        end: (_done, usage) =>
          Buffer.concat([
            caller.renderEvents([...writer.write(read(null)), ...writer.end(usage)]),
            caller.streamEnd,
          ]),
        limitStop: (usage) =>
          Buffer.concat([caller.renderEvents(writer.limitStop(usage)), caller.streamEnd]),
        ...(writer.failed === undefined
          ? {}
          : { failed: (fault) => caller.renderEvents(writer.failed?.(fault) ?? []) }),
      };
    },
    createCollector(identity) {
      const read = upstream.createEventReader();
      const writer = caller.createEventWriter(wholeIdentity(identity));
      const assembler = caller.createAssembler();
      return {
        push: (frame) => addAll(assembler, writer.write(read(frame))),
        finish(usage, stopped) {
          if (!stopped) addAll(assembler, writer.write(read(null)));
          addAll(assembler, stopped ? writer.limitStop(usage) : writer.end(usage));
          return assembler.finish(null);
        },
      };
    },
    wholeAnswer(answer, _body, usage, identity) {
      const writer = caller.createEventWriter(wholeIdentity(identity));
      const assembler = caller.createAssembler();
      addAll(assembler, writer.write(upstream.answerEvents(answer.data)));
      addAll(assembler, writer.end(usage));
      return assembler.finish(null);
    },
  };
}

/**
 * Of an answer that is given whole: its usage is known before it begins, so nothing is shown in its
 * place.
 */
function wholeIdentity(identity: AnswerIdentity): AnswerIdentity {
  return { ...identity, includeUsage: true, promptTokens: 0 };
}

function addAll(
  assembler: Assembler,
  events: ReturnType<ReturnType<ChatDialect["createEventWriter"]>["write"]>,
): void {
  for (const event of events) assembler.add(event);
}
