/** The OpenTelemetry collector: whether it takes each of the signals that it is to get. */
import { checkCollector as tryCollector, type CollectorCheck } from "../../net/check-collector.ts";
import { signalUrl, type OtlpSignal } from "../../net/otlp-collector.ts";
import type { Check } from "./doctor-deps.ts";
import { fine, note, warning, type Remark, type Words } from "./finding.ts";

const SIGNALS: readonly OtlpSignal[] = ["traces", "metrics", "logs"];

export const checkCollector: Check = {
  name: "collector",
  async run({ installation }) {
    const { otlpEndpoint: endpoint, otlpHeaders: headers, otelSignals } = installation;
    if (endpoint === null) return [];
    const wanted = SIGNALS.filter((signal) => otelSignals[signal]);
    if (wanted.length === 0)
      return [
        note(
          {
            en: "OTEL_EXPORTER_OTLP_ENDPOINT is set, and each signal is left out",
            ru: "OTEL_EXPORTER_OTLP_ENDPOINT задан, но все три вида данных отключены",
          },
          { en: "The collector gets nothing.", ru: "Коллектор ничего не получает." },
          {
            en: "Set one of OTEL_TRACES_EXPORTER, OTEL_METRICS_EXPORTER and OTEL_LOGS_EXPORTER to otlp, or take the address away.",
            ru: "Поставьте otlp в OTEL_TRACES_EXPORTER, OTEL_METRICS_EXPORTER или OTEL_LOGS_EXPORTER либо уберите адрес.",
          },
        ),
      ];
    const tried = await Promise.all(
      wanted.map(async (signal) => ({
        signal,
        check: await tryCollector({ endpoint, headers }, signal),
      })),
    );
    // What befell all of them is one finding.
    const alike = Map.groupBy(tried, ({ check }) => JSON.stringify(check));
    return [...alike.values()].map((group) => {
      const signals = group.map(({ signal }) => signal);
      return remarkOn(addressOf(endpoint, signals), signals.join(", "), group[0]?.check);
    });
  },
};

/** Without a name and password that may stand in it. */
function addressOf(endpoint: string, [only, ...others]: readonly OtlpSignal[]): string {
  const { origin, pathname } = new URL(signalUrl(endpoint, only ?? "traces"));
  return origin + (others.length === 0 ? pathname : pathname.replace(/\w+$/, "…"));
}

function remarkOn(address: string, signals: string, check: CollectorCheck | undefined): Remark {
  if (check === undefined || check.kind === "takes")
    return fine({ en: `${address} takes ${signals}`, ru: `${address} принимает ${signals}` });
  const reason = check.kind === "refuses" ? `status ${check.status}` : check.reason;
  return warning(
    {
      en: `${address} does not take ${signals}: ${reason}`,
      ru: `${address} не принимает ${signals}: ${reason}`,
    },
    {
      en: "They are lost and counted (tollgate_otlp_lost); requests are served as ever.",
      ru: "Они пропадают и считаются (tollgate_otlp_lost); запросы обслуживаются как всегда.",
    },
    check.kind === "refuses" ? adviceOnStatus(check.status) : ADVICE[check.kind],
  );
}

const ADVICE: Readonly<Record<Exclude<CollectorCheck["kind"], "takes" | "refuses">, Words>> = {
  unreached: {
    en: "Does the collector run, and is its port for OTLP over HTTP (4318 by default) open from here?",
    ru: "Работает ли коллектор и открыт ли отсюда его порт для OTLP по HTTP (обычно 4318)?",
  },
  tls: {
    en: "Name a private authority by NODE_EXTRA_CA_CERTS=FILE; or the port is not encrypted, and OTEL_EXPORTER_OTLP_ENDPOINT begins with http://.",
    ru: "Укажите свой центр сертификации в NODE_EXTRA_CA_CERTS=FILE; а если порт не шифрует, OTEL_EXPORTER_OTLP_ENDPOINT начинается с http://.",
  },
  foreign: {
    en: "The port is not one for OTLP over HTTP: 4317 speaks gRPC, 4318 is meant; or it is encrypted, and the address begins with https://.",
    ru: "Это порт не для OTLP по HTTP: на 4317 говорят на gRPC, а нужен 4318; или порт шифрует, и адрес начинается с https://.",
  },
};

function adviceOnStatus(status: number): Words {
  if (status === 401 || status === 403)
    return {
      en: "Set what it asks for in OTEL_EXPORTER_OTLP_HEADERS: name=value, percent-encoded.",
      ru: "Задайте то, что он требует, в OTEL_EXPORTER_OTLP_HEADERS: имя=значение в процентной кодировке.",
    };
  if (status === 404 || status === 405 || (status >= 300 && status < 400))
    return {
      en: "OTEL_EXPORTER_OTLP_ENDPOINT is the base address, to which /v1/traces and the like are added, and redirects are not followed. Or leave out what it has no pipeline for, by OTEL_…_EXPORTER=none.",
      ru: "OTEL_EXPORTER_OTLP_ENDPOINT — базовый адрес: /v1/traces и прочее к нему добавляется, а переадресации не выполняются. Или отключите то, чего он не принимает: OTEL_…_EXPORTER=none.",
    };
  return {
    en: "The log of the collector has its reason; it has to take OTLP over HTTP in JSON.",
    ru: "Причина — в логе коллектора; он должен принимать OTLP по HTTP в JSON.",
  };
}
