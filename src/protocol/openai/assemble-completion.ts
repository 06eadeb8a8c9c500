/**
 * Puts a streamed answer together again as the non-streamed one that the same upstream would have
 * given.
 */
import { isRecord } from "../json/is-record.ts";
import { createMessageMerger, mergeField, type MessageMerger } from "./merge-delta.ts";

export interface CompletionAssembler {
  /**
   * The parsed chunk (`ChatChunk.data`), in order of arrival. It is not changed, but parts of it
   * may be kept.
   */
  add(data: Record<string, unknown>): void;
  /** Choices that were seen and carry no finish reason, ascending. */
  openChoices(): number[];
  /**
   * The `chat.completion` object. `finishOpenAs` is the finish reason given to open choices
   * (`length` when the balance stopped the stream); without it the one that the upstream of a whole
   * answer has left out: `tool_calls` after a call, else `stop`.
   */
  completion(finishOpenAs?: string): Record<string, unknown>;
}

interface ChoiceInProgress {
  readonly message: MessageMerger;
  finishReason: unknown;
  logprobs: Map<string, unknown> | null;
  /** Fields of the choice that the protocol does not name, e.g. vLLM's `stop_reason`. */
  readonly others: Map<string, unknown>;
}

/**
 * What the assembler treats by its own rule, or what belongs to the stream and not to the answer.
 */
const CHUNK_FIELDS: ReadonlySet<string> = new Set([
  "id",
  "object",
  "created",
  "model",
  "choices",
  "usage",
  "obfuscation",
]);
const CHOICE_FIELDS: ReadonlySet<string> = new Set([
  "index",
  "delta",
  "message",
  "finish_reason",
  "logprobs",
]);

/** A later null does not take away what was said before. */
function setUnlessNull(fields: Map<string, unknown>, name: string, value: unknown): void {
  if (value !== null || !fields.has(name)) fields.set(name, value);
}

/**
 * Rules, from OpenAI's schemas of `chat.completion` and `chat.completion.chunk`: choices by index;
 * text, tool arguments and log probabilities are joined; the last usage, finish reason and
 * top-level value that is not null wins; stream-only padding (`obfuscation`) goes. Fields that the
 * schema does not name are kept (see merge-delta.ts).
 */
export function createCompletionAssembler(): CompletionAssembler {
  const head = new Map<string, unknown>([
    ["id", ""],
    ["created", 0],
    ["model", ""],
  ]);
  const others = new Map<string, unknown>();
  const choices = new Map<number, ChoiceInProgress>();
  let usage: unknown = null;

  function choiceAt(index: number): ChoiceInProgress {
    const known = choices.get(index);
    if (known !== undefined) return known;
    const begun: ChoiceInProgress = {
      message: createMessageMerger(),
      finishReason: null,
      logprobs: null,
      others: new Map(),
    };
    choices.set(index, begun);
    return begun;
  }

  function addChoice(raw: unknown, position: number): void {
    if (!isRecord(raw)) return;
    const index = typeof raw["index"] === "number" ? raw["index"] : position;
    const choice = choiceAt(index);
    if (isRecord(raw["delta"])) choice.message.add(raw["delta"]);
    else if (isRecord(raw["message"])) choice.message.fillIn(raw["message"]);
    if (raw["finish_reason"] !== undefined && raw["finish_reason"] !== null)
      choice.finishReason = raw["finish_reason"];
    if (isRecord(raw["logprobs"])) {
      choice.logprobs ??= new Map();
      for (const [name, value] of Object.entries(raw["logprobs"]))
        mergeField(choice.logprobs, name, value);
    }
    for (const [name, value] of Object.entries(raw)) {
      if (CHOICE_FIELDS.has(name)) continue;
      // Token lists come in pieces; a word such as the upstream's own finish reason is said whole.
      if (Array.isArray(value)) mergeField(choice.others, name, value);
      else setUnlessNull(choice.others, name, value);
    }
  }

  function openChoices(): number[] {
    return [...choices]
      .flatMap(([index, { finishReason }]) => (finishReason === null ? [index] : []))
      .toSorted((a, b) => a - b);
  }

  return {
    add(data) {
      for (const name of head.keys()) {
        const value = data[name];
        // A late usage chunk may come with an empty id.
        if (value !== undefined && value !== null && value !== "") head.set(name, value);
      }
      if (data["usage"] !== undefined && data["usage"] !== null) usage = data["usage"];
      for (const [name, value] of Object.entries(data)) {
        if (!CHUNK_FIELDS.has(name)) setUnlessNull(others, name, value);
      }
      if (Array.isArray(data["choices"])) data["choices"].forEach(addChoice);
    },
    openChoices,
    completion(finishOpenAs) {
      const ordered = [...choices].toSorted(([a], [b]) => a - b);
      return Object.fromEntries<unknown>([
        ["id", head.get("id")],
        ["object", "chat.completion"],
        ["created", head.get("created")],
        ["model", head.get("model")],
        [
          "choices",
          ordered.map(([index, choice]) =>
            Object.fromEntries<unknown>([
              ["index", index],
              ["message", choice.message.message()],
              ["logprobs", choice.logprobs === null ? null : Object.fromEntries(choice.logprobs)],
              [
                "finish_reason",
                choice.finishReason ??
                  finishOpenAs ??
                  (choice.message.called ? "tool_calls" : "stop"),
              ],
              ...choice.others,
            ]),
          ),
        ],
        ...(usage === null ? [] : ([["usage", usage]] as const)),
        ...others,
      ]);
    },
  };
}
