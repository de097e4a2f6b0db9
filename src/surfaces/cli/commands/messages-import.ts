import { type Command, Option } from 'commander';
import { IMPORT_FORMATS } from '../../../contracts/index.ts';
import { act, type Exit } from '../command.ts';
import type { MessagesImportFlags } from '../operations/messages-import.ts';
import type { CliDeps } from '../services.ts';

const HELP = `
The format is found out by looking. A run that was broken off goes on where it was; what is there already is left as it is.
Records that cannot be read are told and left out; the exit code is 1 then.`;

export function addMessagesImport(messages: Command, deps: CliDeps, exit: Exit): void {
  messages
    .command('import')
    .argument('<path>', 'JSON Lines, a Maildir, an mbox, or the database of an agent-mail server')
    .addOption(new Option('--format <format>', 'what it is, unless it shall be found out').choices(IMPORT_FORMATS))
    .option('--project <slug>', 'project for what names none; a mailbox is one project, of the name of its file')
    .option('--from-start', 'read all of it again, also what an earlier run has read')
    .description('import messages: a source of any size, as often as you like')
    .addHelpText('after', HELP)
    .action(act<[string], MessagesImportFlags>(deps, exit, async () => (await import('../operations/messages-import.ts')).runMessagesImport));
  messages
    .command('rebuild')
    .description('make the full text of all messages anew, and wait for it')
    .action(act<[], Record<never, never>>(deps, exit, async () => (await import('../operations/messages-rebuild.ts')).runMessagesRebuild));
}
