/**
 * Protects: what the gateway writes down for operators is told in the page's language by its code,
 * with the same figures as that language writes them; what has no code is shown as it is.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  FindingSentences,
  LedgerFindings,
  TaskFindings,
} from "../../../src/contract/operator/book-finding.ts";
import { sayLedgerFinding, sayTaskFinding } from "../../../src/contract/sentences/say-finding.ts";
import { sayReason } from "../../../src/contract/sentences/say-reason.ts";
import type {
  ReasonSentences,
  WordedReason,
  UpstreamReasons,
} from "../../../src/contract/operator/upstream-reason.ts";
import {
  failureOfStatus,
  failureOfTransport,
} from "../../../src/serving/routing/upstream-failure.ts";
import { disbelief } from "../../../src/serving/chat/final-charge.ts";
import { NO_USAGE } from "../../../src/kernel/token-usage.ts";
import { OutgoingError } from "../../../src/net/outgoing.ts";
import { LEDGER_FINDINGS_RU, TASK_FINDINGS_RU } from "./findings-ru.ts";
import { findingSentence, reasonSentence } from "./operator-sentence.ts";
import { REASONS_RU } from "./reasons-ru.ts";
import { operatorBusinessEn } from "./texts/operator-business.en.ts";
import type { OperatorBusinessTexts } from "./texts/operator-business.ru.ts";
import { operatorWorkEn } from "./texts/operator-work.en.ts";
import type { OperatorWorkTexts } from "./texts/operator-work.ru.ts";

const plain = (reported: string | null): string =>
  (reported ?? "nothing").replaceAll("\u00A0", " ");
const inRussian = ({ coded }: WordedReason): string => plain(reasonSentence("ru", coded ?? null));
const inEnglish = ({ coded }: WordedReason): string => plain(reasonSentence("en", coded ?? null));

/** One of every code; a code that is left out does not compile. */
const REASONS: { readonly [Code in keyof UpstreamReasons]: UpstreamReasons[Code] } = {
  cooldown: {},
  circuit_open: {},
  taken_out: {},
  credentials_refused: {},
  places_taken: {},
  no_credential: { upstream: "up", names: "KEY, OTHER" },
  status: { status: 503, words: "busy\nvery" },
  error_frame: { words: "oops" },
  transport: { trouble: "closed", words: "other side closed" },
  answer_not_json: {},
  no_answer: { expected: "message" },
  no_choice: {},
  answer_too_large: { limitBytes: 33_554_432 },
  stream_not_json: {},
  stream_without_words: {},
  stream_long_without_words: {},
  stream_without_end: {},
  event_not_json: {},
  event_no_object: {},
  event_without_type: {},
  second_message: {},
  end_without_message: {},
  input_above_window: { tokens: 5_000, limit: 1_000, runs: 1 },
  output_above_limit: { tokens: 777, limit: 100, runs: 3 },
  count_not_whole: {},
  counts_do_not_fit: {},
  total_alone: {},
  usage_no_object: {},
  api_not_described: {},
  takes_no_tasks: {},
  no_upstream_left: {},
  upstream_gone: { upstream: "up" },
  credential_not_set: { name: "KEY" },
  credential_unfit: {},
  call_without_address: { template: "/v1/{id}" },
  model_without_place: { model: "m", parameter: "tier" },
  model_not_filled: { model: "m/{tier}" },
  constant_without_place: { pointer: "/a" },
  body_constant_taken: {},
  parameter_without_form: { parameter: "size", form: "number" },
  parameter_without_place: { parameter: "size", pointer: "/a/b" },
  stopped_unsent: {},
  stopped: {},
  answer_too_slow: { limitMs: 70_000 },
  status_alone: { status: 502 },
  status_not_json: { status: 504 },
  success_without_id: { status: 201 },
  no_state: {},
  state_not_known: { state: "frobnicating" },
  made_nothing: { words: "failed: bad hands" },
  success_without_file: { words: "nothing drawn" },
  task_not_known: {},
  never_submitted: {},
  no_handle: {},
  submitter_ended: {},
  submission_not_known: {},
  end_withdrawn: { outcome: "running" },
  end_without_file: {},
  file_not_fetched: { words: "The URL redirects too many times." },
  file_status: { status: 410 },
  file_too_slow: {},
  file_too_large: {},
  file_empty: {},
  file_begins_otherwise: { contentType: "text/html", wanted: "video or image" },
  file_of_another_kind: { media: "audio", wanted: "video" },
  file_not_measured: { words: "no moov" },
  own_fault: { words: "disk" },
};

