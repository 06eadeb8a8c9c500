/**
 * Guarantee: every sample of the public pages works as it is copied, with a key in place of the dots
 * and of its variables what earlier answers told, and answers: requests, clients, bodies of the
 * reference; what tells whether a webhook is ours tells it in both languages.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import sharp from "sharp";
import { TASK_TABLES } from "../../src/contract/tasks/task-tables.ts";
import { GUIDES } from "../../src/http/site/guide-place.ts";
import { REFERENCE_GROUPS } from "../../src/http/site/reference-groups.ts";
import { makeMedia } from "../support/media-maker.ts";
import { startTollgate, type Started } from "../support/start-tollgate.ts";
import { createTollgateCommand, type Customer } from "../support/tollgate-command.ts";
import { until } from "../support/until.ts";
import { createClientRunner } from "../clients/run-client-samples.ts";
import {
  bodiesOf,
  clientSamplesOf,
  createSampleRunner,
  samplesOf,
  type SampleRunner,
} from "./run-samples.ts";

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The task has to be made before. */
const WEBHOOK_PATIENCE_MS = 120_000;
/** As the sandbox begins what it says. */
const ECHO = /(?:I am|Я) echo-/;
const execFileAsync = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "site-samples-"));
const received: Received[] = [];
let tollgate: Started;
let customer: Customer;
let webhookSecret: string;
let receiver: Server;
let runner: SampleRunner;
before(async () => {
  receiver = createServer((request, response) => void receive(request, () => response.end()));
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const { port } = receiver.address() as AddressInfo;
  tollgate = await startTollgate(folder, { FETCH_ALLOW: "127.0.0.0/8" });
  const command = createTollgateCommand({ DATA_DIR: join(folder, "data") });
  customer = await command.makeCustomer({ roubles: "100000" });
  const made = (await command.json("webhooks", "secret", customer.accountId)) as {
    readonly secret: string;
  };
  webhookSecret = made.secret;
  runner = createSampleRunner(folder, { CALLBACK_URL: `http://127.0.0.1:${port}/hook` });
  await makeFiles();
});
after(async () => {
  receiver.closeAllConnections();
  receiver.close();
  await tollgate.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function receive(
  request: AsyncIterable<Buffer> & { readonly headers: IncomingHttpHeaders },
  answer: () => void,
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  received.push({ headers: request.headers, body: Buffer.concat(parts) });
  answer();
}

/** What samples send, and what they name by its address: it keeps the rules of every table. */
async function makeFiles(): Promise<void> {
  const picture = sharp({
    create: { width: 800, height: 600, channels: 3, background: "#3a7" },
  });
  await picture.png().toFile(join(folder, "photo.png"));
  const film = join(folder, "film.mp4");
  await makeMedia(film, { film: { width: 960, height: 640, rate: 24, seconds: 4 } });
  const sound = join(folder, "sound.mp3");
  await makeMedia(sound, { sound: { codec: "mp3", seconds: 4 } });
  Object.assign(runner.variables, {
    IMAGE_URL: await uploaded(join(folder, "photo.png")),
    VIDEO_URL: await uploaded(film),
    AUDIO_URL: await uploaded(sound),
  });
}

async function uploaded(path: string): Promise<string> {
  const body = new FormData();
  body.append("file", new Blob([await readFile(path)]), "file");
  const answer = await fetch(`${tollgate.url}/v1/storage/upload`, {
    method: "POST",
    headers: { "x-api-key": customer.secret },
    body,
  });
  const { data } = (await answer.json()) as { readonly data: { readonly url: string } };
  return data.url;
}

async function modelIds(): Promise<string[]> {
  const answer = await fetch(`${tollgate.url}/v1/models`, {
    headers: { "x-api-key": customer.secret },
  });
  const { data } = (await answer.json()) as { data: readonly { id: string; type: string }[] };
  // What is spoken is what is heard.
  const order = ["speech", "transcription"];
  return data.toSorted((a, b) => order.indexOf(a.type) - order.indexOf(b.type)).map(({ id }) => id);
}

const codesOf = (path: string): Promise<string[]> => samplesOf(tollgate.url, path, customer.secret);

test("every curl of the first page and of models answers", { timeout: 300_000 }, async () => {
  const models = await modelIds();
  assert.ok(models.length >= 25);
  for (const path of ["/ru", ...models.map((id) => `/ru/models/${id}`)])
    assert.ok((await runner.run(await codesOf(path))) >= 1, path);
});

for (const [name, rest] of GUIDES)
  test(`every curl of the guide ${name} answers`, { timeout: 300_000 }, async () => {
    for (const language of ["ru", "en"]) {
      runner.variables["ORDER_ID"] = `order-${language}`;
      const ran = await runner.run(await codesOf(`/${language}${rest}`));
      // Errors are a table, and have no code.
      assert.equal(ran > 0, name !== "errors", language);
    }
  });

test(
  "every client of the first page and of the quick start is answered",
  { timeout: 300_000 },
  async (t) => {
    const clients = await createClientRunner(mkdtempSync(join(folder, "clients-")));
    for (const path of ["/ru", "/en/docs"]) {
      const samples = await clientSamplesOf(tollgate.url, path, customer.secret);
      assert.ok(samples.size >= 9, [...samples.keys()].join());
      for (const [client, code] of samples) {
        const answer = await clients.run(client, code);
        if (answer === null) t.diagnostic(`${client}: its SDK is not here, the sample was not run`);
        else assert.match(answer, ECHO, client);
      }
    }
  },
);

test(
  "every body that the reference shows is taken where it says",
  { timeout: 300_000 },
  async () => {
    for (const group of REFERENCE_GROUPS) {
      for (const [endpoint, body] of await bodiesOf(tollgate.url, `/en/docs/api/${group}`)) {
        const answer = await fetch(`${tollgate.url}${endpoint}`, {
          method: "POST",
          headers: { "x-api-key": customer.secret, "content-type": "application/json" },
          body,
        });
        assert.ok(answer.ok, `${endpoint} ${body}: ${await answer.text()}`);
      }
    }
  },
);

test("every table of tasks has an order that is taken", { timeout: 300_000 }, async () => {
  for (const table of TASK_TABLES.keys()) {
    const path = `/ru/docs/tasks/${table.toLowerCase()}`;
    assert.equal(await runner.run(await codesOf(path)), 1, path);
  }
});

/** The same message, truly signed at another time. */
function signedAt(at: string, { headers, body }: Received): object {
  const key = Buffer.from(webhookSecret.slice("whsec_".length), "base64");
  const signed = createHmac("sha256", key).update(`${String(headers["webhook-id"])}.${at}.`);
  const signature = `v1,${signed.update(body).digest("base64")}`;
  return { ...headers, "webhook-timestamp": at, "webhook-signature": signature };
}

test(
  "the samples that verify a webhook believe ours, and nothing that was changed",
  { timeout: 300_000 },
  async (t) => {
    const [first] = await until(
      "a webhook",
      async () => received.length > 0 && received,
      WEBHOOK_PATIENCE_MS,
    );
    assert.ok(first !== undefined);
    const codes = await codesOf("/en/docs/webhooks");
    const node = codes.find((code) => code.includes("timingSafeEqual")) ?? assert.fail("Node.js");
    const python = codes.find((code) => code.includes("compare_digest")) ?? assert.fail("Python");
    const input = JSON.stringify({
      headers: first.headers,
      old: signedAt("1", first),
      body: first.body.toString("base64"),
      secret: webhookSecret,
    });
    await writeFile(
      join(folder, "verify.mjs"),
      `${node}
const { headers, old, body, secret } = JSON.parse(process.argv[2]);
const bytes = Buffer.from(body, "base64");
const other = { ...headers, "webhook-timestamp": String(Number(headers["webhook-timestamp"]) + 1) };
console.log(JSON.stringify([
  isSigned(headers, bytes, secret),
  isSigned(headers, Buffer.concat([bytes, Buffer.from(" ")]), secret),
  isSigned(other, bytes, secret),
  isSigned(old, bytes, secret),
  isSigned({ ...headers, "webhook-signature": "v1,AAAA " + headers["webhook-signature"] }, bytes, secret),
]));
`,
    );
    const expected = [true, false, false, false, true];
    const byNode = await execFileAsync(process.execPath, [join(folder, "verify.mjs"), input]);
    assert.deepEqual(JSON.parse(byNode.stdout), expected);

    await writeFile(
      join(folder, "verify.py"),
      `${python}

import json, sys
asked = json.loads(sys.argv[1])
headers, old, secret = asked["headers"], asked["old"], asked["secret"]
body = base64.b64decode(asked["body"])
other = {**headers, "webhook-timestamp": str(int(headers["webhook-timestamp"]) + 1)}
two = {**headers, "webhook-signature": "v1,AAAA " + headers["webhook-signature"]}
print(json.dumps([
    is_signed(headers, body, secret), is_signed(headers, body + b" ", secret),
    is_signed(other, body, secret), is_signed(old, body, secret), is_signed(two, body, secret),
]))
`,
    );
    const found = await execFileAsync("python3", ["--version"]).catch(() => null);
    if (found === null) {
      t.diagnostic("there is no python3 here: its sample was not run");
      return;
    }
    const byPython = await execFileAsync("python3", [join(folder, "verify.py"), input]);
    assert.deepEqual(JSON.parse(byPython.stdout), expected);
  },
);

test("each sample names this gateway and nothing else that could be called", async () => {
  const { host } = new URL(tollgate.url);
  const known = new Set([host, "opencode.ai"]);
  const paths = ["", ...GUIDES.map(([, rest]) => rest)];
  for (const path of paths.flatMap((rest) => [`/ru${rest}`, `/en${rest}`])) {
    for (const code of await codesOf(path)) {
      const hosts = [...code.matchAll(/https?:\/\/([^/"'\s]+)/g)].map(([, found = ""]) => found);
      assert.deepEqual(
        hosts.filter((found) => !known.has(found)),
        [],
        code,
      );
    }
  }
});
