/**
 * What a storage upload may look like: everything clients really send is taken, everything else is
 * refused with words that help, and a refusal leaves nothing (contract §8).
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import OpenAI, { toFile } from "openai";
import { dial } from "../../../test/support/held-line.ts";
import { openHttpEndpoint, type HttpEndpoint } from "../../../test/support/http-endpoint.ts";
import { newAccount, newKey } from "../../../test/support/new-customer.ts";
import { memoryFiles } from "../../../test/support/memory-files.ts";
import {
  BOUNDARY,
  filePart,
  multipartBody,
  multipartType,
  textPart,
} from "../../../test/support/multipart-body.ts";
import { rawHttp } from "../../../test/support/raw-http.ts";
import { until } from "../../../test/support/until.ts";
import { TaskErrorBody } from "../../contract/error-bodies.ts";
import { createMistakeFinder } from "../../contract/find-mistakes.ts";
import { DeletedFile, StoredFile, StoredFileList } from "../../contract/stored-file.ts";

const LIMIT = 100_000;
const files = memoryFiles({ uploadLimitBytes: LIMIT });
const folder = mkdtempSync(join(tmpdir(), "storage-route-"));
let endpoint: HttpEndpoint;
let secret: string;
let accountId: string;
before(async () => {
  endpoint = await openHttpEndpoint({ files });
  accountId = await newAccount(endpoint.db);
  ({ secret } = await newKey(endpoint.db, accountId));
});
after(async () => {
  await endpoint.close();
  rmSync(folder, { recursive: true });
});

const errorMistakes = createMistakeFinder(TaskErrorBody);
const UPLOAD = "/v1/storage/upload";

interface Sending {
  readonly type?: string | null;
  readonly headers?: readonly string[];
  readonly body: Buffer | string;
  /** Absent: that of the body. */
  readonly length?: number | null;
}

function uploadBytes({ type = multipartType(), headers = [], body, length }: Sending): Buffer {
  const bytes = Buffer.from(body as string, "latin1");
  const lines = [
    `POST ${UPLOAD} HTTP/1.1`,
    "host: x",
    `x-api-key: ${secret}`,
    ...(type === null ? [] : [`content-type: ${type}`]),
    ...(length === null ? [] : [`content-length: ${length ?? bytes.length}`]),
    ...headers,
  ];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), bytes]);
}

interface Refused {
  readonly status: number | null;
  readonly body: {
    readonly code: number;
    readonly msg: string;
    readonly errors: readonly { readonly param: string }[];
    readonly requestId: string;
  };
}

async function refusalOf(sending: Sending): Promise<Refused> {
  const { status, headers, text } = await rawHttp(endpoint.port, uploadBytes(sending), 60);
  const body = JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4)) as Refused["body"];
  assert.deepEqual(errorMistakes(body), []);
  assert.deepEqual([body.code, body.requestId], [status, headers.get("x-request-id")]);
  return { status, body };
}

const IMAGE = Buffer.from("\x89PNG\r\n\x1a\n and so on", "latin1");
const GOOD = filePart(IMAGE);
const BIG = "x".repeat(200_000);
const named = (head: string) => ({ head: [head], bytes: "bytes" });

/** Everything that must not be taken: what is sent, the status, a word of the message. */
const HOSTILE: Readonly<
  Record<string, readonly [sending: Sending, status: number, words: RegExp]>
