/** What the callers of a soak ask for, how much of each a gateway can serve, and half of that at once. */
import type { LoadResult } from "../native/load.ts";
import { MODELS } from "../peers/tollgate-catalogue.ts";
import type { Peer } from "../peers/peer.ts";
import type { BodyWish } from "../request-bodies.ts";
import type { Stage, Wish } from "../stage.ts";

export interface Kind {
  readonly name: string;
  readonly body: BodyWish;
}

/** Each of them has an equal part of the work. */
const KINDS: readonly Kind[] = [
  { name: "whole answers", body: { model: MODELS.delayed, streamed: false } },
  { name: "streams", body: { model: MODELS.shortStream, streamed: true } },
  {
    name: "Messages, streamed",
    body: { model: MODELS.shortStream, protocol: "anthropic", streamed: true },
  },
  {
    name: "Responses, streamed",
    body: { model: MODELS.shortStream, protocol: "responses", streamed: true },
  },
];

export interface Paced extends Kind {
  /** Good answers in a second when nothing else is asked for. */
  readonly capacity: number;
  /** Requests in a second of the soak. */
  readonly rate: number;
}

/** As for the measure of overload: enough to keep it busy, too few to be refused. */
const CAPACITY_CONNECTIONS = 256;
const CAPACITY_SECONDS = 5;
const CAPACITY_WARM_UP_SECONDS = 2;
/** Of what it can. */
const PART = 0.5;
/** The most that are open for one kind. */
const CONNECTIONS = 1024;
/** For what runs yet at the end of a slot. */
const DRAIN_SECONDS = 30;

/** Closed loop, one kind after the other. */
export async function findCapacity(
  stage: Stage,
  peer: Peer,
  say: (line: string) => void,
): Promise<Paced[]> {
  const paced: Paced[] = [];
  for (const kind of KINDS) {
    const { perSecond: capacity } = await stage.load(peer, {
      body: kind.body,
      connections: CAPACITY_CONNECTIONS,
      seconds: CAPACITY_SECONDS,
      warmUp: CAPACITY_WARM_UP_SECONDS,
      drain: DRAIN_SECONDS,
      mayRefuse: true,
    });
    const rate = (capacity * PART) / KINDS.length;
    say(`${kind.name}: ${capacity.toFixed(0)}/s is all it can, ${rate.toFixed(0)}/s in the mix`);
    paced.push({ ...kind, capacity, rate });
  }
  return paced;
}

/** All kinds beside each other for so many seconds, each at its rate; in their order. */
export function runMix(
  stage: Stage,
  peer: Peer,
  kinds: readonly Paced[],
  seconds: number,
): Promise<LoadResult[]> {
  const wish: Omit<Wish, "body"> = {
    connections: CONNECTIONS,
    seconds,
    drain: DRAIN_SECONDS,
    mayRefuse: true,
  };
  return Promise.all(kinds.map(({ body, rate }) => stage.load(peer, { ...wish, body, rate })));
}
