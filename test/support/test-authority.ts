/**
 * An authority of certificates of the test's own, and the certificates for localhost that it makes;
 * by `openssl`, which has to be there.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** PEM. */
export interface Identity {
  readonly key: string;
  readonly cert: string;
}

export interface TestAuthority {
  /** Its own certificate, as a file. */
  readonly certificate: string;
  /** Another key and certificate with each call. */
  issue(): Identity;
}

export function hasOpenSsl(): boolean {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const NEW_KEY = ["-newkey", "rsa:2048", "-nodes"];
const LIFE = ["-days", "2"];

/** In a folder of its own below `base`. */
export function createTestAuthority(base: string, name: string): TestAuthority {
  const cwd = join(base, name);
  mkdirSync(cwd, { recursive: true });
  const openssl = (...args: string[]): void =>
    void execFileSync("openssl", args, { cwd, stdio: "pipe" });
  const read = (file: string): string => readFileSync(join(cwd, file), "utf8");
  const self = ["-subj", `/CN=${name}`, "-keyout", "authority.key", "-out", "authority.crt"];
  openssl("req", "-x509", ...NEW_KEY, ...LIFE, ...self);
  writeFileSync(join(cwd, "names"), "subjectAltName=DNS:localhost\n");
  return {
    certificate: join(cwd, "authority.crt"),
    issue() {
      const wish = ["-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.csr"];
      openssl("req", ...NEW_KEY, ...wish);
      const authority = ["-CA", "authority.crt", "-CAkey", "authority.key", "-CAcreateserial"];
      const given = ["-in", "server.csr", "-extfile", "names", "-out", "server.crt"];
      openssl("x509", "-req", ...authority, ...LIFE, ...given);
      return { key: read("server.key"), cert: read("server.crt") };
    },
  };
}
