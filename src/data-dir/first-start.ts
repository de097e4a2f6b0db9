import { isThere } from '../adapters/files/is-there.ts';
import { makeDirectory } from '../adapters/files/make-directory.ts';
import { ensureOperatorKey } from './access.ts';
import type { DataDirPaths } from './paths.ts';
import { initialise } from './signing-keys.ts';

/** In the commented file of settings, what names base directories, search scopes and the roots of content searches. */
const COMMENTED = {
  bases: /^# \[file\.base_directories\]$/m,
  scopes: /^# \[search\.scopes\]$/m,
  contents: /^# enabled = false$/m,
  roots: /^# allowed_roots = \[\]$/m,
} as const;

/** The scope of searches that the first start allows: the names of the files in the workspace. */
export const WORKSPACE_SCOPE = 'workspace';

/**
 * Makes an empty data directory ready for `writ up`: keys (an operator's key of the API too), settings, and one
 * directory to play in, which file tasks may work in and searches may look into.
 *
 * @param settings text of the commented file of settings
 * @returns whether there were no settings before, so that they must be read again
 */
export async function prepareFirstStart(places: DataDirPaths, settings: string): Promise<boolean> {
  const isFirst = !isThere(places.configFile);
  if (isFirst) makeDirectory(places.workspace, 0o777);
  // Whole at once: a start that is killed here must not leave settings without the directory.
  await initialise(places, isFirst ? withWorkspace(settings, places.workspace) : settings);
  await ensureOperatorKey(places);
  return isFirst;
}

function withWorkspace(settings: string, directory: string): string {
  const workspace = JSON.stringify(directory);
  return settings
    .replace(COMMENTED.bases, () => `[file.base_directories]\nworkspace = ${workspace}`)
    .replace(COMMENTED.scopes, () => `[search.scopes.${WORKSPACE_SCOPE}]\nkind = "files"\npath = ${workspace}`)
    .replace(COMMENTED.contents, 'enabled = true')
    .replace(COMMENTED.roots, () => `allowed_roots = [${workspace}]`);
}
