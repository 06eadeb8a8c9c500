/**
 * Decides batches of requests by the functions of its schema, and keeps the leases of the
 * processes whose requests count.
 */
import { bigintArray, integerArray, uuidArray } from "../db/array-params.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import { assert } from "../kernel/assert.ts";
import type { Uuid } from "../kernel/ids.ts";
import { OWNER_LEASE_MS } from "../kernel/limits.ts";
import type { RateLimits } from "../kernel/rate-limits.ts";
import { explainDecision } from "./explain-decision.ts";
import type { LimitRequest, LimitVerdict, SubjectUse } from "./limit-verdicts.ts";

export type LimitsRow =
  | { readonly kind: "ask"; readonly request: LimitRequest }
  /** It runs, and the database may have forgotten it. */
  | { readonly kind: "place"; readonly request: LimitRequest }
  /** It has ended, having used so many tokens in place of those that it asked for. */
  | { readonly kind: "end"; readonly request: LimitRequest; readonly usedTokens: number };

/** Above this no figure is believed; sums of a batch stay within PostgreSQL's integers. */
const MOST_TOKENS = 1_000_000_000;
const MOST_CORRECTED = 10_000_000_000;

const DECIDE = statement({
  text: `SELECT * FROM limits.decide_many($1, $2::uuid[], $3::int[], $4::int[], $5::int[], $6::bigint[],
  $7::uuid[], $8::uuid[], $9::uuid[], $10::uuid[], $11::uuid[], $12::int[], $13::int[], $14::int[])`,
  parameters: [
    sql.uuid,
    sql.array(sql.uuid),
    sql.array(sql.int4),
    sql.array(sql.int4),
    sql.array(sql.int4),
    sql.array(sql.int8),
    sql.array(sql.uuid),
    sql.array(sql.uuid),
    sql.array(sql.uuid),
    sql.array(sql.uuid),
    sql.array(sql.uuid),
    sql.array(sql.int4),
    sql.array(sql.int4),
    sql.array(sql.int4),
  ],
  row: {
    at_us: sql.int8,
    admitted: sql.nullable(sql.array(sql.bool)),
    first_requests: sql.nullable(sql.array(sql.int8)),
    first_tokens: sql.nullable(sql.array(sql.int8)),
    first_running: sql.nullable(sql.array(sql.int8)),
    second_requests: sql.nullable(sql.array(sql.nullable(sql.int8))),
    second_tokens: sql.nullable(sql.array(sql.nullable(sql.int8))),
    second_running: sql.nullable(sql.array(sql.nullable(sql.int8))),
  },
});

interface DecideColumns {
  readonly at_us: bigint;
  /** These are null when no request asked. */
  readonly admitted: readonly boolean[] | null;
  readonly first_requests: readonly bigint[] | null;
  readonly first_tokens: readonly bigint[] | null;
  readonly first_running: readonly bigint[] | null;
  readonly second_requests: readonly (bigint | null)[] | null;
  readonly second_tokens: readonly (bigint | null)[] | null;
  readonly second_running: readonly (bigint | null)[] | null;
}

/**
 * Notes what runs, then what has ended, then lets in those who ask, in order. Verdicts are aligned
 * with the rows; null for those that do not ask. `retry`: an earlier run of these rows may have
 * been committed. Then a place is never counted twice and no token given back twice, but a request
 * or its tokens may be counted twice.
 */
export async function decideMany(
  q: Queryable,
  ownerId: Uuid,
  rows: readonly LimitsRow[],
  retry: boolean,
): Promise<(LimitVerdict | null)[]> {
  const subjects = groupSubjects(rows, retry);
  const position = new Map(subjects.map(({ subjectId }, index) => [subjectId, index + 1]));
  const placed = rows.filter(({ kind }) => kind === "place").flatMap(placesOf);
  // What an earlier run may have let in is decided anew.
  const ended = rows
    .filter(({ kind }) => kind === "end" || (retry && kind === "ask"))
    .flatMap(placesOf);
  const asking = rows.filter(({ kind }) => kind === "ask").map(({ request }) => request);
  const [columns] = await q.run(DECIDE, [
    ownerId,
    uuidArray(subjects, ({ subjectId }) => subjectId),
    integerArray(subjects, ({ limits }) => limits.requestsPerMinute),
    integerArray(subjects, ({ limits }) => limits.tokensPerMinute),
    integerArray(subjects, ({ limits }) => limits.maxConcurrent),
    bigintArray(subjects, ({ correction }) =>
      BigInt(Math.max(-MOST_CORRECTED, Math.min(correction, MOST_CORRECTED))),
    ),
    uuidArray(placed, ({ subjectId }) => subjectId),
    uuidArray(placed, ({ requestId }) => requestId),
    uuidArray(ended, ({ subjectId }) => subjectId),
    uuidArray(ended, ({ requestId }) => requestId),
    uuidArray(asking, ({ requestId }) => requestId),
    integerArray(asking, (request) => position.get(request.subjects[0].subjectId) ?? 0),
    integerArray(asking, (request) => position.get(request.subjects[1]?.subjectId ?? "") ?? 0),
    integerArray(asking, ({ tokens }) => believable(tokens)),
  ]);
  assert(columns !== undefined, "decide_many answers with one row");
  let next = 0;
  return rows.map(({ kind, request }) =>
    kind === "ask" ? readVerdict(request, columns, next++) : null,
  );
}

