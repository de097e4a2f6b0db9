import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import type { Registrar } from '../../../../../src/surfaces/cli/command.ts';
import { register as content } from '../../../../../src/surfaces/cli/commands/content-search.ts';
import { register as messages } from '../../../../../src/surfaces/cli/commands/messages.ts';
import { register as push } from '../../../../../src/surfaces/cli/commands/push.ts';
import { register as scopes } from '../../../../../src/surfaces/cli/commands/scopes.ts';
import { register as status } from '../../../../../src/surfaces/cli/commands/status.ts';
import { register as tasks } from '../../../../../src/surfaces/cli/commands/tasks.ts';
import { readThinCall, THIN_COMMANDS } from '../../../../../src/surfaces/cli/resident/commands.ts';
import type { CliDeps } from '../../../../../src/surfaces/cli/services.ts';

const REGISTRARS: readonly Registrar[] = [content, messages, push, scopes, status, tasks];

/** The command that the whole program has under these words. */
function wholeCommand(words: readonly string[]): Command {
  const program = new Command('writ');
  for (const register of REGISTRARS) register(program, {} as CliDeps, { code: 0 });
  return words.reduce((command: Command, word) => command.commands.find((one) => one.name() === word) ?? new Command('missing'), program);
}

describe('the thin commands', () => {
  it.each(THIN_COMMANDS.map((command) => [command.words.join(' '), command] as const))('%s has the options of the whole program', (_, command) => {
    const { options } = wholeCommand(command.words);
    const spellings = (isSwitch: boolean): string[] =>
      options.filter((option) => !option.required === isSwitch).flatMap(({ short, long }) => [short, long].filter((word): word is string => word != null));
    expect([...command.switches].sort()).toEqual(spellings(true).sort());
    expect([...command.values, ...(command.whole ?? [])].sort()).toEqual(spellings(false).sort());
  });

  it.each<[string, readonly string[], ReturnType<typeof readThinCall>]>([
    ['a command alone', ['status'], { dataDir: undefined, input: undefined }],
    ['options of the program around it', ['--data-dir', 'd', 'status', '--json'], { dataDir: 'd', input: undefined }],
    ['the last data directory of several', ['--data-dir=a', 'result', 'x', '--data-dir', 'b'], { dataDir: 'b', input: undefined }],
    ['the file of a push', ['push', '--ttl', '5m', 'tasks.json', '--sign'], { dataDir: undefined, input: 'tasks.json' }],
    ['a query that begins with a dash', ['find', 'scope', '--', '-1'], { dataDir: undefined, input: undefined }],
    ['two words', ['messages', 'search', 'migration', 'plan', '--limit=3'], { dataDir: undefined, input: undefined }],
  ])('are read from %s', (_, args, call) => {
    expect(readThinCall(args)).toEqual(call);
  });

  it.each<[string, readonly string[]]>([
    ['nothing', []],
    ['help', ['status', '--help']],
    ['another command', ['doctor']],
    ['the command after an operand', ['x', 'status']],
    ['an unknown option', ['status', '--verbose']],
    ['a value for a switch', ['push', '--sign=yes', 'f']],
    ['letters that stand together', ['search', '-iF', 'x']],
    ['a value that is attached to a letter', ['search', '-C2', 'x']],
    ['an option without its value', ['find', 'a', 'b', '--max']],
    ['too few operands', ['result']],
    ['too many operands', ['push', 'a', 'b']],
    ['standard input', ['push', '-']],
    ["a file with somebody's key", ['messages', 'search', 'x', '--key', 'f']],
    ['a file of settings', ['--config', 'f', 'status']],
    ['a data directory without a name', ['--data-dir', '', 'status']],
    ['a command of a group alone', ['messages']],
    ['its neighbour', ['messages', 'import', 'x']],
  ])('are not read from %s, which goes the whole way', (_, args) => {
    expect(readThinCall(args)).toBeUndefined();
  });
});
