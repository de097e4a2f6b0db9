import { setTimeout as delay } from 'node:timers/promises';
import type { Envelope, PlanStatus, SubmitPlanOptions } from '../../../../src/surfaces/client/index.ts';
import { codeOf, insist, isPassing } from '../insist.ts';
import type { PlanAsk, StepAsk } from '../model.ts';
import { TOOL } from '../provider.ts';
import type { Stage } from '../stage.ts';

const BACKOFF_MS = 200;

/** How each kind of step is written. The ones that ask the provider are passed by, so that no push of the plan asks again. */
const WRITTEN = {
  file: ({ does, source, destination }) => ({
    ref: 'writ.file',
    operation: { move: 'FILE_MOVE', copy: 'FILE_COPY', delete: 'FILE_DELETE' }[does],
    params: { source_path: source, ...(destination === undefined ? { constraints: { reversible: true } } : { destination_path: destination }) },
  }),
  once: ({ n, retries }) => ({
    ref: TOOL,
    operation: 'send',
    params: { n },
    on_error: { mode: 'continue' },
    ...(retries === 0 ? {} : { retry: { max: retries, backoff_ms: BACKOFF_MS } }),
  }),
  repeatable: ({ n }) => ({ ref: TOOL, operation: 'put', params: { n }, on_error: { mode: 'continue' } }),
  question: ({ path, deadlineS }) => ({
    ref: 'writ.approval',
    operation: 'APPROVAL',
    params: { role: 'approve', question: `May step ${path} pass?`, deadline_s: deadlineS },
  }),
} satisfies { readonly [K in StepAsk['kind']]: (step: Extract<StepAsk, { kind: K }> & { readonly deadlineS: number }) => object };

/** The envelope of a plan; the same at every push. */
export function envelopeFor({ name, steps }: PlanAsk, deadlineS = 300): Envelope {
  return {
    header: { id: name, version: '1.0', timestamp: '2026-01-01T00:00:00Z', source: 'torture', destination: 'executor', type: 'execution' },
    payload: {
      steps: steps.map((step) => ({ type: 'tool', ...WRITTEN[step.kind]({ ...step, deadlineS } as never) })),
      memory: { session_id: name, state: {} },
      options: { maxSteps: 100 },
    },
  };
}

/** Whether the journal has its end, which Redis has lost. */
async function hasFailed({ site, over }: Stage, id: string): Promise<boolean> {
  return insist(async () => {
    for await (const { plan_id } of site.client.plans.list({ state: 'failure' })) if (plan_id === id) return true;
    return false;
  }, over);
}

const PATIENCE_MS = 4000;
const PAUSE_MS = 200;

/** A plan that was leased and pushed: whoever has no answer pushes again where nobody knows of it. */
export interface PushedPlan {
  /** Its end; undefined when the run was over before, or when it has failed and nobody can be shown how. */
  readonly ended: Promise<PlanStatus | undefined>;
}

/** As a producer. A plan that has failed is not pushed again: it would run on. */
export async function pushPlan(stage: Stage, ask: PlanAsk, envelope: Envelope, options: Omit<SubmitPlanOptions, 'lease' | 'sign'> = {}): Promise<PushedPlan> {
  const { client } = stage.site;
  const terms = options.notBefore === undefined ? {} : { notBefore: options.notBefore };
  const granted = await insist(() => client.leases.issuePlan(envelope, terms), stage.over);
  ask.id = granted.plan_id;
  const push = () => insist(() => client.plans.submit(envelope, { lease: granted.lease, ...options }), stage.over);
  stage.again.set(ask.id, push);
  await push();
  const end = async (): Promise<PlanStatus | undefined> => {
    while (!stage.over.aborted) {
      try {
        return await client.plans.wait(ask.id, { timeoutMs: PATIENCE_MS });
      } catch (error) {
        if (codeOf(error) === 'NOT_FOUND' && !(await hasFailed(stage, ask.id))) await push();
        else if (codeOf(error) === 'NOT_FOUND') return undefined;
        else if (!isPassing(error)) throw error;
        await delay(PAUSE_MS);
      }
    }
    return undefined;
  };
  return { ended: end() };
}
