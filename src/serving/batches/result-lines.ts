/** What became of each line, as the results of the vendors' batches say it. */
import type { EndedLine } from "../../batches/batch-record.ts";
import type { BatchShape } from "../../contract/enums/batch-state.ts";
import { formatRequestId, type Uuid } from "../../kernel/ids.ts";

/** One line of a result file, its end included. */
export function resultLine(shape: BatchShape, batchId: Uuid, line: EndedLine): Buffer {
  return shape === "anthropic" ? messageResult(line) : fileResult(batchId, line);
}

const NEVER_RAN = {
  canceled: {
    code: "batch_cancelled",
    message: "This request was not executed because the batch was cancelled.",
  },
  expired: {
    code: "batch_expired",
    message: "This request could not be executed before the completion window expired.",
  },
} as const;

function fileResult(batchId: Uuid, line: EndedLine): Buffer {
  const { lineNo, customId, state, status, requestId, answer } = line;
  const id = `batch_req_${batchId.replaceAll("-", "")}_${lineNo}`;
  const head = `{"id":${JSON.stringify(id)},"custom_id":${JSON.stringify(customId)},`;
  if (state === "canceled" || state === "expired")
    return Buffer.from(`${head}"response":null,"error":${JSON.stringify(NEVER_RAN[state])}}\n`);
  const request = requestId === null ? id : formatRequestId(requestId);
  return Buffer.concat([
    Buffer.from(
      `${head}"response":{"status_code":${status},"request_id":${JSON.stringify(request)},"body":`,
    ),
    onOneLine(answer),
    Buffer.from('},"error":null}\n'),
  ]);
}

function messageResult({ customId, state, answer }: EndedLine): Buffer {
  const head = `{"custom_id":${JSON.stringify(customId)},"result":{"type":"${state}"`;
  if (answer === null) return Buffer.from(`${head}}}\n`);
  return Buffer.concat([
    Buffer.from(`${head},"${state === "succeeded" ? "message" : "error"}":`),
    onOneLine(answer),
    Buffer.from("}}\n"),
  ]);
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/** A line break of a JSON text stands between its values, never inside a string. */
function onOneLine(answer: Buffer | null): Buffer {
  if (answer === null) return Buffer.from("null");
  if (!answer.includes(LINE_FEED) && !answer.includes(CARRIAGE_RETURN)) return answer;
  return Buffer.from(
    answer.map((byte) => (byte === LINE_FEED || byte === CARRIAGE_RETURN ? SPACE : byte)),
  );
}
