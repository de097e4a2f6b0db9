import { realpathSync } from 'node:fs';
import { userSurroundings } from '../../../config/load.ts';
import type { Config } from '../../../config/schema.ts';
import { type ContentSettings, NO_INDEX } from '../../content-search/io/settings.ts';
import { openContentTool } from '../../content-search/io/tool.ts';
import { contentSettings } from '../../content-search/settings/content-settings.ts';
import { indexRefusal } from '../../content-search/settings/refusals.ts';
import { WritError } from '../../core/errors.ts';
import type { ContentSearch } from '../../core/ports/index.ts';
import type { ContentSearchSetup, GlobalOptions } from '../../surfaces/cli/services.ts';
import { readSettings } from './settings.ts';

/**
 * The `Search` tool for the command line: everything that the user may read, the programs and the fuzzy fallback of the
 * settings, the user's own git excludes. Nothing confines it beyond the user's own rights. From an index root, a search sees
 * what servers see, whether a host runs or not: so the index can serve it, and its answer is the same when it does not.
 */
export async function openCliContentSearch(
  options: GlobalOptions,
  { workingDirectory, backend, stats, fuzzy, indexed }: ContentSearchSetup,
): Promise<ContentSearch> {
  const { config } = readSettings(options).loaded;
  const shared = indexed !== undefined && isIndexRoot(indexed, config) ? serverView(config) : ownView(config);
  const settings: ContentSettings = {
    ...shared,
    allowAbsolute: true,
    emitStats: stats,
    binaries: backend === undefined ? shared.binaries : [backend],
  };
  const first = !fuzzy && settings.fuzzyFallback === undefined;
  const { tool, problem } = await openContentTool(settings, { confined: false, workingDirectory, backend, first });
  if (problem !== undefined) throw new WritError('ExecutionFailed', problem);
  return tool;
}

/** Only what the settings name: the first allowed root of a server is no reason to search it otherwise from here. */
function isIndexRoot(directory: string, config: Config): boolean {
  return indexRefusal(config) === undefined && config.tools.search.index_roots.some((root) => real(root) === directory);
}

function serverView(config: Config): ContentSettings {
  return contentSettings(config, userSurroundings());
}

function ownView(config: Config): ContentSettings {
  const surroundings = userSurroundings();
  const { gitIgnoreFile } = surroundings;
  const settings = contentSettings({ tools: { ...config.tools, search: { ...config.tools.search, index_mode: 'off', index_roots: [] } } }, surroundings);
  const own = { allowedRoots: ['/'], deniedPatterns: [], includeDefaultDenies: false, index: NO_INDEX };
  return { ...settings, ...own, globalIgnoreFile: settings.globalIgnoreFile === '' ? (gitIgnoreFile ?? '') : settings.globalIgnoreFile };
}

function real(directory: string): string | undefined {
  try {
    return realpathSync(directory);
  } catch {
    return undefined;
  }
}
