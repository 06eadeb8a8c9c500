/** Protects: what a form of the panel is refused for is said in the page's language, and with the reason, not only its kind. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { refuseHold } from "../../../src/serving/chat/refuse-hold.ts";
import { FAULTS } from "../../../src/kernel/faults.ts";
import { nano } from "../../../src/kernel/money.ts";
import { refusalSentence } from "./refusal-sentence.ts";

const SRC = join(import.meta.dirname, "../../../src");
/** Where refusals of the panel's forms are written. */
const WRITTEN_IN = [
  "business/{members,alerts,operate,panel/account}/*.ts",
  "business/accounts/{read-email,read-name}.ts",
  "serving/admission/authenticate.ts",
  "accounts/password-rules.ts",
];
const REFUSAL = /(?:message: |return |(?:deleted|frozen|expired|blocked): )(["`])([A-Z][^\n]*?\.)\1/g;

/** What no form of the panel can meet, and what its code says as well. */
const SAID_BY_CODE = [
  /^There is no such/,
  /^This account has no such/,
  /^This link is too old/,
  /^Too many attempts/,
  /^This key was made already/,
  // Of callers with a secret: the playground has none.
  /^The headers x-api-key/,
];

function refusalsOfForms(): Map<string, string> {
  const files = globSync(WRITTEN_IN, { cwd: SRC }).filter((file) => !file.includes(".test."));
  const found = new Map<string, string>();
  for (const file of files) {
    for (const [, , text = ""] of readFileSync(join(SRC, file), "utf8").matchAll(REFUSAL))
      found.set(text.replaceAll(/\$\{[^}]*\}/g, "7"), file);
  }
  return found;
}

test("every refusal that the API writes for a form has its Russian sentence", () => {
  const refusals = refusalsOfForms();
  assert.ok(refusals.size > 30, `only ${refusals.size} were found`);
  for (const [message, file] of refusals) {
    if (SAID_BY_CODE.some((pattern) => pattern.test(message))) continue;
    const said = refusalSentence("ru", message);
    assert.match(said ?? "", /^[А-ЯЁ][^]*\.$/u, `${file}: ${message}`);
    assert.doesNotMatch(said ?? "", /undefined|NaN/);
    assert.equal(refusalSentence("en", message), message);
  }
});

test("what the playground is refused for is told with its figures, whichever protocol it came in", () => {
  const [available, needed] = [nano(50_000_000n), nano(150_000_000n)];
  for (const kind of ["insufficient-balance", "limit-exceeded"] as const) {
    for (const heldNano of [nano(0n), nano(1n), needed]) {
      const { message } = refuseHold({ kind, availableNano: available, heldNano }, needed);
      assert.match(refusalSentence("ru", message) ?? "", /нужно 0,15\u00A0₽, свободно 0,05\u00A0₽[^A-Za-z]*\.$/u, message);
    }
  }
  for (const kind of ["budget-closed", "account-blocked"] as const) {
    assert.match(refusalSentence("ru", refuseHold({ kind }, needed).message) ?? "", /^[А-ЯЁ]/u);
  }
  for (const code of ["upstream_error", "upstream_timeout"] as const) assert.notEqual(refusalSentence("ru", FAULTS[code].message), null);
  assert.equal(
    refusalSentence("ru", "This API key may make 1 requests per minute. There is room for the next one in 7 s."),
    "У этого ключа лимит запросов в минуту: 1.",
  );
});

test("figures stay, and what has nothing of its own to say is left to the words of its code", () => {
  assert.equal(refusalSentence("ru", "At least 10 characters are needed."), "Нужно не меньше 10 символов.");
  assert.equal(
    refusalSentence("ru", "Only 12.5 roubles are available: what is held for running requests and tasks cannot be taken."),
    "Свободно только 12,50\u00A0₽: удержанное за то, что выполняется, забрать нельзя.",
  );
  for (const language of ["ru", "en"] as const) assert.equal(refusalSentence(language, "There is nothing here."), null);
});
