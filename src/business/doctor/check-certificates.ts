/** Certificates: ours, as the outside sees it, and those of whom we call; how long each is good. */
import type { Check, Scene } from "./doctor-deps.ts";
import { usedUpstreams } from "./check-upstreams.ts";
import { fault, fine, warning, type Remark } from "./finding.ts";

const CONNECT_MS = 5_000;
const DAY_MS = 86_400_000;
/** What renews by itself does so thirty days before. */
const FEWEST_DAYS = { error: 3, warning: 14 };

export const checkCertificates: Check = {
  name: "certificates",
  async run(scene) {
    const remarks = await Promise.all(
      [...addressesOf(scene)].map(([origin, names]) => remarkOn(scene, origin, names.join(", "))),
    );
    return remarks.flat();
  },
};

const OURS = {
  means: {
    en: "Customers' programs refuse to talk to us.",
    ru: "Программы клиентов отказываются с нами говорить.",
  },
  soon: {
    en: "Soon customers' programs refuse to talk to us.",
    ru: "Скоро программы клиентов откажутся с нами говорить.",
  },
  next: {
    en: "Renew it at the proxy in front (certbot renew, or its log), and have the proxy read it again.",
    ru: "Обновите его у прокси впереди (certbot renew или его лог) и дайте прокси прочитать его заново.",
  },
};
const THEIRS = {
  means: {
    en: "Calls there fail before a byte is sent.",
    ru: "Вызовы туда не проходят: не отправлено ни байта.",
  },
  soon: {
    en: "Soon calls there fail before a byte is sent.",
    ru: "Скоро вызовы туда перестанут проходить.",
  },
  next: {
    en: "Its owner has to renew it; a private authority is named by NODE_EXTRA_CA_CERTS=FILE.",
    ru: "Обновить его должен владелец; свой центр сертификации указывают в NODE_EXTRA_CA_CERTS=FILE.",
  },
};

/** Encrypted ones, each with what it is to us. */
function addressesOf({ installation, catalogue }: Scene): ReadonlyMap<string, string[]> {
  const addresses = new Map<string, string[]>();
  const add = (address: string | null | undefined, name: string): void => {
    const url = URL.parse(address ?? "");
    if (url?.protocol !== "https:") return;
    addresses.set(url.origin, [...(addresses.get(url.origin) ?? []), name]);
  };
  add(installation.baseUrl, "BASE_URL");
  add(installation.payments?.baseUrl, "payments");
  add(installation.otlpEndpoint, "collector");
  for (const { name, baseUrl } of catalogue === null ? [] : usedUpstreams(catalogue))
    add(baseUrl, name);
  return addresses;
}

/** One that cannot be reached is for the check that wants to reach it. */
async function remarkOn({ probe, clock }: Scene, origin: string, name: string): Promise<Remark[]> {
  const found = await probe(origin, CONNECT_MS);
  if (found.kind === "unreached" || found.certificate === null) return [];
  const { validTo, distrust } = found.certificate;
  const days = Math.floor((validTo.getTime() - clock.now().getTime()) / DAY_MS);
  const day = validTo.toISOString().slice(0, 10);
  const { means, soon, next } = name.split(", ").includes("BASE_URL") ? OURS : THEIRS;
  if (distrust !== null)
    return [
      fault(
        {
          en: `${name}: the certificate of ${origin} is not believed: ${distrust}`,
          ru: `${name}: сертификату ${origin} здесь не верят: ${distrust}`,
        },
        means,
        next,
      ),
    ];
  const line = {
    en: `${name}: the certificate of ${origin} is good until ${day}, ${days} days`,
    ru: `${name}: сертификат ${origin} годен до ${day}, дней: ${days}`,
  };
  if (days < FEWEST_DAYS.error) return [fault(line, means, next)];
  if (days < FEWEST_DAYS.warning) return [warning(line, soon, next)];
  return [fine(line)];
}
