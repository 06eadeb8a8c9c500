/** How long others wait while prompts of tens of megabytes come that no model can read. */
import { MODELS } from "../peers/tollgate-catalogue.ts";
import type { BodyWish } from "../request-bodies.ts";
import type { Measure } from "./measure.ts";

const NAME = "long prompts";
const MEGABYTE = 1_000_000;
/** One text of this size, and three of the other, ask again as soon as they are answered. */
const LONGEST = { textBytes: 31 * MEGABYTE, connections: 1 };
const LONG = { textBytes: 20 * MEGABYTE, connections: 3 };
/** A second: the questions that the gateway answers itself, and small chat requests. */
const PROBE_RATE = 200;
const SMALL_RATE = 100;
const WARM_UP_REQUESTS = 20;

export const longPrompts: Measure = {
  name: NAME,
  says: "One prompt of 31 MB of text and three of 20 MB at a time, refused because they pass the model's context window; meanwhile GET /healthz 200 times a second, then 100 small chat requests a second.",
  peers: ["tollgate"],
  async run(stage) {
    const peer = stage.peer("tollgate");
    if (peer === null) return;
    const { seconds } = stage;
    const small = { body: { model: MODELS.whole, streamed: false }, connections: 64 };
    const press = async (pressed: { textBytes: number; connections: number }): Promise<void> => {
      const { textBytes, connections } = pressed;
      const body: BodyWish = { model: MODELS.whole, streamed: true, textBytes };
      await stage.load(peer, {
        body,
        connections,
        seconds: 2 * seconds + 2,
        drain: 30,
        mayRefuse: true,
      });
    };
    stage.doing(`${peer.title}, warming up`);
    await stage.load(peer, { ...small, requests: WARM_UP_REQUESTS });
    const rounds = await stage.interleave([{ title: peer.title, peer }], async () => {
      const pressing = [press(LONGEST), press(LONG)];
      const probes = await stage.probe(peer, PROBE_RATE, seconds);
      const beside = await stage.load(peer, { ...small, rate: SMALL_RATE, seconds, warmUp: 0.5 });
      await Promise.all(pressing);
      if (probes === null) throw new Error("there is nothing to ask it");
      return { probed: probes.latencyUs, asked: beside.latencyUs };
    });
    for (const [{ title }, results] of rounds) {
      const about = { measure: NAME, subject: title, unit: "ms" };
      stage.figure({
        ...about,
        name: "/healthz: p99",
        values: results.map(({ probed }) => probed.p99 / 1000),
      });
      stage.figure({
        ...about,
        name: "/healthz: longest",
        values: results.map(({ probed }) => probed.max / 1000),
      });
      stage.figure({
        ...about,
        name: "chat beside: p99",
        values: results.map(({ asked }) => asked.p99 / 1000),
      });
    }
  },
};
