/**
 * Reads a request of OpenAI's image endpoints as parameters of a table: what has an equivalent is
 * written as the table has it, all else is refused by name.
 */
import { nearestName } from "../../kernel/nearest-name.ts";
import type { ImageMap } from "./image-maps.ts";
import type { TaskParameter } from "./task-parameter.ts";
import type { TaskTable } from "./task-table.ts";

export type ImageFormat = "url" | "b64_json";

export interface ImageRequest {
  /**
   * The body of a task as it would be ordered with, not read yet; of edits the images themselves are
   * still to be added, under the map's name for them.
   */
  readonly body: Readonly<Record<string, unknown>>;
  /** In which form the images are answered. */
  readonly format: ImageFormat;
  /** They are answered as events. */
  readonly stream: boolean;
}

export interface ImageMistake {
  /** OpenAI's name of the field. */
  readonly param: string;
  readonly message: string;
}

export type ImageReading =
  | { readonly ok: true; readonly request: ImageRequest }
  | { readonly ok: false; readonly mistake: ImageMistake };

export interface ReadImageCall {
  readonly table: TaskTable;
  readonly map: ImageMap;
  /** As it was sent. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Of a form: numbers and flags come as texts. */
  readonly texts: boolean;
  /** Images to work on are given beside the fields. */
  readonly edits: boolean;
}

/** GPT image models answer with the bytes whatever is asked, and so expect clients that say nothing. */
const USUAL_FORMAT: ImageFormat = "b64_json";
const FORMATS: readonly string[] = ["url", "b64_json"] satisfies ImageFormat[];
/** Fields by whose values the map says what they mean. */
const MAPPED = ["size", "quality", "background", "moderation"] as const;
/** They say who asks; no provider of tasks is told. */
const IGNORED: ReadonlySet<string> = new Set(["user", "safety_identifier"]);
/** What OpenAI's own models take and no table has, and the values that ask for nothing by it. */
const WITHOUT_EQUIVALENT: Readonly<Record<string, readonly unknown[]>> = {
  mask: [],
  markup: [],
  output_format: [],
  output_compression: [],
  style: [],
  input_fidelity: ["auto"],
};
const MOST_PARTIAL = 3;
const LONGEST_SHOWN = 60;

/**
 * The first mistake ends it: OpenAI's errors name one field. Whether the table takes what was
 * written is not looked at: the order of the task is read by the table.
 */
export function readImageRequest(call: ReadImageCall): ImageReading {
  const { table, map, edits } = call;
  const fields = new Map(
    Object.entries(call.fields)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [name, call.texts ? typed(name, value, table) : value]),
  );
  const own: Record<string, unknown> = {};
  /** Which field set a parameter. */
  const setBy = new Map<string, string>();
  const set = (
    field: string,
    parameters: Readonly<Record<string, unknown>>,
  ): ImageMistake | null => {
    for (const [name, value] of Object.entries(parameters)) {
      const other = setBy.get(name);
      if (other !== undefined && own[name] !== value)
        return { param: field, message: `'${field}' and '${other}' ask for different things.` };
      own[name] = value;
      setBy.set(name, field);
    }
    return null;
  };
  const mistakes: (ImageMistake | null)[] = [];

  for (const [field, value] of fields) {
    if (field === "model" || IGNORED.has(field)) continue;
    if (field === "prompt") mistakes.push(set(field, { prompt: value }));
    else if (field === "n") mistakes.push(readCount(map, value, set));
    else if (field === "response_format") mistakes.push(readFormat(value, fields));
    else if (field === "stream") mistakes.push(readStream(value));
    else if (field === "partial_images") mistakes.push(readPartial(value, fields));
    else if (isMapped(field)) mistakes.push(readMapped(map, field, value, set));
    else if (Object.hasOwn(WITHOUT_EQUIVALENT, field))
      mistakes.push(readWithout(field, value, call));
    else if (isOwn(table, field, edits)) mistakes.push(set(field, { [field]: value }));
    else mistakes.push(unknown(table, field));
  }
  const mistake = mistakes.find((each) => each !== null) ?? null;
  if (mistake !== null) return { ok: false, mistake };
  const format = (fields.get("response_format") as ImageFormat | undefined) ?? USUAL_FORMAT;
  return { ok: true, request: { body: own, format, stream: fields.get("stream") === true } };
}

type SetParameters = (
  field: string,
  parameters: Readonly<Record<string, unknown>>,
) => ImageMistake | null;

