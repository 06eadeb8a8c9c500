/**
 * `tollgate catalogue suggest`: proposes what the catalogue should say, by what the gateway has
 * seen.
 */
import type { FactorSuggestion, FactorText } from "../../catalogue/suggest-factors.ts";
import { alignColumns } from "../align-columns.ts";
import type { Command } from "../command.ts";
import { done, failed } from "../command.ts";
import { withDb } from "../with-db.ts";

export const catalogueSuggest: Command = {
  name: "catalogue suggest",
  summary: "Factors for counts of other tokenizers, by what upstreams told",
  positionals: [],
  options: {},
  async run({ deps }) {
    const { suggestFactors, LEAST_SAMPLES } = await import("../../catalogue/suggest-factors.ts");
    const { parseCatalogue } = await import("../../catalogue/parse-catalogue.ts");
    const { newestVersion } = await import("../../catalogue/store.ts");
    const { sumCountSamples } = await import("../../usage/count-samples.store.ts");
    const [stored, sums] = await withDb(
      deps,
      async (db) => [await newestVersion(db), await sumCountSamples(db)] as const,
    );
    if (stored === null)
      return failed("no catalogue was ever applied; apply one with: tollgate catalogue apply FILE");
    const reading = parseCatalogue(stored.source, deps.env);
    if (!reading.ok)
      return failed(
        "the catalogue in force cannot be read with this environment; see: tollgate catalogue check FILE",
      );
    const factors = suggestFactors(reading.catalogue, sums);
    return done({ version: stored.version, countFactors: factors }, textOf(factors, LEAST_SAMPLES));
  },
};

function textOf(factors: readonly FactorSuggestion[], leastSamples: number): string {
  if (factors.length === 0) return "There are no chat routes.";
  const rows = factors.map(({ upstream, model, samples, suggested, now }) => [
    `${upstream} / ${model}`,
    `${samples} samples`,
    suggested === null
      ? `fewer than ${leastSamples}: nothing is proposed yet`
      : `countFactor: ${written(suggested)}`,
    now === null ? "" : `now ${written(now)}`,
  ]);
  return alignColumns(rows).join("\n");
}

function written({ input, output }: FactorText): string {
  return `{ input: "${input}", output: "${output}" }`;
}
