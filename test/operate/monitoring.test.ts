/**
 * Protects: what the page on monitoring and its alerts speak of is what a gateway tells, label by
 * label, and nothing that it tells is missing there.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { parse } from "yaml";
import { FAULTS } from "../../src/kernel/faults.ts";
import { openChatScene, type ChatScene } from "../support/chat-scene.ts";
import { openAiCompletion } from "../support/openai-stream.ts";
import { postChat } from "../support/post-chat.ts";
import { until } from "../support/until.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/monitoring.md"), "utf8");
const RULES = readFileSync(join(ROOT, "docs/prometheus-rules.yaml"), "utf8");

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary?: string; readonly summary_ru?: string };
}

const { groups } = parse(RULES) as { groups: readonly { rules: readonly Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

/** The table of metrics: each with its labels. */
const documented = new Map(
  [...PAGE.matchAll(/^\| `(tollgate_\w+)` \|([^|]*)\|/gm)].map(([, name = "", labels = ""]) => [
    name,
    [...labels.matchAll(/`(\w+)`/g)].map(([, label = ""]) => label),
  ]),
);

let scene: ChatScene;
/** All that the gateway told, once it had served and refused. */
let reported = "";
before(async () => {
  scene = await openChatScene();
  const { secret } = await scene.customer();
  const { user } = scene.play((exchange) =>
    exchange.json(
      200,
      openAiCompletion({
        id: "c",
        model: "upstream-model",
        pieces: ["hello"],
        finishReason: "stop",
        usage: { prompt_tokens: 3, completion_tokens: 1 },
      }),
    ),
  );
  const body = { model: "standard", user, messages: [{ role: "user", content: "hi" }] };
  assert.equal((await postChat(scene.gateway.url, secret, body).answer).status, 200);
  assert.equal((await postChat(scene.gateway.url, "tg_live_wrong", body).answer).status, 401);
  reported = await until("the work of all kinds is counted", async () => {
    const text = await (await fetch(`${scene.gateway.url}/metrics`)).text();
    return (
      text.includes("tollgate_disk_free_bytes{") &&
      text.includes("tollgate_tasks_held_roubles ") &&
      text
    );
  });
});
after(() => scene.close());

test("every metric is on the page, and the page has none that nothing tells", () => {
  const names = [...reported.matchAll(/^# HELP (tollgate_\w+) /gm)].map(([, name]) => name);
  assert.ok(names.length > 35);
  assert.deepEqual(
    names.filter((name) => name === undefined || !documented.has(name)),
    [],
  );
  // Some are told only where there is something to tell of: those are in the code at least.
  const code = globSync("src/**/*.ts", { cwd: ROOT }).map((path) =>
    readFileSync(join(ROOT, path), "utf8"),
  );
  const isKnown = (name: string): boolean =>
    code.some(
      (text) => text.includes(`"${name}"`) || text.includes(`"${name.replace("tollgate_", "")}"`),
    );
  assert.deepEqual(
    [...documented.keys()].filter((name) => !isKnown(name)),
    [],
  );
});

test("each sample has the labels that the page says", () => {
  const samples = [
    ...reported.matchAll(/^(tollgate_\w+?)(?:_bucket|_sum|_count)?(?:\{(.*)\})? [^ ]+$/gm),
  ];
  assert.ok(samples.length > 100);
  for (const [line, name = "", labels = ""] of samples) {
    const found = [...labels.matchAll(/(\w+)="/g)]
      .map(([, label = ""]) => label)
      .filter((label) => label !== "le");
    assert.deepEqual(found.toSorted(), documented.get(name)?.toSorted(), line);
  }
});

test("alerts ask for metrics and labels that there are, and say what happened in both languages", () => {
  assert.ok(rules.length >= 15);
  const others = new Set([
    "up",
    ...[...reported.matchAll(/^# HELP ((?:process|nodejs)_\w+) /gm)].map(([, name = ""]) => name),
  ]);
  for (const { alert, expr, annotations } of rules) {
    assert.ok(PAGE.includes(`\`${alert}\``), `${alert} is on the page`);
    assert.ok(
      annotations.summary !== undefined && /[а-яё]/i.test(annotations.summary_ru ?? ""),
      alert,
    );
    const metrics = [...expr.matchAll(/\b(?:tollgate|process|nodejs)_\w+|\bup\b/g)].map(
      ([name]) => name,
    );
    assert.ok(metrics.length > 0, alert);
    for (const name of metrics)
      assert.ok(documented.has(name) || others.has(name), `${alert}: ${name}`);
    for (const [, name = "", selector = ""] of expr.matchAll(/(tollgate_\w+)\{([^}]*)\}/g)) {
      for (const [, label = ""] of selector.matchAll(/(\w+)=/g))
        assert.ok(documented.get(name)?.includes(label), `${alert}: ${name}{${label}}`);
    }
    for (const [, codes = ""] of expr.matchAll(/code=~?"([^"]+)"/g))
      for (const code of codes.split("|")) assert.ok(code in FAULTS, code);
    const { summary = "", summary_ru: russian = "" } = annotations;
    const labelsOf = (text: string): string[] =>
      [...text.matchAll(/\{\{ ([^}]+) \}\}/g)].map(([, label = ""]) => label).toSorted();
    assert.deepEqual(labelsOf(russian), labelsOf(summary), alert);
  }
});

test("each kind of suspicion that the code names is explained", () => {
  const code = globSync("src/**/*.ts", {
    cwd: ROOT,
    exclude: (path) => path.endsWith(".test.ts"),
  }).map((path) => readFileSync(join(ROOT, path), "utf8"));
  const named = code.flatMap((text) =>
    [...text.matchAll(/\.suspicious\(\s*"(\w+)"\)/g)].map(([, kind = ""]) => kind),
  );
  const alerts = code.flatMap((text) =>
    [...text.matchAll(/onAlert\(\{ kind: "(\w+)"/g)].map(([, kind = ""]) =>
      kind.startsWith("payment_") ? kind : `task_${kind}`,
    ),
  );
  assert.ok(named.length >= 5 && alerts.length >= 8);
  for (const kind of [...named, ...alerts]) assert.ok(PAGE.includes(`\`${kind}\``), kind);
});
