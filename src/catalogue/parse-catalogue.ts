/**
 * Compiles a catalogue file, or tells every mistake in it at once (contract §12). Pure: file and
 * environment come as values.
 */
import { LineCounter, parseDocument } from "yaml";
import type { CatalogueMistake } from "../contract/catalogue/catalogue-mistake.ts";
import { mistakeAt } from "../contract/catalogue/mistake-at.ts";
import type { Catalogue, Model, UpstreamConfig } from "./catalogue.ts";
import type { Environment } from "./interpolate.ts";
import { NO_FAMILIES, readFamilies } from "./read-families.ts";
import { readReceipts } from "./read-payments.ts";
import { readModel } from "./read-model.ts";
import { readUpstream } from "./read-upstream.ts";
import { yamlMistake } from "./yaml-mistake.ts";
import type { Place, YamlReader } from "./yaml-reader.ts";
import { createYamlReader } from "./yaml-reader.ts";

export type CatalogueReading =
  | {
      readonly ok: true;
      readonly catalogue: Catalogue;
      readonly warnings: readonly CatalogueMistake[];
    }
  | {
      readonly ok: false;
      readonly mistakes: readonly CatalogueMistake[];
      readonly warnings: readonly CatalogueMistake[];
    };

const LONGEST_SOURCE = 4 * 1024 * 1024;
const UPSTREAM_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * Warnings do not stop a catalogue: a credential that is not set yet. `env` gives the values of
 * `${NAME}` in upstreams and tells which credentials are set; the catalogue keeps the names of
 * credentials, never their values.
 */
export function parseCatalogue(source: string, env: Environment): CatalogueReading {
  return parse(source, env, "new");
}

/**
 * The same for a version that is stored: what was in force goes on as it was sold, and what a rule
 * that came later would refuse is a warning. So receipts stay explainable, and a gateway of a later
 * release starts on the catalogue of an earlier one.
 */
export function parseStoredCatalogue(source: string, env: Environment): CatalogueReading {
  return parse(source, env, "stored");
}

function parse(source: string, env: Environment, age: "new" | "stored"): CatalogueReading {
  const mistakes: CatalogueMistake[] = [];
  const warnings: CatalogueMistake[] = [];
  if (source.length > LONGEST_SOURCE || source.includes("\0")) {
    const file = { path: "", line: null };
    const isLong = source.length > LONGEST_SOURCE;
    const mistake = isLong
      ? mistakeAt(file, "source_too_long", { max: LONGEST_SOURCE })
      : mistakeAt(file, "zero_bytes");
    return { ok: false, mistakes: [mistake], warnings };
  }
  const lines = new LineCounter();
  // Doubled keys are found by the reader, which knows their path.
  const document = parseDocument(source, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
  });
  const broken = yamlMistake(document, lines, source);
  // What a broken document seems to say would only add noise.
  if (broken !== null) return { ok: false, mistakes: [broken], warnings };

  const catalogue = readDocument(createYamlReader(document, lines, mistakes), {
    env,
    warnings,
    leniency: age === "new" ? null : warnings,
  });
  if (catalogue !== undefined && mistakes.length === 0) return { ok: true, catalogue, warnings };
  return {
    ok: false,
    mistakes: mistakes.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)),
    warnings,
  };
}

interface Reading {
  readonly env: Environment;
  readonly warnings: CatalogueMistake[];
  readonly leniency: CatalogueMistake[] | null;
}

function readDocument(
  reader: YamlReader,
  { env, warnings, leniency }: Reading,
): Catalogue | undefined {
  const fields = reader.fields(reader.root, ["families", "upstreams", "models", "payments"]);
  if (fields === undefined) return undefined;
  const upstreamsPlace = reader.required(reader.root, fields, "upstreams");
  const modelsPlace = reader.required(reader.root, fields, "models");

  const upstreams = new Map<string, UpstreamConfig | undefined>();
  for (const { name, at } of namedEntries(reader, upstreamsPlace, "upstream")) {
    if (!UPSTREAM_NAME.test(name)) reader.note(at, "bad_name", { what: "upstream", name });
    upstreams.set(name, readUpstream(reader.withEnvironment(env), at, { name, env, warnings }));
  }
  const models = new Map<string, Model | undefined>();
  for (const { name, at } of namedEntries(reader, modelsPlace, "model")) {
    models.set(name, readModel(reader, at, { id: name, upstreams, leniency }));
  }
  const families =
    fields.families === undefined ? NO_FAMILIES : readFamilies(reader, fields.families, models);
  const receipts = fields.payments && readReceipts(reader, fields.payments);
  if (families === undefined) return undefined;
  return {
    families,
    upstreams: withoutGaps(upstreams),
    models: withoutGaps(models),
    ...(receipts === undefined ? {} : { receipts }),
  };
}

function namedEntries(reader: YamlReader, at: Place | undefined, what: "upstream" | "model") {
  if (at === undefined) return [];
  const entries = reader.entries(at) ?? [];
  if (reader.isMapping(at) && entries.length === 0) reader.note(at, "none_given", { what });
  return entries;
}

function withoutGaps<T>(map: ReadonlyMap<string, T | undefined>): Map<string, T> {
  const whole = new Map<string, T>();
  for (const [name, value] of map) if (value !== undefined) whole.set(name, value);
  return whole;
}
