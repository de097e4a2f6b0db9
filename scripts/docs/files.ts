import { benchmarkFiles } from '../benchmarks/page.ts';
import { describedCommands } from '../command-tree.ts';
import type { GeneratedFile } from '../generated.ts';
import { bashCompletion, fishCompletion, zshCompletion } from '../shell/completions.ts';
import { manPage } from '../shell/man-page.ts';
import { outlineOf } from '../shell/outline.ts';
import { errorsDocument } from './errors-document.ts';

/** Pages, completions and the manual page, which are made from tables of the product. */
export async function docsFiles(): Promise<GeneratedFile[]> {
  const program = outlineOf(await describedCommands());
  return [
    { path: 'docs/generated/errors.md', content: errorsDocument() },
    { path: 'deploy/completion/writ.bash', content: bashCompletion(program) },
    { path: 'deploy/completion/writ.zsh', content: zshCompletion(program) },
    { path: 'deploy/completion/writ.fish', content: fishCompletion(program) },
    { path: 'deploy/man/writ.1', content: manPage(program) },
    ...benchmarkFiles(),
  ];
}
