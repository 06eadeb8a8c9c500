/** Notifications reach the listener, and a lost connection is told to it. */
import { test } from "node:test";
import { databaseProxy } from "../../test/support/database-proxy.ts";
import { testDatabase } from "../../test/support/database.ts";
import { listen } from "./listen.ts";

test(
  "messages arrive; after a break the listener is told to read again and messages arrive again",
  { timeout: 20_000 },
  async () => {
    const database = await testDatabase();
    const proxy = await databaseProxy(database.url);
    let wake: () => void = () => {};
    const heard: string[] = [];
    const until = async (item: string): Promise<void> => {
      while (!heard.includes(item)) await new Promise<void>((resolve) => (wake = resolve));
      heard.length = 0;
    };
    const hear = (item: string): void => {
      heard.push(item);
      wake();
    };
    const listener = listen({
      url: proxy.url,
      channels: ["one", "two", 'o"; DROP TABLE x'],
      onMessage: (channel, payload) => hear(`${channel}:${payload}`),
      onConnected: () => hear("connected"),
      onError: () => {},
    });
    await until("connected");
    await database.db.query("SELECT pg_notify('two', 'привет')");
    await until("two:привет");
    proxy.cut();
    await until("connected");
    await database.db.query("NOTIFY one");
    await until("one:");
    await listener.close();
    await proxy.close();
    await database.drop();
  },
);
