import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Ambush, createAmbush } from './ambush.ts';
import type { Endpoint } from './model.ts';

/** What a receiver heard, as it came. */
export interface Delivery {
  readonly endpoint: Endpoint;
  readonly id: string;
  readonly body: string;
  readonly genuine: boolean;
  /** What it was answered; 0: nothing. */
  readonly status: number;
}

/** How a receiver takes what comes; the status that it has said, 0 for none. */
const MOODS = {
  fine: (response) => said(response, 204),
  refuses: (response) => said(response, 500),
  /** It keeps the notice, and says that it did not: it hears it again. */
  lies: (response) => said(response, 503),
  moved: (response) => {
    response.setHeader('location', '/elsewhere');
    return said(response, 302);
  },
  gone: (response) => said(response, 410),
  hangs: () => 0,
  cuts: (response) => {
    response.destroy();
    return 0;
  },
  /** Its head says 200, and its body has no end. */
  endless: (response) => {
    response.writeHead(200).write('more');
    return 200;
  },
} satisfies Record<string, (response: ServerResponse) => number>;

export type Mood = keyof typeof MOODS;
export const BAD_MOODS = (Object.keys(MOODS) as readonly Mood[]).filter((mood) => mood !== 'fine');

/** A receiver that can be in any mood, and can die and come back on its port. */
export interface Receiver extends AsyncDisposable {
  mood: Mood;
  /** Deliveries that were read and not answered, whose senders wait. */
  readonly unanswered: number;
  /** Done when the next delivery has been read, before it is answered. */
  readonly ambush: Ambush;
  die(): Promise<void>;
  live(): Promise<void>;
}

/** How far the time of a delivery may be away, seconds (docs/webhooks.md). */
const NEAR_S = 300;

/** @param key asked for at the first delivery: the public key of the installation, `whpk_…` */
export async function startReceiver(endpoint: Endpoint, port: number, deliveries: Delivery[], key: () => string): Promise<Receiver> {
  let server: Server | undefined;
  let publicKey: KeyObject | undefined;
  const waiting = new Set<ServerResponse>();
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    publicKey ??= keyOf(key());
    const delivery = read(request, Buffer.concat(chunks), publicKey);
    receiver.ambush.spring();
    // The last word is the mood of when it was read, as a program's is.
    const status = MOODS[receiver.mood](response);
    if (status === 0) waitsFor(response);
    deliveries.push({ endpoint, ...delivery, status, ...(request.url === '/hook' ? {} : { genuine: false }) });
  }
  function waitsFor(response: ServerResponse): void {
    waiting.add(response);
    response.once('close', () => waiting.delete(response));
    if (response.destroyed) waiting.delete(response);
  }
  const receiver: Receiver = {
    mood: 'fine',
    get unanswered() {
      return waiting.size;
    },
    ambush: createAmbush(),
    async die() {
      const dying = server;
      server = undefined;
      if (dying === undefined) return;
      dying.closeAllConnections();
      dying.close();
      await once(dying, 'close');
    },
    async live() {
      if (server !== undefined) return;
      // A client that went away in its request is no request.
      server = createServer((request, response) => void take(request, response).catch(() => undefined)).listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    [Symbol.asyncDispose]: () => receiver.die(),
  };
  await receiver.live();
  return receiver;
}

function said(response: ServerResponse, status: number): number {
  response.writeHead(status).end();
  return status;
}

/** Whether the receiver has said that it has what was delivered. */
export const isKept = ({ status }: { readonly status: number }): boolean => status >= 200 && status < 300;

/** Whether it has said that it wants no notices any more, after which an operator sends this one again, or nobody. */
export const isRefusedForGood = ({ status }: { readonly status: number }): boolean => status === 410;

function keyOf(text: string): KeyObject {
  const x = Buffer.from(text.replace('whpk_', ''), 'base64').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

/** As the receiver of docs/webhooks.md judges: by node:crypto alone. */
function read({ headers }: IncomingMessage, bytes: Buffer, key: KeyObject): Pick<Delivery, 'id' | 'body' | 'genuine'> {
  const [id = '', at = '', signatures = ''] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => String(headers[name]));
  const signed = Buffer.concat([Buffer.from(`${id}.${at}.`), bytes]);
  const isSigned = signatures.split(' ').some((one) => one.startsWith('v1a,') && verify(null, signed, key, Buffer.from(one.slice(4), 'base64')));
  return { id, body: bytes.toString('utf8'), genuine: isSigned && Math.abs(Date.now() / 1000 - Number(at)) <= NEAR_S };
}
