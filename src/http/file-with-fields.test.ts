/** Protects: what stands behind the file of a form is read, however late it comes. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { buffer } from "node:stream/consumers";
import { systemClock } from "../kernel/clock.ts";
import { BOUNDARY } from "../../test/support/multipart-body.ts";
import { readFileWithFields } from "./file-with-fields.ts";

const PACE = { idleMs: 30_000, graceMs: 60_000, bytesPerSecond: 1, checkMs: 1000 };
const FILE = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\nbytes\r\n--${BOUNDARY}`;
const PURPOSE = `\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--${BOUNDARY}--\r\n`;

test("a text that comes when the file was read to its end and closed is there", async () => {
  const read = Promise.withResolvers<string>();
  const server = createServer((incoming, response) => {
    void (async () => {
      const options = { boundary: BOUNDARY, limitBytes: 1000, pace: PACE, clock: systemClock };
      const form = await readFileWithFields(incoming, options);
      const closed = once(form.source, "close");
      const bytes = await buffer(form.source);
      await closed;
      read.resolve(bytes.toString());
      response.end((await form.fields()).get("purpose"));
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const type = `multipart/form-data; boundary=${BOUNDARY}`;
  const asking = request({
    port,
    host: "127.0.0.1",
    method: "POST",
    headers: { "content-type": type },
  });
  const answered = once(asking, "response");
  asking.write(FILE);
  assert.equal(await read.promise, "bytes");
  asking.end(PURPOSE);
  const [answer] = (await answered) as [NodeJS.ReadableStream];
  assert.equal((await buffer(answer)).toString(), "batch");
  server.closeAllConnections();
  server.close();
});
