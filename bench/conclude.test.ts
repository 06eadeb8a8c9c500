/**
 * Protects: a run is good only when every budget holds, nothing failed and the books are in order;
 * a whole run owes every figure.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { BUDGETS, type Budget } from "./budgets.ts";
import { conclude, type Run } from "./conclude.ts";
import type { Audit } from "./peers/peer.ts";
import { renderResults } from "./render-results.ts";
import type { Findings } from "./run-measures.ts";

const RUN: Run = {
  startedAt: new Date("2026-01-02T03:04:05Z"),
  seconds: 60,
  rounds: 3,
  form: "full",
  against: "e559608",
  machine: { cpu: "a processor", cores: 2, memoryGiB: 24, kernel: "Linux 6.1", node: "v26.0.0" },
};
const AUDIT: Audit = {
  title: "Tollgate",
  fsync: "on",
  synchronousCommit: "on",
  database: "PostgreSQL 18.4",
  verifyExitCode: 0,
  verifyOutput: "The ledger agrees.",
  answers: 1000,
  charges: 1000,
};

/** Figures that keep every budget with room to spare. */
function goodFindings(): Findings {
  const figures = BUDGETS.map(({ figure: [measure, subject, name], bound, limit, unit }) => {
    const value = bound === "at most" ? limit * 0.9 : limit * 1.1;
    return { measure, subject, name, unit, values: [value * 0.99, value * 0.9, value * 1.01] };
  });
  return { figures, audits: [AUDIT], notes: [], failures: [] };
}

/** The same with the figure of one budget at these values. */
function withValues(
  { figure: [measure, subject, name] }: Budget,
  values: readonly number[],
): Findings {
  const found = goodFindings();
  const figures = found.figures.map((figure) =>
    figure.measure === measure && figure.subject === subject && figure.name === name
      ? { ...figure, values }
      : figure,
  );
  return { ...found, figures };
}

test("a run that keeps every budget ends with 0", () => {
  const { exitCode, results } = conclude(goodFindings(), RUN, BUDGETS);
  assert.equal(exitCode, 0);
  assert.ok(results.judgements.every(({ verdict }) => verdict === "holds"));
});

for (const budget of BUDGETS) {
  test(`a breach ends with 1 and is named: ${budget.says}`, () => {
    const beyond = budget.bound === "at most" ? budget.limit * 1.01 : budget.limit * 0.99;
    const { exitCode, results } = conclude(withValues(budget, [beyond]), RUN, BUDGETS);
    assert.equal(exitCode, 1);
    assert.deepEqual(
      results.judgements
        .filter(({ verdict }) => verdict === "breached")
        .map((judgement) => judgement.budget.says),
      [budget.says],
    );
    assert.match(renderResults(results), /BREACHED/);
  });
}

test("the median counts: one bad round of three is forgiven, two are not", () => {
  const [budget] = BUDGETS;
  assert.ok(budget !== undefined);
  const { limit } = budget;
  assert.equal(
    conclude(withValues(budget, [limit * 9, limit * 0.8, limit]), RUN, BUDGETS).exitCode,
    0,
  );
  assert.equal(
    conclude(withValues(budget, [limit * 9, limit * 0.8, limit * 1.1]), RUN, BUDGETS).exitCode,
    1,
  );
});

test("a value that is none breaches its budget", () => {
  const [budget] = BUDGETS;
  assert.ok(budget !== undefined);
  assert.equal(conclude(withValues(budget, [Number.NaN]), RUN, BUDGETS).exitCode, 1);
  assert.equal(conclude(withValues(budget, []), RUN, BUDGETS).exitCode, 1);
});

test("a whole run owes every figure, a short one only those that it measured", () => {
  const found = { ...goodFindings(), figures: goodFindings().figures.slice(1) };
  assert.equal(conclude(found, RUN, BUDGETS).exitCode, 1);
  assert.equal(conclude(found, { ...RUN, form: "quick" }, BUDGETS).exitCode, 0);
  assert.equal(conclude(found, { ...RUN, form: "partial" }, BUDGETS).exitCode, 0);
});

test("what is told against another checkout is owed only where one took part", () => {
  const found = goodFindings();
  const figures = found.figures.filter(({ subject }) => !subject.includes("that checkout"));
  assert.ok(figures.length < found.figures.length);
  assert.equal(conclude({ ...found, figures }, { ...RUN, against: null }, BUDGETS).exitCode, 0);
  assert.equal(conclude({ ...found, figures }, RUN, BUDGETS).exitCode, 1);
});

test("books that are not in order, and anything that failed, end with 1 and are told", () => {
  const broken: [Partial<Audit>, RegExp][] = [
    [{ charges: 999 }, /999 charges in its ledger for 1000 answers/],
    [{ charges: 1001 }, /1001 charges/],
    [
      { verifyExitCode: 1, verifyOutput: "does not agree in 3 places" },
      /ledger verify ended with 1: does not agree in 3 places/,
    ],
    [{ verifyExitCode: null }, /ledger verify ended with null/],
    [{ fsync: "off" }, /fsync off/],
    [{ synchronousCommit: "off" }, /synchronous_commit off/],
  ];
  for (const [fault, reported] of broken) {
    const { exitCode, results } = conclude(
      { ...goodFindings(), audits: [AUDIT, { ...AUDIT, ...fault }] },
      { ...RUN, form: "quick" },
      BUDGETS,
    );
    assert.equal(exitCode, 1);
    assert.match(renderResults(results), reported);
  }
  const failed = conclude(
    { ...goodFindings(), failures: ["streams: Tollgate was left out"] },
    { ...RUN, form: "quick" },
    BUDGETS,
  );
  assert.equal(failed.exitCode, 1);
  assert.match(renderResults(failed.results), /streams: Tollgate was left out/);
});

test("the short form's last line has the ratios to the bare proxy and to Portkey", () => {
  const { lastLine } = conclude(goodFindings(), { ...RUN, form: "quick" }, BUDGETS);
  assert.match(lastLine, /whole answers ÷ bare proxy, gateway CPU 2\.23 \(≤ 2\.5\)/);
  assert.match(lastLine, /whole answers ÷ Portkey, gateway \+ PostgreSQL CPU 0\.22 \(≤ 0\.25\)/);
});
