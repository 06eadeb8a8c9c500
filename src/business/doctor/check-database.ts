/** The database: which server it is, whether it keeps what it acknowledges, and who fits in. */
import { lookAtMigrations, type Comparison } from "../../db/compare-migrations.ts";
import type { Db, Queryable } from "../../db/database.ts";
import { weakDurability } from "../../db/weak-durability.ts";
import type { Check, DoctorDeps } from "./doctor-deps.ts";
import { fault, fine, note, warning, type Remark } from "./finding.ts";
import { readServerClock, readServerState, type ServerState } from "./server-state.store.ts";

/** Of one serving process with its two for the whole server (docs/production.md). */
const CONNECTIONS_OF_A_START = 21;
/** Commands, backups and an upgrade want some, too. */
const FEWEST_CONNECTIONS = 5;

export const checkDatabase: Check = {
  name: "database",
  async run({ db, installation }) {
    if (db === null) return [];
    const [state, weakness] = [await readServerState(db), await weakDurability(db)];
    const remarks: Remark[] = [];
    if (state.readOnly)
      remarks.push(
        fault(
          {
            en: "the database takes no writes: it is a standby, or set so",
            ru: "база не принимает запись: это резервный сервер, или так настроено",
          },
          { en: "Every request is refused with 503.", ru: "На каждый запрос — отказ 503." },
          {
            en: "Lead DATABASE_URL to the primary, or promote this one.",
            ru: "Направьте DATABASE_URL на основной сервер или сделайте основным этот.",
          },
        ),
      );
    if (weakness !== null)
      remarks.push(
        warning(
          {
            en: weakness,
            ru: "fsync или full_page_writes выключены: обрыв питания может уничтожить балансы и всё, что PostgreSQL подтвердил",
          },
          {
            en: "Balances that customers were told of may be gone after a power cut.",
            ru: "После обрыва питания могут пропасть балансы, которые клиентам уже назвали.",
          },
          {
            en: "ALTER SYSTEM SET fsync = on; ALTER SYSTEM SET full_page_writes = on; SELECT pg_reload_conf();",
            ru: "ALTER SYSTEM SET fsync = on; ALTER SYSTEM SET full_page_writes = on; SELECT pg_reload_conf();",
          },
        ),
      );
    if (isPlainlyFar(installation.databaseUrl))
      remarks.push(
        warning(
          {
            en: "DATABASE_URL leads to another machine without encryption",
            ru: "DATABASE_URL ведёт на другую машину без шифрования",
          },
          {
            en: "A listener on that network reads what the database is asked and answers.",
            ru: "Кто слушает эту сеть, читает все вопросы базе и её ответы.",
          },
          {
            en: "Add ?sslmode=verify-full&sslrootcert=FILE to DATABASE_URL (docs/production.md).",
            ru: "Добавьте к DATABASE_URL ?sslmode=verify-full&sslrootcert=FILE (docs/production.ru.md).",
          },
        ),
      );
    remarks.push(connectionsOf(state));
    return remarks;
  },
};

function connectionsOf(state: ServerState): Remark {
  const major = Math.floor(state.version / 10_000);
  const room = state.maxConnections - state.reservedConnections;
  const left = room - Number(state.connections);
  const found = {
    en: `PostgreSQL ${major} answers; ${left} of ${room} connections are free`,
    ru: `PostgreSQL ${major} отвечает; свободно соединений: ${left} из ${room}`,
  };
  const next = {
    en: "Raise max_connections and restart PostgreSQL, or end what holds them.",
    ru: "Увеличьте max_connections и перезапустите PostgreSQL или завершите тех, кто их занимает.",
  };
  if (left < FEWEST_CONNECTIONS)
    return fault(
      found,
      {
        en: "Requests are refused with 503 as soon as one more is wanted.",
        ru: "Как только понадобится ещё одно, запросы получат отказ 503.",
      },
      next,
    );
  if (left < CONNECTIONS_OF_A_START)
    return warning(
      found,
      {
        en: "Another serving process, or a restart beside it, does not fit.",
        ru: "Ещё один процесс или перезапуск рядом с этим уже не поместятся.",
      },
      next,
    );
  return fine(found);
}

