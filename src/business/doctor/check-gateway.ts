/** The gateway that runs here: whether it takes requests. */
import { isRecord } from "../../protocol/json/is-record.ts";
import { askHealth } from "./ask-health.ts";
import type { Check } from "./doctor-deps.ts";
import { fault, fine, note } from "./finding.ts";

const TIMEOUTS_MS = { connectTimeoutMs: 2_000, firstByteTimeoutMs: 4_000, idleTimeoutMs: 2_000 };
/** Addresses that listen everywhere are no address to call. */
const EVERYWHERE: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

export const checkGateway: Check = {
  name: "gateway",
  async run({ installation: { host, port }, outgoing }, signal) {
    if (port === 0) return [];
    const called = EVERYWHERE.has(host) ? "127.0.0.1" : host;
    const origin = `http://${called.includes(":") ? `[${called}]` : called}:${port}`;
    const answer = await askHealth(outgoing, { origin, path: "/readyz", ...TIMEOUTS_MS }, signal);
    if (answer.kind === "failed")
      return [
        note(
          { en: `no gateway answers at ${origin}`, ru: `на ${origin} шлюз не отвечает` },
          {
            en: "It is stopped, or runs elsewhere; what follows is looked at without it.",
            ru: "Он остановлен или работает в другом месте; остальное осмотрено без него.",
          },
          {
            en: "Start it: tollgate serve, or systemctl start tollgate; else HOST and PORT are those of another.",
            ru: "Запустите его: tollgate serve или systemctl start tollgate; иначе HOST и PORT — не его.",
          },
        ),
      ];
    const { status, json } = answer;
    if (status === 200)
      return [
        fine({
          en: `the gateway at ${origin} takes requests`,
          ru: `шлюз на ${origin} принимает запросы`,
        }),
      ];
    const checks = isRecord(json) && isRecord(json["checks"]) ? json["checks"] : {};
    const bad = Object.entries(checks)
      .filter(([, state]) => state !== "ok")
      .map(([name, state]) => `${name}: ${String(state)}`);
    return [
      fault(
        {
          en: `the gateway at ${origin} takes no requests (${status}): ${bad.join(", ")}`,
          ru: `шлюз на ${origin} не принимает запросы (${status}): ${bad.join(", ")}`,
        },
        {
          en: "Balancers pass it over, and callers are told 503.",
          ru: "Балансировщики его обходят, вызывающие получают 503.",
        },
        {
          en: "What is wrong has a line of its own below; the log has more: journalctl -u tollgate -n 50.",
          ru: "Что не так, сказано в отдельной строке ниже; подробнее в логе: journalctl -u tollgate -n 50.",
        },
      ),
    ];
  },
};
