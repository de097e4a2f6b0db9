import type { IncomingMessage, ServerResponse } from 'node:http';

export interface RestLimits {
  /** Bytes of the rest that are read and dropped; then nothing more is read. */
  readonly bytes: number;
  /** The answer must have left within this time. */
  readonly answerMs: number;
  /** Once it has left, the client has this time to read it before the connection is cut. */
  readonly lingerMs: number;
}

/** What is on its way when a client learns that it should stop: a full window of a socket. */
const LIMITS: RestLimits = { bytes: 1024 * 1024, answerMs: 30_000, lingerMs: 2000 };

/**
 * For an answer that ends before its request does. A client that writes everything before it reads would never see the
 * answer if nobody read the rest, and one that never stops would be read for ever: so the rest is read up to a bound, and
 * the connection is cut a moment after the answer has left. A request that ends within the bound keeps its connection.
 */
export function dropRest(request: IncomingMessage, response: ServerResponse, limits: RestLimits = LIMITS): void {
  if (request.complete || request.destroyed) return;
  let left = limits.bytes;
  const cut = (): void => void request.socket.destroy();
  let timer = setTimeout(cut, limits.answerMs);
  const linger = (): void => {
    clearTimeout(timer);
    timer = setTimeout(cut, limits.lingerMs);
  };
  const drop = (piece: Buffer): void => {
    left -= piece.length;
    if (left <= 0) request.pause();
  };
  const over = (): void => {
    clearTimeout(timer);
    request.off('data', drop);
    response.off('finish', linger);
  };
  request.on('data', drop).once('end', over).once('close', over);
  if (response.writableFinished) linger();
  else response.once('finish', linger);
  request.resume();
}
