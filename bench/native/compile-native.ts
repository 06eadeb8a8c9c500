/** Compiles the benchmark's C programs, once for each state of their sources. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { benchFolder } from "../bench-folder.ts";
import { keepFolder } from "../keep-folder.ts";

export interface NativePrograms {
  /** Sends requests and measures them. */
  readonly load: string;
  /** Answers them by script. */
  readonly upstream: string;
  /** Runs another program that ends with us. */
  readonly leash: string;
}

const PROGRAMS = ["load", "upstream", "leash"] as const;
const FLAGS = ["-O2", "-std=gnu17", "-Wall", "-Wextra"];

/**
 * There is nothing to compile with, or nothing that the programs could run on; the message says
 * what to do.
 */
export class NoCompiler extends Error {
  override name = "NoCompiler";
}

/** Throws NoCompiler. */
export function compileNative(): NativePrograms {
  if (process.platform !== "linux")
    throw new NoCompiler("The benchmark reads /proc and polls with epoll: it needs Linux.");
  const digest = createHash("sha256").update(FLAGS.join(" ")).update(process.arch);
  for (const name of readdirSync(import.meta.dirname)
    .filter((file) => /\.[ch]$/.test(file))
    .toSorted()) {
    digest.update(`\n${name}\n`).update(readFileSync(join(import.meta.dirname, name)));
  }
  const folder = join(benchFolder(), `native-${digest.digest("hex").slice(0, 16)}`);
  if (!existsSync(folder)) compileInto(folder);
  return {
    load: join(folder, "load"),
    upstream: join(folder, "upstream"),
    leash: join(folder, "leash"),
  };
}

/**
 * The folder gets its name when everything is in it, so that two runs at the same time do not meet.
 */
function compileInto(folder: string): void {
  const draft = mkdtempSync(`${folder}-`);
  try {
    for (const name of PROGRAMS) {
      execFileSync(
        "cc",
        [...FLAGS, "-o", join(draft, name), join(import.meta.dirname, `${name}.c`)],
        {
          stdio: ["ignore", "inherit", "inherit"],
        },
      );
    }
    keepFolder(draft, folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      throw new NoCompiler(
        "There is no C compiler (`cc`), and the load generator is a C program. Install one: `apt-get install gcc libc6-dev`, `dnf install gcc`, `apk add build-base`.",
        { cause: error },
      );
    }
    throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
