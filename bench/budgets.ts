/** What the gateway may cost: each budget names the figure that it bounds. */

export interface Budget {
  readonly says: string;
  /** Which figure: its measure, subject and name. */
  readonly figure: readonly [measure: string, subject: string, name: string];
  readonly bound: "at most" | "at least";
  readonly limit: number;
  readonly unit: string;
  /** Told against the first edition of the ledger, which only some runs have beside them. */
  readonly against?: true;
}

export const BUDGETS: readonly Budget[] = [
  {
    says: "CPU of the gateway process per request ÷ bare Node proxy, 32 connections",
    figure: ["whole answers", "Tollgate ÷ bare proxy", "gateway CPU"],
    bound: "at most",
    limit: 2.5,
    unit: "",
  },
  {
    says: "the same, 128 connections (gateway CPU ÷ bare Node proxy)",
    figure: ["whole answers", "Tollgate ÷ bare proxy, 128 connections", "gateway CPU"],
    bound: "at most",
    limit: 2,
    unit: "",
  },
  {
    says: "with billing off: gateway CPU ÷ bare Node proxy, 32 connections",
    figure: ["whole answers", "Tollgate, billing off ÷ bare proxy", "gateway CPU"],
    bound: "at most",
    limit: 2,
    unit: "",
  },
  {
    says: "the same with billing off, 128 connections",
    figure: ["whole answers", "Tollgate, billing off ÷ bare proxy, 128 connections", "gateway CPU"],
    bound: "at most",
    limit: 1.6,
    unit: "",
  },
  {
    says: "gateway + PostgreSQL CPU per request ÷ Portkey's (no billing)",
    figure: ["whole answers", "Tollgate ÷ Portkey", "gateway + PostgreSQL CPU"],
    bound: "at most",
    limit: 0.25,
    unit: "",
  },
  {
    says: "PostgreSQL CPU per billed request ÷ the first edition's, 32 connections",
    figure: ["whole answers", "Tollgate ÷ that checkout", "PostgreSQL CPU"],
    bound: "at most",
    limit: 0.45,
    unit: "",
    against: true,
  },
  {
    says: "PostgreSQL CPU per billed request",
    figure: ["whole answers", "Tollgate", "PostgreSQL CPU"],
    bound: "at most",
    limit: 75,
    unit: "µs",
  },
  {
    says: "gateway CPU per request ÷ the first edition's, 32 connections",
    figure: ["whole answers", "Tollgate ÷ that checkout", "gateway CPU"],
    bound: "at most",
    limit: 0.7,
    unit: "",
    against: true,
  },
  {
    says: "billed requests a second ÷ the first edition's, 32 connections",
    figure: ["whole answers", "Tollgate ÷ that checkout", "requests"],
    bound: "at least",
    limit: 1.8,
    unit: "",
    against: true,
  },
  {
    says: "the same, 128 connections",
    figure: ["whole answers", "Tollgate ÷ that checkout, 128 connections", "requests"],
    bound: "at least",
    limit: 1.35,
    unit: "",
    against: true,
  },
  {
    says: "allocated per request in the gateway",
    figure: ["whole answers", "Tollgate", "allocated"],
    bound: "at most",
    limit: 30,
    unit: "kB",
  },
  {
    says: "bytes on disk per billed request, indexes included, all posted",
    figure: ["disk", "Tollgate", "bytes"],
    bound: "at most",
    limit: 700,
    unit: "B",
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
    says: "CPU per streamed event at /v1/responses ÷ bare Node pipe, same protocol",
    figure: ["streams", "Tollgate ÷ bare proxy, Responses", "gateway CPU"],
    bound: "at most",
    limit: 1.4,
    unit: "",
  },
  {
    says: "CPU per streamed event at /v1/responses ÷ bare Node pipe, translated",
    figure: ["streams", "Tollgate translating ÷ bare proxy, Responses", "gateway CPU"],
    bound: "at most",
    limit: 2.2,
    unit: "",
  },
  {
    says: "p50 above the bare proxy at 300 requests/s ÷ Portkey's above it",
    figure: ["latency", "(Tollgate − bare proxy) ÷ (Portkey − bare proxy)", "p50"],
    bound: "at most",
    limit: 1,
    unit: "",
  },
  {
    says: "the same, p99",
    figure: ["latency", "(Tollgate − bare proxy) ÷ (Portkey − bare proxy)", "p99"],
    bound: "at most",
    limit: 1,
    unit: "",
  },
  {
    says: "p50 added to the first token of a stream ÷ what the bare proxy adds",
    figure: ["first token", "(Tollgate − no gateway) ÷ (bare proxy − no gateway)", "p50"],
    bound: "at most",
    limit: 2,
    unit: "",
  },
  {
    says: "billed requests a second: one hot account ÷ many",
    figure: ["throughput", "hot account ÷ many", "requests"],
    bound: "at least",
    limit: 0.9,
    unit: "",
  },
  {
    says: "p99 of the served at twice the capacity, asked again at once ÷ at half",
    figure: ["overload", "twice, asked again ÷ half", "p99"],
    bound: "at most",
    limit: 3,
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
    says: "the same of a caller of Responses, same protocol",
    figure: ["open responses, passed", "Tollgate", "memory of each"],
    bound: "at most",
    limit: 60,
    unit: "kB",
  },
  {
    says: "the same of a caller of Responses, translated",
    figure: ["open responses, translated", "Tollgate", "memory of each"],
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
