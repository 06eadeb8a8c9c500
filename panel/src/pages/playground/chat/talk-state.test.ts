/**
 * Protects: an answer stands in its own place and nowhere else, whatever is edited, repeated, opened
 * or left while it comes; and what is sent is what stands on the page.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_ANSWER } from "./conversation.ts";
import type { Exchange, Message, Turn } from "./conversation.ts";
import {
  changeTalk,
  isTalkRunning,
  newTalk,
  planToEdit,
  planToRepeat,
  planToReturn,
  planToSay,
} from "./talk-state.ts";
import type { Plan, TalkState } from "./talk-state.ts";

const message = (text: string): Message => ({ text, pictures: [] });

const DONE: Exchange = {
  state: "done",
  requestId: "req_1",
  status: 200,
  sent: "{}",
  received: "",
  error: null,
};

/** As the page does: every plan is asked, by a run that its lane and a word name. */
function ask(state: TalkState, plans: readonly Plan[], word: string): TalkState {
  return plans.reduce(
    (now, plan) =>
      changeTalk(now, {
        kind: "asked",
        plan,
        run: { runId: `${word}${plan.lane}`, model: `m${plan.lane}`, sent: "{}" },
      }),
    state,
  );
}

function answer(state: TalkState, runId: string, text: string): TalkState {
  return changeTalk(state, {
    kind: "answered",
    runId,
    answer: { ...NO_ANSWER, text, finish: "stop" },
    exchange: DONE,
  });
}

const words = ({ lanes }: TalkState): readonly (readonly string[])[] =>
  lanes.map((lane) =>
    lane.map((turn) =>
      turn.kind === "user"
        ? turn.text
        : turn.kind === "answer"
          ? `${turn.model}: ${turn.answer.text}`
          : turn.results.map(({ text }) => text).join(),
    ),
  );

/** Two models, two questions, all answered. */
function compared(): TalkState {
  let state = ask(newTalk(2), planToSay(newTalk(2), message("a")), "first");
  state = answer(answer(state, "first0", "A"), "first1", "B");
  state = ask(state, planToSay(state, message("b")), "second");
  return answer(answer(state, "second0", "C"), "second1", "D");
}

test("what is said is said to every model, and each answers in its own lane", () => {
  const state = newTalk(2);
  const running = ask(state, planToSay(state, message("a")), "run");
  assert.equal(isTalkRunning(running), true);
  assert.deepEqual(words(answer(running, "run1", "B")), [
    ["a", "m0: "],
    ["a", "m1: B"],
  ]);
  assert.equal(isTalkRunning(answer(running, "run1", "B")), true, "the other one still answers");
  assert.equal(isTalkRunning(answer(answer(running, "run1", "B"), "run0", "A")), false);
});

test("an edited turn is said to both models anew, and all that came after it is gone", () => {
  const state = compared();
  const first = state.lanes[0]?.[0];
  assert.ok(first?.kind === "user");
  const plans = planToEdit(state, first.id, message("a2"));
  assert.deepEqual(words(ask(state, plans, "third")), [
    ["a2", "m0: "],
    ["a2", "m1: "],
  ]);
  const again = planToEdit(ask(state, plans, "third"), first.id, message("a3"));
  assert.equal(again.length, 2, "it keeps its name and can be edited once more");
});

test("one answer is asked for again without the other model", () => {
  const state = compared();
  const repeated = ask(state, planToRepeat(state, 1, "first1"), "third");
  assert.deepEqual(words(repeated), [
    ["a", "m0: A", "b", "m0: C"],
    ["a", "m1: "],
  ]);
  const shared = changeTalk(
    answer(ask(newTalk(), planToSay(newTalk(), message("a")), "run"), "run0", "A"),
    {
      kind: "lane_added",
    },
  );
  assert.equal(planToRepeat(shared, 1, "run0").length, 1, "although both lanes have it");
});

test("the answer of a request that was edited away, or of another talk, is nobody's", () => {
  const state = newTalk();
  const running = ask(state, planToSay(state, message("a")), "old");
  const turn = running.lanes[0]?.[0];
  assert.ok(turn?.kind === "user");
  const edited = ask(running, planToEdit(running, turn.id, message("b")), "new");
  assert.deepEqual(words(answer(edited, "old0", "late")), [["b", "m0: "]]);
  const opened = changeTalk(running, { kind: "opened", talk: newTalk() });
  assert.deepEqual(words(answer(opened, "old0", "late")), [[]]);
});

test("a second model begins with what was said, without an answer that is still coming", () => {
  const state = newTalk();
  const running = ask(state, planToSay(state, message("a")), "run");
  const two = changeTalk(running, { kind: "lane_added" });
  assert.deepEqual(words(two), [["a", "m0: "], ["a"]]);
  assert.equal(changeTalk(two, { kind: "lane_added" }), two, "there is no third");
  assert.deepEqual(words(answer(two, "run0", "A")), [["a", "m0: A"], ["a"]]);
});

test("who is left takes its lane along, and the last one stays", () => {
  const one = changeTalk(compared(), { kind: "lane_left", lane: 0 });
  assert.deepEqual(words(one), [["a", "m1: B", "b", "m1: D"]]);
  assert.equal(changeTalk(one, { kind: "lane_left", lane: 0 }), one);
  const late = ask(one, [{ lane: 1, turns: [] }], "late");
  assert.deepEqual(late, one, "a lane that is gone is asked nothing");
});

test("results go to the model that called", () => {
  const state = compared();
  const results = [{ callId: "c", name: "f", text: "7" }];
  const plans = planToReturn(state, 1, results);
  assert.deepEqual(
    plans.map(({ lane, turns }) => [lane, turns.at(-1)]),
    [[1, { kind: "results", results } satisfies Turn]],
  );
  assert.deepEqual(planToReturn(state, 2, results), []);
});
