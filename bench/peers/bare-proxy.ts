/**
 * The floor in our language: the least that a Node gateway does which sees a whole request before
 * it passes it on. Prints its port.
 */
import { createServer, type ServerResponse } from "node:http";
import { Pool, type Dispatcher } from "undici";

const origin = process.argv[2];
if (origin === undefined) throw new Error("usage: bare-proxy.ts ORIGIN");
const pool = new Pool(origin, {
  connections: 8192,
  pipelining: 1,
  headersTimeout: 600_000,
  bodyTimeout: 600_000,
});

/** A stream is passed on piece by piece, anything else in one write. */
function answerTo(response: ServerResponse): Dispatcher.DispatchHandler {
  let status = 0;
  let type = "";
  let streams = false;
  const pieces: Buffer[] = [];
  return {
    onRequestStart() {},
    onResponseStart(controller, code, headers) {
      status = code;
      type = String(headers["content-type"]);
      streams = type.startsWith("text/event-stream");
      if (!streams) return;
      response.writeHead(status, { "content-type": type });
      response.on("drain", () => controller.resume());
      response.on("close", () => controller.abort(new Error("the client has gone")));
    },
    onResponseData(controller, piece) {
      if (!streams) pieces.push(piece);
      else if (!response.write(piece)) controller.pause();
    },
    onResponseEnd() {
      if (streams) return void response.end();
      const [first = Buffer.alloc(0)] = pieces;
      const body = pieces.length === 1 ? first : Buffer.concat(pieces);
      response.writeHead(status, { "content-type": type, "content-length": body.length });
      response.end(body);
    },
    onResponseError() {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    },
  };
}

const server = createServer((request, response) => {
  if (request.method === "GET") return void response.end("alive");
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => {
    const [first = Buffer.alloc(0)] = pieces;
    const body = pieces.length === 1 ? first : Buffer.concat(pieces);
    const headers = {
      "content-type": "application/json",
      authorization: request.headers.authorization ?? "",
    };
    pool.dispatch({ path: request.url ?? "/", method: "POST", headers, body }, answerTo(response));
  });
});
server.listen(0, "127.0.0.1", 4096, () => {
  const address = server.address();
  if (address !== null && typeof address !== "string")
    console.log(JSON.stringify({ port: address.port }));
});
