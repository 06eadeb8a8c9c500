/**
 * Where the books do not agree: every place of the ledger and every kind of a task's finding, and
 * what its two sentences name, that of what was expected and that of what was found. Each language
 * writes them from these.
 */
import type { CreditClass } from "../enums/credit-class.ts";
import type { EntryKind } from "../enums/entry-kind.ts";
import type { Figures } from "../figures.ts";

/** Whole nano-roubles. */
interface Totals {
  readonly expected: string;
  readonly found: string;
}

/** How many there are of something. */
interface Counts {
  readonly expected: string;
  readonly found: string;
}

/** Moments, as PostgreSQL writes them. */
interface Moments {
  readonly expected: string;
  readonly found: string;
}

/** Of what was booked in an hour, which begins at `hour`. */
interface InHour {
  readonly hour: string;
  readonly expected: string;
  readonly found: string;
}

/** By place: what a verification of the ledger finds. Amounts are whole nano-roubles. */
export interface LedgerFindings {
  readonly "account.credited": Totals;
  readonly "account.charged": Totals;
  readonly "account.held": Totals;
  readonly "account.available": Totals;
  readonly "account.entries": Counts;
  readonly "account.balance": Totals;
  readonly "account.enteredAt": Moments;
  /** Of an account of which months are archived. */
  readonly "account.numbers": Counts & {
    readonly expectedSum: string;
    readonly foundSum: string;
  };
  readonly "account.transfers": Counts;
  /** What is charged when the trial is used up, and when all that was given is. */
  readonly "account.trial": Totals;
  readonly "account.bonus": Totals;
  /** What is left of what was paid, and how far the two marks are apart. */
  readonly "account.paid": Totals;
  readonly "account.given": Totals;
  readonly "budget.charged": Totals;
  readonly "budget.periodCharged": Totals;
  readonly "budget.held": Totals;
  readonly "budget.limit": Totals;
  readonly "entry.account": { readonly account: string; readonly entries: string };
  readonly "entry.budget": {
    readonly account: string;
    readonly budget: string;
    readonly entries: string;
  };
  readonly "entry.number": Counts & { readonly account: string };
  readonly "entry.balance": Totals & { readonly account: string };
  readonly "entry.time": Moments & { readonly account: string };
  readonly "entry.amounts": {
    readonly kind: EntryKind;
    readonly amount: string;
    /** Absent: not set. */
    readonly held?: string;
  };
  readonly "entry.class": { readonly kind: EntryKind; readonly class: CreditClass };
  readonly "hour.ended": InHour;
  readonly "hour.charged": InHour;
  readonly "hour.loss": InHour;
  readonly "hour.cost": InHour;
  readonly "hour.inputTokens": InHour;
  readonly "hour.cachedTokens": InHour;
  readonly "hour.outputTokens": InHour;
  readonly "hold.account": { readonly account: string };
  readonly "hold.budget": { readonly account: string; readonly budget: string };
  readonly "hold.journal": { readonly account: string; readonly journal: string };
  readonly "hold.ended": {
    readonly kind: EntryKind;
    readonly amount: string;
    readonly at: string;
  };
  readonly "page.journal": { readonly journal: string; readonly page: string };
  readonly "page.hold": {
    readonly account: string;
    readonly hold: string;
    readonly page: string;
  };
  readonly "page.posted": { readonly page: string; readonly at: string };
  readonly "unfinished.journal": { readonly account: string; readonly journal: string };
  readonly "unfinished.hold": { readonly account: string; readonly hold: string };
  readonly "unfinished.held": Totals;
  readonly "transfer.entry": {
    readonly account: string;
    readonly kind: EntryKind;
    readonly reference: string;
  };
  readonly "months.ahead": Counts;
  readonly "months.other": Counts;
  readonly "seal.entries": Counts & { readonly month: string };
  readonly "seal.moved": Totals & { readonly month: string };
  readonly "seal.trial": Totals & { readonly month: string };
  readonly "seal.bonus": Totals & { readonly month: string };
  readonly "books.sum": Totals;
  /** Of a table of a database that spreads accounts over servers. */
  readonly "tables.place": { readonly place: TablePlaceName };
}

/** With its account; whole on every server; on the coordinator alone. */
type TablePlaceName = "distributed" | "reference" | "local";

/** By kind: what a reconciliation of tasks with the ledger finds. Amounts are decimal roubles. */
export interface TaskFindings {
  readonly no_hold: { readonly price: string };
  readonly hold_differs: { readonly price: string; readonly held: string };
  readonly still_held: { readonly held: string };
  readonly no_entry: { readonly state: "completed" | "failed" };
  readonly entry_differs: { readonly charged: string; readonly booked: string };
  readonly no_task: Readonly<Record<never, never>>;
  readonly no_step: Readonly<Record<never, never>>;
  readonly step_after_end: { readonly phase: string };
}

/** The sentences of one language: a place or kind that lacks one does not compile. */
export type FindingSentences<Findings> = {
  readonly [Code in keyof Findings]: {
    expected(params: Findings[Code], figures: Figures): string;
    found(params: Findings[Code], figures: Figures): string;
  };
};

export type FindingParams = Readonly<Record<string, string>>;

/** One thing that does not agree, in English, and what pages write their sentences from. */
export interface WordedFinding {
  readonly expected: string;
  readonly found: string;
  readonly params: FindingParams;
}
