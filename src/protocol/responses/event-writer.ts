/** Writes an answer that came in another protocol as the events of a Responses stream. */
import type { Fault } from "../../kernel/faults.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";
import type { AnswerIdentity, EventWriter, WireEvent } from "../chat-dialect.ts";
import type { FinishReason, NeutralEvent } from "../neutral/neutral-event.ts";
import { sealCallId } from "../sealed-call-id.ts";
import { failureOf } from "./failure-code.ts";
import { readItems } from "./read-items.ts";
import { readTools, type FlatTool } from "./read-tools.ts";
import { itemId } from "./response-ids.ts";
import { responseResource, type ResponseState } from "./response-resource.ts";
import { renderResponsesUsage } from "./read-usage.ts";
import type { ToolOrigin } from "./tool-names.ts";
import { callPrefix, createCallWriter, type CallWriter } from "./write-call.ts";
import { createMessageWriter, type MessageWriter } from "./write-message.ts";
import { createReasoningWriter, writeRedacted, type ReasoningWriter } from "./write-reasoning.ts";

type Item = Record<string, unknown>;

/**
 * What a refusal without words says: in this protocol no other sign of it reaches a client that
 * does not ask again, and pays again, for an answer that was filtered.
 */
const REFUSED = "The model declined to answer this.";

interface OpenCall {
  readonly index: number;
  readonly writer: CallWriter;
  over: boolean;
}

/** Only what is open takes pieces; a message or a thought is over when something else follows. */
type OpenItem =
  | { readonly kind: "message"; readonly index: number; readonly writer: MessageWriter }
  | { readonly kind: "reasoning"; readonly index: number; readonly writer: ReasoningWriter };

/** The tools as the caller knows them, by their names in the flat list. */
function toolsOf({ asked }: AnswerIdentity): ReadonlyMap<string, FlatTool> {
  if (asked === undefined) return new Map();
  const { body } = asked.request;
  try {
    const { found } = readItems(body["input"], asked.seal);
    return readTools(body["tools"], found);
  } catch {
    // It could not be translated, so it was not sent; an answer to it has no calls.
    return new Map();
  }
}

class ResponseWriter implements EventWriter {
  readonly #identity: AnswerIdentity;
  readonly #output: (Item | undefined)[] = [];
  readonly #calls = new Map<number, OpenCall>();
  #tools: ReadonlyMap<string, FlatTool> | null = null;
  #events: WireEvent[] = [];
  #number = 0;
  #model: string;
  #begun = false;
  #ended = false;
  #refused = false;
  #open: OpenItem | null = null;
  #finish: FinishReason | null = null;
  /** What its caller had got before the events of its end were made; null until they are. */
  #beforeEnd: { readonly number: number; readonly begun: boolean } | null = null;

  constructor(identity: AnswerIdentity) {
    this.#identity = identity;
    this.#model = identity.answerModel ?? identity.model;
  }

