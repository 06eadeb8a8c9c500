/** A call as it is sent: its endpoint, its parameters and its files, of what stands in the form. */
import type { CallField, CallValues, ChosenFile } from "./call-field.ts";

/** Below /panel/api/playground, and below /v1. */
export type CallPath =
  | "/embeddings"
  | "/rerank"
  | "/moderations"
  | "/completions"
  | "/images/generations"
  | "/images/edits"
  | "/audio/speech"
  | "/audio/transcriptions"
  | "/audio/translations";

/** Whose bodies are forms. */
const FORMS: ReadonlySet<CallPath> = new Set([
  "/images/edits",
  "/audio/transcriptions",
  "/audio/translations",
]);

export interface CallRequest {
  readonly path: CallPath;
  readonly form: boolean;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly files: readonly { readonly name: string; readonly chosen: ChosenFile }[];
}

interface CallWish {
  readonly path: CallPath;
  readonly model: string;
  /** Sent with every request of its kind. */
  readonly always?: Readonly<Record<string, unknown>> | undefined;
  readonly parameters: readonly CallField[];
  readonly values: CallValues;
}

export function writeCall({ path, model, always, parameters, values }: CallWish): CallRequest {
  const fields = parameters.flatMap((field) => {
    const value = sentOf(field, values[field.name]);
    return value === undefined ? [] : [[field.name, value] as const];
  });
  const files = parameters.flatMap((field) => {
    const chosen = field.kind === "files" ? filesOf(values[field.name]) : [];
    // As OpenAI has it.
    const name = chosen.length > 1 ? `${field.name}[]` : field.name;
    return chosen.map((one) => ({ name, chosen: one }));
  });
  return {
    path,
    form: FORMS.has(path),
    fields: { model, ...Object.fromEntries(fields), ...always },
    files,
  };
}

/** The names of the parameters that still lack something: a value, or one that could be read. */
export function lackingOf(
  parameters: readonly CallField[],
  values: CallValues,
): { readonly missing: readonly string[]; readonly unread: readonly string[] } {
  const missing = parameters.filter(
    (field) =>
      field.required === true &&
      (field.kind === "files"
        ? filesOf(values[field.name]).length === 0
        : sentOf(field, values[field.name]) === undefined),
  );
  // A number field could not read it, and says so itself.
  const unread = parameters.filter(({ name }) => Number.isNaN(values[name]));
  return {
    missing: missing.map(({ name }) => name),
    unread: unread.map(({ name }) => name),
  };
}

/** Undefined: it is left to the model. */
function sentOf(field: CallField, value: unknown): unknown {
  switch (field.kind) {
    case "word":
    case "text": {
      const text = typeof value === "string" ? value : (field.first ?? "");
      return text.trim() === "" ? undefined : text;
    }
    case "lines": {
      const lines = linesOf(typeof value === "string" ? value : (field.first ?? ""));
      return lines.length === 0 ? undefined : lines;
    }
    case "integer":
    case "number": {
      const number = value === undefined ? field.first : value;
      return typeof number === "number" && !Number.isNaN(number) ? number : undefined;
    }
    case "choice": {
      const chosen = chosenOf(field, value);
      return chosen === "" ? undefined : chosen;
    }
    case "switch":
    case "files":
      return undefined;
  }
}

/** What was chosen of another model may be nothing of this one. */
export function chosenOf(
  { values }: { readonly values: readonly string[] },
  value: unknown,
): string {
  return values.find((one) => one === value) ?? values[0] ?? "";
}

export function filesOf(value: unknown): readonly ChosenFile[] {
  return Array.isArray(value) ? (value as readonly ChosenFile[]) : [];
}

function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

export function bodyOf({ form, fields, files }: CallRequest): CallRequest["fields"] | FormData {
  if (!form) return fields;
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, String(value));
  for (const { name, chosen } of files) body.append(name, chosen.file);
  return body;
}

/** As JSON, with the names of its files. */
export function shownCall({ fields, files }: CallRequest): string {
  const named = Map.groupBy(files, ({ name }) => name);
  return JSON.stringify({
    ...fields,
    ...Object.fromEntries(
      [...named].map(([name, all]) => [name, all.map(({ chosen }) => chosen.file.name).join(", ")]),
    ),
  });
}

/** What makes it the same as another one. */
export function identityOf({ path, fields, files }: CallRequest): readonly unknown[] {
  return [path, fields, files.map(({ chosen }) => chosen.id)];
}
