/**
 * A request whose body can be handed over as it comes from the parser: through Node's readable
 * stream each body costs a handful of events in turns of their own.
 */
import { IncomingMessage } from "node:http";

/** Takes the pieces of a body, then exactly one of its end and the loss of its connection. */
export interface BodyTaker {
  piece(bytes: Buffer): void;
  end(): void;
  lost(): void;
}

/** Node's own, for a request whose body goes nowhere: its stream is over, without an event. */
interface Closable {
  _dumpAndCloseReadable(): void;
}

/** What `createServer` makes of each request. */
export class ArrivingRequest extends IncomingMessage {
  private taker: BodyTaker | null = null;
  /** Some of its body, or its end, went into the stream. */
  private begun = false;

  /**
   * From now on its body goes to `taker` and not into the stream. False: some of it is in the stream
   * already, or it is lost.
   */
  handTo(taker: BodyTaker): boolean {
    if (this.begun || this.destroyed) return false;
    this.taker = taker;
    return true;
  }

  /** What still comes goes into the stream again. */
  takeBack(): void {
    this.taker = null;
  }

  /** Called by Node's parser. */
  override push(piece: Buffer | null): boolean {
    const { taker } = this;
    if (taker === null) {
      this.begun = true;
      return super.push(piece);
    }
    if (piece !== null) taker.piece(piece);
    else {
      this.taker = null;
      (this as unknown as Closable)._dumpAndCloseReadable();
      taker.end();
    }
    return true;
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const { taker } = this;
    this.taker = null;
    super._destroy(error, done);
    // By then the answer knows, too, that its connection is lost.
    if (taker !== null) process.nextTick(() => taker.lost());
  }
}
