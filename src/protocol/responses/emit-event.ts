/** How the parts of a writer put an event into its stream; it gets its number there. */

export type EmitEvent = (type: string, fields: Record<string, unknown>) => void;
