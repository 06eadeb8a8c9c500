/**
 * What a gateway adds to the time of an answer, and to the time to the first token, at a rate far
 * below its capacity.
 */
import { compareRounds, difference } from "../figure.ts";
import type { LoadResult, Times } from "../native/load.ts";
import type { PeerName } from "../peers/peer.ts";
import { MODELS } from "../peers/tollgate-catalogue.ts";
import type { BodyWish } from "../request-bodies.ts";
import type { Row, Stage } from "../stage.ts";
import type { Measure } from "./measure.ts";
import { warmUpSeconds } from "./warm-up.ts";

const PEERS = ["direct", "bare", "nginx", "portkey", "tollgate", "against"] as const;
/** The floor of a whole answer that is committed before it ends; it serves no streams. */
const PEERS_OF_WHOLE = [...PEERS, "least-billed"] as const;
/** What ours adds to the floor is divided by what theirs adds to it. */
const COMPARED: readonly (readonly [ours: PeerName, theirs: PeerName, floor: PeerName])[] = [
  ["tollgate", "portkey", "bare"],
  ["least-billed", "portkey", "bare"],
  ["tollgate", "bare", "direct"],
  ["tollgate", "against", "bare"],
];
const PERCENTILES = ["p50", "p99"] as const;
const WARM_UP_CONNECTIONS = 128;
/** In which each slot opens the connections that it needs. */
const CONNECT_SECONDS = 0.5;
const MOST_CONNECTIONS = 256;
/** Longer than a slot of other measures: a p99 needs its thousand requests. */
const SLOT_FACTOR = 1.7;

interface Kind {
  readonly name: string;
  readonly peers: readonly PeerName[];
  readonly body: BodyWish;
  /** Requests a second. */
  readonly rate: number;
  times(result: LoadResult): Times;
}

/** What each gateway adds to the time without one, and Tollgate's share against the others'. */
function reportAdded(
  stage: Stage,
  measure: string,
  percentile: string,
  values: ReadonlyMap<Row, readonly number[]>,
): void {
  const about = { measure, name: percentile };
  /** Null where one of the two was not measured. */
  function above(name: PeerName, floor: PeerName): { title: string; values: number[] } | null {
    const find = (wanted: PeerName) => [...values].find(([{ peer }]) => peer.name === wanted);
    const [measured, from] = [find(name), find(floor)];
    if (measured === undefined || from === undefined) return null;
    const title = `${measured[0].title} − ${from[0].title}`;
    return { title, values: compareRounds(measured[1], from[1], difference) };
  }
  for (const { peer } of values.keys()) {
    const added = peer.name === "direct" ? null : above(peer.name, "direct");
    if (added !== null)
      stage.figure({ ...about, subject: added.title, unit: "ms", values: added.values });
  }
  for (const [ours, theirs, floor] of COMPARED) {
    const [added, compared] = [above(ours, floor), above(theirs, floor)];
    if (added === null || compared === null) continue;
    stage.figure({
      ...about,
      subject: `(${added.title}) ÷ (${compared.title})`,
      unit: "",
      values: compareRounds(added.values, compared.values, addedQuotient),
    });
  }
}

/** Where the other adds nothing, what we add is beyond all measure. */
function addedQuotient(added: number, compared: number): number {
  if (compared > 0) return added / compared;
  return added <= compared ? 1 : Number.POSITIVE_INFINITY;
}

async function measureLatency(stage: Stage, kind: Kind): Promise<void> {
  const { name, peers, body, rate, times } = kind;
  const rows: Row[] = stage.peers(...peers).map((peer) => ({ title: peer.title, peer }));
  for (const { title, peer } of rows) {
    stage.doing(`${title}, warming up`);
    await stage.load(peer, {
      body,
      connections: WARM_UP_CONNECTIONS,
      seconds: warmUpSeconds(stage),
    });
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
    reportAdded(stage, name, percentile, values);
  }
}

/** Below it no answer can be that is settled durably before its last byte. */
async function measureFloor(stage: Stage): Promise<void> {
  const peer = stage.peer("tollgate");
  if (peer?.durableCommitMs === undefined) return;
  const values: number[] = [];
  while (values.length < stage.rounds) {
    stage.doing(`a durable commit alone, round ${values.length + 1} of ${stage.rounds}`);
    values.push(await peer.durableCommitMs());
  }
  stage.figure({
    measure: "latency",
    subject: "a durable commit alone, from Node",
    name: "p50",
    unit: "ms",
    values,
  });
}

export const latency: Measure = {
  name: "latency",
  says: "Time of a whole answer at 300 requests/s, from the moment each was due; the upstream answers after 20 ms. A durable commit alone: of 800 bytes of log, as often, by Tollgate's database.",
  peers: PEERS_OF_WHOLE,
  async run(stage) {
    await measureLatency(stage, {
      name: "latency",
      peers: PEERS_OF_WHOLE,
      body: { model: MODELS.delayed, streamed: false },
      rate: 300,
      times: (load) => load.latencyUs,
    });
    await measureFloor(stage);
  },
};

export const firstToken: Measure = {
  name: "first token",
  says: "Time to the first chunk of a stream at 40 streams/s; the upstream sends its first after 20 ms.",
  peers: PEERS,
  run: (stage) =>
    measureLatency(stage, {
      name: "first token",
      peers: PEERS,
      body: { model: MODELS.shortStream, streamed: true },
      rate: 40,
      times: (load) => load.firstByteUs,
    }),
};
