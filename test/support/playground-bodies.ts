/** A body that each route of the playground for calls that are no chat takes, over the shipped catalogue. */
import { readFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { makeMedia } from "./media-maker.ts";

/** By what the path ends with; a quote has that of its request. */
export async function playgroundBodies(): Promise<Readonly<Record<string, object>>> {
  const folder = await mkdtemp(join(tmpdir(), "playground-bodies-"));
  await makeMedia(join(folder, "a.mp3"), { sound: { codec: "mp3", seconds: 1 } });
  const sound = await readFile(join(folder, "a.mp3"));
  await rm(folder, { recursive: true, force: true });
  const picture = await sharp({
    create: { width: 32, height: 24, channels: 3, background: "#3a7" },
  })
    .png()
    .toBuffer();
  const painted = { model: "sandbox-image", prompt: "A fox.", size: "1024x1024", quality: "low" };
  const heard = { model: "sandbox-transcription" };
  return {
    "/embeddings": { model: "sandbox-embedding", input: ["a"] },
    "/rerank": { model: "sandbox-rerank", query: "a", documents: ["a", "b"] },
    "/moderations": { model: "sandbox-moderation", input: "a" },
    "/playground/completions": { model: "sandbox-completion", prompt: "a" },
    "/quote/completions": { model: "sandbox-completion", prompt: "a" },
    "/images/generations": painted,
    "/images/edits": formOf(painted, "image", picture, "a.png"),
    "/audio/speech": { model: "sandbox-speech", input: "a", voice: "alloy" },
    "/audio/transcriptions": formOf(heard, "file", sound, "a.mp3"),
    "/audio/translations": formOf(heard, "file", sound, "a.mp3"),
  };
}

function formOf(
  fields: Readonly<Record<string, string>>,
  name: string,
  file: Buffer,
  fileName: string,
): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  form.set(name, new Blob([new Uint8Array(file)]), fileName);
  return form;
}
