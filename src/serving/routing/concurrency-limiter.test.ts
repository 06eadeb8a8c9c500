/**
 * Protects: never more calls at once than the catalogue allows, at the upstream and on the route, a
 * place given back twice counts once, and a call that waits for one has its turn.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Route, UpstreamConfig } from "../../catalogue/catalogue.ts";
import { createConcurrencyLimiter } from "./concurrency-limiter.ts";

const upstream = (name: string, maxConcurrent: number): UpstreamConfig => ({
  name,
  protocol: "openai",
  baseUrl: "http://up.example",
  apiKeyEnv: ["KEY"],
  timeoutsMs: { connect: 1, firstByte: 1, idle: 1 },
  maxConcurrent,
  onDisconnect: "abort",
  resultHosts: [],
});
const route = (model: string, maxConcurrent?: number): Route => ({
  upstream: "up",
  model,
  order: 1,
  weight: 1,
  cost: null,
  ...(maxConcurrent === undefined ? {} : { maxConcurrent }),
});

test("an upstream's places are shared by all its routes", () => {
  const places = createConcurrencyLimiter();
  const up = upstream("up", 2);
  const first = places.take(up, route("a"));
  assert.ok(first !== null && places.take(up, route("b")) !== null);
  assert.equal(places.take(up, route("c")), null);
  assert.ok(
    places.take(upstream("other", 1), route("a")) !== null,
    "another upstream has places of its own",
  );
  first.release();
  first.release();
  assert.ok(places.take(up, route("c")) !== null);
  assert.equal(places.take(up, route("c")), null, "a place that was given back twice is one place");
});

test("a route's own limit counts its own calls only, and a refusal takes nothing", () => {
  const places = createConcurrencyLimiter();
  const up = upstream("up", 3);
  const narrow = places.take(up, route("narrow", 1));
  assert.ok(narrow !== null);
  for (let i = 0; i < 5; i++) assert.equal(places.take(up, route("narrow", 1)), null);
  assert.ok(places.take(up, route("wide")) !== null && places.take(up, route("wide")) !== null);
  narrow.release();
  assert.ok(places.take(up, route("narrow", 1)) !== null);
});

test("a call that waits for a place gets the next one, in turn, before any call of a route", async () => {
  const places = createConcurrencyLimiter();
  const up = upstream("up", 1);
  const first = places.take(up, route("a"));
  assert.ok(first !== null);
  const order: number[] = [];
  const waiting = [1, 2, 3].map(async (number) => {
    const place = await places.enter(up);
    order.push(number);
    assert.equal(places.take(up, route("a")), null);
    place.release();
    place.release();
  });
  first.release();
  assert.equal(places.take(up, route("a")), null, "it passed on to the first that waits");
  await Promise.all(waiting);
  assert.deepEqual(order, [1, 2, 3]);
  const later = await places.enter(up);
  assert.equal(places.take(up, route("a")), null, "they share the upstream's places");
  later.release();
  assert.ok(places.take(up, route("a")) !== null);
});
