/**
 * Samples of settled requests: what their upstream told of their tokens, and what our tokenizer
 * counts. The newest of each route are kept.
 */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";

export interface CountSample {
  readonly requestId: Uuid;
  readonly upstream: string;
  /** The upstream's name of it. */
  readonly model: string;
  readonly countedInput: number;
  readonly reportedInput: number;
  readonly countedOutput: number;
  readonly reportedOutput: number;
}

export interface CountSums extends Omit<CountSample, "requestId"> {
  readonly samples: number;
}

const KEPT_OF_A_ROUTE = 500;

const FORGET_OLDEST = statement({
  text: `DELETE FROM usage.count_samples WHERE upstream = $1 AND model = $2 AND sampled_at < (
       SELECT sampled_at FROM usage.count_samples WHERE upstream = $1 AND model = $2 ORDER BY sampled_at DESC OFFSET $3 LIMIT 1)`,
  parameters: [sql.text, sql.text, sql.whole],
});

const SAVE_COUNT_SAMPLE = statement({
  text: `INSERT INTO usage.count_samples (request_id, upstream, model, counted_input, told_input, counted_output, told_output)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
  parameters: [sql.uuid, sql.text, sql.text, sql.whole, sql.whole, sql.whole, sql.whole],
});

/** A second sample of the same request is none. */
export async function saveCountSample(q: Queryable, sample: CountSample): Promise<void> {
  const { requestId, upstream, model, countedInput, reportedInput, countedOutput, reportedOutput } =
    sample;
  await q.run(SAVE_COUNT_SAMPLE, [
    requestId,
    upstream,
    model,
    countedInput,
    reportedInput,
    countedOutput,
    reportedOutput,
  ]);
  await q.run(FORGET_OLDEST, [upstream, model, KEPT_OF_A_ROUTE - 1]);
}

const SUM_COUNT_SAMPLES = statement({
  text: `SELECT upstream, model, count(*)::text AS samples, sum(counted_input)::text AS "countedInput", sum(told_input)::text AS "reportedInput",
       sum(counted_output)::text AS "countedOutput", sum(told_output)::text AS "reportedOutput"
     FROM usage.count_samples GROUP BY upstream, model ORDER BY upstream, model`,
  row: {
    upstream: sql.text,
    model: sql.text,
    samples: sql.text,
    countedInput: sql.text,
    reportedInput: sql.text,
    countedOutput: sql.text,
    reportedOutput: sql.text,
  },
});

/** Of each route, by upstream and model. */
export async function sumCountSamples(q: Queryable): Promise<CountSums[]> {
  const rows = await q.run(SUM_COUNT_SAMPLES, []);
  return rows.map(
    ({ upstream, model, samples, countedInput, reportedInput, countedOutput, reportedOutput }) => ({
      upstream,
      model,
      samples: Number(samples),
      countedInput: Number(countedInput),
      reportedInput: Number(reportedInput),
      countedOutput: Number(countedOutput),
      reportedOutput: Number(reportedOutput),
    }),
  );
}
