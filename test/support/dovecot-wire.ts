import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:tls';
import type { TestDovecot } from './dovecot.ts';

/** What happens on the way between a client and Dovecot. */
export interface WireFaults {
  /** Called with each line of the client before Dovecot gets it. */
  readonly beforeLine?: (line: string) => Promise<void> | void;
  /** Called with what Dovecot says; its answer is what the client gets. `stall`: nothing from now on. `cut`: the connection ends. */
  readonly onAnswer?: (bytes: Buffer) => Buffer | 'stall' | 'cut';
}

/** A place on the wire that can read what is said over TLS: it ends both connections, with the certificate of the server. */
export interface Wire extends AsyncDisposable {
  readonly port: number;
  /** What clients said, line by line, without the secrets of a login. */
  readonly lines: readonly string[];
  /** Bytes that came from Dovecot. */
  received(): number;
}

export async function startWire(dovecot: TestDovecot, { beforeLine, onAnswer }: WireFaults = {}): Promise<Wire> {
  const lines: string[] = [];
  const sockets = new Set<Socket>();
  let received = 0;
  const { certificate, key } = dovecot.identity;
  const server = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (client) => {
    const upstream = connect({ host: '127.0.0.1', port: dovecot.ports.tls, rejectUnauthorized: false });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());

    let stalled = false;
    upstream.on('data', (bytes: Buffer) => {
      received += bytes.length;
      const answer = onAnswer === undefined ? bytes : onAnswer(bytes);
      if (answer === 'cut') client.destroy();
      if (answer === 'stall') stalled = true;
      if (!stalled && typeof answer !== 'string' && !client.destroyed) client.write(answer);
    });

    let rest = '';
    let before = Promise.resolve();
    client.on('data', (bytes: Buffer) => {
      const said = (rest + bytes.toString('latin1')).split('\r\n');
      rest = said.pop() ?? '';
      for (const line of said) {
        before = before.then(async () => {
          lines.push(line);
          await beforeLine?.(line);
          upstream.write(`${line}\r\n`, 'latin1');
        });
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    lines,
    received: () => received,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
