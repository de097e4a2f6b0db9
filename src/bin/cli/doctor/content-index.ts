import { readFileSync } from 'node:fs';
import { userSurroundings } from '../../../../config/load.ts';
import type { Config } from '../../../../config/schema.ts';
import { freshnessOn } from '../../../adapters/linux/file-system-kind.ts';
import { DIALECTS } from '../../../content-search/backends/dialects.ts';
import { findBackends } from '../../../content-search/io/backend/find-backends.ts';
import { nodeTreeFiles } from '../../../content-search/io/tree/read.ts';
import { nodeSearchTree } from '../../../content-search/io/tree/tree.ts';
import { searchedTrees } from '../../../content-search/io/trees.ts';
import type { IndexedTree } from '../../../content-search/ngram-index/build/indexed-tree.ts';
import { surveyTree, type TreeSurvey } from '../../../content-search/ngram-index/build/survey.ts';
import { indexPlaces } from '../../../content-search/ngram-index/serving/places.ts';
import { contentSettings } from '../../../content-search/settings/content-settings.ts';
import { indexRefusal } from '../../../content-search/settings/refusals.ts';
import type { Check } from '../../../core/ports/diagnosis.ts';
import { bytes, counted } from '../../../surfaces/cli/text/values.ts';
import { examine, type Finding, warning, well } from './finding.ts';

/** Of one tree; a doctor is quick. */
const SURVEY_MS = 10_000;

/** What an index of content searches needs on this host: room, a place, watches. Nothing is asked of a host that wants none. */
export async function examineContentIndex(config: Config): Promise<Check[]> {
  const refusal = indexRefusal(config);
  if (refusal !== undefined) return examine('Search index', [{ title: 'index', look: () => well(`none: ${refusal}`), todo: '' }]);
  const settings = contentSettings(config, userSurroundings());
  const { index } = settings;
  const place = (): Finding => {
    if (index.cacheRoot === null)
      return warning(
        `none (${index.storageFallback ?? 'no cache directory'})`,
        'set tools.search.index_path to a directory outside of everything that is searched',
      );
    if (index.storageFallback !== null)
      return warning(`in memory (${index.storageFallback})`, 'set tools.search.index_path to a directory that only this user can read');
    return well(index.storageMode === 'memory' ? 'in memory' : index.cacheRoot);
  };
  const { found } = await findBackends({ names: settings.binaries, searchPath: settings.searchPath, dialects: DIALECTS });
  const [preferred] = found;
  const trees = preferred === undefined ? [] : indexPlaces(index, searchedTrees(settings), preferred.backend).map(({ indexed }) => indexed);
  const surveys = trees.map((indexed) => ({ indexed, survey: survey(indexed) }));
  const needed = surveys.reduce((sum, one) => sum + one.survey.directories, 0);
  return examine('Search index', [
    { title: 'place', look: place, todo: '' },
    ...surveys.map((one) => ({ title: `root ${one.indexed.root}`, look: () => sizeFinding(one.survey, config), todo: '' })),
    { title: 'watches', look: () => watchFinding(trees, needed, config), todo: 'look into /proc/sys/fs/inotify' },
  ]);
}

function survey(indexed: IndexedTree): TreeSurvey {
  const end = performance.now() + SURVEY_MS;
  return surveyTree(indexed, nodeSearchTree(), nodeTreeFiles(), () => performance.now() > end);
}

function sizeFinding({ files, bytes: size, directories, indexBytes, isWhole }: TreeSurvey, { tools: { search } }: Config): Finding {
  const least = isWhole ? '' : 'at least ';
  const found = `${least}${counted(files, 'file')} (${bytes(size)}) in ${directories} director${directories === 1 ? 'y' : 'ies'}; an index of about ${bytes(indexBytes)}`;
  if (indexBytes > search.index_max_db_bytes)
    return warning(`${found}, more than index_max_db_bytes`, `set tools.search.index_max_db_bytes to ${indexBytes} or more`);
  const isSmall = files <= search.index_auto_threshold_files && size <= search.index_auto_threshold_bytes;
  return well(search.index_mode === 'auto' && isSmall && isWhole ? `${found}; too small for index_mode = "auto", so it gets none` : found);
}

function watchFinding(trees: readonly IndexedTree[], needed: number, { tools: { search } }: Config): Finding {
  if (!search.index_watch) return well('none (index_watch = false): each file is looked at before it is left out');
  const blind = trees.find(({ root }) => freshnessOn(root) !== 'inotify');
  if (blind !== undefined)
    return warning(
      `the file system of ${blind.root} does not tell every change: each file is looked at before it is left out`,
      'index a tree on a local file system',
    );
  const limit = Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8'));
  const found = `${needed} of fs.inotify.max_user_watches = ${limit}, which all programs of this user share`;
  // Half: editors and others want some too.
  if (needed * 2 <= limit) return well(found);
  return warning(
    found,
    `sysctl -w fs.inotify.max_user_watches=${Math.max(limit, 2 ** Math.ceil(Math.log2(needed * 4)))}, and a file in /etc/sysctl.d so that it stays`,
  );
}
