/** Passkeys in the settings, in English. */
import type { PasskeysTexts } from "./passkeys.ru.ts";

export const passkeysEn: PasskeysTexts = {
  title: "Passkeys",
  lead: "Log in without password and code: by a fingerprint, your face or the device's PIN. A passkey cannot be stolen or watched, and it counts as a second factor.",
  caption: "Your passkeys",
  name: "Name",
  nameHint: "To know it by in the list: a device, or a password manager.",
  added: "Added",
  used: "Last log-in",
  never: "none yet",
  add: "Add a passkey",
  addText:
    "Confirm your password first; then the browser asks for a fingerprint, your face or a PIN.",
  password: "Current password",
  goOn: "Continue",
  done: "The passkey is added",
  left: "No passkey was made: the browser called it off, or it took too long.",
  known: "This device has a passkey of yours already.",
  remove: "Remove",
  removeTitle: (name) => `Remove the passkey “${name}”?`,
  removeText: "It logs in no more. It stays on the device itself until you delete it there, too.",
  removed: "The passkey is removed",
  none: "None yet.",
  factorNote: "The account wants a second factor of all: the last one stays.",
};
