/**
 * Protects: what a form of the panel is refused for is said in the page's language, and with the
 * reason, not only its kind.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { SaidRefusal } from "../../../src/contract/panel/panel-refusal.ts";
import { sayRefusal } from "../../../src/contract/panel/say-refusal.ts";
import { refuseHold } from "../../../src/serving/chat/refuse-hold.ts";
import { FAULTS } from "../../../src/kernel/faults.ts";
import { nano } from "../../../src/kernel/money.ts";
import { refusalSentence, type Refusal } from "./refusal-sentence.ts";

const SRC = join(import.meta.dirname, "../../../src");
/** As a public protocol carries it: without a reason. */
const inWords = (message: string): Refusal => ({ reason: null, params: {}, message });

/** Of a key that calls; those that the playground meets are among them. */
const REFUSAL = /(?:message:\s+|(?:deleted|frozen|expired|blocked):\s+)(["`])([A-Z][^\n]*?\.)\1/g;
/** What the code says as well, and what only callers with a secret meet. */
const SAID_BY_CODE = [/^This account has no such/, /^The headers x-api-key/];

test("every refusal of a key has its Russian sentence", () => {
  const source = readFileSync(join(SRC, "serving/admission/authenticate.ts"), "utf8");
  const refusals = [...source.matchAll(REFUSAL)].map(([, , text = ""]) =>
    text.replaceAll(/\$\{[^}]*\}/g, "7"),
  );
  assert.ok(refusals.length > 6, `only ${refusals.length} were found`);
  for (const message of refusals) {
    if (SAID_BY_CODE.some((pattern) => pattern.test(message))) continue;
    assert.match(refusalSentence("ru", inWords(message)) ?? "", /^[А-ЯЁ][^]*\.$/u, message);
    assert.equal(refusalSentence("en", inWords(message)), message);
  }
});

test("why a form was refused is said in the page's language, with its figures", () => {
  const said: readonly SaidRefusal[] = [
    sayRefusal("password_short", { limit: 10 }),
    sayRefusal("available_only", { available: "12.5" }),
    sayRefusal("task_ended", { state: "failed" }),
    sayRefusal("last_owner"),
  ];
  const russian = said.map((refusal) => refusalSentence("ru", refusal));
  assert.deepEqual(russian, [
    "Нужно не меньше 10 символов.",
    "Свободно только 12,50\u00A0₽: удержанное за то, что выполняется, забрать нельзя.",
    "Задача уже закончилась ошибкой; что закончилось, остаётся как есть.",
    "У аккаунта должен остаться владелец. Сначала сделайте владельцем кого-нибудь ещё.",
  ]);
  for (const refusal of said) assert.equal(refusalSentence("en", refusal), refusal.message);
});

test("the sentence of a reason does not depend on how the API words it", () => {
  const reworded = { ...sayRefusal("code_wrong"), message: "Said in other words." };
  assert.equal(refusalSentence("ru", reworded), "Код не подходит или уже использован.");
});

test("what the playground is refused for is told with its figures, whichever protocol it came in", () => {
  const [available, needed] = [nano(50_000_000n), nano(150_000_000n)];
  for (const kind of ["insufficient-balance", "limit-exceeded"] as const) {
    for (const heldNano of [nano(0n), nano(1n), needed]) {
      const { message } = refuseHold({ kind, availableNano: available, heldNano }, needed);
      assert.match(
        refusalSentence("ru", inWords(message)) ?? "",
        /нужно 0,15\u00A0₽, свободно 0,05\u00A0₽[^A-Za-z]*\.$/u,
        message,
      );
    }
  }
  for (const kind of ["budget-closed", "account-blocked"] as const) {
    assert.match(
      refusalSentence("ru", inWords(refuseHold({ kind }, needed).message)) ?? "",
      /^[А-ЯЁ]/u,
    );
  }
  for (const code of ["upstream_error", "upstream_timeout"] as const)
    assert.notEqual(refusalSentence("ru", inWords(FAULTS[code].message)), null);
  assert.equal(
    refusalSentence(
      "ru",
      inWords(
        "This API key may make 1 requests per minute. There is room for the next one in 7 s.",
      ),
    ),
    "У этого ключа лимит запросов в минуту: 1.",
  );
});

test("what has nothing of its own to say is left to the words of its code", () => {
  for (const language of ["ru", "en"] as const)
    assert.equal(refusalSentence(language, inWords("There is nothing here.")), null);
});
