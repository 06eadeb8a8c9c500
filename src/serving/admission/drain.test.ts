/** Protects: a service ends when the last of its work has, and cuts off at the deadline what is left. */
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { createDrain } from "./drain.ts";

function service() {
  let running = 2;
  let cuts = 0;
  const drain = createDrain({ isIdle: () => running === 0, cutOff: () => void cuts++ });
  return {
    drain,
    end() {
      running -= 1;
      drain.check();
    },
    cuts: () => cuts,
  };
}

test("it ends when nothing runs any more, and not before; nothing is cut off then", async () => {
  const { drain, end, cuts } = service();
  end();
  let ended = false;
  const run = drain.run(60_000).then(() => (ended = true));
  assert.ok(drain.begun && !drain.over);
  await turn();
  assert.equal(ended, false);
  end();
  await run;
  assert.equal(cuts(), 0);
});

test("at the deadline the rest is cut off, and its end is waited for", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { drain, end, cuts } = service();
  const run = drain.run(1000);
  mock.timers.tick(1000);
  mock.timers.reset();
  assert.deepEqual([drain.over, cuts()], [true, 1]);
  end();
  end();
  await run;
});

test("with nothing to do it ends at once", async () => {
  await createDrain({ isIdle: () => true, cutOff: () => assert.fail("nothing runs") }).run(60_000);
});
