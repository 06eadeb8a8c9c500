/**
 * Upstreams: whether each has its credential and can be reached, and what processes think of its
 * routes; nothing is asked of one that it could charge for.
 */
import type { Catalogue, UpstreamConfig } from "../../catalogue/catalogue.ts";
import { readCircuits } from "../operate/circuits.store.ts";
import type { Check, Scene } from "./doctor-deps.ts";
import { fault, fine, note, warning, type Remark } from "./finding.ts";
import { remarksOnBalances } from "./remarks-on-balances.ts";

const CONNECT_MS = 5_000;
const OPEN = 2;

export const checkUpstreams: Check = {
  name: "upstreams",
  async run(scene) {
    const { catalogue, db } = scene;
    if (catalogue === null) return [];
    const used = usedUpstreams(catalogue);
    const sandbox = `http://127.0.0.1:${scene.installation.sandboxPort}`;
    const others = used.filter(({ baseUrl }) => new URL(baseUrl).origin !== sandbox);
    const reached = await Promise.all([
      ...others.map((upstream) => remarksOnUpstream(scene, upstream)),
      ...(others.length < used.length ? [remarksOnSandbox(scene, sandbox)] : []),
    ]);
    const circuits = db === null ? [] : await readCircuits(db);
    const open = [
      ...new Set(
        circuits.flatMap(({ routes }) =>
          Object.entries(routes).flatMap(([route, state]) => (state === OPEN ? [route] : [])),
        ),
      ),
    ];
    return [
      ...reached.flat(),
      ...(db === null ? [] : await remarksOnBalances(db, catalogue)),
      ...open.map((route) =>
        warning(
          { en: `the route ${route} is passed over`, ru: `маршрут ${route} обходят` },
          {
            en: "It has failed again and again; its requests go to other routes, or fail.",
            ru: "Он отказывал раз за разом; его запросы идут другими маршрутами или не проходят.",
          },
          {
            en: "The panel's page of upstreams has its last errors: credentials, balance or limits at the provider.",
            ru: "Последние ошибки — на странице поставщиков в панели: ключ, баланс или ограничения у поставщика.",
          },
        ),
      ),
    ];
  },
};

/** Those that some model leads to, each once. */
export function usedUpstreams({ models, upstreams }: Catalogue): UpstreamConfig[] {
  const names = new Set(
    [...models.values()].flatMap(({ routes }) => routes.map(({ upstream }) => upstream)),
  );
  return [...upstreams.values()].filter(({ name }) => names.has(name));
}

/** The built-in one runs with `npm start` and else only where it is asked for. */
async function remarksOnSandbox(
  { probe, installation: { production, sandboxPort } }: Pick<Scene, "probe" | "installation">,
  origin: string,
): Promise<Remark[]> {
  if ((await probe(origin, CONNECT_MS)).kind === "reached")
    return [
      fine({
        en: `the built-in sandbox at ${origin} can be reached`,
        ru: `встроенный учебный поставщик на ${origin} доступен`,
      }),
    ];
  return [
    (production ? warning : note)(
      {
        en: `the built-in sandbox does not run at ${origin}`,
        ru: `встроенный учебный поставщик на ${origin} не работает`,
      },
      {
        en: "Models that the catalogue has only there are not served.",
        ru: "Модели, которые по каталогу есть только у него, не обслуживаются.",
      },
      {
        en: `npm start runs it beside the gateway, or: tollgate sandbox --port ${sandboxPort}. Your own providers: docs/providers.md.`,
        ru: `npm start запускает его рядом со шлюзом, или: tollgate sandbox --port ${sandboxPort}. Свои поставщики: docs/providers.ru.md.`,
      },
    ),
  ];
}

async function remarksOnUpstream(
  { env, probe }: Pick<Scene, "env" | "probe">,
  { name, baseUrl, apiKeyEnv }: UpstreamConfig,
): Promise<Remark[]> {
  const remarks: Remark[] = [];
  const unset = apiKeyEnv.filter((variable) => (env[variable] ?? "").trim() === "");
  const names = unset.join(", ");
  const next = {
    en: `Set ${names} in .env, and restart the gateway.`,
    ru: `Задайте ${names} в .env и перезапустите шлюз.`,
  };
  if (unset.length === apiKeyEnv.length)
    remarks.push(
      fault(
        {
          en: `${name} has no credential: ${names} is not set`,
          ru: `у ${name} нет ключа: ${names} не задан`,
        },
        { en: "It refuses us.", ru: "Поставщик нам откажет." },
        next,
      ),
    );
  else if (unset.length > 0)
    remarks.push(
      warning(
        {
          en: `${name} lacks some of its credentials: ${names}`,
          ru: `у ${name} есть не все ключи: не хватает ${names}`,
        },
        { en: "Its load is on those that are set.", ru: "Вся нагрузка — на тех, что заданы." },
        next,
      ),
    );
  const { origin } = new URL(baseUrl);
  const found = await probe(origin, CONNECT_MS);
  remarks.push(
    found.kind === "reached"
      ? fine({
          en: `${name}: ${origin} can be reached, in ${found.ms} ms`,
          ru: `${name}: ${origin} доступен, за ${found.ms} мс`,
        })
      : fault(
          {
            en: `${name}: ${origin} cannot be reached: ${found.reason}`,
            ru: `${name}: ${origin} недоступен: ${found.reason}`,
          },
          {
            en: "Its routes fail; models without another one are not served.",
            ru: "Его маршруты отказывают; модели без других маршрутов не обслуживаются.",
          },
          {
            en: "Is the address right (baseUrl), and does a firewall or the DNS of this machine stand in the way?",
            ru: "Верен ли адрес (baseUrl), не мешает ли межсетевой экран или DNS этой машины?",
          },
        ),
  );
  return remarks;
}
