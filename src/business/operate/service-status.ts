/**
 * How the models fare, as everybody may know: whether their routes work now, and which share of
 * their requests was answered on each of the last days. No counts: those are the operator's. How fast they are is
 * told by today and yesterday: sums of days have no times.
 */
import type { Catalogue, Model } from "../../catalogue/catalogue.ts";
import type { Queryable } from "../../db/database.ts";
import type { Clock } from "../../kernel/clock.ts";
import { readCircuits, type ProcessCircuits } from "./circuits.store.ts";
import {
  modelDaysBefore,
  modelsOfDay,
  type ModelDay,
  type ModelDayTimes,
} from "./model-days.store.ts";
import { routesOut, type OutKey } from "./routes-out.store.ts";

/** `impaired`: some routes are left alone, others work. */
export type ModelHealth = "works" | "impaired" | "down";

export interface ModelStatus {
  readonly id: string;
  readonly displayName: string;
  /** Null: no process has been heard of. */
  readonly health: ModelHealth | null;
  /** The share that was answered, 0 to 1, oldest day first; null: too few requests to tell. */
  readonly days: readonly (number | null)[];
  /** Of all these days; null: too few. */
  readonly share: number | null;
  /** The mean of today and yesterday, to the first token; null: too few had one. */
  readonly firstTokenMs: number | null;
  /**
   * Of the answers of these two days that came whole, as written tokens for each second from the
   * request to its end; null: too few.
   */
  readonly tokensPerSecond: number | null;
}

export interface ServiceStatus {
  /** `2026-11-27`, oldest first; the last is today. */
  readonly days: readonly string[];
  readonly models: readonly ModelStatus[];
}

export interface ServiceStatusDeps {
  readonly db: Queryable;
  readonly clock: Pick<Clock, "now">;
  readonly catalogue: { current(): { readonly catalogue: Catalogue } };
}

const DAYS = 30;
/**
 * Fewer tell of one customer's luck, not of the model, and would tell strangers what that customer
 * did.
 */
const LEAST_OF_DAY = 20;
const LEAST_IN_ALL = 100;
const DAY_MS = 24 * 3_600_000;
/** Days are Moscow's, which has had no other offset since 2014. */
const MOSCOW_MS = 3 * 3_600_000;

/** Days that are over are read once: what it returns asks for the current one alone. */
export function createServiceStatus(deps: ServiceStatusDeps): () => Promise<ServiceStatus> {
  const { db, clock, catalogue } = deps;
  let before: DaysBefore | null = null;

  async function daysBefore(days: readonly string[]): Promise<DaysBefore> {
    const today = days.at(-1) ?? "";
    if (before?.today !== today)
      before = {
        today,
        rows: await modelDaysBefore(db, days[0] ?? today, today),
        yesterday: await modelsOfDay(db, days.at(-2) ?? today),
      };
    return before;
  }

  return async () => {
    const days = lastDays(clock.now());
    const earlier = await daysBefore(days);
    const [current, processes, out] = await Promise.all([
      modelsOfDay(db, days.at(-1) ?? ""),
      readCircuits(db),
      routesOut(db),
    ]);
    const byModel = Map.groupBy([...earlier.rows, ...current], ({ model }) => model);
    const timed = Map.groupBy([...earlier.yesterday, ...current], ({ model }) => model);
    return {
      days,
      models: [...catalogue.current().catalogue.models.values()].map((model) => ({
        id: model.id,
        displayName: model.displayName ?? model.id,
        health: healthOf(model, processes, out),
        ...sharesOf(days, byModel.get(model.id) ?? []),
        ...speedOf(timed.get(model.id) ?? []),
      })),
    };
  };
}

interface DaysBefore {
  readonly today: string;
  readonly rows: readonly ModelDay[];
  readonly yesterday: readonly ModelDayTimes[];
}

function lastDays(now: Date): string[] {
  return Array.from({ length: DAYS }, (_, at) =>
    new Date(now.getTime() + MOSCOW_MS - (DAYS - 1 - at) * DAY_MS).toISOString().slice(0, 10),
  );
}

/**
 * By the processes that call its routes: chats are called by the api, tasks by the worker. What
 * operators took out is called by none.
 */
export function healthOf(
  { routes }: Pick<Model, "routes">,
  processes: readonly Pick<ProcessCircuits, "routes">[],
  out: readonly OutKey[] = [],
): ModelHealth | null {
  if (processes.length === 0) return null;
  const names = routes.map(({ upstream, model }) => `${upstream}/${model}`);
  const gone = new Set(
    routes
      .filter((route) =>
        out.some(
          ({ upstream, upstreamModel }) =>
            upstream === route.upstream && (upstreamModel ?? route.model) === route.model,
        ),
      )
      .map(({ upstream, model }) => `${upstream}/${model}`),
  );
  if (gone.size === names.length) return "down";
  const isOut = (process: (typeof processes)[number], name: string): boolean =>
    gone.has(name) || (process.routes[name] ?? 0) > 0;
  const seen = processes
    .filter((process) => names.some((name) => process.routes[name] !== undefined))
    .map((process) => names.filter((name) => isOut(process, name)).length);
  if (gone.size === 0 && seen.every((count) => count === 0)) return "works";
  const none = seen.length > 0 && seen.every((count) => count === names.length);
  return none ? "down" : "impaired";
}

function sharesOf(
  days: readonly string[],
  rows: readonly ModelDay[],
): Pick<ModelStatus, "days" | "share"> {
  return {
    days: days.map((day) => {
      const own = rows.filter((row) => row.day === day);
      return shareOf(own, LEAST_OF_DAY);
    }),
    share: shareOf(rows, LEAST_IN_ALL),
  };
}

function speedOf(
  rows: readonly ModelDayTimes[],
): Pick<ModelStatus, "firstTokenMs" | "tokensPerSecond"> {
  const sum = (of: (row: ModelDayTimes) => bigint): number =>
    Number(rows.reduce((all, row) => all + of(row), 0n));
  const firsts = sum((row) => row.firsts);
  const lastedMs = sum((row) => row.lastedMs);
  const enough = sum((row) => row.whole) >= LEAST_IN_ALL && lastedMs > 0;
  return {
    firstTokenMs: firsts < LEAST_IN_ALL ? null : Math.round(sum((row) => row.firstMs) / firsts),
    tokensPerSecond: enough
      ? Math.round((sum((row) => row.outputTokens) * 10_000) / lastedMs) / 10
      : null,
  };
}

function shareOf(rows: readonly ModelDay[], least: number): number | null {
  const ended = rows.reduce((sum, row) => sum + Number(row.ended), 0);
  const failed = rows.reduce((sum, row) => sum + Number(row.failed), 0);
  return ended < least ? null : (ended - failed) / ended;
}
