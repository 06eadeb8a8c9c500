/** The disks of this machine, and what makes the database's log grow without end. */
import { join } from "node:path";
import { parseStorageUrl } from "../../storage/parse-storage-url.ts";
import type { Check, Installation, Room, Scene } from "./doctor-deps.ts";
import { fault, fine, warning, type Remark, type Words } from "./finding.ts";
import { readLogState } from "./server-state.store.ts";

/** As the alert TollgateDiskFills has them. */
const LEAST_BYTES = { error: 2e9, warning: 20e9 };
const LEAST_FILES = { error: 1_000, warning: 20_000 };
/** Of the database's log, for a reader that is not there. */
const KEPT_LOG_BYTES = 1e9;

export const checkDisk: Check = {
  name: "disk",
  async run(scene) {
    const remarks: Remark[] = [];
    for (const [what, folder] of foldersOf(scene.installation))
      remarks.push(await remarkOnFolder(scene, what, folder));
    if (scene.db !== null) remarks.push(...(await remarksOnLog(scene.db)));
    return remarks;
  },
};

/** Each may lie on a disk of its own. */
function foldersOf({
  dataDir,
  databaseUrl,
  storageUrl,
}: Installation): (readonly [what: Words, folder: string])[] {
  const storage = parseStorageUrl(storageUrl);
  return [
    [{ en: "DATA_DIR", ru: "DATA_DIR" }, dataDir],
    ...(databaseUrl === null
      ? [
          [
            { en: "the log of the embedded database", ru: "журнал встроенной базы" },
            join(dataDir, "postgres", "cluster", "pg_wal"),
          ] as const,
        ]
      : []),
    ...(storage.ok && storage.place.kind === "local"
      ? [[{ en: "stored files", ru: "файлы" }, storage.place.folder] as const]
      : []),
  ];
}

async function remarkOnFolder(
  { roomOf }: Pick<Scene, "roomOf">,
  what: Words,
  folder: string,
): Promise<Remark> {
  let room: Room;
  try {
    room = await roomOf(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      return fine({
        en: `${what.en}: ${folder} is not there yet`,
        ru: `${what.ru}: ${folder} ещё нет`,
      });
    // The other folders are looked at all the same.
    const reason = error instanceof Error ? error.message : String(error);
    return warning(
      {
        en: `${what.en}: ${folder} cannot be looked into: ${reason}`,
        ru: `${what.ru}: в ${folder} не удалось заглянуть: ${reason}`,
      },
      { en: "How much room is left there is not known.", ru: "Сколько там места, неизвестно." },
      {
        en: "Ask as the user that the gateway runs as; or the folder is not that user's.",
        ru: "Спросите от имени пользователя, под которым работает шлюз; или папка не его.",
      },
    );
  }
  const freeFiles = room.freeFiles ?? Number.POSITIVE_INFINITY;
  const [free, total] = [gigabytes(room.freeBytes), gigabytes(room.totalBytes)];
  const found = {
    en: `${what.en}: ${free} of ${total} GB are free, ${room.freeFiles ?? "any number of"} more files`,
    ru: `${what.ru}: свободно ${free} из ${total} ГБ, файлов поместится ещё ${room.freeFiles ?? "сколько угодно"}`,
  };
  const means = {
    en: "A full disk stops the embedded database, and with it everything.",
    ru: "Полный диск останавливает встроенную базу, а с ней и всё остальное.",
  };
  const next = {
    en: "Make room: tollgate archive moves old months, FILE_RETENTION_DAYS keeps files shorter; or a larger disk.",
    ru: "Освободите место: tollgate archive уносит старые месяцы, FILE_RETENTION_DAYS сокращает срок файлов; или диск побольше.",
  };
  if (room.freeBytes < LEAST_BYTES.error || freeFiles < LEAST_FILES.error)
    return fault(found, means, next);
  if (room.freeBytes < LEAST_BYTES.warning || freeFiles < LEAST_FILES.warning)
    return warning(found, means, next);
  return fine(found);
}

function gigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(1);
}

async function remarksOnLog(db: NonNullable<Scene["db"]>): Promise<Remark[]> {
  const { archiveFails, keptForAbsent } = await readLogState(db);
  const remarks: Remark[] = [];
  if (archiveFails)
    remarks.push(
      fault(
        {
          en: "the last try to archive a piece of the database's log failed",
          ru: "последняя попытка архивировать кусок журнала базы не удалась",
        },
        {
          en: "The log stays on the database's disk until that is full, and no backup reaches this moment.",
          ru: "Журнал остаётся на диске базы, пока тот не заполнится, и ни одна копия не доходит до этой минуты.",
        },
        {
          en: "Run archive_command by hand, for last_failed_wal of pg_stat_archiver; is there room where it writes?",
          ru: "Выполните archive_command вручную для last_failed_wal из pg_stat_archiver; есть ли место там, куда она пишет?",
        },
      ),
    );
  if (keptForAbsent > KEPT_LOG_BYTES)
    remarks.push(
      warning(
        {
          en: `${gigabytes(Number(keptForAbsent))} GB of the database's log are kept for a reader that is not there`,
          ru: `журнала базы хранится для пропавшего читателя: ${gigabytes(Number(keptForAbsent))} ГБ`,
        },
        { en: "It grows until the disk is full.", ru: "Он растёт, пока диск не заполнится." },
        {
          en: "Bring the standby of the inactive slot of pg_replication_slots back, or drop it: pg_drop_replication_slot().",
          ru: "Верните резервный сервер неактивного слота из pg_replication_slots или удалите слот: pg_drop_replication_slot().",
        },
      ),
    );
  return remarks;
}
