/**
 * Whether a ledger that has grown makes requests dearer: the same load on a young ledger and on one
 * of ten million entries.
 */
import { FILLED_ENTRIES } from "../peers/start-peer.ts";
import { MODELS } from "../peers/tollgate-catalogue.ts";
import type { Row } from "../stage.ts";
import type { Measure } from "./measure.ts";
import { reportCosts, reportRatio } from "./report-costs.ts";

const NAME = "big ledger";
const CONNECTIONS = 32;
/** The young ledger's ten thousand entries. */
const WARM_UP_REQUESTS = 10_000;

export const bigLedger: Measure = {
  name: NAME,
  says: "CPU per request of a gateway whose ledger began with 10,000,000 entries, and of one that began empty; both after 10,000 requests.",
  peers: ["tollgate", "tollgate-big"],
  fresh: true,
  async run(stage) {
    const rows: Row[] = stage
      .peers("tollgate", "tollgate-big")
      .map((peer) => ({ title: peer.title, peer }));
    const wish = { body: { model: MODELS.whole, streamed: false }, connections: CONNECTIONS };
    for (const { title, peer } of rows) {
      stage.doing(`${title}, warming up`);
      await stage.load(peer, { ...wish, requests: WARM_UP_REQUESTS });
    }
    const results = await stage.interleave(rows, ({ peer }) =>
      stage.costed(peer, { ...wish, seconds: stage.seconds }),
    );
    const costs = reportCosts(stage, NAME, results, { name: "request", perAnswer: 1 });
    const find = (name: string): Row | undefined => rows.find(({ peer }) => peer.name === name);
    const subject = `${FILLED_ENTRIES.toLocaleString("en")} ÷ 10,000 entries`;
    reportRatio(stage, NAME, costs, {
      subject,
      row: find("tollgate-big"),
      to: find("tollgate"),
      what: "together",
    });
  },
};
