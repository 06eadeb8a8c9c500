/**
 * Protects: what the gateway writes down for operators in words of its own, a Russian page tells in
 * Russian, with the same figures.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { disbelief } from "../../../src/serving/chat/final-charge.ts";
import {
  failureOfStatus,
  failureOfTransport,
} from "../../../src/serving/routing/upstream-failure.ts";
import { NO_USAGE } from "../../../src/kernel/token-usage.ts";
import { OutgoingError } from "../../../src/net/outgoing.ts";
import { operatorSentence } from "./operator-sentence.ts";
import { operatorBusinessEn } from "./texts/operator-business.en.ts";
import { operatorBusinessRu } from "./texts/operator-business.ru.ts";
import { operatorWorkEn } from "./texts/operator-work.en.ts";
import { operatorWorkRu } from "./texts/operator-work.ru.ts";

const SOURCES = join(import.meta.dirname, "../../../src");
const sourceOf = (path: string): string => readFileSync(join(SOURCES, path), "utf8");
const found = (source: string, pattern: RegExp): string[] => [
  ...new Set([...source.matchAll(pattern)].map(([, word = ""]) => word)),
];

function assertNamed(
  words: readonly string[],
  least: number,
  ...dictionaries: readonly Readonly<Record<string, string>>[]
): void {
  assert.ok(words.length >= least, `only ${words.join()} were found in the source`);
  for (const names of dictionaries)
    assert.deepEqual(Object.keys(names).toSorted(), words.toSorted());
}

test("every event of a task, every finding about one and every place of the ledger has a name in both languages, and no other has", () => {
  const [, kinds = ""] =
    /export type TaskEventKind =(.+?)export interface/s.exec(sourceOf("tasks/task-record.ts")) ??
    [];
  assertNamed(
    found(kinds, /^  \| "(\w+)"/gm),
    14,
    operatorWorkRu.eventKinds,
    operatorWorkEn.eventKinds,
  );
  const [, findings = ""] =
    /readonly kind:\s+([^;]+);/.exec(sourceOf("serving/tasks/reconcile-tasks.store.ts")) ?? [];
  assertNamed(
    found(findings, /"(\w+)"/g),
    8,
    operatorWorkRu.mistakeKinds,
    operatorWorkEn.mistakeKinds,
  );
  const checks = sourceOf("ledger/verify.store.ts");
  const places = [
    ...found(checks, /'([\w.]+)' AS "where"/g),
    ...found(checks, /\(\s*'((?:account|budget)\.\w+)',/g),
  ];
  assertNamed(places, 15, operatorBusinessRu.places, operatorBusinessEn.places);
});

function assertRussian(words: string): void {
  const said = operatorSentence("ru", words);
  assert.ok(said !== null, `nothing in Russian for: ${words}`);
  assert.match(said, /[а-яё]|₽/u, words);
  assert.doesNotMatch(said, /undefined|NaN|\b(?:the|that|is|of)\b/, said);
  for (const figure of words.match(/\d+(?!\d*(?: RUB|\.))/g) ?? [])
    assert.ok(said.includes(figure), `${figure} of "${words}" in "${said}"`);
  assert.equal(operatorSentence("en", words), null, "English says it as it is");
}

test("why an upstream was passed over or failed is told in Russian, and its own words stay", () => {
  const tries = sourceOf("serving/routing/route-selection.ts");
  const skipped = [
    ...found(tries, /this\.skip\(\s*\w+,\s*"([^"]+)"/g),
    ...found(tries, /onSkipped\(\s*\w+,\s*"([^"]+)"/g),
  ];
  assert.ok(skipped.length >= 3);
  const streams = found(sourceOf("serving/chat/open-stream.ts"), /brokenAnswer\(\s*"([^"]+)"\)/g);
  assert.ok(streams.length >= 3);
  const protocols = readdirSync(join(SOURCES, "protocol"), {
    recursive: true,
    encoding: "utf8",
  }).filter((path) => /(?<!\.test)\.ts$/.test(path));
  const dialects = protocols.flatMap((path) =>
    found(sourceOf(`protocol/${path}`), /kind: "garbage",\s+reason:\s+"([^"]+)"/g),
  );
  assert.ok(dialects.length >= 6);
  for (const words of [
    ...skipped,
    ...streams,
    ...dialects,
    "no credential of up is set (KEY, OTHER)",
    "the answer is larger than 33554432 bytes",
  ]) {
    assertRussian(words);
  }
  for (const kind of [
    "connect",
    "connect-timeout",
    "first-byte-timeout",
    "idle-timeout",
    "closed",
    "protocol",
    "aborted",
  ] as const) {
    assertRussian(
      failureOfTransport(new OutgoingError(kind, "ECONNREFUSED 10.0.0.7:443", null)).reason,
    );
  }
  assertRussian(
    failureOfStatus(503, { message: "busy\nvery", param: null, code: null }, null).reason,
  );
  assert.equal(operatorSentence("ru", "status 503: busy\nvery"), "ответ 503: busy\nvery");
  assert.equal(operatorSentence("ru", "something that nobody has said before"), null);
});

test("a count that was not believed is told in Russian", () => {
  const subject = { model: { contextTokens: 1000 }, limitTokens: 100 } as Parameters<
    typeof disbelief
  >[1];
  const usage = { ...NO_USAGE, inputTokens: 5000 };
  for (const samplings of [1, 3]) {
    for (const wrong of [usage, { ...usage, inputTokens: 0, outputTokens: 777 }]) {
      assertRussian(disbelief(wrong, subject, samplings) ?? assert.fail("believed"));
    }
  }
});

test("what the books should say and what they say is told in Russian", () => {
  const quoted = found(
    sourceOf("serving/tasks/reconcile-tasks.store.ts"),
    /'([a-z][a-z, ]*[a-z])'(?: AS (?:expected|found)|, |\n| FROM)/g,
  );
  const sentences = quoted.filter(
    (words) => words.includes(" ") && !operatorWorkRu.mistakeKinds[words],
  );
  assert.ok(sentences.length >= 4, sentences.join());
  const ledger = [
    "not negative",
    "at most 1500000000",
    "topup between an account and the operator's book for it",
    "from 01890000-0000-7000-8000-0000000000aa to 01890000-0000-7000-8000-0000000000bb",
    "held = amount + released, nothing negative",
    "amount 5 held 4 released 3",
    "amount 5",
    "a budget of the account 01890000-0000-7000-8000-0000000000aa",
    "an account",
    "not ended",
    "charge of 12 at 2026-11-22 10:00:00+00",
  ];
  assert.equal(
    operatorSentence("ru", "1234.5 RUB held")?.replaceAll("\u00A0", " "),
    "удержано 1 234,50 ₽",
  );
  for (const words of [
    ...sentences,
    ...ledger,
    "12.5 RUB held",
    "12 RUB charged",
    "12 RUB",
    "completed in the books",
    "none",
  ])
    assertRussian(words);
});
