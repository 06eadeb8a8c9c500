/** What the books should say and what they say, in English: by the place, or by the kind. */
import type { EntryKind } from "../enums/entry-kind.ts";
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
    `${TOTALS.expected(hour, figures)} by the entries of the hour from ${hour.hour}`,
  found: (hour: InHour, figures: Figures) => `${TOTALS.found(hour, figures)} in its sums`,
};
const COUNT_IN_HOUR = {
  expected: (hour: InHour, figures: Figures) =>
    `${COUNTS.expected(hour, figures)} by the entries of the hour from ${hour.hour}`,
  found: (hour: InHour, figures: Figures) => `${COUNTS.found(hour, figures)} in its sums`,
};
const BUDGET_OF_ACCOUNT = {
  expected: ({ account }: { readonly account: string }) => `a budget of the account ${account}`,
  found: ({ budget }: { readonly budget: string }) => budget,
};
const JOURNAL = {
  expected: () => "the journal of a process",
  found: ({ journal }: { readonly journal: string }) => `no journal ${journal}`,
};
const OF_ACCOUNT = ({ account }: { readonly account: string }) => `of the account ${account}`;
/** What the amounts of an entry are, by its kind. */
const AMOUNTS: Readonly<Record<EntryKind, string>> = {
  topup: "more than nothing, and nothing held",
  adjust: "more or less than nothing, and nothing held",
  charge: "more than nothing, and no more than was held",
  release: "nothing, of what was held",
  loss: "more than nothing, and nothing held",
};

const USED_UP = (what: string) => ({
  expected: (totals: Totals, figures: Figures) =>
    `${what} used up at charges of ${TOTALS.expected(totals, figures)}`,
  found: TOTALS.found,
});
const NOT_NEGATIVE = { expected: () => "not negative", found: TOTALS.found };
const SEALED_GIFT = (what: string) => ({
  expected: (totals: Totals & { readonly month: string }, figures: Figures) =>
    `after ${totals.month}, ${USED_UP(what).expected(totals, figures)}`,
  found: TOTALS.found,
});

const TABLE_PLACES = {
  distributed: "with its account",
  reference: "whole on every server",
  local: "on the coordinator",
};

export const ENGLISH_LEDGER_FINDINGS: FindingSentences<LedgerFindings> = {
  "account.credited": TOTALS,
  "account.charged": TOTALS,
  "account.held": TOTALS,
  "account.available": NOT_NEGATIVE,
  "account.entries": COUNTS,
  "account.balance": TOTALS,
  "account.enteredAt": MOMENTS,
  "account.numbers": {
    expected: ({ expected, expectedSum }) =>
      `${expected} entries, whose numbers add up to ${expectedSum}`,
    found: ({ found, foundSum }) => `${found}, and ${foundSum}, with what is archived`,
  },
  "account.transfers": {
    expected: (counts, figures) => `${COUNTS.expected(counts, figures)} references, as entries`,
    found: COUNTS.found,
  },
  "account.trial": USED_UP("the trial"),
  "account.bonus": USED_UP("all that was given"),
  "account.paid": NOT_NEGATIVE,
  "account.given": NOT_NEGATIVE,
  "budget.charged": TOTALS,
  "budget.periodCharged": TOTALS,
  "budget.held": TOTALS,
  "budget.limit": {
    ...TOTALS,
    expected: ({ expected }, { nano }) => `at most ${nano(expected)}`,
  },
  "entry.account": {
    expected: () => "an account",
    found: ({ account, entries }, { count }) =>
      `no account ${account}, but entries of it: ${count(Number(entries))}`,
  },
  "entry.budget": {
    expected: BUDGET_OF_ACCOUNT.expected,
    found: ({ budget, entries }, { count }) =>
      `${budget}, in entries of the account: ${count(Number(entries))}`,
  },
  "entry.number": {
    expected: (numbers, figures) =>
      `number ${COUNTS.expected(numbers, figures)} ${OF_ACCOUNT(numbers)}`,
    found: (numbers, figures) => `number ${COUNTS.found(numbers, figures)}`,
  },
  "entry.balance": {
    expected: (totals, figures) =>
      `a balance of ${TOTALS.expected(totals, figures)} ${OF_ACCOUNT(totals)}`,
    found: TOTALS.found,
  },
  "entry.time": {
    expected: ({ account, expected }) =>
      `not before ${expected}, as the entry before it ${OF_ACCOUNT({ account })}`,
    found: ({ found }) => found,
  },
  "entry.amounts": {
    expected: ({ kind }) => `${kind}: ${AMOUNTS[kind]}`,
    found: ({ amount, held }, { nano }) =>
      [`amount ${nano(amount)}`, ...(held === undefined ? [] : [`held ${nano(held)}`])].join(", "),
  },
  "entry.class": {
    expected: ({ kind }) => `${kind}: no class of credit`,
    found: ({ class: creditClass }) => creditClass,
  },
  "hour.ended": COUNT_IN_HOUR,
  "hour.charged": NANO_IN_HOUR,
  "hour.loss": NANO_IN_HOUR,
  "hour.cost": NANO_IN_HOUR,
  "hour.inputTokens": COUNT_IN_HOUR,
  "hour.cachedTokens": COUNT_IN_HOUR,
  "hour.outputTokens": COUNT_IN_HOUR,
  "hold.account": { expected: () => "an account", found: ({ account }) => account },
  "hold.budget": BUDGET_OF_ACCOUNT,
  "hold.journal": JOURNAL,
  "hold.ended": {
    expected: () => "not ended",
    found: ({ kind, amount, at }, { nano }) => `${kind} of ${nano(amount)} at ${at}`,
  },
  "page.journal": {
    expected: JOURNAL.expected,
    found: ({ journal, page }) => `page ${page} of no journal ${journal}`,
  },
  "page.hold": {
    expected: ({ account }) => `a hold ${OF_ACCOUNT({ account })}`,
    found: ({ hold, page }) => `no hold ${hold}, named by page ${page}`,
  },
  "page.posted": {
    expected: () => "posted",
    found: ({ page, at }) => `page ${page} waits since ${at}`,
  },
  "unfinished.journal": JOURNAL,
  "unfinished.hold": {
    expected: ({ account }) => `a hold ${OF_ACCOUNT({ account })}`,
    found: ({ hold }) => `no hold ${hold}`,
  },
  "unfinished.held": {
    expected: (totals, figures) => `at most ${TOTALS.expected(totals, figures)}`,
    found: TOTALS.found,
  },
  "transfer.entry": {
    expected: ({ kind, reference }) => `the ${kind} of the reference ${reference}`,
    found: ({ account }) => `no such entry ${OF_ACCOUNT({ account })}`,
  },
  "months.ahead": {
    expected: (counts, figures) =>
      `a place for entries of the next months: ${COUNTS.expected(counts, figures)}`,
    found: COUNTS.found,
  },
  "months.other": {
    expected: () => "every entry in its month",
    found: (counts, figures) => `entries of no month: ${COUNTS.found(counts, figures)}`,
  },
  "seal.entries": {
    expected: (counts, figures) =>
      `entries of ${counts.month}: ${COUNTS.expected(counts, figures)}`,
    found: COUNTS.found,
  },
  "seal.moved": {
    expected: (totals, figures) => `moved in ${totals.month}: ${TOTALS.expected(totals, figures)}`,
    found: TOTALS.found,
  },
  "seal.trial": SEALED_GIFT("the trial"),
  "seal.bonus": SEALED_GIFT("all that was given"),
  "tables.place": {
    expected: ({ place }) => TABLE_PLACES[place],
    found: () => "elsewhere",
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
