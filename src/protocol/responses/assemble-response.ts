/**
 * Puts a streamed response together again as the non-streamed one that the same upstream would have
 * given.
 */
import type { TokenUsage } from "../../kernel/token-usage.ts";
import type { Assembler, WireEvent } from "../chat-dialect.ts";
import { isRecord } from "../json/is-record.ts";
import { ItemInProgress } from "./item-in-progress.ts";
import { shownResponsesUsage } from "./shown-usage.ts";

type Fields = Record<string, unknown>;

const ENDS: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete"]);
const NOTHING: Fields = {};

/**
 * The last event holds the whole response, so that is the answer. Where it is missing, because the
 * balance stopped the answer, and where it leaves the output out, that is put together from the
 * pieces: the item as its end tells it, else as it began with its deltas joined.
 */
export function createResponseAssembler(): Assembler {
  let head: Fields = NOTHING;
  let last: Fields | null = null;
  const items = new Map<number, ItemInProgress>();

  function itemAt(index: number): ItemInProgress {
    const known = items.get(index);
    if (known !== undefined) return known;
    const item = new ItemInProgress();
    items.set(index, item);
    return item;
  }

  function outputOf(): Fields[] {
    return [...items].toSorted(([a], [b]) => a - b).map(([, item]) => item.fields());
  }

  return {
    add(event: WireEvent) {
      const { type, response, output_index: index } = event;
      if (isRecord(response)) {
        if (head === NOTHING) head = response;
        if (ENDS.has(type)) last = response;
      } else if (typeof index === "number") itemAt(index).add(event);
    },
    finish(usage: TokenUsage | null, stopped = false) {
      const whole = last ?? endOf(head, stopped);
      const reported = Array.isArray(whole["output"]) && whole["output"].length > 0;
      const output = reported ? whole["output"] : outputOf();
      const shown = usage === null ? null : shownResponsesUsage(whole["usage"], usage);
      return Buffer.from(
        JSON.stringify({ ...whole, output, ...(shown === null ? {} : { usage: shown }) }),
      );
    },
  };
}

/** The end that no event told. */
function endOf(head: Fields, stopped: boolean): Fields {
  return {
    object: "response",
    ...head,
    status: stopped ? "incomplete" : "completed",
    incomplete_details: stopped ? { reason: "max_output_tokens" } : null,
  };
}
