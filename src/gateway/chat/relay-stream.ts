/** Carries an open upstream stream to its output, frame by frame, never beyond what the hold covers. */
import type { Frame } from "../../protocol/chat-dialect.ts";
import { estimateCentitokens } from "../../protocol/estimate-tokens.ts";
import { ABSENT_USAGE, type UsageReading } from "../../protocol/usage-reading.ts";
import type { Coverage } from "./coverage.ts";
import type { OpenStream } from "./open-stream.ts";

/** Where frames go: the client's connection, or an assembler. */
export interface StreamOutput {
  /** Returns false to ask for a pause; `onDrain` tells when to go on. */
  write(frames: readonly Frame[]): boolean;
  onDrain(listener: () => void): void;
}

/** How a stream ended, before anything was settled. */
export type RelayEnd =
  /** `done` is the frame that ended the answer; null where the connection just ended after all had been said. */
  | { readonly kind: "complete"; readonly done: Frame | null }
  | { readonly kind: "interrupted"; readonly reason: string }
  | { readonly kind: "stopped-by-balance" }
  | { readonly kind: "lost" }
  | { readonly kind: "client-gone" }
  | { readonly kind: "shut-down" };

/** What has passed so far; live while the stream runs. */
export interface RelayProgress {
  /** At least one frame with content was handed to the output. */
  readonly anything: boolean;
  readonly contentFrames: number;
  readonly estimatedTokens: number;
  readonly characters: number;
  readonly usage: UsageReading;
  text(): string;
}

export interface Relay {
  readonly progress: RelayProgress;
  readonly end: Promise<RelayEnd>;
  /** The client went away: stop now, or read on without writing until the usage comes. */
  clientGone(policy: "abort" | "drain"): void;
  /** Ends the relay from outside: the process is draining and the deadline has come, or a drain took too long. */
  shutDown(): void;
}

/** Estimates of many small pieces are added up finely and rounded up once. */
function wholeTokens(centitokens: number): number {
  return Math.ceil(centitokens / 100);
}

