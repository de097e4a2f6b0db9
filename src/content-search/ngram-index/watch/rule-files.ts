import type { BytePath, TreeEntry } from '../../../core/ports/index.ts';
import type { Inputs } from './inputs.ts';
import { absolute, byteName, join } from './watching.ts';

const NAMES: ReadonlySet<BytePath> = new Set(['.ignore', '.gitignore']);

/** The ignore files of the walk. Events tell when one changes under its own name, but not under a second name (hard link). */
export interface RuleFiles {
  /** Whether a file of this name decides about others. */
  decides(name: BytePath): boolean;
  note(directory: BytePath, entries: readonly TreeEntry[]): void;
  /** Does the same at an arming, before the walk reads the files; the contents of those with other names are compared from here on. */
  noteAndTrack(directory: BytePath, entries: readonly TreeEntry[]): void;
  /** Whether a rule file may have been written by another name. `LINKED`: one has a name that it had not at the arming; `GONE`: there is any rule file. */
  mayBeWritten(why: 'LINKED' | 'GONE'): boolean;
}

interface RuleFilesParts {
  readonly root: string;
  readonly noIgnore: boolean;
  readonly inputs: Inputs;
  readonly linksOf: (path: BytePath) => number | undefined;
}

export function createRuleFiles({ root, noIgnore, inputs, linksOf }: RuleFilesParts): RuleFiles {
  const known = new Set<BytePath>();
  const decides = (name: BytePath): boolean => !noIgnore && NAMES.has(name);
  const filesIn = (directory: BytePath, entries: readonly TreeEntry[]): readonly BytePath[] =>
    entries.filter((entry) => entry.kind === 'file' && decides(byteName(entry))).map((entry) => join(directory, byteName(entry)));
  const hasOtherNames = (file: BytePath): boolean => (linksOf(file) ?? 1) > 1;
  return {
    decides,
    note(directory, entries) {
      for (const file of filesIn(directory, entries)) known.add(file);
    },
    noteAndTrack(directory, entries) {
      for (const file of filesIn(directory, entries)) {
        known.add(file);
        if (hasOtherNames(file)) inputs.track(absolute(root, file));
      }
    },
    mayBeWritten: (why) => [...known].some((file) => why === 'GONE' || (hasOtherNames(file) && !inputs.isTracked(absolute(root, file)))),
  };
}
