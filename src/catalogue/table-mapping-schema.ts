/** How the parameters of the tables become those of a provider. */
import Type from "typebox";
import { TASK_TABLES } from "../contract/tasks/task-tables.ts";
import type { MappingChoice, ParameterTest, TableMapping } from "../protocol/task-provider.ts";
import { byPointer, checkPlaces, JSON_VALUE, POINTER, TEXTS_BY_NAME } from "./provider-parts.ts";
import {
  compiled,
  described,
  type Draft,
  flag,
  type Found,
  mapOf,
  oneOrMore,
  listOf,
  orElse,
  ruled,
  TEXT,
  value,
  whole,
  words,
} from "./schema-parts.ts";
import { expected } from "./single-values.ts";
import { meantBy, shown } from "./yaml-reader.ts";

const NAMES = orElse(oneOrMore(TEXT), []);
const TABLE_PATH = /^\/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*$/;

/** A text alone is where the parameter goes. */
const FIELD = ruled(
  Type.Unsafe({
    ...Type.Object({
      to: described("Where it goes, under the place of the parameters.", POINTER),
      as: described(
        "Into what it is made.",
        orElse(words(["text", "number", "list", "first"]), null),
      ),
      values: described(
        "What stands there instead of certain values.",
        orElse(mapOf(JSON_VALUE), new Map<string, never>()),
      ),
      item: described("The entry made for the value.", orElse(JSON_VALUE, undefined)),
      at: described("Where in `item` the value goes.", orElse(POINTER, null)),
      keys: described("Other names for the keys of the objects in it.", TEXTS_BY_NAME),
      only: described(
        "Applies to values of this kind only.",
        orElse(words(["text", "number", "flag", "list"]), null),
      ),
      value: described("Put there instead of the parameter's own.", orElse(JSON_VALUE, undefined)),
      suffix: described("Put behind the text.", orElse(TEXT, null)),
    }),
    "~short": "to",
  }),
  (_, { at, reader }) => {
    if (reader.has(at, "at") && !reader.has(at, "item"))
      reader.note(reader.child(at, "at"), "at_without_item");
  },
);

const FIELDS = described(
  "By parameter: where it goes, or a mapping with `to`; a list puts it in several places.",
  orElse(mapOf(oneOrMore(FIELD)), new Map<string, never>()),
);

/** A value, `{ given: true }` or `{ above: 12 }`. */
const TEST = compiled(
  ruled(
    Type.Unsafe<string | { readonly given?: boolean; readonly above?: number }>({
      ...Type.Object({
        given: Type.Optional(described("Whether it is there at all.", flag())),
        above: Type.Optional(described("It is more than this.", whole(0, 1_000_000))),
      }),
      "~plain": TEXT,
    }),
    (test, { at, reader }) => {
      if (typeof test !== "string" && reader.has(at, "given") === reader.has(at, "above"))
        reader.note(at, "given_or_above");
    },
  ),
  (test): ParameterTest => {
    if (typeof test === "string") return { kind: "is", value: test };
    return test.given === undefined
      ? { kind: "above", above: test.above ?? 0 }
      : { kind: "given", given: test.given };
  },
);

const CHOICE = Type.Object({
  when: described(
    "By parameter: its value, { given: true } or { above: 12 }; all must hold.",
    mapOf(TEST),
  ),
  reject: described("Nothing is sent; the words are for the log.", orElse(TEXT, null)),
  model: described("Another model id.", orElse(TEXT, null)),
  words: described("Other words of the model id.", TEXTS_BY_NAME),
  fields: FIELDS,
  drop: described("Parameters that are not sent.", NAMES),
});

const TABLE = Type.Object({
  path: described(
    "For {path} in the calls.",
    orElse(
      value({ type: "string", pattern: TABLE_PATH.source }, (text, found) =>
        checkPlaces(text, [], found) && TABLE_PATH.test(text)
          ? text
          : expected("table_path", found),
      ),
      null,
    ),
  ),
  fields: FIELDS,
  drop: described("Parameters that are not sent.", NAMES),
  constants: described("What stands there besides, by JSON pointer.", byPointer(JSON_VALUE)),
  inModel: described("Parameters that stand in the model id only.", NAMES),
  words: described("Other places of the model id, such as {text|image}.", TEXTS_BY_NAME),
  choices: described(
    "The first whose conditions all hold changes what is above.",
    orElse(listOf(CHOICE), []),
  ),
});

export const TABLES = ruled(
  orElse(
    mapOf(TABLE, {
      keyPattern: `^(?:${[...TASK_TABLES.keys()].join("|")})$`,
      key: (name, { at, reader }) => {
        const known: readonly string[] = [...TASK_TABLES.keys()];
        if (!known.includes(name))
          reader.note(at, "unknown_name", {
            what: "table",
            name: name.slice(0, 80),
            ...meantBy(name, known),
          });
      },
    }),
    new Map<string, never>(),
  ),
  (tables, { at, reader }) => {
    for (const [name, table] of tables)
      if (table !== undefined) checkParameters(name, table, { at: reader.child(at, name), reader });
  },
);

/** The parameters of a table that does not exist are not held against anything. */
function checkParameters(table: string, mapping: Draft<TableMapping>, { at, reader }: Found): void {
  const found = [...TASK_TABLES].find(([id]) => id === table)?.[1];
  if (found === undefined) return;
  const known = Object.keys(found.parameters);
  const check = (name: string | undefined, ...steps: readonly (string | number)[]): void => {
    if (name === undefined || known.includes(name)) return;
    const place = reader.child(at, ...steps);
    const isKey = steps.at(-1) === name;
    reader.note(place, "unknown_name", {
      what: "table_parameter",
      name: isKey ? name.slice(0, 80) : shown(place),
      ...meantBy(name, known),
    });
  };
  const checkPart = (
    part: Pick<Draft<MappingChoice>, "fields" | "drop">,
    steps: readonly (string | number)[],
  ): void => {
    for (const name of part.fields?.keys() ?? []) check(name, ...steps, "fields", name);
    part.drop?.forEach((name, index) => check(name, ...steps, "drop", index));
  };
  checkPart(mapping, []);
  mapping.inModel?.forEach((name, index) => check(name, "inModel", index));
  mapping.choices?.forEach((choice, index) => {
    if (choice === undefined) return;
    for (const name of choice.when?.keys() ?? []) check(name, "choices", index, "when", name);
    checkPart(choice, ["choices", index]);
  });
}
