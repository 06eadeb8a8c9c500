/**
 * What a call costs that is no chat, and what it can cost at most: exact, rounded up once, at the
 * end; its lines are the price.
 */
import { assert } from "../../kernel/assert.ts";
import { maxNano, type Nano } from "../../kernel/money.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { CallAmountKind, CallPrice, CallTokenKind } from "./call-price.ts";
import { CALL_TOKEN_KINDS } from "./call-price.ts";
import type { CallCounts, CallUsage } from "./call-usage.ts";
import { BATCH_VARIANT } from "./batch-variant.ts";
import type { TokenKind } from "./chat-price.ts";
import { multiply } from "./decimal.ts";
import type { ExplainedLine, ExplainedPrice } from "./explain-price.ts";
import { eachLine, roundUp, sumOf, tokenLine } from "./explain-price.ts";
import { lookUpAmount } from "./price-task.ts";
import { tokensByKind } from "./tokens-by-kind.ts";

const IN_BATCHES: ReadonlyMap<string, string> = new Map([
  [BATCH_VARIANT.field, BATCH_VARIANT.value],
]);

/** Throws InvariantError where the price says nothing of what was used: it was never sold. */
export function explainCallPrice(price: CallPrice, usage: CallUsage): ExplainedPrice {
  const lines = [...tokenLines(price, usage), ...unitLines(price, usage.counts)].filter(
    ({ amount }) => amount.digits > 0n,
  );
  const { times } = price;
  const sum = sumOf(lines);
  const exact = times === undefined ? sum : multiply(sum, times);
  const multipliers = times === undefined ? [] : [{ when: IN_BATCHES, by: times }];
  return { lines, multipliers, tier: null, exact, priceNano: roundUp(exact) };
}

export function priceCall(price: CallPrice, usage: CallUsage): Nano {
  return explainCallPrice(price, usage).priceNano;
}

/** What is known of a call before it is made. */
export interface CallBound {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly counts: CallCounts;
}

/** The most that it can cost, whichever kinds its upstream counts the tokens into. */
export function priceCallAtMost(price: CallPrice, bound: CallBound): Nano {
  const { amounts, ...rest } = price;
  const dearest = new Map(amounts);
  for (const side of ["input", "output"] as const) {
    const kinds = CALL_TOKEN_KINDS.filter((kind) => sideOf(kind) === side);
    const most = kinds.reduce<Nano | null>((highest, kind) => {
      const amount = amounts.get(kind);
      return amount === undefined ? highest : maxNano(highest ?? amount, amount);
    }, null);
    if (most !== null) dearest.set(side, most);
  }
  const { inputTokens, outputTokens, counts } = bound;
  return priceCall(
    { ...rest, amounts: dearest },
    { tokens: { ...NO_USAGE, inputTokens, outputTokens }, counts },
  );
}

/**
 * What a call costs the operator; null where the catalogue does not say it, or the call was counted
 * in something else.
 */
export function costOfCall(cost: CallPrice | null, usage: CallUsage): Nano | null {
  if (cost === null || !isCounted(cost, usage.counts)) return null;
  return priceCall(cost, usage);
}

function isCounted({ amounts, image }: CallPrice, counts: CallCounts): boolean {
  if (amounts.has("documents1000") && counts.documents === undefined) return false;
  if (amounts.has("characters1M") && counts.characters === undefined) return false;
  if (amounts.has("second") && counts.milliseconds === undefined) return false;
  if (image === undefined) return true;
  return counts.images !== undefined && typeof lookUpAmount(image, counts.image ?? {}) === "bigint";
}

function sideOf(kind: TokenKind): "input" | "output" {
  return kind === "output" ||
    kind === "imageOutput" ||
    kind === "audioOutput" ||
    kind === "reasoning"
    ? "output"
    : "input";
}

/** None where the price counts something else. */
function tokenLines({ amounts }: CallPrice, { tokens }: CallUsage): ExplainedLine[] {
  if (!CALL_TOKEN_KINDS.some((kind) => amounts.has(kind))) return [];
  return tokensByKind(tokens)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => {
      const own = amounts.get(kind as CallTokenKind) ?? amounts.get(sideOf(kind));
      assert(own !== undefined, `tokens of ${kind} have a price where they are sold`);
      return tokenLine(kind, count, own);
    });
}

/** What each amount is for, images apart, in the words of lines. */
export function priceRows({
  amounts,
}: CallPrice): Pick<ExplainedLine, "what" | "per" | "unitNano">[] {
  return [...amounts].map(([kind, unitNano]) => {
    const [what, per] = UNIT_WORDS[kind] ?? [kind, "1M tokens" as const];
    return { what, per, unitNano };
  });
}

const UNIT_WORDS: Readonly<
  Partial<Record<CallAmountKind, readonly [what: string, per: ExplainedLine["per"]]>>
> = {
  request: ["request", "each"],
  documents1000: ["documents", "1K documents"],
  characters1M: ["characters", "1M characters"],
  second: ["second", "each"],
};

function unitLines({ amounts, image }: CallPrice, counts: CallCounts): ExplainedLine[] {
  const line = (kind: CallAmountKind, make: (amount: Nano) => ExplainedLine): ExplainedLine[] => {
    const amount = amounts.get(kind);
    return amount === undefined ? [] : [make(amount)];
  };
  return [
    ...line("request", (amount) => eachLine("request", 1, amount)),
    ...line("documents1000", (amount) =>
      scaledLine("documents", known(counts.documents), amount, "1K documents", 3),
    ),
    ...line("characters1M", (amount) =>
      scaledLine("characters", known(counts.characters), amount, "1M characters", 6),
    ),
    ...line("second", (amount) => secondsLine(known(counts.milliseconds), amount)),
    ...(image === undefined ? [] : imageLines(image, counts)),
  ];
}

function imageLines(table: NonNullable<CallPrice["image"]>, counts: CallCounts): ExplainedLine[] {
  const amount = lookUpAmount(table, counts.image ?? {});
  assert(typeof amount === "bigint", "an image has a price where it is sold");
  return [eachLine("image", known(counts.images), amount)];
}

function known(count: number | undefined): number {
  assert(count !== undefined, "what a price counts was counted");
  return count;
}

function scaledLine(
  what: string,
  count: number,
  unitNano: Nano,
  per: ExplainedLine["per"],
  scale: number,
): ExplainedLine {
  const digits = BigInt(count);
  return {
    what,
    quantity: { digits, scale: 0 },
    unitNano,
    per,
    amount: { digits: digits * unitNano, scale },
  };
}

function secondsLine(milliseconds: number, unitNano: Nano): ExplainedLine {
  const quantity = { digits: BigInt(milliseconds), scale: 3 };
  return {
    what: "second",
    quantity,
    unitNano,
    per: "each",
    amount: { digits: quantity.digits * unitNano, scale: 3 },
  };
}
