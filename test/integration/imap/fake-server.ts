import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer as createPlain, type Server, type Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';
import type { TestDovecot } from '../../support/dovecot.ts';

export interface FakeServer extends AsyncDisposable {
  readonly port: number;
  /** What clients said so far. */
  heard(): string;
}

/** A server that is none: it does with each connection what it is told. `over` TLS with the certificate of Dovecot, or plain. */
export async function startFakeServer(dovecot: TestDovecot, over: 'tls' | 'plain', talk: (socket: Socket) => void): Promise<FakeServer> {
  const sockets = new Set<Socket>();
  let heard = '';
  const onConnection = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      heard += bytes.toString('latin1');
    });
    talk(socket);
  };
  const { certificate, key } = dovecot.identity;
  const server: Server = over === 'plain' ? createPlain(onConnection) : createTls({ cert: readFileSync(certificate), key: readFileSync(key) }, onConnection);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    heard: () => heard,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
