/**
 * Where an admitted chat request stands. Each phase knows what there is by then and nothing else,
 * so that what is not there yet, or is over, cannot be asked for.
 */
import type { DisconnectPolicy, Route } from "../../catalogue/catalogue.ts";
import type { Nano } from "../../kernel/money.ts";
import type { UsedRaises } from "../../kernel/price-raises.ts";
import type { StreamWriter } from "../../protocol/chat-dialect.ts";
import type { Permit } from "../routing/concurrency-limiter.ts";
import type { DeliveredCount } from "./delivered-count.ts";
import type { FinalCharge } from "./final-charge.ts";
import type { Relay } from "./relay-stream.ts";

export type RunPhase = Admitted | Calling | Answering | Settling | Ended;

/** Its money is held, and no upstream is being called. */
export interface Admitted {
  readonly kind: "admitted";
}

export const ADMITTED: Admitted = { kind: "admitted" };

/** An upstream is being called, and has not answered. */
export interface Calling {
  readonly kind: "calling";
  readonly exchange: { abort(): void };
  /** At the upstream. */
  readonly place: Permit;
  /** What a caller that goes away does to the call. */
  readonly onDisconnect: DisconnectPolicy;
}

/** A route has answered; what of it has come. */
export type Answering = WholeAnswer | StreamedAnswer;

interface Answer {
  readonly kind: "answering";
  readonly route: Route;
  /** Its place at the upstream, kept until its hold has ended. */
  readonly place: Permit;
  /** It came from an upstream of another protocol, so variants and tools were left out. */
  readonly translated: boolean;
  /** In the upstream's words, as far as they have come. */
  readonly reported: {
    readonly used: UsedRaises;
    readonly finishReason: string | null;
    /** The model that the upstream says it is. */
    readonly model: string | null;
  };
  readonly delivery: {
    readonly firstContentMs: number | null;
    /** Of a stream that is passed on. */
    readonly writer?: StreamWriter;
  };
}

export interface WholeAnswer extends Answer {
  /** It came in one piece. */
  readonly relay: null;
}

export interface StreamedAnswer extends Answer {
  readonly relay: Relay;
  readonly exchange: { abort(): void };
  /** What a caller that goes away does to it. */
  readonly onDisconnect: DisconnectPolicy;
  readonly saved: SavedProgress;
}

/** What of an answer is saved for the case that this process dies. */
export interface SavedProgress {
  frames: number;
  atMs: number;
  /** When it was counted the last time. */
  countedMs: number;
  /** What is saved is a count, and not the least that it may be. */
  isCounted: boolean;
  /** Made when it is asked for: a short answer needs none. */
  counted: DeliveredCount | null;
}

/** Its hold is being ended. */
export interface Settling {
  readonly kind: "settling";
  /** Null where no route had one. */
  readonly answer: Answering | null;
  readonly settled: Promise<Settled>;
  /** Null while the last bytes do not wait for it. */
  wait: LastBytesWait | null;
}

/** The last bytes wait for the ledger, but not for ever. */
export interface LastBytesWait {
  readonly untilMs: number;
  letGo(): void;
  /** What they tell is a fault. */
  readonly faulty: boolean;
}

/** The ledger has it. */
export interface Ended {
  readonly kind: "ended";
  readonly answer: Answering | null;
  readonly settled: Settled;
}

export interface Settled {
  readonly charge: FinalCharge;
  readonly chargedNano: Nano;
  /** Another process took this one for dead and ended the hold, for less than the answer costs. */
  readonly takenAway: boolean;
  readonly lossNano: Nano;
  /** Null where the catalogue does not say what the route costs. */
  readonly upstreamCostNano: Nano | null;
}
