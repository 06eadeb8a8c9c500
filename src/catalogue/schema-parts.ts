/**
 * What the schemas of the catalogue file are made of: JSON Schema by TypeBox, and beside it what
 * only our reader uses, under keys that begin with `~`.
 */
import Type from "typebox";
import type { Static, TSchema, TUnsafe } from "typebox";
import type { ExpectedMember } from "../contract/catalogue/catalogue-mistake.ts";
import type { Place, YamlReader } from "./yaml-reader.ts";

/** As far as it could be read: what is mistaken is not there, in a list it is undefined. */
export type Draft<T> = T extends
  | string
  | number
  | bigint
  | boolean
  | Date
  | Place
  | null
  | undefined
  ? T
  : T extends ReadonlyMap<infer Key, infer Value>
    ? ReadonlyMap<Key, Draft<Value> | undefined>
    : T extends readonly (infer Item)[]
      ? readonly (Draft<Item> | undefined)[]
      : { readonly [Key in keyof T]?: Draft<T[Key]> | undefined };

/** Where a schema's value was found. */
export interface Found {
  readonly at: Place;
  readonly reader: YamlReader;
}

/** The text of one value, references replaced; undefined after a mistake was noted. */
export type ReadText<T> = (text: string, found: Found) => T | undefined;
export type Rule<T> = (value: T, found: Found) => void;

/** What the reader and the published schema know of a schema. */
export interface FileSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, FileSchema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, FileSchema>>;
  readonly items?: FileSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  /** Of a mapping: what holds by its values, for editors; our reader has rules. */
  readonly allOf?: readonly object[];
  /** The text is decimal roubles, or a decimal factor, and stays a text. */
  readonly "x-amount"?: "roubles" | "factor";
  /** Of every entry of a mapping with free keys. */
  readonly "~entry"?: FileSchema;
  /** Of one entry, by its key. */
  readonly "~entryOf"?: (name: string) => FileSchema;
  /** What is noted of a key that is none. */
  readonly "~key"?: Rule<string>;
  readonly "~keyPattern"?: string;
  readonly "~asRecord"?: true;
  /** What an empty list or mapping is told to need. */
  readonly "~none"?: ExpectedMember;
  /** A value alone stands for a list of it. */
  readonly "~orAlone"?: true;
  /** What is not a mapping is read by this. */
  readonly "~plain"?: FileSchema;
  /** What is not a mapping is the value of this key. */
  readonly "~short"?: string;
  /** Which mapping it is, a key of it says. */
  readonly "~by"?: { readonly key: string; readonly of: Readonly<Record<string, FileSchema>> };
  /** So deep may a schema stand in itself, by `~again`. */
  readonly "~deepest"?: number;
  readonly "~again"?: () => FileSchema;
  /** By what name others refer to it in the published schema. */
  readonly "~name"?: string;
  /** What an absent key means. */
  readonly "~absent"?: unknown;
  /** `${NAME}` is replaced in all of it. */
  readonly "~references"?: true;
  readonly "~text"?: ReadText<unknown>;
  readonly "~place"?: (found: Found) => unknown;
  readonly "~rule"?: Rule<unknown>;
  /** Of a value that is whole. */
  readonly "~compile"?: (value: unknown) => unknown;
}

/** Any scalar, as it is written. */
export const TEXT: TUnsafe<string> = Type.Unsafe({ type: ["string", "number", "boolean"] });

export function described<Schema extends TSchema>(description: string, schema: Schema): Schema {
  return { ...schema, description };
}

/** `json`: what an editor is told of it. */
export function value<T>(json: object, read: ReadText<T>): TUnsafe<T> {
  return Type.Unsafe({ ...json, "~text": read });
}

export function words<const Words extends readonly string[]>(known: Words): TUnsafe<Words[number]> {
  return Type.Unsafe({ enum: known });
}

export function flag(): TUnsafe<boolean> {
  return compiled(words(["true", "false"]), (word) => word === "true");
}

export function whole(minimum: number, maximum: number): TUnsafe<number> {
  return Type.Unsafe({ type: "integer", minimum, maximum });
}

interface MapOptions {
  readonly none?: ExpectedMember;
  readonly key?: Rule<string>;
  readonly keyPattern?: string;
}

export function mapOf<Schema extends TSchema>(
  entry: Schema,
  { none, key, keyPattern }: MapOptions = {},
): TUnsafe<ReadonlyMap<string, Static<Schema>>> {
  return Type.Unsafe({
    type: "object",
    "~entry": entry,
    ...(none === undefined ? {} : { "~none": none }),
    ...(key === undefined ? {} : { "~key": key }),
    ...(keyPattern === undefined ? {} : { "~keyPattern": keyPattern }),
  });
}

export function recordOf<Schema extends TSchema>(
  entry: Schema,
  options: MapOptions = {},
): TUnsafe<Readonly<Record<string, Static<Schema>>>> {
  return Type.Unsafe({ ...mapOf(entry, options), "~asRecord": true });
}

export function listOf<Schema extends TSchema>(
  items: Schema,
  none?: ExpectedMember,
): TUnsafe<readonly Static<Schema>[]> {
  return Type.Unsafe({
    type: "array",
    items,
    ...(none === undefined ? {} : { "~none": none, minItems: 1 }),
  });
}

/** A value, or a list of such. */
export function oneOrMore<Schema extends TSchema>(
  items: Schema,
  none?: ExpectedMember,
): TUnsafe<readonly Static<Schema>[]> {
  return Type.Unsafe({ ...listOf(items, none), "~orAlone": true });
}

/** `absent`: what it means that there is none. */
export function orElse<Schema extends TSchema, const Absent>(
  schema: Schema,
  absent: Absent,
): TUnsafe<Static<Schema> | Absent> {
  return Type.Unsafe({ ...schema, "~absent": absent });
}

/** Absent it is as an empty mapping is. */
export function orDefaults<Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema>> {
  const { properties = {} }: FileSchema = { ...schema };
  const absent = Object.entries(properties).flatMap(([name, property]) =>
    "~absent" in property ? [[name, property["~absent"]] as const] : [],
  );
  return Type.Unsafe({ ...schema, "~absent": Object.fromEntries(absent) });
}

export function ruled<Schema extends TSchema>(
  schema: Schema,
  rule: Rule<Draft<Static<Schema>>>,
): Schema {
  return { ...schema, "~rule": rule };
}

export function compiled<Schema extends TSchema, T>(
  schema: Schema,
  compile: (value: Static<Schema>) => T,
): TUnsafe<T> {
  return Type.Unsafe({ ...schema, "~compile": compile });
}

export function named<Schema extends TSchema>(name: string, schema: Schema): Schema {
  return { ...schema, "~name": name };
}

/** JSON Schema: where the key has one of the words, the mapping has this shape too. */
export function whereKey(key: string, known: readonly string[], shape: object): object {
  return {
    if: { required: [key], properties: { [key]: { enum: known } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: shape,
  };
}
