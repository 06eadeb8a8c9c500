/**
 * Where the money of one request went: held, held more, taken, given back, each with its time and
 * what was held after it.
 */
import type { TrailStep } from "../../../contract/panel/panel-request.ts";
import { formatRoubles, ZERO_NANO, type Nano } from "../../../kernel/money.ts";
import { isRecord } from "../../../protocol/json/is-record.ts";

export interface EndEntry {
  readonly entryId: string;
  readonly at: Date;
  readonly amountNano: Nano;
  readonly heldNano: Nano | null;
  readonly releasedNano: Nano | null;
}

export interface TrailStart {
  readonly at: Date;
  /** What was held at last; of what has ended the entry knows it better. */
  readonly heldNano: Nano;
  /** Of a chat request's receipt. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/**
 * `end`: the entry that ended the hold; null while it is held. A hold whose growth was not noted
 * appears as it was at last.
 */
export function moneyTrail(
  { at, heldNano, detail }: TrailStart,
  end: EndEntry | null,
): TrailStep[] {
  const lastNano = end?.heldNano ?? heldNano;
  const steps: TrailStep[] = [];
  let nowNano = ZERO_NANO;
  const step = (
    kind: TrailStep["kind"],
    moment: Date,
    changeNano: bigint,
    entryId: string | null,
  ): void => {
    nowNano = (nowNano + changeNano) as Nano;
    const amountNano = (changeNano < 0n ? -changeNano : changeNano) as Nano;
    steps.push({
      kind,
      at: moment.toISOString(),
      amount: formatRoubles(amountNano),
      heldAfter: formatRoubles(nowNano),
      entryId,
    });
  };
  const raises = raisesOf(detail);
  step(
    "hold",
    at,
    raises.length === 0 ? lastNano : (nanoOf(detail["firstHeldNano"]) ?? lastNano),
    null,
  );
  for (const raise of raises) {
    if (raise.heldNano > nowNano)
      step("growth", new Date(at.getTime() + raise.ms), raise.heldNano - nowNano, null);
  }
  if (end === null) return steps;
  // What was held between two notes, or after the last of them.
  if (lastNano > nowNano) step("growth", end.at, lastNano - nowNano, null);
  if (end.amountNano > 0n) step("charge", end.at, -end.amountNano, end.entryId);
  if ((end.releasedNano ?? ZERO_NANO) > 0n)
    step("release", end.at, -(end.releasedNano ?? ZERO_NANO), end.entryId);
  return steps;
}

function raisesOf(
  detail: TrailStart["detail"],
): { readonly ms: number; readonly heldNano: Nano }[] {
  const { raises } = detail;
  if (!Array.isArray(raises)) return [];
  return raises.filter(isRecord).flatMap(({ ms, heldNano }) => {
    const held = nanoOf(heldNano);
    return typeof ms === "number" && held !== null ? [{ ms, heldNano: held }] : [];
  });
}

function nanoOf(value: unknown): Nano | null {
  return typeof value === "string" && /^\d{1,19}$/.test(value) ? (BigInt(value) as Nano) : null;
}