test("every reason is told in both languages, with all that it names and nothing that is missing", () => {
  for (const [code, params] of Object.entries(REASONS)) {
    const coded = { code, params: { ...params } as Record<string, string | number> };
    const [russian, english] = [reasonSentence("ru", coded), reasonSentence("en", coded)];
    assert.match(russian ?? "", /[а-яё]/u, code);
    for (const reported of [russian, english])
      assert.doesNotMatch(reported ?? "undefined", /undefined|NaN|object Object/, code);
    const figures = (english ?? "").replaceAll(",", "");
    for (const value of Object.values(params))
      if (typeof value === "number" && value !== 1)
        assert.match(figures, new RegExp(String(value)));
  }
});

test("why an upstream failed is kept with its code, and told with the figures of the language; its own words stay", () => {
  const busy = failureOfStatus(503, { message: "busy\nvery", param: null, code: null }, null);
  assert.equal(busy.reason, "status 503: busy\nvery");
  assert.equal(inRussian(busy), "ответ 503: busy\nvery");
  assert.equal(inEnglish(busy), "status 503: busy\nvery");
  for (const kind of ["connect", "connect-timeout", "exhausted"] as const) {
    const failed = failureOfTransport(new OutgoingError(kind, "ECONNREFUSED 10.0.0.7:443", null));
    assert.equal(failed.reason, `${kind}: ECONNREFUSED 10.0.0.7:443`);
    assert.match(inRussian(failed), /^[а-яё ]+: ECONNREFUSED 10\.0\.0\.7:443$/u);
  }
  const large = sayReason("answer_too_large", { limitBytes: 33_554_432 });
  assert.equal(large.reason, "the answer is larger than 33554432 bytes");
  assert.equal(inRussian(large), "ответ больше 33 554 432 байт");
  assert.equal(inEnglish(large), "the answer is larger than 33,554,432 bytes");
});

test("why several upstreams did not take a task is told of each by its name; one from before there were codes as it is", () => {
  const complaints = [
    { upstream: "one", ...sayReason("credentials_refused") },
    { upstream: "two", ...sayReason("status", { status: 402, words: "top up" }) },
    { upstream: "old", reason: "status 401: of old" },
    { upstream: "next", reason: "of a newer server", coded: { code: "of_tomorrow", params: {} } },
  ];
  assert.equal(
    reasonSentence("ru", complaints),
    "one: поставщик только что не принял его ключи; two: ответ 402: top up; old: status 401: of old; next: of a newer server",
  );
  assert.equal(
    reasonSentence("en", complaints),
    "one: its credentials were refused a moment ago; two: status 402: top up; old: status 401: of old; next: of a newer server",
  );
});

test("a count that was not believed is told in the page's language", () => {
  const subject = { model: { contextTokens: 1000 }, limitTokens: 100 } as Parameters<
    typeof disbelief
  >[1];
  const input = disbelief({ ...NO_USAGE, inputTokens: 5000 }, subject, 3);
  assert.equal(input?.reason, "input of 5000 tokens is above 3 times the context window of 1000");
  assert.equal(inRussian(input), "вход в 5 000 токенов больше окна модели: 3 × 1 000");
  assert.equal(
    inEnglish(input),
    "input of 5,000 tokens is above 3 times the context window of 1,000",
  );
  const output = disbelief({ ...NO_USAGE, outputTokens: 777 }, subject, 1);
  assert.equal(output?.reason, "output of 777 tokens is above the limit of 100");
  assert.equal(inRussian(output), "ответ в 777 токенов больше предела: 100");
});

