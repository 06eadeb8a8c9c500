/**
 * The specification of the limits: random histories on real PostgreSQL against plain arithmetic,
 * batch by batch, to the last part of a token.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { newUuid, type Uuid } from "../kernel/ids.ts";
import type { RateLimits } from "../kernel/rate-limits.ts";
import type { LimitRequest, LimitSubject } from "./limit-verdicts.ts";
import { decideMany, type LimitsRow } from "./store.ts";

const ONE = 60_000_000n;
const ROUNDS = 300;

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

/** A small generator with a seed, so that a failure can be repeated. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface Counted {
  readonly limits: RateLimits;
  requests: bigint;
  tokens: bigint;
  asOfUs: bigint;
  readonly running: Set<Uuid>;
}

/** What plain arithmetic says of the same history. */
function createModel() {
  const counts = new Map<Uuid, Counted>();

  function of({ subjectId }: LimitSubject): Counted {
    const counted = counts.get(subjectId);
    assert.ok(counted !== undefined);
    return counted;
  }

  function left(used: bigint, rate: number | null, elapsedUs: bigint): bigint {
    if (rate === null) return used;
    const rest = used - elapsedUs * BigInt(rate);
    return rest > 0n ? rest : 0n;
  }

  return {
    of,
    counts,
    add(limits: RateLimits): LimitSubject {
      const subjectId = newUuid();
      counts.set(subjectId, { limits, requests: 0n, tokens: 0n, asOfUs: 0n, running: new Set() });
      return { subjectId, limits };
    },
    flow(subject: LimitSubject, atUs: bigint): void {
      const counted = of(subject);
      counted.requests = left(
        counted.requests,
        counted.limits.requestsPerMinute,
        atUs - counted.asOfUs,
      );
      counted.tokens = left(counted.tokens, counted.limits.tokensPerMinute, atUs - counted.asOfUs);
      counted.asOfUs = atUs;
    },
    correct(request: LimitRequest, usedTokens: number): void {
      for (const subject of request.subjects) {
        const counted = of(subject);
        counted.running.delete(request.requestId);
        const limit = counted.limits.tokensPerMinute;
        if (limit !== null)
          counted.tokens += BigInt(usedTokens - Math.min(request.tokens, limit)) * ONE;
      }
    },
    ask(request: LimitRequest): boolean {
      const fits = request.subjects.every((subject) => {
        const { limits, requests, tokens, running } = of(subject);
        const { requestsPerMinute: rpm, tokensPerMinute: tpm, maxConcurrent: places } = limits;
        return (
          (rpm === null || requests + ONE <= BigInt(rpm) * ONE) &&
          (tpm === null ||
            tokens + BigInt(Math.min(request.tokens, tpm)) * ONE <= BigInt(tpm) * ONE) &&
          (places === null || running.size < places)
        );
      });
      if (!fits) return false;
      for (const subject of request.subjects) {
        const counted = of(subject);
        const {
          requestsPerMinute: rpm,
          tokensPerMinute: tpm,
          maxConcurrent: places,
        } = counted.limits;
        if (rpm !== null) counted.requests += ONE;
        if (tpm !== null) counted.tokens += BigInt(Math.min(request.tokens, tpm)) * ONE;
        if (places !== null) counted.running.add(request.requestId);
      }
      return true;
    },
  };
}

test("every verdict and every count is that of plain arithmetic", { timeout: 60_000 }, async () => {
  const { db } = database;
  const pick = seeded(20_260_601);
  const model = createModel();
  const subjects = [
    model.add({ requestsPerMinute: 20, tokensPerMinute: null, maxConcurrent: 3, maxTasks: null }),
    model.add({
      requestsPerMinute: null,
      tokensPerMinute: 700,
      maxConcurrent: null,
      maxTasks: null,
    }),
    model.add({ requestsPerMinute: 7, tokensPerMinute: 90, maxConcurrent: 4, maxTasks: null }),
    model.add({ requestsPerMinute: null, tokensPerMinute: null, maxConcurrent: 2, maxTasks: null }),
  ];
  const some = (): LimitSubject => {
    const subject = subjects[pick(subjects.length)];
    assert.ok(subject !== undefined);
    return subject;
  };
  const admitted: LimitRequest[] = [];
  const tally = { let: 0, refused: 0 };

  for (let round = 0; round < ROUNDS; round++) {
    const rows: LimitsRow[] = Array.from({ length: 1 + pick(6) }, () => {
      const ending = pick(3) === 0 ? admitted.splice(pick(admitted.length), 1)[0] : undefined;
      if (ending !== undefined) return { kind: "end", request: ending, usedTokens: pick(120) };
      const [first, second] = [some(), some()];
      const pair =
        pick(2) === 0 || first === second ? ([first] as const) : ([first, second] as const);
      return { kind: "ask", request: { requestId: newUuid(), subjects: pair, tokens: pick(60) } };
    });
    const verdicts = await decideMany(db, newUuid(), rows, false);

    const touched = new Set(rows.flatMap(({ request }) => request.subjects));
    const stored = await db.query<{
      subject_id: Uuid;
      requests_used: bigint;
      tokens_used: bigint;
      as_of_us: bigint;
    }>("SELECT * FROM limits.subjects");
    for (const subject of touched) {
      const row = stored.find(({ subject_id }) => subject_id === subject.subjectId);
      assert.ok(row !== undefined);
      model.flow(subject, row.as_of_us);
    }
    for (const row of rows) if (row.kind === "end") model.correct(row.request, row.usedTokens);
    for (const subject of touched) {
      const counted = model.of(subject);
      if (counted.tokens < 0n) counted.tokens = 0n;
    }
    for (const [index, row] of rows.entries()) {
      if (row.kind !== "ask") continue;
      const expected = model.ask(row.request);
      assert.equal(
        verdicts[index]?.kind,
        expected ? "admitted" : "refused",
        `round ${round}, row ${index}`,
      );
      tally[expected ? "let" : "refused"] += 1;
      if (expected) admitted.push(row.request);
    }
    for (const subject of touched) {
      const row = stored.find(({ subject_id }) => subject_id === subject.subjectId);
      const counted = model.of(subject);
      assert.deepEqual(
        [row?.requests_used, row?.tokens_used],
        [counted.requests, counted.tokens],
        `round ${round}`,
      );
      const places = await db.query("SELECT request_id FROM limits.running WHERE subject_id = $1", [
        subject.subjectId,
      ]);
      assert.equal(places.length, counted.running.size, `round ${round}`);
    }

    // Time passes: for the database by moving what it has noted into the past.
    const us = BigInt(pick(4_000_000));
    await db.query("UPDATE limits.subjects SET as_of_us = as_of_us - $1", [us]);
    for (const counted of model.counts.values()) counted.asOfUs -= us;
  }
  assert.ok(
    tally.let > 100 && tally.refused > 100,
    `the history says too little: ${JSON.stringify(tally)}`,
  );
});
