import type { IncomingMessage } from 'node:http';
import { deserializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CancelledNotificationSchema, isJSONRPCRequest, type JSONRPCMessage, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { AllowList } from '../http-tool/addresses.ts';
import { exchange, readBody } from '../http-tool/exchange.ts';
import { type Resolver, resolveHost } from '../http-tool/resolve-host.ts';
import type { Target } from '../http-tool/target.ts';
import type { TrustKeeper } from '../http-tool/trust.ts';
import { CallFailure } from './call-failure.ts';
import { eventData } from './event-stream.ts';
import { fromServer } from './said-by-server.ts';

export interface HttpTransportOptions {
  readonly place: Target;
  readonly allow: AllowList;
  readonly resolver: Resolver;
  readonly trust: TrustKeeper;
  readonly headers: Readonly<Record<string, string>>;
  /** Largest answer. */
  readonly maxBytes: number;
}

/** The code of JSON-RPC errors of ours: the connection ended. The SDK's own, too. */
const CONNECTION_CLOSED = -32_000;

/**
 * Streamable HTTP by the rules of http tools: the checked address is the one connected to, no redirect, a bounded answer,
 * one attempt. The SDK's transport reconnects and resumes by itself, which would hide whether a request was sent once.
 * No stream for what the server has to say unasked is opened.
 */
export function httpTransport(options: HttpTransportOptions): Transport {
  /** What is on its way; a request until its answer has ended. */
  const under = new Map<RequestId | JSONRPCMessage, AbortController>();
  let closed = false;
  let session: string | undefined;
  let version: string | undefined;

  const transport: Transport = {
    start: async () => undefined,
    send,
    close,
    setProtocolVersion(negotiated) {
      version = negotiated;
    },
  };

  async function send(message: JSONRPCMessage): Promise<void> {
    const key = isJSONRPCRequest(message) ? message.id : message;
    const stop = new AbortController();
    under.set(key, stop);
    // A server that is told of a cancel need not end its answer: nobody hears it any more.
    const cancelled = cancelledBy(message);
    if (cancelled !== undefined) under.get(cancelled)?.abort();
    try {
      const response = await accepted(Buffer.from(JSON.stringify(message), 'utf8'), stop.signal);
      if (isJSONRPCRequest(message)) void hear(response, message.id).finally(() => under.delete(key));
      else {
        response.resume();
        under.delete(key);
      }
    } catch (error) {
      under.delete(key);
      throw error;
    }
  }

  async function accepted(body: Buffer, signal: AbortSignal): Promise<IncomingMessage> {
    const asked = session;
    const response = await post(body, 'POST', signal);
    const status = response.statusCode ?? 0;
    const id = response.headers['mcp-session-id'];
    if (status >= 200 && status <= 299) {
      if (typeof id === 'string' && /^[\x21-\x7e]{1,1024}$/.test(id)) session = id;
      return response;
    }
    response.destroy();
    // Only a session that was named in the request can be one that the server does not know any more.
    const lost = status === 404 && asked !== undefined;
    if (lost && session === asked) session = undefined;
    throw new CallFailure(status === 502 || status === 504 ? 'unclear' : 'failed', `the MCP server answered ${status}`, lost);
  }

  async function post(body: Buffer | undefined, method: 'POST' | 'DELETE', signal: AbortSignal): Promise<IncomingMessage> {
    const { place, allow, resolver, trust, headers } = options;
    const trusted = await trust.current();
    if (typeof trusted === 'string') throw new CallFailure('unsent', trusted);
    const reached = await resolveHost(place.host, allow, resolver, signal);
    if (!reached.ok) throw new CallFailure('unsent', reached.error);
    const end = await exchange(
      {
        method,
        place,
        target: place.path,
        headers: {
          ...headers,
          accept: 'application/json, text/event-stream',
          'accept-encoding': 'identity',
          ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(body.length) }),
          ...(session === undefined ? {} : { 'mcp-session-id': session }),
          ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
        },
        body,
        addresses: reached.value,
        agent: undefined,
        authorities: trusted.authorities,
      },
      signal,
    );
    if (end.kind !== 'response') throw new CallFailure(end.kind, end.message);
    return end.response;
  }

  /** Hands on the answer to a request; an end without it is told to whoever waits. */
  async function hear(response: IncomingMessage, id: RequestId): Promise<void> {
    try {
      for await (const text of messagesOf(response, options.maxBytes)) {
        transport.onmessage?.(fromServer(deserializeMessage(text)));
      }
    } catch (error) {
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
    // After an answer nobody waits for this any more.
    transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: CONNECTION_CLOSED, message: 'the answer ended too early' } });
  }

  async function close(): Promise<void> {
    if (closed) return;
    closed = true;
    for (const stop of under.values()) stop.abort();
    if (session !== undefined) {
      const response = await post(undefined, 'DELETE', AbortSignal.timeout(1000)).catch(() => undefined);
      response?.destroy();
    }
    transport.onclose?.();
  }

  return transport;
}

/** The request that a notification takes back. */
function cancelledBy(message: JSONRPCMessage): RequestId | undefined {
  const notification = CancelledNotificationSchema.safeParse(message);
  return notification.success ? notification.data.params.requestId : undefined;
}

/** The JSON texts in an answer: one, or a stream of events. */
async function* messagesOf(response: IncomingMessage, maxBytes: number): AsyncGenerator<string> {
  if (/^text\/event-stream\b/i.test(response.headers['content-type'] ?? '')) return yield* eventData(bounded(response, maxBytes));
  const body = await readBody(response, maxBytes);
  if (body.kind === 'whole' && body.bytes.length > 0) yield body.bytes.toString('utf8');
}

async function* bounded(response: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of response) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > maxBytes) throw new Error('the answer is too large');
    yield bytes;
  }
}
