/**
 * What a gateway adds to the time of an answer, and to the time to the first token, at a rate far
 * below its capacity.
 */
import { compareRounds, difference } from "../figure.ts";
import type { LoadResult, Times } from "../native/load.ts";
import { MODELS } from "../peers/tollgate-catalogue.ts";
import type { BodyWish } from "../request-bodies.ts";
import type { Row, Stage } from "../stage.ts";
import type { Measure } from "./measure.ts";

const PEERS = ["direct", "bare", "nginx", "portkey", "tollgate"] as const;
const PERCENTILES = ["p50", "p99"] as const;
/** So that a gateway's code is compiled before the clock runs. */
const WARM_UP_SECONDS = 2;
const WARM_UP_CONNECTIONS = 32;
/** In which each slot opens the connections that it needs. */
const CONNECT_SECONDS = 0.5;
const MOST_CONNECTIONS = 256;
/** Longer than a slot of other measures: a p99 needs its thousand requests. */
const SLOT_FACTOR = 1.7;

interface Kind {
  readonly name: string;
  readonly body: BodyWish;
  /** Requests a second. */
  readonly rate: number;
  times(result: LoadResult): Times;
}

async function measureLatency(stage: Stage, { name, body, rate, times }: Kind): Promise<void> {
  const rows: Row[] = stage.peers(...PEERS).map((peer) => ({ title: peer.title, peer }));
  for (const { title, peer } of rows) {
    stage.doing(`${title}, warming up`);
    await stage.load(peer, { body, connections: WARM_UP_CONNECTIONS, seconds: WARM_UP_SECONDS });
  }
  const results = await stage.interleave(rows, ({ peer }) =>
    stage.load(peer, {
      body,
      rate,
      connections: MOST_CONNECTIONS,
      seconds: stage.seconds * SLOT_FACTOR,
      warmUp: CONNECT_SECONDS,
    }),
  );
  const direct = rows.find(({ peer }) => peer.name === "direct");
  for (const percentile of PERCENTILES) {
    const values = new Map(
      [...results].map(([row, loads]) => [
        row,
        loads.map((load) => times(load)[percentile] / 1000),
      ]),
    );
    for (const [row, measured] of values)
      stage.figure({
        measure: name,
        subject: row.title,
        name: percentile,
        unit: "ms",
        values: measured,
      });
    const floor = direct && values.get(direct);
    if (floor === undefined) continue;
    for (const [row, measured] of values) {
      if (row === direct) continue;
      const added = compareRounds(measured, floor, difference);
      stage.figure({
        measure: name,
        subject: `${row.title} − no gateway`,
        name: percentile,
        unit: "ms",
        values: added,
      });
    }
  }
}

export const latency: Measure = {
  name: "latency",
  says: "Time of a whole answer at 300 requests/s, from the moment each was due; the upstream answers after 20 ms.",
  peers: PEERS,
  run: (stage) =>
    measureLatency(stage, {
      name: "latency",
      body: { model: MODELS.delayed, streamed: false },
      rate: 300,
      times: (load) => load.latencyUs,
    }),
};

export const firstToken: Measure = {
  name: "first token",
  says: "Time to the first chunk of a stream at 40 streams/s; the upstream sends its first after 20 ms.",
  peers: PEERS,
  run: (stage) =>
    measureLatency(stage, {
      name: "first token",
      body: { model: MODELS.shortStream, streamed: true },
      rate: 40,
      times: (load) => load.firstByteUs,
    }),
};
