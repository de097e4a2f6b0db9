import { duration } from '../../../core/units.ts';
import type { Caller } from '../caller.ts';
import { shownSession } from '../security/shown-session.ts';
import { type Html, html } from './html.ts';
import { actionForm, CONSOLE_PATH, tableOf } from './page.ts';
import type { ConsoleServices } from './services.ts';
import { ago } from './times.ts';

const COLUMNS = [{ title: 'who' }, { title: 'roles' }, { title: 'logged in' }, { title: 'ends in' }, { title: 'action' }] as const;

/** Who is logged in with a browser. */
export function sessionPage(caller: Caller, { sessions, clock }: Pick<ConsoleServices, 'sessions' | 'clock'>): Html {
  const now = clock.now();
  const rows = sessions.list().map((session) => {
    const { id, name, roles, opened_at, ends_at, current } = shownSession(session, caller, clock);
    const end = current ? html`this browser` : actionForm(`${CONSOLE_PATH}/sessions/${id}/end`, `Log ${name} out`, 'What this browser has begun ends as well.');
    return [name, roles.join(', '), ago(opened_at, now), duration(Date.parse(ends_at) - now), end];
  });
  return html`${tableOf('The newest first', COLUMNS, rows, 'Nobody is logged in with a browser.')}<p>A key that opened a session stays good: <code>writ key revoke</code> takes it away.</p>`;
}
