/**
 * One row of the comparison: something that stands between the load generator and the upstream, or
 * nothing at all.
 */
import type { Settings } from "../../test/support/tollgate-environment.ts";
import type { NativePrograms } from "../native/compile-native.ts";
import type { Books } from "./books.ts";
import type { Checkout } from "./checkout.ts";

export type PeerName =
  | "direct"
  | "bare"
  | "least"
  | "least-billed"
  | "nginx"
  | "portkey"
  | "litellm"
  | "tollgate"
  | "tollgate-2"
  | "tollgate-4"
  | "tollgate-big"
  | "against"
  | "unbilled";

export interface Peer {
  readonly name: PeerName;
  /** As the tables call it. */
  readonly title: string;
  readonly port: number;
  /** The root of its process tree; null where there is none. */
  readonly pid: number | null;
  /** What it answers itself to a GET, with 200; null where nothing does. */
  readonly ownPath: string | null;
  /** What every request to it carries besides. */
  readonly headers: readonly string[];
  /**
   * Files of API keys: a thousand over two hundred accounts, and one. Null where it asks for none.
   */
  readonly keys: { readonly many: string; readonly hot: string } | null;
  /** Of one that bills. */
  readonly books?: Books;
  /** Milliseconds that one durable commit of its database takes; of one that bills. */
  durableCommitMs?(): Promise<number>;
  /** Bytes that its processes have allocated so far; absent where they are not of Node. */
  allocated?(): number;
  /** Hears how many answers 200 its callers have seen. */
  answered(count: number): void;
  /** Ends it. What it says is for the results: the state of its books. */
  stop(): Promise<Audit | null>;
}

/** The books of a billing gateway after its last request. */
export interface Audit {
  readonly title: string;
  readonly fsync: string;
  readonly synchronousCommit: string;
  readonly database: string;
  /** Of `tollgate ledger verify`. */
  readonly verifyExitCode: number | null;
  readonly verifyOutput: string;
  /** Answers 200 that the load generator has seen, and charges in the ledger. */
  readonly answers: number;
  readonly charges: number;
}

export interface PeerContext {
  readonly native: NativePrograms;
  readonly upstreamPort: number;
  /** For files of the peer; goes with the run. */
  readonly folder: string;
  readonly environment: Settings;
  /** The other checkout of Tollgate that this one is measured against. */
  readonly against: Checkout | null;
  say(line: string): void;
}

/** Why a peer cannot take part here. */
export interface Absence {
  readonly absent: string;
}