  write(events: readonly NeutralEvent[]): WireEvent[] {
    if (!this.#ended) for (const event of events) this.#writeOne(event);
    return this.#taken();
  }

  end(usage: TokenUsage): WireEvent[] {
    return this.#close(this.#finish ?? "stop", usage);
  }

  limitStop(usage: TokenUsage): WireEvent[] {
    return this.#close(this.#finish ?? "length", usage);
  }

  failed(fault: Fault): WireEvent[] {
    this.#beginEnd();
    this.#say("response.failed", {
      status: "failed",
      output: this.#items(),
      usage: null,
      error: failureOf(fault),
    });
    return this.#taken();
  }

  #taken(): WireEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  readonly #emit = (type: string, fields: Item): void => {
    this.#events.push({ type, sequence_number: this.#number, ...fields });
    this.#number += 1;
  };

  #say(type: string, state: ResponseState): void {
    this.#emit(type, { response: responseResource(this.#identity, this.#model, state) });
  }

  #items(): Item[] {
    return this.#output.filter((item) => item !== undefined);
  }

  /** Also where an end was made that never left: this one goes on from what was before that. */
  #beginEnd(): void {
    if (this.#beforeEnd === null) this.#beforeEnd = { number: this.#number, begun: this.#begun };
    else {
      this.#number = this.#beforeEnd.number;
      this.#begun = this.#beforeEnd.begun;
    }
    this.#begin();
    this.#ended = true;
  }

  #begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    const state: ResponseState = { status: "in_progress", output: [], usage: null };
    this.#say("response.created", state);
    this.#say("response.in_progress", state);
  }

  #writeOne(event: NeutralEvent): void {
    if (event.kind === "start") {
      this.#model = this.#identity.answerModel ?? event.model ?? this.#model;
      return this.#begin();
    }
    this.#begin();
    switch (event.kind) {
      case "text":
        if (event.text !== "") this.#message().add("output_text", event.text);
        return;
      case "refusal":
        this.#refused = true;
        if (event.text !== "") this.#message().add("refusal", event.text);
        return;
      case "thinking":
        if (event.text !== "") this.#reasoning().add(event.text);
        return;
      case "thinking-end":
        // A seal without thoughts is how a vendor hides them: it must come back all the same.
        if (event.signature !== null) this.#reasoning();
        if (this.#open?.kind === "reasoning") this.#closeOpen("completed", event.signature);
        return;
      case "redacted-thinking":
        return this.#redacted(event.data);
      case "tool-start":
        return this.#call(event);
      case "tool-arguments": {
        const call = this.#calls.get(event.call);
        if (call !== undefined && !call.over) call.writer.add(event.json);
        return;
      }
      case "finish":
        this.#finish = event.reason;
    }
  }

  #next(prefix: string): { readonly id: string; readonly index: number } {
    const index = this.#output.length;
    this.#output.push(undefined);
    return { id: itemId(prefix, this.#identity.requestId, index), index };
  }

  #message(): MessageWriter {
    if (this.#open?.kind === "message") return this.#open.writer;
    this.#closeOthers();
    const { id, index } = this.#next("msg");
    const writer = createMessageWriter(this.#emit, id, index);
    this.#open = { kind: "message", index, writer };
    return writer;
  }

  #reasoning(): ReasoningWriter {
    if (this.#open?.kind === "reasoning") return this.#open.writer;
    this.#closeOthers();
    const { id, index } = this.#next("rs");
    const writer = createReasoningWriter(this.#emit, this.#seal, id, index);
    this.#open = { kind: "reasoning", index, writer };
    return writer;
  }

  #redacted(data: string): void {
    this.#closeOthers();
    const { id, index } = this.#next("rs");
    this.#output[index] = writeRedacted(this.#emit, this.#seal, id, index, data);
  }

  #call({ call, id: callId, name, seal }: Extract<NeutralEvent, { kind: "tool-start" }>): void {
    if (this.#calls.has(call)) return;
    this.#closeOthers();
    const origin = this.#originOf(name);
    const { id, index } = this.#next(callPrefix(origin));
    const place = { id, callId: sealCallId(callId, seal), index };
    const writer = createCallWriter(this.#emit, place, origin);
    this.#calls.set(call, { index, writer, over: false });
  }

  get #seal() {
    return this.#identity.asked?.seal ?? null;
  }

  #originOf(name: string): ToolOrigin {
    this.#tools ??= toolsOf(this.#identity);
    return this.#tools.get(name)?.origin ?? { kind: "function", name, namespace: null };
  }

  #closeOpen(status: "completed" | "incomplete", signature: string | null = null): void {
    const open = this.#open;
    if (open === null) return;
    this.#open = null;
    this.#output[open.index] =
      open.kind === "message" ? open.writer.end(status) : open.writer.end(signature);
  }

  /** Something else begins: a call whose arguments are whole has got all of them. */
  #closeOthers(): void {
    this.#closeOpen("completed");
    for (const call of this.#calls.values())
      if (!call.over && call.writer.whole) this.#closeCall(call, false);
  }

  #closeCall(call: OpenCall, cut: boolean): void {
    call.over = true;
    this.#output[call.index] = call.writer.end(cut) ?? undefined;
  }

  #close(reason: FinishReason, usage: TokenUsage): WireEvent[] {
    if (this.#ended) return this.#taken();
    this.#beginEnd();
    const cut = reason === "length" || reason === "context-full";
    if (reason === "refusal" && !this.#refused) this.#message().add("refusal", REFUSED);
    this.#closeOpen(cut ? "incomplete" : "completed");
    for (const call of this.#calls.values())
      if (!call.over) this.#closeCall(call, cut && !call.writer.whole);
    const state = { output: this.#items(), usage: renderResponsesUsage(usage) };
    if (cut)
      this.#say("response.incomplete", {
        ...state,
        status: "incomplete",
        incompleteReason: "max_output_tokens",
      });
    else this.#say("response.completed", { ...state, status: "completed" });
    return this.#taken();
  }
}

/**
 * The whole sequence that strict clients check: created, in_progress, every item added, its pieces
 * and its end, and at the end of the stream exactly one of completed, incomplete and failed, since
 * a client that misses it asks again. A refusal is a completed response: an incomplete one would be
 * asked for again, too.
 */
export function createResponseWriter(identity: AnswerIdentity): EventWriter {
  return new ResponseWriter(identity);
}
