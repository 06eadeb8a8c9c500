/**
 * What a measure works with: peers that run, the load generator, rounds, and a place for its
 * figures.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "./figure.ts";
import type { NativePrograms } from "./native/compile-native.ts";
import {
  holdStreams,
  runLoad,
  type HeldStreams,
  type LoadOptions,
  type LoadResult,
} from "./native/load.ts";
import type { Upstream } from "./native/upstream.ts";
import type { Peer, PeerName } from "./peers/peer.ts";
import { readTreeUse } from "./process-tree.ts";
import { requestBody, type BodyProtocol, type BodyWish } from "./request-bodies.ts";

/** What is asked of a peer: the load generator's options without what the peer itself knows. */
export interface Wish extends Omit<LoadOptions, "port" | "headers" | "body" | "keys"> {
  readonly body: BodyWish;
  /** Whose keys, where the peer asks for any: of many accounts unless told. */
  readonly callers?: "many" | "hot";
  /** Answers other than 200 are part of the measure. */
  readonly mayRefuse?: boolean;
}

/** One load with what it cost the peer; per good answer, in microseconds. */
export interface Costed {
  readonly load: LoadResult;
  readonly answers: number;
  readonly ownUs: number;
  readonly databaseUs: number;
  /** Transactions that wrote, of all of the load; null of a peer that has no books. */
  readonly transactions: number | null;
  /** Bytes of V8's heap; null of a peer that is not of Node. */
  readonly allocated: number | null;
}

/** A peer in one role: several rows may ask the same peer in different ways. */
export interface Row {
  readonly title: string;
  readonly peer: Peer;
}

export interface Stage {
  readonly rounds: number;
  /** Of one slot. */
  readonly seconds: number;
  readonly quick: boolean;
  readonly upstream: Upstream;
  /** The peer, when it takes part in this run. */
  peer(name: PeerName): Peer | null;
  /** Every peer of these that takes part. */
  peers(...names: PeerName[]): Peer[];
  load(peer: Peer, wish: Wish): Promise<LoadResult>;
  costed(peer: Peer, wish: Wish): Promise<Costed>;
  /** Asks at this rate for what the peer answers by itself; null where there is nothing. */
  probe(peer: Peer, rate: number, seconds: number): Promise<LoadResult | null>;
  /** Opens so many silent streams; the wish is about one. */
  hold(peer: Peer, wish: Omit<Wish, "connections">, count: number): Promise<HeldStreams>;
  /** Books what became of held streams; some of them may have been refused at the beginning. */
  released(peer: Peer, held: HeldStreams, mayRefuse: boolean): Promise<LoadResult>;
  /**
   * Runs `slot` for each row in turn, round by round, each round beginning with another row. A row
   * that fails is left out from then on, and of the results.
   */
  interleave<R extends Row, T>(
    rows: readonly R[],
    slot: (row: R) => Promise<T>,
  ): Promise<Map<R, T[]>>;
  /** Runs `work` once for each peer; one that fails is left out. */
  each(peers: readonly Peer[], work: (peer: Peer) => Promise<void>): Promise<void>;
  /** Says what is being done besides rounds. */
  doing(what: string): void;
  figure(figure: Figure): void;
  /** A sentence for the results. */
  note(text: string): void;
}

/**
 * What a gateway still has to do after its last answer (receipts, log lines) belongs to the
 * requests.
 */
const AFTERWORK_MS = 150;

const PROBE_WARM_UP_SECONDS = 0.5;

/**
 * By protocol: where it is asked, and what the last bytes of a whole stream hold. A response tells
 * its usage at its end, and no other stream of that protocol does, as one that failed.
 */
const ENDPOINTS: Readonly<Record<BodyProtocol, { readonly path: string; readonly end: string }>> = {
  openai: { path: "/v1/chat/completions", end: "[DONE]" },
  anthropic: { path: "/v1/messages", end: "message_stop" },
  responses: { path: "/v1/responses", end: '},"user":null,"metadata":{}}}' },
};

export interface StageOptions {
  readonly native: NativePrograms;
  readonly upstream: Upstream;
  readonly folder: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly quick: boolean;
  readonly running: ReadonlyMap<PeerName, Peer>;
  doing(what: string): void;
  figure(figure: Figure): void;
  note(text: string): void;
  failed(row: string, error: unknown): void;
}

interface Use {
  readonly ownMs: number;
  readonly databaseMs: number;
  readonly allocated: number | undefined;
}

