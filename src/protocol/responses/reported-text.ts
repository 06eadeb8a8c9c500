/** What each event of a Responses stream adds to the text of the answer. */
import { isRecord } from "../json/is-record.ts";
import { bodyText, closingText, deltaText, isSilent, nameText } from "./generated-text.ts";
import { OutputItems, type ReportedItem } from "./output-items.ts";

type Fields = Record<string, unknown>;

export interface Reported {
  readonly text: string;
  /** Something was generated beyond the text. */
  readonly silent: boolean;
}

const NOTHING: Reported = { text: "", silent: false };
/** Pictures and speech as they come. */
const SILENT_PIECES: ReadonlySet<unknown> = new Set([
  "response.audio.delta",
  "response.image_generation_call.partial_image",
]);

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/**
 * The protocol says everything up to four times: in deltas, and again with the end of the part, of
 * the item and of the answer. What was said counts once, wherever an upstream says it first: some
 * leave the deltas out, and some everything but the last event.
 */
export class ReportedText {
  readonly #items = new OutputItems<ReportedItem>(() => ({ reported: false, named: false }));
  /** Some text was told beside the names of calls, or an item to its end. */
  #reported = false;
  #named = false;

  /** `response` is what the last event says of the whole answer. */
  atEnd({ output }: Fields): Reported {
    if (this.#reported || !Array.isArray(output)) return NOTHING;
    let text = "";
    let silent = false;
    for (const item of (output as readonly unknown[]).filter(isRecord)) {
      text += (this.#named ? "" : nameText(item)) + bodyText(item);
      silent ||= isSilent(item);
    }
    return { text, silent };
  }

  /** `data` is an event that is no end of the answer. */
  of(data: Fields): Reported {
    const delta = deltaText(data);
    if (delta !== "") {
      this.#items.of(data).reported = true;
      this.#reported = true;
      return { text: delta, silent: false };
    }
    const closing = closingText(data);
    if (closing !== null) {
      const state = this.#items.of(data);
      const text = state.reported ? "" : closing;
      state.reported ||= text !== "";
      this.#reported ||= text !== "";
      return { text, silent: false };
    }
    const { type } = data;
    if (type === "response.output_item.added") {
      const item = fieldsOf(data["item"]);
      const text = nameText(item);
      this.#items.added(data).named = text !== "";
      this.#named ||= text !== "";
      return { text, silent: item["type"] !== "reasoning" && isSilent(item) };
    }
    if (type === "response.output_item.done") {
      const item = fieldsOf(data["item"]);
      const state = this.#items.of(data);
      const name = state.named ? "" : nameText(item);
      const body = state.reported ? "" : bodyText(item);
      state.named = true;
      state.reported = true;
      this.#reported = true;
      return { text: name + body, silent: isSilent(item) };
    }
    return SILENT_PIECES.has(type) ? { text: "", silent: true } : NOTHING;
  }
}
