/**
 * A mail server for tests: real SMTP on loopback, which keeps what it is sent and refuses what it
 * is told to.
 */
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";

export interface ReceivedMail {
  readonly to: readonly string[];
  /** Headers and body as they came. */
  readonly source: string;
}

export interface SmtpServer extends AsyncDisposable {
  /** `smtp://127.0.0.1:PORT`. */
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** What the recipient is answered, `250 ok` unless a test says otherwise. */
  answerToRecipient: (address: string) => string;
}

export async function startSmtpServer(): Promise<SmtpServer> {
  const mails: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("close", () => sockets.delete(socket)).on("error", () => undefined));
    let to: string[] = [];
    let lines: string[] | null = null;
    const say = (line: string): void => void socket.write(`${line}\r\n`);
    say("220 test ESMTP");
    createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY }).on("line", (line) => {
      if (lines !== null) {
        if (line !== ".") return void lines.push(line);
        mails.push({ to, source: lines.join("\n") });
        [to, lines] = [[], null];
        return say("250 taken");
      }
      const [word = ""] = line.toUpperCase().split(/[ :]/);
      if (word === "DATA") {
        lines = [];
        return say("354 go on");
      }
      if (word === "RCPT") {
        const address = /<(.*)>/.exec(line)?.[1] ?? "";
        const answer = smtp.answerToRecipient(address);
        if (answer.startsWith("250")) to.push(address);
        return say(answer);
      }
      if (word === "MAIL" || word === "RSET") to = [];
      say(word === "QUIT" ? "221 bye" : "250 ok");
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const smtp: SmtpServer = {
    url: `smtp://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    mails,
    answerToRecipient: () => "250 ok",
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return smtp;
}
