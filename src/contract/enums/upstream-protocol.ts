/** What upstreams speak: the protocols of chat, and those of providers of tasks. */

export const CHAT_PROTOCOLS = ["openai", "anthropic", "responses"] as const;
export type ChatProtocol = (typeof CHAT_PROTOCOLS)[number];

/** `http-task` is described in the catalogue; the others are built in. */
export const TASK_PROTOCOLS = ["kie", "fal", "replicate", "http-task"] as const;
export type TaskProtocol = (typeof TASK_PROTOCOLS)[number];

export const UPSTREAM_PROTOCOLS = [...CHAT_PROTOCOLS, ...TASK_PROTOCOLS] as const;
export type UpstreamProtocol = (typeof UPSTREAM_PROTOCOLS)[number];

export function isChatProtocol(protocol: UpstreamProtocol): protocol is ChatProtocol {
  return CHAT_PROTOCOLS.some((known) => known === protocol);
}

export function isTaskProtocol(protocol: UpstreamProtocol): protocol is TaskProtocol {
  return TASK_PROTOCOLS.some((known) => known === protocol);
}
