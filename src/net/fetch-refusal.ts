/**
 * Why a fetch for a caller did not succeed: one rule from a closed list, in words that tell nothing
 * of addresses and answers.
 */
import { URL_RULES, type UrlRule } from "./check-url.ts";

interface Reason {
  readonly message: string;
  /** It may go better later; the same URL can be tried again. */
  readonly transient: boolean;
}

/** The closed list of what can go wrong once the network is asked. */
export const FETCH_RULES = {
  name_not_found: { message: "The host name of the URL could not be resolved.", transient: true },
  name_timeout: { message: "The host name of the URL was not resolved in time.", transient: true },
  name_not_public: {
    message: "The host name of the URL leads to an address that is not public.",
    transient: false,
  },
  host_busy: { message: "Too many fetches from this host are under way.", transient: true },
  connect_failed: { message: "The server of the URL could not be reached.", transient: true },
  connect_timeout: {
    message: "The server of the URL did not take the connection in time.",
    transient: true,
  },
  tls_failed: {
    message:
      "No secure connection to the server of the URL could be made: its certificate or its TLS is not valid.",
    transient: false,
  },
  headers_timeout: {
    message: "The server of the URL did not begin to answer in time.",
    transient: true,
  },
  headers_too_large: {
    message: "The server of the URL answered with headers of more than 16 KB.",
    transient: false,
  },
  no_answer: {
    message: "The server of the URL closed the connection without an answer.",
    transient: true,
  },
  bad_answer: { message: "The server of the URL did not answer in valid HTTP.", transient: false },
  status: {
    message: "The server of the URL did not give the file: its answer had another status than 200.",
    transient: true,
  },
  partial_answer: {
    message:
      "The server of the URL answered with a part of the file (status 206), though the whole was asked for.",
    transient: false,
  },
  encoded_answer: {
    message: "The server of the URL compressed the file, though it was asked not to.",
    transient: false,
  },
  redirect_target: { message: "The URL redirects, but does not say to where.", transient: false },
  redirect_downgrade: { message: "The URL redirects from https to http.", transient: false },
  too_many_redirects: { message: "The URL redirects too many times.", transient: false },
  too_large: { message: "The file is larger than is allowed here.", transient: false },
  idle_timeout: {
    message: "The server of the URL stopped sending in the middle of the file.",
    transient: true,
  },
  too_slow: { message: "The server of the URL sends too slowly.", transient: true },
  cut: { message: "The connection broke before the whole file had arrived.", transient: true },
  deadline: { message: "The file did not arrive in the time allowed.", transient: true },
} as const satisfies Record<string, Reason>;

export type FetchRule = keyof typeof FETCH_RULES;

function isUrlRule(rule: UrlRule | FetchRule): rule is UrlRule {
  return Object.hasOwn(URL_RULES, rule);
}

interface RefusalDetails {
  /** For the log: it may name addresses. */
  readonly cause?: unknown;
  /** The URL that broke the rule is one that a server redirected to. */
  readonly redirected?: boolean;
  /** Instead of the table's word. */
  readonly transient?: boolean;
}

export class FetchRefusal extends Error {
  override name = "FetchRefusal";
  readonly rule: UrlRule | FetchRule;
  /** Whether another try may succeed without a change of the URL. */
  readonly transient: boolean;

  constructor(rule: UrlRule | FetchRule, details: RefusalDetails = {}) {
    const message = isUrlRule(rule) ? URL_RULES[rule] : FETCH_RULES[rule].message;
    super(
      details.redirected === true ? `The URL redirects. After the redirect: ${message}` : message,
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.rule = rule;
    this.transient = details.transient ?? (isUrlRule(rule) ? false : FETCH_RULES[rule].transient);
  }
}
