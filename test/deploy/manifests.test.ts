/**
 * Protects: what ops/ has for running the gateway says the same as the gateway itself: its settings,
 * ports, paths and times, one user without rights, versions that stand still, files that are there.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseCatalogue } from "../../src/catalogue/parse-catalogue.ts";
import { readConfig, type Config } from "../../src/config/config.ts";
import { CONFIG_VARIABLES } from "../../src/config/variables.ts";
import { serviceRoutes } from "../../src/http/routes/service.ts";
import {
  COMPOSE,
  composeGateways,
  CONTAINERFILE,
  DEPLOYMENT,
  deployedGateways,
  imageSettings,
  instruction,
  OVERLAYS,
  podSpec,
} from "./deployed-gateways.ts";
import {
  at,
  documentsIn,
  entriesAt,
  everyNamed,
  listAt,
  readDocument,
  readOps,
  ROOT,
  settingsOf,
  textOf,
  withDefaults,
  yamlFiles,
  type Settings,
  type Value,
} from "./read-manifests.ts";

/** Of the secret `.env`, which no manifest has: each is as long, or leads somewhere, as it must. */
const SECRET: Settings = {
  SESSION_SECRET: "s".repeat(64),
  DATABASE_URL: "postgresql://tollgate:secret@postgres/tollgate",
  STORAGE_URL: "s3://tollgate:secret@s3:8333/tollgate?http=1",
};
/** Of the catalogues below ops/. */
const CREDENTIALS: Settings = {
  MY_PROVIDER_KEY: "x",
  SANDBOX_URL: "http://127.0.0.1:8090",
  SANDBOX_API_KEY: "x",
};
/** Between the last request and the end of a process. */
const LAST_STEPS_SECONDS = 5;

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  version: string;
};
const HAPROXY = readOps("haproxy/haproxy.cfg");

function configOf(settings: Settings): Config {
  const reading = readConfig({ ...imageSettings(), ...SECRET, ...settings }, "/etc/tollgate", ROOT);
  assert.ok(reading.ok, reading.ok ? "" : reading.mistakes.join("\n"));
  return reading.config;
}

/** The paths that machines ask, without a key. */
function servicePaths(): Set<string> {
  const routes = serviceRoutes({
    readiness: async () => ({ ok: true, checks: {} }),
    metrics: { contentType: "", render: async () => "" },
  });
  return new Set(routes.map(({ path }) => path));
}

test("every manifest is YAML without a mistake, and each document in it says something", () => {
  const files = yamlFiles();
  assert.ok(files.length >= 15, files.join(" "));
  for (const path of files) {
    const documents = documentsIn(readFileSync(join(ROOT, path), "utf8"));
    assert.ok(documents.length > 0, path);
    for (const document of documents)
      assert.ok(typeof document === "object" && document !== null, path);
  }
});

test("every setting of a gateway is one that the gateway knows, and together they are a configuration", () => {
  const gateways = deployedGateways();
  assert.ok(gateways.length >= 5);
  for (const { name, settings } of [{ name: "image", settings: imageSettings() }, ...gateways]) {
    for (const setting of Object.keys(settings))
      assert.ok(setting in CONFIG_VARIABLES, `${name}: ${setting}`);
    const config = configOf(settings);
    assert.ok(config.production, name);
  }
  for (const container of listAt(podSpec(), "containers"))
    for (const variable of listAt(container, "env"))
      assert.ok(textOf(at(variable, "name")) in CONFIG_VARIABLES, JSON.stringify(variable));
});

test("whatever stops a gateway waits for its grace, its drain and its last steps", () => {
  for (const { name, settings, stopSeconds } of deployedGateways()) {
    const { shutdownGraceSeconds, drainSeconds } = configOf(settings);
    const needed = shutdownGraceSeconds + drainSeconds + LAST_STEPS_SECONDS;
    assert.ok(stopSeconds >= needed, `${name}: ${stopSeconds} s of ${needed}`);
  }
});

test("a balancer looks away from a gateway that stops before its grace is over", () => {
  const [, inter, fall] = /inter (\d+)s fall (\d+)/.exec(HAPROXY) ?? [];
  const looksAwaySeconds = Number(inter) * (Number(fall) + 1);
  const readiness = at(podSpec(), "containers", 0, "readinessProbe");
  const kubernetes =
    Number(at(readiness, "periodSeconds")) * (Number(at(readiness, "failureThreshold")) + 1);
  for (const { name, settings } of deployedGateways()) {
    const { shutdownGraceSeconds } = configOf(settings);
    assert.ok(looksAwaySeconds <= shutdownGraceSeconds, `${name} behind HAProxy`);
    assert.ok(kubernetes <= shutdownGraceSeconds, `${name} on Kubernetes`);
  }
});

