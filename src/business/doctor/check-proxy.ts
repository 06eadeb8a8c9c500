/** The way in: whether BASE_URL leads here, and whether the proxies in front are known. */
import { isRecord } from "../../protocol/json/is-record.ts";
import { askHealth } from "./ask-health.ts";
import type { Check, Installation, Scene } from "./doctor-deps.ts";
import { fault, fine, note, warning, type Remark } from "./finding.ts";

const TIMEOUTS_MS = { connectTimeoutMs: 3_000, firstByteTimeoutMs: 3_000, idleTimeoutMs: 2_000 };

export const checkProxy: Check = {
  name: "proxy",
  async run(scene, signal) {
    const { installation } = scene;
    return [...settingRemarks(installation), ...(await reachRemarks(scene, signal))];
  },
};

function settingRemarks(installation: Installation): Remark[] {
  const { production, baseUrl, host, trustedProxies } = installation;
  const outside = baseUrl === null ? null : new URL(baseUrl);
  const isPublic = outside !== null && !isLoopback(outside.hostname);
  if (!isPublic)
    return production
      ? [
          warning(
            {
              en: `BASE_URL is ${baseUrl === null ? "not set" : `this machine: ${baseUrl}`}`,
              ru: `BASE_URL ${baseUrl === null ? "не задан" : `— эта машина: ${baseUrl}`}`,
            },
            {
              en: "Links in mails, addresses of files and of webhooks lead nowhere for anybody else.",
              ru: "Ссылки в письмах, адреса файлов и вебхуков для всех остальных никуда не ведут.",
            },
            {
              en: "Set BASE_URL to the public address, as customers enter it.",
              ru: "Задайте в BASE_URL публичный адрес, как его вводят клиенты.",
            },
          ),
        ]
      : [
          fine({
            en: "no proxy is expected: BASE_URL is this machine",
            ru: "прокси не ожидается: BASE_URL — эта машина",
          }),
        ];
  const remarks: Remark[] = [];
  if (outside.protocol === "http:")
    remarks.push(
      fault(
        {
          en: `BASE_URL is not encrypted: ${outside.origin}`,
          ru: `BASE_URL без шифрования: ${outside.origin}`,
        },
        {
          en: "Keys and passwords cross the network in the clear.",
          ru: "Ключи и пароли идут по сети открытыми.",
        },
        {
          en: "Put a proxy with TLS in front (docs/behind-a-proxy.md) and set BASE_URL to its https:// address.",
          ru: "Поставьте впереди прокси с TLS (docs/behind-a-proxy.ru.md) и задайте в BASE_URL его адрес с https://.",
        },
      ),
    );
  // The gateway itself speaks no TLS and, on loopback, to no other machine: so there is a proxy.
  const needsProxy = outside.protocol === "https:" || isLoopback(host);
  if (needsProxy && trustedProxies.length === 0)
    remarks.push(
      warning(
        {
          en: `BASE_URL is ${outside.origin}, and TRUSTED_PROXIES is empty`,
          ru: `BASE_URL — ${outside.origin}, а TRUSTED_PROXIES пуст`,
        },
        {
          en: "Every caller seems to be the proxy: limits by address hit all at once, and keys that are bound to addresses fit no caller.",
          ru: "Каждый вызывающий выглядит как прокси: ограничения по адресу бьют сразу по всем, а ключи, привязанные к адресам, не подходят никому.",
        },
        {
          en: "Set TRUSTED_PROXIES to the address that the proxy connects from (127.0.0.1 on this machine).",
          ru: "Задайте в TRUSTED_PROXIES адрес, с которого подключается прокси (на этой машине — 127.0.0.1).",
        },
      ),
    );
  if (!isLoopback(host) && trustedProxies.length > 0)
    remarks.push(
      note(
        {
          en: `the gateway listens on ${host}, beside its proxies`,
          ru: `шлюз слушает ${host}, и не только свои прокси`,
        },
        {
          en: "Who reaches that port goes past the proxy, its TLS and its limits.",
          ru: "Кто достанет до этого порта, пройдёт мимо прокси, его TLS и ограничений.",
        },
        {
          en: "HOST=127.0.0.1 where the proxy is on this machine; else a firewall that lets only proxies in.",
          ru: "HOST=127.0.0.1, если прокси на этой машине; иначе межсетевой экран, который впускает только прокси.",
        },
      ),
    );
  return remarks.length > 0
    ? remarks
    : [
        fine({
          en: `${outside.origin}, by proxies that are believed`,
          ru: `${outside.origin}, через прокси, которым верят`,
        }),
      ];
}

async function reachRemarks(
  { installation: { baseUrl }, outgoing }: Pick<Scene, "installation" | "outgoing">,
  signal: AbortSignal,
): Promise<Remark[]> {
  const outside = baseUrl === null ? null : new URL(baseUrl);
  if (outside === null || isLoopback(outside.hostname)) return [];
  const next = {
    en: "Is the gateway running (gateway, above), does the name lead to the proxy, and does it pass every path on?",
    ru: "Работает ли шлюз (gateway, выше), ведёт ли имя к прокси и передаёт ли он все пути?",
  };
  const path = `${outside.pathname.replace(/\/$/, "")}/healthz`;
  const answer = await askHealth(
    outgoing,
    { origin: outside.origin, path, ...TIMEOUTS_MS },
    signal,
  );
  if (answer.kind === "failed")
    return [
      warning(
        {
          en: `${outside.origin} cannot be reached from here: ${answer.why.reason}`,
          ru: `${outside.origin} отсюда недоступен: ${answer.why.reason}`,
        },
        {
          en: "Unless only this machine cannot (a router that does not lead back), no customer can.",
          ru: "Если не доходит не только эта машина (бывает, маршрутизатор не ведёт обратно), не дойдёт и ни один клиент.",
        },
        next,
      ),
    ];
  const { status, json } = answer;
  if (status === 200 && isRecord(json) && json["status"] === "ok")
    return [
      fine({ en: `${outside.origin} leads to a gateway`, ru: `${outside.origin} ведёт к шлюзу` }),
    ];
  return [
    fault(
      {
        en: `${outside.origin}/healthz answers ${status}, and not as a gateway`,
        ru: `${outside.origin}/healthz отвечает ${status}, и не как шлюз`,
      },
      {
        en: "Customers reach something else there, or nothing.",
        ru: "Клиенты попадают там на что-то другое или никуда.",
      },
      next,
    ),
  ];
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host);
}
