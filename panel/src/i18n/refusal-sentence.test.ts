/**
 * Protects: what a form of the panel or a request of its playground is refused for is said in the
 * page's language, with the reason and its figures, whatever the API's own sentence is.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RefusalSentences, WordedRefusal } from "../../../src/contract/panel/panel-refusal.ts";
import { sayRefusal } from "../../../src/contract/sentences/say-refusal.ts";
import { ENGLISH_REFUSALS } from "../../../src/contract/sentences/english-refusals.ts";
import { nano } from "../../../src/kernel/money.ts";
import { refuseHold } from "../../../src/serving/chat/refuse-hold.ts";
import { refusalSentence } from "./refusal-sentence.ts";

test("why a form was refused is said in the page's language, with its figures as that writes them", () => {
  const reported: readonly WordedRefusal[] = [
    sayRefusal("password_short", { limit: 10 }),
    sayRefusal("available_only", { available: "1012.5", of: "bonus" }),
    sayRefusal("task_ended", { state: "failed" }),
    sayRefusal("last_owner"),
    sayRefusal("top_up_range", { least: "10", limit: "1000000" }),
    sayRefusal("rate_limit_range", { kind: "tokens", limit: 100_000 }),
    sayRefusal("webhook_address", {
      rule: "scheme",
      reported: "Only http:// and https:// URLs are accepted.",
    }),
  ];
  assert.deepEqual(
    reported.map((refusal) => refusalSentence("ru", refusal)?.replaceAll("\u00A0", " ")),
    [
      "Нужно не меньше 10 символов.",
      "Из бонуса доступно только 1 012,50 ₽: удержанное за то, что выполняется, забрать нельзя.",
      "Задача уже закончилась ошибкой; что закончилось, остаётся как есть.",
      "У аккаунта должен остаться владелец. Сначала сделайте владельцем кого-нибудь ещё.",
      "Нужна сумма от 10,00 ₽ до 1 000 000,00 ₽, не мельче копейки.",
      "Нужно целое число токенов в минуту от 1 до 100 000.",
      "Принимаются только адреса http:// и https://.",
    ],
  );
  assert.deepEqual(
    reported.map((refusal) => refusalSentence("en", refusal)),
    [
      "At least 10 characters are needed.",
      "Only ₽1,012.50 of the bonus credit are available: what is held for running requests and tasks cannot be taken.",
      "The task is failed already; what has ended stays as it is.",
      "The last owner of an account stays its owner. Make another member an owner first.",
      "An amount from ₽10.00 to ₽1,000,000.00 is expected, kopecks at most.",
      "A whole number of tokens per minute from 1 to 100,000 is expected.",
      "Only http:// and https:// URLs are accepted.",
    ],
  );
});

test("the sentence of a reason does not depend on how the API words it", () => {
  const reworded = { ...sayRefusal("code_wrong"), message: "Said in other words." };
  assert.equal(refusalSentence("ru", reworded), "Код не подходит или уже использован.");
  assert.equal(refusalSentence("en", reworded), "The code is wrong, or was used already.");
});

test("what the playground is refused for is told with its figures", () => {
  const [available, needed] = [nano(50_000_000n), nano(150_000_000n)];
  for (const kind of ["insufficient-balance", "limit-exceeded"] as const) {
    for (const heldNano of [nano(0n), nano(1n), needed]) {
      const { details, message } = refuseHold({ kind, availableNano: available, heldNano }, needed);
      const { reason = null, params = {} } = details;
      assert.match(
        refusalSentence("ru", { reason, params }) ?? "",
        /нужно 0,15\u00A0₽, доступно 0,05\u00A0₽[^A-Za-z]*\.$/u,
        message,
      );
      assert.match(
        refusalSentence("en", { reason, params }) ?? "",
        /needs ₽0\.15, ₽0\.05 is available/u,
      );
      assert.match(message, /needs 0\.15 RUB, 0\.05 RUB is available/);
    }
  }
  assert.equal(
    refusalSentence(
      "ru",
      sayRefusal("rate_limit_reached", { of: "key", kind: "requests", limit: 1, seconds: 7 }),
    ),
    "У этого ключа лимит запросов в минуту: 1.",
  );
  assert.equal(
    sayRefusal("rate_limit_reached", { of: "account", kind: "tokens", limit: 100_000, seconds: 7 })
      .message,
    "This account, over all its API keys, may use 100000 tokens per minute, input and output together. There is room for this request in 7 s.",
  );
});

test("what has nothing of its own to say, or a reason of tomorrow, is left to the words of its code", () => {
  for (const language of ["ru", "en"] as const)
    for (const reason of [null, "of_tomorrow", "toString"])
      assert.equal(refusalSentence(language, { reason, params: {} }), null);
});

test("a reason without words in a language does not compile", () => {
  const { funds_short: _short, ...rest } = ENGLISH_REFUSALS;
  // @ts-expect-error -- "funds_short" has no words.
  const incomplete: RefusalSentences = rest;
  assert.equal("funds_short" in incomplete, false);
});
