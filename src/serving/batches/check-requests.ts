/**
 * Reads the requests of a message batch: what each may cost, or what is wrong with the batch, in the
 * words of the Messages protocol.
 */
import { Fault, toFault } from "../../kernel/faults.ts";
import { ZERO_NANO } from "../../kernel/money.ts";
import { isRecord } from "../../protocol/json/is-record.ts";
import { readJsonObject } from "../../protocol/json/read-json-object.ts";
import { LINE_LIMIT_BYTES, MOST_LINES } from "./batch-limits.ts";
import type { CheckedLine } from "./passes/assign-passes.ts";
import { quoteLine, type LineAsker } from "./quote-line.ts";
import { refusalOf } from "./refusal-of.ts";
import { splitRequests, type SplitRequest } from "./split-requests.ts";
import { createWorkSlices } from "./work-slices.ts";

const CUSTOM_ID = /^[a-zA-Z0-9_-]{1,64}$/;
const GUARDED = ["custom_id", "params"];

/** A request, and where its parameters lie in the body. */
interface Entry {
  readonly customId: string;
  readonly firstByte: number;
  readonly params: Buffer;
}

/**
 * Throws Fault("invalid_request") for a body that is no list of requests, what the source ends in,
 * and faults that no request is to blame for.
 */
export async function checkRequests(
  source: AsyncIterable<Buffer>,
  asker: LineAsker,
  signal: AbortSignal,
): Promise<readonly CheckedLine[]> {
  const lines: CheckedLine[] = [];
  const seen = new Set<string>();
  const slices = createWorkSlices();

  async function check(request: SplitRequest): Promise<void> {
    signal.throwIfAborted();
    if (lines.length === MOST_LINES)
      throw refused("requests", `requests: a batch has ${MOST_LINES} requests at most.`);
    const { customId, firstByte, params } = readEntry(request, seen);
    const line = { lineNo: lines.length + 1, customId, firstByte, bytes: params.length };
    try {
      lines.push({ ...line, ...(await quoteLine(asker, params)), refused: null });
    } catch (error) {
      const fault = toFault(error);
      if (fault.status >= 500) throw error;
      lines.push({
        ...line,
        quoteNano: ZERO_NANO,
        via: null,
        refused: refusalOf("anthropic", fault, null),
      });
    }
    await slices.pause();
  }

  const frame = await splitRequests(source, LINE_LIMIT_BYTES, check);
  checkFrame(frame);
  return lines;
}

/** What stands around the requests, each of which is `{}` there. */
function checkFrame(frame: Buffer): void {
  const reading = readJsonObject(frame, ["requests"]);
  if (!reading.ok) throw reading.fault;
  const { requests } = reading.object.value;
  if (!Array.isArray(requests) || requests.length === 0)
    throw refused("requests", "requests: a list of at least one request is expected.");
  const other = requests.findIndex((request) => !isRecord(request));
  if (other !== -1) throw refused(`requests.${other}`, `requests.${other}: an object is expected.`);
}

function readEntry({ index, firstByte, bytes }: SplitRequest, seen: Set<string>): Entry {
  const at = `requests.${index}`;
  if (bytes === null)
    throw refused(at, `${at}: a request has ${LINE_LIMIT_BYTES / 1024 / 1024} MB at most.`);
  const reading = readJsonObject(bytes, GUARDED, true);
  if (!reading.ok) throw refused(at, `${at}: ${reading.fault.message}`);
  const { value, members } = reading.object;
  const { custom_id: customId, params } = value;
  if (typeof customId !== "string" || !CUSTOM_ID.test(customId))
    throw refused(
      `${at}.custom_id`,
      `${at}.custom_id: 1 to 64 letters, digits, hyphens and underscores are expected.`,
    );
  if (seen.has(customId))
    throw refused(`${at}.custom_id`, `${at}.custom_id: "${customId}" is there more than once.`);
  seen.add(customId);
  const member = members.find(({ key }) => key === "params");
  if (!isRecord(params) || member === undefined)
    throw refused(`${at}.params`, `${at}.params: the body of a message is expected.`);
  const { start, end } = member;
  return { customId, firstByte: firstByte + start, params: bytes.subarray(start, end) };
}

function refused(param: string, message: string): Fault {
  return new Fault("invalid_request", { message, param });
}
