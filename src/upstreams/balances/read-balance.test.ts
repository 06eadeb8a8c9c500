/** Protects: each provider's balance is read from its own shape, and no other answer is taken for one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { BALANCE_KINDS, type BalanceKind } from "../../contract/enums/balance-kind.ts";
import { BALANCE_SHAPES } from "./balance-shapes.ts";
import { readBalance } from "./read-balance.ts";

const read = (kind: BalanceKind, json: unknown, host = "api.example.com") =>
  readBalance(BALANCE_SHAPES[kind], host, json);

/** As the providers' documentation has them. */
const RECORDED: Readonly<Record<BalanceKind, readonly [body: string, nano: bigint, of: string]>> = {
  "openrouter-credits": [
    `{"data":{"total_credits":100.5,"total_usage":25.75}}`,
    74_750_000_000n,
    "USD",
  ],
  "openrouter-key": [
    `{"data":{"label":"sk-or-v1-au7...890","limit":100,"limit_remaining":74.5,"limit_reset":"monthly","usage":25.5}}`,
    74_500_000_000n,
    "USD",
  ],
  deepseek: [
    `{"is_available":true,"balance_infos":[{"currency":"CNY","total_balance":"110.00","granted_balance":"10.00","topped_up_balance":"100.00"}]}`,
    110_000_000_000n,
    "CNY",
  ],
  moonshot: [
    `{"code":0,"data":{"available_balance":49.58894,"voucher_balance":46.58893,"cash_balance":3.00001},"scode":"0x0","status":true}`,
    49_588_940_000n,
    "USD",
  ],
  novita: [
    `{"availableBalance":"1000000","cashBalance":"800000","creditLimit":"200000","pendingCharges":"0","outstandingInvoices":"0"}`,
    100_000_000_000n,
    "USD",
  ],
  kie: [`{"code":200,"msg":"success","data":100}`, 100_000_000_000n, "credits"],
  fal: [
    `{"username":"my-team","credits":{"current_balance":24.5,"currency":"USD"}}`,
    24_500_000_000n,
    "USD",
  ],
};

for (const kind of BALANCE_KINDS)
  test(`${kind}: the documented answer is read, and nothing that is cut off or absurd`, () => {
    const [body, amountNano, currency] = RECORDED[kind];
    assert.deepEqual(read(kind, JSON.parse(body)), { kind: "balance", amountNano, currency });
    const absurd: unknown = JSON.parse(body.replaceAll(/\d+\.?\d*/g, "1e20"));
    for (const json of [undefined, null, [], {}, "100", 100, { data: {} }, { data: "x" }, absurd])
      assert.deepEqual(read(kind, json), { kind: "failed", why: "not_understood" });
  });

test("the currency is the one that is told, else that of the host", () => {
  const [body] = RECORDED.moonshot;
  const reading = read("moonshot", JSON.parse(body), "api.moonshot.cn");
  assert.equal(reading.kind === "balance" && reading.currency, "CNY");
});

test("of several balances the first that is not empty counts; what is owed is below zero", () => {
  const infos = (...amounts: readonly string[]) => ({
    balance_infos: amounts.map((total, index) => ({
      currency: index === 0 ? "CNY" : "USD",
      total_balance: total,
    })),
  });
  assert.deepEqual(read("deepseek", infos("0.00", "3.10")), {
    kind: "balance",
    amountNano: 3_100_000_000n,
    currency: "USD",
  });
  assert.deepEqual(read("deepseek", infos("0.00", "0.00")), {
    kind: "balance",
    amountNano: 0n,
    currency: "CNY",
  });
  assert.deepEqual(read("moonshot", { data: { available_balance: -3.1 } }), {
    kind: "balance",
    amountNano: -3_100_000_000n,
    currency: "USD",
  });
});

test("a key without a limit has none that could be used up", () => {
  assert.deepEqual(read("openrouter-key", { data: { limit: null, limit_remaining: null } }), {
    kind: "failed",
    why: "unlimited",
  });
});
