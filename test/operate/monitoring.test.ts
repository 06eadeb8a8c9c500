/**
 * Protects: what the page on monitoring, the alerts and the dashboard speak of is what a gateway
 * tells, label by label, and nothing that it tells is missing there.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { FAULTS } from "../../src/kernel/faults.ts";
import { openChatScene, type ChatScene } from "../support/chat-scene.ts";
import { openAiCompletion } from "../support/openai-stream.ts";
import { postChat } from "../support/post-chat.ts";
import { until } from "../support/until.ts";
import { ALERT_RULES, ALERT_TESTS, DASHBOARD_QUERIES } from "./watched-files.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/monitoring.md"), "utf8");
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

/** Those of the process, and what Prometheus says itself. */
function otherMetrics(): ReadonlySet<string> {
  return new Set([
    "up",
    ...[...reported.matchAll(/^# HELP ((?:process|nodejs)_\w+) /gm)].map(([, name = ""]) => name),
  ]);
}

/** The metric that a series is of: a histogram has three kinds of them. */
function metricOf(series: string): string {
  const base = series.replace(/_(?:bucket|sum|count)$/, "");
  return reported.includes(`# TYPE ${base} histogram`) ? base : series;
}

/** Of an expression: every metric and each label that it picks or sums by. */
function assertReported(where: string, expr: string): void {
  const others = otherMetrics();
  const metrics = [...expr.matchAll(/\b(?:tollgate|process|nodejs)_\w+|\bup\b/g)].map(([name]) =>
    metricOf(name),
  );
  assert.ok(metrics.length > 0, where);
  for (const name of metrics)
    assert.ok(documented.has(name) || others.has(name), `${where}: ${name}`);
  for (const [, series = "", selector = ""] of expr.matchAll(/(tollgate_\w+)\{([^}]*)\}/g)) {
    for (const [, label = ""] of selector.matchAll(/(\w+)=/g))
      assert.ok(
        label === "le" || documented.get(metricOf(series))?.includes(label),
        `${where}: ${series}{${label}}`,
      );
  }
  const known = new Set([
    "le",
    "instance",
    ...metrics.flatMap((name) => documented.get(name) ?? []),
  ]);
  for (const [, labels = ""] of expr.matchAll(/\bby \(([^)]*)\)/g))
    for (const label of labels.split(",")) assert.ok(known.has(label.trim()), `${where}: ${label}`);
  for (const [, codes = ""] of expr.matchAll(/code=~?"([^"]+)"/g))
    for (const code of codes.split("|")) assert.ok(code in FAULTS, code);
}

test("alerts ask for metrics and labels that there are, and say what happened in both languages", () => {
  assert.ok(ALERT_RULES.length >= 20);
  for (const { alert, expr, annotations } of ALERT_RULES) {
    assert.ok(PAGE.includes(`\`${alert}\``), `${alert} is on the page`);
    assert.ok(
      annotations.summary !== undefined && /[а-яё]/i.test(annotations.summary_ru ?? ""),
      alert,
    );
    assertReported(alert, expr);
    const { summary = "", summary_ru: russian = "" } = annotations;
    const labelsOf = (text: string): string[] =>
      [...text.matchAll(/\{\{ ([^}]+) \}\}/g)].map(([, label = ""]) => label).toSorted();
    assert.deepEqual(labelsOf(russian), labelsOf(summary), alert);
  }
});

test("every query of the dashboard asks for metrics and labels that there are, and each metric is on it", () => {
  assert.ok(DASHBOARD_QUERIES.length >= 50);
  for (const { title, expr } of DASHBOARD_QUERIES) assertReported(title, expr);
  const shown = DASHBOARD_QUERIES.map(({ expr }) => expr).join("\n");
  const missing = [...documented.keys()].filter(
    (name) => !new RegExp(`\\b${name}(_bucket)?\\b`).test(shown),
  );
  assert.deepEqual(missing, []);
});

test("each alert has a planted fault on which it is to fire, made of metrics that there are", () => {
  const [healthy, ...planted] = ALERT_TESTS;
  assert.deepEqual(healthy?.promql_expr_test[0]?.exp_samples, []);
  assert.deepEqual(
    planted.map(({ name }) => name).toSorted(),
    ALERT_RULES.map(({ alert }) => alert).toSorted(),
  );
  for (const { name, input_series: series, promql_expr_test: asked } of ALERT_TESTS) {
    for (const each of series) assertReported(name, each.series);
    if (name !== healthy?.name)
      assert.ok(
        asked.every(
          ({ expr, exp_samples }) => expr.includes(`"${name}"`) && exp_samples.length === 1,
        ),
        name,
      );
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
      /^(?:payment|refund)_/.test(kind) ? kind : `task_${kind}`,
    ),
  );
  assert.ok(named.length >= 5 && alerts.length >= 8);
  for (const kind of [...named, ...alerts]) assert.ok(PAGE.includes(`\`${kind}\``), kind);
});
