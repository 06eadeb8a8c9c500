/** What a request with 10 MB of images costs, and how long others wait because of it. */
import { MODELS } from "../peers/tollgate-catalogue.ts";
import type { Row } from "../stage.ts";
import type { Measure } from "./measure.ts";
import { reportCosts, reportRatio } from "./report-costs.ts";

const NAME = "big bodies";
const CONNECTIONS = 2;
/**
 * A second: the big bodies while waits are measured, the questions that the gateway answers itself,
 * the small chat requests.
 */
const BIG_RATE = 5;
const PROBE_RATE = 400;
const SMALL_RATE = 200;
const WARM_UP_REQUESTS = 10;

export const bigBodies: Measure = {
  name: NAME,
  says: "CPU per request of 10 MB of base64 images, 2 connections. Then 5 of them a second: the stall is the longest time, less the usual one, in which the gateway answers a GET that needs no upstream, asked 400 times a second; beside that, 200 small chat requests a second.",
  peers: ["bare", "nginx", "portkey", "tollgate"],
  async run(stage) {
    const rows: Row[] = stage
      .peers("bare", "nginx", "portkey", "tollgate")
      .map((peer) => ({ title: peer.title, peer }));
    const big = {
      body: { model: MODELS.whole, streamed: false, images: true },
      connections: CONNECTIONS,
    };
    const small = {
      body: { model: MODELS.whole, streamed: false },
      connections: 64,
      rate: SMALL_RATE,
    };
    for (const { title, peer } of rows) {
      stage.doing(`${title}, warming up`);
      await stage.load(peer, { ...big, requests: WARM_UP_REQUESTS });
    }
    const { seconds } = stage;
    const alone = await stage.interleave(rows, ({ peer }) =>
      stage.costed(peer, { ...big, seconds }),
    );
    const costs = reportCosts(stage, NAME, alone, { name: "request", perAnswer: 1 });

    const together = await stage.interleave(rows, async ({ peer }) => {
      const pressing = stage.load(peer, {
        ...big,
        connections: 8,
        rate: BIG_RATE,
        seconds: 2 * seconds + 2,
      });
      const probes = await stage.probe(peer, PROBE_RATE, seconds);
      const beside = await stage.load(peer, { ...small, seconds, warmUp: 0.5 });
      await pressing;
      if (probes === null) throw new Error("there is nothing to ask it");
      return { probed: probes.latencyUs, asked: beside.latencyUs };
    });
    for (const [{ title }, rounds] of together) {
      const about = { measure: NAME, subject: title, unit: "ms" };
      stage.figure({
        ...about,
        name: "event-loop stall",
        values: rounds.map(({ probed }) => (probed.max - probed.p50) / 1000),
      });
      stage.figure({
        ...about,
        name: "chat beside: p50",
        values: rounds.map(({ asked }) => asked.p50 / 1000),
      });
      stage.figure({ ...about, name: "p99", values: rounds.map(({ asked }) => asked.p99 / 1000) });
      stage.figure({
        ...about,
        name: "longest",
        values: rounds.map(({ asked }) => asked.max / 1000),
      });
    }
    const find = (name: string): Row | undefined => rows.find(({ peer }) => peer.name === name);
    reportRatio(stage, NAME, costs, {
      subject: "Tollgate ÷ bare proxy",
      row: find("tollgate"),
      to: find("bare"),
      what: "own",
    });
    reportRatio(stage, NAME, costs, {
      subject: "Tollgate ÷ Portkey",
      row: find("tollgate"),
      to: find("portkey"),
      what: "together",
    });
  },
};
