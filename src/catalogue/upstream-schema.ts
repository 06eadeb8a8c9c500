/**
 * One upstream: where it is, what it speaks, which credentials it takes, and how long we wait for
 * it.
 */
import Type from "typebox";
import type { TUnsafe } from "typebox";
import type { CatalogueMistakeCode } from "../contract/catalogue/catalogue-mistake.ts";
import { BALANCE_KINDS } from "../contract/enums/balance-kind.ts";
import {
  CHAT_PROTOCOLS,
  TASK_PROTOCOLS,
  UPSTREAM_PROTOCOLS,
  type UpstreamProtocol,
} from "../contract/enums/upstream-protocol.ts";
import { DISCONNECT_POLICIES, type UpstreamBalance } from "./catalogue.ts";
import { PROVIDER } from "./provider-schema.ts";
import {
  described,
  flag,
  type Found,
  listOf,
  mapOf,
  oneOrMore,
  orDefaults,
  orElse,
  ruled,
  whereKey,
  whole,
  words,
} from "./schema-parts.ts";
import { BASE_URL, CREDENTIAL_NAME, FACTOR, HOST } from "./single-values.ts";

const UPSTREAM_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
export const MOST_CONCURRENT = 100_000;
/** Each of them is remembered for the whole time. */
const MOST_SUBMISSIONS = 1_000;
const LONGEST_RATE_SECONDS = 3_600;
const TIMEOUT_MS = whole(1, 3_600_000);

const CREDENTIALS = ruled(oneOrMore(CREDENTIAL_NAME, "credential"), (names, { at, reader }) => {
  names.forEach((variable, index) => {
    if (variable !== undefined && names.indexOf(variable) < index)
      reader.note(reader.child(at, index), "variable_twice", { variable });
  });
});

/** A word alone is its kind. */
const BALANCE: TUnsafe<UpstreamBalance> = Type.Unsafe({
  ...Type.Object({
    kind: described("By whose endpoint it is asked for.", words(BALANCE_KINDS)),
    apiKeyEnv: Type.Optional(
      described(
        "The variable with the credential for it, where that is another one: OpenRouter's credits want a management key, fal an admin key.",
        CREDENTIAL_NAME,
      ),
    ),
    baseUrl: Type.Optional(
      described("Where it is asked, where that is not the origin of `baseUrl`.", BASE_URL),
    ),
    alertBelow: Type.Optional(
      described("Operators are alerted below it, in what the provider counts in.", FACTOR),
    ),
  }),
  "~short": "kind",
});

/** Keys that upstreams of some protocols have, and what is said of them at another. */
const BY_PROTOCOL = [
  { key: "submitRate", of: TASK_PROTOCOLS, otherwise: "submit_rate_without_tasks" },
  { key: "maxRunning", of: TASK_PROTOCOLS, otherwise: "max_running_without_tasks" },
  { key: "reportedCost", of: CHAT_PROTOCOLS, otherwise: "serves_no_chat" },
  { key: "batches", of: CHAT_PROTOCOLS, otherwise: "serves_no_chat" },
  { key: "task", of: ["http-task"], otherwise: "described_by_protocol" },
] as const satisfies readonly {
  readonly key: string;
  readonly of: readonly UpstreamProtocol[];
  readonly otherwise: CatalogueMistakeCode;
}[];

/** The same for editors. */
const PROTOCOL_JSON = [
  ...BY_PROTOCOL.map(({ key, of }) => {
    const others = UPSTREAM_PROTOCOLS.filter((protocol) => !of.some((known) => known === protocol));
    return whereKey("protocol", others, { properties: { [key]: { not: {} } } });
  }),
  whereKey("protocol", ["http-task"], { required: ["task"] }),
];

const UPSTREAM = ruled(
  Type.Object(
    {
      protocol: described(
        "What it speaks: openai, anthropic and responses serve chat, the others tasks; http-task is described by `task`.",
        words(UPSTREAM_PROTOCOLS),
      ),
      baseUrl: described(
        "openai and responses: up to /chat/completions or /responses, as in https://api.example.com/v1; anthropic: with or without /v1.",
        BASE_URL,
      ),
      apiKeyEnv: described(
        "The environment variable that holds the credential, or a list of them, used in turn; never the credential itself.",
        CREDENTIALS,
      ),
      timeoutsMs: described(
        "How long we wait, in milliseconds.",
        orDefaults(
          Type.Object({
            connect: described("Until it is connected.", orElse(TIMEOUT_MS, 5_000)),
            firstByte: described("To the head of the response.", orElse(TIMEOUT_MS, 60_000)),
            idle: described("Silence within a stream.", orElse(TIMEOUT_MS, 60_000)),
          }),
        ),
      ),
      maxConcurrent: described(
        "Calls at the same time from one process.",
        orElse(whole(1, MOST_CONCURRENT), 200),
      ),
      onDisconnect: described(
        "When a caller goes away: abort stops the call, drain reads it to its usage, for a minute at most.",
        orElse(words(DISCONNECT_POLICIES), "abort"),
      ),
      resultHosts: described(
        "Hosts (name:port, or an address without a path) whose result files may lie on private addresses.",
        orElse(listOf(HOST), []),
      ),
      submitRate: Type.Optional(
        described(
          "Of tasks: it takes so many new ones in so many seconds.",
          Type.Object({
            count: described("So many new ones.", whole(1, MOST_SUBMISSIONS)),
            seconds: described("In so many seconds.", whole(1, LONGEST_RATE_SECONDS)),
          }),
        ),
      ),
      maxRunning: Type.Optional(
        described("Of tasks: so many are under way at the same time.", whole(1, MOST_CONCURRENT)),
      ),
      reportedCost: Type.Optional(
        described(
          "Of chat: roubles for one unit of usage.cost in its answers; without it that figure is not believed.",
          FACTOR,
        ),
      ),
      batches: Type.Optional(
        described(
          "Of chat: its provider has batches, at what a route's costSurcharges.serviceTier.batch says; lines of batches go there.",
          flag(),
        ),
      ),
      balance: Type.Optional(
        described(
          "The provider tells what is left of the money that was paid to it: asked every five minutes, by one process.",
          BALANCE,
        ),
      ),
      task: Type.Optional(described("Of http-task: how it is called.", PROVIDER)),
    },
    { allOf: PROTOCOL_JSON },
  ),
  ({ protocol }, found) => {
    if (protocol !== undefined) checkByProtocol(protocol, found);
  },
);

function checkByProtocol(protocol: UpstreamProtocol, { at, reader }: Found): void {
  for (const { key, of, otherwise } of BY_PROTOCOL)
    if (reader.has(at, key) && !of.some((known) => known === protocol))
      reader.note(reader.child(at, key), otherwise, { protocol });
  if (protocol === "http-task" && !reader.has(at, "task"))
    reader.note(reader.child(at, "task"), "missing");
}

export const UPSTREAMS = described(
  "By a name of yours: who serves the models. ${NAME} is replaced by the environment variable.",
  {
    ...mapOf(UPSTREAM, {
      none: "upstream",
      keyPattern: UPSTREAM_NAME.source,
      key: (name, { at, reader }) => {
        if (!UPSTREAM_NAME.test(name)) reader.note(at, "bad_name", { what: "upstream", name });
      },
    }),
    "~references": true,
  },
);
