/**
 * What is wrong with a body, in the words of its author: field paths as they are written in code,
 * and what was expected there.
 */
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { SCHEMA_MISTAKES, type SchemaMistake } from "./enums/schema-mistake.ts";

export interface Mistake {
  /** The field at fault, e.g. `messages[0].content`; empty for the body itself. */
  readonly param: string;
  /**
   * A short word for programs: `required`, `type`, `minimum`, … (the JSON Schema keyword); `rule`
   * where none says it.
   */
  readonly code: SchemaMistake;
  /** A sentence for people that names the field. */
  readonly message: string;
  /** What the sentence names besides the field: `limit` of a bound, `values` of a choice. */
  readonly params?: Readonly<Record<string, string | number>>;
}

/**
 * Returns the mistakes of a value, in the order of the schema; empty when there is none. Types are
 * never coerced.
 */
export type MistakeFinder = (value: unknown) => Mistake[];

/** `/messages/0/content` (RFC 6901) as `messages[0].content`. */
function paramOf(pointer: string): string {
  let param = "";
  for (const raw of pointer.split("/").slice(1)) {
    const part = raw.replaceAll("~1", "/").replaceAll("~0", "~");
    if (/^\d+$/.test(part)) param += `[${part}]`;
    else param += param === "" ? part : `.${part}`;
  }
  return param;
}

function listed(words: readonly string[]): string {
  const named = words.map((word) =>
    word === "null" ? word : `${/^[aeio]/.test(word) ? "an" : "a"} ${word}`,
  );
  const last = named.pop() ?? "something else";
  return named.length === 0 ? last : `${named.join(", ")} or ${last}`;
}

type ValidationError = ReturnType<ReturnType<typeof Compile>["Errors"]>[number];

/** What the field must be, without its name. */
function expectation(error: ValidationError): string {
  switch (error.keyword) {
    case "type":
      return `must be ${listed(typeof error.params.type === "string" ? [error.params.type] : error.params.type)}`;
    case "enum":
      return `must be one of ${error.params.allowedValues.map((value) => JSON.stringify(value)).join(", ")}`;
    case "minimum":
      return `must be at least ${error.params.limit}`;
    case "maximum":
      return `must be at most ${error.params.limit}`;
    case "minItems":
      return error.params.limit === 1
        ? "must not be empty"
        : `must have at least ${error.params.limit} items`;
    case "maxItems":
      return `must have at most ${error.params.limit} items`;
    case "minLength":
      return error.params.limit === 1
        ? "must not be empty"
        : `must be at least ${error.params.limit} characters long`;
    case "maxLength":
      return `must be at most ${error.params.limit} characters long`;
    default:
      return error.message;
  }
}

function boundOf(error: ValidationError): Readonly<Record<string, string | number>> | null {
  switch (error.keyword) {
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return { limit: Number(error.params.limit) };
    case "minItems":
    case "maxItems":
    case "minLength":
    case "maxLength":
      return { limit: error.params.limit };
    case "enum":
      return { values: error.params.allowedValues.join(", ") };
    default:
      return null;
  }
}

function join(parent: string, property: string): string {
  return parent === "" ? property : `${parent}.${property}`;
}

function mistakesOf(error: ValidationError): Mistake[] {
  const param = paramOf(error.instancePath);
  if (error.keyword === "required") {
    return error.params.requiredProperties.map((property) => {
      const missing = join(param, property);
      return { param: missing, code: "required", message: `'${missing}' is required.` };
    });
  }
  const subject = param === "" ? "The body" : `'${param}'`;
  const params = boundOf(error);
  return [
    {
      param,
      code: SCHEMA_MISTAKES.find((word) => word === error.keyword) ?? "rule",
      message: `${subject} ${expectation(error)}.`,
      ...(params === null ? {} : { params }),
    },
  ];
}

/**
 * Compiles a schema into a finder. The good case is one generated function call; only a bad value
 * pays for the description. At most eight schema errors are collected (TypeBox's own bound on the
 * work that a bad body can cause).
 */
export function createMistakeFinder(schema: TSchema): MistakeFinder {
  const validator = Compile(schema);
  return (value) => (validator.Check(value) ? [] : validator.Errors(value).flatMap(mistakesOf));
}
