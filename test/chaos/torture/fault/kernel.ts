import path from 'node:path';
import { Sqlite } from '../../../../src/adapters/sqlite/driver.ts';
import { openKernelStore } from '../../../../src/adapters/sqlite/kernel-store/kernel-store.ts';
import type { Stage } from '../stage.ts';

const MINUTE = 60_000;
/** Minutes that a kernel was away; fewer than a schedule makes up for. */
const AWAY_MIN = 4;

/** A kernel that was killed some minutes ago: schedules that have never been switched stand where they stood then, and were registered before. */
export async function keepKernelAway({ site, model }: Stage): Promise<void> {
  await site.roles.kill('kernel', () => {
    const store = openKernelStore(path.dirname(site.places.kernelStore));
    const set: string[] = [];
    for (const { active, missed, overlap, id } of model.schedules) {
      const [span] = active;
      const schedule = store.schedules.schedule(id);
      if (schedule === undefined || span === undefined || active.length > 1 || span.mayUntil !== Number.POSITIVE_INFINITY) continue;
      const cursor = schedule.cursor - AWAY_MIN;
      store.schedules.decide({ id, cursor, next: cursor + 1 }, []);
      set.push(id);
      const from = (cursor + 1) * MINUTE;
      active[0] = {
        ...span,
        mayFrom: Math.min(span.mayFrom, from),
        mustFrom: missed === 'all' && overlap === 'allow' ? Math.min(span.mustFrom, from) : span.mustFrom,
      };
    }
    store.close();
    registeredBefore(site.places.kernelStore, set);
  });
}

/** What is before its registration a schedule does not make up for. */
function registeredBefore(file: string, schedules: readonly string[]): void {
  const db = new Sqlite(file);
  const earlier = db.prepare('UPDATE schedule SET since = since - ? WHERE id = ?');
  for (const id of schedules) earlier.run(AWAY_MIN, id);
  db.close();
}
