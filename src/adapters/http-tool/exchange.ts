import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { codeOf } from '../files/small-file.ts';
import { unbracketed } from './addresses.ts';
import type { Rendered } from './render.ts';
import type { HostAddress } from './resolve-host.ts';

/** A request and the checked addresses to which it may go. */
export interface OutgoingRequest extends Rendered {
  readonly addresses: readonly HostAddress[];
  /** `undefined`: a connection of its own, closed afterwards. */
  readonly agent: http.Agent | undefined;
  /** Whom to trust; `undefined`: the well-known authorities. */
  readonly authorities: SecureContext | undefined;
}

/**
 * How far a request came. `unheard`: it left on a connection that an earlier request had used, and not a byte came back, so that the
 * server may have closed it meanwhile. After the first byte of an answer the server has heard of the call, whatever the answer is worth.
 */
export type Exchange =
  | { readonly kind: 'response'; readonly response: IncomingMessage }
  | { readonly kind: 'unsent'; readonly message: string }
  | { readonly kind: 'unclear'; readonly message: string; readonly unheard: boolean };

/**
 * Sends one request and waits for the head of its answer. No redirect is followed, no proxy is asked, and the name is not
 * looked up again. `unsent` only when the connection, with TLS the handshake, was not complete.
 */
export function exchange(outgoing: OutgoingRequest, signal: AbortSignal): Promise<Exchange> {
  return new Promise((resolve) => {
    let sent = false;
    let isUnheard = (): boolean => false;
    const fail = (code: string): void => {
      const message = signal.aborted ? 'the tool did not answer in time, or the call was stopped' : sentence(code, sent);
      resolve(sent ? { kind: 'unclear', message, unheard: isUnheard() && !signal.aborted } : { kind: 'unsent', message });
    };
    if (signal.aborted) return fail('aborted');

    const request = (outgoing.place.secure ? https : http).request(optionsOf(outgoing));
    const abort = (): void => void request.destroy();
    signal.addEventListener('abort', abort, { once: true });

    request.on('socket', (socket: Socket) => {
      const readBefore = socket.bytesRead;
      isUnheard = () => request.reusedSocket && socket.bytesRead === readBefore;
      if (!socket.connecting) sent = true;
      else
        socket.once(outgoing.place.secure ? 'secureConnect' : 'connect', () => {
          sent = true;
        });
    });
    request.on('response', (response) => {
      response.once('close', () => signal.removeEventListener('abort', abort));
      resolve({ kind: 'response', response });
    });
    // Nobody asked to switch protocols; without a listener the connection would be left to us.
    request.on('upgrade', (_, socket) => {
      socket.destroy();
      fail('UPGRADE');
    });
    request.on('error', (error) => {
      signal.removeEventListener('abort', abort);
      fail(codeOf(error));
    });
    request.on('close', () => fail('CLOSED'));
    request.end(outgoing.body);
  });
}

function optionsOf({ place, method, target, headers, addresses, agent, authorities }: OutgoingRequest): https.RequestOptions {
  return {
    method,
    host: unbracketed(place.host),
    port: place.port,
    path: target,
    headers,
    agent: agent ?? false,
    lookup: pinned(addresses),
    maxHeaderSize: 16 * 1024,
    ...(authorities === undefined ? {} : { secureContext: authorities }),
  };
}

/** Answers with the addresses that were checked, whatever the name means by now. */
function pinned(addresses: readonly HostAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family ?? 0);
  };
}

const SENTENCES: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'the tool refuses connections'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate of the tool is for another host'],
  ['CERT_HAS_EXPIRED', 'the certificate of the tool has expired'],
]);

/** Error codes only: the texts of such errors hold addresses. */
function sentence(code: string, sent: boolean): string {
  const known = SENTENCES.get(code);
  if (known !== undefined) return known;
  return sent ? `the connection ended before the answer was complete (${code})` : `the tool could not be reached (${code})`;
}

export type BodyRead = { readonly kind: 'whole'; readonly bytes: Buffer } | { readonly kind: 'too-large' } | { readonly kind: 'broken' };

/** Reads a body up to `maxBytes`; the connection of a larger one is closed. */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<BodyRead> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      const bytes = chunk as Buffer;
      size += bytes.length;
      if (size > maxBytes) return { kind: 'too-large' };
      chunks.push(bytes);
    }
    return response.complete ? { kind: 'whole', bytes: Buffer.concat(chunks) } : { kind: 'broken' };
  } catch {
    return { kind: 'broken' };
  } finally {
    if (!response.complete) response.destroy();
  }
}
