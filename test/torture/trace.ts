/** What the clients of a run asked and got, and what was done to their accounts meanwhile. */

export const DIALECTS = ["openai", "messages", "responses"] as const;
export type Dialect = (typeof DIALECTS)[number];

/** Times are milliseconds of one clock, that of the run. */
export interface Attempt {
  readonly startedMs: number;
  /** When its first words came; null: none came, or all at once. */
  readonly firstMs: number | null;
  readonly endedMs: number;
  readonly gateway: number;
  /** Null: the connection ended before any answer, so it is not known what became of it. */
  readonly status: number | null;
  /** The request's UUID, as the answer names it. */
  readonly requestId: string | null;
  /** Of an answer that was given again: whose it is. */
  readonly originalId: string | null;
  /**
   * `complete`: the answer said that it was over. `left`: the client went away by itself. `none`:
   * no answer.
   */
  readonly end: "complete" | "broken" | "left" | "none";
  /** A refusal that is for the time being. */
  readonly comeAgain: boolean;
  /** The text of the answer, as far as it came. */
  readonly text: string;
  /** As the header says. */
  readonly costNano: bigint | null;
  /** As the answer says. */
  readonly usage: { readonly prompt: number; readonly completion: number } | null;
  /** Of an error. */
  readonly code: string | null;
  /** The id of an ended response that says of itself that it is kept. */
  readonly keptId: string | null;
}

/** A kept response, and how many are before it in its conversation. */
export interface KeptResponse {
  readonly responseId: string;
  readonly depth: number;
}

export interface ChatTrace {
  /** Stands in the prompt, so that the upstream's count names it, too. */
  readonly marker: string;
  readonly client: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly model: string;
  readonly dialect: Dialect;
  readonly stream: boolean;
  readonly idempotencyKey: string | null;
  /** Of Responses: whether its answer is to be kept, and what it goes on from. */
  readonly store: boolean;
  readonly previous: KeptResponse | null;
  readonly attempts: Attempt[];
}

export interface TaskTrace {
  readonly client: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly tag: string;
  /** Null: its order had no answer. */
  readonly taskId: string | null;
}

/** A time in which something was not to be served: from the answer that said so to its end. */
export interface Closure {
  readonly what: "deleted key" | "blocked account" | "lowered limit" | "group switched off";
  /** Null: all of the account. */
  readonly keyIds: readonly string[] | null;
  readonly accountId: string;
  readonly fromMs: number;
  untilMs: number;
}

/** A time in which a key lay in a group, or in none: from the answer that said so to its end. */
export interface Placement {
  readonly keyId: string;
  readonly groupId: string | null;
  readonly fromMs: number;
  untilMs: number;
}

/** Money from outside, by its reference; `known` false: no answer came to the last try. */
export interface TopUpTrace {
  readonly accountId: string;
  readonly reference: string;
  readonly amountNano: bigint;
  known: boolean;
}

/** An account, or a key or a group of it, that is worth N requests at one price. */
export interface DryTrace {
  readonly accountId: string;
  /** Of the key or the group; null: the account itself. */
  readonly budgetId: string | null;
  readonly worth: number;
  /** A client was told that waiting does not help. */
  final: boolean;
}

export interface Trace {
  readonly chats: ChatTrace[];
  readonly tasks: TaskTrace[];
  readonly closures: Closure[];
  readonly placements: Placement[];
  readonly topUps: TopUpTrace[];
  readonly dry: DryTrace[];
}

export function newTrace(): Trace {
  return { chats: [], tasks: [], closures: [], placements: [], topUps: [], dry: [] };
}