> = {
  "no body at all": [{ body: "" }, 400, /body is empty/],
  "no content-type": [{ type: null, body: multipartBody([GOOD]) }, 400, /no content-type/],
  "JSON with a data: address": [
    { type: "application/json", body: '{"file":"data:image/png;base64,AAAA"}' },
    400,
    /"application\/json" was sent.*-F file=@photo/,
  ],
  "a JSON base64 string": [
    { type: "application/json; charset=utf-8", body: '"iVBORw0KGgo="' },
    400,
    /-F file=@photo/,
  ],
  "an urlencoded form": [
    { type: "application/x-www-form-urlencoded", body: "file=blob%3Ahttps%3A%2F%2Fx" },
    400,
    /urlencoded/,
  ],
  "the bare bytes": [{ type: "image/png", body: IMAGE }, 400, /"image\/png" was sent/],
  "another multipart": [
    { type: `multipart/mixed; boundary=${BOUNDARY}`, body: multipartBody([GOOD]) },
    400,
    /multipart\/mixed/,
  ],
  "a content-type that is none": [
    { type: ";;;", body: multipartBody([GOOD]) },
    400,
    /multipart\/form-data/,
  ],
  "no boundary": [
    { type: "multipart/form-data", body: multipartBody([GOOD]) },
    400,
    /names no boundary/,
  ],
  "an empty boundary": [
    { type: 'multipart/form-data; boundary=""', body: multipartBody([GOOD]) },
    400,
    /names no boundary/,
  ],
  "a boundary with a line end": [
    { type: 'multipart/form-data; boundary="a\\r\\nb"', body: multipartBody([GOOD]) },
    400,
    /boundary/,
  ],
  "another boundary than the body's": [
    { type: multipartType("other"), body: multipartBody([GOOD]) },
    400,
    /does not begin with the boundary/,
  ],
  "a compressed body": [
    { headers: ["content-encoding: gzip"], body: multipartBody([GOOD]) },
    415,
    /uncompressed/,
  ],
  "no part": [{ body: multipartBody([]) }, 400, /no part/],
  "another name": [
    { body: multipartBody([filePart(IMAGE, "a.png", "image")]) },
    400,
    /part "image".*named "file"/,
  ],
  "a name that only begins so": [
    { body: multipartBody([filePart(IMAGE, "a.png", "file[]")]) },
    400,
    /"file\[\]"/,
  ],
  "an upper-case name": [
    { body: multipartBody([filePart(IMAGE, "a.png", "File")]) },
    400,
    /"File"/,
  ],
  "two files": [{ body: multipartBody([GOOD, GOOD]) }, 400, /another part, "file"/],
  "a second file of another name": [
    { body: multipartBody([GOOD, filePart(IMAGE, "b.png", "file2")]) },
    400,
    /another part, "file2"/,
  ],
  "a field behind the file": [
    { body: multipartBody([GOOD, textPart("vision", "purpose")]) },
    400,
    /another part, "purpose"/,
  ],
  "a field before the file": [
    { body: multipartBody([textPart("vision", "purpose"), GOOD]) },
    400,
    /part "purpose"/,
  ],
  "an empty field behind the file": [
    { body: multipartBody([GOOD, textPart("", "note")]) },
    400,
    /another part, "note"/,
  ],
  "a part without a name behind the file": [
    { body: multipartBody([GOOD, { head: ["Content-Type: text/plain"], bytes: "x" }]) },
    400,
    /behind the end|another part/,
  ],
  "a part without headers behind the file": [
    { body: multipartBody([GOOD, { bytes: "x" }]) },
    400,
    /behind the end|another part/,
  ],
  "nine parts": [
    {
      body: multipartBody([
        GOOD,
        ...Array.from({ length: 8 }, () => ({ head: ["X: y"], bytes: "x" })),
      ]),
    },
    400,
    /behind the end|another part/,
  ],
  "a part without a name": [
    { body: multipartBody([named("Content-Disposition: form-data; filename=a.png")]) },
    400,
    /no name/,
  ],
  "a part without a disposition": [
    { body: multipartBody([named("Content-Type: image/png")]) },
    400,
    /no (?:name|part named)/,
  ],
  "a part without headers": [
    { body: multipartBody([{ bytes: "bytes" }]) },
    400,
    /no (?:name|part named)/,
  ],
  "an attachment": [
    {
      body: multipartBody([
        named('Content-Disposition: attachment; name="file"; filename="a.png"'),
      ]),
    },
    400,
    /no (?:name|part named)/,
  ],
  "a blob: address as text": [
    { body: multipartBody([textPart("blob:https://site.example/7d")]) },
    400,
    /sent as a text.*blob:/,
  ],
  "base64 as text": [
    { body: multipartBody([textPart(IMAGE.toString("base64"))]) },
    400,
    /sent as a text/,
  ],
  "a typed text": [
    {
      body: multipartBody([
        {
          head: ['Content-Disposition: form-data; name="file"', "Content-Type: text/plain"],
          bytes: "data:,x",
        },
      ]),
    },
    400,
    /sent as a text/,
  ],
  "an empty file": [{ body: multipartBody([filePart("")]) }, 400, /file is empty/],
  "no file chosen in a form": [{ body: multipartBody([filePart("", "")]) }, 400, /file is empty/],
  "NUL in the file name": [
    { body: multipartBody([filePart(IMAGE, "a\0.png")]) },
    400,
    /control characters/,
  ],
  "NUL in the part's name": [
    { body: multipartBody([filePart(IMAGE, "a.png", "fi\0le")]) },
    400,
    /control characters/,
  ],
  "an encoded NUL in the file name": [
    {
      body: multipartBody([
        named("Content-Disposition: form-data; name=file; filename*=UTF-8''a%00.png"),
      ]),
    },
    400,
    /control characters/,
  ],
  "an encoded line end in the file name": [
    {
      body: multipartBody([
        named("Content-Disposition: form-data; name=file; filename*=UTF-8''a%0d%0ax.png"),
      ]),
    },
    400,
    /no name that can be read/,
  ],
  "a bare line end in the file name": [
    { body: multipartBody([filePart(IMAGE, "a\n.png")]) },
    400,
    /control characters/,
  ],
  "an escape character in a header": [
    {
      body: multipartBody([
        named('Content-Disposition: form-data; name="file"; filename="a\x1b[2J.png"'),
      ]),
    },
    400,
    /control characters/,
  ],
  "200 KB of part headers": [
    {
      body: multipartBody([
        { head: [...(GOOD.head ?? []), `X-Big: ${BIG.slice(0, 90_000)}`], bytes: IMAGE },
      ]),
    },
    400,
    /longer than 16 KB/,
  ],
  "a thousand part headers": [
    {
      body: multipartBody([
        { head: Array.from({ length: 3_000 }, (_, at) => `X-${at}: y`), bytes: IMAGE },
      ]),
    },
    400,
    /longer than 16 KB/,
  ],
  "a head without an end": [
    { body: `--${BOUNDARY}\r\n${BIG.slice(0, 90_000)}` },
    400,
    /longer than 16 KB/,
  ],
  "a foreword": [
    { body: multipartBody([GOOD], { before: "This is a message in MIME format.\r\n" }) },
    400,
    /does not begin with the boundary/,
  ],
  "line feeds alone": [
    { body: multipartBody([GOOD]).toString("latin1").replaceAll("\r\n", "\n") },
    400,
    /does not begin with the boundary/,
  ],
  "no closing boundary": [
    { body: multipartBody([GOOD], { close: "", after: "" }) },
    400,
    /breaks off/,
  ],
  "half a closing boundary": [
    { body: multipartBody([GOOD], { close: `--${BOUNDARY}-`, after: "" }) },
    400,
    /breaks off/,
  ],
  "a body that ends within the file": [
    { body: multipartBody([GOOD]).subarray(0, -60) },
    400,
    /breaks off/,
  ],
  "text behind the end": [
    { body: multipartBody([GOOD], { after: "\r\nmore" }) },
    400,
    /behind the end/,
  ],
  "two bytes behind the end that are no line end": [
    { body: multipartBody([GOOD], { after: "ab" }) },
    400,
    /behind the end/,
  ],
  "a second body behind the end": [
    { body: Buffer.concat([multipartBody([GOOD]), multipartBody([GOOD])]) },
    400,
    /behind the end/,
  ],
  "a file over the limit": [
    { body: multipartBody([filePart(Buffer.alloc(LIMIT + 1))]) },
    413,
    /100000 bytes/,
  ],
  "a declared length over the limit": [{ body: "", length: 300_000_000 }, 413, /100000 bytes/],
  "an idempotency key that is none": [
    { headers: ["idempotency-key: "], body: multipartBody([GOOD]) },
    400,
    /Idempotency-Key/,
  ],
};

