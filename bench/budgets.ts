/** What the gateway may cost: each budget names the figure that it bounds. */

export interface Budget {
  readonly says: string;
  /** Which figure: its measure, subject and name. */
  readonly figure: readonly [measure: string, subject: string, name: string];
  readonly bound: "at most" | "at least";
  readonly limit: number;
  readonly unit: string;
}

export const BUDGETS: readonly Budget[] = [
  {
    says: "CPU of the gateway process per request ÷ bare Node proxy",
    figure: ["whole answers", "Tollgate ÷ bare proxy", "gateway CPU"],
    bound: "at most",
    limit: 2,
    unit: "",
  },
  {
    says: "gateway + PostgreSQL CPU per request ÷ Portkey's (no billing)",
    figure: ["whole answers", "Tollgate ÷ Portkey", "gateway + PostgreSQL CPU"],
    bound: "at most",
    limit: 0.2,
    unit: "",
  },
  {
    says: "CPU per streamed chunk ÷ bare Node pipe, same protocol",
    figure: ["streams", "Tollgate ÷ bare proxy", "gateway CPU"],
    bound: "at most",
    limit: 1.3,
    unit: "",
  },
  {
    says: "CPU per streamed chunk ÷ bare Node pipe, translated",
    figure: ["streams", "Tollgate translating ÷ bare proxy", "gateway CPU"],
    bound: "at most",
    limit: 2,
    unit: "",
  },
  {
    says: "p50 added to no gateway at 300 requests/s",
    figure: ["latency", "Tollgate − no gateway", "p50"],
    bound: "at most",
    limit: 1,
    unit: "ms",
  },
  {
    says: "p99 added to no gateway at 300 requests/s",
    figure: ["latency", "Tollgate − no gateway", "p99"],
    bound: "at most",
    limit: 5,
    unit: "ms",
  },
  {
    says: "billed requests a second, everything on this machine",
    figure: ["throughput", "Tollgate", "requests"],
    bound: "at least",
    limit: 10_000,
    unit: "/s",
  },
  {
    says: "billed requests a second: one hot account ÷ many",
    figure: ["throughput", "hot account ÷ many", "requests"],
    bound: "at least",
    limit: 0.9,
    unit: "",
  },
  {
    says: "memory per idle open stream",
    figure: ["open streams", "Tollgate", "memory of each"],
    bound: "at most",
    limit: 60,
    unit: "kB",
  },
  {
    says: "memory with 5,000 idle open streams",
    figure: ["open streams", "Tollgate", "RSS with 5,000"],
    bound: "at most",
    limit: 512,
    unit: "MiB",
  },
  {
    says: "a 10 MB body of images: CPU ÷ bare Node proxy",
    figure: ["big bodies", "Tollgate ÷ bare proxy", "gateway CPU"],
    bound: "at most",
    limit: 2,
    unit: "",
  },
  {
    says: "a 10 MB body of images: event-loop stall",
    figure: ["big bodies", "Tollgate", "event-loop stall"],
    bound: "at most",
    limit: 20,
    unit: "ms",
  },
  {
    says: "prompts of 20 and 31 MB of text: p99 of /healthz meanwhile",
    figure: ["long prompts", "Tollgate", "/healthz: p99"],
    bound: "at most",
    limit: 50,
    unit: "ms",
  },
  {
    says: "cost of the 10,000,000th ledger entry ÷ the 10,000th",
    figure: ["big ledger", "10,000,000 ÷ 10,000 entries", "gateway + PostgreSQL CPU"],
    bound: "at most",
    limit: 1.2,
    unit: "",
  },
];