test("a gateway runs as one user without rights, on a file system that it cannot write", () => {
  const user = instruction("USER");
  const [uid, gid] = user.split(":").map(Number);
  assert.ok(uid !== undefined && uid > 0 && gid !== undefined && gid > 0, user);
  for (const [name, service] of composeGateways()) {
    assert.equal(at(service, "user"), user, name);
    assert.equal(at(service, "read_only"), true, name);
    assert.deepEqual(at(service, "cap_drop"), ["ALL"], name);
    assert.deepEqual(at(service, "security_opt"), ["no-new-privileges:true"], name);
    for (const mount of listAt(service, "tmpfs")
      .map(textOf)
      .filter((text) => text.includes("uid")))
      assert.match(mount, new RegExp(`uid=${uid},gid=${gid},`), name);
  }
  const pod = at(podSpec(), "securityContext");
  assert.deepEqual(
    ["runAsNonRoot", "runAsUser", "runAsGroup", "fsGroup"].map((name) => at(pod, name)),
    [true, uid, gid, gid],
  );
  assert.equal(at(podSpec(), "automountServiceAccountToken"), false);
  const patch = listAt(readDocument("kubernetes/overlays/trial/kustomization.yaml"), "patches");
  const sidecars = patch.flatMap((each) => documentsIn(textOf(at(each, "patch"))));
  for (const spec of [podSpec(), ...sidecars.map((each) => at(each, "spec", "template", "spec"))])
    for (const container of listAt(spec, "containers")) {
      const context = at(container, "securityContext");
      assert.equal(at(context, "readOnlyRootFilesystem"), true);
      assert.equal(at(context, "allowPrivilegeEscalation"), false);
      assert.deepEqual(at(context, "capabilities"), { drop: ["ALL"] });
    }
  const unit = readOps("systemd/tollgate.service");
  for (const line of ["NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet="])
    assert.ok(unit.split("\n").includes(line), line);
});

