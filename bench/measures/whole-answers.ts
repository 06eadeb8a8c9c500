/**
 * What a whole answer costs in CPU, and how much of that is PostgreSQL's: 32 and 128 connections,
 * each asking again as soon as it is answered.
 */
import type { PeerName } from "../peers/peer.ts";
import { MODELS } from "../peers/tollgate-catalogue.ts";
import type { Row, Stage } from "../stage.ts";
import type { Measure } from "./measure.ts";
import { reportCosts, reportRatio, type Costs } from "./report-costs.ts";
import { warmUpSeconds } from "./warm-up.ts";

const FEW = 32;
const MANY = 128;
/** Of a gateway that another row has warmed up. */
const WARM_AGAIN_SECONDS = 1;
const NAME = "whole answers";
const PEERS = [
  "bare",
  "least",
  "least-billed",
  "nginx",
  "portkey",
  "litellm",
  "tollgate",
  "unbilled",
  "against",
] as const;
/** Those that are asked over many connections, too. */
const ASKED_BY_MANY = ["bare", "least", "least-billed", "tollgate", "unbilled", "against"] as const;

interface AnswersRow extends Row {
  readonly callers: "many" | "hot";
  readonly connections: number;
}

export const wholeAnswers: Measure = {
  name: NAME,
  says: "CPU per request; whole answers, bodies of 2 kB, 32 connections unless told, upstream answers at once. Callers have 1,000 keys of 200 accounts. Requests a transaction: answers by transactions that wrote, of whatever purpose. Allocated: on V8's heap, by all processes.",
  peers: PEERS,
  quickPeers: ["bare", "portkey", "tollgate", "unbilled", "against"],
  async run(stage) {
    const rows = rowsOf(stage);
    const wish = ({ callers, connections }: AnswersRow) => ({
      body: { model: MODELS.whole, streamed: false },
      callers,
      connections,
    });
    const warm = new Set<PeerName>();
    for (const row of rows) {
      stage.doing(`${row.title}, warming up`);
      const seconds = warm.has(row.peer.name) ? WARM_AGAIN_SECONDS : warmUpSeconds(stage);
      await stage.load(row.peer, { ...wish(row), seconds });
      warm.add(row.peer.name);
    }
    const results = await stage.interleave(rows, (row) =>
      stage.costed(row.peer, { ...wish(row), seconds: stage.seconds }),
    );
    const costs = reportCosts(stage, NAME, results, { name: "request", perAnswer: 1 });
    for (const [row, { rate }] of costs)
      stage.figure({
        measure: NAME,
        subject: row.title,
        name: "requests",
        unit: "/s",
        values: rate,
      });
    for (const connections of [FEW, MANY]) compare(stage, connections, costs);
  },
};

/** The short form asks over many connections only where another checkout is to be compared. */
function rowsOf(stage: Stage): AnswersRow[] {
  const callers = "many";
  const rows: AnswersRow[] = stage
    .peers(...PEERS)
    .map((peer) => ({ title: peer.title, peer, callers, connections: FEW }));
  const tollgate = stage.peer("tollgate");
  if (tollgate !== null && !stage.quick)
    rows.push({ ...hot, title: `${tollgate.title}, one hot account`, peer: tollgate });
  if (stage.quick && stage.peer("against") === null) return rows;
  for (const peer of stage.peers(...ASKED_BY_MANY))
    rows.push({ title: `${peer.title}${over(MANY)}`, peer, callers, connections: MANY });
  return rows;
}

const hot = { callers: "hot", connections: FEW } as const;

const over = (connections: number): string =>
  connections === FEW ? "" : `, ${connections} connections`;

/** Which costs of which two peers a ratio is given for. */
const COMPARED: readonly (readonly [PeerName, PeerName, string, readonly (keyof Costs)[]])[] = [
  ["tollgate", "bare", "Tollgate ÷ bare proxy", ["own", "together"]],
  ["unbilled", "bare", "Tollgate, billing off ÷ bare proxy", ["own"]],
  ["least", "bare", "least gateway ÷ bare proxy", ["own"]],
  ["least-billed", "bare", "least gateway, billing ÷ bare proxy", ["own"]],
  ["least-billed", "portkey", "least gateway, billing ÷ Portkey", ["together"]],
  ["unbilled", "least", "Tollgate, billing off ÷ least gateway", ["own"]],
  [
    "tollgate",
    "least-billed",
    "Tollgate ÷ least gateway, billing",
    ["own", "database", "together"],
  ],
  ["tollgate", "portkey", "Tollgate ÷ Portkey", ["own", "together"]],
  ["tollgate", "litellm", "Tollgate ÷ LiteLLM", ["own", "together"]],
  ["tollgate", "against", "Tollgate ÷ that checkout", ["own", "database", "together", "rate"]],
];

function compare(stage: Stage, connections: number, costs: ReadonlyMap<AnswersRow, Costs>): void {
  const find = (name: PeerName): AnswersRow | undefined =>
    [...costs.keys()].find(
      (row) => row.peer.name === name && row.callers === "many" && row.connections === connections,
    );
  for (const [above, below, title, figures] of COMPARED) {
    const subject = `${title}${over(connections)}`;
    for (const what of figures)
      reportRatio(stage, NAME, costs, { subject, row: find(above), to: find(below), what });
  }
}
