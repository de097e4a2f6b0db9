import { chmod, mkdir, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { BOUNDS } from '../contracts/index.ts';
import { messageOf, WritError } from '../core/errors.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import { type LineAnswer, type Lines, offerLines } from './lines-server.ts';
import { problemOf } from './problem.ts';
import { PROBLEM_TYPE, type Problem } from './wire.ts';

export interface KernelServerOptions {
  /** What the socket offers: `kernelRoutes` or `deriveRoutes` of a kernel; what it returns answers connections that go on in lines. */
  readonly routes: (app: FastifyInstance, maxBytes: number) => LineAnswer | undefined;
  /** Largest body, bytes; by default room for 500 manifests of common size. */
  readonly maxBodyBytes?: number;
  /** `<data>/kernel/kernel.sock`; its directory must belong to the owner alone. */
  readonly socketPath: string;
  /** Told about errors that a caller sees only as INTERNAL. */
  readonly report?: (problem: string) => void;
}

/** 500 manifests of common size; our client sends a larger batch in parts. */
const MAX_BODY_BYTES = BOUNDS.kernelBody;
/** `sun_path` of Linux, without its final NUL. */
const MAX_SOCKET_PATH_BYTES = 107;

/**
 * The kernel on a unix socket, 0600 in a 0700 directory: who may open the socket may ask the kernel. The open store holds
 * the lock that makes this the only kernel of the directory, so a socket file that stands there is a dead one's.
 */
export function createKernelServer({ routes, socketPath, report, maxBodyBytes = MAX_BODY_BYTES }: KernelServerOptions): Lifecycle {
  let app: FastifyInstance | undefined;
  let starting: Promise<void> | undefined;
  let lines: Lines | undefined;

  /** Told to the caller, and where it is our fault or our disk's to us. */
  function told(error: unknown): Problem {
    const problem = problemOf(error);
    if (problem.code === 'INTERNAL' || problem.code === 'STORAGE_UNAVAILABLE') report?.(messageOf(error));
    return problem;
  }

  async function listen(): Promise<void> {
    if (Buffer.byteLength(socketPath) > MAX_SOCKET_PATH_BYTES)
      throw new WritError('INVALID_CONFIG', `the socket path ${socketPath} is longer than ${MAX_SOCKET_PATH_BYTES} bytes`);
    await privateDirectory(dirname(socketPath));
    await rm(socketPath, { force: true });
    app = fastify({ bodyLimit: maxBodyBytes, logger: false });
    app.setErrorHandler((error, _request, reply) => {
      const problem = told(error);
      return reply.code(problem.status).type(PROBLEM_TYPE).send(JSON.stringify(problem));
    });
    app.setNotFoundHandler(() => {
      throw new WritError('NOT_FOUND', 'the kernel has no such route');
    });
    const answer = routes(app, maxBodyBytes);
    if (answer !== undefined) lines = offerLines(app.server, { maxBytes: maxBodyBytes, answer, problemOf: told });
    await app.listen({ path: socketPath });
    await chmod(socketPath, 0o600);
  }

  const server: Lifecycle = {
    start() {
      starting ??= listen();
      return starting;
    },
    async stop() {
      await starting?.catch(() => undefined);
      lines?.end();
      await app?.close();
      app = undefined;
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
  return server;
}

async function privateDirectory(path: string): Promise<void> {
  // Only the last one: what it lies in is the data directory, which is there. It may be there as well, as a mount of its own.
  const refused = await mkdir(path, { mode: 0o700 }).catch((error: unknown) => error);
  const { mode } = await stat(path).catch((error: unknown) => Promise.reject(refused ?? error));
  if ((mode & 0o077) !== 0) throw new WritError('INVALID_CONFIG', `others can enter ${path}, where the kernel's socket lies: chmod 700 it`);
}
