import { Agent } from 'node:http';
import type { z } from 'zod';
import { WritError } from '../core/errors.ts';
import { type Exchange, exchange } from './client-http.ts';
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
  const { code, detail, field } = problem.data;
  return new WritError(code, detail, field === undefined ? {} : { field });
}
