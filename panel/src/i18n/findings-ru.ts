/** What the books should say and what they say, in Russian: by the place, or by the kind. */
import type { CreditClass } from "../../../src/contract/enums/credit-class.ts";
import type { EntryKind } from "../../../src/contract/enums/entry-kind.ts";
import type {
  FindingSentences,
  LedgerFindings,
  TaskFindings,
} from "../../../src/contract/operator/book-finding.ts";
import type { Figures } from "../../../src/contract/figures.ts";

const ENTRIES: Readonly<Record<EntryKind, string>> = {
  topup: "зачисление",
  adjust: "поправка",
  charge: "списание",
  release: "возврат удержанного",
  loss: "отдано без оплаты",
};

interface Totals {
  readonly expected: string;
  readonly found: string;
}

const TOTALS = {
  expected: ({ expected }: Totals, { nano }: Figures) => nano(expected),
  found: ({ found }: Totals, { nano }: Figures) => nano(found),
};
const COUNTS = {
  expected: ({ expected }: Totals, { count }: Figures) => count(Number(expected)),
  found: ({ found }: Totals, { count }: Figures) => count(Number(found)),
};
const MOMENTS = {
  expected: ({ expected }: Totals) => expected,
  found: ({ found }: Totals) => found,
};
interface InHour extends Totals {
  readonly hour: string;
}
const NANO_IN_HOUR = {
  expected: (hour: InHour, figures: Figures) =>
    `${TOTALS.expected(hour, figures)} по записям часа с ${hour.hour}`,
  found: (hour: InHour, figures: Figures) => `${TOTALS.found(hour, figures)} в его суммах`,
};
const COUNT_IN_HOUR = {
  expected: (hour: InHour, figures: Figures) =>
    `${COUNTS.expected(hour, figures)} по записям часа с ${hour.hour}`,
  found: (hour: InHour, figures: Figures) => `${COUNTS.found(hour, figures)} в его суммах`,
};
const BUDGET_OF_ACCOUNT = {
  expected: ({ account }: { readonly account: string }) => `лимит аккаунта ${account}`,
  found: ({ budget }: { readonly budget: string }) => budget,
};
const JOURNAL = {
  expected: () => "журнал процесса",
  found: ({ journal }: { readonly journal: string }) => `журнала ${journal} нет`,
};
/** What the amounts of an entry are, by its kind. */
const AMOUNTS: Readonly<Record<EntryKind, string>> = {
  topup: "больше нуля, ничего не удержано",
  adjust: "больше или меньше нуля, ничего не удержано",
  charge: "больше нуля и не больше удержанного",
  release: "ноль из удержанного",
  loss: "больше нуля, ничего не удержано",
};

const CLASSES: Readonly<Record<CreditClass, string>> = {
  paid: "оплаченные деньги",
  trial: "пробные деньги",
  bonus: "бонус",
};
const USED_UP = (what: string) => ({
  expected: (totals: Totals, figures: Figures) =>
    `${what} к списанию ${TOTALS.expected(totals, figures)}`,
  found: TOTALS.found,
});
const TRIAL_ENDS = USED_UP("пробные деньги кончаются");
const GIFTS_END = USED_UP("всё подаренное кончается");
const NOT_NEGATIVE = { expected: () => "не меньше нуля", found: TOTALS.found };
const SEALED_GIFT = (ends: typeof GIFTS_END) => ({
  expected: (totals: Totals & { readonly month: string }, figures: Figures) =>
    `после ${totals.month} ${ends.expected(totals, figures)}`,
  found: TOTALS.found,
});

const TABLE_PLACES = {
  distributed: "вместе со своим аккаунтом",
  reference: "целиком на каждом сервере",
  local: "на координаторе",
};

