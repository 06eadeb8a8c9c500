/** `tollgate catalogue check`: checks a catalogue file without changing anything. */
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { CliDeps, Command, Outcome } from "../command.ts";
import { done } from "../command.ts";
import { lossLines, marginLines } from "../margin-lines.ts";
import { withDb } from "../with-db.ts";
import { countNouns } from "../count-nouns.ts";

/** Null where there is none, or where it cannot be read here. */
async function catalogueInForce(deps: CliDeps): Promise<Catalogue | null> {
  const { newestVersion } = await import("../../catalogue/store.ts");
  const { parseStoredCatalogue } = await import("../../catalogue/parse-catalogue.ts");
  const stored = await withDb(deps, (db) => newestVersion(db));
  const reading = stored === null ? null : parseStoredCatalogue(stored.source, deps.env);
  return reading?.ok === true ? reading.catalogue : null;
}

export const catalogueCheck: Command = {
  name: "catalogue check",
  summary: "Check a catalogue file: every mistake at once; nothing is changed",
  positionals: [{ name: "FILE", help: "the catalogue, YAML" }],
  options: {
    compare: { value: null, help: "say what changes against the catalogue in force, too" },
  },
  async run({ positionals, options, deps }): Promise<Outcome> {
    const { mistakeLine } = await import("../../catalogue/live-catalogue.ts");
    const { compareMargins } = await import("../../catalogue/compare-margins.ts");
    const { parseCatalogue } = await import("../../catalogue/parse-catalogue.ts");
    const reading = parseCatalogue(await deps.readFile(positionals["FILE"] ?? ""), deps.env);
    const warnings = reading.warnings.map((warning) => `warning: ${mistakeLine(warning)}`);
    if (!reading.ok) {
      const text = [
        ...reading.mistakes.map(mistakeLine),
        ...warnings,
        countNouns(reading.mistakes.length, "mistake"),
      ].join("\n");
      return {
        kind: "bad",
        json: { ok: false, mistakes: reading.mistakes, warnings: reading.warnings },
        text,
      };
    }
    const { models, upstreams } = reading.catalogue;
    const counts = `${countNouns(models.size, "model")}, ${countNouns(upstreams.size, "upstream")}`;
    const before = options.has("compare") ? await catalogueInForce(deps) : null;
    const margins = compareMargins(before, reading.catalogue);
    const belowCost = margins.some((row) => row.belowCost);
    const text = [
      ...warnings,
      ...marginLines(margins, deps.colour),
      ...lossLines(margins),
      `The catalogue is in order: ${counts}.`,
    ].join("\n");
    const json = {
      ok: true,
      models: [...models.keys()],
      upstreams: [...upstreams.keys()],
      belowCost,
      margins,
      warnings: reading.warnings,
    };
    return done(json, text);
  },
};
