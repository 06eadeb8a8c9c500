/**
 * How much memory an open stream takes in which nothing happens: 4,000 more of them where 1,000 are
 * open, and 5,000 in all.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { HeldStreams } from "../native/load.ts";
import type { BodyProtocol } from "../request-bodies.ts";
import { MODELS, overResponses } from "../peers/tollgate-catalogue.ts";
import type { Peer } from "../peers/peer.ts";
import { readTreeMemory, type TreeMemory } from "../process-tree.ts";
import type { Stage } from "../stage.ts";
import type { Measure } from "./measure.ts";

/** So that code is compiled and the heap has grown as far as requests make it. */
const WARM_UP_REQUESTS = 5000;
const WARM_UP_CONNECTIONS = 64;
/** Open before the first look, so that what every process needs once is there. */
const BEFORE = 1000;
/**
 * Many: a heap grows and shrinks by tens of megabytes between two collections, which must be little
 * beside what is counted.
 */
const MORE = 4000;
const SETTLE_MS = 3000;
/** So many callers at once may be refused for a moment: they come again. */
const TRIES = 10;
const AGAIN_MS = 500;

interface Asked {
  /** Under which its figures stand. */
  readonly measure: string;
  readonly protocol: BodyProtocol;
  /** What a peer calls the model of these scripts. */
  name(model: string): string;
}

const asItIs = (model: string): string => model;

const SAYS =
  "Memory of a process with idle streams, each after its first chunk: (PSS with 5,000 − PSS with 1,000) ÷ 4,000, and RSS with 5,000. Fresh processes, warmed up by 5,000 requests, one round.";

export const openStreams: Measure = {
  name: "open streams",
  says: SAYS,
  peers: ["bare", "nginx", "portkey", "tollgate"],
  fresh: true,
  async run(stage) {
    const peers = stage.peers("bare", "nginx", "portkey", "tollgate");
    await stage.each(peers, (peer) =>
      measurePeer(stage, peer, { measure: "open streams", protocol: "openai", name: asItIs }),
    );
  },
};

/** A measure of its own for each upstream: what one left in the process would show in the next. */
function openResponses(measure: string, says: string, name: Asked["name"]): Measure {
  return {
    name: measure,
    says: `${says} ${SAYS}`,
    peers: ["tollgate"],
    fresh: true,
    run: (stage) =>
      stage.each(stage.peers("tollgate"), (peer) =>
        measurePeer(stage, peer, { measure, protocol: "responses", name }),
      ),
  };
}

export const openPassed = openResponses(
  "open responses, passed",
  "Callers and upstream speak Responses.",
  overResponses,
);
export const openTranslated = openResponses(
  "open responses, translated",
  "Callers speak Responses, the upstream Chat Completions.",
  asItIs,
);

async function measurePeer(
  stage: Stage,
  peer: Peer,
  { measure, protocol, name }: Asked,
): Promise<void> {
  const { pid } = peer;
  if (pid === null) return;
  const held: HeldStreams[] = [];
  let open = 0;
  async function openMore(count: number): Promise<TreeMemory> {
    stage.doing(`${peer.title}, ${open + count} open`);
    const body = { model: name(MODELS.silent), protocol, streamed: true };
    let missing = count;
    for (let tries = 0; missing > 0 && tries < TRIES; tries++) {
      const streams = await stage.hold(peer, { body }, missing);
      held.push(streams);
      missing = streams.failed;
      if (missing > 0) await sleep(AGAIN_MS);
    }
    open += count;
    if (missing > 0) throw new Error(`${peer.title} did not open ${missing} of ${count} streams`);
    await sleep(SETTLE_MS);
    return readTreeMemory(pid ?? 0);
  }
  const about = { measure, subject: peer.title };
  try {
    stage.doing(`${peer.title}, warming up`);
    await stage.load(peer, {
      body: { model: name(MODELS.whole), protocol, streamed: false },
      connections: WARM_UP_CONNECTIONS,
      requests: WARM_UP_REQUESTS,
    });
    const before = await openMore(BEFORE);
    const after = await openMore(MORE);
    stage.figure({
      ...about,
      name: "memory of each",
      unit: "kB",
      values: [(after.pss - before.pss) / MORE / 1000],
    });
    stage.figure({ ...about, name: "RSS with 1,000", unit: "MiB", values: [before.rss / 2 ** 20] });
    stage.figure({ ...about, name: "RSS with 5,000", unit: "MiB", values: [after.rss / 2 ** 20] });
  } finally {
    await stage.upstream.release();
    for (const streams of held) await stage.released(peer, streams, true);
  }
}
