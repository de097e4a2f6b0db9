import type { IndexAction, IndexActivity, IndexReceipt } from '../../../contracts/index.ts';
import { audited } from '../../../core/audited.ts';
import { type ErrorCode, WritError } from '../../../core/errors.ts';
import type { AuditLog, IndexRefusal, IndexService, IndexTarget } from '../../../core/ports/index.ts';

const CODES = { INDEX_OFF: 'WRONG_STATE', NO_SUCH_INDEX: 'NOT_FOUND', HOST_DOWN: 'INDEX_UNAVAILABLE' } satisfies Record<IndexRefusal, ErrorCode>;

export interface Asking {
  readonly surface: 'http' | 'cli';
  readonly who: string;
}

/**
 * Asks the index host for a task in the name of an operator; audited.
 *
 * @throws WritError WRONG_STATE (the index is off), NOT_FOUND, INDEX_UNAVAILABLE (no host runs), STORAGE_UNAVAILABLE,
 * REDIS_UNAVAILABLE, REDIS_FULL
 */
export function askIndex(service: IndexService, target: IndexTarget, action: IndexAction, { surface, who }: Asking, audit: AuditLog): Promise<IndexReceipt> {
  const subject = 'root' in target ? target.root : target.keyHash;
  return audited(
    audit,
    { surface, who, action: `index.${action}`, subject },
    async () => {
      const answer = await service.request(target, action, `asked by ${who} (${surface})`);
      if (!answer.accepted) throw new WritError(CODES[answer.why], answer.message);
      return answer.receipt;
    },
    ({ job }) => ({ job }),
  );
}

/** `build: TOKENIZE, 1200 of 80000 files (1 %), for 12 s`. */
export function activityText({ kind, phase, done, total, started_at }: IndexActivity, nowMs: number): string {
  const share = total === null ? `${done} files` : `${done} of ${total} files (${total === 0 ? 100 : Math.floor((done * 100) / total)} %)`;
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(started_at)) / 1000));
  return `${kind}: ${phase}, ${share}, for ${seconds} s`;
}