function readUse(peer: Peer): Use {
  const use = peer.pid === null ? { ownMs: 0, databaseMs: 0 } : readTreeUse(peer.pid);
  return { ...use, allocated: peer.allocated?.() };
}

function countBetween(before: number | undefined, after: number | undefined): number | null {
  return before === undefined || after === undefined ? null : after - before;
}

export function createStage(options: StageOptions): Stage {
  const { native, upstream, folder, rounds, running } = options;

  function loadOptions(
    peer: Peer,
    { body, callers = "many", ...rest }: Omit<Wish, "connections">,
  ): Omit<LoadOptions, "connections"> {
    const { path, end } = ENDPOINTS[body.protocol ?? "openai"];
    return {
      path,
      expect: body.streamed ? end : "}",
      ...rest,
      port: peer.port,
      headers: ["content-type: application/json", ...peer.headers],
      body: requestBody(folder, body),
      ...(peer.keys === null ? {} : { keys: peer.keys[callers] }),
    };
  }

  function book(peer: Peer, result: LoadResult, mayRefuse: boolean): LoadResult {
    peer.answered(result.statuses["200"] ?? 0);
    const strange = Object.entries(result.statuses).filter(
      ([status, count]) => status !== "200" && count > 0,
    );
    const errors = Object.entries(result.errors).filter(([, count]) => count > 0);
    const problems = [...(mayRefuse ? [] : strange), ...errors]
      .map(([what, count]) => `${count} × ${what}`)
      .join(", ");
    if (problems !== "") throw new Error(`${peer.title} did not answer all requests: ${problems}`);
    return result;
  }

  async function load(peer: Peer, wish: Wish): Promise<LoadResult> {
    const result = await runLoad(native.load, {
      ...loadOptions(peer, wish),
      connections: wish.connections,
    });
    return book(peer, result, wish.mayRefuse ?? false);
  }

  return {
    rounds,
    seconds: options.seconds,
    quick: options.quick,
    upstream,
    peer: (name) => running.get(name) ?? null,
    peers: (...names) =>
      names.map((name) => running.get(name)).filter((peer) => peer !== undefined),
    load,

    async costed(peer, wish) {
      // Asked outside the time that is measured.
      const transactionsBefore = await peer.books?.transactions();
      const before = readUse(peer);
      const result = await load(peer, wish);
      await sleep(AFTERWORK_MS);
      await peer.books?.posted();
      const after = readUse(peer);
      const transactions = await peer.books?.transactions();
      const answers = result.statuses["200"] ?? 0;
      const each = (ms: number): number => (ms * 1000) / answers;
      return {
        load: result,
        answers,
        ownUs: each(after.ownMs - before.ownMs),
        databaseUs: each(after.databaseMs - before.databaseMs),
        transactions: countBetween(transactionsBefore, transactions),
        allocated: countBetween(before.allocated, after.allocated),
      };
    },

    async probe(peer, rate, seconds) {
      if (peer.ownPath === null) return null;
      const body = join(folder, "nothing");
      writeFileSync(body, "");
      const options = {
        port: peer.port,
        body,
        method: "GET",
        path: peer.ownPath,
        connections: 64,
        rate,
        seconds,
        warmUp: PROBE_WARM_UP_SECONDS,
      };
      const result = await runLoad(native.load, options);
      if (result.done !== result.latencyUs.count)
        throw new Error(`${peer.title} does not answer ${peer.ownPath}`);
      return result;
    },

    hold: (peer, wish, count) => holdStreams(native.load, loadOptions(peer, wish), count),
    released: async (peer, held, mayRefuse) => book(peer, await held.ended, mayRefuse),

    async interleave(rows, slot) {
      const results = new Map(rows.map((row) => [row, [] as Awaited<ReturnType<typeof slot>>[]]));
      for (let round = 0; round < rounds; round++) {
        for (let turn = 0; turn < rows.length; turn++) {
          const row = rows[(round + turn) % rows.length];
          const values = row && results.get(row);
          if (row === undefined || values === undefined) continue;
          options.doing(
            `${row.title}, round ${round + 1} of ${rounds} (${round * rows.length + turn + 1} of ${rounds * rows.length})`,
          );
          try {
            values.push(await slot(row));
          } catch (error) {
            results.delete(row);
            options.failed(row.title, error);
          }
        }
      }
      return results;
    },

    async each(peers, work) {
      for (const peer of peers) {
        try {
          await work(peer);
        } catch (error) {
          options.failed(peer.title, error);
        }
      }
    },

    doing: options.doing,
    figure: options.figure,
    note: options.note,
  };
}
