/**
 * The kinds of parameters that task models take: what each allows, and the words that a form shows.
 */
import type { MediaDeclaration } from "./media-declaration.ts";

/** English and Russian. */
export interface Words {
  readonly en: string;
  readonly ru: string;
}

interface ParameterHead {
  readonly title: Words;
  readonly description: Words;
  /** Absent: it may be left out, and null counts as left out. */
  readonly required?: true;
  /** A form may fold it away. */
  readonly advanced?: true;
  /**
   * Where the type, the limits and the default come from: the promise of contract §7, a provider's
   * page, or `ours`.
   */
  readonly source: string;
}

/** Lengths are in characters (code points), bounds inclusive. */
export interface TextParameter extends ParameterHead {
  readonly kind: "text";
  readonly minLength?: number;
  readonly maxLength: number;
  readonly default?: string;
  /** A form gives it several lines. */
  readonly multiline?: true;
}

/** `integer`: whole, and exact in a double. Strings are never taken for numbers. */
export interface NumberParameter extends ParameterHead {
  readonly kind: "number" | "integer";
  readonly min?: number;
  readonly max?: number;
  readonly default?: number;
}

export interface FlagParameter extends ParameterHead {
  readonly kind: "flag";
  readonly default?: boolean;
}

/** Exactly one of the listed strings; a number that reads the same is not. */
export interface ChoiceParameter extends ParameterHead {
  readonly kind: "choice";
  readonly values: readonly string[];
  readonly default?: string;
}

export interface UrlParameter extends ParameterHead {
  readonly kind: "url";
  readonly media: MediaDeclaration;
}

/** A list of URLs. */
export interface UrlsParameter extends ParameterHead {
  readonly kind: "urls";
  readonly count: readonly [min: number, max: number];
  readonly media: MediaDeclaration;
  /** What a URL is when it is the only one of the list, where that differs. */
  readonly alone?: MediaDeclaration;
}

/** A list of short texts, such as ids. */
export interface TextsParameter extends ParameterHead {
  readonly kind: "texts";
  readonly count: readonly [min: number, max: number];
  readonly maxLength: number;
}

/** A list of objects whose fields are parameters themselves. */
export interface ObjectsParameter extends ParameterHead {
  readonly kind: "objects";
  readonly count: readonly [min: number, max: number];
  readonly fields: Readonly<Record<string, FieldParameter>>;
  /** Instead of the list, true or false may be given; the default is one of these. */
  readonly orFlag?: true;
  readonly default?: boolean;
}

/** What stands inside an object: nothing nests further, so no value is deeper than four levels. */
export type FieldParameter = TextParameter | NumberParameter | UrlParameter | UrlsParameter;

export type TaskParameter =
  | FieldParameter
  | FlagParameter
  | ChoiceParameter
  | TextsParameter
  | ObjectsParameter;

/** The value that an absent parameter gets; undefined: it stays absent. */
export function defaultOf(parameter: TaskParameter): string | number | boolean | undefined {
  return "default" in parameter ? parameter.default : undefined;
}