test("what the books should say and what they say is told with amounts as the language writes them", () => {
  const limit = sayLedgerFinding("budget.limit", { expected: "1500000000", found: "-7" });
  assert.deepEqual([limit.expected, limit.found], ["at most 1500000000", "-7"]);
  const finding = { code: "budget.limit", params: limit.params };
  const sides = ["expected", "found"] as const;
  assert.deepEqual(
    sides.map((side) => plain(findingSentence("ru", "ledger", side, finding))),
    ["не больше 1,50 ₽", "−0,000000007 ₽"],
  );
  assert.deepEqual(
    sides.map((side) => findingSentence("en", "ledger", side, finding)),
    ["at most ₽1.50", "−₽0.000000007"],
  );
  const held = sayTaskFinding("no_hold", { price: "1234.5" });
  assert.deepEqual([held.expected, held.found], ["1234.5 RUB held", "no hold"]);
  const noHold = { code: "no_hold", params: held.params };
  assert.deepEqual(
    sides.map((side) => plain(findingSentence("ru", "tasks", side, noHold))),
    ["удержано 1 234,50 ₽", "удержания нет"],
  );
  assert.equal(findingSentence("en", "tasks", "expected", noHold), "₽1,234.50 held");
});

test("a sum of the entry's amounts is told without those that are not set", () => {
  const alone = sayLedgerFinding("entry.amounts", { kind: "charge", amount: "5" });
  assert.deepEqual(alone.found, "amount 5");
  const all = sayLedgerFinding("entry.amounts", { kind: "charge", amount: "5", held: "4" });
  assert.deepEqual(all.found, "amount 5, held 4");
  const finding = { code: "entry.amounts", params: alone.params };
  assert.equal(
    plain(findingSentence("ru", "ledger", "found", finding)),
    "сумма 0,000000005 ₽, удержано —",
  );
});

test("what was kept before there were codes, or by a newer server, is left to its own words", () => {
  for (const language of ["ru", "en"] as const) {
    assert.equal(reasonSentence(language, null), null);
    assert.equal(reasonSentence(language, { code: "of_tomorrow", params: {} }), null);
    assert.equal(reasonSentence(language, { code: "toString", params: {} }), null);
    const old = { code: "budget.limit", params: undefined };
    assert.equal(findingSentence(language, "ledger", "expected", old), null);
    const newer = { code: "of_tomorrow", params: {} };
    assert.equal(findingSentence(language, "tasks", "found", newer), null);
  }
});

test("a reason, a place of the ledger, a finding or an event of a task without words in a language does not compile", () => {
  const { cooldown: _cooldown, ...reasons } = REASONS_RU;
  // @ts-expect-error -- "cooldown" has no words.
  const noReason: ReasonSentences = reasons;
  const { "books.sum": _sum, ...places } = LEDGER_FINDINGS_RU;
  // @ts-expect-error -- "books.sum" has no words.
  const noPlace: FindingSentences<LedgerFindings> = places;
  const { no_task: _task, ...kinds } = TASK_FINDINGS_RU;
  // @ts-expect-error -- "no_task" has no words.
  const noKind: FindingSentences<TaskFindings> = kinds;
  const { "hold.ended": _ended, ...placeNames } = operatorBusinessEn.places;
  // @ts-expect-error -- "hold.ended" has no name.
  const noPlaceName: OperatorBusinessTexts = { ...operatorBusinessEn, places: placeNames };
  const { late_end: _end, ...eventKinds } = operatorWorkEn.eventKinds;
  // @ts-expect-error -- "late_end" has no name.
  const noEvent: OperatorWorkTexts = { ...operatorWorkEn, eventKinds };
  assert.equal(new Set([noReason, noPlace, noKind, noPlaceName, noEvent]).size, 5);
});
