/**
 * What a whole answer costs in CPU, and how much of that is PostgreSQL's: 32 connections, each
 * asking again as soon as it is answered.
 */
import { MODELS } from "../peers/tollgate-catalogue.ts";
import type { Row, Stage } from "../stage.ts";
import type { Measure } from "./measure.ts";
import { reportCosts, reportRatio } from "./report-costs.ts";

const CONNECTIONS = 32;
/** Until a gateway's code is compiled: V8 goes on optimizing for some ten thousand requests. */
const WARM_UP_SECONDS = 8;
const QUICK_WARM_UP_SECONDS = 2;
const NAME = "whole answers";

interface CallersRow extends Row {
  readonly callers: "many" | "hot";
}

export const wholeAnswers: Measure = {
  name: NAME,
  says: "CPU per request; whole answers, bodies of 2 kB, 32 connections, upstream answers at once. Callers have 1,000 keys of 200 accounts.",
  peers: ["bare", "nginx", "portkey", "tollgate"],
  quickPeers: ["bare", "portkey", "tollgate"],
  async run(stage) {
    const rows: CallersRow[] = stage
      .peers("bare", "nginx", "portkey", "tollgate")
      .map((peer) => ({ title: peer.title, peer, callers: "many" as const }));
    const tollgate = stage.peer("tollgate");
    if (tollgate !== null && !stage.quick)
      rows.push({ title: "Tollgate, one hot account", peer: tollgate, callers: "hot" });

    const wish = { body: { model: MODELS.whole, streamed: false }, connections: CONNECTIONS };
    for (const row of rows) {
      stage.doing(`${row.title}, warming up`);
      await stage.load(row.peer, {
        ...wish,
        callers: row.callers,
        seconds: stage.quick ? QUICK_WARM_UP_SECONDS : WARM_UP_SECONDS,
      });
    }
    const results = await stage.interleave(rows, (row) =>
      stage.costed(row.peer, { ...wish, callers: row.callers, seconds: stage.seconds }),
    );
    const costs = reportCosts(stage, NAME, results, { name: "request", perAnswer: 1 });
    for (const [row, rounds] of results) {
      const values = rounds.map(({ load }) => load.perSecond);
      stage.figure({ measure: NAME, subject: row.title, name: "requests", unit: "/s", values });
    }
    compare(stage, rows, costs);
  },
};

function compare(
  stage: Stage,
  rows: readonly CallersRow[],
  costs: Parameters<typeof reportRatio<CallersRow>>[2],
): void {
  const find = (name: string): CallersRow | undefined =>
    rows.find(({ peer, callers }) => peer.name === name && callers === "many");
  const row = find("tollgate");
  reportRatio(stage, NAME, costs, {
    subject: "Tollgate ÷ bare proxy",
    row,
    to: find("bare"),
    what: "own",
  });
  reportRatio(stage, NAME, costs, {
    subject: "Tollgate ÷ bare proxy",
    row,
    to: find("bare"),
    what: "together",
  });
  reportRatio(stage, NAME, costs, {
    subject: "Tollgate ÷ Portkey",
    row,
    to: find("portkey"),
    what: "own",
  });
  reportRatio(stage, NAME, costs, {
    subject: "Tollgate ÷ Portkey",
    row,
    to: find("portkey"),
    what: "together",
  });
}
