import { readFileSync } from 'node:fs';
import { freshnessOn } from '../../../adapters/linux/file-system-kind.ts';
import { configuredIndexes, searchedTrees } from '../../../content-search/ngram-index/serving/configured-indexes.ts';
import { type Check, examine, type Finding, passed, warning } from '../../../core/findings.ts';
import { bytes, counted } from '../../../core/units.ts';
import { DIALECTS } from '../../backends/dialects.ts';
import { findBackends } from '../../io/backend/find-backends.ts';
import type { ContentSettings } from '../../io/settings.ts';
import { nodeTreeFiles } from '../../io/tree/read.ts';
import { nodeSearchTree } from '../../io/tree/tree.ts';
import type { IndexedTree } from '../build/indexed-tree.ts';
import { surveyTree, type TreeSurvey } from '../build/survey.ts';

/** Of one tree; a doctor is quick. */
const SURVEY_MS = 10_000;

export interface IndexQuestions {
  /** Why there is nothing to index, if so. */
  readonly refusal: string | undefined;
  /** Asked only when there is no refusal: it makes the directory of indexes. */
  settings(): ContentSettings;
  readonly limits: IndexLimits;
}

/** The keys of the settings that this host is measured by. */
export interface IndexLimits {
  readonly index_max_db_bytes: number;
  readonly index_auto_threshold_files: number;
  readonly index_auto_threshold_bytes: number;
  readonly index_mode: string;
  readonly index_watch: boolean;
}

/** What an index of content searches needs on this host: room, a place, watches. Nothing is asked of a host that wants none. */
export async function examineContentIndex({ refusal, settings: read, limits }: IndexQuestions): Promise<Check[]> {
  if (refusal !== undefined) return examine('Search index', [{ title: 'index', look: () => passed(`none: ${refusal}`), todo: '' }]);
  const settings = read();
  const { index } = settings;
  const place = (): Finding => {
    if (index.cacheRoot === null)
      return warning(
        `none (${index.storageFallback ?? 'no cache directory'})`,
        'set tools.search.index_path to a directory outside of everything that is searched',
      );
    if (index.storageFallback !== null)
      return warning(`in memory (${index.storageFallback})`, 'set tools.search.index_path to a directory that only this user can read');
    return passed(index.storageMode === 'memory' ? 'in memory' : index.cacheRoot);
  };
  const { found } = await findBackends({ names: settings.binaries, searchPath: settings.searchPath, dialects: DIALECTS });
  const [preferred] = found;
  const trees = preferred === undefined ? [] : configuredIndexes(index, searchedTrees(settings), preferred.backend).map(({ indexed }) => indexed);
  const surveys = trees.map((indexed) => ({ indexed, survey: survey(indexed) }));
  const needed = surveys.reduce((sum, one) => sum + one.survey.directories, 0);
  return examine('Search index', [
    { title: 'place', look: place, todo: '' },
    ...surveys.map((one) => ({ title: `root ${one.indexed.root}`, look: () => sizeFinding(one.survey, limits), todo: '' })),
    { title: 'watches', look: () => watchFinding(trees, needed, limits.index_watch), todo: 'look into /proc/sys/fs/inotify' },
  ]);
}

function survey(indexed: IndexedTree): TreeSurvey {
  const end = performance.now() + SURVEY_MS;
  return surveyTree(indexed, nodeSearchTree(), nodeTreeFiles(), () => performance.now() > end);
}

function sizeFinding({ files, bytes: size, directories, indexBytes, isWhole }: TreeSurvey, limits: IndexLimits): Finding {
  const least = isWhole ? '' : 'at least ';
  const found = `${least}${counted(files, 'file')} (${bytes(size)}) in ${directories} director${directories === 1 ? 'y' : 'ies'}; an index of about ${bytes(indexBytes)}`;
  if (indexBytes > limits.index_max_db_bytes)
    return warning(`${found}, more than index_max_db_bytes`, `set tools.search.index_max_db_bytes to ${indexBytes} or more`);
  const isSmall = files <= limits.index_auto_threshold_files && size <= limits.index_auto_threshold_bytes;
  return passed(limits.index_mode === 'auto' && isSmall && isWhole ? `${found}; too small for index_mode = "auto", so it gets none` : found);
}

function watchFinding(trees: readonly IndexedTree[], needed: number, watched: boolean): Finding {
  if (!watched) return passed('none (index_watch = false): each file is looked at before it is left out');
  const blind = trees.find(({ root }) => freshnessOn(root) !== 'inotify');
  if (blind !== undefined)
    return warning(
      `the file system of ${blind.root} does not tell every change: each file is looked at before it is left out`,
      'index a tree on a local file system',
    );
  const limit = Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8'));
  const found = `${needed} of fs.inotify.max_user_watches = ${limit}, which all programs of this user share`;
  // Half: editors and others want some too.
  if (needed * 2 <= limit) return passed(found);
  return warning(
    found,
    `sysctl -w fs.inotify.max_user_watches=${Math.max(limit, 2 ** Math.ceil(Math.log2(needed * 4)))}, and a file in /etc/sysctl.d so that it stays`,
  );
}
