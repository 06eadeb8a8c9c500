/**
 * Protects: the image is built out of the package, has nothing that only development needs, names
 * what is in it, and serves as its own user, who can write none of it.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { findProgram, missingProgram } from "../support/find-program.ts";
import { freePort } from "../support/free-port.ts";
import { until } from "../support/until.ts";
import { imageSettings, instruction } from "./deployed-gateways.ts";
import { ROOT } from "./read-manifests.ts";
import { runProgram } from "./run-program.ts";

const BUILD_MS = 900_000;
const IMAGE = "localhost/tollgate-under-test:0";
const asked = process.env["TEST_IMAGE_BASE"];
const skip =
  missingProgram("buildah") ||
  (asked === undefined
    ? "needs a registry of packages and a base image: set TEST_IMAGE_BASE, by ops/image/make-base.sh where there is none"
    : false);

interface Inspected {
  readonly Docker: {
    readonly config: {
      readonly User: string;
      readonly Healthcheck: { readonly Test: readonly string[] };
      readonly Labels: Readonly<Record<string, string>>;
      readonly Env: readonly string[];
    };
  };
}

suite("the image", { skip, timeout: BUILD_MS }, () => {
  const buildah = findProgram("buildah") ?? "";
  const run = (...args: readonly string[]): string =>
    runProgram(buildah, args, { timeoutMs: BUILD_MS });
  let container: string;
  let root: string;

  before(() => {
    runProgram(join(ROOT, "ops/image/build.sh"), [IMAGE], {
      timeoutMs: BUILD_MS,
      env: { ...process.env, BASE: asked ?? "" },
    });
    container = run("from", "--pull-never", IMAGE).trim();
    root = run("mount", container).trim();
  });
  after(() => {
    run("rm", container);
    run("rmi", IMAGE);
  });

  test("says whose it is, what it is and how it is asked whether it lives", () => {
    const { config } = (JSON.parse(run("inspect", "--type", "image", IMAGE)) as Inspected).Docker;
    assert.equal(config.User, instruction("USER"));
    assert.equal(config.Healthcheck.Test[0], "CMD");
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      version: string;
    };
    assert.equal(config.Labels["org.opencontainers.image.version"], version);
    assert.match(config.Labels["org.opencontainers.image.revision"] ?? "", /^[0-9a-f]{40}$/);
    for (const [name, value] of Object.entries(imageSettings()))
      assert.ok(config.Env.includes(`${name}=${value}`), name);
  });

  test("has no development package, no test and no source, and names each of its packages", () => {
    const app = join(root, "opt/tollgate");
    for (const path of ["node_modules/typescript", "node_modules/vite", "test", "panel/src/pages"])
      assert.equal(existsSync(join(app, path)), false, path);
    assert.ok(existsSync(join(app, "provenance.json")));
    const { packages } = JSON.parse(readFileSync(join(app, "sbom.spdx.json"), "utf8")) as {
      packages: readonly { readonly name: string; readonly versionInfo: string }[];
    };
    const named = new Map(packages.map((each) => [each.name, each.versionInfo]));
    const { dependencies } = JSON.parse(readFileSync(join(app, "package.json"), "utf8")) as {
      dependencies: Readonly<Record<string, string>>;
    };
    for (const [name, version] of Object.entries(dependencies))
      assert.equal(named.get(name), version, name);
  });

  test("nothing in it may be written by its user", () => {
    const look = ["find", "/opt", "/usr", "-not", "-type", "l", "-writable"];
    const writable = run("run", "--isolation", "chroot", container, "--", ...look);
    assert.equal(writable.trim(), "");
  });

  test("serves API, panel and documents as its own user, on the database that comes with it", async () => {
    const port = await freePort();
    const settings = {
      PORT: String(port),
      HOST: "127.0.0.1",
      SESSION_SECRET: "s".repeat(64),
      CATALOGUE: "/opt/tollgate/catalogue.yaml",
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => [
      "--env",
      `${name}=${value}`,
    ]);
    const args = ["run", "--isolation", "chroot", ...flags, container, "--"];
    const child = spawn(buildah, [...args, "tollgate", "serve"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (part) => (output += String(part)));
    const ended = once(child, "exit");
    try {
      await until(
        "the image serves",
        async () => {
          if (child.exitCode !== null) throw new Error(`it ended: ${output}`);
          const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
          return answer?.status === 200;
        },
        120_000,
      );
      for (const path of ["/panel/", "/docs", "/openapi.json"])
        assert.equal((await fetch(`http://127.0.0.1:${port}${path}`)).status, 200, path);
    } finally {
      child.kill("SIGTERM");
      await ended;
    }
    assert.doesNotMatch(output, /installing|building|could not/);
  });
});
