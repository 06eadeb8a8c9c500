/** What is left of prepaid money, in the shapes of the providers that tell it. */

/** In hundredths, so that each shape writes them its own way. */
export function balanceBody(path: string, hundredths: number): unknown {
  const amount = hundredths / 100;
  switch (path) {
    case "/api/v1/credits":
      return { data: { total_credits: amount + 25.5, total_usage: 25.5 } };
    case "/api/v1/key":
      return {
        data: {
          label: "sk-or-v1-au7...890",
          limit: 100,
          limit_remaining: amount,
          limit_reset: null,
          usage: 25.5,
          is_free_tier: false,
        },
      };
    case "/user/balance":
      return {
        is_available: amount > 0,
        balance_infos: [
          {
            currency: "CNY",
            total_balance: amount.toFixed(2),
            granted_balance: "0.00",
            topped_up_balance: amount.toFixed(2),
          },
        ],
      };
    case "/v1/users/me/balance":
      return {
        code: 0,
        data: { available_balance: amount, voucher_balance: 0, cash_balance: amount },
        scode: "0x0",
        status: true,
      };
    case "/openapi/v1/billing/balance/detail":
      return {
        availableBalance: String(hundredths * 100),
        cashBalance: String(hundredths * 100),
        creditLimit: "0",
        pendingCharges: "0",
        outstandingInvoices: "0",
      };
    case "/api/v1/chat/credit":
      return { code: 200, msg: "success", data: amount };
    default:
      return { username: "sandbox", credits: { current_balance: amount, currency: "USD" } };
  }
}
