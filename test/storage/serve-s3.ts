/** The S3-compatible server of the tests alone, until it is ended: prints its STORAGE_URL. For measuring a process without it. */
import { startS3Server } from "./s3-server.ts";

const server = await startS3Server();
console.log(server.url());
process.once("SIGTERM", () => void server[Symbol.asyncDispose]());
