import { fingerprintOf } from '../../../config/fingerprint.ts';
import { environmentSecret } from '../../../config/load.ts';
import { judgeReload } from '../../../config/reloadable.ts';
import { stopRequest } from '../../adapters/processes/stop-request.ts';
import { tellReady, tellRefusal } from '../../adapters/processes/tell-supervisor.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import type { ReloadPoint } from '../../reload/live-settings.ts';
import { reloadRole } from '../../reload/role-reload.ts';
import type { RoleContext } from './context.ts';

/** Beyond the drain time a stop gets this long, then the process ends hard: a stuck part must not keep a host from restarting. */
const HARD_EXIT_AFTER_DRAIN_MS = 5_000;
const FAR_AWAY_MS = 2 ** 31 - 1;

/**
 * Runs a role until it is asked to stop: starts it, tells the supervisor (when there is one) that it is ready or why it
 * refuses, drains it, and exits hard past the deadline. Whatever the start waits for, a stop ends that too. Resolves with
 * the exit code.
 *
 * @param onPoint test seam: told of each step of a reload, right after it
 */
export async function serve(
  context: RoleContext,
  create: () => Promise<Lifecycle>,
  { role: name, drainMs, onPoint }: { readonly role: string; readonly drainMs: number; readonly onPoint?: (point: ReloadPoint) => void },
): Promise<number> {
  const { log } = context;
  const reloading = reloadRole({ role: name, fingerprintOf, judge: judgeReload, ...context, ...(onPoint && { onPoint }) });
  const stopAsked = stopRequest(reloading.signalled);
  // A role may hold nothing that keeps a process alive (an index host that stands by), and lives until it is asked to stop.
  const awake = setInterval(() => undefined, FAR_AWAY_MS);
  let role: Lifecycle | undefined;
  const begin = async (): Promise<undefined> => {
    role = await create();
    await role.start();
  };
  const early = await Promise.race([begin().catch(tellRefusal), stopAsked]);
  if (early === undefined) {
    reloading.begin();
    void stopAsked.then(tellReady(environmentSecret));
    log.info('ready');
  }

  log.info({ reason: early ?? (await stopAsked) }, 'stopping');
  const deadline = setTimeout(() => {
    log.error('the drain deadline has passed; ending hard, open work is recovered by the next worker');
    process.exit(3);
  }, drainMs + HARD_EXIT_AFTER_DRAIN_MS);
  await role?.stop();
  await reloading.end();
  clearTimeout(deadline);
  clearInterval(awake);
  log.info('stopped');
  return 0;
}
