import type { FastifyReply, FastifyRequest } from 'fastify';
import { WritError } from '../../core/errors.ts';
import { isNdjson } from './body.ts';

/**
 * Ends requests whose bodies come too slowly. Node's own `requestTimeout` cannot tell a bulk push that goes on for an
 * hour from a body of one byte a minute, so it is off and every body has a timer of its own:
 * a plain body must be complete within `limitMs`; a stream must bring something within each `limitMs`.
 */
export function watchArrival(request: FastifyRequest, reply: FastifyReply, limitMs: number): void {
  const { raw } = request;
  if (!hasBody(request)) return;
  const streams = request.routeOptions.config.ndjson === true && isNdjson(request);
  let seen = raw.socket.bytesRead;
  const timer = setInterval(() => {
    const read = raw.socket.bytesRead;
    // Bytes that wait in the buffer are waiting for us: then the handler holds the client back, which is no fault of its.
    const waits = read === seen && raw.readableLength === 0;
    seen = read;
    if (streams && !waits) return;
    clearInterval(timer);
    giveUp(request, reply, limitMs);
  }, limitMs);
  timer.unref();
  const over = () => clearInterval(timer);
  raw.once('end', over);
  raw.once('close', over);
}

function hasBody(request: FastifyRequest): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

function giveUp(request: FastifyRequest, reply: FastifyReply, limitMs: number): void {
  const close = () => request.raw.destroy();
  if (reply.sent || reply.raw.headersSent) {
    close();
    return;
  }
  reply.raw.once('finish', close);
  reply.raw.once('close', close);
  void reply.header('connection', 'close').send(new WritError('REQUEST_TIMEOUT', `the body did not arrive within ${limitMs / 1000} s`));
}

/** Bodies up to this size are read and dropped after a refusal, so that the client can read the answer. */
const DROPPED_BYTES = 65_536;

/** After a refusal the rest of a large body is not worth reading: the connection ends with the answer. */
export function closeUnread(request: FastifyRequest, reply: FastifyReply): void {
  const { raw } = request;
  if (raw.complete || !hasBody(request)) return;
  const length = Number(request.headers['content-length']);
  if (!(length <= DROPPED_BYTES)) reply.header('connection', 'close');
}
