import type { PlanHistory } from '../../../../src/contracts/index.ts';
import { canonicalJson } from '../../../../src/core/canonical-json.ts';
import { WritError } from '../../../../src/core/errors.ts';
import { sha256Hex } from '../../../../src/core/hash.ts';
import type { JsonObject } from '../../../../src/core/json.ts';
import type { PlanGateway, PlannedStep, PlanPushOptions, Plans, PlanView } from '../../../../src/core/ports/index.ts';

/** Plans in memory: pushed, and moved on by the test. */
export interface PlanTwin {
  readonly door: PlanGateway;
  readonly pushed: { readonly envelope: JsonObject; readonly lease: string }[];
  /** When each push may run. */
  readonly when: PlanPushOptions[];
  readonly retried: (string | undefined)[];
  readonly woken: string[];
  /** Plans whose job Redis has lost. */
  readonly lost: Set<string>;
  /** Changes the view and tells who listens. */
  show(id: string, change: Partial<PlanView>): void;
  /** The tree that `outline` answers. */
  steps: readonly PlannedStep[];
  /** What `history` answers. */
  readonly histories: Map<string, PlanHistory>;
  /** What `push` does beside. */
  onPush: ((id: string) => void) | undefined;
}

/** The hash of an envelope as it is: this linker adds nothing. */
export function planIdOfEnvelope(envelope: unknown): string {
  return sha256Hex(canonicalJson(envelope));
}

/** An end that `verifyEnd` of the twin takes for signed. */
export function signedEnd(id: string, memory: JsonObject = {}): string {
  const header = { id: 'e', version: '1', timestamp: '2026-01-01', source: 's', destination: 'd', type: 't' };
  const envelope = { header, output: { results: [], memory: { session_id: 's', state: memory } }, error: null };
  return JSON.stringify({ plan_sha256: id, envelope, signature: 'good' });
}

export function createPlanTwin(now: () => number): PlanTwin {
  const views = new Map<string, PlanView>();
  const listeners = new Map<string, Set<() => void>>();
  const show: PlanTwin['show'] = (id, change) => {
    const blank: PlanView = {
      id,
      state: 'waiting',
      stepsDone: 0,
      current: undefined,
      cancelRequested: false,
      error: undefined,
      result: undefined,
      updated: now(),
    };
    views.set(id, { ...(views.get(id) ?? blank), updated: now(), ...change });
    for (const listener of listeners.get(id) ?? []) listener();
  };
  const plans: Plans = {
    async push({ envelope, lease }, options = {}) {
      twin.when.push(options);
      const id = planIdOfEnvelope(envelope);
      twin.pushed.push({ envelope, lease });
      const place = { id, queue: 'plan', jobId: `p_${id}` };
      const view = views.get(id);
      if (view?.state === 'success') return { kind: 'finished', id, result: view.result ?? '' };
      if (view !== undefined && view.state !== 'failure') return { kind: 'in-flight', ...place };
      if (view === undefined) show(id, {});
      twin.onPush?.(id);
      return { kind: view ? 'retried' : 'accepted', ...place };
    },
    view: async (id) => views.get(id),
    end: async (id) => views.get(id)?.result,
    list: async ({ state }) => ({
      plans: [...views.values()]
        .filter((view) => state === undefined || view.state === state)
        .map(({ id, stepsDone, cancelRequested, error, updated, ...view }) => ({
          ...{ plan_id: id, state: view.state, steps_done: stepsDone, cancel_requested: cancelRequested, updated_at: new Date(updated).toISOString() },
          ...(error === undefined ? {} : { error }),
        })),
    }),
    history: async (id) => twin.histories.get(id),
    async cancel(id) {
      const view = views.get(id);
      if (!view) return 'not-found';
      if (view.state === 'success' || view.state === 'failure') return 'ended';
      show(id, { cancelRequested: true });
      return 'requested';
    },
    async wake(id) {
      twin.woken.push(id);
    },
    kept: async (id) => twin.pushed.findLast(({ envelope }) => planIdOfEnvelope(envelope) === id),
    async retry(id, { lease } = {}) {
      const view = views.get(id);
      if (!view) return 'not-found';
      if (twin.lost.has(id)) return 'not-found';
      if (view.state !== 'failure') return 'wrong-state';
      twin.retried.push(lease);
      twin.onPush?.(id);
      return 'retried';
    },
    async onChange(id, listener) {
      listeners.set(id, (listeners.get(id) ?? new Set()).add(listener));
      return async () => void listeners.get(id)?.delete(listener);
    },
  };
  const twin: PlanTwin = {
    pushed: [],
    when: [],
    retried: [],
    woken: [],
    lost: new Set(),
    steps: [],
    histories: new Map(),
    onPush: undefined,
    show,
    door: {
      plans,
      events: { listen: () => () => undefined },
      preview: {
        link(envelope) {
          if (typeof envelope !== 'object' || envelope === null || !('payload' in envelope)) {
            throw new WritError('INVALID_MANIFEST', 'the envelope has no steps (INVALID_CONTRACT)');
          }
          return { envelope: envelope as JsonObject, planSha256: planIdOfEnvelope(envelope) };
        },
        outline: () => twin.steps,
      },
      signatures: {
        refusalOf: async (lease, id) => (lease.includes(id) ? undefined : 'the lease is for another plan'),
        expiryOf: (lease) => (lease.startsWith('expired') ? 1 : undefined),
        verifyEnd: async (result, id) => result.includes('"signature":"good"') && result.includes(id),
      },
    },
  };
  return twin;
}
