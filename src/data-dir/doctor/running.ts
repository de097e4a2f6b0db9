import { type Check, examine, type Finding, passed, warning } from '../../core/findings.ts';
import { differences, type Fingerprint } from '../../core/fingerprint.ts';
import { type RunningRole, runningRoles } from '../running-roles.ts';

const ALONE = 'or they were given to it alone, by flag, variable or file';
const RESTART = `restart it to take them up: settings are read at the start (docs/operations.md); ${ALONE}`;
const RELOAD = `\`writ reload\` takes them up; ${ALONE}`;
const BOTH = `restart it to take all of them up, \`writ reload\` those that need no restart (docs/operations.md); ${ALONE}`;
/** More names than this are counted only. */
const MAX_NAMES = 8;

/**
 * Whether the roles that run have the settings that this command reads: who edits the file sees here what has not heard of it.
 *
 * @param files hashes of what is read beside the settings, by the names that roles give them; asked for where a role has read it
 */
export async function examineRunning(
  directory: string,
  settings: Fingerprint,
  effectOf: EffectOf = () => 'restart',
  files: Readonly<Record<string, () => string>> = {},
): Promise<Check[]> {
  const { roles, unreadable } = readRoles(directory);
  if (unreadable !== undefined)
    return examine('Running roles', [{ title: 'running roles', look: () => Promise.reject(unreadable), todo: 'run this as the account of the roles' }]);
  return examine(
    'Running roles',
    roles.map(({ role, pid, generation, settings: its, files: read = {} }) => ({
      title: `${role} (process ${pid})`,
      look: () => findingOf([...differences(its, settings), ...otherFiles(read, files)], generation, effectOf),
      todo: '',
    })),
  );
}

/** Nobody can say that none runs where the directory cannot be read. */
function readRoles(directory: string): { readonly roles: readonly RunningRole[]; readonly unreadable?: unknown } {
  try {
    return { roles: runningRoles(directory) };
  } catch (error) {
    return { roles: [], unreadable: error };
  }
}

function otherFiles(read: Fingerprint, files: Readonly<Record<string, () => string>>): string[] {
  return Object.keys(read).filter((name) => files[name] !== undefined && files[name]() !== read[name]);
}

/** How a change of a setting reaches a role that runs. */
type EffectOf = (key: string) => 'reload' | 'restart';

function findingOf(differing: readonly string[], generation: number | undefined, effectOf: EffectOf): Finding {
  const which = generation === undefined ? '' : ` (generation ${generation})`;
  if (differing.length === 0) return passed(`has the settings that this command reads${which}`);
  const reloadable = generation === undefined ? [] : differing.filter((key) => effectOf(key) === 'reload');
  const todo = reloadable.length === 0 ? RESTART : reloadable.length === differing.length ? RELOAD : BOTH;
  const more = differing.length > MAX_NAMES ? `, and ${differing.length - MAX_NAMES} more` : '';
  return warning(
    `${generation === undefined || generation === 1 ? 'was started with' : 'has'} other settings than this command reads${which}: ${differing.slice(0, MAX_NAMES).join(', ')}${more}`,
    todo,
  );
}
