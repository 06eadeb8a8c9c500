/**
 * Asserts that the published schema of the catalogue, by a validator that is not ours, takes what
 * the gateway takes, and refuses each slip of form where the gateway tells it.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Ajv, type ErrorObject } from "ajv";
import { parseDocument, visit } from "yaml";
import type { CatalogueReading } from "../../src/catalogue/parse-catalogue.ts";
import type {
  CatalogueMistake,
  CatalogueMistakeCode,
} from "../../src/contract/catalogue/catalogue-mistake.ts";

const SCHEMA: unknown = JSON.parse(
  readFileSync(new URL("../../catalogue.schema.json", import.meta.url), "utf8"),
);
const validate = new Ajv({ allErrors: true, strict: true, strictTypes: false }).compile(
  SCHEMA as object,
);

/** What one value or mapping breaks by itself. */
const OF_FORM: ReadonlySet<CatalogueMistakeCode> = new Set([
  "wrong_kind",
  "unknown_key",
  "missing",
  "type_missing",
  "none_given",
  "no_endpoint",
  "expected",
  "not_whole_number",
  "unknown_word",
  "bad_name",
  "name_too_long",
  "upstream_model_length",
  "not_a_range",
  "not_a_variable_name",
  "negative_price",
  "price_too_high",
  "price_too_fine",
  "flag_limit",
  "submit_rate_without_tasks",
  "max_running_without_tasks",
  "serves_no_chat",
  "described_by_protocol",
]);

export function assertSchemaAgrees(source: string, reading: CatalogueReading): void {
  const mistakes = reading.ok ? [] : reading.mistakes;
  const unreported = mistakes.some(({ code }) =>
    ["source_too_long", "zero_bytes", "not_yaml", "too_deep"].includes(code),
  );
  if (unreported) return;
  const written = writtenIn(source);
  const isValid = validate(written);
  const errors = validate.errors ?? [];
  if (reading.ok) assert.ok(isValid, `${JSON.stringify(errors, null, 1)}\n${source}`);
  for (const mistake of mistakes)
    if (OF_FORM.has(mistake.code) && !isBeyondJson(mistake, written))
      assert.ok(
        errors.some((error) => isAbout(error, mistake)),
        `the schema takes ${mistake.path}: ${mistake.message}\n${JSON.stringify(errors, null, 1)}`,
      );
}

/** As an editor sees it; the first of two keys counts, as it does for the gateway. */
function writtenIn(source: string): unknown {
  const document = parseDocument(source, { uniqueKeys: false });
  visit(document, {
    Map(_, map) {
      const names = map.items.map(({ key }) => String(key));
      map.items = map.items.filter((__, index) => names.indexOf(names[index] ?? "") === index);
    },
  });
  return document.toJS({ maxAliasCount: -1 });
}

/** A mistake of a key is told of the mapping that it stands in, or should. */
function isAbout({ instancePath }: ErrorObject, { path }: CatalogueMistake): boolean {
  const steps = stepsOf(path);
  const pointer = pointerOf(steps);
  return (
    instancePath === pointer ||
    instancePath === pointerOf(steps.slice(0, -1)) ||
    instancePath.startsWith(`${pointer}/`)
  );
}

function stepsOf(path: string): string[] {
  return [...path.matchAll(/\["(.*?)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(
    ([, quoted, index, name]) => quoted ?? index ?? name ?? "",
  );
}

function pointerOf(steps: readonly string[]): string {
  return steps.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/**
 * JSON has neither calendars nor the digits of a number as they were written, and an editor does
 * not know what a variable holds.
 */
function isBeyondJson({ code, params, path }: CatalogueMistake, written: unknown): boolean {
  const value = stepsOf(path).reduce<unknown>(
    (inner, step) => (inner as Readonly<Record<string, unknown>> | undefined)?.[step],
    written,
  );
  if (typeof value === "string" && value.includes("${")) return true;
  if (code === "bad_name") return params.what === "tool";
  if (code === "price_too_fine") return typeof value === "number";
  if (code !== "expected") return false;
  return typeof value === "number"
    ? params.what === "roubles"
    : ["day", "date"].includes(params.what) && isNearlyDay(value);
}

function isNearlyDay(value: unknown): boolean {
  return typeof value === "string" && /^\d{4}-(?:0[1-9]|1[0-2])-(?:[0-2]\d|3[01])/.test(value);
}
