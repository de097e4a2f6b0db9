import type { KernelOperations } from '../core/ports/index.ts';

/** For readiness: leases are signed without Redis; what waits for it is the news of revocations. Throws what is wrong with it. */
export async function published(kernel: Pick<KernelOperations, 'health'>): Promise<string> {
  const { number, problem } = (await kernel.health()).revocations;
  if (problem !== undefined) throw new Error(problem);
  return `${number} are published`;
}
