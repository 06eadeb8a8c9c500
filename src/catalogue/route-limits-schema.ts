/**
 * The limits of a task's route: what its provider allows less of than the parameter table does, one
 * schema for each table.
 */
import Type from "typebox";
import type { TSchema, TUnsafe } from "typebox";
import type { MediaDeclaration } from "../contract/tasks/media-declaration.ts";
import type { ParameterLimits, RouteLimits } from "../contract/tasks/route-limits.ts";
import type { TaskParameter } from "../contract/tasks/task-parameter.ts";
import { TASK_TABLES } from "../contract/tasks/task-tables.ts";
import {
  compiled,
  described,
  type Found,
  listOf,
  mapOf,
  named,
  oneOrMore,
  ruled,
  value,
  words,
} from "./schema-parts.ts";
import { expected } from "./single-values.ts";
import { meantBy } from "./yaml-reader.ts";

const MOST = 1_000_000_000;

const NUMBER = named(
  "limit",
  value({ type: "number", minimum: 0, maximum: MOST }, (text, found) =>
    /^\d{1,10}(?:\.\d{1,6})?$/.test(text) && Number(text) <= MOST
      ? Number(text)
      : expected("number", found),
  ),
);

const RANGE = named(
  "range",
  compiled(
    ruled(
      Type.Unsafe<readonly number[]>({ ...listOf(NUMBER), minItems: 2, maxItems: 2 }),
      (range, { at, reader }) => {
        const [min, max] = range;
        if (range.length !== 2) reader.note(at, "not_a_range");
        else if (min !== undefined && max !== undefined && min > max)
          reader.note(at, "least_above_most", { min, max });
      },
    ),
    ([min = 0, max = 0]): [number, number] => [min, max],
  ),
);

function contentTypes({ kind, contentTypes: known }: MediaDeclaration) {
  if (known !== undefined) return listOf(words(known));
  const type = value({ type: "string", pattern: `^${kind}/` }, (text, found) =>
    text.startsWith(`${kind}/`) ? text : expected(`${kind}_type`, found),
  );
  return listOf(type);
}

/** Of one file, and `totalSeconds` of all files of the parameter together. */
const FILE_LIMITS = {
  maxMegabytes: described("Of one file; of 1,048,576 bytes.", NUMBER),
  minSidePx: described("Both sides.", NUMBER),
  maxSidePx: described("Both sides.", NUMBER),
  pixels: described("Width × height: [least, most].", RANGE),
  aspect: described("Width ÷ height: [least, most].", RANGE),
  seconds: described("[least, most].", RANGE),
  framesPerSecond: described("[least, most].", RANGE),
  totalSeconds: described("Of all files together.", NUMBER),
};
const LIST_LIMITS = {
  minCount: described("Entries.", NUMBER),
  maxCount: described("Entries.", NUMBER),
};

function limitsOf(fields: Readonly<Record<string, TSchema>>): TUnsafe<ParameterLimits> {
  const schema = Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: "object",
    properties: fields,
  });
  return compiled(schema, (read) => {
    const isOfFiles = (name: string): boolean => name in FILE_LIMITS || name === "contentTypes";
    const all = Object.entries(read);
    const files = all.filter(([name]) => isOfFiles(name));
    return {
      ...Object.fromEntries(all.filter(([name]) => !isOfFiles(name))),
      ...(files.length === 0 ? {} : { files: Object.fromEntries(files) }),
    };
  });
}

function filesOf(
  media: MediaDeclaration,
  what: "file" | "files",
  more: Readonly<Record<string, TSchema>>,
): TSchema {
  const types = (media.contentTypes ?? []).map((type) => type.slice(media.kind.length + 1));
  const limits = limitsOf({
    ...more,
    contentTypes: described("Those that are taken.", contentTypes(media)),
    ...FILE_LIMITS,
  });
  return named([what, media.kind, ...types].join("-"), limits);
}

function schemaOf(name: string, parameter: TaskParameter): TSchema {
  switch (parameter.kind) {
    case "text":
      return named(
        "text",
        limitsOf({
          minLength: described("Characters.", NUMBER),
          maxLength: described("Characters.", NUMBER),
        }),
      );
    case "number":
    case "integer":
      return named(
        "number",
        limitsOf({ min: described("The least.", NUMBER), max: described("The most.", NUMBER) }),
      );
    case "choice":
      return limitsOf({
        values: described("Those that are left.", listOf(words(parameter.values))),
      });
    case "url":
      return filesOf(parameter.media, "file", {});
    case "urls":
      return filesOf(parameter.media, "files", LIST_LIMITS);
    case "texts":
    case "objects":
      return named("list", limitsOf(LIST_LIMITS));
    case "flag":
      return Type.Unsafe({
        not: {},
        "~place": ({ at, reader }: Found) => reader.note(at, "flag_limit", { parameter: name }),
      });
  }
}

/** By table: the limits of a route of a model with this table. */
export const ROUTE_LIMITS: ReadonlyMap<string, TUnsafe<RouteLimits>> = new Map(
  [...TASK_TABLES].map(([table, { parameters }]) => [table, routeLimits(table, parameters)]),
);

function routeLimits(
  table: string,
  parameters: Readonly<Record<string, TaskParameter>>,
): TUnsafe<RouteLimits> {
  const names = Object.keys(parameters);
  const isName = (name: string, { at, reader }: Found): string | undefined =>
    names.includes(name)
      ? name
      : reader.note(at, "unknown_name", {
          what: "table_parameter",
          name: name.slice(0, 80),
          ...meantBy(name, names),
        });
  const group = oneOrMore(named(`parameter-${table}`, value({ enum: names }, isName)));
  const properties: Readonly<Record<string, TSchema>> = {
    ...Object.fromEntries(
      Object.entries(parameters).map(([name, parameter]) => [
        name,
        described(parameter.title.en, schemaOf(name, parameter)),
      ]),
    ),
    exclusive: described(
      "Lists, of each of which one may be given; a list inside is a group that may stand together.",
      listOf(
        ruled(
          Type.Unsafe<(readonly string[])[]>({ ...listOf(group), minItems: 2 }),
          (set, found) => {
            if (set.length < 2) found.reader.note(found.at, "none_given", { what: "exclusive" });
          },
        ),
      ),
    ),
    needs: described(
      "Parameter → what must stand beside it, at least one of a list.",
      mapOf(group, { key: isName, keyPattern: `^(?:${names.join("|")})$` }),
    ),
  };
  const noLimits = Type.Unsafe<unknown>({ "~place": () => null });
  const all = mapOf(noLimits, {
    key: (name, found) => {
      if (!Object.hasOwn(properties, name)) isName(name, found);
    },
  });
  const bySchema = Type.Unsafe<ReadonlyMap<string, unknown>>({
    ...all,
    properties,
    "~entryOf": (name: string) => properties[name],
  });
  return compiled(bySchema, (read): RouteLimits => {
    const {
      exclusive = [],
      needs = new Map<string, never>(),
      ...limits
    } = Object.fromEntries(read);
    return {
      parameters: new Map(Object.entries(limits)) as RouteLimits["parameters"],
      exclusive: exclusive as RouteLimits["exclusive"],
      needs: needs as RouteLimits["needs"],
    };
  });
}
