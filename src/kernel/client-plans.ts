import type { PlanKernel } from '../core/ports/index.ts';
import { granted } from './client.ts';
import { createKernelCalls } from './client-calls.ts';
import { GrantedManifest } from './wire.ts';

export interface PlanKernelClient extends PlanKernel {
  close(): void;
}

/** A full walk of a long plan verifies a thousand signatures. */
const TIMEOUT_MS = 30_000;

/** The kernel's socket for the plan role. */
export function createPlanKernelClient(socketPath: string): PlanKernelClient {
  const { call, close } = createKernelCalls(socketPath, TIMEOUT_MS);
  return {
    async derive({ planSha256, ...request }) {
      const { manifest, ...reply } = await call(GrantedManifest, 'POST', '/derive', { plan_sha256: planSha256, ...request });
      return { manifest, ...granted(reply) };
    },
    close,
  };
}
