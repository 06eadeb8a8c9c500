/** The shapes of a compiled catalogue: what can be called, at what price, and through which upstreams (contract §12). Immutable. */
import type { Nano } from "../kernel/money.ts";
import type { ChatEndpoint, ChatProtocol } from "../protocol/chat-dialect.ts";
import type { TaskProvider } from "../protocol/task-provider.ts";

export type TaskProtocol = "kie" | "fal" | "replicate" | "http-task";

export interface Catalogue {
  readonly families: Families;
  readonly upstreams: ReadonlyMap<string, UpstreamConfig>;
  /** In the order of the file. */
  readonly models: ReadonlyMap<string, Model>;
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
}

export interface UpstreamConfig {
  readonly name: string;
  readonly protocol: ChatProtocol | TaskProtocol;
  /** http(s), written as the URL standard writes addresses; its path ends without a slash. */
  readonly baseUrl: string;
  /** Names of environment variables, each holding one credential; at least one. */
  readonly apiKeyEnv: readonly string[];
  readonly timeoutsMs: { readonly connect: number; readonly firstByte: number; readonly idle: number };
  /** Requests that one process sends at the same time. */
  readonly maxConcurrent: number;
  /** What a caller who goes away does to the upstream's work: stop it, or read it to its usage. */
  readonly onDisconnect: "abort" | "drain";
  /** `host` or `host:port` whose result files may lie on private addresses, and whose absolute URLs are called like those of `baseUrl`. */
  readonly resultHosts: readonly string[];
  /** It takes only so many new tasks in so many seconds, of all processes and credentials together; absent: no such limit. */
  readonly submitRate?: { readonly count: number; readonly seconds: number };
  /** How its API is called; there for the protocol `http-task` and for no other. */
  readonly task?: TaskProvider;
}

export type Model = ChatModel | TaskModel;

interface ModelHead {
  readonly id: string;
  readonly displayName?: string;
  readonly createdAt?: Date;
}

export type ModelReasoning = boolean | "adaptive";

export interface ChatModel extends ModelHead {
  readonly type: "chat";
  readonly endpoints: readonly ChatEndpoint[];
  /** Prompt and answer together. */
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /**
   * Whether the model thinks before it answers, maybe without showing it; `adaptive`: and decides itself how much. Null where the file
   * does not say.
   */
  readonly reasoning: ModelReasoning | null;
  /** Upper bound of the prompt tokens that one image counts as. */
  readonly imageTokens: number;
  readonly price: ChatPrice;
  readonly routes: readonly Route[];
}

/** Nano-roubles per 1,000,000 tokens, but `image` and `request`: nano-roubles each. Complete: every default is filled in. */
export interface ChatPrice {
  readonly input: Nano;
  readonly cachedInput: Nano;
  readonly cacheWrite5m: Nano;
  readonly cacheWrite1h: Nano;
  readonly output: Nano;
  readonly reasoning: Nano;
  readonly image: Nano;
  readonly request: Nano;
}

/** One (upstream, upstream model) that can serve a model; a lower `order` is tried first, `weight` shares out one order. */
export interface Route {
  readonly upstream: string;
  readonly model: string;
  readonly order: number;
  readonly weight: number;
  /** Requests that one process sends on this route at the same time; without it the upstream's own limit is the only one. */
  readonly maxConcurrent?: number;
  /** What the upstream charges us; null when unknown. */
  readonly cost: ChatPrice | null;
}

export interface TaskModel extends ModelHead {
  readonly type: "task";
  /** The parameter table of the specification, `T1` to `T19`. */
  readonly parameters: string;
  readonly price: TaskPrice;
  /** After this long without an end the task fails. */
  readonly deadlineSeconds: number;
  readonly routes: readonly TaskRoute[];
}

export interface TaskRoute extends Omit<Route, "cost"> {
  readonly cost: TaskPrice | null;
}

/** unit × quantity × amount (a table by parameters) × multipliers; evaluated by task-price.ts. */
export interface TaskPrice {
  /** What one unit is, for people: `second`, `image`. */
  readonly unit: string;
  readonly quantity: TaskQuantity;
  readonly amount: AmountTable;
  readonly multiply: readonly Multiplier[];
}

export type TaskQuantity =
  | { readonly kind: "parameter"; readonly parameter: string }
  | { readonly kind: "number"; readonly value: Decimal };

export type AmountTable =
  | { readonly kind: "amount"; readonly perUnitNano: Nano }
  | { readonly kind: "by"; readonly parameter: string; readonly values: ReadonlyMap<string, AmountTable> };

export interface Multiplier {
  /** Parameter names and the values, as text, that they all must have. */
  readonly when: ReadonlyMap<string, string>;
  readonly by: Decimal;
}

/** An exact decimal number: `digits` / 10^`scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}
