/**
 * Carries an open upstream stream to its output, frame by frame, never beyond what the hold covers.
 */
import type { DisconnectPolicy } from "../../catalogue/catalogue.ts";
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import type { Frame, StreamError } from "../../protocol/chat-dialect.ts";
import { estimateCentitokens } from "../../protocol/estimate-tokens.ts";
import { ABSENT_USAGE, type UsageReading } from "../../protocol/usage-reading.ts";
import type { RollingHold } from "../money/rolling-hold.ts";
import type { OpenStream, StreamListener } from "./open-stream.ts";

/** Where frames go: the client's connection, or an assembler. */
export interface StreamOutput {
  /** Returns false to ask for a pause; `onDrain` tells when to go on. */
  write(frames: readonly Frame[]): boolean;
  onDrain(listener: () => void): void;
}

/** How a stream ended, before anything was settled. */
export type RelayEnd =
  /**
   * `done` is the frame that ended the answer; null where the connection just ended after all had
   * been said.
   */
  | { readonly kind: "complete"; readonly done: Frame | null }
  /** `error` is what the upstream told of it; null where it told nothing. */
  | ({ readonly kind: "interrupted"; readonly error: StreamError | null } & WordedReason)
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
  clientGone(policy: DisconnectPolicy): void;
  /** What it delivers is not paid for any more, whatever its text says: stop now. */
  unpaid(outcome: "refused" | "lost"): void;
  /**
   * Ends the relay from outside: the process is draining and the deadline has come, or a drain took
   * too long.
   */
  shutDown(): void;
}

/** What it is to know of what is paid for. */
export type RelayHold = Pick<RollingHold, "covers" | "wantsMore" | "grow" | "growExactly">;

/** Estimates of many small pieces are added up finely and rounded up once. */
function wholeTokens(centitokens: number): number {
  return Math.ceil(centitokens / 100);
}

/** `outputFactor`: how many tokens of the upstream's tokenizer one of the estimate's may be. */
export function relayStream(
  stream: OpenStream,
  output: StreamOutput,
  rollingHold: RelayHold,
  outputFactor = 1,
): Relay {
  const relay = new StreamRelay(stream, output, rollingHold, outputFactor);
  stream.attach(relay);
  return relay;
}

/** One object for each stream, since many are open at a time. */
class StreamRelay implements Relay, RelayProgress, StreamListener {
  readonly end: Promise<RelayEnd>;
  readonly #stream: OpenStream;
  readonly #output: StreamOutput;
  readonly #rollingHold: RelayHold;
  readonly #outputFactor: number;
  readonly #resolve: (end: RelayEnd) => void;
  #over = false;
  #writing = true;
  #growing = false;
  #blocked = false;
  #pausedByClient = false;
  #pausedByHold = false;
  #upstreamEnd: { readonly error: WordedReason | null } | null = null;
  #backlog: Frame[] = [];
  #uncoveredUntilMs = 0;
  #askAgainMs = 0;
  #text = "";
  #estimatedCentitokens = 0;
  contentFrames = 0;
  usage: UsageReading = ABSENT_USAGE;

  constructor(
    stream: OpenStream,
    output: StreamOutput,
    rollingHold: RelayHold,
    outputFactor: number,
  ) {
    const { promise, resolve } = Promise.withResolvers<RelayEnd>();
    this.end = promise;
    this.#resolve = resolve;
    this.#stream = stream;
    this.#output = output;
    this.#rollingHold = rollingHold;
    this.#outputFactor = outputFactor;
  }

  get progress(): RelayProgress {
    return this;
  }

  get anything(): boolean {
    return this.contentFrames > 0;
  }

