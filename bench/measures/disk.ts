/** How much a billed request leaves on the disk for ever, indexes included. */
import { MODELS } from "../peers/tollgate-catalogue.ts";
import type { Row } from "../stage.ts";
import type { Measure } from "./measure.ts";

const NAME = "disk";
const CONNECTIONS = 32;
/** Until the tables that only change have grown as far as they do. */
const WARM_UP_SECONDS = 2;

export const disk: Measure = {
  name: NAME,
  says: "By how much all tables with their indexes grow, divided by the answers: looked at when everything is posted, and after VACUUM, so that room that is used again does not count. 32 connections.",
  peers: ["tollgate", "against"],
  quickPeers: ["tollgate", "against"],
  async run(stage) {
    const rows: Row[] = stage
      .peers("tollgate", "against")
      .map((peer) => ({ title: peer.title, peer }));
    const wish = { body: { model: MODELS.whole, streamed: false }, connections: CONNECTIONS };
    for (const { title, peer } of rows) {
      stage.doing(`${title}, warming up`);
      await stage.load(peer, { ...wish, seconds: WARM_UP_SECONDS });
    }
    const results = await stage.interleave(rows, async ({ peer }) => {
      const { books } = peer;
      if (books === undefined) throw new Error("it keeps no books");
      await books.posted();
      const before = await books.bytes();
      const { answers } = await stage.costed(peer, { ...wish, seconds: stage.seconds });
      return ((await books.bytes()) - before) / answers;
    });
    for (const [{ title }, values] of results)
      stage.figure({ measure: NAME, subject: title, name: "bytes", unit: "B/request", values });
  },
};
