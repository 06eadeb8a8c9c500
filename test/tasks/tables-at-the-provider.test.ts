/**
 * Guarantee: what the tables take, the delivered catalogue's routes put so that the provider's
 * model takes it: every order can be made.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readKnownModel } from "../../sandbox/tasks/find-model.ts";
import { parseCatalogue } from "../../src/catalogue/parse-catalogue.ts";
import { readTaskParameters } from "../../src/contract/tasks/read-task-parameters.ts";
import type { TaskTableId } from "../../src/contract/tasks/task-table.ts";
import { TASK_TABLES } from "../../src/contract/tasks/task-tables.ts";
import { kieProvider } from "../../src/upstreams/tasks/kie-provider.ts";
import { mapParameters } from "../../src/upstreams/tasks/map-parameters.ts";
import { FLAT_TABLE_LIMITS } from "../support/flat-table-limits.ts";
import { parametersOf, type Case } from "../support/limit-cases.ts";
import { NESTED_TABLE_LIMITS } from "../support/nested-table-limits.ts";

const SOURCE = readFileSync(new URL("../../catalogue.yaml", import.meta.url), "utf8");
const reading = parseCatalogue(SOURCE, {
  SANDBOX_URL: "http://127.0.0.1:1",
  SANDBOX_API_KEY: "sandbox",
});
assert.ok(reading.ok);
const { models } = reading.catalogue;

const MEDIA = "https://media.example.org/a";

/** Parameters that one model alone does not serve together. */
const TOGETHER: Readonly<Partial<Record<TaskTableId, readonly Case[]>>> = {
  T7: [[{ multiShots: true, prompt: "é".repeat(2500), duration: "15", mode: "4K" }]],
  T9: [
    [
      {
        fixedLens: true,
        duration: 12,
        firstFrameUrl: MEDIA,
        lastFrameUrl: MEDIA,
        generateAudio: true,
      },
    ],
    [
      {
        fixedLens: true,
        duration: 15,
        firstFrameUrl: MEDIA,
        lastFrameUrl: MEDIA,
        generateAudio: true,
        prompt: "é".repeat(5000),
      },
    ],
    [
      {
        fixedLens: true,
        duration: 4.01,
        referenceImageUrls: [MEDIA],
        referenceVideoUrls: [MEDIA],
        referenceAudioUrls: [MEDIA],
      },
    ],
  ],
};

for (const [id, cases] of Object.entries({ ...FLAT_TABLE_LIMITS, ...NESTED_TABLE_LIMITS })) {
  test(`${id}: the provider's model takes what the table takes`, () => {
    const table = TASK_TABLES.get(id as TaskTableId);
    assert.ok(table !== undefined);
    const sold = [...models.values()].flatMap((model) =>
      model.type === "task" && model.parameters === id ? model.routes : [],
    );
    assert.ok(sold.length > 0);
    const inside = [
      ...cases.filter(({ length }) => length === 1),
      [table.examples.full] as const,
      ...(TOGETHER[table.id] ?? []),
    ];
    for (const route of sold)
      for (const [patch] of inside) {
        const read = readTaskParameters(table, parametersOf(table, patch), () => ({ ok: true }));
        assert.ok(read.ok, JSON.stringify(patch).slice(0, 300));
        const mapped = mapParameters(kieProvider, {
          table: id,
          model: route.model,
          parameters: read.parameters,
        });
        assert.ok(
          mapped.kind === "mapped",
          `${JSON.stringify(patch).slice(0, 300)} ${JSON.stringify(mapped)}`,
        );
        const found = readKnownModel(mapped.model, mapped.input as Record<string, unknown>);
        assert.ok(found !== null, mapped.model);
        const messages = found.mistakes.map(({ message }) => message);
        assert.deepEqual(messages, [], JSON.stringify(patch).slice(0, 300));
      }
  });
}
