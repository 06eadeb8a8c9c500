/** Measures the prompt of a chat request, whichever protocol it came in: a walk over its body tells what it meets. */
import { estimateCentitokens } from "./estimate-tokens.ts";
import type { JsonObject } from "./json/read-json-object.ts";

/** How many tokens something without text may be: `most` for a hold, `likely` (never more than most) for a count. */
export interface Unseen {
  readonly most: number;
  readonly likely: number;
}

export interface PromptVisitor {
  /** A text that is prompt as it stands. */
  text(text: string): void;
  /** What no text shows: the format's own tokens, audio, files, video. */
  unseen(tokens: Unseen): void;
  image(tokens: Unseen): void;
}

/** Goes through everything of a validated body that an upstream counts as prompt, in the order of the prompt. */
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
export function mediaTokens(base64: unknown, density: Density): Unseen {
  if (typeof base64 !== "string") return UNSEEN_FILE;
  const bytes = (base64.length * 3) / 4;
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
 * Walks the body without the data of its images, which is most of a large body. Where a text begins as an image does, and so may have
 * been cut as one, the whole body is walked by a new visitor instead: nothing that is sent as text may go uncounted.
 */
function walkObject<T extends PromptVisitor>(object: JsonObject, walk: PromptWalk, newVisitor: () => T): T {
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
    image: (tokens) => visitor.image(tokens),
  });
  if (!uncertain) return visitor;
  const again = newVisitor();
  walk(object.whole(), again);
  return again;
}

/** How many times its usual count the upper estimate of a text is (README). */
const UPPER_TO_USUAL_ESTIMATE = 1.35;

class Meter implements PromptVisitor {
  images = 0;
  overheadTokens = 0;
  private most = 0;
  private centitokens = 0;

  text(text: string): void {
    this.centitokens += estimateCentitokens(text);
  }
  unseen(tokens: Unseen): void {
    this.most += tokens.most;
    this.overheadTokens += tokens.likely;
  }
  image(tokens: Unseen): void {
    this.images += 1;
    this.unseen(tokens);
  }
  measure(): PromptMeasure {
    return {
      inputTokens: Math.ceil(this.centitokens / 100) + this.most,
      usualTokens: Math.ceil(this.centitokens / 100 / UPPER_TO_USUAL_ESTIMATE) + this.overheadTokens,
      overheadTokens: this.overheadTokens,
      images: this.images,
    };
  }
}

export function measurePrompt(object: JsonObject, walk: PromptWalk): PromptMeasure {
  return walkObject(object, walk, () => new Meter()).measure();
}

class TextCollector implements PromptVisitor {
  readonly texts: string[] = [];

  text(text: string): void {
    this.texts.push(text);
  }
  unseen(): void {
    // Nothing of it is text.
  }
  image(): void {
    // Nor of an image.
  }
}

/** All text of the prompt, a line each, media left out. */
export function promptTextOf(object: JsonObject, walk: PromptWalk): string {
  return walkObject(object, walk, () => new TextCollector()).texts.join("\n");
}
