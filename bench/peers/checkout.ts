/** A folder with Tollgate's source that can be measured: this one, or another beside it. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

export interface Checkout {
  readonly root: string;
  /** Its commit, short; null where git does not tell. */
  readonly commit: string | null;
}

const PROGRAM = "bin/tollgate.mjs";
const RESPONSES_UPSTREAM = "src/upstreams/openai-responses.ts";

export const THIS_CHECKOUT: Checkout = {
  root: join(import.meta.dirname, "../.."),
  commit: null,
};

export const tollgateOf = ({ root }: Checkout): string => join(root, PROGRAM);

/** Whether it can ask upstreams of the Responses protocol. */
export function speaksResponses({ root }: Checkout): boolean {
  return existsSync(join(root, RESPONSES_UPSTREAM));
}

/** What is wrong with the folder as a sentence, where it cannot be measured. */
export function readCheckout(folder: string): Checkout | string {
  const root = resolve(folder);
  if (!existsSync(join(root, PROGRAM))) return `${folder} is no checkout of Tollgate`;
  if (!existsSync(join(root, "node_modules")))
    return `${folder} is not installed: run \`node ${PROGRAM} help\` there first`;
  return { root, commit: readCommit(root) };
}

function readCommit(root: string): string | null {
  const git = (...args: string[]): string =>
    execFileSync("git", ["-C", root, ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  try {
    const changed = git("status", "--porcelain", "--untracked-files=no") !== "";
    return `${git("rev-parse", "--short=7", "HEAD")}${changed ? " with changes" : ""}`;
  } catch {
    return null;
  }
}
