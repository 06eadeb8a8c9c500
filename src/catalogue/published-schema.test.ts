/**
 * Protects the schema that editors complete a catalogue by: it is the reader's own, takes what is
 * shipped and documented, has help for each key, and says what may stand where a slip stands.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Ajv } from "ajv";
import { parse } from "yaml";
import { tollgateCatalogue } from "../../bench/peers/tollgate-catalogue.ts";
import { moneyCatalogue } from "../../test/money/money-catalogue.ts";
import { PANEL_CATALOGUE } from "../../test/support/panel-catalogue.ts";
import { readCatalogue } from "../../test/support/read-catalogue.ts";
import { publishedSchema } from "./published-schema.ts";

interface Published {
  readonly description?: string;
  readonly $ref?: string;
  readonly not?: object;
  readonly properties?: Readonly<Record<string, Published>>;
}

const ROOT = new URL("../../", import.meta.url);
const ENV = new Proxy<Record<string, string>>({}, { get: () => "http://127.0.0.1:1" });

function textOf(path: string): string {
  return readFileSync(new URL(path, ROOT), "utf8");
}

const SCHEMA = JSON.parse(textOf("catalogue.schema.json")) as Published & {
  readonly definitions: Readonly<Record<string, Published>>;
};

test("the file that editors read is what the reader's schemas say", () => {
  assert.deepEqual(
    SCHEMA,
    JSON.parse(JSON.stringify(publishedSchema())),
    "write it anew: npx tollgate catalogue schema > catalogue.schema.json",
  );
});

test("the shipped catalogue names its schema where editors look for it", () => {
  const [first = ""] = textOf("catalogue.yaml").split("\n");
  const [, named = ""] = /^# yaml-language-server: \$schema=(\S+)$/.exec(first) ?? [];
  assert.equal(named, "./catalogue.schema.json");
  assert.ok(existsSync(new URL(named, ROOT)));
});

test("the shipped catalogue, the documented ones and those of the tests are in order by the schema too", () => {
  const pages = ["providers", "task-providers"].flatMap((name) => [name, `${name}.ru`]);
  const examples = pages.flatMap((page) =>
    [...textOf(`docs/${page}.md`).matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, yaml = ""]) => yaml),
  );
  const written = [
    textOf("catalogue.yaml"),
    ...examples.filter((yaml) => !yaml.includes("# …")).map(withModel),
    PANEL_CATALOGUE,
    moneyCatalogue("http://127.0.0.1:1"),
    tollgateCatalogue(1, true),
  ];
  assert.ok(written.length === 16, String(written.length));
  for (const source of written) {
    const reading = readCatalogue(source, ENV);
    assert.ok(reading.ok, JSON.stringify(reading));
  }
});

/** Examples of upstreams sell nothing yet. */
function withModel(yaml: string): string {
  if (/^models:/m.test(yaml)) return yaml;
  const upstream = /^ {2}([\w-]+):$/m.exec(yaml)?.[1] ?? "";
  return `${yaml}models: { m: { type: task, parameters: T8, price: { unit: video, quantity: 1, amount: "1" }, routes: [ { upstream: ${upstream}, model: x } ] } }\n`;
}

test("every key has its help", () => {
  const helpless: string[] = [];
  const isHelped = ({ description, $ref = "", not }: Published): boolean =>
    description !== undefined ||
    not !== undefined ||
    SCHEMA.definitions[$ref.replace("#/definitions/", "")]?.description !== undefined;
  const walk = (schema: unknown, path: string): void => {
    if (typeof schema !== "object" || schema === null) return;
    const { properties = {}, ...rest } = schema as Published;
    for (const [name, property] of Object.entries(properties)) {
      if (!isHelped(property)) helpless.push(`${path}.${name}`);
      walk(property, `${path}.${name}`);
    }
    // Conditions repeat keys that have their help where they are declared.
    for (const [name, part] of Object.entries(rest))
      if (name !== "allOf") walk(part, `${path}/${name}`);
  };
  const { definitions, ...file } = SCHEMA;
  walk(file, "");
  walk(definitions, "");
  assert.deepEqual(helpless, []);
});

test("what stands for a slip is told with its place and all that may stand there", () => {
  const validate = new Ajv({ allErrors: true, strictTypes: false }).compile(SCHEMA);
  validate(
    parse(
      'upstreams: { up: { protocol: openai, baseUrl: "http://h", apiKeyEnv: KEY, onDisconnect: stop } }\nmodels: { m: { type: chat, endpoints: [chat] } }',
    ),
  );
  const reported = (validate.errors ?? [])
    .filter(({ keyword }) => keyword === "enum")
    .map(({ instancePath, params }) => [instancePath, params["allowedValues"] as unknown]);
  assert.deepEqual(reported, [
    ["/upstreams/up/onDisconnect", ["abort", "drain"]],
    ["/models/m/endpoints/0", ["chat.completions", "messages", "responses", "no-responses"]],
  ]);
});
