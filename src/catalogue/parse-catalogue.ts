/**
 * Compiles a catalogue file, or tells every mistake in it at once (contract §12). Pure: file and
 * environment come as values.
 */
import type { Static } from "typebox";
import { LineCounter, parseDocument } from "yaml";
import type { CatalogueMistake } from "../contract/catalogue/catalogue-mistake.ts";
import { mistakeAt } from "../contract/catalogue/mistake-at.ts";
import { CATALOGUE_FILE } from "./catalogue-schema.ts";
import type { Catalogue, DatedReceiptTerms, Model, UpstreamConfig } from "./catalogue.ts";
import { compileFamilies } from "./compile-families.ts";
import { compileModel } from "./compile-model.ts";
import type { Environment } from "./interpolate.ts";
import { readBySchema, wholeOf } from "./read-by-schema.ts";
import type { Draft, Found } from "./schema-parts.ts";
import { yamlMistake } from "./yaml-mistake.ts";
import type { YamlReader } from "./yaml-reader.ts";
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

  const reader = createYamlReader(document, lines, env);
  const leniency = age === "new" ? null : warnings;
  const draft = readBySchema(reader, reader.root, CATALOGUE_FILE);
  const catalogue = draft && compileDocument(draft, { env, warnings, leniency }, reader);
  const mistakes = reader.mistakes();
  return catalogue !== undefined && mistakes.length === 0
    ? { ok: true, catalogue, warnings }
    : { ok: false, mistakes, warnings };
}

interface Reading {
  readonly env: Environment;
  readonly warnings: CatalogueMistake[];
  readonly leniency: CatalogueMistake[] | null;
}

/** Cross-references and prices are held against each other, whatever else is mistaken. */
function compileDocument(
  draft: Draft<Static<typeof CATALOGUE_FILE>>,
  { env, warnings, leniency }: Reading,
  reader: YamlReader,
): Catalogue {
  const place = (...steps: readonly string[]): Found => ({
    at: reader.child(reader.root, ...steps),
    reader,
  });
  const upstreams = new Map<string, UpstreamConfig | undefined>();
  for (const [name, upstream] of draft.upstreams ?? []) {
    warnOfUnset(upstream?.apiKeyEnv, env, warnings, place("upstreams", name, "apiKeyEnv"));
    if (upstream?.balance?.apiKeyEnv !== undefined)
      warnOfUnset(
        [upstream.balance.apiKeyEnv],
        env,
        warnings,
        place("upstreams", name, "balance", "apiKeyEnv"),
      );
    const whole = wholeOf<Omit<UpstreamConfig, "name">>(upstream);
    upstreams.set(name, whole && { name, ...whole });
  }
  const models = new Map<string, Model | undefined>();
  for (const [id, model] of draft.models ?? []) {
    const subject = { id, upstreams, leniency };
    models.set(id, model && compileModel(model, subject, place("models", id)));
  }
  const families = compileFamilies(draft.families ?? {}, models, place("families"));
  const receipts = wholeOf<readonly DatedReceiptTerms[]>(draft.payments?.receipts);
  return {
    families,
    upstreams: withoutGaps(upstreams),
    models: withoutGaps(models),
    ...(receipts === undefined ? {} : { receipts }),
  };
}

function warnOfUnset(
  names: readonly (string | undefined)[] | undefined,
  env: Environment,
  warnings: CatalogueMistake[],
  { at, reader }: Found,
): void {
  names?.forEach((variable, index) => {
    if (variable !== undefined && (env[variable] ?? "").trim() === "")
      warnings.push(mistakeAt(reader.child(at, index), "credential_not_set", { variable }));
  });
}

function withoutGaps<T>(map: ReadonlyMap<string, T | undefined>): Map<string, T> {
  const whole = new Map<string, T>();
  for (const [name, value] of map) if (value !== undefined) whole.set(name, value);
  return whole;
}
