/**
 * A provider of tasks on loopback that answers as the test says, and the real adapters before it.
 */
import type { TestContext } from "node:test";
import type { Clock } from "../../src/kernel/clock.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { createOutgoing } from "../../src/net/outgoing.ts";
import { createTaskAdapters } from "../../src/upstreams/tasks/create-task-adapters.ts";
import type {
  PollOutcome,
  SubmitOutcome,
  TaskHandle,
  TaskSubmission,
  TaskTarget,
  TaskUpstream,
} from "../../src/upstreams/tasks/task-adapter.ts";
import { startScriptedUpstream, type Handler, type RecordedRequest } from "./scripted-upstream.ts";

export const CREDENTIAL = "secret-0123456789-credential";
export const NEVER = new AbortController().signal;

export type ProviderProtocol = keyof ReturnType<typeof createTaskAdapters>;

/**
 * What the provider answers: a status with a JSON body, a text that is sent as it is, or whatever a
 * handler does.
 */
export type ScriptedAnswer =
  | readonly [status: number, body: unknown, headers?: Readonly<Record<string, string>>]
  | Handler;

export interface ProviderScene {
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  readonly adapters: ReturnType<typeof createTaskAdapters>;
  /** Wall time moves only when the test says so. */
  readonly clock: Clock & { advance(ms: number): void };
  target(
    edit?: Partial<Omit<TaskTarget, "upstream">> & { readonly upstream?: Partial<TaskUpstream> },
  ): TaskTarget;
  /** Answers come in this order, one for each request. */
  submit(
    protocol: ProviderProtocol,
    answer: ScriptedAnswer,
    edit?: SubmitEdit,
  ): Promise<SubmitOutcome>;
  poll(
    protocol: ProviderProtocol,
    answers: readonly ScriptedAnswer[],
    edit?: PollEdit,
  ): Promise<PollOutcome>;
  answerNext(...answers: readonly ScriptedAnswer[]): void;
  /** Those answers that no request asked for. */
  forgetAnswers(): void;
}

export interface SubmitEdit {
  readonly target?: TaskTarget;
  readonly submission?: Partial<TaskSubmission>;
}

export interface PollEdit {
  readonly target?: TaskTarget;
  readonly handle?: Partial<TaskHandle>;
}

export async function openProviderScene(t: TestContext): Promise<ProviderScene> {
  const script: ScriptedAnswer[] = [];
  const upstream = await startScriptedUpstream(async (exchange) => {
    const answer = script.shift();
    if (answer === undefined)
      throw new Error(
        `nothing was scripted for ${exchange.request.method} ${exchange.request.path}`,
      );
    if (typeof answer === "function") return answer(exchange);
    const [status, body, headers = {}] = answer;
    if (typeof body !== "string") return exchange.json(status, body, headers);
    exchange.head(status, { "content-type": "application/json", ...headers });
    await exchange.send(body);
    exchange.end();
  });
  let now = Date.parse("2026-01-01T00:00:00Z");
  const clock = {
    now: () => new Date(now),
    monotonicMs: () => now,
    advance(ms: number) {
      now += ms;
    },
  };
  const outgoing = createOutgoing();
  const adapters = createTaskAdapters({ outgoing, clock });
  t.after(async () => {
    await outgoing.close();
    await upstream.close();
  });

  const scene: ProviderScene = {
    url: upstream.url,
    requests: upstream.requests,
    adapters,
    clock,
    target: ({ upstream: edit = {}, ...more } = {}) => ({
      upstream: {
        name: "provider",
        baseUrl: upstream.url,
        timeoutsMs: { connect: 2_000, firstByte: 2_000, idle: 2_000 },
        resultHosts: [],
        ...edit,
      },
      credential: CREDENTIAL,
      model: "maker/model",
      table: "T2",
      ...more,
    }),
    answerNext: (...answers) => void script.push(...answers),
    forgetAnswers: () => void script.splice(0),
    submit(protocol, answer, { target = scene.target(), submission = {} } = {}) {
      script.push(answer);
      const whole = {
        parameters: { prompt: "a cat" },
        attemptId: newUuid(),
        callbackUrl: null,
        deadlineSeconds: 600,
        ...submission,
      };
      return adapters[protocol].submit(target, whole, NEVER);
    },
    poll(protocol, answers, { target = scene.target(), handle = {} } = {}) {
      script.push(...answers);
      const whole = {
        upstreamTaskId: "task-1",
        model: "maker/model",
        submittedAt: clock.now().toISOString(),
        urls: {},
        ...handle,
      };
      return adapters[protocol].poll(target, whole, NEVER);
    },
  };
  return scene;
}
