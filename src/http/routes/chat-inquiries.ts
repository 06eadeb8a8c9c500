/**
 * What may be asked about a request without making it, at each endpoint: what it would hold
 * and cost, how many tokens it has.
 */
import type { LiveCatalogue } from "../../catalogue/live-catalogue.ts";
import type { Db } from "../../db/database.ts";
import { quoteCall } from "../../serving/calls/quote-call.ts";
import { createMessageCounter } from "../../serving/chat/count-message-tokens.ts";
import { quoteChat } from "../../serving/chat/quote-chat.ts";
import type { Conversations } from "../../serving/responses/conversation.ts";
import { readBalance } from "../../serving/money/read-balance.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import { readKeySpend } from "../../serving/money/read-key-spend.ts";
import { forwardedParts } from "../forwarded-parts.ts";
import type { CallQuoteRouteDeps } from "./calls.ts";
import type { MessagesRouteDeps } from "./messages.ts";
import type { QuotesRouteDeps } from "./quotes.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Outgoing } from "../../net/outgoing.ts";
import { anthropicDialect } from "../../protocol/anthropic/dialect.ts";
import { readCountTokensRequestInSlices } from "../../protocol/anthropic/read-messages-request.ts";
import { countTexts } from "../../protocol/count-tokens.ts";
import { CHAT_DIALECTS } from "../../protocol/chat-dialects.ts";
import { anthropicCountTokensRequest } from "../../upstreams/anthropic-messages.ts";

export interface ChatInquiryDeps {
  readonly db: Db;
  readonly catalogue: Pick<LiveCatalogue, "current">;
  readonly outgoing: Outgoing;
  readonly clock: Clock;
  /** Absent where no answers are kept. */
  readonly conversations?: Conversations;
  /** Values of what the catalogue names as credentials. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function chatInquiries({
  db,
  catalogue,
  outgoing,
  env,
  clock,
  conversations,
}: ChatInquiryDeps): QuotesRouteDeps & MessagesRouteDeps & CallQuoteRouteDeps {
  const quoteDeps = {
    catalogue,
    readBalance: (key: { readonly accountId: string }) => readBalance(db, key.accountId),
    readKeySpend: (key: KeyRecord) => readKeySpend(db, key),
    countTexts,
    ...(conversations === undefined ? {} : { conversations }),
  };
  const counter = createMessageCounter({
    catalogue,
    outgoing,
    clock,
    credential: (name) => env[name],
    readRequest: readCountTokensRequestInSlices,
    buildRequest: anthropicCountTokensRequest,
    countTexts,
  });
  return {
    quoteChat: (endpoint, call) =>
      quoteChat(quoteDeps, { ...call, dialect: CHAT_DIALECTS[endpoint] }),
    quoteCall: (call) => quoteCall(quoteDeps, call),
    countMessageTokens: ({ headers, target, ...call }) =>
      counter.count({ ...call, ...forwardedParts(anthropicDialect.forwarded, headers, target) }),
  };
}
