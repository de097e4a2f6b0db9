import type { SessionEnd, SessionView } from '../../../contracts/index.ts';
import { audited } from '../../../core/audited.ts';
import type { Clock } from '../../../core/clock.ts';
import { WritError } from '../../../core/errors.ts';
import type { AuditLog } from '../../../core/ports/index.ts';
import type { Caller } from '../caller.ts';
import type { Session, SessionStore } from './sessions.ts';

/** A session as operators see it: nothing with which it could be borrowed. */
export function shownSession({ id, name, roles, openedAt, endsAt }: Session, caller: Pick<Caller, 'session'>, clock: Clock): SessionView {
  const timeOf = (monotonic: number): string => new Date(clock.now() + Math.round(monotonic - clock.monotonic())).toISOString();
  return { id, name, roles: [...roles], opened_at: timeOf(openedAt), ends_at: timeOf(endsAt), current: caller.session === id };
}

/**
 * Logs a browser out.
 *
 * @throws WritError NOT_FOUND, STORAGE_UNAVAILABLE when it cannot be audited
 */
export async function endSession(
  id: string,
  who: string,
  { sessions, audit }: { readonly sessions: SessionStore; readonly audit: AuditLog },
): Promise<SessionEnd> {
  const known = sessions.list().find((session) => session.id === id);
  const entry = { surface: 'http', who, action: 'session.end', subject: id, ...(known === undefined ? {} : { detail: { name: known.name } }) } as const;
  return audited(audit, entry, async () => {
    const ended = sessions.end(id);
    if (ended === undefined) throw new WritError('NOT_FOUND', `there is no session ${id} (any more)`);
    return { id, name: ended.name, ended: true };
  });
}
