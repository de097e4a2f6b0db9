import { compileTree, removeTree } from './tree.ts';

/** Global set-up of vitest: the tree is there before the first test file, for all of them. */
export async function setup(): Promise<() => void> {
  const directory = await compileTree();
  process.env['WRIT_TEST_TREE'] = directory;
  return () => removeTree(directory);
}
