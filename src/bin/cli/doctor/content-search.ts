import { statSync } from 'node:fs';
import { userSurroundings } from '../../../../config/load.ts';
import type { Config } from '../../../../config/schema.ts';
import { landlockVersion } from '../../../adapters/linux/landlock.ts';
import { DIALECTS } from '../../../content-search/backends/dialects.ts';
import { findBackends } from '../../../content-search/io/backend/find-backends.ts';
import { missedText } from '../../../content-search/io/tool.ts';
import { contentSettings } from '../../../content-search/settings/content-settings.ts';
import { contentRefusal } from '../../../content-search/settings/refusals.ts';
import type { Check } from '../../../core/ports/diagnosis.ts';
import type { CaseFolding } from '../../../core/ports/index.ts';
import { broken, examine, type Finding, type Probe, warning, well } from './finding.ts';

const INSTALL = 'install ugrep (`apt-get install ugrep`): without it approximate matching is not there, and the ripgrep that comes with Writ searches';

/** What searches the contents of files on this host, what keeps it inside the roots, and what the roots are. */
export function examineContentSearch(config: Config): Promise<Check[]> {
  const refusal = contentRefusal(config);
  const roots: readonly Probe[] = config.tools.sandbox.allowed_roots.map((root) => ({
    title: `root ${root}`,
    look: () => rootFinding(root),
    todo: rootTodo(root),
  }));
  return examine('Content search', [
    { title: 'backends', look: () => backends(config), todo: INSTALL },
    { title: 'confinement', look: confinement, todo: 'use a kernel from 5.13 on with Landlock switched on (lsm=landlock)' },
    { title: 'servers', look: () => well(refusal ?? 'search the roots below, over HTTP and from the queue'), todo: '' },
    ...roots,
  ]);
}

async function backends(config: Config): Promise<Finding> {
  const { binaries, searchPath } = contentSettings(config, userSurroundings());
  const looked = await findBackends({ names: binaries, searchPath, dialects: DIALECTS });
  const found = looked.found
    .map(({ backend: { id, folding, fuzzy }, file }) => `${id} (${file}; -i folds ${FOLDS[folding]}${fuzzy ? '; fuzzy' : ''})`)
    .join(', then ');
  if (found === '') return broken(`none: ${missedText(looked)}`, INSTALL);
  const missed = missedText(looked);
  const all = missed === '' ? found : `${found}; not ${missed}`;
  return looked.found.some(({ backend }) => backend.fuzzy) ? well(all) : warning(all, INSTALL);
}

const FOLDS = { ASCII: 'ASCII letters', UNICODE_SIMPLE: 'letters of every script', UNKNOWN: 'in a way of its own' } satisfies Record<CaseFolding, string>;

function confinement(): Finding {
  const version = landlockVersion();
  return version > 0
    ? well(`Landlock ${version}: the process that searches can open nothing outside of the roots`)
    : warning('none: the kernel has no Landlock, so that ways are only checked around each search', 'use a kernel from 5.13 on with Landlock switched on');
}

function rootFinding(root: string): Finding {
  return statSync(root).isDirectory() ? well('is there') : broken('is no directory', rootTodo(root));
}

function rootTodo(root: string): string {
  return `correct ${root} in tools.sandbox.allowed_roots, or what it names; then start the roles again`;
}
