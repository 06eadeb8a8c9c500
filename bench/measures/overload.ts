/**
 * What becomes of callers when twice as many come as the gateway can serve: how many are told so,
 * how fast, and how the others fare.
 */
import { MODELS } from "../peers/tollgate-catalogue.ts";
import type { Measure } from "./measure.ts";

const NAME = "overload";
/** Enough to keep a gateway busy that waits 20 ms for each answer. */
const CAPACITY_CONNECTIONS = 512;
const MOST_CONNECTIONS = 4000;
const DRAIN_SECONDS = 60;
/** In which the callers gather and the gateway finds out that they are too many. */
const GATHERING_SECONDS = 2;

export const overload: Measure = {
  name: NAME,
  says: "Requests at twice the rate that was served before, once that has gone on for two seconds; the upstream answers after 20 ms. Times from the moment each request was due.",
  peers: ["tollgate"],
  async run(stage) {
    const peer = stage.peer("tollgate");
    if (peer === null) return;
    const wish = { body: { model: MODELS.delayed, streamed: false } };
    const { seconds } = stage;
    const rounds = await stage.interleave([{ title: peer.title, peer }], async () => {
      const full = await stage.load(peer, {
        ...wish,
        connections: CAPACITY_CONNECTIONS,
        seconds,
        warmUp: 1,
      });
      const paced = {
        ...wish,
        connections: MOST_CONNECTIONS,
        drain: DRAIN_SECONDS,
        seconds: GATHERING_SECONDS + seconds,
        warmUp: GATHERING_SECONDS,
      };
      const half = await stage.load(peer, { ...paced, rate: full.perSecond / 2 });
      const twice = await stage.load(peer, { ...paced, rate: full.perSecond * 2, mayRefuse: true });
      return { full, half, twice };
    });
    const [results = []] = rounds.values();
    const report = (
      name: string,
      unit: string,
      value: (round: (typeof results)[number]) => number,
    ): void => {
      stage.figure({ measure: NAME, subject: peer.title, name, unit, values: results.map(value) });
    };
    report("capacity", "/s", ({ full }) => full.perSecond);
    report("p99 at half", "ms", ({ half }) => half.latencyUs.p99 / 1000);
    report("served at twice", "/s", ({ twice }) => twice.perSecond);
    report("p99 of the served", "ms", ({ twice }) => twice.latencyUs.p99 / 1000);
    report("refused with 503", "%", ({ twice }) => (100 * twice.refusedUs.count) / twice.begun);
    report(
      "of these with retry-after",
      "%",
      ({ twice }) => (100 * twice.retryAfters) / Math.max(1, twice.statuses["503"] ?? 0),
    );
    report("p99 of the refusals", "ms", ({ twice }) => twice.refusedUs.p99 / 1000);
    report("never sent", "%", ({ twice }) => (100 * twice.unsent) / (twice.begun + twice.unsent));
  },
};
