/**
 * Pages that are drawn and packed once for each version of what they show, and sent from memory:
 * with a tag, so that who has one already is told so.
 */
import { hash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { chooseEncoding } from "../choose-encoding.ts";
import type { Answer, RouteCall } from "../route.ts";

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);
/** Of what is kept and sent often, and of what is sent once. */
const QUALITY = { kept: 9, once: 4 } as const;

export interface DrawnText {
  readonly contentType: string;
  readonly text: string;
  /** Besides those of its bytes. */
  readonly headers: Readonly<Record<string, string>>;
}

interface KeptPage {
  readonly drawn: DrawnText;
  /** By encoding; best first. */
  readonly packed: ReadonlyMap<string, Buffer>;
  readonly plain: Buffer;
  readonly tag: string;
}

export interface KeptPages {
  /**
   * @param version of all that pages show; a new one throws away what was kept of the one before.
   * @param name of the page; null: it is drawn for this request alone.
   */
  page(
    version: string,
    name: string | null,
    draw: () => DrawnText,
    call: Pick<RouteCall<unknown>, "headers">,
  ): Promise<Answer>;
}

/** Some 40 kB each. Beyond it the oldest go, and are drawn anew when they are asked for. */
const MOST_KEPT = 500;

export function createKeptPages(): KeptPages {
  let current = "";
  const kept = new Map<string, Promise<KeptPage>>();

  function pageOf(version: string, name: string, draw: () => DrawnText): Promise<KeptPage> {
    if (version !== current) {
      kept.clear();
      current = version;
    }
    const known = kept.get(name);
    if (known !== undefined) return known;
    const made = keep(draw, QUALITY.kept);
    kept.set(name, made);
    made.catch(() => void kept.delete(name));
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    return made;
  }

  return {
    async page(version, name, draw, { headers }) {
      const page = await (name === null ? keep(draw, QUALITY.once) : pageOf(version, name, draw));
      return answerOf(page, headers["accept-encoding"], headers["if-none-match"]);
    },
  };
}

async function keep(draw: () => DrawnText, quality: number): Promise<KeptPage> {
  const drawn = draw();
  const plain = Buffer.from(drawn.text, "utf8");
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
  const [br, gzipped] = await Promise.all([brotliAsync(plain, { params }), gzipAsync(plain)]);
  return {
    drawn,
    plain,
    packed: new Map([
      ["br", br],
      ["gzip", gzipped],
    ]),
    tag: hash("sha256", plain, "base64url").slice(0, 22),
  };
}

function answerOf(
  { drawn, plain, packed, tag }: KeptPage,
  acceptEncoding: string | string[] | undefined,
  ifNoneMatch: string | undefined,
): Answer {
  const { contentType, headers: own } = drawn;
  const encoding = chooseEncoding(String(acceptEncoding ?? ""), [...packed.keys()]);
  // A tag names bytes: what is packed otherwise has another one.
  const etag = `"${tag}${encoding === null ? "" : `-${encoding}`}"`;
  const headers = {
    ...own,
    vary: [own["vary"], "accept-encoding"].filter((one) => one !== undefined).join(", "),
    etag,
  };
  const known = ifNoneMatch?.trim() === "*" || (ifNoneMatch?.includes(etag) ?? false);
  if (known) return { status: 304, headers, content: { nothing: true } };
  const bytes = encoding === null ? plain : (packed.get(encoding) ?? plain);
  return {
    headers: { ...headers, ...(encoding === null ? {} : { "content-encoding": encoding }) },
    content: { contentType, bytes },
  };
}
