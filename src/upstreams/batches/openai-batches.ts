/** Batches of a provider that speaks OpenAI's API: a file, a batch of it, files of results. */
import { randomBytes } from "node:crypto";
import type { Outgoing } from "../../net/outgoing.ts";
import type { OpenedBody } from "../../protocol/calls/call-protocol.ts";
import { isRecord } from "../../protocol/json/is-record.ts";
import { readJsonObject } from "../../protocol/json/read-json-object.ts";
import { partsOf } from "../chat-post.ts";
import { callUpstream, openUpstream, requestOf, type UpstreamReply } from "./call-upstream.ts";
import type { BatchTarget, PassResult, UpstreamBatches } from "./upstream-batches.ts";

const ENDED: ReadonlySet<unknown> = new Set(["completed", "failed", "expired", "cancelled"]);
const PAGE = 100;
const MOST_PAGES = 20;
/** Clocks differ. */
const SKEW_SECONDS = 300;

export function createOpenAiBatches(outgoing: Outgoing): UpstreamBatches {
  const at = (target: BatchTarget, path: string): string =>
    `${partsOf(target).path}${path}${partsOf(target).query}`;
  const headersOf = ({ credential }: BatchTarget) => ({ authorization: `Bearer ${credential}` });

  function ask(
    target: BatchTarget,
    method: "GET" | "POST" | "DELETE",
    path: string,
    body?: object,
  ): Promise<UpstreamReply> {
    const sent = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
    const headers = { ...headersOf(target), "content-type": "application/json" };
    return callUpstream(outgoing, requestOf(target, { method, path, headers, ...sent }));
  }

  return {
    frame: { head: "", between: "\n", tail: "\n" },

    writeRequest(customId, target, { path, body }) {
      const url = `/v1${path.slice(partsOf(target).path.length).replace(/\?.*$/s, "")}`;
      const head = `{"custom_id":${JSON.stringify(customId)},"method":"POST","url":${JSON.stringify(url)},"body":`;
      return Buffer.concat([Buffer.from(head), onOneLine(body), Buffer.from("}")]);
    },

    async upload(target, body) {
      const boundary = `tollgate-${randomBytes(16).toString("hex")}`;
      const form = formOf(boundary, body);
      const headers = {
        ...headersOf(target),
        "content-type": `multipart/form-data; boundary=${boundary}`,
      };
      const reply = await callUpstream(
        outgoing,
        requestOf(target, { method: "POST", path: at(target, "/files"), headers, body: form }),
      );
      if (reply.kind === "failed") return { kind: "later", words: reply.words };
      const { id } = reply.body;
      if (reply.status === 200 && typeof id === "string") return { kind: "done", fileId: id };
      const words = wordsOf(reply);
      return isFinal(reply.status) ? { kind: "refused", words } : { kind: "later", words };
    },

    async submit(target, { tag, fileId, path }) {
      const endpoint = `/v1${path.slice(partsOf(target).path.length).replace(/\?.*$/s, "")}`;
      const reply = await ask(target, "POST", at(target, "/batches"), {
        input_file_id: fileId,
        endpoint,
        completion_window: "24h",
        metadata: { tollgate: tag },
      });
      if (reply.kind === "failed") return { kind: "unknown", words: reply.words };
      const { id } = reply.body;
      if (reply.status === 200 && typeof id === "string") return { kind: "made", id };
      const words = wordsOf(reply);
      return isFinal(reply.status) ? { kind: "refused", words } : { kind: "unknown", words };
    },

    async find(target, { tag, since }) {
      const oldest = since.getTime() / 1000 - SKEW_SECONDS;
      let after = "";
      for (let page = 0; page < MOST_PAGES; page++) {
        const query = `limit=${PAGE}${after === "" ? "" : `&after=${encodeURIComponent(after)}`}`;
        const path = at(target, "/batches");
        const reply = await ask(target, "GET", `${path}${path.includes("?") ? "&" : "?"}${query}`);
        if (reply.kind === "failed" || reply.status !== 200) return null;
        const { data, has_more: more } = reply.body;
        const rows = (Array.isArray(data) ? data : []).filter(isRecord);
        const found = rows.find(
          ({ metadata }) => isRecord(metadata) && metadata["tollgate"] === tag,
        );
        if (typeof found?.["id"] === "string") return [found["id"]];
        const last = rows.at(-1);
        if (more !== true || typeof last?.["id"] !== "string") return [];
        if (Number(last["created_at"]) < oldest) return [];
        after = last["id"];
      }
      return [];
    },

    async look(target, id) {
      const reply = await ask(target, "GET", at(target, `/batches/${encodeURIComponent(id)}`));
      if (reply.kind === "failed") return { kind: "later", words: reply.words };
      if (reply.status === 404) return { kind: "gone" };
      if (reply.status !== 200) return { kind: "later", words: wordsOf(reply) };
      const { status, output_file_id: output, error_file_id: errors } = reply.body;
      if (!ENDED.has(status)) return { kind: "running" };
      return {
        kind: "ended",
        results: [output, errors].filter((file) => typeof file === "string"),
      };
    },

    async cancel(target, id) {
      const path = at(target, `/batches/${encodeURIComponent(id)}/cancel`);
      const reply = await ask(target, "POST", path, {});
      // A conflict: it has ended, or was told before.
      return reply.kind === "answered" && (reply.status < 300 || reply.status === 409);
    },

    results: (target, fileId) =>
      openUpstream(
        outgoing,
        requestOf(target, {
          method: "GET",
          path: at(target, `/files/${encodeURIComponent(fileId)}/content`),
          headers: headersOf(target),
        }),
      ),

    readResult: readOpenAiResult,

    async tidy(target, fileIds) {
      for (const id of fileIds)
        await ask(target, "DELETE", at(target, `/files/${encodeURIComponent(id)}`));
    },
  };
}

