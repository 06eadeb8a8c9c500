/** Reads what the panel's build made into memory: afterwards no request ever names a file. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";

export interface BuiltFile {
  readonly contentType: string;
  readonly plain: Buffer;
  /** The same, packed, by the name of its encoding; best first. */
  readonly packed: ReadonlyMap<string, Buffer>;
}

export interface BuiltPanel {
  readonly index: BuiltFile;
  /** By file name. */
  readonly assets: ReadonlyMap<string, BuiltFile>;
}

const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".svg", "image/svg+xml"],
  [".png", "image/png"],
  [".woff2", "font/woff2"],
  [".json", "application/json"],
]);

/** Suffixes of the packed files beside each, best first. */
const ENCODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

/** @param folder that of `index.html`. Null where it was not built. */
export function readBuiltPanel(folder: string): BuiltPanel | null {
  if (!existsSync(join(folder, "index.html"))) return null;
  const assets = new Map<string, BuiltFile>();
  for (const name of readdirSync(join(folder, "assets"))) {
    if (CONTENT_TYPES.has(extname(name))) assets.set(name, readFile(join(folder, "assets", name)));
  }
  return { index: readFile(join(folder, "index.html")), assets };
}

function readFile(path: string): BuiltFile {
  const packed = ENCODINGS.filter(([, suffix]) => existsSync(`${path}${suffix}`)).map(
    ([encoding, suffix]) => [encoding, readFileSync(`${path}${suffix}`)] as const,
  );
  return {
    contentType: CONTENT_TYPES.get(extname(path)) ?? "application/octet-stream",
    plain: readFileSync(path),
    packed: new Map(packed),
  };
}
