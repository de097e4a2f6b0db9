import { WritError } from '../core/errors.ts';
import type { PlanKernel, QuestionKernel } from '../core/ports/index.ts';
import { Standing, storedOf } from './approvals/wire.ts';
import { granted } from './client.ts';
import { createKernelCalls, errorOfProblem } from './client-http.ts';
import { createLineCalls } from './lines-client.ts';
import { Derived } from './wire.ts';

export interface PlanKernelClient extends PlanKernel, QuestionKernel {
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
    // Once for each time that a plan comes to the step: no connection in lines is worth it.
    askApproval: async ({ planSha256, known: _known, ...request }) =>
      storedOf(await http.call(Standing, 'POST', '/approval', { plan_sha256: planSha256, ...request })),
    close() {
      http.close();
      lines.close();
    },
  };
}
