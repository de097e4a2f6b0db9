import { statSync } from 'node:fs';
import { landlockVersion } from '../../adapters/linux/landlock.ts';
import { broken, type Check, examine, type Finding, type Probe, passed, warning } from '../../core/findings.ts';
import type { CaseFolding } from '../../core/ports/index.ts';
import { DIALECTS } from '../backends/dialects.ts';
import { findBackends } from './backend/find-backends.ts';
import type { ContentSettings } from './settings.ts';
import { missedText } from './tool.ts';

const INSTALL = 'install ugrep (`apt-get install ugrep`): without it approximate matching is not there, and the ripgrep that comes with Writ searches';

export interface ContentQuestions {
  /** Why servers refuse every search, if they do. */
  readonly refusal: string | undefined;
  readonly allowedRoots: readonly string[];
  settings(): Pick<ContentSettings, 'binaries' | 'searchPath'>;
}

/** What searches the contents of files on this host, what keeps it inside the roots, and what the roots are. */
export function examineContentSearch({ refusal, allowedRoots, settings }: ContentQuestions): Promise<Check[]> {
  const roots: readonly Probe[] = allowedRoots.map((root) => ({
    title: `root ${root}`,
    look: () => rootFinding(root),
    todo: rootTodo(root),
  }));
  return examine('Content search', [
    { title: 'backends', look: () => backends(settings()), todo: INSTALL },
    { title: 'confinement', look: confinement, todo: 'use a kernel from 5.13 on with Landlock switched on (lsm=landlock)' },
    { title: 'servers', look: () => passed(refusal ?? 'search the roots below, over HTTP and from the queue'), todo: '' },
    ...roots,
  ]);
}

async function backends({ binaries, searchPath }: Pick<ContentSettings, 'binaries' | 'searchPath'>): Promise<Finding> {
  const looked = await findBackends({ names: binaries, searchPath, dialects: DIALECTS });
  const found = looked.found
    .map(({ backend: { id, folding, fuzzy }, file }) => `${id} (${file}; -i folds ${FOLDS[folding]}${fuzzy ? '; fuzzy' : ''})`)
    .join(', then ');
  if (found === '') return broken(`none: ${missedText(looked)}`, INSTALL);
  const missed = missedText(looked);
  const all = missed === '' ? found : `${found}; not ${missed}`;
  return looked.found.some(({ backend }) => backend.fuzzy) ? passed(all) : warning(all, INSTALL);
}

const FOLDS = { ASCII: 'ASCII letters', UNICODE_SIMPLE: 'letters of every script', UNKNOWN: 'in a way of its own' } satisfies Record<CaseFolding, string>;

function confinement(): Finding {
  const version = landlockVersion();
  return version > 0
    ? passed(`Landlock ${version}: the process that searches can open nothing outside of the roots`)
    : warning('none: the kernel has no Landlock, so that ways are only checked around each search', 'use a kernel from 5.13 on with Landlock switched on');
}

function rootFinding(root: string): Finding {
  return statSync(root).isDirectory() ? passed('is there') : broken('is no directory', rootTodo(root));
}

function rootTodo(root: string): string {
  return `correct ${root} in tools.sandbox.allowed_roots, or what it names; then start the roles again`;
}