for (const [what, [sending, status, words]] of Object.entries(HOSTILE)) {
  test(`refused: ${what}`, async () => {
    const before_ = files.kept.size;
    const refused = await refusalOf(sending);
    assert.equal(refused.status, status, refused.body.msg);
    assert.match(refused.body.msg, words);
    assert.deepEqual([files.kept.size, files.pending.size], [before_, 0]);
  });
}

test("taken: what clients write, with a quoted boundary, in chunks, with a line end before it or none behind it", async () => {
  const plain = multipartBody([GOOD]);
  const chunked = Buffer.concat([
    Buffer.from(`${plain.length.toString(16)}\r\n`),
    plain,
    Buffer.from("\r\n0\r\n\r\n"),
  ]);
  for (const sending of [
    { body: plain },
    { type: `Multipart/Form-Data; charset=utf-8; boundary="${BOUNDARY}"`, body: plain },
    {
      type: "multipart/form-data; boundary=a/b",
      body: multipartBody([GOOD], { boundary: "a/b", close: "--a/b--" }),
    },
    { body: multipartBody([GOOD], { before: "\r\n" }) },
    { body: multipartBody([GOOD], { after: "" }) },
    { headers: ["transfer-encoding: chunked"], body: chunked, length: null },
  ] satisfies Sending[]) {
    const { status, text } = await rawHttp(endpoint.port, uploadBytes(sending), 60);
    assert.equal(status, 200, text);
    assert.deepEqual([...files.kept.values()].at(-1)?.body, IMAGE);
  }
  assert.equal(files.pending.size, 0);
});

