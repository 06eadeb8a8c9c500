/**
 * How many requests are billed in a second when load generator, upstream, gateway and PostgreSQL
 * share this machine; one process or several.
 */
import { compareRounds, quotient } from "../figure.ts";
import { MODELS } from "../peers/tollgate-catalogue.ts";
import { readMachineBusyMs } from "../process-tree.ts";
import type { Row } from "../stage.ts";
import type { Measure } from "./measure.ts";

/** Enough that neither the gateway nor PostgreSQL ever waits for the next request. */
const CONNECTIONS = 128;
/** For each serving process, until its code is compiled. */
const WARM_UP_SECONDS = 4;
const NAME = "throughput";

interface CallersRow extends Row {
  readonly callers: "many" | "hot";
}

export const throughput: Measure = {
  name: NAME,
  says: "Billed requests a second, 128 connections, load generator, upstream, gateway and PostgreSQL all on this machine's cores. Where one process already keeps all cores busy, a second one has nothing to run on.",
  peers: ["tollgate", "tollgate-2", "tollgate-4"],
  async run(stage) {
    const rows: CallersRow[] = stage
      .peers("tollgate", "tollgate-2", "tollgate-4")
      .flatMap((peer) => [
        { title: peer.title, peer, callers: "many" as const },
        { title: `${peer.title}, one hot account`, peer, callers: "hot" as const },
      ]);
    const wish = { body: { model: MODELS.whole, streamed: false }, connections: CONNECTIONS };
    for (const { title, peer, callers } of rows) {
      stage.doing(`${title}, warming up`);
      await stage.load(peer, { ...wish, callers, seconds: WARM_UP_SECONDS });
    }
    const results = await stage.interleave(rows, async ({ peer, callers }) => {
      const [busyMs, sinceMs] = [readMachineBusyMs(), performance.now()];
      const costed = await stage.costed(peer, { ...wish, callers, seconds: stage.seconds });
      return { ...costed, cores: (readMachineBusyMs() - busyMs) / (performance.now() - sinceMs) };
    });
    const rates = new Map(
      [...results].map(([row, slots]) => [row, slots.map(({ load }) => load.perSecond)]),
    );
    for (const [row, slots] of results) {
      const about = { measure: NAME, subject: row.title };
      stage.figure({ ...about, name: "requests", unit: "/s", values: rates.get(row) ?? [] });
      stage.figure({
        ...about,
        name: "gateway CPU",
        unit: "µs/request",
        values: slots.map(({ ownUs }) => ownUs),
      });
      stage.figure({
        ...about,
        name: "PostgreSQL CPU",
        unit: "µs/request",
        values: slots.map(({ databaseUs }) => databaseUs),
      });
      stage.figure({
        ...about,
        name: "cores at work",
        unit: "",
        values: slots.map(({ cores }) => cores),
      });
    }

    const ratesOf = (name: string, callers: string): number[] | undefined =>
      [...rates].find(([{ peer, callers: asked }]) => peer.name === name && asked === callers)?.[1];
    const report = (
      subject: string,
      above: number[] | undefined,
      below: number[] | undefined,
    ): void => {
      if (above === undefined || below === undefined) return;
      stage.figure({
        measure: NAME,
        subject,
        name: "requests",
        unit: "",
        values: compareRounds(above, below, quotient),
      });
    };
    report("hot account ÷ many", ratesOf("tollgate", "hot"), ratesOf("tollgate", "many"));
    report(
      "hot account ÷ many, WORKERS=2",
      ratesOf("tollgate-2", "hot"),
      ratesOf("tollgate-2", "many"),
    );
    report(
      "hot account ÷ many, WORKERS=4",
      ratesOf("tollgate-4", "hot"),
      ratesOf("tollgate-4", "many"),
    );
    report("WORKERS=2 ÷ 1", ratesOf("tollgate-2", "many"), ratesOf("tollgate", "many"));
    report("WORKERS=4 ÷ 1", ratesOf("tollgate-4", "many"), ratesOf("tollgate", "many"));
  },
};
