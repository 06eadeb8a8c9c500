/**
 * For what a form of the panel can be refused beyond its schema: every reason, and what its
 * sentence names. Each language writes its sentences from these.
 */
import type { TaskState } from "../enums/task-state.ts";

type NoParams = Readonly<Record<never, never>>;

export interface PanelRefusals {
  // Passwords and the second factor.
  readonly password_short: { readonly limit: number };
  readonly password_long: { readonly limit: number };
  readonly password_is_email: NoParams;
  readonly password_common: NoParams;
  readonly password_same: NoParams;
  readonly current_password_wrong: NoParams;
  readonly password_wrong: NoParams;
  readonly code_wrong: NoParams;
  readonly second_factor_on: NoParams;
  readonly no_code_asked: NoParams;
  // Members and the profile.
  readonly no_email: NoParams;
  readonly name_expected: { readonly limit: number };
  readonly no_timezone: NoParams;
  readonly member_already: NoParams;
  readonly email_taken: NoParams;
  readonly last_owner: NoParams;
  readonly owners_give_roles: NoParams;
  readonly owners_remove: NoParams;
  // Keys, alerts and long lists.
  readonly key_deleted: NoParams;
  readonly key_rolled: NoParams;
  readonly key_expired: NoParams;
  readonly alerts_most: { readonly limit: number };
  readonly tests_most: NoParams;
  readonly rows_most: { readonly limit: number };
  readonly days_expected: { readonly limit: number };
  // Operators.
  readonly blocked_already: NoParams;
  readonly not_blocked: NoParams;
  /** Amounts are decimal roubles. */
  readonly correction_amount: { readonly limit: string };
  readonly top_up_amount: { readonly limit: string };
  readonly no_amount: NoParams;
  readonly available_only: { readonly available: string };
  readonly reference_taken: NoParams;
  readonly task_ended: { readonly state: TaskState };
  readonly catalogue_mistakes: NoParams;
  readonly version_in_force: { readonly now: number; readonly expected: number };
}

/** The sentences of one language: a reason that has none does not compile. */
export type RefusalSentences = {
  readonly [Reason in keyof PanelRefusals]: (params: PanelRefusals[Reason]) => string;
};

/** A reason with what its sentence names, and the sentence in English. */
export interface SaidRefusal {
  readonly reason: keyof PanelRefusals;
  readonly params: Readonly<Record<string, string | number>>;
  readonly message: string;
}
