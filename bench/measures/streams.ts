/**
 * What a streamed chunk costs in CPU: 64 streams at once of 200 chunks, each its own write of the
 * upstream.
 */
import type { Peer } from "../peers/peer.ts";
import { MODELS, overResponses } from "../peers/tollgate-catalogue.ts";
import { median } from "../figure.ts";
import type { BodyProtocol } from "../request-bodies.ts";
import type { Row } from "../stage.ts";
import type { Measure } from "./measure.ts";
import { reportCosts, reportRatio } from "./report-costs.ts";
import { warmUpSeconds } from "./warm-up.ts";

const AT_ONCE = 64;
const CHUNKS = 200;
/** How long one stream takes. */
const STREAM_SECONDS = 2;
const NAME = "streams";

interface StreamRow extends Row {
  readonly protocol: BodyProtocol;
  /** What the peer calls the model of these chunks. */
  name(model: string): string;
}

const asItIs = (model: string): string => model;

function row(title: string, peer: Peer, protocol: BodyProtocol, name = asItIs): StreamRow {
  return { title, peer, protocol, name };
}

export const streams: Measure = {
  name: NAME,
  says: "CPU per chunk; streams of 200 chunks of 237 bytes, one every 10 ms, 64 streams at once. Translated: the caller speaks Messages, or Responses, the upstream Chat Completions. At Responses a chunk is an event of its text, each with a number of its own.",
  peers: ["bare", "nginx", "portkey", "tollgate"],
  quickPeers: ["bare", "tollgate"],
  async run(stage) {
    const rows: StreamRow[] = stage
      .peers("bare", "nginx", "portkey", "tollgate")
      .map((peer) => row(peer.title, peer, "openai"));
    const [bare, tollgate] = [stage.peer("bare"), stage.peer("tollgate")];
    const plain = rows.find(({ peer }) => peer === bare);
    const passing = rows.find(({ peer }) => peer === tollgate);
    const own = bare && row(`${bare.title}, Responses`, bare, "responses");
    const translating = tollgate && row("Tollgate translating", tollgate, "anthropic");
    const passed = tollgate && row("Tollgate, Responses", tollgate, "responses", overResponses);
    const translated = tollgate && row("Tollgate translating, Responses", tollgate, "responses");
    rows.push(...[own, translating, passed, translated].filter((each) => each !== null));

    const wish = ({ protocol, name }: StreamRow, model: string) => ({
      body: { model: name(model), streamed: true, protocol },
      connections: AT_ONCE,
    });
    const requests = AT_ONCE * Math.max(1, Math.round(stage.seconds / STREAM_SECONDS));
    for (const each of rows) {
      stage.doing(`${each.title}, warming up`);
      await stage.load(each.peer, {
        ...wish(each, MODELS.stream),
        seconds: warmUpSeconds(stage),
      });
    }
    const results = await stage.interleave(rows, (each) =>
      stage.costed(each.peer, { ...wish(each, MODELS.stream), requests }),
    );
    const costs = reportCosts(stage, NAME, results, { name: "chunk", perAnswer: CHUNKS });
    for (const [{ title }, rounds] of results) {
      const arrived = rounds.map(({ load }) => load.chunks / load.events);
      stage.figure({
        measure: NAME,
        subject: title,
        name: "chunks ÷ events",
        unit: "",
        values: arrived,
      });
      const lengths = rounds.map(({ load }) => load.latencyUs.p50 / 1e6);
      stage.figure({
        measure: NAME,
        subject: title,
        name: "time of a stream",
        unit: "s",
        values: lengths,
      });
      if (median(arrived) < 0.9)
        stage.note(
          `streams: ${title} put chunks together: it did not keep up, and its figure flatters it`,
        );
    }
    for (const [subject, above, below] of [
      ["Tollgate ÷ bare proxy", passing, plain],
      ["Tollgate translating ÷ bare proxy", translating, plain],
      ["Tollgate ÷ bare proxy, Responses", passed, own],
      // Both read the same chunks of Chat Completions.
      ["Tollgate translating ÷ bare proxy, Responses", translated, plain],
    ] as const)
      reportRatio(stage, NAME, costs, {
        subject,
        row: above ?? undefined,
        to: below ?? undefined,
        what: "own",
      });
  },
};
