import { WritError } from '../../../core/errors.ts';
import type { Change } from '../../client/index.ts';
import { KEY_OPTION, type KeyFlags, openApi } from '../api/api-door.ts';
import { type CommandContext, command, type Registrar } from '../command.ts';
import { printable } from '../text/values.ts';

export const register: Registrar = (program, deps, exit) => {
  program
    .command('events')
    .description('follow the changes of tasks and plans until Ctrl-C; needs the API')
    .option('--after <n>', 'go on after this event of tasks, as --json numbers them')
    .option('--tasks', 'only those of tasks')
    .option('--plans', 'only those of plans')
    .option(...KEY_OPTION)
    .action(command<[], EventFlags>(deps, exit, runEvents));
};

interface EventFlags extends KeyFlags {
  readonly after?: string;
  readonly tasks?: boolean;
  readonly plans?: boolean;
}

/** `writ events`: a line a change; with --json each with its kind. A stream that breaks is opened again. */
async function runEvents(context: CommandContext, flags: EventFlags): Promise<number> {
  const after = flags.after === undefined ? undefined : Number(flags.after);
  if (after !== undefined && !(Number.isSafeInteger(after) && after >= 0 && /^\d+$/.test(flags.after ?? '')))
    throw new WritError('INVALID_ARGUMENT', '--after must be the number of an event', { field: '--after' });
  const api = await openApi(context, flags);
  const signal = context.interrupted();
  const wanted = (kind: Change['kind']): boolean =>
    (flags.tasks !== true && flags.plans !== true) || (kind === 'task' ? flags.tasks === true : flags.plans === true);
  try {
    for await (const change of api.client.changes({ signal, ...(after === undefined ? {} : { after }) })) {
      if (!wanted(change.kind)) continue;
      if (context.output.json) await context.output.line({ kind: change.kind, ...change.event });
      else await context.output.text(printable(textOf(change)));
    }
  } catch (error) {
    throw api.refusal(error);
  }
  return 0;
}

function textOf(change: Change): string {
  if (change.kind === 'task') {
    const { at, task_id, state, capability_id, error_code } = change.event;
    return `${at}  task ${task_id}  ${state}  ${capability_id}${error_code === undefined ? '' : `  ${error_code}`}`;
  }
  const { at, plan_id, state, steps_done, current, error_code } = change.event;
  return `${at}  plan ${plan_id}  ${state}  step ${steps_done}${current === undefined ? '' : ` at ${current}`}${error_code === undefined ? '' : `  ${error_code}`}`;
}
