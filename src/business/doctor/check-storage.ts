/** The place of files: a probe is written, read back and removed; and how much room is left. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { access, constants } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describeDiskError } from "../../storage/disk.ts";
import type { ObjectStorage } from "../../storage/object-storage.ts";
import { openStorage } from "../../storage/open-storage.ts";
import { parseStorageUrl } from "../../storage/parse-storage-url.ts";
import type { Check } from "./doctor-deps.ts";
import { fault, fine, warning, type Remark } from "./finding.ts";

const PROBE_BYTES = 4_096;

export const checkStorage: Check = {
  name: "storage",
  async run({ installation }, signal) {
    const unmade = await unmadeFolder(installation.storageUrl);
    if (unmade !== null) return [unmade];
    let storage: ObjectStorage;
    try {
      storage = await openStorage(installation.storageUrl);
    } catch (error) {
      return [unusable(error)];
    }
    // A key of the form of files' keys, at random: nothing that is there has it.
    const key = `doctor${randomBytes(12).toString("hex")}`;
    try {
      return [await tryOut(storage, key, signal)];
    } catch (error) {
      return [unusable(error)];
    } finally {
      await storage.close();
    }
  },
};

/**
 * Null: there is something to try out. A folder that the first start makes is not made here: it
 * would belong to the one who asks, who may be another than the service's user.
 */
async function unmadeFolder(storageUrl: string): Promise<Remark | null> {
  const parsed = parseStorageUrl(storageUrl);
  if (!parsed.ok || parsed.place.kind !== "local" || existsSync(parsed.place.folder)) return null;
  const { folder } = parsed.place;
  let above = dirname(resolve(folder));
  while (!existsSync(above)) above = dirname(above);
  try {
    await access(above, constants.W_OK | constants.X_OK);
  } catch (error) {
    return unusable(error);
  }
  return fine({
    en: `${folder} is not there yet, and the first start can make it`,
    ru: `${folder} ещё нет, первый запуск сможет её создать`,
  });
}

async function tryOut(storage: ObjectStorage, key: string, signal: AbortSignal): Promise<Remark> {
  const bytes = randomBytes(PROBE_BYTES);
  await storage.put(key, Readable.from([bytes]), {
    contentType: "application/octet-stream",
    signal,
  });
  let same = false;
  try {
    const stream = await storage.read(key);
    same = stream !== null && (await buffer(stream)).equals(bytes);
  } finally {
    await storage.remove([key]);
  }
  if (!same)
    return fault(
      {
        en: "what was written to the storage came back as something else",
        ru: "записанное в хранилище вернулось другим",
      },
      {
        en: "Files of customers are lost or broken.",
        ru: "Файлы клиентов пропадают или портятся.",
      },
      {
        en: "Take STORAGE_URL to another place; look into the disk, or ask the provider of the bucket.",
        ru: "Переведите STORAGE_URL в другое место; проверьте диск или спросите владельца бакета.",
      },
    );
  if ((await storage.size(key)) !== null)
    return warning(
      {
        en: "a probe could be written and read, and not removed",
        ru: "пробный файл записался и прочитался, но не удалился",
      },
      {
        en: "Files stay after their time is over, and the storage fills.",
        ru: "Файлы остаются после своего срока, и хранилище заполняется.",
      },
      {
        en: "Give the key of STORAGE_URL the right to delete objects (s3:DeleteObject); no object lock or versioning.",
        ru: "Дайте ключу из STORAGE_URL право удалять объекты (s3:DeleteObject); без блокировки и версий объектов.",
      },
    );
  return fine({
    en: `files can be written, read and removed (${storage.kind})`,
    ru: `файлы записываются, читаются и удаляются (${storage.kind})`,
  });
}

function unusable(error: unknown): Remark {
  const reason = describeDiskError(error);
  return fault(
    {
      en: `the storage cannot be used: ${reason}`,
      ru: `хранилищем нельзя пользоваться: ${reason}`,
    },
    {
      en: "Uploads and results of tasks fail, and /readyz says 503.",
      ru: "Загрузки и результаты задач не сохраняются, /readyz отвечает 503.",
    },
    {
      en: "STORAGE_URL: the folder has to be this user's to write; a bucket has to exist, with a key that may put, get and delete.",
      ru: "STORAGE_URL: этот пользователь должен иметь право писать в папку; бакет должен существовать, а его ключ — уметь писать, читать и удалять.",
    },
  );
}
