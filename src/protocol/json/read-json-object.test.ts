/**
 * Guarantee: what is checked is what an upstream reads: no ambiguity, no trick of encoding, nesting
 * or prototype, bounded work.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { JSON_DEPTH_LIMIT, JSON_VALUE_LIMIT } from "../../kernel/limits.ts";
import { readJsonObject } from "./read-json-object.ts";

const guarded = ["model", "stream"];

function read(body: string | Buffer) {
  return readJsonObject(Buffer.from(body), guarded);
}

function refusal(body: string | Buffer): string {
  const reading = read(body);
  assert.equal(reading.ok, false);
  return reading.ok ? "" : reading.fault.message;
}

test("a plain object is read", () => {
  const reading = read(' {"model":"m","other":[1]} ');
  assert.ok(reading.ok);
  assert.deepEqual(reading.object.value, { model: "m", other: [1] });
  assert.deepEqual(
    reading.object.members.map(({ key }) => key),
    ["model"],
  );
});

test("a guarded member may come once, and only under its exact name", () => {
  assert.match(refusal('{"model":"a","model":"b"}'), /'model' is given more than once/);
  assert.match(refusal(String.raw`{"model":"a","m\u006fdel":"b"}`), /more than once/);
  for (const other of ["Model", "MODEL", "ſtream", "Stream"])
    assert.match(refusal(`{"${other}":"a"}`), /is not a field/);
  assert.ok(read('{"other":1,"other":2,"nested":{"model":1,"Model":2}}').ok);
});

test("a member named __proto__ changes nothing", () => {
  const reading = read('{"__proto__":{"model":"x","stream":true}}');
  assert.ok(reading.ok);
  assert.equal(reading.object.value["model"], undefined);
  assert.equal(Object.getPrototypeOf(reading.object.value), Object.prototype);
  assert.equal(({} as Record<string, unknown>)["model"], undefined);
});

test("bytes that are not UTF-8 are refused, not repaired", () => {
  assert.match(refusal(Buffer.from([0x7b, 0x22, 0xc3, 0x22, 0x3a, 0x31, 0x7d])), /UTF-8/);
  assert.match(refusal(Buffer.from('{"a":"\xed\xa0\x80"}', "latin1")), /UTF-8/);
});

test("depth and the number of values are bounded before parsing", () => {
  assert.match(
    refusal(`{"a":${"[".repeat(JSON_DEPTH_LIMIT)}${"]".repeat(JSON_DEPTH_LIMIT)}}`),
    /levels deep/,
  );
  assert.ok(
    read(`{"a":${"[".repeat(JSON_DEPTH_LIMIT - 1)}${"]".repeat(JSON_DEPTH_LIMIT - 1)}}`).ok,
  );
  assert.match(refusal(`{"a":[${"{},".repeat(JSON_VALUE_LIMIT)}{}]}`), /more than 1000000 values/);
  assert.match(refusal(`[${"{},".repeat(JSON_VALUE_LIMIT)}{}]`), /not a complete JSON object/);
});

test("what is not JSON is refused without quoting it", () => {
  const message = refusal('{"a":"secret-text", oops}');
  assert.match(message, /not valid JSON/);
  assert.doesNotMatch(message, /secret-text/);
  for (const body of ["", "{", "nul", '{"a":1}}', '{"a":1,}', "{'a':1}", '\uFEFF{"a":1}'])
    assert.notEqual(refusal(body), "", body);
  for (const body of ["null", "1", '"x"', "[]"])
    assert.match(refusal(body), /must be a JSON object/);
});

test("large images are left out of the value and there in the whole", () => {
  const image = `data:image/png;base64,${"iVBORw0K".repeat(4000)}`;
  const other = "text ".repeat(4000);
  const body = { model: "m", parts: [{ url: image }, { text: other }, { url: image }], last: "я" };
  const reading = read(JSON.stringify(body));
  assert.ok(reading.ok);
  const value = reading.object.value as unknown as typeof body;
  assert.ok(
    (value.parts[0]?.url ?? "").length < 100 &&
      value.parts[0]?.url?.startsWith("data:image/png;base64,iVBORw0K"),
  );
  assert.equal(value.parts[1]?.text, other);
  assert.deepEqual(reading.object.whole(), body);
});

test("an image whose text is no JSON string is refused when it is asked for", () => {
  const reading = read(`{"url":"data:image/png;base64,${"A".repeat(9000)}\n"}`);
  assert.ok(reading.ok);
  assert.throws(() => reading.object.whole(), /not valid JSON/);
});

test("an image cut inside an escape is left as it is", () => {
  const url = `data:image/png;base64,${"\\u0041".repeat(3000)}`;
  const reading = read(`{"url":"${url}"}`);
  assert.ok(reading.ok);
  assert.equal(reading.object.value["url"], JSON.parse(`"${url}"`));
});

test("released, it still answers the same, and keeps no slab for a few bytes of it", () => {
  const image = `data:image/png;base64,${"iVBORw0K".repeat(4000)}`;
  for (const body of [
    { model: "m", text: "слово" },
    { model: "m", images: [image, image], text: "слово" },
  ]) {
    const text = JSON.stringify(body);
    const slab = Buffer.alloc(10 * Buffer.byteLength(text));
    const bytes = slab.subarray(100, 100 + slab.write(text, 100));
    const reading = readJsonObject(bytes, guarded);
    assert.ok(reading.ok);
    const { object } = reading;
    const { value, cut, members, close } = object;
    object.release();
    assert.deepEqual(object.whole(), body);
    assert.deepEqual(object.value, value);
    assert.deepEqual([object.cut, object.members, object.close], [cut, members, close]);
    assert.equal(object.bytes.toString(), text);
    assert.equal(object.bytes.buffer.byteLength, object.bytes.length);
    // Again, and nothing of the slab is needed any more.
    object.release();
    slab.fill(0);
    assert.deepEqual(object.whole(), body);
  }
});

test("what asks for the value of a released object gets one for its turn, and the object keeps none", async () => {
  const reading = readJsonObject(Buffer.from('{"model":"m"}'), guarded);
  assert.ok(reading.ok);
  const { object } = reading;
  const before = object.value;
  assert.equal(object.value, before);
  object.release();
  const again = object.value;
  assert.notEqual(again, before);
  assert.equal(object.value, again);
  await Promise.resolve();
  assert.notEqual(object.value, again);
  assert.deepEqual(object.value, before);
});
