/**
 * A Responses upstream's stream for a caller of the same protocol: bytes pass, but for the
 * response's own id, its model's name, and the usage that was charged.
 */
import type { Fault } from "../../kernel/faults.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";
import type { AnswerIdentity, Frame, StreamWriter, WireEvent } from "../chat-dialect.ts";
import { joinPieces } from "../join-pieces.ts";
import { isRecord } from "../json/is-record.ts";
import { endEvents, EndedParts } from "./end-events.ts";
import { failureOf } from "./failure-code.ts";
import { ItemInProgress } from "./item-in-progress.ts";
import { patchEvent, type ResponseMembers } from "./patch-response.ts";
import { renderResponsesUsage } from "./read-usage.ts";
import { renderResponseEvents } from "./render-events.ts";
import { responseId } from "./response-ids.ts";
import { responseResource } from "./response-resource.ts";
import { shownResponsesUsage } from "./shown-usage.ts";

type Fields = Record<string, unknown>;

const ENDS: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete"]);

/** The members of a response that are not its upstream's. */
export function ownMembers({ requestId, answerModel, asked }: AnswerIdentity): ResponseMembers {
  const previous = asked?.request.body["previous_response_id"] ?? null;
  const own = {
    id: JSON.stringify(responseId(requestId)),
    store: String(asked?.keeps === true),
    ...(previous === null ? {} : { previous_response_id: JSON.stringify(previous) }),
  };
  return answerModel === null ? own : { ...own, model: JSON.stringify(answerModel) };
}

function parsed(members: ResponseMembers): Fields {
  return Object.fromEntries(
    Object.entries(members).map(([name, json]) => [name, JSON.parse(json) as unknown]),
  );
}

export function createResponsePasser(identity: AnswerIdentity): StreamWriter {
  return new ResponsePasser(identity);
}

class ResponsePasser implements StreamWriter {
  readonly #identity: AnswerIdentity;
  readonly #items = new Map<number, ItemInProgress>();
  readonly #ended = new EndedParts();
  /** As the upstream has told it at the beginning. */
  #head: Fields | null = null;
  /** The number of the event that was delivered last; ends that are made here go on from it. */
  #number = -1;
  /** The last event that came with a piece of an item. */
  #piece: Fields | null = null;
  /** What events have said since that were this one with another text; not yet in the item. */
  #more = "";
  /** The end of the response, which waits until it is known what was charged. */
  #last: { readonly bytes: Buffer; readonly event: Fields; readonly response: Fields } | null =
    null;

  constructor(identity: AnswerIdentity) {
    this.#identity = identity;
  }

  write(frame: Frame): Buffer | null {
    // What repeats the frame before it is a piece of the same item.
    if (frame.repeats === true && this.#piece !== null) {
      this.#number += 1;
      this.#more += frame.text;
      return frame.bytes;
    }
    const { payload } = frame;
    if (payload === null || frame.kind !== "data")
      return frame.bytes.length === 0 ? null : frame.bytes;
    return this.#event(frame.bytes, payload);
  }

  writeAll(frames: readonly Frame[]): Buffer | null {
    return joinPieces(frames, this);
  }

  end(done: Frame | null, usage: TokenUsage): Buffer | null {
    if (this.#last === null && done?.payload !== null && done !== null)
      this.#event(done.bytes, done.payload);
    return this.#lastWith(usage);
  }

  limitStop(usage: TokenUsage): Buffer {
    const last = this.#lastWith(usage);
    if (last !== null) return last;
    const events = this.#begin();
    const output: Fields[] = [];
    for (const [index, item] of this.#ordered()) {
      const fields = item.fields();
      const ends = endEvents(index, fields, this.#ended);
      if (ends === null) continue;
      for (const event of ends) events.push(event);
      output.push(fields);
    }
    events.push({
      type: "response.incomplete",
      response: {
        ...this.#response(),
        status: "incomplete",
        incomplete_details: { reason: "max_output_tokens" },
        output,
        usage: renderResponsesUsage(usage),
      },
    });
    return this.#rendered(events);
  }

  failed(fault: Fault): Buffer {
    const events = this.#begin();
    const response = {
      ...this.#response(),
      status: "failed",
      // No request could go on from it.
      store: false,
      error: failureOf(fault),
      output: this.#ordered().map(([, item]) => item.fields()),
    };
    return this.#rendered([...events, { type: "response.failed", response }]);
  }

  #event(bytes: Buffer, payload: Fields): Buffer | null {
    const { sequence_number: number, type, response } = payload;
    if (isRecord(response) && ENDS.has(type)) {
      this.#head ??= response;
      this.#last = { bytes, event: payload, response };
      return null;
    }
    this.#number = typeof number === "number" ? number : this.#number + 1;
    if (!isRecord(response)) {
      this.#note(payload);
      return bytes;
    }
    this.#head ??= response;
    return this.#own(bytes, payload, response, ownMembers(this.#identity));
  }

  #note(event: Fields): void {
    this.#noteMore();
    this.#piece = typeof event["delta"] === "string" ? event : null;
    this.#add(event);
  }

  #noteMore(): void {
    if (this.#more === "" || this.#piece === null) return;
    this.#add({ ...this.#piece, delta: this.#more });
    this.#more = "";
  }

  #add(event: Fields): void {
    const { output_index: index } = event;
    if (typeof index !== "number") return;
    let item = this.#items.get(index);
    if (item === undefined) this.#items.set(index, (item = new ItemInProgress()));
    item.add(event);
    this.#ended.add(event);
  }

  #lastWith(usage: TokenUsage): Buffer | null {
    if (this.#last === null) return null;
    const { bytes, event, response } = this.#last;
    const shown = shownResponsesUsage(response["usage"], usage);
    const own = ownMembers(this.#identity);
    const members = shown === null ? own : { ...own, usage: JSON.stringify(shown) };
    return this.#own(bytes, event, response, members);
  }

  #own(bytes: Buffer, event: Fields, response: Fields, members: ResponseMembers): Buffer {
    const patched = patchEvent(bytes, members);
    if (patched !== null) return patched;
    const whole: WireEvent = { ...event, response: { ...response, ...parsed(members) } };
    return renderResponseEvents([whole]);
  }

  /** What is missing of the beginning of a stream that was stopped before it said anything. */
  #begin(): WireEvent[] {
    const response = this.#response();
    const created = { type: "response.created", response };
    const running = { type: "response.in_progress", response };
    if (this.#head === null) return [created, running];
    return this.#number === 0 ? [running] : [];
  }

  #response(): Fields {
    const { answerModel, model } = this.#identity;
    const state = { status: "in_progress", output: [], usage: null } as const;
    if (this.#head === null) return responseResource(this.#identity, answerModel ?? model, state);
    return { ...this.#head, ...parsed(ownMembers(this.#identity)) };
  }

  /** As far as they have come. */
  #ordered(): [number, ItemInProgress][] {
    this.#noteMore();
    return [...this.#items].toSorted(([a], [b]) => a - b);
  }

  #rendered(events: readonly WireEvent[]): Buffer {
    return renderResponseEvents(
      events.map(({ type, ...fields }, at) => ({
        type,
        sequence_number: this.#number + 1 + at,
        ...fields,
      })),
    );
  }
}
