import type { FastifyRequest } from 'fastify';
import { WritError } from '../../../core/errors.ts';
import type { OperatorServices } from '../../shared/tasks/operator.ts';
import type { Caller } from '../caller.ts';
import type { SessionStore } from '../security/sessions.ts';
import type { HttpServices } from '../services.ts';

/** What the pages of the console work with. */
export interface ConsoleServices
  extends Pick<HttpServices, 'index' | 'tasks' | 'plans' | 'queues' | 'signatures' | 'audit' | 'clock' | 'kernel' | 'webhooks' | 'regrantByDefault'> {
  readonly sessions: SessionStore;
}

export function callerOf({ caller }: FastifyRequest): Caller {
  if (!caller) throw new WritError('UNAUTHORIZED', 'nobody is logged in');
  return caller;
}

export function operatorOf({ tasks, kernel, signatures, regrantByDefault, clock }: ConsoleServices, caller: Caller): OperatorServices {
  return { tasks, kernel: () => kernel(caller), signatures, regrantByDefault, clock };
}
