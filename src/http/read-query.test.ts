/** Query values get the type that their schema names, explicitly, and nothing else is coerced. */
import assert from "node:assert/strict";
import { test } from "node:test";
import Type from "typebox";
import { createMistakeFinder } from "../contract/find-mistakes.ts";
import { Fault } from "../kernel/faults.ts";
import { readQuery } from "./read-query.ts";

const Query = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
  all: Type.Optional(Type.Boolean()),
  name: Type.Optional(Type.String()),
});
const mistakesOf = createMistakeFinder(Query);

test("numbers and flags become what the schema names; texts stay texts", () => {
  assert.deepEqual(readQuery(Query, "limit=5&all=true&name=7"), { limit: 5, all: true, name: "7" });
});

test("what the schema does not name is ignored, however it is called", () => {
  assert.deepEqual(readQuery(Query, "beta=true&__proto__=x&constructor=y"), {});
});

test("what does not fit is refused by the schema instead of being bent to fit", () => {
  for (const search of [
    "limit=abc",
    "limit=",
    "limit=1e3",
    "limit=0x10",
    "limit=5.0",
    "limit=%205",
    "limit=0",
    "limit=99999999999999999999",
    "all=1",
    "all=TRUE",
    "name=a&name=b",
  ]) {
    assert.notDeepEqual(mistakesOf(readQuery(Query, search)), [], search);
  }
});

test("a NUL is refused with its parameter's name: no database takes it; what the schema does not name may have one", () => {
  for (const [search, param] of [
    ["name=%00", "name"],
    ["name=a%00b", "name"],
    ["limit=%00", "limit"],
  ] as const) {
    const refused = (fault: unknown): boolean =>
      fault instanceof Fault && fault.code === "invalid_request" && fault.details.param === param;
    assert.throws(() => readQuery(Query, search), refused, search);
  }
  assert.deepEqual(readQuery(Query, "beta=%00"), {});
});
