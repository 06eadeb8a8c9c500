/** Writes what is sent to an upstream for a pass: its lines as they would be sent one by one, kept in the storage while they are sent. */
import { Readable } from "node:stream";
import type { LeasedLine } from "../../../batches/batch-record.ts";
import {
  passedLines,
  takeLineBack,
  type PassLine,
  type PassRecord,
} from "../../../batches/passes.store.ts";
import type { Db } from "../../../db/database.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import type { OpenedBody } from "../../../protocol/calls/call-protocol.ts";
import type { BatchTarget, UpstreamBatches } from "../../../upstreams/batches/upstream-batches.ts";
import type { Intake } from "../../files/intake.ts";
import { createWorkSlices } from "../work-slices.ts";
import { lineTag } from "./pass-tag.ts";
import type { PassLines } from "./pass-lines.ts";

export interface ComposedPass {
  readonly body: OpenedBody;
  readonly lines: number;
  /** That all of them have. */
  readonly path: string;
  discard(): Promise<void>;
}

const ROWS_AT_ONCE = 100;

/** A line as the services take it; no lease is behind it. */
export function leasedLine(pass: PassRecord, line: PassLine, leaseId: Uuid): LeasedLine {
  const { accountId, batchId, keyId, shape, endpoint, inputName, passedOn, priceVersion } = pass;
  return {
    ...line,
    accountId,
    batchId,
    leaseId,
    tries: 1,
    keyId,
    shape,
    endpoint,
    inputName,
    passedOn,
    priceVersion,
  };
}

/** Null: none of its lines can be sent. What cannot goes back. */
export async function composePass(
  { db, intake }: { readonly db: Db; readonly intake: Intake },
  pass: PassRecord,
  leaseId: Uuid,
  to: {
    readonly batches: UpstreamBatches;
    readonly target: BatchTarget;
    readonly lines: PassLines;
    readonly signal: AbortSignal;
  },
): Promise<ComposedPass | null> {
  const { batches, target, signal } = to;
  const { frame } = batches;
  const slices = createWorkSlices();
  let count = 0;
  let path: string | null = null;

  async function* pieces(): AsyncGenerator<Buffer> {
    for (let after = 0; ;) {
      const page = await passedLines(db, pass, { after, limit: ROWS_AT_ONCE });
      for (const line of page) {
        after = line.lineNo;
        const request = await to.lines.record(leasedLine(pass, line, leaseId));
        if (request === null || (path !== null && request.path !== path)) {
          await takeLineBack(db, pass, line.lineNo);
          continue;
        }
        path = request.path;
        yield Buffer.concat([
          Buffer.from(count === 0 ? frame.head : frame.between),
          batches.writeRequest(lineTag(pass, line.lineNo), target, request),
        ]);
        count += 1;
        await slices.pause();
      }
      if (page.length < ROWS_AT_ONCE) break;
    }
    yield Buffer.from(frame.tail);
  }

  const received = await intake.receive({
    accountId: pass.accountId,
    keyId: pass.keyId,
    origin: "result",
    purpose: "batch_part",
    fileName: "pass.jsonl",
    limitBytes: Number.MAX_SAFE_INTEGER,
    source: Readable.from(pieces()),
    signal,
  });
  if (path === null) {
    await received.discard();
    return null;
  }
  return {
    body: {
      sizeBytes: received.bytes,
      async *open() {
        yield* (await received.open()) as AsyncIterable<Buffer>;
      },
    },
    lines: count,
    path,
    discard: () => received.discard(),
  };
}