test("everything that asks whether a gateway lives or is ready asks a path that it has", () => {
  const paths = servicePaths();
  const [container = null] = listAt(podSpec(), "containers");
  for (const [probe, path] of [
    ["startupProbe", "/healthz"],
    ["livenessProbe", "/healthz"],
    ["readinessProbe", "/readyz"],
  ] as const)
    assert.equal(at(container, probe, "httpGet", "path"), path);
  const asked = [
    ...everyNamed(DEPLOYMENT, "httpGet").map((get) => textOf(at(get, "path"))),
    ...[...HAPROXY.matchAll(/httpchk GET (\S+)/g)].map(([, path = ""]) => path),
    ...[...instruction("HEALTHCHECK").matchAll(/'(\/[a-z]+)'/g)].map(([, path = ""]) => path),
    ...composeGateways().flatMap(([, service]) =>
      listAt(service, "healthcheck", "test").flatMap((part) =>
        [...textOf(part).matchAll(/:\d+(\/[a-z]+)'/g)].map(([, path = ""]) => path),
      ),
    ),
  ];
  assert.ok(asked.length >= 7, asked.join(" "));
  for (const path of asked) assert.ok(paths.has(path), path);
});

test("one port leads from the image through every manifest", () => {
  const port = Number(imageSettings()["PORT"]);
  assert.equal(configOf({}).port, port);
  assert.equal(Number(instruction("EXPOSE")), port);
  const [container = null] = listAt(podSpec(), "containers");
  const [named = null] = listAt(container, "ports");
  assert.equal(at(named, "containerPort"), port);
  const service = readDocument("kubernetes/base/service.yaml");
  assert.equal(at(service, "spec", "ports", 0, "targetPort"), at(named, "name"));
  const policy = readDocument("kubernetes/base/network-policy.yaml");
  assert.deepEqual(everyNamed(at(policy, "spec", "ingress"), "port"), [port]);
  const servers = entriesAt(COMPOSE, "services", "proxy", "environment")
    .filter(([name]) => name.startsWith("GATEWAY_"))
    .map(([, address]) => textOf(address));
  assert.deepEqual(
    servers,
    composeGateways().map(
      ([, each]) => `${textOf(at(each, "networks", "gateways", "ipv4_address"))}:${port}`,
    ),
  );
  const targets = everyNamed(readDocument("compose/prometheus.yaml"), "targets").flatMap((each) =>
    listAt(each),
  );
  assert.deepEqual(
    targets,
    composeGateways().map(([name]) => `${name}:${port}`),
  );
});

test("the proxy of the compose file is whom its gateways believe, and nobody else", () => {
  const proxy = at(COMPOSE, "services", "proxy", "networks", "gateways", "ipv4_address");
  for (const { name, settings } of deployedGateways().filter((each) =>
    each.name.startsWith("compose"),
  ))
    assert.deepEqual(configOf(settings).trustedProxies, [proxy], name);
  assert.match(HAPROXY, /http-request del-header X-Forwarded-For\n\s+option forwardfor/);
  assert.match(HAPROXY, /http-request deny .*path \/metrics/);
});

test("every image stands still: by a version or a digest, ours by this one", () => {
  const pinned = /^\S+(?::v?\d+\.\d[\w.-]*|@sha256:[0-9a-f]{64})$/;
  const images = yamlFiles()
    .flatMap((path) => documentsIn(readFileSync(join(ROOT, path), "utf8")))
    .flatMap((document) => everyNamed(document, "image"))
    .filter((image): image is string => typeof image === "string")
    .map(withDefaults);
  const base = /^ARG BASE=(\S+)$/m.exec(CONTAINERFILE)?.[1];
  assert.ok(images.length >= 8 && base !== undefined);
  for (const image of [...images, base]) {
    if (image === "tollgate") continue;
    assert.match(image, pinned);
    assert.doesNotMatch(image, /latest/);
  }
  for (const [name, service] of composeGateways())
    assert.ok(withDefaults(textOf(at(service, "image"))).endsWith(`:${version}`), name);
  for (const overlay of OVERLAYS) {
    const path = `kubernetes/overlays/${overlay}/kustomization.yaml`;
    const named = listAt(readDocument(path), "images");
    assert.deepEqual(
      named.map((image) => [at(image, "name"), at(image, "newTag")]),
      [["tollgate", version]],
      overlay,
    );
  }
});

test("whatever the compose file brings into a container is there, or is made by prepare.sh", () => {
  const folder = join(ROOT, "ops/compose");
  const mounted = entriesAt(COMPOSE, "services")
    .flatMap(([, service]) => listAt(service, "volumes").map(textOf))
    .map((volume) => volume.split(":")[0] ?? "")
    .filter((source) => source.startsWith("."));
  const configs = entriesAt(COMPOSE, "configs").map(([, each]) =>
    withDefaults(textOf(at(each, "file"))),
  );
  assert.ok(mounted.length >= 5);
  for (const source of [...mounted, ...configs])
    assert.ok(existsSync(join(folder, source)), `${source} is missing`);
  const script = readOps("compose/prepare.sh");
  const secrets = entriesAt(COMPOSE, "secrets");
  const used = new Set(everyNamed(at(COMPOSE, "services"), "secrets").flatMap(secretNames));
  for (const [name, secret] of secrets) {
    assert.ok(script.includes(textOf(at(secret, "file")).replace("./", "")), name);
    assert.ok(used.has(name), `${name} is for something`);
  }
});

function secretNames(list: Value): string[] {
  return listAt(list).map((each) => (typeof each === "string" ? each : textOf(at(each, "source"))));
}

test("no secret stands in a manifest: databases and panels are told a file", () => {
  for (const [name, service] of entriesAt(COMPOSE, "services"))
    for (const [variable] of entriesAt(service, "environment"))
      if (/PASSWORD|SECRET|KEY|TOKEN/.test(variable)) assert.match(variable, /_FILE$/, name);
  const kinds = yamlFiles()
    .filter((path) => path.startsWith("ops/kubernetes/"))
    .flatMap((path) => documentsIn(readFileSync(join(ROOT, path), "utf8")));
  for (const document of kinds) {
    assert.notEqual(at(document, "kind"), "Secret");
    assert.equal(at(document, "secretGenerator"), null);
  }
});

test("the settings that prepare.sh writes are ones that the gateway knows", () => {
  const [, lines = ""] =
    /tollgate\.env <<END\n([^]*?)^END$/m.exec(readOps("compose/prepare.sh")) ?? [];
  const written = settingsOf(
    lines
      .split("\n")
      .map((line) => line.replace(/^#(?=[A-Z])/, ""))
      .filter((line) => /^[A-Z]\w*=/.test(line)),
  );
  for (const name of Object.keys(written))
    assert.ok(name in CONFIG_VARIABLES || name in CREDENTIALS, name);
  for (const name of Object.keys(SECRET)) assert.ok(name in written, name);
});

test("the catalogues of the overlays are in order, without a warning", () => {
  for (const overlay of OVERLAYS) {
    const reading = parseCatalogue(
      readOps(`kubernetes/overlays/${overlay}/catalogue.yaml`),
      CREDENTIALS,
    );
    assert.deepEqual(reading.ok ? reading.warnings : reading.mistakes, [], overlay);
  }
});

test("what one object of Kubernetes calls another by is its name", () => {
  const labels = at(DEPLOYMENT, "spec", "template", "metadata", "labels");
  const selectors = [
    at(DEPLOYMENT, "spec", "selector", "matchLabels"),
    at(readDocument("kubernetes/base/service.yaml"), "spec", "selector"),
    at(readDocument("kubernetes/base/disruption-budget.yaml"), "spec", "selector", "matchLabels"),
    at(readDocument("kubernetes/base/network-policy.yaml"), "spec", "podSelector", "matchLabels"),
  ];
  for (const selector of selectors) assert.deepEqual(selector, labels);
  const scaled = at(
    readDocument("kubernetes/overlays/production/autoscaler.yaml"),
    "spec",
    "scaleTargetRef",
  );
  assert.deepEqual(
    [at(scaled, "kind"), at(scaled, "name")],
    ["Deployment", at(DEPLOYMENT, "metadata", "name")],
  );
});
