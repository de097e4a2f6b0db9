import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { ensureOperatorKey } from './cli/access.ts';
import { initialise } from './cli/keys.ts';
import type { Places } from './places.ts';

/** In the commented file of settings, the table that names the base directories. */
const COMMENTED_TABLE = /^# \[file\.base_directories\]$/m;

/**
 * Makes an empty data directory ready for `writ up`: keys (an operator's key of the API too), settings, and one base directory to play in.
 *
 * @returns whether there were no settings before, so that they must be read again
 */
export async function prepareFirstStart(places: Places): Promise<boolean> {
  const isFirst = !existsSync(places.configFile);
  await initialise(places);
  await ensureOperatorKey(places);
  if (!isFirst) return false;
  await mkdir(places.workspace, { recursive: true });
  const text = await readFile(places.configFile, 'utf8');
  const table = `[file.base_directories]\nworkspace = ${JSON.stringify(places.workspace)}`;
  await writeFile(
    places.configFile,
    text.replace(COMMENTED_TABLE, () => table),
    { mode: 0o600 },
  );
  return true;
}
