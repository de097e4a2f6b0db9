import { chmodSync, unlinkSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { openSocketDirectory, type SocketDirectory } from '../../../adapters/linux/socket-directory.ts';
import { WritError } from '../../../core/errors.ts';
import { type Lifecycle, lifecycle } from '../../../core/lifecycle.ts';
import { lineCutter } from '../../../core/line-cutter.ts';
import type { TreeWatch } from '../watch/tree-watch.ts';
import { type BarrierHead, type BarrierRequest, HOST_SOCKET, readRequest } from './barrier-lines.ts';

/** What the server answers with, in the thread of the watch; nothing here waits. */
export interface BarrierHost {
  readonly watch: Pick<TreeWatch, 'look' | 'veto' | 'published' | 'version' | 'overlay'>;
  /** Who reads the tree here. */
  identity(): BarrierHead['identity'];
  status(): string;
  /** Told of each barrier. */
  asked(): void;
  /** A search found damage; told at most once a second. */
  corrupt(message: string): void;
}

const MAX_CONNECTIONS = 256;
const REQUEST_MAX = 16_384;
/** Characters of answers that wait for a search to read them; who asks on and reads nothing is let go. */
const UNREAD_MAX = 16 * 1024 * 1024;
const CORRUPT_MAX = 1_000;
const CORRUPT_EVERY_MS = 1_000;

/**
 * Answers barriers on `host.sock` in the directory of an index (search-rules 1): for this user only. A socket that a dead host
 * left is replaced; that there is only one host is its lock's business.
 */
export function createBarrierServer(directory: string, host: BarrierHost): Lifecycle {
  const connections = new Set<Socket>();
  const answer = answering(host);
  let server: Server | undefined;
  let place: SocketDirectory | undefined;

  return lifecycle(
    async () => {
      const opened = openSocketDirectory(directory, HOST_SOCKET);
      place = opened;
      if (opened.isOurs()) unlinkSync(opened.path);
      const listening = createServer((socket) => {
        connections.add(socket);
        serve(socket, answer, () => connections.delete(socket));
      });
      listening.maxConnections = MAX_CONNECTIONS;
      server = listening;
      await new Promise<void>((resolve, reject) => {
        listening.once('error', (error) => reject(new WritError('STORAGE_UNAVAILABLE', 'the socket of the index cannot be opened', { cause: error })));
        listening.listen(opened.path, resolve);
      });
      chmodSync(opened.path, 0o600);
    },
    async () => {
      for (const socket of connections) socket.destroy();
      await new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
      place?.close();
    },
  );
}

function serve(socket: Socket, answer: (request: BarrierRequest) => string | undefined, onClose: () => void): void {
  const cut = lineCutter(REQUEST_MAX);
  socket.setEncoding('utf8');
  socket.on('data', (piece: string) => {
    for (const line of cut(piece) ?? ['']) {
      const request = readRequest(line);
      if (request === undefined || socket.writableLength > UNREAD_MAX) return void socket.destroy();
      const reply = answer(request);
      if (reply !== undefined) socket.write(reply);
    }
  });
  // A search may go at any moment.
  socket.on('error', () => undefined);
  socket.on('close', onClose);
}

/** The line for a request. The overlay is made into text once for each of its numbers. */
function answering(host: BarrierHost): (request: BarrierRequest) => string | undefined {
  let encoded: { readonly version: number; readonly text: string } | undefined;
  let toldAt = Number.NEGATIVE_INFINITY;
  return (request) => {
    if ('corrupt' in request) {
      const now = performance.now();
      if (now - toldAt >= CORRUPT_EVERY_MS) host.corrupt(request.corrupt.slice(0, CORRUPT_MAX));
      toldAt = Math.max(toldAt, now - toldAt >= CORRUPT_EVERY_MS ? now : toldAt);
      return undefined;
    }
    if ('status' in request) return `${JSON.stringify({ id: request.id, status: host.status() })}\n`;
    const { watch } = host;
    host.asked();
    // A barrier knows of everything that was over before it was asked.
    watch.look();
    const { state, reason, guarantee, snapshot } = watch.published;
    const head: BarrierHead = { veto: watch.veto, state, reason, guarantee, snapshot, identity: host.identity() };
    const { version } = watch;
    if (encoded?.version !== version && request.barrier !== version) encoded = { version, text: JSON.stringify(watch.overlay()) };
    const told = request.barrier === version ? '"same"' : (encoded?.text ?? 'null');
    return `{"id":${request.id},"answer":${JSON.stringify(head)},"version":${version},"overlay":${told}}\n`;
  };
}