test("the answer is the envelope: what the file is, by its bytes", async () => {
  const form = new FormData();
  form.append("file", new Blob([IMAGE]), "моё фото.png");
  const response = await fetch(`${endpoint.url}${UPLOAD}`, {
    method: "POST",
    headers: { "x-api-key": secret },
    body: form,
  });
  const answer = (await response.json()) as {
    data: { bytes: number; fileName: string; sha256: string };
  };
  assert.deepEqual([response.status, createMistakeFinder(StoredFile)(answer)], [200, []]);
  assert.deepEqual(
    [answer.data.bytes, answer.data.fileName, answer.data.sha256],
    [IMAGE.length, "моё фото.png", createHash("sha256").update(IMAGE).digest("hex")],
  );
  assert.equal(response.headers.get("cache-control"), "no-store");
});

test("curl in its ways, the OpenAI SDK and forms of the platform send files that arrive whole", async () => {
  const content = Buffer.from(Array.from({ length: 90_000 }, (_, at) => at % 251));
  writeFileSync(join(folder, "a 'single' name.bin"), content);
  writeFileSync(join(folder, "text.txt"), "iVBORw0KGgo=");
  const last = () => [...files.kept.values()].at(-1);
  const curl = async (...more: string[]) =>
    (
      await promisify(execFile)(
        "curl",
        ["-sS", ...more, "-H", `x-api-key: ${secret}`, `${endpoint.url}${UPLOAD}`],
        { cwd: folder },
      )
    ).stdout;
  for (const more of [
    [],
    ["-H", "expect: 100-continue"],
    ["--http1.0"],
    ["-H", "transfer-encoding: chunked"],
    ["-H", "connection: close"],
  ]) {
    assert.match(
      await curl("-F", "file=@a 'single' name.bin", ...more),
      /"code":200/,
      more.join(" "),
    );
    assert.ok(last()?.body.equals(content));
    assert.equal(last()?.fileName, "a 'single' name.bin");
  }
  assert.match(
    await curl("-F", "file=<text.txt"),
    /"code":400,"msg":"\\"file\\" was sent as a text/,
  );
  assert.match(await curl("-F", "file=data:image/png;base64,AAAA"), /"code":400/);

  const client = new OpenAI({ apiKey: secret, baseURL: `${endpoint.url}/v1`, maxRetries: 0 });
  const form = new FormData();
  form.append("file", await toFile(content, "sdk.bin"));
  const answer = await client.post<{ data: { bytes: number } }>("/storage/upload", { body: form });
  assert.deepEqual([answer.data.bytes, last()?.fileName], [content.length, "sdk.bin"]);
});

