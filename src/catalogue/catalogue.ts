/**
 * The shapes of a compiled catalogue: what can be called, at what price, and through which
 * upstreams (contract §12). Immutable.
 */
import type { BalanceKind } from "../contract/enums/balance-kind.ts";
import type { CallType } from "../contract/enums/call-endpoint.ts";
import type { ChatEndpoint } from "../contract/enums/chat-endpoint.ts";
import type { UpstreamProtocol } from "../contract/enums/upstream-protocol.ts";
import type { CallPrice } from "../contract/price/call-price.ts";
import type { ChatTariff } from "../contract/price/chat-tariff.ts";
import type { Decimal } from "../contract/price/decimal.ts";
import type { TaskPrice } from "../contract/price/task-price.ts";
import type { ReceiptTerms } from "../contract/receipt-terms.ts";
import type { RouteLimits } from "../contract/tasks/route-limits.ts";
import type { TaskProvider } from "../protocol/task-provider.ts";

/** What a caller who goes away does to the upstream's work: stop it, or read it to its usage. */
export const DISCONNECT_POLICIES = ["abort", "drain"] as const;
export type DisconnectPolicy = (typeof DISCONNECT_POLICIES)[number];

export interface Catalogue {
  readonly families: Families;
  readonly upstreams: ReadonlyMap<string, UpstreamConfig>;
  /** In the order of the file. */
  readonly models: ReadonlyMap<string, Model>;
  /**
   * What fiscal receipts of top-ups say (54-FZ), by when each entry begins, oldest first; absent:
   * the shop sends none through us.
   */
  readonly receipts?: readonly DatedReceiptTerms[];
}

/** Model ids `<prefix>-*` that stand for the current model of a family (contract §5). */
export interface Families {
  readonly prefix: string;
  /** In the order they are tried: large, medium, small; those that the file names. */
  readonly tiers: readonly FamilyTier[];
}

export interface FamilyTier {
  readonly tier: "large" | "medium" | "small";
  /** The part of an id that picks this tier. */
  readonly match: string;
  readonly model: string;
  /**
   * The id of the family by which lists name it first, for clients that look for ids of this kind.
   */
  readonly listAs: string;
}

/** From a moment until the next entry begins. */
export interface DatedReceiptTerms {
  readonly from: Date;
  readonly terms: ReceiptTerms;
}

export interface UpstreamConfig {
  readonly name: string;
  readonly protocol: UpstreamProtocol;
  /** http(s), written as the URL standard writes addresses; its path ends without a slash. */
  readonly baseUrl: string;
  /** Names of environment variables, each holding one credential; at least one. */
  readonly apiKeyEnv: readonly string[];
  readonly timeoutsMs: {
    readonly connect: number;
    readonly firstByte: number;
    readonly idle: number;
  };
  /** Requests that one process sends at the same time. */
  readonly maxConcurrent: number;
  readonly onDisconnect: DisconnectPolicy;
  /**
   * `host` or `host:port` whose result files may lie on private addresses, and whose absolute URLs
   * are called like those of `baseUrl`.
   */
  readonly resultHosts: readonly string[];
  /**
   * It takes only so many new tasks in so many seconds, of all processes and credentials together;
   * absent: no such limit.
   */
  readonly submitRate?: { readonly count: number; readonly seconds: number };
  /** Tasks that it has at the same time, of all processes together; absent: no such limit. */
  readonly maxRunning?: number;
  /**
   * Roubles for one unit of what its answers say that they cost (`usage.cost`); absent: what they
   * say is not believed.
   */
  readonly reportedCost?: Decimal;
  /** Its provider has batches of its own, and lines of ours go there. */
  readonly batches?: boolean;
  /** How its provider tells what is left with it; absent: it is not asked. */
  readonly balance?: UpstreamBalance;
  /** How its API is called; there for the protocol `http-task` and for no other. */
  readonly task?: TaskProvider;
}

export interface UpstreamBalance {
  readonly kind: BalanceKind;
  /** The variable with the credential for it; absent: the first of the upstream's own. */
  readonly apiKeyEnv?: string;
  /** Absent: at the origin of the upstream's own, or where its kind is always asked. */
  readonly baseUrl?: string;
  /** In what the provider counts in. */
  readonly alertBelow?: Decimal;
}

/** The names of all variables that hold a credential for its provider. */
export function credentialNames({
  apiKeyEnv,
  balance,
}: Pick<UpstreamConfig, "apiKeyEnv" | "balance">): readonly string[] {
  const own = balance?.apiKeyEnv;
  return own === undefined || apiKeyEnv.includes(own) ? apiKeyEnv : [...apiKeyEnv, own];
}

export type Model = ChatModel | TaskModel | CallModel;

interface ModelHead {
  readonly id: string;
  readonly displayName?: string;
  readonly createdAt?: Date;
}

export type ModelReasoning = boolean | "adaptive";

/** With what it costs its customers. */
export interface ChatModel extends ModelHead, ChatTariff {
  readonly type: "chat";
  readonly endpoints: readonly ChatEndpoint[];
  /** Prompt and answer together. */
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /**
   * Whether the model thinks before it answers, maybe without showing it; `adaptive`: and decides
   * itself how much. Null where the file does not say.
   */
  readonly reasoning: ModelReasoning | null;
  /** Upper bound of the prompt tokens that one image counts as. */
  readonly imageTokens: number;
  /** Answers name the model as the upstream does; without it as it was sold, by its id. */
  readonly answerModel?: "upstream";
  readonly routes: readonly Route[];
}

/**
 * One (upstream, upstream model) that can serve a model; a lower `order` is tried first, `weight`
 * shares out one order.
 */
export interface Route {
  readonly upstream: string;
  readonly model: string;
  readonly order: number;
  readonly weight: number;
  /**
   * Requests that one process sends on this route at the same time; without it the upstream's own
   * limit is the only one.
   */
  readonly maxConcurrent?: number;
  /** What the upstream charges us; null when unknown. */
  readonly cost: ChatTariff | null;
  /** What of the catalogue's entry would say it, where the rest of it is there. */
  readonly costLacks?: string;
  /**
   * Of a chat model: what our counts are multiplied by, because this model's tokenizer is another
   * one; absent: by nothing.
   */
  readonly countFactor?: CountFactor;
}

export interface CountFactor {
  readonly input: Decimal;
  readonly output: Decimal;
}

/** What is asked for and answered in one call, chat apart. */
export interface CallModel extends ModelHead {
  readonly type: CallType;
  readonly price: CallPrice;
  /** Of an embedding model the longest single input, of a completion model prompt and answer. */
  readonly contextTokens?: number;
  /** As of a chat model. */
  readonly answerModel?: "upstream";
  readonly routes: readonly CallRoute[];
}

export interface CallRoute extends Omit<Route, "cost" | "countFactor"> {
  readonly cost: CallPrice | null;
}

export interface TaskModel extends ModelHead {
  readonly type: "task";
  /** The parameter table (contract §7), `T1` to `T19`. */
  readonly parameters: string;
  readonly price: TaskPrice;
  /** After this long without an end the task fails. */
  readonly deadlineSeconds: number;
  readonly routes: readonly TaskRoute[];
}

export interface TaskRoute extends Omit<Route, "cost" | "countFactor"> {
  /** What its provider allows less of than the table; absent: nothing. */
  readonly limits?: RouteLimits;
  readonly cost: TaskPrice | null;
}
