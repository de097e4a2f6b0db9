import { constants, existsSync, statfsSync, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Config } from '../../../../config/schema.ts';
import { allowedTypes, judgeType } from '../../../adapters/linux/confined-fs/filesystem-types.ts';
import { createConfinedFileSystem } from '../../../adapters/linux/confined-fs/index.ts';
import type { Check } from '../../../core/ports/diagnosis.ts';
import { bytes } from '../../../surfaces/cli/text/values.ts';
import { broken, examine, type Finding, warning, well } from './finding.ts';

/** The data directory and the directories that file tasks may work in. */
export function examineDirectories(dataDir: string, config: Config): Promise<Check[]> {
  const bases = Object.entries(config.file.base_directories);
  return examine('Directories', [
    { title: 'data directory', look: () => dataDirectory(dataDir), todo: 'name another one with WRIT_DATA_DIR or --data-dir' },
    ...bases.map(([id, path]) => ({
      title: `base directory ${id}`,
      look: () => baseDirectory(id, path, config),
      todo: `correct file.base_directories.${id}, or what it names`,
    })),
    ...(bases.length > 0 ? [] : [{ title: 'base directories', look: noBases, todo: '' }]),
  ]);
}

function dataDirectory(dataDir: string): Finding {
  if (!existsSync(dataDir)) return warning(`${dataDir} does not exist yet`, 'run `npx writ init`, or `npx writ up`, which makes it');
  const { mode, uid } = statSync(dataDir);
  if (uid !== process.geteuid?.()) return broken(`${dataDir} belongs to user ${uid}`, 'run Writ as that user, or choose another data directory');
  if ((mode & 0o077) !== 0) return broken(`${dataDir} is open to others (mode ${(mode & 0o777).toString(8)})`, `chmod 700 ${dataDir}`);
  return well(`${dataDir}, mode 700`);
}

function noBases(): Finding {
  return warning('none, so every file task is refused', 'add one to [file.base_directories], for example inbox = "/srv/inbox"');
}

async function baseDirectory(id: string, path: string, { file }: Config): Promise<Finding> {
  const fileSystem = createConfinedFileSystem({ level: file.confinement, allowedFilesystems: [...file.filesystems] });
  const base = await fileSystem.openBase(id, path);
  try {
    const type = judgeType(statfsSync(path, { bigint: true }).type, allowedTypes([...file.filesystems]));
    await access(path, constants.W_OK | constants.X_OK);
    return well(`${path} on ${type.name}, ${bytes(await base.freeBytes())} free`);
  } finally {
    await base.close();
  }
}