/** A socket, loopback, and an address that names its encryption are not meant. */
function isPlainlyFar(databaseUrl: string | null): boolean {
  const url = databaseUrl === null ? null : URL.parse(databaseUrl);
  if (url === null) return false;
  const host = url.searchParams.get("host") ?? decodeURIComponent(url.hostname);
  const near = host === "" || host.startsWith("/") || /^(localhost|127\.|\[?::1)/.test(host);
  const mode = url.searchParams.get("sslmode") ?? "disable";
  return !near && mode === "disable";
}

export const checkMigrations: Check = {
  name: "migrations",
  async run({ db, migrations }) {
    if (db === null) return [];
    return [await remarkOnMigrations(db, migrations)];
  },
};

async function remarkOnMigrations(db: Db, ours: DoctorDeps["migrations"]): Promise<Remark> {
  let comparison: Comparison;
  try {
    comparison = await lookAtMigrations(db, ours);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return fault(
      { en: reason, ru: `база и код не подходят друг другу: ${reason}` },
      {
        en: "No gateway of this version starts on this database.",
        ru: "Шлюз этой версии с такой базой не запустится.",
      },
      {
        en: "Run the version that the database is of, or restore a backup from before the upgrade.",
        ru: "Запустите ту версию, от которой база, или восстановите копию, сделанную до обновления.",
      },
    );
  }
  const { ahead } = comparison;
  const missing = comparison.missing.map(({ name }) => name);
  if (ahead.length > 0)
    return note(
      {
        en: `the database has migrations of a newer version, beside which this one (${ours.version}) may run: ${ahead.join(", ")}`,
        ru: `в базе есть миграции более новой версии, рядом с которыми эта (${ours.version}) может работать: ${ahead.join(", ")}`,
      },
      {
        en: "An upgrade is under way, or was rolled back.",
        ru: "Идёт обновление, или от него откатились.",
      },
      {
        en: "Nothing has to be done; the newer version may be started again at any time.",
        ru: "Делать ничего не нужно; более новую версию можно запустить снова в любой момент.",
      },
    );
  if (missing.length === 0)
    return fine({
      en: "every migration of this version is applied",
      ru: "все миграции этой версии применены",
    });
  return warning(
    {
      en: `${missing.length} migrations of this version are not applied yet: ${missing.join(", ")}`,
      ru: `ещё не применены миграции этой версии (${missing.length}): ${missing.join(", ")}`,
    },
    {
      en: "The database is of an earlier version, or empty; what is said of it below may be incomplete.",
      ru: "База от более ранней версии или пуста; сказанное о ней ниже может быть неполным.",
    },
    {
      en: "Make a backup; the next start of the gateway applies them.",
      ru: "Сделайте резервную копию; следующий запуск шлюза их применит.",
    },
  );
}

/** Sessions, codes and signatures of S3 bear minutes; leases of processes bear seconds. */
const CLOCK_OFF_MS = { warning: 2_000, error: 30_000 };

export const checkClock: Check = {
  name: "clock",
  async run({ db, clock }) {
    if (db === null) return [];
    const offMs = await clockDifference(db, () => clock.now());
    const apartMs = Math.round(Math.abs(offMs));
    const found = {
      en: `this machine's clock and the database's are ${apartMs} ms apart`,
      ru: `часы этой машины и часы базы расходятся на ${apartMs} мс`,
    };
    const means = {
      en: "Times of receipts, expiry of keys and signatures of S3 are judged by one clock and written by the other.",
      ru: "Время квитанций, срок ключей и подписи S3 пишут по одним часам, а судят по другим.",
    };
    const next = {
      en: "Keep both machines on time by NTP: timedatectl set-ntp true; timedatectl status.",
      ru: "Держите обе машины по NTP: timedatectl set-ntp true; timedatectl status.",
    };
    if (apartMs > CLOCK_OFF_MS.error) return [fault(found, means, next)];
    if (apartMs > CLOCK_OFF_MS.warning) return [warning(found, means, next)];
    return [fine(found)];
  },
};

/** The answer was made at some moment of the round trip; the least that it can be off counts. */
async function clockDifference(db: Queryable, now: () => Date): Promise<number> {
  const before = now().getTime();
  const there = (await readServerClock(db)).getTime();
  const after = now().getTime();
  if (there < before) return there - before;
  return there > after ? there - after : 0;
}

export function unreachable(message: string): Remark {
  return fault(
    { en: message, ru: `базой нельзя пользоваться: ${message}` },
    {
      en: "Nothing is served without the database; what would have to be read from it is not looked into.",
      ru: "Без базы ничего не работает; то, что читают из неё, не осмотрено.",
    },
    {
      en: "Mend what the line says; the log of PostgreSQL has its side of it.",
      ru: "Устраните то, что сказано в строке; что видит сам PostgreSQL — в его логе.",
    },
  );
}

export function unmade(dataDir: string): Remark {
  return note(
    { en: `there is no database in ${dataDir} yet`, ru: `базы в ${dataDir} ещё нет` },
    { en: "The first start of the gateway makes it.", ru: "Её создаст первый запуск шлюза." },
    {
      en: "tollgate serve, or set DATABASE_URL where it lies elsewhere.",
      ru: "tollgate serve, или задайте DATABASE_URL, если она в другом месте.",
    },
  );
}
