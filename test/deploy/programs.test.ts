/**
 * Protects: the programs that manifests are for take those of ops/, and the scripts beside them make
 * what they say. What is not installed here is skipped by name.
 */
import assert from "node:assert/strict";
import {
  copyFileSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { parseEnv } from "node:util";
import { readConfig } from "../../src/config/config.ts";
import { findProgram, missingProgram } from "../support/find-program.ts";
import { freePort } from "../support/free-port.ts";
import { LOOPBACK_PEM } from "../support/loopback-identity.ts";
import { imageSettings, OVERLAYS } from "./deployed-gateways.ts";
import { at, documentsIn, everyNamed, listAt, readOps, ROOT, textOf } from "./read-manifests.ts";
import { runProgram } from "./run-program.ts";

const folder = mkdtempSync(join(tmpdir(), "deploy-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test(
  "kubectl puts base and overlays together: one deployment of a pinned image, each map and object under the name that it is called by",
  { skip: missingProgram("kubectl") },
  () => {
    const build = (path: string): string =>
      runProgram(findProgram("kubectl") ?? "", ["kustomize", join(ROOT, "ops/kubernetes", path)]);
    assert.ok(documentsIn(build("base")).length >= 6);
    for (const overlay of OVERLAYS) {
      const documents = documentsIn(build(`overlays/${overlay}`));
      const named = (kind: string): string[] =>
        documents
          .filter((document) => at(document, "kind") === kind)
          .map((document) => textOf(at(document, "metadata", "name")));
      for (const document of documents.filter((each) => at(each, "kind") !== "Namespace"))
        assert.equal(at(document, "metadata", "namespace"), "tollgate");
      const [deployment = null] = documents.filter((each) => at(each, "kind") === "Deployment");
      const spec = at(deployment, "spec", "template", "spec");
      for (const image of everyNamed(at(spec, "containers"), "image"))
        assert.match(textOf(image), /\/tollgate:\d+\.\d+\.\d+$/, overlay);
      const maps = everyNamed(spec, "configMapRef")
        .map((map) => textOf(at(map, "name")))
        .concat(everyNamed(at(spec, "volumes"), "configMap").map((map) => textOf(at(map, "name"))));
      assert.equal(maps.length, 2, overlay);
      // A name of its contents: a change is a rolling restart.
      for (const map of maps) {
        assert.match(map, /-[a-z0-9]{10}$/, overlay);
        assert.ok(named("ConfigMap").includes(map), `${overlay}: ${map}`);
      }
      assert.equal(at(deployment, "spec", "replicas"), overlay === "production" ? null : 1);
      assert.equal(named("HorizontalPodAutoscaler").length, overlay === "production" ? 1 : 0);
      for (const backend of documents.flatMap((each) => everyNamed(each, "backend")))
        assert.ok(named("Service").includes(textOf(at(backend, "service", "name"))));
    }
  },
);

test(
  "systemd takes the unit, and finds nothing in it that it does not know",
  { skip: missingProgram("systemd-analyze") },
  () => {
    // It asks whether the program is there, which is where the unit is installed.
    const unit = join(folder, "tollgate.service");
    writeFileSync(
      unit,
      readOps("systemd/tollgate.service").replace(
        /^ExecStart=\S+/m,
        `ExecStart=${process.execPath}`,
      ),
    );
    const analyze = findProgram("systemd-analyze") ?? "";
    // It complains on standard error, of the machine's other units too.
    const both = '"$0" verify --man=no "$1" 2>&1 || true';
    const complaints = runProgram("/bin/sh", ["-c", both, analyze, unit])
      .split("\n")
      .filter((line) => line.includes("tollgate"));
    assert.deepEqual(complaints, []);
  },
);

test(
  "HAProxy takes its configuration, as it is shipped but for its user and its certificate",
  { skip: missingProgram("haproxy") },
  async () => {
    const [config, certificate] = [join(folder, "haproxy.cfg"), join(folder, "certificate.pem")];
    writeFileSync(certificate, LOOPBACK_PEM);
    writeFileSync(
      config,
      readOps("haproxy/haproxy.cfg").replaceAll(/^ +(?:user|group) haproxy\n/gm, ""),
    );
    runProgram(findProgram("haproxy") ?? "", ["-c", "-f", config], {
      env: {
        HTTP_BIND: `127.0.0.1:${await freePort()}`,
        HTTPS_BIND: `127.0.0.1:${await freePort()}`,
        CERTIFICATES: certificate,
      },
    });
  },
);

test("every script below ops/ is one, and may be run", () => {
  const scripts = globSync("ops/**/*.sh", { cwd: ROOT });
  assert.ok(scripts.length >= 3);
  for (const script of scripts) {
    runProgram("/bin/sh", ["-n", join(ROOT, script)]);
    assert.ok((statSync(join(ROOT, script)).mode & 0o111) !== 0, script);
  }
});

test(
  "prepare.sh makes settings that a gateway starts on, readable by containers and by no other user, and leaves them alone the next time",
  { skip: missingProgram("openssl") },
  () => {
    const script = join(folder, "prepare.sh");
    copyFileSync(join(ROOT, "ops/compose/prepare.sh"), script);
    runProgram(script, []);
    const secrets = join(folder, "secrets");
    const read = (): string[] =>
      readdirSync(secrets)
        .toSorted()
        .map((name) => `${name}\n${readFileSync(join(secrets, name), "utf8")}`);
    const first = read();
    assert.equal(statSync(secrets).mode & 0o077, 0);
    for (const name of readdirSync(secrets))
      assert.equal(statSync(join(secrets, name)).mode & 0o777, 0o644, name);

    const env = parseEnv(readFileSync(join(secrets, "tollgate.env"), "utf8"));
    const reading = readConfig({ ...imageSettings(), ...env }, "/etc/tollgate", ROOT);
    assert.ok(reading.ok, reading.ok ? "" : reading.mistakes.join("\n"));
    const password = readFileSync(join(secrets, "postgres_password"), "utf8");
    assert.match(password, /^[0-9a-f]{64}$/);
    assert.equal(new URL(reading.config.databaseUrl ?? "").password, password);
    const identities = documentsIn(readFileSync(join(secrets, "s3_identities.json"), "utf8"))[0];
    const [identity = null] = listAt(identities ?? null, "identities");
    assert.equal(
      at(identity, "credentials", 0, "secretKey"),
      new URL(reading.config.storageUrl).password,
    );
    assert.match(
      readFileSync(join(secrets, "certificate.pem"), "utf8"),
      /BEGIN CERTIFICATE[^]*BEGIN PRIVATE KEY/,
    );

    runProgram(script, []);
    assert.deepEqual(read(), first);
  },
);
