import { duration } from '../../../core/units.ts';
import { KEY_OPTION, type KeyFlags, openApi } from '../api/api-door.ts';
import { type CommandContext, command, type Registrar } from '../command.ts';
import { table } from '../text/table.ts';

export const register: Registrar = (program, deps, exit) => {
  const sessions = program.command('sessions').helpCommand(false).description('browsers that are logged in to the API of this data directory');
  sessions
    .command('list')
    .description('who is logged in, since when, until when')
    .option(...KEY_OPTION)
    .action(command<[], KeyFlags>(deps, exit, runList));
  sessions
    .command('end <session_id>')
    .description('log a browser out; the key that opened it stays good (`writ key revoke`)')
    .option(...KEY_OPTION)
    .action(command<[string], KeyFlags>(deps, exit, runEnd));
};

const COLUMNS = [
  { title: 'session' },
  { title: 'name' },
  { title: 'roles' },
  { title: 'open for', align: 'right' },
  { title: 'ends in', align: 'right' },
] as const;

/** `writ sessions list`. */
async function runList(context: CommandContext, flags: KeyFlags): Promise<number> {
  const api = await openApi(context, flags);
  const { sessions } = await api.ask((client) => client.sessions.list());
  const now = context.clock.now();
  await context.output.answer({ sessions }, () => {
    if (sessions.length === 0) return 'nobody is logged in';
    const rows = sessions.map(({ id, name, roles, opened_at, ends_at }) => [
      id,
      name,
      roles.join(','),
      duration(now - Date.parse(opened_at)),
      duration(Date.parse(ends_at) - now),
    ]);
    return table(COLUMNS, rows);
  });
  return 0;
}

/** `writ sessions end`. NOT_FOUND (exit 1) when it has ended already. */
async function runEnd(context: CommandContext, flags: KeyFlags, id: string): Promise<number> {
  const api = await openApi(context, flags);
  const ended = await api.ask((client) => client.sessions.end(id));
  await context.output.answer(ended, () => `${ended.name} is logged out`);
  return 0;
}
