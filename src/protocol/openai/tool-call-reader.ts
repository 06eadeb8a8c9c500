/**
 * Follows the tool calls of one answer through its deltas, however an upstream numbers, names and
 * cuts them.
 */
import { isRecord } from "../json/is-record.ts";
import type { NeutralEvent } from "../neutral/neutral-event.ts";
import { createCallFinder, type KnownCall } from "./find-call.ts";
import { readCallSeal } from "./call-seal.ts";
import { argumentsText } from "./generated-text.ts";

export interface ToolCallReader {
  /** `list` is `tool_calls` of a delta, or of a message; what it says is added to `events`. */
  read(list: readonly unknown[], events: NeutralEvent[]): void;
  /** Starts what has been named and waits: the answer is over, or goes on with something else. */
  flush(events: NeutralEvent[]): void;
  /** How many calls have been started. */
  started(): number;
}

class CallInProgress implements KnownCall {
  id = "";
  name = "";
  seal = "";
  /**
   * Null until it is started: names may come in pieces, so that waits for the first piece of the
   * arguments.
   */
  number: number | null = null;

  get begun(): boolean {
    return this.number !== null;
  }
}

function nonEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A name may come whole, in pieces, whole again with every delta, or longer each time. */
function joinNames(before: string, next: string): string {
  return next.startsWith(before) ? next : before + next;
}

/** `makeId` names the call of a number that its upstream has not named. */
export function createToolCallReader(makeId: (number: number) => string): ToolCallReader {
  const { calls, find } = createCallFinder(() => new CallInProgress());
  let started = 0;

  function start(call: CallInProgress): NeutralEvent {
    call.number = started++;
    const { number, id, name, seal } = call;
    const begun = {
      kind: "tool-start",
      call: number,
      id: id === "" ? makeId(number) : id,
      name,
    } as const;
    return seal === "" ? begun : { ...begun, seal };
  }

  function flush(events: NeutralEvent[]): void {
    for (const call of calls)
      if (call.number === null && call.name !== "") events.push(start(call));
  }

  function readOne(item: unknown, position: number, count: number, events: NeutralEvent[]): void {
    if (!isRecord(item)) return;
    const called = isRecord(item["function"]) ? item["function"] : {};
    const id = nonEmpty(item["id"]);
    const name = nonEmpty(called["name"]);
    const json = argumentsText(called["arguments"]);
    const known = calls.length;
    const call = find({ index: item["index"], id, name, position, count });
    if (call === null) return;
    if (calls.length > known) flush(events);
    if (call.number === null) {
      if (call.id === "") call.id = id;
      if (call.seal === "") call.seal = readCallSeal(item);
      call.name = joinNames(call.name, name);
    }
    if (json === "") return;
    if (call.number === null) events.push(start(call));
    if (call.number !== null) events.push({ kind: "tool-arguments", call: call.number, json });
  }

  return {
    read(list, events) {
      for (let position = 0; position < list.length; position++)
        readOne(list[position], position, list.length, events);
    },
    flush,
    started: () => started,
  };
}
