/** OpenAI's endpoints for images and sound, over the studio that makes the media of tasks, too. */
import { createReadStream } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { Endpoint } from "../endpoint.ts";
import type { MediaStudio } from "../media/media-studio.ts";
import type { ImageSpec } from "../media/output-spec.ts";
import { errorBody } from "../openai/error-body.ts";
import { serveImages } from "./images.ts";
import { serveMediaCall, type MediaCallDeps } from "./media-call.ts";
import { serveSpeech } from "./speech.ts";
import { serveTranscription } from "./transcriptions.ts";

export interface OpenAiMediaOptions {
  readonly studio: MediaStudio;
  /** Between two pieces of a stream. */
  readonly pauseMs: number;
}

const PICTURE = /^\/sandbox\/pictures\/(\d{2,4})x(\d{2,4})-(\d{1,2})\.(png|jpeg)$/;

export function openAiMediaEndpoints({ studio, pauseMs }: OpenAiMediaOptions): Endpoint[] {
  const deny = (): unknown =>
    errorBody({ status: 401, message: "sandbox: no valid API key was sent", param: null });
  const at = (
    path: RegExp,
    text: MediaCallDeps["text"],
    answer: (req: IncomingMessage) => MediaCallDeps["answer"],
  ): Endpoint => ({
    method: "POST",
    path,
    deny,
    serve: (req, res) => serveMediaCall(req, res, { studio, text, answer: answer(req) }),
  });
  const images = (kind: "image_generation" | "image_edit") => (req: IncomingMessage) => {
    const addressOf = ({ width, height, tint, format }: ImageSpec): string =>
      `http://${req.headers.host}/sandbox/pictures/${width}x${height}-${tint}.${format}`;
    return (call: Parameters<MediaCallDeps["answer"]>[0]) =>
      serveImages(call, { studio, pauseMs, kind, addressOf });
  };
  return [
    at(/^\/v1\/images\/generations\/?$/, "prompt", images("image_generation")),
    at(/^\/v1\/images\/edits\/?$/, "prompt", images("image_edit")),
    at(/^\/v1\/audio\/speech\/?$/, "input", () => (call) => serveSpeech(call, { studio, pauseMs })),
    at(
      /^\/v1\/audio\/transcriptions\/?$/,
      "prompt",
      () => (call) => serveTranscription(call, { studio, pauseMs, task: "transcribe" }),
    ),
    at(
      /^\/v1\/audio\/translations\/?$/,
      "prompt",
      () => (call) => serveTranscription(call, { studio, pauseMs, task: "translate" }),
    ),
    {
      method: "GET",
      path: PICTURE,
      deny: null,
      serve: (_req, res, path) => servePicture(studio, res, path),
    },
  ];
}

async function servePicture(
  studio: MediaStudio,
  res: ServerResponse,
  path: string,
): Promise<string> {
  const [, width, height, tint, format] = PICTURE.exec(path) ?? [];
  const file = await studio.make({
    kind: "image",
    format: format === "jpeg" ? "jpeg" : "png",
    width: Number(width),
    height: Number(height),
    tint: Number(tint),
  });
  res.writeHead(200, { "content-type": file.contentType, "content-length": file.bytes });
  await pipeline(createReadStream(file.path), res);
  return "200";
}
