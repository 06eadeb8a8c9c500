/** The gateways that the manifests of ops/ run: their settings, and what stands around them. */
import {
  at,
  entriesAt,
  listAt,
  readDocument,
  readOps,
  settingsOf,
  textOf,
  withDefaults,
  type Settings,
  type Value,
} from "./read-manifests.ts";

export interface DeployedGateway {
  /** Where it is described. */
  readonly name: string;
  /** Beside those of the image. */
  readonly settings: Settings;
  /** How long what stops it waits, in seconds. */
  readonly stopSeconds: number;
}

export const COMPOSE = readDocument("compose/compose.yaml");
export const DEPLOYMENT = readDocument("kubernetes/base/deployment.yaml", "Deployment");
export const CONTAINERFILE = readOps("image/Containerfile").replaceAll("\\\n", " ");
export const OVERLAYS = ["production", "trial"] as const;
const SETTINGS_MAP = "tollgate-settings";

/** The ENV of the image. */
export function imageSettings(): Settings {
  const lines = CONTAINERFILE.split("\n").filter((line) => line.startsWith("ENV "));
  return settingsOf(lines.flatMap((line) => line.slice("ENV ".length).trim().split(/\s+/)));
}

/** What one instruction of the image says, the last one of its name. */
export function instruction(name: string): string {
  const found = CONTAINERFILE.split("\n").findLast((line) => line.startsWith(`${name} `));
  if (found === undefined) throw new Error(`the Containerfile has no ${name}`);
  return found.slice(name.length + 1).trim();
}

/** Services of the compose file that run our image. */
export function composeGateways(): readonly (readonly [string, Value])[] {
  return entriesAt(COMPOSE, "services").filter(([, service]) =>
    /\btollgate:/.test(withDefaults(textOf(at(service, "image")))),
  );
}

/** The containers of a pod of the base. */
export function podSpec(): Value {
  return at(DEPLOYMENT, "spec", "template", "spec");
}

function literalsOf(kustomization: Value): Settings {
  const maps = listAt(kustomization, "configMapGenerator");
  const ours = maps.filter((map) => at(map, "name") === SETTINGS_MAP);
  return settingsOf(ours.flatMap((map) => listAt(map, "literals").map(textOf)));
}

/** `45s` and `5m` in seconds. */
function seconds(text: string): number {
  const [, number, unit] = /^(\d+)(s|m)?$/.exec(text) ?? [];
  if (number === undefined) throw new Error(`not a time: ${text}`);
  return Number(number) * (unit === "m" ? 60 : 1);
}

export function deployedGateways(): DeployedGateway[] {
  const compose = composeGateways().map(([name, service]) => ({
    name: `compose ${name}`,
    settings: Object.fromEntries(
      entriesAt(service, "environment").map(([key, value]) => [key, withDefaults(textOf(value))]),
    ),
    stopSeconds: seconds(textOf(at(service, "stop_grace_period"))),
  }));
  const base = literalsOf(readDocument("kubernetes/base/kustomization.yaml"));
  const kubernetes = OVERLAYS.map((overlay) => ({
    name: `kubernetes ${overlay}`,
    settings: {
      ...base,
      ...literalsOf(readDocument(`kubernetes/overlays/${overlay}/kustomization.yaml`)),
    },
    stopSeconds: Number(at(podSpec(), "terminationGracePeriodSeconds")),
  }));
  const unit = readOps("systemd/tollgate.service");
  const systemd = {
    name: "systemd",
    settings: {},
    stopSeconds: seconds(/^TimeoutStopSec=(.+)$/m.exec(unit)?.[1] ?? ""),
  };
  return [...compose, ...kubernetes, systemd];
}
