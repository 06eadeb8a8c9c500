/**
 * Makes the parameters of one of our tables into the provider's input and model id, as its
 * description says.
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import type {
  FieldMapping,
  JsonValue,
  MappingChoice,
  ParameterTest,
  TableMapping,
  TaskProvider,
} from "../../protocol/task-provider.ts";
import { fillText, placesOf } from "./fill-template.ts";
import { copyJson, putAt, scalarText, withoutGaps, type MutableJson } from "./json-pointer.ts";
import { putField } from "./put-field.ts";

export type MappedParameters =
  | {
      readonly kind: "mapped";
      readonly model: string;
      readonly path: string | null;
      readonly input: MutableJson;
    }
  /** The parameters can never be put so; nothing was sent. */
  | ({ readonly kind: "rejected" } & WordedReason)
  /** The catalogue cannot be right. */
  | ({ readonly kind: "mistaken" } & WordedReason);

/**
 * Only prices need them: the length of the result is that of the motion video (T5 of the
 * specification; T17 likewise).
 */
const BILLING_ONLY: Readonly<Record<string, readonly string[]>> = {
  T5: ["duration"],
  T17: ["duration"],
};

const UNMAPPED: TableMapping = {
  path: null,
  fields: new Map(),
  drop: [],
  constants: new Map(),
  inModel: [],
  words: {},
  choices: [],
};

export function tableOf(provider: TaskProvider, table: string): TableMapping {
  return provider.tables.get(table) ?? UNMAPPED;
}

export interface ParameterSource {
  readonly table: string;
  /** The route's model id, with its places. */
  readonly model: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Parameters that are absent, null or an empty list are not sent. */
export function mapParameters(provider: TaskProvider, source: ParameterSource): MappedParameters {
  const mapping = tableOf(provider, source.table);
  const parameters = new Map(
    Object.entries(source.parameters).filter(([, value]) => isGiven(value)),
  );
  const choice = mapping.choices.find(({ when }) =>
    [...when].every(([name, test]) => holds(test, parameters.get(name))),
  );
  if (choice !== undefined && choice.reject !== null)
    return { kind: "rejected", reason: choice.reject };

  const model = fillModel(mapping, choice, source.model, parameters);
  if (typeof model !== "string") return { kind: "mistaken", ...model };

  const fields = new Map([...mapping.fields, ...(choice?.fields ?? [])]);
  const dropped = new Set([...mapping.drop, ...mapping.inModel, ...(choice?.drop ?? [])]);
  for (const name of BILLING_ONLY[source.table] ?? []) if (!fields.has(name)) dropped.add(name);
  for (const name of choice?.fields.keys() ?? []) dropped.delete(name);

  let input: MutableJson = {};
  for (const [pointer, constant] of mapping.constants) {
    const put = putAt(input, pointer, copyJson(constant));
    if (put === false)
      return { kind: "mistaken", ...sayReason("constant_without_place", { pointer }) };
    input = put.document;
  }
  for (const [name, value] of parameters) {
    if (dropped.has(name)) continue;
    for (const field of fields.get(name) ?? [ownField(provider, name)]) {
      const put = putField(input, field, { name, value: value as JsonValue });
      if (put === null) continue;
      if ("reason" in put) return { kind: "mistaken", ...put };
      input = put.input;
    }
  }
  return { kind: "mapped", model, path: mapping.path, input: withoutGaps(input) };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

function holds(test: ParameterTest, value: unknown): boolean {
  switch (test.kind) {
    case "given":
      return (value !== undefined) === test.given;
    case "is":
      return scalarText(value) === test.value;
    case "above": {
      const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
      return typeof number === "number" && number > test.above;
    }
  }
}

function ownField({ naming }: TaskProvider, name: string): FieldMapping {
  return { ...PLAIN_FIELD, to: `/${naming === "same" ? name : snakeCase(name)}` };
}

const PLAIN_FIELD: FieldMapping = {
  to: "",
  as: null,
  values: new Map(),
  item: undefined,
  at: null,
  keys: {},
  only: null,
  value: undefined,
  suffix: null,
};

/** `imageUrls` becomes `image_urls`. */
function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function fillModel(
  mapping: TableMapping,
  choice: MappingChoice | undefined,
  routeModel: string,
  parameters: ReadonlyMap<string, unknown>,
): string | WordedReason {
  const template = choice?.model ?? routeModel;
  const places = placesOf(template);
  const missing = mapping.inModel.find((name) => !places.includes(name));
  // Otherwise what a customer chose, and pays for, would be lost without a word.
  if (missing !== undefined && template === routeModel)
    return sayReason("model_without_place", { model: template, parameter: missing });
  const texts = [...parameters]
    .filter(([, value]) => typeof value !== "object")
    .map(([name, value]) => [name, String(value)] as const);
  const filled = fillText(template, {
    ...Object.fromEntries(texts),
    ...mapping.words,
    ...choice?.words,
  });
  return filled ?? sayReason("model_not_filled", { model: template });
}