export const LEDGER_FINDINGS_RU: FindingSentences<LedgerFindings> = {
  "account.credited": TOTALS,
  "account.charged": TOTALS,
  "account.held": TOTALS,
  "account.available": NOT_NEGATIVE,
  "account.entries": COUNTS,
  "account.balance": TOTALS,
  "account.enteredAt": MOMENTS,
  "account.numbers": {
    expected: ({ expected, expectedSum }) => `записей ${expected}, сумма их номеров ${expectedSum}`,
    found: ({ found, foundSum }) => `${found} и ${foundSum} вместе с архивом`,
  },
  "account.transfers": {
    expected: (counts, figures) =>
      `столько же, сколько записей: ${COUNTS.expected(counts, figures)}`,
    found: COUNTS.found,
  },
  "account.trial": TRIAL_ENDS,
  "account.bonus": GIFTS_END,
  "account.paid": NOT_NEGATIVE,
  "account.given": NOT_NEGATIVE,
  "budget.charged": TOTALS,
  "budget.periodCharged": TOTALS,
  "budget.held": TOTALS,
  "budget.limit": {
    ...TOTALS,
    expected: ({ expected }, { nano }) => `не больше ${nano(expected)}`,
  },
  "entry.account": {
    expected: () => "аккаунт",
    found: ({ account, entries }, { count }) =>
      `аккаунта ${account} нет, а записи его есть: ${count(Number(entries))}`,
  },
  "entry.budget": {
    expected: BUDGET_OF_ACCOUNT.expected,
    found: ({ budget, entries }, { count }) =>
      `${budget}, в записях аккаунта: ${count(Number(entries))}`,
  },
  "entry.number": {
    expected: (numbers, figures) =>
      `номер ${COUNTS.expected(numbers, figures)} у аккаунта ${numbers.account}`,
    found: (numbers, figures) => `номер ${COUNTS.found(numbers, figures)}`,
  },
  "entry.balance": {
    expected: (totals, figures) =>
      `баланс ${TOTALS.expected(totals, figures)} у аккаунта ${totals.account}`,
    found: TOTALS.found,
  },
  "entry.time": {
    expected: ({ account, expected }) =>
      `не раньше ${expected}, как у прежней записи аккаунта ${account}`,
    found: ({ found }) => found,
  },
  "entry.amounts": {
    expected: ({ kind }) => `${ENTRIES[kind]}: ${AMOUNTS[kind]}`,
    found: ({ amount, held }, { nano }) =>
      `сумма ${nano(amount)}, удержано ${held === undefined ? "—" : nano(held)}`,
  },
  "entry.class": {
    expected: ({ kind }) => `${ENTRIES[kind]}: без вида денег`,
    found: ({ class: creditClass }) => CLASSES[creditClass],
  },
  "hour.ended": COUNT_IN_HOUR,
  "hour.charged": NANO_IN_HOUR,
  "hour.loss": NANO_IN_HOUR,
  "hour.cost": NANO_IN_HOUR,
  "hour.inputTokens": COUNT_IN_HOUR,
  "hour.cachedTokens": COUNT_IN_HOUR,
  "hour.outputTokens": COUNT_IN_HOUR,
  "hold.account": { expected: () => "аккаунт", found: ({ account }) => account },
  "hold.budget": BUDGET_OF_ACCOUNT,
  "hold.journal": JOURNAL,
  "hold.ended": {
    expected: () => "не закончено",
    found: ({ kind, amount, at }, { nano }) => `${ENTRIES[kind]} на ${nano(amount)}, ${at}`,
  },
  "page.journal": {
    expected: JOURNAL.expected,
    found: ({ journal, page }) => `страница ${page}, а журнала ${journal} нет`,
  },
  "page.hold": {
    expected: ({ account }) => `удержание аккаунта ${account}`,
    found: ({ hold, page }) => `удержания ${hold} нет, его называет страница ${page}`,
  },
  "page.posted": {
    expected: () => "проведена",
    found: ({ page, at }) => `страница ${page} ждёт с ${at}`,
  },
  "unfinished.journal": JOURNAL,
  "unfinished.hold": {
    expected: ({ account }) => `удержание аккаунта ${account}`,
    found: ({ hold }) => `удержания ${hold} нет`,
  },
  "unfinished.held": {
    expected: (totals, figures) => `не больше ${TOTALS.expected(totals, figures)}`,
    found: TOTALS.found,
  },
  "transfer.entry": {
    expected: ({ kind, reference }) => `${ENTRIES[kind]} с основанием ${reference}`,
    found: ({ account }) => `такой записи у аккаунта ${account} нет`,
  },
  "months.ahead": {
    expected: (counts, figures) =>
      `место для записей следующих месяцев: ${COUNTS.expected(counts, figures)}`,
    found: COUNTS.found,
  },
  "months.other": {
    expected: () => "каждая запись в своём месяце",
    found: (counts, figures) => `записей вне месяцев: ${COUNTS.found(counts, figures)}`,
  },
  "seal.entries": {
    expected: (counts, figures) =>
      `записей за ${counts.month}: ${COUNTS.expected(counts, figures)}`,
    found: COUNTS.found,
  },
  "seal.moved": {
    expected: (totals, figures) =>
      `движение за ${totals.month}: ${TOTALS.expected(totals, figures)}`,
    found: TOTALS.found,
  },
  "seal.trial": SEALED_GIFT(TRIAL_ENDS),
  "seal.bonus": SEALED_GIFT(GIFTS_END),
  "tables.place": {
    expected: ({ place }) => TABLE_PLACES[place],
    found: () => "в другом месте",
  },
  "books.sum": TOTALS,
};

export const TASK_FINDINGS_RU: FindingSentences<TaskFindings> = {
  no_hold: {
    expected: ({ price }, { roubles }) => `удержано ${roubles(price)}`,
    found: () => "удержания нет",
  },
  hold_differs: {
    expected: ({ price }, { roubles }) => roubles(price),
    found: ({ held }, { roubles }) => roubles(held),
  },
  still_held: {
    expected: () => "удержания нет",
    found: ({ held }, { roubles }) => roubles(held),
  },
  no_entry: {
    expected: ({ state }) => `в книге: ${state === "completed" ? "готова" : "ошибка"}`,
    found: () => "записи нет",
  },
  entry_differs: {
    expected: ({ charged }, { roubles }) => `списано ${roubles(charged)}`,
    found: ({ booked }, { roubles }) => `списано ${roubles(booked)}`,
  },
  no_task: { expected: () => "задача", found: () => "нет" },
  no_step: { expected: () => "следующий шаг", found: () => "нет" },
  step_after_end: {
    expected: () => "нет, или ждём позднего конца",
    found: ({ phase }) => phase,
  },
};
