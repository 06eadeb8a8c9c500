/**
 * What a form of the panel, or a request of its playground, is refused for, in English: by the
 * reason and what it names.
 */
import type { CreditClass } from "../enums/credit-class.ts";
import type { LimitedBy, PanelRefusals, RefusalSentences } from "../panel/panel-refusal.ts";

const PER_MINUTE: Readonly<Record<LimitedBy, string>> = {
  requests: "requests per minute",
  tokens: "tokens per minute",
  concurrent: "requests at once",
  tasks: "unfinished tasks",
};
const AT_GATE: Readonly<Record<PanelRefusals["gate_full"]["gate"], string>> = {
  tasks: "orders of tasks",
  uploads: "uploads",
  api: "requests",
  panel: "requests to the panel",
  operator: "requests to the operator's pages",
};

const CREDIT: Readonly<Record<CreditClass, string>> = {
  paid: "what was paid",
  trial: "the trial credit",
  bonus: "the bonus credit",
};

const FUNDS: Readonly<Record<PanelRefusals["funds_short"]["of"], string>> = {
  balance: "The balance",
  key: "The spend limit of this API key",
  group: "The spend limit of this API key's group",
};

const WHAT_NEXT: Readonly<Record<PanelRefusals["funds_short"]["next"], string>> = {
  top_up: "Top the balance up.",
  raise_limit: "Raise the limit, or wait for its next period if it has one.",
  wait: "Try again when they have ended.",
};

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
  passkeys_impossible: () =>
    "Passkeys need a panel that is reached by a name and over TLS; this one is not.",
  passkeys_most: ({ limit }) =>
    `A member has ${limit} passkeys at most. Remove one that is not needed any more.`,
  passkey_known: () => "This passkey was added already.",
  passkey_wrong: () => "The browser's answer is no passkey that can be used here. Try again.",
  passkey_unknown: () =>
    "This passkey does not open anything here: it was removed, or belongs to another place. Log in otherwise.",
  passkey_copied: () =>
    "This passkey seems to have been copied, so it was refused. Log in otherwise, and remove it in the settings.",
  passkey_too_late: () => "That took too long, or was begun elsewhere. Try again.",
  sign_up_closed: () => "Nobody can sign up here at the moment. Ask the operator of the service.",
  sign_up_domain: ({ domains }) => `Only e-mails of these domains are taken here: ${domains}.`,
  sign_up_code_wrong: () => "This code is not known here, or it is used up or too old.",
  sign_up_code_used_up: () =>
    "The code with which you signed up is used up. Sign up again with another one.",
  consent_needed: () => "Tick what has to be agreed to.",
  consents_changed: () =>
    "What is agreed to has a new wording. Load the page anew, read it and send the form again.",
  captcha_needed: () => "Your browser has to show first that no robot signs up.",
  captcha_wrong: () => "The proof that no robot signs up is too old or was used. Send it again.",
  no_email: () => "This is not an e-mail address.",
  name_expected: ({ limit }) => `A name of 1 to ${limit} characters on one line is expected.`,
  no_timezone: () => "This is no time zone; one looks like Europe/Moscow.",
  member_already: () => "This person is a member already.",
  email_taken: () => "This e-mail has an account already. Ask to be invited by another one.",
  last_owner: () =>
    "The last owner of an account stays its owner. Make another member an owner first.",
  owners_give_roles: () => "Only owners give roles.",
  owners_remove: () => "Only owners remove others.",
  own_factor_first: () => "Turn on a second factor of your own first.",
  factor_wanted: () => "The account wants a second factor of every member.",
  managers_give_keys: () => "Only managers and owners say whose a key is.",
  managers_group_keys: () => "Only managers and owners put keys into groups.",
  changed_meanwhile: () => "It was changed meanwhile. Look at it again, and repeat your change.",
  key_deleted: () => "This key was deleted.",
  key_rolled: () => "This key was rolled before: roll the one that took its place.",
  key_expired: () => "This key has expired: give it a later expiry first, or make a new key.",
  group_deleted: () => "This group was deleted.",
  group_made: () => "This group was made already.",
  groups_most: ({ limit }, { count }) =>
    `An account may have ${count(limit)} groups. Delete one that is not needed any more.`,
  key_made: () => "This key was made already, and its secret was shown then.",
  spend_limit_above_zero: () => "A limit above 0 roubles is expected; leave it out for none.",
  no_picture: () => "A PNG, JPEG or WebP of at most 500 kB that can be read is expected.",
  domains_needed: () => "Name at least one domain whose e-mails may sign up.",
  trial_needs_captcha: () =>
    "Where everybody may sign up, a trial needs the robot check: else robots collect it.",
  announcement_whole: () => "An announcement has a text in both languages and a time to end.",
  picture_gone: () => "This picture is not kept here any more. Choose it again.",
  moment_ahead: () => "A time in the future is expected.",
  entries_expected: ({ limit }) =>
    `1 to ${limit} entries are expected; leave it out for no restriction.`,
  no_model_id: ({ got }) => `"${got}" is not the id of a model.`,
  no_ip_range: ({ got }) =>
    `"${got}" is not an address or a range such as 10.0.0.0/8 or 2001:db8::/32.`,
  rate_limit_range: ({ kind, limit }, { count }) =>
    `A whole number of ${PER_MINUTE[kind]} from 1 to ${count(limit)} is expected.`,
  alerts_most: ({ limit }) => `An account has ${limit} alerts at most. Delete one first.`,
  tests_most: () => "Too many tests in an hour. Try again later.",
  threshold_above_zero: () => "An amount of roubles above zero is expected.",
  factor_of_spike: ({ wanted }) =>
    wanted === "given"
      ? "A spike needs it: so many times the usual hour."
      : "Only a spike has one.",
  percent_of_limit: ({ wanted }) =>
    wanted === "given"
      ? "How much of the limit is needed: a whole number from 1 to 100."
      : "Only an alert on a limit has one.",
  percent_of_margin: () => "Only an alert on the margin has one.",
  limit_of_one: () => "An alert on a limit is of one group or of one key; no other is of a group.",
  no_such_group: () => "There is no such group.",
  telegram_off: () => "There is no Telegram bot here: the operator has set none.",
  balance_of_account: () => "A balance is the account's, not a key's.",
  no_such_key: () => "There is no such key.",
  members_expected: () => "Members of this account are expected.",
  webhook_address: ({ reported }) => reported,
  top_up_range: ({ least, limit }, { roubles }) =>
    `An amount from ${roubles(least)} to ${roubles(limit)} is expected, kopecks at most.`,
  top_ups_open: () => "There are too many unfinished top-ups. Finish one, or try again later.",
  payment_silent: () =>
    "The payment provider gives no answer. Nothing was paid; try again in a minute.",
  empty_file: () => "The file is empty.",
  no_day: () => "This is no day of the calendar; one looks like 2026-11-21.",
  rows_most: ({ limit }) =>
    `There are more than ${limit} rows. Choose a shorter time or another filter.`,
  days_expected: ({ limit }) => `1 to ${limit} days are expected, the first one first.`,
  sort_one_day: () => "Cost and duration are sorted within one day: choose a day first.",
  sort_archived: () => "This day is archived, and can be listed by time only.",
  weigh_archived: () =>
    "A part of this time is archived, where cost and duration find nothing: choose a later time.",
  blocked_already: () => "This account is blocked already.",
  not_blocked: () => "This account is not blocked.",
  seeing_as: () =>
    "You see the panel as a customer does: nothing can be changed, and secrets, files and contents are not shown.",
  see_as_over: () => "You do not see the panel as a customer any more: its time is over.",
  correction_amount: ({ limit }, { roubles }) =>
    `An amount other than 0, of at most ${roubles(limit, "roubles")}, is expected.`,
  top_up_amount: ({ limit }, { roubles }) =>
    `An amount above 0 and up to ${roubles(limit, "roubles")} is expected.`,
  no_amount: () => "An amount in roubles is expected, such as 12.34.",
  available_only: ({ available, of }, { roubles }) =>
    `Only ${roubles(available, "roubles")} of ${CREDIT[of]} are available: what is held for running requests and tasks cannot be taken.`,
  refund_range: ({ limit }, { roubles }) =>
    `An amount above 0 and up to ${roubles(limit, "roubles")}, kopecks at most, is expected.`,
  refund_spent: ({ available }, { roubles }) =>
    `Only ${roubles(available, "roubles")} of what was paid is neither spent nor held for what runs. Nothing was refunded.`,
  refund_impossible: () =>
    "Only a payment that was credited can be refunded, through the payment provider that is configured.",
  reference_expected: ({ limit }) =>
    `A reference of 1 to ${limit} characters on one line is expected.`,
  reference_taken: () => "This reference belongs to another booking. Nothing was changed.",
  task_ended: ({ state }) => `The task is ${state} already; what has ended stays as it is.`,
  catalogue_mistakes: () => "The catalogue has mistakes. Nothing was changed.",
  version_in_force: ({ now, expected }) =>
    `Version ${now} is in force by now, not ${expected}. Compare with it first. Nothing was changed.`,
  funds_short: ({ of, needed, available, held, next }, { roubles }) => {
    const what = FUNDS[of];
    const running = held === "0" ? "" : ` and ${roubles(held)} is held by requests that still run`;
    return `${what} cannot cover this request: it needs ${roubles(needed)}, ${roubles(available)} is available${running}. ${WHAT_NEXT[next]}`;
  },
  rate_limit_reached: ({ of, kind, limit, seconds }, { count }) => {
    const whose = of === "key" ? "This API key" : "This account, over all its API keys,";
    const most = count(limit);
    switch (kind) {
      case "requests":
        return `${whose} may make ${most} requests per minute. There is room for the next one in ${seconds} s.`;
      case "tokens":
        return `${whose} may use ${most} tokens per minute, input and output together. There is room for this request in ${seconds} s.`;
      case "concurrent":
        return `${whose} may have ${most} requests running at once, and has. Try again when one of them has ended.`;
      case "tasks":
        return `${whose} may have ${most} unfinished tasks, and has. Try again when one of them has ended.`;
    }
  },
  api_key_deleted: () => "This API key was deleted. Create a new one.",
  api_key_frozen: () =>
    "This API key is frozen: its owner has stopped it. Unfreeze it in the panel, or use another key.",
  api_key_expired: () => "This API key has expired. Create a new one.",
  api_key_stopped: () =>
    "This API key was deleted or frozen. Use another key, or see to it in the panel.",
  account_blocked: () => "This account is blocked. Contact the operator of the service.",
  group_frozen: () =>
    "The group of this API key is switched off. Switch it on in the panel, or use another key.",
  address_not_allowed: ({ address }) => `This API key may not be used from the address ${address}.`,
  model_not_allowed: ({ model }) => `This API key may not call the model "${model}".`,
  model_not_in_group: ({ model }) =>
    `Keys of this API key's group may not call the model "${model}".`,
  upstreams_busy: () => "Every upstream of this model is failing or busy at the moment. Try again.",
  upstream_overloaded: () => "The upstream is overloaded. Try again.",
  gate_full: ({ gate }) =>
    `There are more ${AT_GATE[gate]} than the gateway can take at once. Nothing was done and nothing charged: try again.`,
};