test("the key is looked at before a byte of the body is asked for, and what the head tells is told before it, too", async (t) => {
  for (const [headers, status] of [
    [
      {
        "x-api-key": "tg_live_nothing",
        "content-type": multipartType(),
        "content-length": "50000",
      },
      401,
    ],
    [{ "x-api-key": secret, "content-type": multipartType(), "content-length": "300000000" }, 413],
    [{ "x-api-key": secret, "content-type": "application/json", "content-length": "50000" }, 400],
  ] as const) {
    const { socket, received, text } = await dial(t, endpoint.port);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(
      `POST ${UPLOAD} HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\n${lines.join("")}\r\n`,
    );
    await received(new RegExp(`^HTTP/1\\.1 ${status}`));
    assert.doesNotMatch(text(), /100 Continue/);
  }
  const { socket, received } = await dial(t, endpoint.port);
  const body = multipartBody([GOOD]);
  socket.write(uploadBytes({ headers: ["expect: 100-continue"], body: "", length: body.length }));
  await received(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
  socket.write(body);
  await received(/HTTP\/1\.1 200 OK/);
});

test("Expect: 100-continue is heard on other routes as before", async (t) => {
  const { socket, received } = await dial(t, endpoint.port);
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n`,
  );
  await received(/100 Continue[^]*the chat route/);
  const other = await dial(t, endpoint.port);
  other.socket.write(
    `POST /v1/quote/messages HTTP/1.1\r\nhost: x\r\nx-api-key: ${secret}\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n`,
  );
  await other.received(/^HTTP\/1\.1 100 Continue/);
  other.socket.write("{}");
  await other.received(/HTTP\/1\.1 400/);
});

test("a sender that leaves half-way leaves nothing, by a reset, by an end and at any point", async (t) => {
  const body = multipartBody([filePart(Buffer.alloc(90_000, 1))]);
  const kept = files.kept.size;
  for (const sent of [0, 10, 150, 200, 5_000, 89_000, body.length - 30, body.length - 3]) {
    for (const how of ["destroy", "end"] as const) {
      const from = endpoint.lines.length;
      const { socket, closed } = await dial(t, endpoint.port);
      socket.write(uploadBytes({ body: body.subarray(0, sent), length: body.length }));
      await until("the upload has begun", async () => sent < 200 || files.pending.size === 1);
      if (how === "destroy") socket.resetAndDestroy();
      else socket.end();
      await until("nothing is under way", async () => files.pending.size === 0);
      const reported = () =>
        endpoint.lines
          .slice(from)
          .some(([, line]) => line["route"] === UPLOAD && line["aborted"] === true);
      await until("the log tells it", async () => sent < 200 || reported());
      if (how === "end") await closed();
    }
  }
  assert.equal(files.kept.size, kept);
});

test(
  "a sender of far too much reads why, even one that reads nothing before all is sent, and even when it wants the connection closed",
  { timeout: 60_000 },
  async (t) => {
    const body = multipartBody([filePart(Buffer.alloc(20_000_000, 1))]);
    for (const headers of [[], ["connection: close"], ["transfer-encoding: chunked"]]) {
      const { socket, received } = await dial(t, endpoint.port);
      socket.pause();
      const chunked = headers[0]?.startsWith("transfer") === true;
      socket.write(uploadBytes({ headers, body: "", length: chunked ? null : body.length }));
      const bytes = chunked
        ? Buffer.concat([
            Buffer.from(`${body.length.toString(16)}\r\n`),
            body,
            Buffer.from("\r\n0\r\n\r\n"),
          ])
        : body;
      await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
      socket.resume();
      await received(/^HTTP\/1\.1 413 [^]*100000 bytes/);
    }
  },
);

test("an account lists its files page by page and deletes them; a stranger's file is as good as none", async () => {
  const mine = await newKey(endpoint.db, await newAccount(endpoint.db));
  const headers = { "x-api-key": mine.secret };
  const names = Array.from(
    { length: 3 },
    (_, at) =>
      files.keep({ body: IMAGE, accountId: mine.key.accountId, fileName: `${at}.png` }).name,
  );
  const list = async (query: string) => {
    const answer = await endpoint.get(`/v1/storage/files${query}`, headers);
    assert.deepEqual(
      [answer.status, createMistakeFinder(StoredFileList)(answer.json())],
      [200, []],
      answer.text,
    );
    return answer.json<{ data: { files: { name: string }[]; nextCursor: string | null } }>().data;
  };
  const first = await list("?limit=2");
  const second = await list(`?limit=2&cursor=${first.nextCursor}`);
  assert.deepEqual(
    [...first.files, ...second.files].map(({ name }) => name),
    names.toReversed(),
  );
  assert.equal(second.nextCursor, null);
  for (const query of ["?limit=0", "?limit=x", "?limit=5000"])
    assert.equal((await endpoint.get(`/v1/storage/files${query}`, headers)).status, 400);

  const remove = (name: string, key: string) =>
    fetch(`${endpoint.url}/v1/storage/files/${name}`, {
      method: "DELETE",
      headers: { "x-api-key": key },
    });
  const path = `/v1/storage/files/${names[0]}`;
  const stranger = await remove(names[0] ?? "", secret);
  const missing = await remove("nothing.png", mine.secret);
  const withoutId = async (response: Response) => ({
    ...((await response.json()) as object),
    requestId: "",
  });
  assert.deepEqual([stranger.status, await withoutId(stranger)], [404, await withoutId(missing)]);
  const deleted = await remove(names[0] ?? "", mine.secret);
  assert.deepEqual(
    [deleted.status, createMistakeFinder(DeletedFile)(await deleted.json())],
    [200, []],
  );
  assert.equal((await remove(names[0] ?? "", mine.secret)).status, 404);
  assert.equal((await remove(names[0] ?? "", "tg_live_nothing")).status, 401);
  const wrong = await fetch(`${endpoint.url}${path}`, { method: "PUT", headers });
  assert.deepEqual([wrong.status, wrong.headers.get("allow")], [405, "DELETE, OPTIONS"]);
  assert.equal((await fetch(`${endpoint.url}${UPLOAD}`)).headers.get("allow"), "POST, OPTIONS");
});
