import path from 'node:path';
import { openKernelStore } from '../../src/adapters/sqlite/kernel-store/kernel-store.ts';
import type { TaskManifest } from '../../src/contracts/index.ts';
import { manifestSha256 } from '../../src/core/hash.ts';
import { firingId } from '../../src/core/schedule-id.ts';
import type { DataDirPaths } from '../../src/data-dir/paths.ts';

const MINUTE = 60_000;

/** A daily schedule whose time came ten minutes ago, when no kernel ran: it is made up for at the kernel's start. Its firing's id. */
export function missedFiring(places: Pick<DataDirPaths, 'kernelStore'>, manifest: TaskManifest): string {
  const planned = Math.floor(Date.now() / MINUTE) - 10;
  const at = new Date(planned * MINUTE);
  const cron = `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`;
  const definition = { manifest, cron, tz: 'UTC', missed: 'latest', overlap: 'skip', gap: 'after', fold: 'first' } as const;
  const id = manifest.task_id;
  const store = openKernelStore(path.dirname(places.kernelStore));
  const audit = { action: 'add', schedule: id, by: 'ops', details: {} } as const;
  store.schedules.put({ id, definition, state: 'active', cursor: planned - 1, next: planned, by: 'ops', at: 0 }, audit, 0);
  store.close();
  return firingId(id, manifestSha256(manifest), planned);
}
