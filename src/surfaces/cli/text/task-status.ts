import { causeOfResult, failureCause } from '../../../core/failure-cause.ts';
import { duration } from '../../../core/units.ts';
import type { TaskStatus } from '../../shared/tasks/task-status.ts';

const UNPROVEN = 'what is stored as its outcome was not signed by an executor that is trusted here';

/** Where a task stands, in JSON: `state`, and the result as it was signed. */
export function taskStatusJson(status: TaskStatus): Record<string, unknown> {
  switch (status.state) {
    case 'finished':
      return {
        state: status.outcome.status === 'SUCCESS' ? 'success' : 'failure',
        from: status.from,
        result: status.outcome,
        cause: causeOfResult(status.outcome),
      };
    case 'waiting':
      return { state: 'waiting', since: new Date(status.since).toISOString(), detail: status.detail, cancel_requested: status.cancelRequested };
    case 'running':
      return { state: 'running', since: new Date(status.since).toISOString(), worker: status.owner, cancel_requested: status.cancelRequested };
    case 'malformed':
      return { state: 'failure', from: 'queue', message: status.message, cause: failureCause('INVALID_MANIFEST', '') };
    case 'unproven':
      return { state: 'unproven', code: 'INVALID_RESULT', message: UNPROVEN };
    case 'unknown':
      return { state: 'unknown' };
  }
}

/** The same in one sentence. `now`: milliseconds since 1970. */
export function taskStatusText(status: TaskStatus, now: number): string {
  switch (status.state) {
    case 'finished': {
      const { error } = status.outcome;
      return error === null ? 'SUCCESS' : `FAILURE ${error.error_code}: ${error.message}`;
    }
    case 'waiting':
      return `waiting for ${duration(now - status.since)}: ${status.detail}${status.cancelRequested ? ', a cancel is asked' : ''}`;
    case 'running':
      return `running for ${duration(now - status.since)}${status.cancelRequested ? ', a cancel is asked' : ''}`;
    case 'malformed':
      return `FAILURE ${status.message}`;
    case 'unproven':
      return `${UNPROVEN} (INVALID_RESULT)`;
    case 'unknown':
      return 'not known';
  }
}
