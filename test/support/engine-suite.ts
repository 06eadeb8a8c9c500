/**
 * An engine scene for the tests of one file: begun before the first, put back to its beginning
 * between them.
 */
import { after, afterEach, before, beforeEach } from "node:test";
import {
  modelOf,
  openEngineScene,
  upstreamOf,
  type EngineOptions,
  type EngineScene,
  type RunningEngine,
} from "./engine-scene.ts";

export interface EngineSuite {
  readonly scene: EngineScene;
  /** Stopped after the test. */
  start(options?: EngineOptions): RunningEngine;
}

export function engineSuite(): EngineSuite {
  let scene: EngineScene | null = null;
  let stops: (() => Promise<void>)[] = [];
  const opened = (): EngineScene => {
    if (scene === null) throw new Error("the scene is open while tests run");
    return scene;
  };
  before(async () => {
    scene = await openEngineScene();
  });
  after(() => opened()[Symbol.asyncDispose]());
  beforeEach(() => {
    const { provider, catalogue } = opened();
    provider.script = {};
    for (const list of [provider.submissions, provider.polls, provider.canceled, provider.fetched])
      list.length = 0;
    catalogue.upstreams.clear();
    catalogue.upstreams.set("there", upstreamOf("there", provider.host));
    catalogue.models.set("picture", modelOf("picture", "T19", [{}]));
  });
  afterEach(async () => {
    for (const stop of stops) await stop();
    stops = [];
    // What a test leaves under way is no other test's business.
    await opened().db.query("DELETE FROM tasks.jobs");
  });

  return {
    get scene() {
      return opened();
    },
    start(options) {
      const running = opened().start(options);
      stops.push(() => running.stop());
      return running;
    },
  };
}
