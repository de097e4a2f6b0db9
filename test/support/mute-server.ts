import { createServer, type Socket } from 'node:net';

/** A server that takes connections and never says a word: a Redis that hangs. */
export interface MuteServer extends AsyncDisposable {
  /** As a setting of Redis. */
  readonly url: string;
  /** Resolves when somebody has said something to it. */
  readonly asked: Promise<void>;
}

/** @param at a port that is free; any when absent */
export async function muteServer(at = 0): Promise<MuteServer> {
  const sockets = new Set<Socket>();
  let tell = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const server = createServer((socket) => {
    sockets.add(socket.on('data', tell).on('error', () => undefined));
  });
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `redis://127.0.0.1:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
