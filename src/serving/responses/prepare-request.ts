/**
 * Makes a request whole before it is read: the conversation that it goes on from, items that it
 * refers to, summaries and the wish for one. What is put in is prompt like any other.
 */
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { CHAT_BODY_LIMIT_BYTES } from "../../kernel/limits.ts";
import { SUMMARY_WISH } from "../../protocol/responses/compaction.ts";
import { inputItems, type Item } from "../../protocol/responses/input-items.ts";
import type { ConversationCall, Conversations } from "./conversation.ts";
import { keepAnswer, type KeepAnswerDeps } from "./keep-answer.ts";
import { replayConversation, type Replayed, type ReplayDeps } from "./replay-conversation.ts";
import { resolveItems } from "./resolve-items.ts";

export type ConversationsDeps = ReplayDeps & KeepAnswerDeps;

type Body = Readonly<Record<string, unknown>>;

/** Its answers are those that never were. */
const NO_ACCOUNT: Uuid = "00000000-0000-0000-0000-000000000000";
const NOTHING: Replayed = { items: [], turns: 0, bytes: 0 };

export function createConversations(deps: ConversationsDeps): Conversations {
  return {
    async prepare({ parsed, ...call }) {
      const { accountId, requestId, needs, seesKept } = call;
      const { previousId, compacts } = needs;
      const replayed =
        previousId === null
          ? NOTHING
          : await replayConversation(deps, {
              accountId: seesKept ? accountId : NO_ACCOUNT,
              responseId: previousId,
            });
      const changes = previousId !== null || needs.resolves || compacts;
      const asked = changes ? parsed() : null;
      const items = asked === null ? null : await wholeInput(deps, call, asked, replayed);
      const context = compacts ? (items?.filter(isInstruction) ?? []) : null;
      return {
        body: asked === null || items === null ? null : bodyOf(asked, items, compacts),
        conversation: {
          sent: call.body,
          onReceipt: {
            ...(previousId === null ? {} : { previousId }),
            ...(replayed.items.length === 0 ? {} : { replayedItems: replayed.items.length }),
            ...(compacts ? { compaction: true } : {}),
          },
          keep:
            needs.store && requestId !== null
              ? keepAnswer(deps, { ...call, requestId }, { replayed, context })
              : null,
        },
      };
    },
  };
}

function wholeInput(
  deps: ConversationsDeps,
  { accountId, needs, seesKept }: Pick<ConversationCall, "accountId" | "needs" | "seesKept">,
  asked: Body,
  replayed: Replayed,
): Promise<readonly Item[]> {
  const sent = inputItems(asked["input"]);
  const own = needs.compacts ? sent.slice(0, -1) : sent;
  const kept = seesKept ? accountId : NO_ACCOUNT;
  return resolveItems(deps, { accountId, kept }, [...replayed.items, ...own]);
}

function isInstruction({ role }: Item): boolean {
  return role === "developer" || role === "system";
}

/** A summary is a text, whatever form the answers of the conversation have, and calls nothing. */
function bodyOf(sent: Body, items: readonly Item[], compacts: boolean): Buffer {
  const { tools } = sent;
  const asked = compacts
    ? {
        input: [...items, SUMMARY_WISH],
        text: { format: { type: "text" } },
        ...(Array.isArray(tools) && tools.length > 0 ? { tool_choice: "none" } : {}),
      }
    : { input: items };
  const body = Buffer.from(JSON.stringify({ ...sent, ...asked }));
  if (body.length <= CHAT_BODY_LIMIT_BYTES) return body;
  throw new Fault("request_too_large", {
    message: `The request comes to more than ${CHAT_BODY_LIMIT_BYTES / 1024 ** 2} MB with the conversation that it goes on from. Begin a new one, with a summary of this.`,
    param: "previous_response_id",
  });
}
