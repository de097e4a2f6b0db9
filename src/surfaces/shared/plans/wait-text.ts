import type { PlanWait } from '../../../core/ports/index.ts';

/** What a plan waits for beside its tools, in words. */
export function waitText(wait: PlanWait): string {
  const until = new Date(wait.until).toISOString();
  return wait.for === 'retry' ? `retry not before ${until}` : `somebody with the role ${wait.role}, until ${until}`;
}
