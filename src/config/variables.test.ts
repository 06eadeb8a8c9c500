/**
 * Protects: the `.env.example` of the project is the one that the settings make, and what it shows
 * as a default is the default.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseEnv } from "node:util";
import { describeConfig, readConfig } from "./config.ts";
import { CONFIG_VARIABLES, exampleEnvironment } from "./variables.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Their values are examples: that they are left out is what means something else. */
const EXAMPLES = [
  ...[
    "NODE_ENV",
    "SESSION_SECRET",
    "BASE_URL",
    "STATIC_URL",
    "TRUSTED_PROXIES",
    "DATABASE_URL",
    "DATABASE_REPLICA_URL",
    "STORAGE_URL",
    "FETCH_ALLOW",
  ],
  ...["SMTP_URL", "MAIL_FROM", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS"],
];

/** What some need beside them. */
const BESIDES: Readonly<Record<string, string>> = {
  NODE_ENV: `SESSION_SECRET=${"s".repeat(32)}`,
  DATABASE_REPLICA_URL: "DATABASE_URL=postgresql://HOST/tollgate",
};

const read = (text: string) => readConfig(parseEnv(text), ROOT, ROOT);

test(".env.example is what `tollgate config --example` prints", () => {
  assert.equal(readFileSync(join(ROOT, ".env.example"), "utf8"), exampleEnvironment());
});

test("as it is it changes nothing, and every setting that is shown is in it", () => {
  const unset = read("");
  assert.deepEqual(read(exampleEnvironment()), unset);
  assert.ok(unset.ok);
  assert.deepEqual(
    Object.keys(CONFIG_VARIABLES).toSorted(),
    Object.keys(describeConfig(unset.config)).toSorted(),
  );
});

test("a default that is uncommented changes nothing, and an example is taken", () => {
  const unset = read("");
  for (const line of exampleEnvironment().split("\n")) {
    if (!/^#[A-Z]/.test(line)) continue;
    const [name = ""] = line.slice(1).split("=");
    const reading = read(`${line.slice(1)}\n${BESIDES[name] ?? ""}`);
    assert.ok(reading.ok, line);
    if (!EXAMPLES.includes(name)) assert.deepEqual(reading, unset, line);
  }
});
