/**
 * Checks an input against a model's fields, all mistakes at once, and lists the media it points at.
 */
import type { JsonObject } from "../is-object.ts";
import { stripDirectives } from "../read-directive-words.ts";
import type { FoundMedia, MediaField, ModelField, TaskModel } from "./model-field.ts";

export interface InputMistake {
  /** The field's name; empty where several fields disagree. */
  readonly field: string;
  readonly message: string;
}

/**
 * A field of an unknown name is a mistake here, though most providers ignore it: a wrong name must
 * not pass a test unseen.
 */
export function checkInput(model: TaskModel, input: JsonObject): InputMistake[] {
  const mistakes: InputMistake[] = [];
  const add = (field: string, message: string | null): void => {
    if (message !== null) mistakes.push({ field, message });
  };
  for (const name of Object.keys(input))
    if (!Object.hasOwn(model.fields, name))
      add(
        name,
        `${name} is not a field of this model; it has ${Object.keys(model.fields).join(", ")}`,
      );
  for (const [name, field] of Object.entries(model.fields)) {
    const value = input[name];
    if (value !== undefined) add(name, checkValue(name, field, value));
    else if ("required" in field && field.required === true) add(name, `${name} is required`);
  }
  if (mistakes.length === 0 && model.rule !== undefined) add("", model.rule(input));
  return mistakes;
}

function checkValue(name: string, field: ModelField, value: unknown): string | null {
  switch (field.kind) {
    case "text": {
      if (typeof value !== "string") return `${name} must be a string`;
      if (value === "" && field.required === true && field.min !== 0) return `${name} is required`;
      const length = [...value].length;
      if (length < (field.min ?? 0)) return `${name} must have at least ${field.min} characters`;
      return length > (field.max ?? Infinity)
        ? `the text length of ${name} cannot exceed ${field.max}`
        : null;
    }
    case "choice":
      return typeof value === "string" && field.values.includes(stripDirectives(value))
        ? null
        : `${name} is not within the range of allowed options: ${field.values.join(", ")}`;
    case "number":
      if (typeof value !== "number" || !Number.isFinite(value)) return `${name} must be a number`;
      if (field.whole === true && !Number.isInteger(value)) return `${name} must be an integer`;
      return value < (field.min ?? -Infinity) || value > (field.max ?? Infinity)
        ? `${name} must be between ${field.min ?? "-∞"} and ${field.max ?? "∞"}`
        : null;
    case "flag":
      if (typeof value !== "boolean") return `${name} must be a boolean`;
      return field.only === undefined || value === field.only
        ? null
        : `${name} is not supported by this model`;
    case "texts":
      return Array.isArray(value) &&
        value.length <= field.max &&
        value.every((one) => typeof one === "string")
        ? null
        : `${name} must be a list of at most ${field.max} strings`;
    case "json": {
      const message = field.check(value);
      return message === null ? null : `${name} ${message}`;
    }
    case "media":
      return checkMedia(name, field, value);
  }
}

function checkMedia(name: string, field: MediaField, value: unknown): string | null {
  const urls: unknown[] = Array.isArray(value) ? value : [value];
  if (Array.isArray(value) !== (field.list !== null))
    return `${name} must be ${field.list === null ? "one URL" : "a list of URLs"}`;
  if (field.required === true && urls.length === 0) return `${name} is required`;
  if (field.list !== null && urls.length > field.list.max)
    return `${name} takes at most ${field.list.max} URLs`;
  const wrong = urls.findIndex(
    (url) => typeof url !== "string" || !/^https?:\/\//.test(url) || !URL.canParse(url),
  );
  return wrong === -1
    ? null
    : `${field.list === null ? name : `${name}[${wrong}]`} must be an http(s) URL`;
}

/** In the order of the model's fields. Of an input that `checkInput` found right. */
export function listMedia(model: TaskModel, input: JsonObject): FoundMedia[] {
  return Object.entries(model.fields).flatMap(([name, field]): readonly FoundMedia[] => {
    const value = input[name];
    if (value === undefined) return [];
    if (field.kind === "json") return field.media?.(value) ?? [];
    if (field.kind !== "media") return [];
    if (typeof value === "string") return [{ path: name, url: value, field }];
    const urls: unknown[] = Array.isArray(value) ? value : [];
    return urls.flatMap((url, index) =>
      typeof url === "string" ? [{ path: `${name}[${index}]`, url, field }] : [],
    );
  });
}
