import type { Role } from '../../../../src/contracts/index.ts';
import { systemClock } from '../../../../src/core/clock.ts';
import { WritError } from '../../../../src/core/errors.ts';
import type { OperatorAction, PlanTerms } from '../../../../src/core/ports/index.ts';
import { ROUTES } from '../../../../src/surfaces/http/routes/table.ts';
import { createPlanTwin, type PlanTwin, planIdOfEnvelope, signedEnd } from '../../../unit/surfaces/cli/world-plans.ts';
import { type Site, startSite } from './core-site.ts';

export const ENVELOPE = { payload: { steps: [{ type: 'tool', ref: 'writ.file', params: {} }] } };
export const ID = planIdOfEnvelope(ENVELOPE);
export const LEASE = `lease-of-${ID}`;
export const JOB = { v: 1, envelope: ENVELOPE, lease: LEASE };

/** A running server over plans in memory, with one key for each role. */
export interface PlansSite extends AsyncDisposable, Pick<Site, 'fetch' | 'secrets'> {
  readonly plans: PlanTwin;
  /** What was audited. */
  readonly audit: readonly OperatorAction[];
  /** Terms of the leases that the kernel was asked for. */
  readonly asked: readonly PlanTerms[];
  /** Queues that are paused; `undefined`: nobody can tell. */
  paused: readonly string[] | undefined;
  ask(method: string, path: string, as: Role | 'all', body?: unknown, headers?: Record<string, string>): Promise<PlanReply>;
  push(body?: unknown, headers?: Record<string, string>, as?: Role | 'all', query?: string): Promise<PlanReply>;
  /** The plan ends, later than whatever was before. */
  end(state: 'success' | 'failure', id?: string): void;
}

interface PlanReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Record<string, unknown> | undefined;
}

export async function startPlansSite(): Promise<PlansSite> {
  const plans = createPlanTwin(() => Date.now());
  const audit: OperatorAction[] = [];
  const asked: PlanTerms[] = [];
  let tick = 0;
  const kernelUnused = async (): Promise<never> => {
    throw new WritError('KERNEL_UNAVAILABLE', 'not asked');
  };
  const core = await startSite({
    routes: ROUTES,
    services: {
      clock: systemClock,
      plans: plans.door,
      queues: {
        list: async () => [],
        paused: async () => site.paused ?? kernelUnused(),
        pausedAround: async () => site.paused?.find((name) => name === 'plan'),
        set: kernelUnused,
      },
      kernel: async () => ({
        issue: kernelUnused,
        judge: kernelUnused,
        regrant: kernelUnused,
        undo: kernelUnused,
        revoke: kernelUnused,
        leasedManifest: kernelUnused,
        ping: kernelUnused,
        approvals: { list: kernelUnused, decide: kernelUnused },
        schedules: { add: kernelUnused, list: kernelUnused, show: kernelUnused, act: kernelUnused },
        async issuePlan(envelope, terms) {
          asked.push(terms);
          return { planSha256: planIdOfEnvelope(envelope), lease: LEASE, jti: 'j', exp: 4_000_000_000, capabilities: ['FILE_COPY'] };
        },
      }),
      audit: {
        async append(entry) {
          audit.push(entry);
          return { ...entry, v: 1, n: audit.length, at: '', prev: '', hash: '' };
        },
      },
    },
  });
  const site: PlansSite = {
    plans,
    audit,
    asked,
    paused: [],
    fetch: core.fetch,
    secrets: core.secrets,
    async ask(method, path, as, body, headers = {}) {
      const reply = await core.fetch(path, {
        method,
        headers: { authorization: `Bearer ${core.secrets[as]}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await reply.text();
      return { status: reply.status, headers: reply.headers, text, body: text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>) };
    },
    push: (body = JOB, headers = {}, as = 'submit', query = '') => site.ask('POST', `/v1/plans${query}`, as, body, headers),
    end(state, id = ID) {
      tick += 1;
      const error = state === 'failure' ? { code: 'TOOL_FAILED', message: 'no' } : undefined;
      plans.show(id, { state, stepsDone: 2, current: undefined, error, result: signedEnd(id, { secret: 'memory' }), updated: Date.now() + tick });
    },
    [Symbol.asyncDispose]: () => core[Symbol.asyncDispose](),
  };
  return site;
}
