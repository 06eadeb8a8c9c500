/** Guarantees: the listener of an exchange hears how it ends, once, however early that was. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { OutgoingError, type OutgoingRequest, type ResponseSink } from "../../net/outgoing.ts";
import {
  fetchAnswer,
  outcomeOf,
  type AnswerAttempt,
  type FetchAnswerOutcome,
} from "./fetch-answer.ts";

function begin(): {
  readonly attempt: AnswerAttempt<FetchAnswerOutcome>;
  readonly sink: ResponseSink;
} {
  const sinks: ResponseSink[] = [];
  const attempt = fetchAnswer(
    {
      send(_request, sink) {
        sinks.push(sink);
        return {
          abort: () => sink.onError(new OutgoingError("aborted", "aborted", null)),
          pause: () => undefined,
          resume: () => undefined,
        };
      },
      close: async () => undefined,
    },
    {} as OutgoingRequest,
    (text) => text,
    (outcome) => outcome,
  );
  const [sink] = sinks;
  assert.ok(sink !== undefined);
  return { attempt, sink };
}

test("one that is aborted before it is listened to is over all the same, and stays so", async () => {
  const { attempt, sink } = begin();
  attempt.abort();
  sink.onHeaders(200, {});
  sink.onEnd();
  const outcome = await outcomeOf(attempt);
  assert.equal(outcome.kind, "failed");
});

test("the first end counts", () => {
  const { attempt, sink } = begin();
  const heard: FetchAnswerOutcome[] = [];
  attempt.whenOver({ over: (outcome) => void heard.push(outcome), failed: () => assert.fail() });
  sink.onHeaders(200, { "content-type": "text/x" });
  sink.onData(Buffer.from("a"));
  sink.onData(Buffer.from("b"));
  assert.equal(heard.length, 0);
  sink.onEnd();
  attempt.abort();
  assert.deepEqual(heard, [{ kind: "answer", contentType: "text/x", body: Buffer.from("ab") }]);
});
