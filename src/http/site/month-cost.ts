/** What thirty days of like requests cost with each chat model, by the code that charges. */
import type { PanelModel } from "../../contract/panel/panel-model.ts";
import { compileTariff } from "../../contract/price/compile-tariff.ts";
import { priceChat } from "../../contract/price/price-chat.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import { formatRoubles, type Nano } from "../../kernel/money.ts";

/** What a visitor asks the calculator. */
export interface Habit {
  readonly requestsPerDay: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the input, 0 to 100. */
  readonly cachedPercent: number;
}

export const USUAL_HABIT: Habit = {
  requestsPerDay: 1000,
  inputTokens: 1200,
  outputTokens: 300,
  cachedPercent: 0,
};

/** Beyond them no sum would be read. */
export const HABIT_BOUNDS: Readonly<Record<keyof Habit, number>> = {
  requestsPerDay: 10_000_000,
  inputTokens: 10_000_000,
  outputTokens: 1_000_000,
  cachedPercent: 100,
};

const DAYS = 30n;

export interface MonthCost {
  readonly model: PanelModel;
  readonly nano: bigint;
  /** Decimal roubles. */
  readonly amount: string;
}

/** In the order of the models; those that are no chat are left out. */
export function monthCosts(models: readonly PanelModel[], habit: Habit): readonly MonthCost[] {
  const cachedInputTokens = Math.floor((habit.inputTokens * habit.cachedPercent) / 100);
  const usage = {
    ...NO_USAGE,
    inputTokens: habit.inputTokens - cachedInputTokens,
    cachedInputTokens,
    outputTokens: habit.outputTokens,
  };
  const requests = BigInt(habit.requestsPerDay) * DAYS;
  return models.flatMap((model) => {
    if (model.price.kind !== "chat") return [];
    const { kind: _kind, ...price } = model.price;
    // A sum for people, beyond what a ledger takes at once.
    const nano = priceChat(compileTariff(price), usage) * requests;
    return [{ model, nano, amount: formatRoubles(nano as Nano) }];
  });
}

/** What is no number of its field counts as usual; one beyond the bounds as the bound. */
export function readHabit(asked: Readonly<Partial<Record<keyof Habit, string>>>): Habit {
  const read = (name: keyof Habit): number => {
    const text = asked[name]?.trim() ?? "";
    return /^\d{1,12}$/.test(text) ? Math.min(Number(text), HABIT_BOUNDS[name]) : USUAL_HABIT[name];
  };
  return {
    requestsPerDay: read("requestsPerDay"),
    inputTokens: read("inputTokens"),
    outputTokens: read("outputTokens"),
    cachedPercent: read("cachedPercent"),
  };
}
