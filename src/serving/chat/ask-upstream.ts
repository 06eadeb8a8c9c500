/** The two ways to ask an upstream for an answer: as a stream, or whole. */
import type { Route, UpstreamConfig } from "../../catalogue/catalogue.ts";
import type { Outgoing, OutgoingRequest } from "../../net/outgoing.ts";
import { answerPath, type AnswerPath } from "../../protocol/answer-path.ts";
import type { AnswerReading, ChatDialect } from "../../protocol/chat-dialect.ts";
import type { HideWords } from "../../protocol/operator-words.ts";
import { wholeBody } from "../../protocol/whole-body.ts";
import type { Permit } from "../routing/concurrency-limiter.ts";
import type { RouteTry } from "../routing/route-selection.ts";
import type { PendingListener } from "../routing/try-routes.ts";
import {
  brokenAnswer,
  failureOfStatus,
  refusalText,
  type UpstreamFailure,
} from "../routing/upstream-failure.ts";
import type { ChatRoute } from "./chat-routes.ts";
import type { ChatUpstream } from "./chat-upstream.ts";
import { fetchAnswer, type AnswerAttempt, type FetchAnswerOutcome } from "./fetch-answer.ts";
import {
  openStream,
  type OpenStream,
  type OpenStreamOutcome,
  type StreamAttempt,
} from "./open-stream.ts";

export interface OpenedRoute {
  readonly kind: "answered";
  readonly route: Route;
  /** At the upstream; its caller's to release. */
  readonly place: Permit;
  readonly stream: OpenStream;
  readonly upstream: UpstreamConfig;
  readonly path: AnswerPath;
}

export interface FetchedAnswer {
  readonly kind: "answered";
  readonly route: Route;
  /** At the upstream; its caller's to release. */
  readonly place: Permit;
  readonly contentType: string;
  readonly body: Buffer;
  readonly reading: Extract<AnswerReading, { kind: "answer" }>;
  readonly path: AnswerPath;
}

/** What is said of one call of a route. */
export interface Asked {
  readonly request: OutgoingRequest;
  readonly caller: ChatDialect;
  readonly current: RouteTry<ChatRoute>;
  /** Takes out of the upstream's words what is the operator's affair. */
  readonly hide: HideWords;
}

export interface Askings {
  /** `listener` hears once what came of it, in the middle of what brings it. It must not throw. */
  streamed(asked: Asked, listener: PendingListener<OpenedRoute | UpstreamFailure>): StreamAttempt;
  /** `done` hears what came of it, and what it returns is the outcome. */
  whole<T>(asked: Asked, done: (result: FetchedAnswer | UpstreamFailure) => T): AnswerAttempt<T>;
  pathOf(caller: ChatDialect, port: ChatUpstream): AnswerPath;
}

export function createAskings(outgoing: Outgoing): Askings {
  /** One for each pair of protocols. */
  const paths: {
    readonly caller: ChatDialect;
    readonly port: ChatUpstream;
    readonly path: AnswerPath;
  }[] = [];

  function pathOf(caller: ChatDialect, port: ChatUpstream): AnswerPath {
    for (const known of paths)
      if (known.caller === caller && known.port === port) return known.path;
    const path = answerPath(caller, port.dialect);
    paths.push({ caller, port, path });
    return path;
  }

  function readStream(
    outcome: OpenStreamOutcome,
    { caller, current }: Asked,
  ): OpenedRoute | UpstreamFailure {
    if (outcome.kind === "failed") return outcome.failure;
    const { route, upstream, port } = current.ready;
    const { stream } = outcome;
    const path = pathOf(caller, port);
    return { kind: "answered", route, place: current, stream, upstream, path };
  }

  function readWhole(
    outcome: FetchAnswerOutcome,
    { caller, current, hide }: Asked,
  ): FetchedAnswer | UpstreamFailure {
    if (outcome.kind === "failed") return outcome.failure;
    const { route, port } = current.ready;
    const { contentType } = outcome;
    const body = wholeBody(port.dialect, outcome.body);
    const reading = port.dialect.readAnswer(body, hide);
    if (reading.kind === "answer") {
      const path = pathOf(caller, port);
      return { kind: "answered", route, place: current, contentType, body, reading, path };
    }
    if (reading.kind === "garbage") return brokenAnswer(reading);
    const { message, status } = reading.error;
    return status === null
      ? brokenAnswer(message)
      : failureOfStatus(status, refusalText(reading.error), null);
  }

  return {
    pathOf,

    streamed(asked, listener) {
      const { dialect } = asked.current.ready.port;
      const { hide } = asked;
      const reading = {
        reader: dialect.createFrameReader(hide),
        hide,
        streamOf(body: Buffer) {
          const answer = dialect.readAnswer(body, hide);
          return answer.kind === "answer" ? dialect.streamOf(answer.data) : null;
        },
      };
      return openStream(outgoing, asked.request, reading, (opened) => {
        let result: OpenedRoute | UpstreamFailure;
        try {
          result = readStream(opened, asked);
        } catch (error) {
          listener.failed(error);
          return;
        }
        listener.over(result);
      });
    },

    whole: (asked, done) =>
      fetchAnswer(outgoing, asked.request, asked.hide, (outcome) =>
        done(readWhole(outcome, asked)),
      ),
  };
}
