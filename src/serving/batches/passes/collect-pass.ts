/** Reads what an upstream's batch came to, and ends its lines one by one, each once. */
import type { Readable } from "node:stream";
import { passedLines, takeLineBack, type PassRecord } from "../../../batches/passes.store.ts";
import type { Db } from "../../../db/database.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import type { PassResult } from "../../../upstreams/batches/upstream-batches.ts";
import { endPassedLine } from "../end-line.ts";
import { splitLines } from "../split-lines.ts";
import { createWorkSlices } from "../work-slices.ts";
import { leasedLine } from "./compose-pass.ts";
import type { PassLines } from "./pass-lines.ts";
import { lineOfTag } from "./pass-tag.ts";

/** As long as an answer over HTTP may be. */
const RESULT_LIMIT_BYTES = 64 * 1024 * 1024;

export interface Collection {
  readonly db: Db;
  readonly lines: PassLines;
  readResult(line: Buffer): PassResult | null;
  onLine(outcome: string): void;
}

/** Throws what the results end in; then they are read again from the beginning. */
export async function collectResults(
  { db, lines, readResult, onLine }: Collection,
  pass: PassRecord,
  leaseId: Uuid,
  results: Readable,
): Promise<void> {
  const slices = createWorkSlices();
  try {
    for await (const { bytes } of splitLines(
      results as AsyncIterable<Buffer>,
      RESULT_LIMIT_BYTES,
    )) {
      const result = bytes === null || bytes.length === 0 ? null : readResult(bytes);
      if (result !== null) onLine(await take(result));
      await slices.pause();
    }
  } finally {
    results.destroy();
  }

  async function take({ customId, status, body }: PassResult): Promise<string> {
    const lineNo = lineOfTag(pass, customId);
    if (lineNo === null) return "lost";
    const [row] = await passedLines(db, pass, { after: lineNo - 1, upTo: lineNo, limit: 1 });
    if (row === undefined) return "lost";
    if (status === null || body === null) return back(lineNo);
    const line = leasedLine(pass, row, leaseId);
    const outcome = await lines.settle(line, { status, body });
    if (outcome.kind === "again") return back(lineNo);
    const ended = await endPassedLine(db, pass, line, outcome);
    return ended === "lost" ? "lost" : outcome.answer.state;
  }

  async function back(lineNo: number): Promise<string> {
    await takeLineBack(db, pass, lineNo);
    return "again";
  }
}
