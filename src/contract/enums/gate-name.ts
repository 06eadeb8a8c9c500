/** The gates of the HTTP endpoint: kinds of requests, each with its own room. */
export const GATE_NAMES = ["chat", "tasks", "uploads", "api", "panel", "operator"] as const;

export type GateName = (typeof GATE_NAMES)[number];

/** Chat has a gate of its own making. */
export type RoutedGate = Exclude<GateName, "chat">;
