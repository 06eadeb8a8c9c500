/** The replica that lists are read from: whether it is one, and how far behind. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Queryable } from "../../db/database.ts";
import type { ReplicaTrouble } from "../../db/replica.ts";
import { readPrimaryPlace, readStandbyPlace, replicaMistake } from "../../db/replica-state.ts";
import type { Check } from "./doctor-deps.ts";
import { fine, warning, type Remark, type Words } from "./finding.ts";

/** A check has a deadline, so a longer bound is not waited for. */
const LONGEST_WAIT_MS = 8_000;
const PAUSE_MS = 50;

export const checkReplica: Check = {
  name: "replica",
  async run({ db, installation, openReplica }, signal) {
    if (db === null || installation.databaseReplicaUrl === null) return [];
    let replica: Queryable;
    try {
      replica = await openReplica();
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      return [passedOver(SAYS.away(words))];
    }
    const boundMs = installation.databaseReplicaLagSeconds * 1000;
    return [await follow(db, replica, Math.min(boundMs, LONGEST_WAIT_MS), signal)];
  },
};

/** Waits until all is there that the primary had when it was asked. */
async function follow(
  primary: Queryable,
  replica: Queryable,
  waitMs: number,
  signal: AbortSignal,
): Promise<Remark> {
  const there = await readPrimaryPlace(primary);
  const beganMs = performance.now();
  for (;;) {
    const here = await readStandbyPlace(replica);
    const tookMs = Math.round(performance.now() - beganMs);
    const mistake = replicaMistake(there, here);
    if (mistake !== null) return passedOver(SAYS[mistake]);
    if ((here.position ?? 0n) >= there.position)
      return fine({
        en: `the replica had all that the primary had after ${tookMs} ms`,
        ru: `всё, что было на основном сервере, оказалось на реплике через ${tookMs} мс`,
      });
    if (tookMs >= waitMs) return passedOver(SAYS.behind(there.position - (here.position ?? 0n)));
    await sleep(PAUSE_MS, undefined, { signal });
  }
}

const SAYS = {
  away: (words: string): Words => ({
    en: `the replica cannot be read: ${words}`,
    ru: `реплика не читается: ${words}`,
  }),
  behind: (bytes: bigint): Words => ({
    en: `the replica is behind its bound, by ${bytes} bytes of log`,
    ru: `реплика отстаёт больше, чем разрешено: на ${bytes} байт журнала`,
  }),
  not_a_standby: {
    en: "DATABASE_REPLICA_URL leads to a server that replays no log",
    ru: "DATABASE_REPLICA_URL ведёт на сервер, который не проигрывает журнал",
  },
  another_cluster: {
    en: "DATABASE_REPLICA_URL leads to a standby of another server",
    ru: "DATABASE_REPLICA_URL ведёт на реплику другого сервера",
  },
  another_database: {
    en: "DATABASE_REPLICA_URL names another database than DATABASE_URL",
    ru: "в DATABASE_REPLICA_URL названа другая база, чем в DATABASE_URL",
  },
  another_timeline: {
    en: "the replica is of another timeline than the primary",
    ru: "реплика — с другой линии времени, чем основной сервер",
  },
} satisfies Readonly<Record<ReplicaTrouble, Words | ((what: never) => Words)>>;

function passedOver(found: Words): Remark {
  return warning(
    found,
    {
      en: "Lists and exports of the panel are read from the primary; nothing is refused or wrong.",
      ru: "Списки и выгрузки кабинета читаются с основного сервера; отказов и ошибок нет.",
    },
    {
      en: "Look at pg_stat_replication on the primary and the log of the standby; after a failover it is taken again by its next restart point, within minutes (docs/production.md).",
      ru: "Посмотрите pg_stat_replication на основном сервере и журнал реплики; после переключения она вернётся со следующей контрольной точкой, за минуты (docs/production.ru.md).",
    },
  );
}
