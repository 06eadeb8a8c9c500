/**
 * What a streamed chunk costs in CPU: 64 streams at once of 200 chunks, each its own write of the
 * upstream.
 */
import { MODELS } from "../peers/tollgate-catalogue.ts";
import { median } from "../figure.ts";
import type { Row } from "../stage.ts";
import type { Measure } from "./measure.ts";
import { reportCosts, reportRatio } from "./report-costs.ts";

const AT_ONCE = 64;
const CHUNKS = 200;
/** How long one stream takes. */
const STREAM_SECONDS = 2;
const WARM_UP_SECONDS = 1;
const NAME = "streams";

interface StreamRow extends Row {
  readonly protocol: "openai" | "anthropic";
}

export const streams: Measure = {
  name: NAME,
  says: "CPU per chunk; streams of 200 chunks of 237 bytes, one every 10 ms, 64 streams at once. Translated: the caller speaks Messages, the upstream Chat Completions.",
  peers: ["bare", "nginx", "portkey", "tollgate"],
  quickPeers: ["bare", "tollgate"],
  async run(stage) {
    const rows: StreamRow[] = stage
      .peers("bare", "nginx", "portkey", "tollgate")
      .map((peer) => ({ title: peer.title, peer, protocol: "openai" as const }));
    const tollgate = stage.peer("tollgate");
    if (tollgate !== null)
      rows.push({ title: "Tollgate translating", peer: tollgate, protocol: "anthropic" });

    const wish = ({ protocol }: StreamRow) => ({
      body: { model: MODELS.stream, streamed: true, protocol },
      connections: AT_ONCE,
    });
    for (const row of rows) {
      stage.doing(`${row.title}, warming up`);
      await stage.load(row.peer, {
        ...wish(row),
        body: { ...wish(row).body, model: MODELS.shortStream },
        seconds: WARM_UP_SECONDS,
      });
    }
    const requests = AT_ONCE * Math.max(1, Math.round(stage.seconds / STREAM_SECONDS));
    const results = await stage.interleave(rows, (row) =>
      stage.costed(row.peer, { ...wish(row), requests }),
    );
    const costs = reportCosts(stage, NAME, results, { name: "chunk", perAnswer: CHUNKS });
    for (const [row, rounds] of results) {
      const arrived = rounds.map(({ load }) => load.chunks / load.events);
      stage.figure({
        measure: NAME,
        subject: row.title,
        name: "chunks ÷ events",
        unit: "",
        values: arrived,
      });
      const lengths = rounds.map(({ load }) => load.latencyUs.p50 / 1e6);
      stage.figure({
        measure: NAME,
        subject: row.title,
        name: "time of a stream",
        unit: "s",
        values: lengths,
      });
      if (median(arrived) < 0.9)
        stage.note(
          `streams: ${row.title} put chunks together: it did not keep up, and its figure flatters it`,
        );
    }
    const find = (name: string, protocol = "openai"): StreamRow | undefined =>
      rows.find((row) => row.peer.name === name && row.protocol === protocol);
    const to = find("bare");
    reportRatio(stage, NAME, costs, {
      subject: "Tollgate ÷ bare proxy",
      row: find("tollgate"),
      to,
      what: "own",
    });
    reportRatio(stage, NAME, costs, {
      subject: "Tollgate translating ÷ bare proxy",
      row: find("tollgate", "anthropic"),
      to,
      what: "own",
    });
  },
};
