/** What went wrong and what to do about it, in English, by the code of the API's fault. */
import { formatSize } from "../format-number.ts";
import { plural } from "../plural.ts";
import type { FaultsTexts } from "./faults.ru.ts";

const characters = (count: string | number): string =>
  `${count} ${plural("en", Number(count), { one: "character", other: "characters" })}`;
const size = (bytes: string | number): string => formatSize(Number(bytes), "en");

export const faultsEn: FaultsTexts = {
  byCode: {
    network: () => "The server does not answer. Check the connection and try again.",
    invalid_request: () => "Check the fields: something in them is not right.",
    session_required: () => "The session is over. Log in and try again.",
    wrong_credentials: () => "The e-mail or the password is not right.",
    email_unverified: () => "Confirm your e-mail first: open the link that we sent you.",
    gone: () => "This is not there any more: its time is over, or it was used already.",
    key_limit_exceeded: () => "The spend limit of this key is used up.",
    group_limit_exceeded: () => "The spend limit of this key's group is used up.",
    model_not_found: ({ model }) =>
      model === undefined ? "There is no such model." : `There is no model "${model}".`,
    storage_quota_exceeded: ({ freeBytes, quotaBytes }) =>
      freeBytes === undefined || quotaBytes === undefined
        ? "There is no room for more files. Delete some."
        : `There is no room for this file: ${size(freeBytes)} of ${size(quotaBytes)} are free. Delete some.`,
    request_too_large: ({ limitBytes }) =>
      limitBytes === undefined
        ? "The file or the request is too large."
        : `The file or the request is too large: at most ${size(limitBytes)} are taken.`,
    unsupported_media_type: () => "Files of this kind are not accepted.",
    login_unfinished: () => "The log-in is not finished. Log in again.",
    origin_refused: () =>
      "The browser sent this from another address. Open the panel at its main address.",
    permission_denied: () => "Your role in this account does not allow that. Ask its owner.",
    not_found: () => "There is no such thing here: it may be deleted, or the link is incomplete.",
    conflict: () => "Somebody else changed this before you. Reload the page and try again.",
    already_exists: () => "There is one exactly like this already.",
    rate_limit_exceeded: () => "Too many attempts in a row. Wait a little.",
    insufficient_balance: () => "The balance does not cover this. Top it up.",
    top_ups_unavailable: () =>
      "Top-ups do not work at the moment: the operator has to finish setting them up. Nothing was paid.",
    internal_error: () => "Something broke on our side. It is recorded; try again.",
    overloaded: () => "The server is overloaded right now. Try again in a minute.",
    invalid_api_key: () =>
      "The key does not work: it was never made, deleted or frozen. Choose another.",
    method_not_allowed: () =>
      "This address is not called in that way. Reload the page and try again.",
    context_length_exceeded: () =>
      "This conversation is longer than the model can read. Start a new one, or shorten the messages.",
    previous_response_not_found: () =>
      "The earlier answer of this conversation is kept no longer. Begin a new one.",
    wrong_endpoint: ({ model }) =>
      model === undefined
        ? "This model does not work here. Choose another."
        : `The model "${model}" does not work here. Choose another.`,
    idempotency_mismatch: () =>
      "Another request was sent with this number already. Reload the page and try again.",
    idempotency_in_progress: () => "The same request is still running. Wait for it.",
    idempotency_answer_gone: () =>
      "This request was answered and charged, but its answer was too large to be kept. Send it anew.",
    upgrade_required: () => "Only ordinary requests are answered here.",
    precondition_failed: () => "This has changed while you were looking at it. Reload the page.",
    range_not_satisfiable: () => "The file has no such part.",
    request_timeout: () =>
      "The request did not arrive in time. Check the connection and send it again.",
    upstream_error: () => "No provider could serve this request. Nothing was charged for it.",
    upstream_timeout: () => "The provider of the model did not answer in time.",
    storage_full: () => "There is no room for files here at the moment. Try again later.",
  },
  byMistake: {
    required: () => "Fill this in.",
    minLength: ({ limit }) =>
      limit === undefined
        ? "Too short."
        : Number(limit) === 1
          ? "Fill this in."
          : `At least ${characters(limit)} are needed.`,
    maxLength: ({ limit }) => (limit === undefined ? "Too long." : `At most ${characters(limit)}.`),
    format: () => "This does not look right.",
    pattern: () => "This does not look right.",
    minimum: ({ limit }) => (limit === undefined ? "Too little." : `At least ${limit}.`),
    maximum: ({ limit }) => (limit === undefined ? "Too much." : `At most ${limit}.`),
    exclusiveMinimum: ({ limit }) => (limit === undefined ? "Too little." : `More than ${limit}.`),
    exclusiveMaximum: ({ limit }) => (limit === undefined ? "Too much." : `Less than ${limit}.`),
    minItems: ({ limit }) => (limit === undefined ? "Too few." : `At least ${limit} are needed.`),
    maxItems: ({ limit }) => (limit === undefined ? "Too many." : `At most ${limit} are taken.`),
    uniqueItems: () => "The same is given twice.",
    multipleOf: () => "Not what this field expects.",
    enum: ({ values }) =>
      values === undefined ? "Choose one of the values." : `Choose one of: ${values}.`,
    const: () => "Not what this field expects.",
    type: () => "Not what this field expects.",
    rule: () => "This does not look right.",
    anyOf: () => "Not what this field expects.",
    additionalProperties: () => "There is no such field.",
    unpriced: () => "There is no price for this value. Choose another.",
    below_cost: () => "Something is sold below its cost. Confirm it.",
    big_change: () => "A price changes by much. Confirm it.",
    catalogue: () => "There is a mistake in the catalogue.",
  },
  checkFields: (names) => `Check: ${names}.`,
  title: "Something went wrong",
  requestId: "Request id for support:",
  retryIn: (seconds) => `You can try again in ${seconds} s.`,
  notFoundTitle: "There is no such page",
  notFoundText: "Check the address, or go back to the overview.",
  brokenTitle: "This page crashed",
  brokenText: "Reload it. If that does not help, tell us what you were doing.",
  offlineTitle: "No connection",
  offlineText:
    "The page could not be loaded. It opens by itself as soon as the connection is back.",
  offlineBanner: "There is no connection to the server. What was loaded so far is shown.",
};
