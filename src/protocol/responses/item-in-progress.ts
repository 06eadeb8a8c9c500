/** One output item of a Responses stream, put together from its events. */
import { isRecord } from "../json/is-record.ts";

type Fields = Record<string, unknown>;

/** The lists of parts of an item, and the member of an event that tells the place in each. */
const LISTS = { content: "content_index", summary: "summary_index" } as const;
type List = keyof typeof LISTS;

interface DeltaPlace {
  /** The list in which the text stands; null: the item itself. */
  readonly list: List | null;
  readonly member: string;
  /** What the part is that no event has told of. */
  readonly part?: Fields;
}

const DELTAS: ReadonlyMap<unknown, DeltaPlace> = new Map<unknown, DeltaPlace>([
  [
    "response.output_text.delta",
    { list: "content", member: "text", part: { type: "output_text", annotations: [] } },
  ],
  ["response.refusal.delta", { list: "content", member: "refusal", part: { type: "refusal" } }],
  [
    "response.reasoning_text.delta",
    { list: "content", member: "text", part: { type: "reasoning_text" } },
  ],
  [
    "response.reasoning_summary_text.delta",
    { list: "summary", member: "text", part: { type: "summary_text" } },
  ],
  ["response.function_call_arguments.delta", { list: null, member: "arguments" }],
  ["response.custom_tool_call_input.delta", { list: null, member: "input" }],
  ["response.mcp_call_arguments.delta", { list: null, member: "arguments" }],
  ["response.code_interpreter_call_code.delta", { list: null, member: "code" }],
]);

const PARTS: ReadonlyMap<unknown, List> = new Map<unknown, List>([
  ["response.content_part.added", "content"],
  ["response.content_part.done", "content"],
  ["response.reasoning_summary_part.added", "summary"],
  ["response.reasoning_summary_part.done", "summary"],
]);

export class ItemInProgress {
  #item: Fields = {};
  readonly #parts: Readonly<Record<List, Map<number, Fields>>> = {
    content: new Map(),
    summary: new Map(),
  };
  #whole = false;
  /** Parts whose list of annotations is ours. */
  readonly #annotated = new WeakSet<Fields>();

  add(event: Fields): void {
    const { type, item, part } = event;
    if (this.#whole) return;
    if (type === "response.output_item.added" && isRecord(item)) this.#item = { ...item };
    else if (type === "response.output_item.done" && isRecord(item)) {
      this.#item = item;
      this.#whole = true;
    } else if (type === "response.output_text.annotation.added") this.#annotate(event);
    else if (isRecord(part)) this.#addPart(PARTS.get(type), event, part);
    else this.#addDelta(DELTAS.get(type), event);
  }

  /** As far as it was told; what is not whole says so. */
  fields(): Fields {
    if (this.#whole) return this.#item;
    const fields: Fields = { ...this.#item };
    for (const list of Object.keys(LISTS) as List[]) {
      const parts = [...this.#parts[list]].toSorted(([a], [b]) => a - b).map(([, part]) => part);
      if (parts.length > 0) fields[list] = parts;
    }
    if (fields["status"] === "in_progress") fields["status"] = "incomplete";
    return fields;
  }

  #addPart(list: List | undefined, event: Fields, part: Fields): void {
    const index = list === undefined ? null : event[LISTS[list]];
    if (list !== undefined && typeof index === "number") this.#parts[list].set(index, { ...part });
  }

  #annotate({ content_index: index, annotation }: Fields): void {
    const part = typeof index === "number" ? this.#parts.content.get(index) : undefined;
    const annotations = part?.["annotations"];
    if (part === undefined || annotation === undefined) return;
    // Not the event's own list: it is not ours to change.
    if (this.#annotated.has(part) && Array.isArray(annotations)) annotations.push(annotation);
    else {
      this.#annotated.add(part);
      part["annotations"] = [
        ...(Array.isArray(annotations) ? (annotations as unknown[]) : []),
        annotation,
      ];
    }
  }

  #addDelta(place: DeltaPlace | undefined, event: Fields): void {
    const { delta } = event;
    if (place === undefined || typeof delta !== "string") return;
    const holder = place.list === null ? this.#item : this.#partAt(place, place.list, event);
    if (holder === null) return;
    const before = holder[place.member];
    holder[place.member] = (typeof before === "string" ? before : "") + delta;
  }

  #partAt({ part }: DeltaPlace, list: List, event: Fields): Fields | null {
    const index = event[LISTS[list]];
    if (typeof index !== "number") return null;
    const known = this.#parts[list].get(index);
    if (known !== undefined) return known;
    const begun: Fields = { ...part };
    this.#parts[list].set(index, begun);
    return begun;
  }
}
