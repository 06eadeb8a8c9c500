/** Where a worker of batches can be stopped to be killed, and what such a process is told. */
/** What it is told on its command line, as JSON. */
export interface BatchChildOptions {
  readonly databaseUrl: string;
  readonly storageUrl: string;
  readonly upstream: string;
  readonly leaseMs: number;
  readonly catalogue?: "plain" | "passed";
  /** Where it stands still; null: nowhere. */
  readonly stopAt: Point | null;
}

/** What a transaction is for, by a statement that only it has. */
export const TRANSACTIONS = {
  admission: "INSERT INTO batches.lines",
  "line end": "ledger.settle_part",
  closing: "state = 'finalizing', outcome",
  "output file": "SET output_file_id",
  "error file": "SET error_file_id",
  "batch end": "DELETE FROM batches.lines",
  "passed line": "AND line_no = $4 AND state = 'passed' RETURNING",
  "pass over": "SET state = 'over'",
} as const;
export type Transaction = keyof typeof TRANSACTIONS;

/** Single statements. */
export const STATEMENTS = {
  taken: "state IN ('validating', 'finalizing')",
  leased: "state = 'running', lease_id = $1",
  "pass taken": "UPDATE batches.passes p SET lease_id",
  submitting: "SET state = 'submitting'",
  submitted: "SET state = 'running', remote_id",
} as const;

/** Where it stands still before a statement: what was done outside is not written down. */
export const BEFORE = { "before submitted": STATEMENTS.submitted } as const;

/** `in`: all is said, nothing is committed. `after`: it is committed, and no more is done. */
export type Point =
  | `in ${Transaction}`
  | `after ${Transaction}`
  | keyof typeof STATEMENTS
  | keyof typeof BEFORE;

/** Of a batch whose lines go to a batch of an upstream's. */
export const PASS_POINTS: readonly Point[] = [
  "pass taken",
  "submitting",
  "before submitted",
  "submitted",
  "in passed line",
  "after passed line",
  "in pass over",
  "after pass over",
];

export const POINTS: readonly Point[] = [
  "taken",
  "in admission",
  "after admission",
  "leased",
  "in line end",
  "after line end",
  "in closing",
  "after closing",
  "in output file",
  "after output file",
  "in error file",
  "after error file",
  "in batch end",
  "after batch end",
];
