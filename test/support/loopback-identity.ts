/**
 * A key and the certificate that it signed itself for 127.0.0.1: what tests speak TLS with on
 * loopback.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Both in one text. Trusted only where a test says so. */
export const LOOPBACK_PEM = readFileSync(join(import.meta.dirname, "loopback.pem"), "utf8");
