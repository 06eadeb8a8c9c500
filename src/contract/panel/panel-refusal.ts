/**
 * For what a form of the panel, or a request of its playground, can be refused beyond its schema: every reason, and what its
 * sentence names. Each language writes its sentences from these.
 */
import type { CreditClass } from "../enums/credit-class.ts";
import type { RoutedGate } from "../enums/gate-name.ts";
import type { TaskState } from "../enums/task-state.ts";
import type { AddressMistakes } from "../tasks/task-mistake.ts";
import type { Figures } from "../figures.ts";

type NoParams = Readonly<Record<never, never>>;

export interface PanelRefusals {
  // Passwords, the second factor and passkeys.
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
  readonly passkeys_impossible: NoParams;
  readonly passkeys_most: { readonly limit: number };
  readonly passkey_known: NoParams;
  readonly passkey_wrong: NoParams;
  readonly passkey_unknown: NoParams;
  readonly passkey_copied: NoParams;
  readonly passkey_too_late: NoParams;
  // Signing up.
  readonly sign_up_closed: NoParams;
  readonly sign_up_domain: { readonly domains: string };
  readonly sign_up_code_wrong: NoParams;
  readonly sign_up_code_used_up: NoParams;
  readonly consent_needed: NoParams;
  readonly consents_changed: NoParams;
  readonly captcha_needed: NoParams;
  readonly captcha_wrong: NoParams;
  // Members and the profile.
  readonly no_email: NoParams;
  readonly name_expected: { readonly limit: number };
  readonly no_timezone: NoParams;
  readonly member_already: NoParams;
  readonly email_taken: NoParams;
  readonly last_owner: NoParams;
  readonly owners_give_roles: NoParams;
  readonly owners_remove: NoParams;
  readonly own_factor_first: NoParams;
  readonly factor_wanted: NoParams;
  // Keys.
  readonly managers_give_keys: NoParams;
  readonly managers_group_keys: NoParams;
  readonly key_deleted: NoParams;
  readonly changed_meanwhile: NoParams;
  readonly group_made: NoParams;
  readonly group_deleted: NoParams;
  readonly groups_most: { readonly limit: number };
  readonly key_rolled: NoParams;
  readonly key_expired: NoParams;
  readonly key_made: NoParams;
  readonly spend_limit_above_zero: NoParams;
  readonly moment_ahead: NoParams;
  readonly entries_expected: { readonly limit: number };
  readonly no_model_id: { readonly got: string };
  readonly no_ip_range: { readonly got: string };
  readonly rate_limit_range: { readonly kind: LimitedBy; readonly limit: number };
  // Alerts.
  readonly alerts_most: { readonly limit: number };
  readonly tests_most: NoParams;
  readonly threshold_above_zero: NoParams;
  readonly factor_of_spike: { readonly wanted: "given" | "absent" };
  readonly percent_of_limit: { readonly wanted: "given" | "absent" };
  readonly limit_of_one: NoParams;
  readonly percent_of_margin: NoParams;
  readonly no_such_group: NoParams;
  readonly balance_of_account: NoParams;
  readonly no_such_key: NoParams;
  readonly members_expected: NoParams;
  readonly telegram_off: NoParams;
  /** `said`: the same in English, by the room that checks addresses. */
  readonly webhook_address: {
    readonly rule: keyof WebhookAddressMistakes;
    readonly reported: string;
  };
  // Top-ups.
  readonly top_up_range: { readonly least: string; readonly limit: string };
  readonly top_ups_open: NoParams;
  readonly payment_silent: NoParams;
  // Long lists, files and days.
  readonly empty_file: NoParams;
  readonly no_day: NoParams;
  readonly rows_most: { readonly limit: number };
  readonly days_expected: { readonly limit: number };
  readonly sort_one_day: NoParams;
  readonly sort_archived: NoParams;
  readonly weigh_archived: NoParams;
  // Operators.
  readonly blocked_already: NoParams;
  readonly not_blocked: NoParams;
  readonly seeing_as: NoParams;
  readonly see_as_over: NoParams;
  /** Amounts are decimal roubles. */
  readonly correction_amount: { readonly limit: string };
  readonly top_up_amount: { readonly limit: string };
  readonly no_amount: NoParams;
  readonly available_only: { readonly available: string; readonly of: CreditClass };
  readonly refund_range: { readonly limit: string };
  readonly refund_spent: { readonly available: string };
  readonly refund_impossible: NoParams;
  readonly reference_taken: NoParams;
  readonly reference_expected: { readonly limit: number };
  readonly task_ended: { readonly state: TaskState };
  readonly catalogue_mistakes: NoParams;
  readonly version_in_force: { readonly now: number; readonly expected: number };
  readonly no_picture: NoParams;
  readonly domains_needed: NoParams;
  readonly trial_needs_captcha: NoParams;
  readonly announcement_whole: NoParams;
  readonly picture_gone: NoParams;
  // The playground: money, limits and what its key may do.
  /**
   * Decimal roubles; `held` is 0 where nothing is held by requests that still run. `next`: what
   * helps.
   */
  readonly funds_short: {
    readonly of: "balance" | "key" | "group";
    readonly needed: string;
    readonly available: string;
    readonly held: string;
    readonly next: "top_up" | "raise_limit" | "wait";
  };
  readonly rate_limit_reached: {
    readonly of: "key" | "account";
    readonly kind: LimitedBy;
    readonly limit: number;
    readonly seconds: number;
  };
  readonly api_key_deleted: NoParams;
  readonly api_key_frozen: NoParams;
  readonly api_key_expired: NoParams;
  /** Which of the two is not known. */
  readonly api_key_stopped: NoParams;
  readonly account_blocked: NoParams;
  readonly group_frozen: NoParams;
  readonly address_not_allowed: { readonly address: string };
  readonly model_not_allowed: { readonly model: string };
  readonly model_not_in_group: { readonly model: string };
  readonly upstreams_busy: NoParams;
  readonly upstream_overloaded: NoParams;
  readonly gate_full: { readonly gate: RoutedGate };
}

/** Requests and tokens per minute, requests at once, unfinished tasks. */
export type LimitedBy = "requests" | "tokens" | "concurrent" | "tasks";

/** Of an address alone, before anything is fetched. */
export type WebhookAddressMistakes = Omit<
  AddressMistakes,
  | "raw_bytes"
  | "file_not_found"
  | "file_expired"
  | "not_media"
  | "unsupported"
  | "truncated"
  | "corrupt"
  | "lying"
  | "too_many_pixels"
  | "too_hard"
>;

/** The sentences of one language: a reason that has none does not compile. */
export type RefusalSentences = {
  readonly [Reason in keyof PanelRefusals]: (
    params: PanelRefusals[Reason],
    figures: Figures,
  ) => string;
};

/** A reason with what its sentence names, and the sentence in English. */
export interface WordedRefusal {
  readonly reason: keyof PanelRefusals;
  readonly params: Readonly<Record<string, string | number>>;
  readonly message: string;
}
