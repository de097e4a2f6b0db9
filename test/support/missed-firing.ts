import path from 'node:path';
import { openKernelStore } from '../../src/adapters/sqlite/kernel-store/kernel-store.ts';
import type { ScheduleDefinition, TaskManifest } from '../../src/contracts/index.ts';
import { canonicalJson } from '../../src/core/canonical-json.ts';
import { manifestSha256, sha256Hex } from '../../src/core/hash.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { StoredEnvelope } from '../../src/core/ports/index.ts';
import { firingEnvelope, firingId } from '../../src/core/schedule-id.ts';
import type { DataDirPaths } from '../../src/data-dir/paths.ts';

const MINUTE = 60_000;

/** A daily schedule whose time came ten minutes ago, when no kernel ran: it is made up for at the kernel's start. Its firing's id. */
export function missedFiring(places: Pick<DataDirPaths, 'kernelStore'>, manifest: TaskManifest): string {
  const planned = missed(places, manifest.task_id, { manifest });
  return firingId(manifest.task_id, manifestSha256(manifest), planned);
}

/** The same with a plan: the id of the plan. */
export function missedPlan(places: Pick<DataDirPaths, 'kernelStore'>, id: string, linked: JsonObject): string {
  const text = canonicalJson(linked);
  const sha256 = sha256Hex(text);
  const planned = missed(places, id, { plan_sha256: sha256 }, { sha256, text });
  return sha256Hex(canonicalJson(firingEnvelope(id, linked, sha256, planned)));
}

function missed(
  places: Pick<DataDirPaths, 'kernelStore'>,
  id: string,
  what: Pick<ScheduleDefinition, 'manifest' | 'plan_sha256'>,
  envelope?: StoredEnvelope,
): number {
  const planned = Math.floor(Date.now() / MINUTE) - 10;
  const at = new Date(planned * MINUTE);
  const cron = `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`;
  const definition = { ...what, cron, tz: 'UTC', missed: 'latest', overlap: 'skip', gap: 'after', fold: 'first' } as const;
  const store = openKernelStore(path.dirname(places.kernelStore));
  const audit = { action: 'add', schedule: id, by: 'ops', details: {} } as const;
  store.schedules.put({ id, definition, state: 'active', cursor: planned - 1, next: planned, by: 'ops', at: 0, since: 0 }, audit, 0, envelope);
  store.close();
  return planned;
}
