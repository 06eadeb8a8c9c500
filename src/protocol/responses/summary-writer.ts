/**
 * Writes a summary of a conversation as its caller gets it: one sealed item, whatever the model said
 * on the way, and nothing of it before all is known.
 */
import { Fault } from "../../kernel/faults.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";
import type { AccountSeal } from "../account-seal.ts";
import type { AnswerIdentity, EventWriter, WireEvent } from "../chat-dialect.ts";
import type { FinishReason, NeutralEvent } from "../neutral/neutral-event.ts";
import { compactionItem, isSummary } from "./compaction.ts";
import { failureOf } from "./failure-code.ts";
import { inputItems, type Item } from "./input-items.ts";
import { renderResponsesUsage } from "./read-usage.ts";
import { itemId } from "./response-ids.ts";
import { responseResource, type ResponseState } from "./response-resource.ts";

/** What stands in the output before the summary. */
type Kept = (identity: AnswerIdentity) => readonly Item[];

const NOTHING: readonly Item[] = [];

class SummaryWriter implements EventWriter {
  readonly #identity: AnswerIdentity;
  readonly #kept: readonly Item[];
  #events: WireEvent[] = [];
  #number = 0;
  #model: string;
  #begun = false;
  #text = "";
  #finish: FinishReason | null = null;
  /** What its caller had got before the events of its end were made; null until they are. */
  #beforeEnd: { readonly number: number; readonly begun: boolean } | null = null;

  constructor(identity: AnswerIdentity, kept: readonly Item[]) {
    this.#identity = identity;
    this.#kept = kept;
    this.#model = identity.answerModel ?? identity.model;
  }

  write(events: readonly NeutralEvent[]): WireEvent[] {
    for (const event of events) this.#note(event);
    return this.#taken();
  }

  end(usage: TokenUsage): WireEvent[] {
    return this.#close(this.#finish ?? "stop", usage);
  }

  limitStop(usage: TokenUsage): WireEvent[] {
    return this.#close("length", usage);
  }

  failed(fault: Fault): WireEvent[] {
    this.#beginEnd();
    const error = failureOf(fault);
    this.#say("response.failed", { status: "failed", output: [], usage: null, error });
    return this.#taken();
  }

  #note(event: NeutralEvent): void {
    if (event.kind === "start")
      this.#model = this.#identity.answerModel ?? event.model ?? this.#model;
    this.#begin();
    if (event.kind === "text") this.#text += event.text;
    else if (event.kind === "finish") this.#finish = event.reason;
  }

  /** Also where an end was made that never left: this one goes on from what was before that. */
  #beginEnd(): void {
    if (this.#beforeEnd === null) this.#beforeEnd = { number: this.#number, begun: this.#begun };
    else {
      this.#number = this.#beforeEnd.number;
      this.#begun = this.#beforeEnd.begun;
      this.#events = [];
    }
    this.#begin();
  }

  #begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    const state: ResponseState = { status: "in_progress", output: [], usage: null };
    this.#say("response.created", state);
    this.#say("response.in_progress", state);
  }

  /** A summary that was cut off has lost what it did not come to: its caller is told. */
  #close(reason: FinishReason, usage: TokenUsage): WireEvent[] {
    this.#beginEnd();
    const cut = reason === "length" || reason === "context-full";
    const { seal } = this.#identity.asked ?? {};
    const none = seal === undefined || this.#text.trim() === "";
    if (none && !cut) throw noSummary();
    const output = none ? this.#kept : [...this.#kept, this.#item(seal)];
    const state = { output, usage: renderResponsesUsage(usage) };
    if (cut)
      this.#say("response.incomplete", {
        ...state,
        status: "incomplete",
        incompleteReason: "max_output_tokens",
      });
    else this.#say("response.completed", { ...state, status: "completed" });
    return this.#taken();
  }

  #item(seal: AccountSeal): Item {
    const index = this.#kept.length;
    const id = itemId("cmp", this.#identity.requestId, index);
    const item = compactionItem(seal, id, this.#text);
    this.#emit("response.output_item.added", {
      output_index: index,
      item: { ...item, encrypted_content: "" },
    });
    this.#emit("response.output_item.done", { output_index: index, item });
    return item;
  }

  #say(type: string, state: ResponseState): void {
    this.#emit(type, { response: responseResource(this.#identity, this.#model, state) });
  }

  #emit(type: string, fields: Item): void {
    this.#events.push({ type, sequence_number: this.#number, ...fields });
    this.#number += 1;
  }

  #taken(): WireEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}

function noSummary(): Fault {
  return new Fault("upstream_error", {
    message: "The model gave no summary of this conversation. Ask another one, or for less.",
    retryable: false,
  });
}

/** What was asked for in words stays as it was said, and its wish for a summary is no part of it. */
const instructionsAndUsers: Kept = ({ asked }) => {
  const items = asked === undefined ? NOTHING : inputItems(asked.request.body["input"]);
  return items
    .slice(0, -1)
    .filter(
      ({ type = "message", role }) =>
        type === "message" && role !== "assistant" && role !== undefined,
    )
    .filter((item) => !isSummary(item));
};

/** The one item alone: what `compaction_trigger` asks for. */
export function createSummaryWriter(identity: AnswerIdentity): EventWriter {
  return new SummaryWriter(identity, NOTHING);
}

/** Behind all that was asked: what `POST /v1/responses/compact` gives. */
export function createCompactionWriter(identity: AnswerIdentity): EventWriter {
  return new SummaryWriter(identity, instructionsAndUsers(identity));
}
