/**
 * What becomes of callers when twice as many come as the gateway can serve, and those who are
 * refused come again at once: how those fare who are let in, and how many are told to go.
 */
import { compareRounds, quotient } from "../figure.ts";
import { MODELS } from "../peers/tollgate-catalogue.ts";
import type { LoadResult } from "../native/load.ts";
import type { Measure } from "./measure.ts";

const NAME = "overload";
/** Enough to keep a gateway busy that waits 20 ms for each answer, and too few to be refused. */
const CAPACITY_CONNECTIONS = 256;
const CALLERS = 4000;
const DRAIN_SECONDS = 60;
/** In which the callers gather and the gateway finds out that they are too many. */
const GATHERING_SECONDS = 2;

/** The loads of one round, in the order in which they run. */
interface Round {
  readonly full: LoadResult;
  readonly half: LoadResult;
  /** Who is refused asks again at once. */
  readonly again: LoadResult;
  /** No caller asks again; the short form leaves it out. */
  readonly once: LoadResult | null;
}

export const overload: Measure = {
  name: NAME,
  says: "Requests at half and at twice the rate that was served closed loop, the upstream answers after 20 ms; the first two seconds are left out. With callers who ask again at once on each of 4,000 connections, times are those of each asking; where none does, from the moment each request was due.",
  peers: ["tollgate"],
  quickPeers: ["tollgate"],
  async run(stage) {
    const peer = stage.peer("tollgate");
    if (peer === null) return;
    const { seconds } = stage;
    const wish = {
      body: { model: MODELS.delayed, streamed: false },
      connections: CALLERS,
      spread: true,
      drain: DRAIN_SECONDS,
      seconds,
      warmUp: GATHERING_SECONDS,
      mayRefuse: true,
    };
    const rows = [{ title: peer.title, peer }];
    const rounds = await stage.interleave(rows, async (): Promise<Round> => {
      const full = await stage.load(peer, {
        ...wish,
        connections: CAPACITY_CONNECTIONS,
        spread: false,
        warmUp: 1,
        mayRefuse: false,
      });
      const half = await stage.load(peer, { ...wish, rate: full.perSecond / 2 });
      const twice = { ...wish, rate: full.perSecond * 2 };
      const again = await stage.load(peer, { ...twice, again: true });
      return { full, half, again, once: stage.quick ? null : await stage.load(peer, twice) };
    });
    const [results = []] = rounds.values();

    function report(
      subject: string,
      loads: readonly LoadResult[],
      figures: Readonly<Record<string, readonly [string, (load: LoadResult) => number]>>,
    ): void {
      if (loads.length === 0) return;
      for (const [name, [unit, value]] of Object.entries(figures))
        stage.figure({ measure: NAME, subject, name, unit, values: loads.map(value) });
    }
    const [half, again] = [results.map((round) => round.half), results.map((round) => round.again)];
    report(
      "Tollgate, as much as it can",
      results.map(({ full }) => full),
      { served: SERVED, p50: P50, p99: P99 },
    );
    report("Tollgate, half of that", half, {
      served: SERVED,
      p50: P50,
      p99: P99,
      refusals: REFUSALS,
    });
    report("Tollgate, twice that, asked again at once", again, ASKED);
    report(
      "Tollgate, twice that, asked once",
      results.flatMap(({ once }) => once ?? []),
      ASKED,
    );
    for (const [name, value] of [
      ["p50", (load: LoadResult) => load.latencyUs.p50],
      ["p99", (load: LoadResult) => load.latencyUs.p99],
    ] as const)
      stage.figure({
        measure: NAME,
        subject: "twice, asked again ÷ half",
        name,
        unit: "",
        values: compareRounds(again.map(value), half.map(value), quotient),
      });
  },
};

const SERVED = ["/s", (load: LoadResult) => load.perSecond] as const;
const P50 = ["ms", (load: LoadResult) => load.latencyUs.p50 / 1000] as const;
const P99 = ["ms", (load: LoadResult) => load.latencyUs.p99 / 1000] as const;
const REFUSALS = [
  "/s",
  (load: LoadResult) => load.refusedUs.count / Math.max(load.seconds, 1e-3),
] as const;

const ASKED = {
  served: SERVED,
  p50: P50,
  p99: P99,
  refusals: REFUSALS,
  "p50 of these": ["ms", (load: LoadResult) => load.refusedUs.p50 / 1000],
  "with retry-after": [
    "%",
    ({ retryAfters, statuses }: LoadResult) =>
      (100 * retryAfters) / Math.max(1, statuses["503"] ?? 0),
  ],
} as const;