  get estimatedTokens(): number {
    return wholeTokens(this.#estimatedCentitokens);
  }

  get characters(): number {
    return this.#text.length;
  }

  text(): string {
    return this.#text;
  }

  clientGone(policy: DisconnectPolicy): void {
    this.#writing = false;
    this.#resume("client");
    if (policy === "abort") this.#finish({ kind: "client-gone" });
  }

  unpaid(outcome: "refused" | "lost"): void {
    this.#finish({ kind: outcome === "lost" ? "lost" : "stopped-by-balance" });
  }

  shutDown(): void {
    this.#finish(this.#writing ? { kind: "shut-down" } : { kind: "client-gone" });
  }

  onFrames(frames: readonly Frame[]): void {
    if (this.#over) return;
    if (!this.#blocked) this.#process(frames);
    else for (const frame of frames) this.#backlog.push(frame);
  }

  onEnd(): void {
    this.#upstreamEnd = { error: null };
    this.#judgeEnd();
  }

  onError(worded: WordedReason): void {
    this.#upstreamEnd = { error: worded };
    this.#judgeEnd();
  }

  #pause(reason: "client" | "hold"): void {
    if (reason === "client") this.#pausedByClient = true;
    else this.#pausedByHold = true;
    this.#stream.exchange.pause();
  }

  #resume(reason: "client" | "hold"): void {
    const paused = this.#pausedByClient || this.#pausedByHold;
    if (reason === "client") this.#pausedByClient = false;
    else this.#pausedByHold = false;
    if (paused && !this.#pausedByClient && !this.#pausedByHold && !this.#over)
      this.#stream.exchange.resume();
  }

  #finish(end: RelayEnd): void {
    if (this.#over) return;
    this.#over = true;
    this.#backlog = [];
    if (this.#upstreamEnd === null && end.kind !== "complete") this.#stream.exchange.abort();
    // What is left of a complete answer is its end: read it, or its connection would stand still
    // for ever.
    else if (this.#pausedByClient || this.#pausedByHold) this.#stream.exchange.resume();
    this.#resolve(end);
  }

  #flush(frames: readonly Frame[]): void {
    if (frames.length === 0 || !this.#writing || this.#output.write(frames)) return;
    this.#pause("client");
    this.#output.onDrain(() => this.#resume("client"));
  }

  /** Asks for more cover in the background, or holds the stream back until the answer is there. */
  #grow(neededTokens: number, wait: boolean): void {
    if (wait) {
      this.#blocked = true;
      this.#pause("hold");
    }
    if (this.#growing) return;
    this.#growing = true;
    this.#rollingHold
      .grow(neededTokens)
      .then(
        (outcome) => {
          this.#growing = false;
          if (outcome === "lost") this.#finish({ kind: "lost" });
          else if (this.#blocked && outcome === "refused") this.#growExactly();
          else {
            // A refusal ahead of need is no reason to ask at every frame.
            if (outcome === "refused") this.#askAgainMs = performance.now() + 1000;
            this.#unblock();
          }
        },
        () => this.#goOnUncovered(),
      )
      // No code above awaits this promise: what an output throws here ends this stream, not the
      // process.
      .catch((error: unknown) =>
        this.#finish({ kind: "interrupted", reason: String(error), error: null }),
      );
  }

  /**
   * The estimate says that the money ends before the next frame; only the count stops the stream
   * there.
   */
  #growExactly(): void {
    const [next] = this.#backlog;
    if (next === undefined || this.#over) return this.#unblock();
    this.#growing = true;
    this.#rollingHold
      .growExactly({
        outputTokens: wholeTokens(this.#estimateWith(next)),
        text: next.hasContent ? this.#text + next.text : this.#text,
        usage: this.#usageWith(next),
      })
      .then(
        (outcome) => {
          this.#growing = false;
          if (outcome === "covered") this.#unblock();
          else this.unpaid(outcome);
        },
        () => this.#goOnUncovered(),
      )
      .catch((error: unknown) =>
        this.#finish({ kind: "interrupted", reason: String(error), error: null }),
      );
  }

  /**
   * The database is out of reach. An admitted stream is not cut for that; the charge stays within
   * the hold.
   */
  #goOnUncovered(): void {
    this.#growing = false;
    this.#uncoveredUntilMs = performance.now() + 1000;
    // A failure that comes at once must not be asked for again at once: this process would do
    // nothing else.
    this.#askAgainMs = this.#uncoveredUntilMs;
    this.#unblock();
  }

  #unblock(): void {
    if (this.#over) return;
    this.#blocked = false;
    const frames = this.#backlog;
    this.#backlog = [];
    this.#process(frames);
    if (this.#blocked) return;
    // Only now: what waits in the parser comes within the call, and is what follows.
    this.#resume("hold");
    this.#judgeEnd();
  }

  #usageWith(frame: Frame): UsageReading {
    if (frame.usage.kind !== "absent") return frame.usage;
    // A usage that content follows was a placeholder, or the usage so far: it says nothing about
    // the whole. What is known of the prompt alone stays.
    return frame.hasContent && this.usage.kind !== "partial" ? ABSENT_USAGE : this.usage;
  }

  #note(frame: Frame): void {
    this.usage = this.#usageWith(frame);
    if (!frame.hasContent) return;
    this.contentFrames += 1;
    this.#text += frame.text;
  }

  #process(frames: readonly Frame[]): void {
    const passed = this.#countPassing(frames);
    this.#flush(passed === frames.length ? frames : frames.slice(0, passed));
    const next = frames[passed];
    if (this.#over) return;
    if (next === undefined) this.#growAhead();
    else if (next.kind === "done") this.#finish({ kind: "complete", done: next });
    else if (next.kind === "error" || next.kind === "garbage")
      this.#finish({
        kind: "interrupted",
        ...reasonOfFrame(next),
        error: next.kind === "error" ? next.error : null,
      });
    else {
      this.#backlog = frames.slice(passed);
      this.#grow(wholeTokens(this.#estimateWith(next)), true);
    }
  }

  /**
   * Notes the frames that may be delivered now, and returns how many they are. The one after them
   * ends the stream, or is not covered.
   */
  #countPassing(frames: readonly Frame[]): number {
    let count = 0;
    for (const frame of frames) {
      if (frame.kind !== "data" && frame.kind !== "comment") break;
      const after = this.#estimateWith(frame);
      if (
        !this.#rollingHold.covers(wholeTokens(after)) &&
        performance.now() >= this.#uncoveredUntilMs
      )
        break;
      this.#estimatedCentitokens = after;
      this.#note(frame);
      count += 1;
    }
    return count;
  }

  #estimateWith({ text }: Frame): number {
    return text === ""
      ? this.#estimatedCentitokens
      : this.#estimatedCentitokens + estimateCentitokens(text) * this.#outputFactor;
  }

  #growAhead(): void {
    const tokens = wholeTokens(this.#estimatedCentitokens);
    if (
      !this.#growing &&
      this.#rollingHold.wantsMore(tokens) &&
      performance.now() >= this.#askAgainMs
    )
      this.#grow(tokens, false);
  }

  #judgeEnd(): void {
    if (this.#upstreamEnd === null || this.#over || this.#blocked || this.#backlog.length > 0)
      return;
    if (this.#upstreamEnd.error !== null)
      this.#finish({ kind: "interrupted", ...this.#upstreamEnd.error, error: null });
    else if (this.#stream.reader.finished) this.#finish({ kind: "complete", done: null });
    else
      this.#finish({
        kind: "interrupted",
        ...sayReason("stream_without_end"),
        error: null,
      });
  }
}

function reasonOfFrame({ error }: Frame): WordedReason {
  if (error === null) return sayReason("stream_not_json");
  return error.coded === undefined
    ? { reason: error.message }
    : { reason: error.message, coded: error.coded };
}
