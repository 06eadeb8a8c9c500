/**
 * Reads a file of requests to its end: what each line may cost, or what is wrong with the file, in
 * the words of the OpenAI protocol.
 */
import type { FileMistake } from "../../batches/batch-record.ts";
import type { BatchEndpoint } from "../../contract/enums/batch-endpoint.ts";
import { toFault, type Fault } from "../../kernel/faults.ts";
import { ZERO_NANO } from "../../kernel/money.ts";
import { LEFT_STRING_BYTES } from "../../protocol/json/long-strings.ts";
import { readJsonObject, type JsonObject } from "../../protocol/json/read-json-object.ts";
import { isRecord } from "../../protocol/json/is-record.ts";
import { CUSTOM_ID_LIMIT, LINE_LIMIT_BYTES, MOST_LINES, MOST_MISTAKES } from "./batch-limits.ts";
import { BATCH_URLS } from "./batch-urls.ts";
import type { CheckedLine } from "./passes/assign-passes.ts";
import { quoteLine, type LineAsker } from "./quote-line.ts";
import { refusalOf } from "./refusal-of.ts";
import { splitLines, type ReadLine } from "./split-lines.ts";
import { createWorkSlices } from "./work-slices.ts";

export type FileCheck =
  | { readonly ok: true; readonly lines: readonly CheckedLine[] }
  | { readonly ok: false; readonly mistakes: readonly FileMistake[]; readonly total: number };

const GUARDED = ["custom_id", "method", "url", "body"];
// eslint-disable-next-line no-control-regex -- They are what is looked for.
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;

/** Refusals that the vendor tells of the file, and not in its results: no line of it could run. */
const OF_THE_FILE: ReadonlySet<string> = new Set([
  "model_not_found",
  "wrong_endpoint",
  "permission_denied",
]);

interface LineHead {
  readonly customId: string;
  /** Where its body lies in the line. */
  readonly start: number;
  readonly end: number;
}

/** Throws what the source ends in, and faults that no line is to blame for. */
export async function checkFile(
  source: AsyncIterable<Buffer>,
  asker: LineAsker,
): Promise<FileCheck> {
  const lines: CheckedLine[] = [];
  const mistakes: FileMistake[] = [];
  const customIds = new Set<string>();
  let total = 0;
  const slices = createWorkSlices();

  async function check(line: ReadLine, bytes: Buffer): Promise<CheckedLine | FileMistake> {
    const head = readHead(bytes, asker.endpoint);
    if ("code" in head) return { ...head, line: line.lineNo };
    if (customIds.has(head.customId))
      return mistake(
        "duplicate_custom_id",
        `The custom_id "${shown(head.customId)}" is used by another line. Each has to be there once.`,
        "custom_id",
        line.lineNo,
      );
    customIds.add(head.customId);
    const body = bytes.subarray(head.start, head.end);
    const written = {
      lineNo: line.lineNo,
      customId: head.customId,
      firstByte: line.firstByte + head.start,
      bytes: head.end - head.start,
    };
    try {
      return { ...written, ...(await quoteLine(asker, body)), refused: null };
    } catch (error) {
      const fault = ofTheCaller(error);
      if (OF_THE_FILE.has(fault.code))
        return mistake(fault.code, fault.message, fault.details.param ?? null, line.lineNo);
      return {
        ...written,
        quoteNano: ZERO_NANO,
        via: null,
        refused: refusalOf("openai", fault, null),
      };
    }
  }

  for await (const line of splitLines(source, LINE_LIMIT_BYTES)) {
    if (line.bytes?.length === 0) continue;
    total += 1;
    if (total > MOST_LINES) {
      mistakes.push(
        mistake("too_many_requests", `A file has ${MOST_LINES} requests at most.`, null, null),
      );
      break;
    }
    const checked = line.bytes === null ? tooLong(line.lineNo) : await check(line, line.bytes);
    if ("code" in checked) mistakes.push(checked);
    else lines.push(checked);
    if (mistakes.length === MOST_MISTAKES) break;
    await slices.pause();
  }
  if (total === 0) mistakes.push(mistake("empty_file", "The file has no requests.", null, null));
  return mistakes.length === 0 ? { ok: true, lines } : { ok: false, mistakes, total };
}

function readHead(bytes: Buffer, endpoint: BatchEndpoint): LineHead | FileMistake {
  // What is long of a large line is looked at with its body.
  const reading = readJsonObject(bytes, GUARDED, true);
  if (!reading.ok)
    return mistake(
      reading.fault.details.param === undefined ? "invalid_json_line" : "invalid_request",
      `This line cannot be read. ${reading.fault.message}`,
      reading.fault.details.param ?? null,
    );
  const { value, members } = reading.object;
  for (const name of GUARDED)
    if (value[name] === undefined)
      return mistake("missing_required_parameter", `${name} is missing.`, name);
  const { custom_id: customId, method, url, body } = value;
  if (
    typeof customId !== "string" ||
    customId === "" ||
    isLeft(reading.object, "custom_id") ||
    customId.length > CUSTOM_ID_LIMIT ||
    CONTROL_CHARACTERS.test(customId) ||
    !customId.isWellFormed()
  )
    return mistake(
      "invalid_custom_id",
      `custom_id is a text of 1 to ${CUSTOM_ID_LIMIT} characters, without control characters.`,
      "custom_id",
    );
  if (method !== "POST") return mistake("invalid_method", 'method has to be "POST".', "method");
  if (url !== BATCH_URLS[endpoint])
    return mistake(
      "mismatched_endpoint",
      `url has to be "${BATCH_URLS[endpoint]}", which the batch is for: all lines have one endpoint.`,
      "url",
    );
  const member = members.find(({ key }) => key === "body");
  if (!isRecord(body) || member === undefined)
    return mistake("invalid_body", "body has to be a JSON object.", "body");
  return { customId, start: member.start, end: member.end };
}

/** It is longer than any name, and a stand-in is in its place. */
function isLeft({ long, members }: JsonObject, name: string): boolean {
  const member = members.find(({ key }) => key === name);
  return long !== null && member !== undefined && member.end - member.start > LEFT_STRING_BYTES;
}

/** What the line is not to blame for ends the reading. */
function ofTheCaller(error: unknown): Fault {
  const fault = toFault(error);
  if (fault.status >= 500) throw error;
  return fault;
}

function tooLong(line: number): FileMistake {
  const megabytes = LINE_LIMIT_BYTES / 1024 / 1024;
  return mistake("line_too_long", `A line has ${megabytes} MB at most.`, null, line);
}

function mistake(
  code: string,
  message: string,
  param: string | null,
  line: number | null = null,
): FileMistake {
  return { code, message, param, line };
}

const LONGEST_SHOWN = 80;

function shown(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}
