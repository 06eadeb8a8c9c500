/** What a form of the panel is refused for, in English: by the reason and what it names. */
import type { RefusalSentences } from "./panel-refusal.ts";

export const ENGLISH_REFUSALS: RefusalSentences = {
  password_short: ({ limit }) => `At least ${limit} characters are needed.`,
  password_long: ({ limit }) => `At most ${limit} characters are taken.`,
  password_is_email: () => "The e-mail itself is the first thing that anybody would try.",
  password_common: () =>
    "This is one of the passwords that are tried first. Choose another one, several words for example.",
  password_same: () => "This is the password that you have.",
  current_password_wrong: () => "The current password is wrong.",
  password_wrong: () => "The password is wrong.",
  code_wrong: () => "The code is wrong, or was used already.",
  second_factor_on: () => "The second factor is on already. Turn it off first.",
  no_code_asked: () => "No code is asked of this session.",
  no_email: () => "This is not an e-mail address.",
  name_expected: ({ limit }) => `A name of 1 to ${limit} characters on one line is expected.`,
  no_timezone: () => "This is no time zone; one looks like Europe/Moscow.",
  member_already: () => "This person is a member already.",
  email_taken: () => "This e-mail has an account already. Ask to be invited by another one.",
  last_owner: () =>
    "The last owner of an account stays its owner. Make another member an owner first.",
  owners_give_roles: () => "Only owners give roles.",
  owners_remove: () => "Only owners remove others.",
  key_deleted: () => "This key was deleted.",
  key_rolled: () => "This key was rolled before: roll the one that took its place.",
  key_expired: () => "This key has expired: give it a later expiry first, or make a new key.",
  alerts_most: ({ limit }) => `An account has ${limit} alerts at most. Delete one first.`,
  tests_most: () => "Too many tests in an hour. Try again later.",
  rows_most: ({ limit }) =>
    `There are more than ${limit} rows. Choose a shorter time, and export it in parts.`,
  days_expected: ({ limit }) => `1 to ${limit} days are expected, the first one first.`,
  blocked_already: () => "This account is blocked already.",
  not_blocked: () => "This account is not blocked.",
  correction_amount: ({ limit }) =>
    `An amount other than 0, of at most ${limit} roubles, is expected.`,
  top_up_amount: ({ limit }) => `An amount above 0 and up to ${limit} roubles is expected.`,
  no_amount: () => "An amount in roubles is expected, such as 12.34.",
  available_only: ({ available }) =>
    `Only ${available} roubles are available: what is held for running requests and tasks cannot be taken.`,
  reference_taken: () => "This reference belongs to another booking. Nothing was changed.",
  task_ended: ({ state }) => `The task is ${state} already; what has ended stays as it is.`,
  catalogue_mistakes: () => "The catalogue has mistakes. Nothing was changed.",
  version_in_force: ({ now, expected }) =>
    `Version ${now} is in force by now, not ${expected}. Compare with it first. Nothing was changed.`,
};
