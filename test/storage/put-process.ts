/**
 * A process of its own that stores and reads made-up bytes:
 * `put-process.ts COMMAND COUNT MEGABYTES`, STORAGE_URL in the environment. `put` stores COUNT
 * objects at once and `read` reads them, both after a first object that warms everything up; it
 * prints what they cost. `hang` begins one object, writes its bytes, prints "written" and never
 * ends it.
 */
import { Readable } from "node:stream";
import { openStorage } from "../../src/storage/open-storage.ts";

/** What `put` and `read` print. Memory beyond what the process had when it was warm. */
export interface PutReport {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly bytes: number;
  readonly extraRssMegabytes: number;
}

const MEGABYTE = 1_000_000;
const SAMPLE_EVERY_MS = 10;
const LONGEST_HANG_MS = 60_000;
const CHUNK = Buffer.alloc(64 * 1024, "tollgate");

if (import.meta.main) {
  const [command = "", count = "1", megabytes = "1"] = process.argv.slice(2);
  const storage = await openStorage(process.env["STORAGE_URL"] ?? "");
  const bytes = Number(megabytes) * MEGABYTE;
  const keys = Array.from({ length: Number(count) }, (_, each) => `object${each}.bin`);
  const put = (key: string, length: number) =>
    storage.put(key, madeUp(length, true), { contentType: "video/mp4" });

  if (command === "hang") {
    const source = madeUp(bytes, false);
    source.once("pause-for-ever", () => console.log("written"));
    // Keeps the process alive, but not for ever where no test is left to kill it.
    setTimeout(() => process.exit(1), LONGEST_HANG_MS);
    await storage.put("hanging.bin", source, { contentType: "video/mp4" });
  }
  await put("warm.bin", 12 * MEGABYTE);
  await drain(await storage.read("warm.bin"));
  const report = await costOf(async () => {
    if (command === "put")
      return (await Promise.all(keys.map((key) => put(key, bytes)))).reduce(
        (sum, each) => sum + each.bytes,
        0,
      );
    const read = await Promise.all(keys.map(async (key) => drain(await storage.read(key))));
    return read.reduce((sum, each) => sum + each, 0);
  });
  console.log(JSON.stringify(report satisfies PutReport));
  await storage.close();
}

function madeUp(length: number, ends: boolean): Readable {
  let left = length;
  return new Readable({
    read() {
      if (left > 0) {
        const size = Math.min(left, CHUNK.length);
        left -= size;
        this.push(CHUNK.subarray(0, size));
      } else if (ends) this.push(null);
      else this.emit("pause-for-ever");
    },
  });
}

async function drain(stream: Readable | null): Promise<number> {
  let bytes = 0;
  for await (const chunk of stream ?? []) bytes += (chunk as Buffer).length;
  return bytes;
}

async function costOf(work: () => Promise<number>): Promise<PutReport> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(
    () => (peak = Math.max(peak, process.memoryUsage.rss())),
    SAMPLE_EVERY_MS,
  );
  const start = performance.now();
  const cpuBefore = process.cpuUsage();
  const bytes = await work();
  const { user, system } = process.cpuUsage(cpuBefore);
  clearInterval(timer);
  return {
    seconds: (performance.now() - start) / 1000,
    cpuSeconds: (user + system) / 1e6,
    bytes,
    extraRssMegabytes: (peak - before) / MEGABYTE,
  };
}
