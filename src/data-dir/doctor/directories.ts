import { constants, statfsSync, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { isThere } from '../../adapters/files/is-there.ts';
import { allowedTypes, judgeType } from '../../adapters/linux/confined-fs/filesystem-types.ts';
import { createConfinedFileSystem } from '../../adapters/linux/confined-fs/index.ts';
import { broken, type Check, examine, type Finding, type Probe, passed, warning } from '../../core/findings.ts';
import { bytes } from '../../core/units.ts';

/** What the settings say of the directories that file tasks may work in. */
export interface FileSettings {
  readonly base_directories: Readonly<Record<string, string>>;
  readonly confinement: Parameters<typeof createConfinedFileSystem>[0]['level'];
  readonly filesystems: readonly string[];
}

/** What a running worker says of a place that it holds: `base:<id>`, `data-directory`, `journal`, `tool-journal`. */
export interface HeldByWorker {
  readonly name: string;
  readonly ok: boolean;
  readonly detail?: string;
}

const PUT_BACK = 'put it back (docs/runbooks/WritPlaceExchanged.md); its tasks are refused until then';

/** The data directory and the directories that file tasks may work in. */
export async function examineDirectories(dataDir: string, file: FileSettings, askWorkers: () => Promise<readonly HeldByWorker[]>): Promise<Check[]> {
  const bases = Object.entries(file.base_directories);
  const exchanged = new Map((await askWorkers()).flatMap(({ name, ok, detail = '' }) => (ok ? [] : [[name, detail]])));
  const orExchanged =
    (name: string, look: () => Finding | Promise<Finding>): Probe['look'] =>
    () => {
      const how = exchanged.get(name);
      return how === undefined ? look() : broken(`a running worker holds another one: it ${how}`, PUT_BACK);
    };
  return examine('Directories', [
    { title: 'data directory', look: orExchanged('data-directory', () => dataDirectory(dataDir)), todo: 'name another one with WRIT_DATA_DIR or --data-dir' },
    ...bases.map(([id, path]) => ({
      title: `base directory ${id}`,
      look: orExchanged(`base:${id}`, () => baseDirectory(id, path, file)),
      todo: `correct file.base_directories.${id}, or what it names`,
    })),
    ...['journal', 'tool-journal'].filter((name) => exchanged.has(name)).map((name) => ({ title: name, look: orExchanged(name, noBases), todo: '' })),
    ...(bases.length > 0 ? [] : [{ title: 'base directories', look: noBases, todo: '' }]),
  ]);
}

function dataDirectory(dataDir: string): Finding {
  if (!isThere(dataDir)) return warning(`${dataDir} does not exist yet`, 'run `writ init`, or `writ up`, which makes it');
  const { mode, uid } = statSync(dataDir);
  if (uid !== process.geteuid?.()) return broken(`${dataDir} belongs to user ${uid}`, 'run Writ as that user, or choose another data directory');
  if ((mode & 0o077) !== 0) return broken(`${dataDir} is open to others (mode ${(mode & 0o777).toString(8)})`, `chmod 700 ${dataDir}`);
  return passed(`${dataDir}, mode 700`);
}

function noBases(): Finding {
  return warning('none, so every file task is refused', 'add one to [file.base_directories], for example inbox = "/srv/inbox"');
}

async function baseDirectory(id: string, path: string, file: FileSettings): Promise<Finding> {
  const fileSystem = createConfinedFileSystem({ level: file.confinement, allowedFilesystems: [...file.filesystems] });
  const base = await fileSystem.openBase(id, path);
  try {
    const type = judgeType(statfsSync(path, { bigint: true }).type, allowedTypes([...file.filesystems]));
    await access(path, constants.W_OK | constants.X_OK);
    return passed(`${path} on ${type.name}, ${bytes(await base.freeBytes())} free`);
  } finally {
    await base.close();
  }
}
