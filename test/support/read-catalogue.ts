/**
 * Reads a catalogue as the gateway does, and asserts of every fixture that the published schema
 * agrees and that each mistake is said in Russian too.
 */
import type { Environment } from "../../src/catalogue/interpolate.ts";
import { parseCatalogue } from "../../src/catalogue/parse-catalogue.ts";
import type { CatalogueReading } from "../../src/catalogue/parse-catalogue.ts";
import { assertWordedInRussian } from "./assert-worded-in-russian.ts";
import { assertSchemaAgrees } from "./assert-schema-agrees.ts";

export function readCatalogue(source: string, env: Environment): CatalogueReading {
  const reading = parseCatalogue(source, env);
  if (!reading.ok) reading.mistakes.forEach(assertWordedInRussian);
  assertSchemaAgrees(source, reading);
  return reading;
}
