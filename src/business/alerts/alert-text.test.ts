/**
 * Protects: the mail of an alert, a test's too, says nothing false of its rule, and its quotes
 * never nest alike.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nano } from "../../kernel/money.ts";
import { alertText } from "./alert-text.ts";
import { exampleValue } from "./example-value.ts";
import { judgeRule } from "./judge-rule.ts";

const ZERO = nano(0n);

function mail(
  language: "ru" | "en",
  about: { readonly accountName: string; readonly keyName?: string },
): string {
  const rule = {
    kind: "spend_day",
    thresholdNano: nano(500_000_000_000n),
    factor: null,
    percent: null,
  } as const;
  const key = about.keyName === undefined ? null : { name: about.keyName, mask: "sk-…abcd" };
  const { subject, text } = alertText(language, {
    rule,
    valueNano: rule.thresholdNano,
    test: true,
    accountName: about.accountName,
    key,
    group: null,
    baseUrl: "https://x",
  });
  return `${subject}\n${text}`;
}

test("the example of a test is a figure at which its rule fires, however small or large the threshold", () => {
  for (const kind of ["balance_below", "spend_day", "spend_month", "spend_spike"] as const) {
    for (const thresholdNano of [
      nano(10_000_000n),
      nano(500_000_000_000n),
      nano(999_999_999_990_000_000n),
    ]) {
      const rule = {
        kind,
        thresholdNano,
        factor: kind === "spend_spike" ? 5 : null,
        percent: null,
      };
      const { valueNano } = exampleValue(rule, null);
      const spent = {
        dayNano: valueNano,
        monthNano: valueNano,
        hourNano: valueNano,
        weekNano: ZERO,
      };
      assert.ok(
        judgeRule(rule, { balanceNano: valueNano, spent, budget: null }).past,
        `${kind} ${thresholdNano}`,
      );
      if (kind === "spend_spike") assert.ok(valueNano > thresholdNano, "the mail says: more than");
      assert.ok(valueNano % 10_000_000n === 0n, "whole kopecks");
    }
  }
});

test("how many times is said in the form that goes with the number", () => {
  for (const [factor, reported] of [
    [2, "в 2 раза"],
    [5, "в 5 раз"],
    [21, "в 21 раз"],
    [22, "в 22 раза"],
  ] as const) {
    const rule = {
      kind: "spend_spike",
      thresholdNano: nano(500_000_000_000n),
      factor,
      percent: null,
    } as const;
    const facts = {
      rule,
      valueNano: rule.thresholdNano,
      test: false,
      accountName: "А",
      key: null,
      group: null,
      baseUrl: "https://x",
    };
    assert.ok(alertText("ru", facts).text.includes(`более чем ${reported} выше`), reported);
  }
});

test("a limit is past at its share, not a nano-rouble before, and clear as soon as it is raised", () => {
  const rule = { kind: "limit_used", thresholdNano: null, factor: null, percent: 80 } as const;
  const judge = (limitNano: bigint | null, charged: bigint) =>
    judgeRule(rule, {
      balanceNano: ZERO,
      spent: { dayNano: ZERO, monthNano: ZERO, hourNano: ZERO, weekNano: ZERO },
      budget: {
        limitNano: limitNano === null ? null : nano(limitNano),
        periodChargedNano: nano(charged),
      },
    });
  // 80 % of 101 are 80.8: no whole nano-rouble, so 81.
  assert.deepEqual([judge(101n, 80n).past, judge(101n, 81n).past], [false, true]);
  assert.equal(judge(101n, 81n).thresholdNano, 81n);
  assert.deepEqual([judge(102n, 81n).past, judge(102n, 81n).clear], [false, true]);
  assert.equal(judge(null, 1_000n).past, false, "without a limit there is nothing to use up");
  const example = exampleValue(rule, nano(500_000_000_000n));
  assert.deepEqual(
    [example.valueNano, example.thresholdNano],
    [400_000_000_000n, 400_000_000_000n],
  );
});

test("a group's limit is told by the group's name and its share", () => {
  const facts = {
    rule: {
      kind: "limit_used",
      thresholdNano: nano(80_000_000_000n),
      factor: null,
      percent: 80,
    },
    valueNano: nano(81_000_000_000n),
    test: false,
    accountName: "А",
    key: null,
    group: { name: "Отдел продаж" },
    baseUrl: "https://x",
  } as const;
  const ru = alertText("ru", facts);
  assert.equal(ru.subject, "Лимит группы «Отдел продаж» использован на 80 %");
  assert.match(ru.text, /потрачено 81\u00a0₽, порог — 80\u00a0₽/u);
  assert.match(alertText("en", facts).text, /80% of the limit of the group “Отдел продаж”/);
});

test("a test's mail says that its figures are an example", () => {
  assert.match(mail("ru", { accountName: "А" }), /пример/u);
  assert.match(mail("en", { accountName: "A" }), /example/);
});

test("quotes inside a name are the inner ones of the language", () => {
  const ru = mail("ru", { accountName: "ООО «Ромашка»", keyName: 'бот "Вася"' });
  assert.ok(ru.includes("ключ «бот „Вася“» (sk-…abcd) аккаунта «ООО „Ромашка“»"), ru);
  assert.ok(
    mail("ru", { accountName: "ООО «Ромашка»" }).includes("аккаунт «ООО „Ромашка“» потратил"),
  );
  const en = mail("en", { accountName: 'The "A" team', keyName: "“x” of b" });
  assert.ok(en.includes("The key “‘x’ of b” (sk-…abcd) of the account “The ‘A’ team”"), en);
});
