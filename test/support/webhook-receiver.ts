import { createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateKey, signingKey } from '../../src/lease/index.ts';
import { publicKeyText } from '../../src/webhooks/notice/sign-notice.ts';

/** What one request brought. `genuine`: its signature is right for its bytes, judged by node:crypto alone. */
export interface Received {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
  readonly genuine: boolean;
}

export const noticeKey = signingKey(generateKey({ use: 'webhook', capabilities: [] }));
const PUBLIC = createPublicKey({
  key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKeyText(noticeKey).slice(5), 'base64').toString('base64url') },
  format: 'jwk',
});

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
  /** How the next requests are answered, in turn; after the last one with 204. */
  readonly answers: ((response: ServerResponse, request: IncomingMessage) => void)[];
  /** Resolves when so many requests have been read. */
  arrived(count: number): Promise<void>;
}

/** A real HTTP server that keeps what it is sent and answers as it is told. */
export async function receiver(): Promise<Receiver> {
  const received: Received[] = [];
  const answers: Receiver['answers'] = [];
  const waiting = new Set<() => void>();
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push(read(request, Buffer.concat(chunks)));
    const answer = answers.shift() ?? ((reply: ServerResponse) => reply.writeHead(204).end());
    answer(response, request);
    for (const look of waiting) look();
  }
  // A client that went away in its request is no request.
  const server = createServer((request, response) => void take(request, response).catch(() => undefined));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answers,
    arrived: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (received.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function read({ headers }: IncomingMessage, bytes: Buffer): Received {
  const [id, timestamp, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => String(headers[name]));
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), bytes]);
  const genuine = verify(null, signed, PUBLIC, Buffer.from(signature?.replace('v1a,', '') ?? '', 'base64'));
  return { id: id ?? '', timestamp: timestamp ?? '', signature: signature ?? '', body: bytes.toString('utf8'), genuine };
}
