/** Backups: how old the newest is, as far as it can be known. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describeDiskError } from "../../storage/disk.ts";
import type { Check, Scene } from "./doctor-deps.ts";
import { fault, fine, note, warning, type Remark } from "./finding.ts";
import { readLogState } from "./server-state.store.ts";

const HOUR_MS = 3_600_000;
/** One a night, and some hours for it. */
const NIGHTLY_MS = 30 * HOUR_MS;
/** The archive of the log gets a piece a minute, where it is set as docs/production.md says. */
const ARCHIVED_MS = HOUR_MS;
const UNFINISHED = /\.(partial|new|part|tmp)$/;

const MEANS = {
  en: "What happened after the newest backup is lost with the disk.",
  ru: "Всё, что было после последней копии, пропадёт вместе с диском.",
};

export const checkBackups: Check = {
  name: "backups",
  async run(scene) {
    const now = scene.clock.now();
    if (scene.backups !== null) return [await remarkOnFolder(scene.backups, now)];
    return [(await archiveRemark(scene, now)) ?? unknown()];
  },
};

async function remarkOnFolder(folder: string, now: Date): Promise<Remark> {
  const next = {
    en: 'Every night: tollgate backup "FOLDER/$(date +%F)", or pg_dump (docs/production.md).',
    ru: 'Каждую ночь: tollgate backup "ПАПКА/$(date +%F)" или pg_dump (docs/production.ru.md).',
  };
  let newest: Date | null;
  try {
    newest = await newestIn(folder);
  } catch (error) {
    const reason = describeDiskError(error);
    return fault(
      {
        en: `${folder} cannot be looked into: ${reason}`,
        ru: `в ${folder} не удалось заглянуть: ${reason}`,
      },
      MEANS,
      next,
    );
  }
  if (newest === null)
    return fault(
      { en: `there is no backup in ${folder}`, ru: `в ${folder} нет ни одной копии` },
      MEANS,
      next,
    );
  const ageMs = now.getTime() - newest.getTime();
  const hours = Math.round(ageMs / HOUR_MS);
  const found = {
    en: `the newest backup in ${folder} is ${hours} hours old`,
    ru: `последней копии в ${folder} ${hours} ч`,
  };
  if (ageMs > NIGHTLY_MS) return warning(found, MEANS, next);
  return fine(found);
}

/** When the newest of what is whole there was written. */
async function newestIn(folder: string): Promise<Date | null> {
  let newest: Date | null = null;
  for (const name of await readdir(folder)) {
    if (UNFINISHED.test(name) || name.startsWith(".")) continue;
    const { mtime } = await stat(join(folder, name));
    if (newest === null || mtime > newest) newest = mtime;
  }
  return newest;
}

/** Null: the server archives nothing, or keeps to itself how. */
async function archiveRemark({ db }: Scene, now: Date): Promise<Remark | null> {
  if (db === null) return null;
  const { archiveMode, archivedAt } = await readLogState(db);
  if (archiveMode === "off") return null;
  const next = {
    en: "archive_timeout = '1min', and an archive_command that works; base backups beside it (docs/production.md).",
    ru: "archive_timeout = '1min' и archive_command, которая работает; рядом — базовые копии (docs/production.ru.md).",
  };
  if (archivedAt === null)
    return warning(
      {
        en: "the database is to archive its log, and never has",
        ru: "база должна архивировать свой журнал, но ещё ни разу этого не сделала",
      },
      MEANS,
      next,
    );
  const ageMs = now.getTime() - archivedAt.getTime();
  const minutes = Math.round(ageMs / 60_000);
  const found = {
    en: `the database archived its log ${minutes} minutes ago`,
    ru: `база архивировала свой журнал ${minutes} мин назад`,
  };
  return ageMs > ARCHIVED_MS ? warning(found, MEANS, next) : fine(found);
}

function unknown(): Remark {
  return note(
    {
      en: "it is not known whether there are backups",
      ru: "неизвестно, есть ли резервные копии",
    },
    MEANS,
    {
      en: "Name the folder that they lie in: tollgate doctor --backups FOLDER.",
      ru: "Укажите папку, где они лежат: tollgate doctor --backups ПАПКА.",
    },
  );
}
