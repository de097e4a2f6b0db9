import { type ServerOptions, STATUS_CODES } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import fastify, { type FastifyInstance, type FastifyServerFactory } from 'fastify';
import { WritError } from '../../core/errors.ts';
import type { HttpSettings, ServerCertificate } from './options.ts';
import { PROBLEM_TYPE, problemOf, sendProblem } from './problem.ts';

/** A client that sends its headers slower than this is no client. */
const HEADERS_MS = 10_000;
/** Nor is one that does not get through its handshake. */
const HANDSHAKE_MS = 10_000;
const CHECK_MS = 1000;
const KEEP_ALIVE_MS = 10_000;
/** Then the connection ends and the client opens another, so that no connection lives for ever. */
const REQUESTS_PER_SOCKET = 100_000;
const MAX_HEADER_BYTES = 16_384;
/** Task ids have up to 128 characters, percent-encoded up to three times that. */
const MAX_PARAM_LENGTH = 512;

const UNREADABLE = '/unreadable';

/** Whether the path of an address can be decoded. */
export function isReadable(url: string): boolean {
  try {
    decodeURIComponent(url.split(/[?#]/, 1)[0] ?? '');
    return true;
  } catch {
    return false;
  }
}

type ListenerSettings = Pick<HttpSettings, 'requestTimeoutMs' | 'maxConnections' | 'certificate'>;

/** Fastify without routes, on a server that slow clients cannot fill: every phase of a connection has an end. */
export function createListener({ requestTimeoutMs, maxConnections, certificate }: ListenerSettings): FastifyInstance {
  const http: ServerOptions = {
    headersTimeout: Math.min(HEADERS_MS, requestTimeoutMs),
    // Bodies have timers of their own (arrival.ts).
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: Math.min(CHECK_MS, requestTimeoutMs),
    maxHeaderSize: MAX_HEADER_BYTES,
    requireHostHeader: false,
  };
  const app = fastify({
    http,
    ...(certificate === undefined ? {} : { serverFactory: overTls(http, certificate) }),
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: 0,
    maxRequestsPerSocket: REQUESTS_PER_SOCKET,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // The router refuses what it cannot decode before any check; as a path of nobody it takes the way of all requests.
    rewriteUrl: ({ url = '/' }) => (isReadable(url) ? url : UNREADABLE),
    logger: false,
    clientErrorHandler: refuseConnection,
    frameworkErrors: (error, _request, reply) => {
      sendProblem(reply, problemOf(error));
    },
  });
  app.server.maxConnections = maxConnections;
  return app;
}

/**
 * The same server behind TLS. A renewed certificate counts for the connections that come; those that are there go on.
 * What Fastify sets on a server of its own making is set here.
 */
function overTls(http: ServerOptions, certificate: ServerCertificate): FastifyServerFactory {
  return (handler) => {
    const rules = { minVersion: 'TLSv1.2' } as const;
    const server = createServer({ ...http, ...rules, ...certificate.current(), handshakeTimeout: HANDSHAKE_MS }, handler);
    certificate.onChange((pair) => server.setSecureContext({ ...rules, ...pair }));
    server.setTimeout(0);
    server.maxRequestsPerSocket = REQUESTS_PER_SOCKET;
    return server;
  };
}

/** What was no HTTP request, or none in time, gets its problem document and the end of the connection. */
function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.destroyed) {
    socket.destroy();
    return;
  }
  const problem = problemOf(
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? new WritError('REQUEST_TIMEOUT', 'the request did not arrive in time')
      : new WritError('INVALID_ARGUMENT', error.code === 'HPE_HEADER_OVERFLOW' ? 'the headers are too large' : 'this is no HTTP request'),
  );
  const body = JSON.stringify(problem);
  const head = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\ncontent-type: ${PROBLEM_TYPE}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`;
  socket.end(head + body, () => socket.destroy());
}
