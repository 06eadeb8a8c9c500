/** Guarantee: who saves a key that was changed meanwhile sees what changed, and loses nothing typed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PanelKey } from "../../../../src/contract/panel/panel-key.ts";
import { keysEn } from "../../i18n/texts/keys.en.ts";
import { differencesOf, valuesOver, type Setting } from "../../ui/differences.ts";
import { settingsOf } from "./key-settings.ts";
import { valuesOf } from "./key-wishes.ts";

const KEY = {
  hash: "h",
  name: "server",
  limit: null,
  group: null,
  owner: null,
  models: null,
  ips: null,
  expiresAt: null,
  requestsPerMinute: 60,
  tokensPerMinute: null,
  maxConcurrent: null,
  maxTasks: null,
} as unknown as PanelKey;
const FORMATS = {
  moneyWhole: (amount: string) => `${amount} ₽`,
  count: String,
  time: (iso: string) => iso,
};

const inWords = (key: PanelKey): readonly Setting[] => settingsOf(key, keysEn, FORMATS);

test("each setting that is otherwise is named with what it was and is", () => {
  const limit = { amount: "500", period: "month" } as PanelKey["limit"];
  const now = { ...KEY, name: "bot", limit, requestsPerMinute: null };
  assert.deepEqual(differencesOf(inWords(KEY), inWords(now)), [
    { label: keysEn.name, before: "server", now: "bot" },
    { label: keysEn.limit, before: keysEn.noLimit, now: `500 ₽ ${keysEn.periods.month}` },
    { label: keysEn.requestsPerMinute, before: "60", now: keysEn.unlimited },
  ]);
  assert.deepEqual(differencesOf(inWords(KEY), inWords(KEY)), []);
});

test("what was typed stays, and the rest is as it is now", () => {
  const now = { ...KEY, name: "bot", requestsPerMinute: 90 };
  const typed = { ...valuesOf(KEY), name: "mine", maxTasks: 3 };
  assert.deepEqual(valuesOver(valuesOf(KEY), valuesOf(now), typed), {
    ...valuesOf(now),
    name: "mine",
    maxTasks: 3,
  });
});
