/**
 * Goes through the prompt and the tools of a request for what makes them dearer, or names an object
 * of the operator's.
 */
import type { PriceRaise } from "../../kernel/price-raises.ts";
import { isRecord } from "../json/is-record.ts";
import { isForeignPart } from "./foreign-ids.ts";
import { RAISING_PARTS } from "./raising-fields.ts";

/** The members of a body that are prompt. */
const WALKED: readonly string[] = ["system", "messages", "tools"];
/**
 * What a tool takes or was called with is the caller's own, what an answer cited is an echo: no
 * field in it asks for anything.
 */
const SILENT: ReadonlySet<string> = new Set([
  "input",
  "input_schema",
  "parameters",
  "arguments",
  "citations",
]);

/** The path of where the walk is: one for all, because no walk is left before its end. */
const STEPS: (string | number)[] = [];

export class PartWalk {
  /** At most one for each kind of it: the first counts. */
  readonly raises: PriceRaise[] = [];
  /** The path of the first id of an object that is not the caller's; null where there is none. */
  foreignId: string | null = null;
  readonly #walked: readonly string[];
  #depth = 0;

  constructor(walked = WALKED) {
    this.#walked = walked;
  }

  walk(body: Record<string, unknown>): void {
    this.#mark("cache_control", body["cache_control"]);
    for (const name of this.#walked)
      if (typeof body[name] === "object") this.#visit(body[name], name);
  }

  #visit(value: unknown, step: string | number): void {
    if (typeof value !== "object" || value === null) return;
    STEPS[this.#depth] = step;
    this.#depth += 1;
    if (Array.isArray(value)) for (let i = 0; i < value.length; i++) this.#visit(value[i], i);
    else this.#visitRecord(value as Record<string, unknown>);
    this.#depth -= 1;
  }

  #visitRecord(record: Record<string, unknown>): void {
    if (isAudio(record)) this.#media();
    for (const name in record) {
      if (!Object.hasOwn(record, name)) continue;
      const value = record[name];
      if (name === "cache_control" || name === "prompt_cache_breakpoint") this.#mark(name, value);
      else if (isForeignPart(name, record)) this.foreignId ??= this.#param(name);
      // Of an earlier answer in sound; in a request it says how the next one is to sound.
      else if (name === "audio" && record["role"] === "assistant" && isRecord(value))
        this.foreignId ??= this.#param("audio.id");
      else if (!SILENT.has(name)) this.#visit(value, name);
    }
  }

  #mark(name: string, mark: unknown): void {
    if (mark === null || mark === undefined || (name === "cache_control" && !isRecord(mark)))
      return;
    const life = isRecord(mark) && mark["ttl"] === "1h" ? "1h" : "5m";
    if (this.raises.some((raise) => raise.kind === "cacheWrite" && raise.life === life)) return;
    this.raises.push({ kind: "cacheWrite", param: this.#param(name), life });
  }

  #media(): void {
    if (this.raises.some(({ kind }) => kind === "media")) return;
    this.raises.push({ kind: "media", param: this.#param(null), media: "audioInput" });
  }

  #param(name: string | null): string {
    let param = "";
    const path = STEPS.slice(0, this.#depth);
    for (const step of name === null ? path : [...path, name]) {
      if (typeof step === "number") param += `[${step}]`;
      else param += param === "" ? step : `.${step}`;
    }
    return param;
  }
}

/** A part whose type says so, or a file of sound. */
function isAudio({ type, file }: Record<string, unknown>): boolean {
  if (typeof type !== "string") return false;
  if (RAISING_PARTS.get(type)?.meaning.kind === "media") return true;
  return (
    type === "file" &&
    isRecord(file) &&
    typeof file["file_data"] === "string" &&
    file["file_data"].startsWith("data:audio/")
  );
}