function isMapped(field: string): field is (typeof MAPPED)[number] {
  return (MAPPED as readonly string[]).includes(field);
}

function readMapped(
  map: ImageMap,
  field: (typeof MAPPED)[number],
  value: unknown,
  set: SetParameters,
): ImageMistake | null {
  const meanings = map[field];
  const found =
    typeof value === "string" && Object.hasOwn(meanings, value) ? meanings[value] : undefined;
  if (found !== undefined) return set(field, found);
  const known = Object.keys(meanings);
  return {
    param: field,
    message: `'${field}' may be ${known.join(", ")} with this model; ${shown(value)} has no equivalent.`,
  };
}

function readCount(map: ImageMap, value: unknown, set: SetParameters): ImageMistake | null {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1)
    return { param: "n", message: "'n' must be a whole number from 1." };
  if (map.count !== null) return set("n", { [map.count]: value });
  if (value === 1) return null;
  return {
    param: "n",
    message: "'n' may only be 1 with this model: it makes one image at a time.",
  };
}

function readFormat(value: unknown, fields: ReadonlyMap<string, unknown>): ImageMistake | null {
  if (value === "url" && fields.get("stream") === true)
    return {
      param: "response_format",
      message: "'response_format' may only be b64_json in a stream: its events have the bytes.",
    };
  if (typeof value === "string" && FORMATS.includes(value)) return null;
  return {
    param: "response_format",
    message: `'response_format' may be ${FORMATS.join(" or ")}; ${shown(value)} was sent.`,
  };
}

function readStream(value: unknown): ImageMistake | null {
  if (typeof value === "boolean") return null;
  return { param: "stream", message: `'stream' is true or false; ${shown(value)} was sent.` };
}

/** OpenAI's own streams may have fewer of them than were asked for; a task has none. */
function readPartial(value: unknown, fields: ReadonlyMap<string, unknown>): ImageMistake | null {
  const most = fields.get("stream") === true ? MOST_PARTIAL : 0;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most)
    return null;
  return {
    param: "partial_images",
    message:
      most === 0
        ? "'partial_images' may only be 0 without 'stream'."
        : `'partial_images' must be a whole number from 0 to ${MOST_PARTIAL}.`,
  };
}

function readWithout(field: string, value: unknown, { texts }: ReadImageCall): ImageMistake | null {
  const nothing = WITHOUT_EQUIVALENT[field] ?? [];
  if (nothing.some((each) => each === value || (texts && String(each) === value))) return null;
  return {
    param: field,
    message: `'${field}' has no equivalent at this model. Leave it out.`,
  };
}

/** Whether a field is a parameter of the table by its own name. */
function isOwn(table: TaskTable, field: string, edits: boolean): boolean {
  // "model" is the model's id here, whatever the table has of that name.
  const parameter = Object.hasOwn(table.parameters, field) ? table.parameters[field] : undefined;
  if (parameter === undefined) return false;
  return !edits || (parameter.kind !== "url" && parameter.kind !== "urls");
}

function unknown(table: TaskTable, field: string): ImageMistake {
  const known = [
    "prompt",
    "n",
    "response_format",
    ...MAPPED,
    ...Object.keys(table.parameters).filter((name) => name !== "model"),
  ];
  const near = nearestName(field, known);
  const meant = near === null ? "" : ` Did you mean '${near}'?`;
  return {
    param: field.slice(0, LONGEST_SHOWN),
    message: `'${field.slice(0, LONGEST_SHOWN)}' is not taken with this model.${meant}`,
  };
}

const OWN_KINDS: Readonly<Record<string, TaskParameter["kind"]>> = {
  n: "integer",
  stream: "flag",
  partial_images: "integer",
};

/** A form's text as the number or flag that it has to be; what is neither stays for the refusal. */
function typed(name: string, value: unknown, table: TaskTable): unknown {
  if (typeof value !== "string") return value;
  const kind = OWN_KINDS[name] ?? kindOf(table.parameters[name]);
  if ((kind === "integer" || kind === "number") && /^-?\d{1,15}(?:\.\d{1,9})?$/.test(value))
    return Number(value);
  if (kind === "flag" && (value === "true" || value === "false")) return value === "true";
  return value;
}

function kindOf(parameter: TaskParameter | undefined): TaskParameter["kind"] | null {
  return parameter?.kind ?? null;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}
