/** What the books should say and what they say, in Russian: by the place, or by the kind. */
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
const BUDGET_OF_ACCOUNT = {
  expected: ({ account }: { readonly account: string }) => `лимит аккаунта ${account}`,
  found: ({ budget }: { readonly budget: string }) => budget,
};

export const LEDGER_FINDINGS_RU: FindingSentences<LedgerFindings> = {
  "account.credited": TOTALS,
  "account.charged": TOTALS,
  "account.held": TOTALS,
  "account.available": { ...TOTALS, expected: () => "не меньше нуля" },
  "budget.charged": TOTALS,
  "budget.periodCharged": TOTALS,
  "budget.held": TOTALS,
  "budget.limit": {
    ...TOTALS,
    expected: ({ expected }, { nano }) => `не больше ${nano(expected)}`,
  },
  "entry.books": {
    expected: ({ kind }) => `${ENTRIES[kind]}: между аккаунтом и нашей книгой для этого`,
    found: ({ debit, credit }) => `из ${debit} в ${credit}`,
  },
  "entry.amounts": {
    expected: () => "удержано = сумма + вернулось, ничего ниже нуля",
    found: ({ amount, held, released }, { nano }) =>
      `сумма ${nano(amount)}, удержано ${held === undefined ? "—" : nano(held)}, вернулось ${released === undefined ? "—" : nano(released)}`,
  },
  "entry.budget": BUDGET_OF_ACCOUNT,
  "hold.account": { expected: () => "аккаунт", found: ({ account }) => account },
  "hold.budget": BUDGET_OF_ACCOUNT,
  "hold.ended": {
    expected: () => "не закончено",
    found: ({ kind, amount, at }, { nano }) => `${ENTRIES[kind]} на ${nano(amount)}, ${at}`,
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
