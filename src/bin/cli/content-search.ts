import { userSurroundings } from '../../../config/load.ts';
import { WritError } from '../../core/errors.ts';
import type { ContentSearch } from '../../core/ports/index.ts';
import type { ContentWish, GlobalOptions } from '../../producers/cli/services.ts';
import { contentSettings } from '../content/settings.ts';
import { openContentTool } from '../content/tool.ts';
import { readSettings } from './settings.ts';

/**
 * The `Search` tool for the command line: everything that the user may read, the programs and the fuzzy fallback of the
 * settings, the user's own git excludes. Nothing confines it beyond the user's own rights.
 */
export async function openCliContentSearch(options: GlobalOptions, { workingDirectory, backend, stats, fuzzy }: ContentWish): Promise<ContentSearch> {
  const { config } = readSettings(options).loaded;
  const { searchPath, gitIgnoreFile } = userSurroundings();
  const settings = contentSettings(config, searchPath);
  const { tool, problem } = await openContentTool(
    {
      ...settings,
      allowedRoots: ['/'],
      deniedPatterns: [],
      includeDefaultDenies: false,
      allowAbsolute: true,
      binaries: backend === undefined ? settings.binaries : [backend],
      emitStats: stats,
      globalIgnoreFile: settings.globalIgnoreFile === '' ? (gitIgnoreFile ?? '') : settings.globalIgnoreFile,
    },
    { confined: false, workingDirectory, backend, first: !fuzzy && settings.fuzzyFallback === undefined },
  );
  if (problem !== undefined) throw new WritError('ExecutionFailed', problem);
  return tool;
}
