/**
 * Reads a value that is passed on as JSON: texts, numbers, booleans, null, lists and mappings, as
 * YAML types them.
 */
import { isScalar } from "yaml";
import type { JsonValue } from "../protocol/task-provider.ts";
import type { Place, YamlReader } from "./yaml-reader.ts";
import { shown } from "./yaml-reader.ts";

/** No provider's constant goes deeper; an alias may lead back to itself. */
const DEEPEST = 8;

export function readJsonValue(
  reader: YamlReader,
  at: Place,
  depth = DEEPEST,
): JsonValue | undefined {
  if (depth === 0) {
    reader.note(at, "too_deep", { what: "values", max: DEEPEST });
    return undefined;
  }
  if (reader.isList(at)) {
    const items = (reader.items(at) ?? []).map((item) => readJsonValue(reader, item, depth - 1));
    return items.includes(undefined) ? undefined : items.filter((item) => item !== undefined);
  }
  if (reader.isMapping(at)) {
    const members = (reader.entries(at) ?? []).map(
      ({ name, at: place }) => [name, readJsonValue(reader, place, depth - 1)] as const,
    );
    return members.some(([, member]) => member === undefined)
      ? undefined
      : (Object.fromEntries(members) as Record<string, JsonValue>);
  }
  const value: unknown = isScalar(at.node) ? at.node.value : null;
  if (typeof value === "string") return reader.text(at);
  if (
    value === null ||
    typeof value === "boolean" ||
    (typeof value === "number" && Number.isFinite(value))
  )
    return value;
  reader.note(at, "expected", { what: "json_value", got: shown(at) });
  return undefined;
}
