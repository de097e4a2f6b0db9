import { WritError } from '../core/errors.ts';
import type { PlanKernel } from '../core/ports/index.ts';
import { granted } from './client.ts';
import { createKernelCalls, errorOfProblem } from './client-http.ts';
import { createLineCalls } from './lines-client.ts';
import { Derived } from './wire.ts';

export interface PlanKernelClient extends PlanKernel {
  close(): void;
}

/** A full walk of a long plan verifies a thousand signatures. */
const TIMEOUT_MS = 30_000;

/** The kernel's socket for the plan role: in lines, and over HTTP with a kernel that knows nothing of them. */
export function createPlanKernelClient(socketPath: string): PlanKernelClient {
  const http = createKernelCalls(socketPath, TIMEOUT_MS);
  const lines = createLineCalls(socketPath, TIMEOUT_MS);

  async function derived(body: object, knows: string | undefined): Promise<unknown> {
    const reply = await lines.ask({ body, ...(knows === undefined ? {} : { knows }) });
    if (reply === undefined) return http.call(Derived, 'POST', '/derive', body);
    if ('problem' in reply) throw errorOfProblem(reply.problem);
    return reply.answer;
  }

  return {
    async derive({ planSha256, known, ...request }) {
      const read = Derived.safeParse(await derived({ plan_sha256: planSha256, ...request }, known?.manifestSha256));
      const manifest = read.data?.manifest ?? (read.data?.manifest_sha256 === known?.manifestSha256 ? known?.manifest : undefined);
      if (!read.success || manifest === undefined) throw new WritError('KERNEL_UNAVAILABLE', `what answers on ${socketPath} is no kernel of this version`);
      return { manifest, ...granted(read.data) };
    },
    close() {
      http.close();
      lines.close();
    },
  };
}
