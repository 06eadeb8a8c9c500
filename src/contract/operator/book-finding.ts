/**
 * Where the books do not agree: every place of the ledger and every kind of a task's finding, and
 * what its two sentences name, that of what was expected and that of what was found. Each language
 * writes them from these.
 */
import type { EntryKind } from "../enums/entry-kind.ts";
import type { Figures } from "../figures.ts";

/** Whole nano-roubles. */
interface Totals {
  readonly expected: string;
  readonly found: string;
}

/** By place: what a verification of the ledger finds. Amounts are whole nano-roubles. */
export interface LedgerFindings {
  readonly "account.credited": Totals;
  readonly "account.charged": Totals;
  readonly "account.held": Totals;
  readonly "account.available": Totals;
  readonly "budget.charged": Totals;
  readonly "budget.periodCharged": Totals;
  readonly "budget.held": Totals;
  readonly "budget.limit": Totals;
  readonly "entry.books": {
    readonly kind: EntryKind;
    readonly debit: string;
    readonly credit: string;
  };
  readonly "entry.amounts": {
    readonly amount: string;
    /** Absent: not set. */
    readonly held?: string;
    readonly released?: string;
  };
  readonly "entry.budget": { readonly account: string; readonly budget: string };
  readonly "hold.account": { readonly account: string };
  readonly "hold.budget": { readonly account: string; readonly budget: string };
  readonly "hold.ended": {
    readonly kind: EntryKind;
    readonly amount: string;
    readonly at: string;
  };
  readonly "books.sum": Totals;
}

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