interface GroupedSubject {
  readonly subjectId: Uuid;
  limits: RateLimits;
  correction: number;
}

/**
 * Ascending by id, as PostgreSQL orders UUIDs, with the limits of the latest who asks: those of a
 * request that ends may be old.
 */
function groupSubjects(rows: readonly LimitsRow[], retry: boolean): GroupedSubject[] {
  const groups = new Map<Uuid, GroupedSubject>();
  for (const row of rows) {
    for (const { subjectId, limits } of row.request.subjects) {
      const group = groups.get(subjectId) ?? { subjectId, limits, correction: 0 };
      groups.set(subjectId, group);
      if (row.kind === "ask") group.limits = limits;
      if (row.kind !== "end" || limits.tokensPerMinute === null) continue;
      const correction =
        believable(row.usedTokens) -
        Math.min(believable(row.request.tokens), limits.tokensPerMinute);
      group.correction += retry ? Math.max(0, correction) : correction;
    }
  }
  return [...groups.values()].toSorted((a, b) => (a.subjectId < b.subjectId ? -1 : 1));
}

function placesOf({
  request,
}: LimitsRow): { readonly subjectId: Uuid; readonly requestId: Uuid }[] {
  return request.subjects
    .filter(({ limits }) => limits.maxConcurrent !== null)
    .map(({ subjectId }) => ({ subjectId, requestId: request.requestId }));
}

function believable(tokens: number): number {
  return Math.max(0, Math.min(Math.ceil(tokens), MOST_TOKENS));
}

function readVerdict(request: LimitRequest, columns: DecideColumns, index: number): LimitVerdict {
  const admitted = columns.admitted?.[index];
  assert(admitted !== undefined, "decide_many answers everybody who asks");
  const used: SubjectUse[] = [
    {
      requests: columns.first_requests?.[index] ?? 0n,
      tokens: columns.first_tokens?.[index] ?? 0n,
      running: columns.first_running?.[index] ?? 0n,
    },
    {
      requests: columns.second_requests?.[index] ?? 0n,
      tokens: columns.second_tokens?.[index] ?? 0n,
      running: columns.second_running?.[index] ?? 0n,
    },
  ];
  return explainDecision(request, { at: new Date(Number(columns.at_us / 1000n)), admitted, used });
}

const BEAT_OWNER = statement({
  text: "SELECT late FROM limits.beat($1, $2 * interval '1 millisecond', $3::uuid[])",
  parameters: [sql.uuid, sql.float8, sql.array(sql.uuid)],
  row: { late: sql.bool },
});

/**
 * Renews the lease of a process and clears away what no process will end any more. `running`: its
 * requests that hold a place, all of them. `late`: what it has running may have been forgotten, and
 * is to be placed again.
 */
export async function beatOwner(
  q: Queryable,
  ownerId: Uuid,
  running: readonly Uuid[],
): Promise<"kept" | "late"> {
  const [row] = await q.run(BEAT_OWNER, [
    ownerId,
    OWNER_LEASE_MS,
    uuidArray(running, (requestId) => requestId),
  ]);
  return row?.late === false ? "kept" : "late";
}

const RETIRE_OWNER = statement({
  text: "WITH retired AS (DELETE FROM limits.owners WHERE owner_id = $1) DELETE FROM limits.running WHERE owner_id = $1",
  parameters: [sql.uuid],
});

/** Ends the lease at once, and with it everything that the process has running. */
export async function retireOwner(q: Queryable, ownerId: Uuid): Promise<void> {
  await q.run(RETIRE_OWNER, [ownerId]);
}
