/** What the books should say and what they say, in English: by the place, or by the kind. */
import type { FindingSentences, LedgerFindings, TaskFindings } from "../operator/book-finding.ts";
import type { Figures } from "../figures.ts";

interface Totals {
  readonly expected: string;
  readonly found: string;
}

const TOTALS = {
  expected: ({ expected }: Totals, { nano }: Figures) => nano(expected),
  found: ({ found }: Totals, { nano }: Figures) => nano(found),
};
const BUDGET_OF_ACCOUNT = {
  expected: ({ account }: { readonly account: string }) => `a budget of the account ${account}`,
  found: ({ budget }: { readonly budget: string }) => budget,
};

export const ENGLISH_LEDGER_FINDINGS: FindingSentences<LedgerFindings> = {
  "account.credited": TOTALS,
  "account.charged": TOTALS,
  "account.held": TOTALS,
  "account.available": { ...TOTALS, expected: () => "not negative" },
  "budget.charged": TOTALS,
  "budget.periodCharged": TOTALS,
  "budget.held": TOTALS,
  "budget.limit": {
    ...TOTALS,
    expected: ({ expected }, { nano }) => `at most ${nano(expected)}`,
  },
  "entry.books": {
    expected: ({ kind }) => `${kind} between an account and the operator's book for it`,
    found: ({ debit, credit }) => `from ${debit} to ${credit}`,
  },
  "entry.amounts": {
    expected: () => "held = amount + released, nothing negative",
    found: ({ amount, held, released }, { nano }) =>
      [
        `amount ${nano(amount)}`,
        ...(held === undefined ? [] : [`held ${nano(held)}`]),
        ...(released === undefined ? [] : [`released ${nano(released)}`]),
      ].join(" "),
  },
  "entry.budget": BUDGET_OF_ACCOUNT,
  "hold.account": { expected: () => "an account", found: ({ account }) => account },
  "hold.budget": BUDGET_OF_ACCOUNT,
  "hold.ended": {
    expected: () => "not ended",
    found: ({ kind, amount, at }, { nano }) => `${kind} of ${nano(amount)} at ${at}`,
  },
  "books.sum": TOTALS,
};

export const ENGLISH_TASK_FINDINGS: FindingSentences<TaskFindings> = {
  no_hold: {
    expected: ({ price }, { roubles }) => `${roubles(price)} held`,
    found: () => "no hold",
  },
  hold_differs: {
    expected: ({ price }, { roubles }) => roubles(price),
    found: ({ held }, { roubles }) => roubles(held),
  },
  still_held: { expected: () => "no hold", found: ({ held }, { roubles }) => roubles(held) },
  no_entry: { expected: ({ state }) => `${state} in the books`, found: () => "no entry" },
  entry_differs: {
    expected: ({ charged }, { roubles }) => `${roubles(charged)} charged`,
    found: ({ booked }, { roubles }) => `${roubles(booked)} charged`,
  },
  no_task: { expected: () => "a task", found: () => "none" },
  no_step: { expected: () => "a next step", found: () => "none" },
  step_after_end: { expected: () => "none, or watching", found: ({ phase }) => phase },
};