/** It is certain that nothing was taken. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 409 && status !== 429;
}

/** Its message may repeat a credential; its code does not. */
function wordsOf(reply: Extract<UpstreamReply, { kind: "answered" }>): string {
  const { error } = reply.body;
  const code = isRecord(error) ? error["code"] : undefined;
  const named = typeof code === "string" && /^\w{1,60}$/.test(code) ? ` ${code}` : "";
  return `status ${reply.status}${named}`;
}

function formOf(boundary: string, { sizeBytes, open }: OpenedBody): OpenedBody {
  const head = Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n` +
      `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="requests.jsonl"\r\n` +
      `content-type: application/jsonl\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    sizeBytes: head.length + sizeBytes + tail.length,
    async *open() {
      yield head;
      yield* open();
      yield tail;
    },
  };
}

/** A line break of a JSON text stands between its values, never inside a string. */
function onOneLine(json: Buffer): Buffer {
  if (!json.includes(0x0a) && !json.includes(0x0d)) return json;
  return Buffer.from(json.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte)));
}

function readOpenAiResult(line: Buffer): PassResult | null {
  const reading = readJsonObject(line, ["custom_id", "response"]);
  if (!reading.ok) return null;
  const { value, members } = reading.object;
  const { custom_id: customId, response } = value;
  if (typeof customId !== "string") return null;
  const place = members.find(({ key }) => key === "response");
  if (!isRecord(response) || place === undefined) return { customId, status: null, body: null };
  const inner = line.subarray(place.start, place.end);
  const answer = readJsonObject(inner, ["status_code", "body"]);
  if (!answer.ok) return { customId, status: null, body: null };
  const body = answer.object.members.find(({ key }) => key === "body");
  const status = answer.object.value["status_code"];
  return typeof status === "number" && body !== undefined
    ? { customId, status, body: inner.subarray(body.start, body.end) }
    : { customId, status: null, body: null };
}
