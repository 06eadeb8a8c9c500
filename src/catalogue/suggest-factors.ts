/**
 * Which factors of counts the catalogue should have, by what upstreams told of tokens that were
 * counted too.
 */
import { decimalText } from "../contract/price/decimal.ts";
import type { Catalogue } from "./catalogue.ts";

export interface ReportedAndCounted {
  readonly upstream: string;
  readonly model: string;
  readonly samples: number;
  readonly countedInput: number;
  readonly reportedInput: number;
  readonly countedOutput: number;
  readonly reportedOutput: number;
}

export interface FactorSuggestion {
  readonly upstream: string;
  readonly model: string;
  readonly samples: number;
  /** Null where there are too few samples. */
  readonly suggested: FactorText | null;
  /** In force; null where none is. */
  readonly now: FactorText | null;
}

/** Two decimals. */
export interface FactorText {
  readonly input: string;
  readonly output: string;
}

/** Fewer say more of their requests than of the tokenizer. */
export const LEAST_SAMPLES = 20;

/**
 * Routes of the catalogue without samples are among them; samples of routes that it does not have
 * are not.
 */
export function suggestFactors(
  catalogue: Catalogue,
  sums: readonly ReportedAndCounted[],
): FactorSuggestion[] {
  const routes = [...catalogue.models.values()].flatMap((model) =>
    model.type === "chat" ? model.routes : [],
  );
  const seen = new Set<string>();
  return routes.flatMap(({ upstream, model, countFactor }) => {
    const name = `${upstream} ${model}`;
    if (seen.has(name)) return [];
    seen.add(name);
    const sum = sums.find((each) => each.upstream === upstream && each.model === model);
    const samples = sum?.samples ?? 0;
    const now =
      countFactor === undefined
        ? null
        : { input: decimalText(countFactor.input), output: decimalText(countFactor.output) };
    return [
      {
        upstream,
        model,
        samples,
        suggested: sum === undefined || samples < LEAST_SAMPLES ? null : factorOf(sum),
        now,
      },
    ];
  });
}

function factorOf({
  countedInput,
  reportedInput,
  countedOutput,
  reportedOutput,
}: ReportedAndCounted): FactorText {
  return {
    input: (reportedInput / countedInput).toFixed(2),
    output: (reportedOutput / countedOutput).toFixed(2),
  };
}
