/**
 * Measures the prompt of a chat request, whichever protocol it came in: a walk over its body tells
 * what it meets.
 */
import { setImmediate } from "node:timers/promises";
import { estimateCentitokens } from "./estimate-tokens.ts";
import { SLICE_BYTES, type LongStrings } from "./json/long-strings.ts";
import type { JsonObject } from "./json/read-json-object.ts";

/**
 * How many tokens something without text may be: `most` for a hold, `likely` (never more than most)
 * for a count.
 */
export interface Unseen {
  readonly most: number;
  readonly likely: number;
}

export interface PromptVisitor {
  /** A text that is prompt as it stands. */
  text(text: string): void;
  /** What no text shows: the format's own tokens, files of unknown size. */
  unseen(tokens: Unseen): void;
  /** Audio, a file or what is sealed: a base64 text or data URL, or something else in its place. */
  media(base64: unknown, density: Density): void;
  image(tokens: Unseen): void;
}

/**
 * Goes through everything of a validated body that an upstream counts as prompt, in the order of
 * the prompt.
 */
export type PromptWalk = (body: Record<string, unknown>, visitor: PromptVisitor) => void;

export function always(tokens: number): Unseen {
  return { most: tokens, likely: tokens };
}

/** Bytes of media for one token, at the densest and as is usual. */
export interface Density {
  readonly densest: number;
  readonly usual: number;
}

/** A document: text costs about a token for four bytes, the media in it far less. */
export const FILE: Density = { densest: 4, usual: 40 };
/** Media that is only named, or a video: its size is not known here. */
export const UNSEEN_FILE: Unseen = { most: 20_000, likely: 2000 };

/** What a base64 text (or data URL) may be; a file of unknown size where it is no text. */
function mediaTokens(base64: unknown, density: Density, long: LongStrings | null): Unseen {
  if (typeof base64 !== "string") return UNSEEN_FILE;
  const length = long === null ? base64.length : long.lengthOf(base64);
  const bytes = (length * 3) / 4;
  return { most: Math.ceil(bytes / density.densest), likely: Math.ceil(bytes / density.usual) };
}

export interface PromptMeasure {
  /** Upper estimate of the whole prompt. */
  readonly inputTokens: number;
  /** What the whole prompt probably comes to. */
  readonly usualTokens: number;
  /** What the texts do not show, as is usual for it. */
  readonly overheadTokens: number;
  readonly images: number;
}

/** What images begin with that may have been cut (see read-json-object.ts). */
const IMAGE_START = "data:image/";

/**
 * Walks the body without the data of its images, which is most of a large body. Where a text begins
 * as an image does, and so may have been cut as one, the whole body is walked by a new visitor
 * instead: nothing that is sent as text may go uncounted.
 */
function walkObject<T extends PromptVisitor>(
  object: JsonObject,
  walk: PromptWalk,
  newVisitor: () => T,
): T {
  const visitor = newVisitor();
  if (!object.cut) {
    walk(object.value, visitor);
    return visitor;
  }
  let uncertain = false;
  walk(object.value, {
    text(text) {
      uncertain ||= text.includes(IMAGE_START);
      visitor.text(text);
    },
    unseen: (tokens) => visitor.unseen(tokens),
    media: (base64, density) => visitor.media(base64, density),
    image: (tokens) => visitor.image(tokens),
  });
  if (!uncertain) return visitor;
  const again = newVisitor();
  walk(object.whole(), again);
  return again;
}

/** How many times its usual count the upper estimate of a text is (README). */
const UPPER_TO_USUAL_ESTIMATE = 1.35;

export class Meter implements PromptVisitor {
  images = 0;
  overheadTokens = 0;
  private readonly long: LongStrings | null;
  private most = 0;
  private centitokens = 0;

  constructor(long: LongStrings | null) {
    this.long = long;
  }
  text(text: string): void {
    this.centitokens += estimateCentitokens(text);
  }
  unseen(tokens: Unseen): void {
    this.most += tokens.most;
    this.overheadTokens += tokens.likely;
  }
  media(base64: unknown, density: Density): void {
    this.unseen(mediaTokens(base64, density, this.long));
  }
  image(tokens: Unseen): void {
    this.images += 1;
    this.unseen(tokens);
  }
  measure(): PromptMeasure {
    return {
      inputTokens: Math.ceil(this.centitokens / 100) + this.most,
      usualTokens:
        Math.ceil(this.centitokens / 100 / UPPER_TO_USUAL_ESTIMATE) + this.overheadTokens,
      overheadTokens: this.overheadTokens,
      images: this.images,
    };
  }
}

/** Of a large body: its texts are still to be read. */
class LargeMeter extends Meter {
  readonly texts: string[] = [];

  override text(text: string): void {
    this.texts.push(text);
  }
  estimate(text: string): void {
    super.text(text);
  }
}

/** Yields after every slice. Throws a Fault where a long string is no valid JSON. */
function* measureLarge(
  object: JsonObject,
  long: LongStrings,
  walk: PromptWalk,
): Generator<void, PromptMeasure> {
  let left = SLICE_BYTES;
  for (const bytes of long.check(object.bytes)) {
    left -= bytes;
    if (left > 0) continue;
    left = SLICE_BYTES;
    yield;
  }
  const meter = new LargeMeter(long);
  walk(object.value, meter);
  for (const text of meter.texts) {
    for (const slice of long.slicesOf(text, object.bytes)) {
      meter.estimate(slice);
      left -= slice.length;
      if (left > 0) continue;
      left = SLICE_BYTES;
      yield;
    }
  }
  return meter.measure();
}

/** Throws a Fault where a string of a large body is no valid JSON. */
export function measurePrompt(object: JsonObject, walk: PromptWalk): PromptMeasure {
  if (object.long === null) return walkObject(object, walk, () => new Meter(null)).measure();
  const steps = measureLarge(object, object.long, walk);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same in slices: other work of the process goes on between them. */
export async function measurePromptInSlices(
  object: JsonObject,
  walk: PromptWalk,
): Promise<PromptMeasure> {
  if (object.long === null) return measurePrompt(object, walk);
  const steps = measureLarge(object, object.long, walk);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await setImmediate();
  }
}

class TextCollector implements PromptVisitor {
  readonly texts: string[] = [];

  text(text: string): void {
    this.texts.push(text);
  }
  unseen(): void {
    // Nothing of it is text.
  }
  media(): void {
    // Nor of media.
  }
  image(): void {
    // Nor of an image.
  }
}

/**
 * All text of the prompt in its order, media left out: each text in slices that are not longer than
 * `SLICE_BYTES` where the body is large.
 */
export function* promptTexts(object: JsonObject, walk: PromptWalk): Generator<string> {
  const { texts } = walkObject(object, walk, () => new TextCollector());
  for (const [index, text] of texts.entries()) {
    if (index > 0) yield "\n";
    if (object.long === null) yield text;
    else yield* object.long.slicesOf(text, object.bytes);
  }
}
