import type { Command } from 'commander';
import { INDEX_ACTIONS, type IndexAction } from '../../../contracts/index.ts';
import { act, type Registrar } from '../command.ts';
import type { IndexActFlags } from '../operations/index-act.ts';

const ACTIONS = {
  build: 'make the index anew; the old one serves until then',
  reconcile: 'compare the index with the tree, and index what differs',
  check: 'prove the files of the index sound, and wait for the verdict',
  drop: 'remove the index; with index_mode = "on" or "auto" a later start makes it again',
} satisfies Record<IndexAction, string>;

export const registerContentIndex: Registrar = (program, deps, exit) => {
  const index = program.command('index').helpCommand(false).description('the index for searches in contents');
  index
    .command('status')
    .description('what each index is, and what is done about it now')
    .action(act<[], Record<never, never>>(deps, exit, async () => (await import('../operations/index-status.ts')).runIndexStatus));
  for (const action of INDEX_ACTIONS) {
    withWait(index.command(action).argument('[index]', 'its directory or the first digits of its key; not needed when there is one'), action)
      .description(ACTIONS[action])
      .action(act<[string | undefined], IndexActFlags>(deps, exit, async () => (await import('../operations/index-act.ts')).indexAct(action)));
  }
};

/** The verdict is all there is to a check, so it always waits. */
function withWait(command: Command, action: IndexAction): Command {
  return action === 'check' ? command : command.option('--wait', 'wait for the end, and show how far it is');
}