export function relayStream(stream: OpenStream, output: StreamOutput, coverage: Coverage): Relay {
  const { promise, resolve } = Promise.withResolvers<RelayEnd>();
  const { exchange, reader } = stream;
  let over = false;
  let writing = true;
  let growing = false;
  let blocked = false;
  let upstreamEnd: { readonly error: string | null } | null = null;
  let backlog: Frame[] = [];
  let uncoveredUntilMs = 0;
  let askAgainMs = 0;

  const texts: string[] = [];
  let characters = 0;
  let estimatedCentitokens = 0;
  let contentFrames = 0;
  let usage: UsageReading = ABSENT_USAGE;

  const pauses = new Set<"client" | "hold">();
  function pause(reason: "client" | "hold"): void {
    pauses.add(reason);
    exchange.pause();
  }
  function resume(reason: "client" | "hold"): void {
    if (pauses.delete(reason) && pauses.size === 0 && !over) exchange.resume();
  }

  function finish(end: RelayEnd): void {
    if (over) return;
    over = true;
    backlog = [];
    if (upstreamEnd === null && end.kind !== "complete") exchange.abort();
    // What is left of a complete answer is its end: read it, or its connection would stand still for ever.
    else if (pauses.size > 0) exchange.resume();
    resolve(end);
  }

  function flush(out: Frame[]): void {
    if (out.length === 0 || !writing) return;
    if (!output.write(out)) {
      pause("client");
      output.onDrain(() => resume("client"));
    }
  }

  /** Asks for more cover in the background, or holds the stream back until the answer is there. */
  function grow(neededTokens: number, wait: boolean): void {
    if (growing) {
      blocked ||= wait;
      if (wait) pause("hold");
      return;
    }
    growing = true;
    if (wait) {
      blocked = true;
      pause("hold");
    }
    coverage
      .grow(neededTokens)
      .then(
        (outcome) => {
          growing = false;
          if (outcome === "lost") finish({ kind: "lost" });
          else if (blocked && outcome === "refused") finish({ kind: "stopped-by-balance" });
          else {
            // A refusal ahead of need is no reason to ask at every frame.
            if (outcome === "refused") askAgainMs = performance.now() + 1000;
            unblock();
          }
        },
        () => {
          // The database is out of reach. An admitted stream is not cut for that; the charge stays within the hold.
          growing = false;
          uncoveredUntilMs = performance.now() + 1000;
          // A failure that comes at once must not be asked for again at once: this process would do nothing else.
          askAgainMs = uncoveredUntilMs;
          unblock();
        },
      )
      // Nobody above hears what an output throws here: it ends this stream, not the process.
      .catch((error: unknown) => finish({ kind: "interrupted", reason: String(error) }));
  }

  function unblock(): void {
    if (over) return;
    blocked = false;
    const frames = backlog;
    backlog = [];
    resume("hold");
    process(frames);
    if (!blocked) judgeEnd();
  }

  function note(frame: Frame): void {
    if (frame.usage.kind !== "absent") usage = frame.usage;
    // A usage that content follows was a placeholder, or the usage so far: it says nothing about the whole. What is known of the prompt alone stays.
    else if (frame.hasContent && usage.kind !== "partial") usage = ABSENT_USAGE;
    if (!frame.hasContent) return;
    contentFrames += 1;
    if (frame.text !== "") {
      texts.push(frame.text);
      characters += frame.text.length;
    }
  }

  function process(frames: readonly Frame[]): void {
    const out: Frame[] = [];
    for (let i = 0; i < frames.length; i++) {
      const frame = frames[i];
      if (frame === undefined || over) break;
      if (frame.kind === "done") {
        flush(out);
        finish({ kind: "complete", done: frame });
        return;
      }
      if (frame.kind === "error" || frame.kind === "garbage") {
        flush(out);
        finish({ kind: "interrupted", reason: frame.error?.message ?? "the stream carries something that is not JSON" });
        return;
      }
      const after = estimatedCentitokens + (frame.text === "" ? 0 : estimateCentitokens(frame.text));
      if (!coverage.covers(wholeTokens(after)) && performance.now() >= uncoveredUntilMs) {
        flush(out);
        backlog = frames.slice(i);
        grow(wholeTokens(after), true);
        return;
      }
      estimatedCentitokens = after;
      note(frame);
      out.push(frame);
    }
    flush(out);
    const tokens = wholeTokens(estimatedCentitokens);
    if (!growing && coverage.wantsMore(tokens) && performance.now() >= askAgainMs) grow(tokens, false);
  }

  function judgeEnd(): void {
    if (upstreamEnd === null || over || blocked || backlog.length > 0) return;
    if (upstreamEnd.error !== null) finish({ kind: "interrupted", reason: upstreamEnd.error });
    else if (reader.finished) finish({ kind: "complete", done: null });
    else finish({ kind: "interrupted", reason: "the upstream ended the stream without a finish reason" });
  }

  stream.attach({
    onFrames(frames) {
      if (over) return;
      if (blocked) backlog.push(...frames);
      else process(frames);
    },
    onEnd() {
      upstreamEnd = { error: null };
      judgeEnd();
    },
    onError(reason) {
      upstreamEnd = { error: reason };
      judgeEnd();
    },
  });

  return {
    end: promise,
    progress: {
      get anything() {
        return contentFrames > 0;
      },
      get contentFrames() {
        return contentFrames;
      },
      get estimatedTokens() {
        return wholeTokens(estimatedCentitokens);
      },
      get characters() {
        return characters;
      },
      get usage() {
        return usage;
      },
      text: () => texts.join(""),
    },
    clientGone(policy) {
      writing = false;
      resume("client");
      if (policy === "abort") finish({ kind: "client-gone" });
    },
    shutDown() {
      finish(writing ? { kind: "shut-down" } : { kind: "client-gone" });
    },
  };
}
