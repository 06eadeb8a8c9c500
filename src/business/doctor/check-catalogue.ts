/** The catalogue: whether it can be used here, and whether it sells below its cost. */
import { compareMargins } from "../../catalogue/compare-margins.ts";
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { Environment } from "../../catalogue/interpolate.ts";
import { mistakeLine } from "../../catalogue/live-catalogue.ts";
import { parseCatalogue, parseStoredCatalogue } from "../../catalogue/parse-catalogue.ts";
import { newestVersion } from "../../catalogue/store.ts";
import type { Queryable } from "../../db/database.ts";
import type { Check, DoctorDeps } from "./doctor-deps.ts";
import { fault, fine, note, warning, type Remark, type Words } from "./finding.ts";

const SHOWN = 3;

/** The one in force; where there is none, or no database, that of the file. */
export async function findCatalogue(
  db: Queryable | null,
  { env, installation, readFile }: Pick<DoctorDeps, "env" | "installation" | "readFile">,
): Promise<Catalogue | null> {
  const stored = db === null ? null : await newestVersion(db).catch(() => null);
  const source = stored?.source ?? (await readFile(installation.cataloguePath).catch(() => null));
  const reading = source === null ? null : parseStoredCatalogue(source, env);
  return reading?.ok === true ? reading.catalogue : null;
}

export const checkCatalogue: Check = {
  name: "catalogue",
  async run({ db, env, installation, readFile }) {
    const remarks: Remark[] = [];
    const stored = db === null ? null : await newestVersion(db);
    if (stored !== null) {
      const reading = parseStoredCatalogue(stored.source, env);
      remarks.push(
        ...(reading.ok
          ? soldRemarks(reading.catalogue, {
              en: `version ${stored.version}`,
              ru: `версия ${stored.version}`,
            })
          : [
              unusable(
                {
                  en: `the catalogue in force, version ${stored.version},`,
                  ru: `действующий каталог, версия ${stored.version},`,
                },
                reading.mistakes,
              ),
            ]),
      );
    } else if (db !== null)
      remarks.push(
        note(
          { en: "no catalogue was ever applied", ru: "ни один каталог ещё не применён" },
          { en: "There is nothing to sell yet.", ru: "Продавать пока нечего." },
          {
            en: "The first start takes CATALOGUE; or: tollgate catalogue apply FILE.",
            ru: "Первый запуск возьмёт CATALOGUE; или: tollgate catalogue apply FILE.",
          },
        ),
      );
    const file = await readCatalogueFile(installation.cataloguePath, env, readFile);
    remarks.push(...file.remarks);
    // It is the one that will be sold by.
    if (stored === null && file.catalogue !== null)
      remarks.push(...soldRemarks(file.catalogue, { en: "CATALOGUE", ru: "CATALOGUE" }));
    return remarks;
  },
};

function soldRemarks(catalogue: Catalogue, name: Words): Remark[] {
  const below = compareMargins(null, catalogue).filter((row) => row.belowCost);
  const models = [...new Set(below.map(({ model }) => model))];
  if (models.length > 0)
    return [
      warning(
        {
          en: `sold below cost: ${shortened(models).en}`,
          ru: `продаются ниже себестоимости: ${shortened(models).ru}`,
        },
        {
          en: "Every request for them costs more than it earns.",
          ru: "Каждый запрос к ним стоит дороже, чем приносит.",
        },
        {
          en: "tollgate catalogue check FILE shows each price beside its cost; change one of them.",
          ru: "tollgate catalogue check FILE покажет каждую цену рядом с её себестоимостью; измените одну из них.",
        },
      ),
    ];
  const { models: sold, upstreams } = catalogue;
  return [
    fine({
      en: `${name.en}: ${sold.size} models over ${upstreams.size} upstreams, none below its cost`,
      ru: `${name.ru}: моделей ${sold.size}, поставщиков ${upstreams.size}, ниже себестоимости — ни одной`,
    }),
  ];
}

async function readCatalogueFile(
  path: string,
  env: Environment,
  readFile: DoctorDeps["readFile"],
): Promise<{ readonly catalogue: Catalogue | null; readonly remarks: readonly Remark[] }> {
  let source: string;
  try {
    source = await readFile(path);
  } catch {
    const missing = note(
      {
        en: `CATALOGUE: there is no file ${path} that can be read`,
        ru: `CATALOGUE: файла ${path}, который можно прочитать, нет`,
      },
      {
        en: "A start goes on with the catalogue in force; a first start has none.",
        ru: "Запуск продолжит с действующим каталогом; у первого запуска его нет.",
      },
      {
        en: "Set CATALOGUE to the file, or go on applying catalogues by hand.",
        ru: "Укажите файл в CATALOGUE или применяйте каталоги вручную и дальше.",
      },
    );
    return { catalogue: null, remarks: [missing] };
  }
  const reading = parseCatalogue(source, env);
  if (reading.ok) return { catalogue: reading.catalogue, remarks: [] };
  const name = `CATALOGUE: ${path}`;
  return { catalogue: null, remarks: [unusable({ en: name, ru: name }, reading.mistakes)] };
}

function unusable(what: Words, mistakes: readonly Parameters<typeof mistakeLine>[0][]): Remark {
  const lines = shortened(mistakes.map(mistakeLine));
  return fault(
    {
      en: `${what.en} cannot be used: ${lines.en}`,
      ru: `${what.ru} использовать нельзя: ${lines.ru}`,
    },
    {
      en: "A gateway does not start on it, or goes on with the one before.",
      ru: "Шлюз с ним не запустится или останется с прежним.",
    },
    {
      en: "tollgate catalogue check FILE names every mistake; a variable that is not set belongs into .env.",
      ru: "tollgate catalogue check FILE назовёт все ошибки; незаданную переменную впишите в .env.",
    },
  );
}

function shortened(parts: readonly string[]): Words {
  const shown = parts.slice(0, SHOWN).join("; ");
  const more = parts.length - SHOWN;
  if (more <= 0) return { en: shown, ru: shown };
  return { en: `${shown} and ${more} more`, ru: `${shown} и ещё ${more}` };
}
