/** How a pass is named at its upstream, and its lines in what is sent. */
import type { PassKey } from "../../../batches/passes.store.ts";

export function passTag({ batchId, passNo }: PassKey): string {
  return `${batchId.replaceAll("-", "")}-${passNo}`;
}

export function lineTag(pass: PassKey, lineNo: number): string {
  return `${passTag(pass)}-${lineNo}`;
}

/** Null for what is no line of this pass. */
export function lineOfTag(pass: PassKey, tag: string): number | null {
  const head = `${passTag(pass)}-`;
  const digits = tag.slice(head.length);
  return tag.startsWith(head) && /^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : null;
}
