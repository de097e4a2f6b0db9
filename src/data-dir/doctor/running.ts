import { type Check, examine, type Finding, passed, warning } from '../../core/findings.ts';
import { differences, type Fingerprint } from '../../core/fingerprint.ts';
import { runningRoles } from '../running-roles.ts';

const RESTART = 'restart it to take them up: settings are read at the start (docs/operations.md); or they were given to it alone, by flag, variable or file';
/** More names than this are counted only. */
const MAX_NAMES = 8;

/** Whether the roles that run have the settings that this command reads: who edits the file sees here what has not heard of it. */
export async function examineRunning(directory: string, settings: Fingerprint): Promise<Check[]> {
  const roles = runningRoles(directory);
  return examine(
    'Running roles',
    roles.map(({ role, pid, settings: its }) => ({
      title: `${role} (process ${pid})`,
      look: () => findingOf(differences(its, settings)),
      todo: '',
    })),
  );
}

function findingOf(differing: readonly string[]): Finding {
  if (differing.length === 0) return passed('has the settings that this command reads');
  const more = differing.length > MAX_NAMES ? `, and ${differing.length - MAX_NAMES} more` : '';
  return warning(`was started with other settings than this command reads: ${differing.slice(0, MAX_NAMES).join(', ')}${more}`, RESTART);
}
