import type { SearchTree, TreeFiles } from '../../../core/ports/index.ts';

/** Bytes of a rule file; the walk ignores larger ones, too. */
const MAX_BYTES = 1 << 20;

/** Inputs of eligibility that no watch covers: where the root is, and rules outside of the walked directories. */
export interface Inputs {
  /** `WATCHER_DOWN`: the path leads to another directory now; `ELIGIBILITY`: rules differ. */
  differ(): 'WATCHER_DOWN' | 'ELIGIBILITY' | undefined;
  /** Compares the contents of a rule file from here on: it has other names, and a write by one of these sends no event here. */
  track(file: Buffer): void;
  isTracked(file: Buffer): boolean;
}

/**
 * The inputs as they are now. Contents are compared, because two writes within one tick of the clock have the same time; and
 * times, because a file that was written and put back has the same contents, and somebody may have read it in between.
 */
export function createInputs(
  tree: SearchTree,
  files: Pick<TreeFiles, 'stat'>,
  root: string,
  { noIgnore, globalIgnoreFile }: { readonly noIgnore: boolean; readonly globalIgnoreFile: string },
): Inputs {
  const exclude = `${root.endsWith('/') ? root : `${root}/`}.git/info/exclude`;
  const seen = (path: Buffer | string): string => `${timeOf(files, path)} ${textOf(tree, path)}`;
  const rules = (): readonly string[] =>
    noIgnore ? [] : [timeOf(files, exclude), realRules(tree, exclude), globalIgnoreFile === '' ? '' : seen(globalIgnoreFile)];
  const place = placeOf(tree, root);
  const before = rules();
  const tracked = new Map<string, { readonly file: Buffer; readonly text: string }>();
  const isSame = (): boolean => rules().every((text, at) => text === before[at]) && [...tracked.values()].every(({ file, text }) => seen(file) === text);
  return {
    track(file) {
      tracked.set(file.toString('latin1'), { file, text: seen(file) });
    },
    isTracked: (file) => tracked.has(file.toString('latin1')),
    differ() {
      if (placeOf(tree, root) !== place) return 'WATCHER_DOWN';
      return isSame() ? undefined : 'ELIGIBILITY';
    },
  };
}

function placeOf(tree: SearchTree, root: string): string {
  const target = tree.resolve(root);
  return 'refused' in target ? target.refused : `${target.realPath.toString('latin1')} ${target.dev} ${target.ino}`;
}

/** When the file was changed last. Looked at before it is read, so that a change in between is seen by the next look. */
function timeOf(files: Pick<TreeFiles, 'stat'>, path: Buffer | string): string {
  const stat = files.stat(path);
  return 'refused' in stat ? stat.refused : `${stat.ctimeNs} ${stat.ino}`;
}

/** The rules at a path, read as the walk reads them: through no link. */
function realRules(tree: SearchTree, path: string): string {
  const target = tree.resolve(path);
  if ('refused' in target) return target.refused;
  return target.realPath.equals(Buffer.from(path)) ? textOf(tree, path) : 'elsewhere';
}

function textOf(tree: SearchTree, path: Buffer | string): string {
  const read = tree.readSmall(path, MAX_BYTES);
  return 'refused' in read ? read.refused : `=${read.toString('latin1')}`;
}
