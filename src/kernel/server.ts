import { chmod, mkdir, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { BOUNDS } from '../contracts/index.ts';
import { ERRORS, type ErrorCode, isWritError, messageOf, WritError } from '../core/errors.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import { PROBLEM_TYPE, type Problem } from './wire.ts';

export interface KernelServerOptions {
  /** What the socket offers: `kernelRoutes` or `deriveRoutes` of a kernel. */
  readonly routes: (app: FastifyInstance, maxBytes: number) => void;
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

  async function listen(): Promise<void> {
    if (Buffer.byteLength(socketPath) > MAX_SOCKET_PATH_BYTES)
      throw new WritError('INVALID_CONFIG', `the socket path ${socketPath} is longer than ${MAX_SOCKET_PATH_BYTES} bytes`);
    await privateDirectory(dirname(socketPath));
    await rm(socketPath, { force: true });
    app = fastify({ bodyLimit: maxBodyBytes, logger: false });
    app.setErrorHandler((error, _request, reply) => {
      const problem = problemOf(error);
      if (problem.code === 'INTERNAL') report?.(messageOf(error));
      return reply.code(problem.status).type(PROBLEM_TYPE).send(JSON.stringify(problem));
    });
    app.setNotFoundHandler(() => {
      throw new WritError('NOT_FOUND', 'the kernel has no such route');
    });
    routes(app, maxBodyBytes);
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
      await app?.close();
      app = undefined;
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
  return server;
}

async function privateDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0) throw new WritError('INVALID_CONFIG', `others can enter ${path}, where the kernel's socket lies: chmod 700 it`);
}

/** Any error as an RFC 9457 document. What is not ours and not the caller's fault tells nothing about our insides. */
function problemOf(error: unknown): Problem {
  if (isWritError(error)) return problem(error.code, error.message, ERRORS[error.code].http, error.field);
  const status = clientStatus(error);
  if (status !== undefined) return problem('INVALID_ARGUMENT', messageOf(error), status);
  return problem('INTERNAL', 'the kernel failed; its log says why', 500);
}

function problem(code: ErrorCode, detail: string, status: number, field?: string): Problem {
  return { type: 'about:blank', title: code, status, detail, code, ...(field === undefined ? {} : { field }) };
}

/** Fastify's own refusals (body too large, wrong media type) carry a 4xx status. */
function clientStatus(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return undefined;
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? statusCode : undefined;
}
