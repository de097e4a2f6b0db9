import { Agent, type IncomingMessage, request } from 'node:http';
import type { z } from 'zod';
import { BOUNDS } from '../contracts/index.ts';
import { messageOf, WritError } from '../core/errors.ts';
import { Problem } from './wire.ts';

/** Calls over one of the kernel's sockets, with connections kept alive. */
export interface KernelCalls {
  /** Throws the WritError that the kernel threw; KERNEL_UNAVAILABLE when nobody is there or the answer comes too late. */
  call<Schema extends z.ZodType>(schema: Schema, method: 'GET' | 'POST', path: string, body?: object): Promise<z.infer<Schema>>;
  /** Closes idle connections; calls that run end by themselves. */
  close(): void;
}

export function createKernelCalls(socketPath: string, timeoutMs: number): KernelCalls {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  return {
    async call(schema, method, path, body) {
      const answer = await exchange({ socketPath, agent, timeoutMs, method, path, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
      if (answer.status !== 200) throw errorOf(answer);
      const parsed = schema.safeParse(answer.body);
      if (!parsed.success) throw new WritError('KERNEL_UNAVAILABLE', `what answers on ${socketPath} is no kernel of this version`);
      return parsed.data;
    },
    close: () => agent.destroy(),
  };
}

function errorOf({ status, body }: Exchange): WritError {
  const problem = Problem.safeParse(body);
  if (!problem.success) return new WritError('KERNEL_UNAVAILABLE', `the kernel's socket answered with status ${status} and no problem document`);
  return errorOfProblem(problem.data);
}

/** The WritError that the kernel threw. */
export function errorOfProblem({ code, detail, field }: Problem): WritError {
  return new WritError(code, detail, field === undefined ? {} : { field });
}

interface ExchangeOptions {
  readonly socketPath: string;
  readonly agent: Agent;
  readonly timeoutMs: number;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** JSON text. */
  readonly body?: string;
}

interface Exchange {
  readonly status: number;
  /** Parsed JSON; undefined when the answer was none. */
  readonly body: unknown;
}

const MAX_ANSWER_BYTES = BOUNDS.kernelBody;

/**
 * One request and its answer over a unix socket. A kept-alive connection that the other side has closed meanwhile is tried
 * once more on a new one.
 *
 * @throws WritError KERNEL_UNAVAILABLE
 */
async function exchange(options: ExchangeOptions): Promise<Exchange> {
  const first = await attempt(options);
  const outcome = first === 'stale' ? await attempt(options) : first;
  if (outcome === 'stale') throw unavailable(options, 'the connection was closed');
  return outcome;
}

function attempt(options: ExchangeOptions): Promise<Exchange | 'stale'> {
  const { socketPath, agent, timeoutMs, method, path, body } = options;
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const signal = AbortSignal.timeout(timeoutMs);
    const outgoing = request({ socketPath, agent, method, path, headers, signal });
    const failed = (error: unknown): void => {
      const stale = outgoing.reusedSocket && !signal.aborted && isConnectionReset(error);
      if (stale) resolve('stale');
      else reject(unavailable(options, signal.aborted ? `no answer within ${timeoutMs} ms` : messageOf(error)));
    };
    outgoing.on('error', failed);
    outgoing.on('response', (response) => {
      readAnswer(response).then((answer) => resolve({ status: response.statusCode ?? 0, body: answer }), failed);
    });
    outgoing.end(body);
  });
}

async function readAnswer(response: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(part);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return value;
  } catch {
    return undefined;
  }
}

function isConnectionReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

function unavailable({ socketPath }: ExchangeOptions, why: string): WritError {
  return new WritError('KERNEL_UNAVAILABLE', `the kernel does not answer on ${socketPath}: ${why}`);
}
