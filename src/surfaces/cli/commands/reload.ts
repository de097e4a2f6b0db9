import type { RoleAnswer } from '../../../core/ports/index.ts';
import { counted } from '../../../core/units.ts';
import { type CommandContext, command, type Registrar } from '../command.ts';
import { printable } from '../text/values.ts';

export const register: Registrar = (program, deps, exit) => {
  program
    .command('reload')
    .description('tell the roles that run to read their settings anew; names what was taken up, and what needs a restart')
    .action(command<[], Record<never, never>>(deps, exit, runReload));
};

/**
 * `writ reload`. Settings that are refused here are not even asked about (INVALID_CONFIG, exit 2). Exits 0 when every role
 * answered and none refused, 1 when one refused, 3 when one did not answer in time or none runs.
 */
async function runReload(context: CommandContext): Promise<number> {
  const roles = (await (await context.services()).reload()).map(shown);
  await context.output.answer({ roles }, () => (roles.length === 0 ? 'no role runs for this data directory' : roles.map(lineOf).join('\n')));
  if (roles.some(({ outcome }) => outcome === 'refused')) return 1;
  return roles.length === 0 || roles.some(({ outcome }) => outcome === 'silent') ? 3 : 0;
}

/** One role, as `--json` shows it. */
interface ShownRole {
  readonly role: string;
  readonly pid: number;
  readonly generation?: number;
  readonly outcome: keyof typeof SENTENCES;
  readonly changed: readonly string[];
  readonly restart: readonly string[];
  readonly problem?: string;
}

const SENTENCES = {
  taken: ({ generation, changed }: ShownRole) => `took up ${counted(changed.length, 'setting')}, generation ${generation}: ${changed.join(', ')}`,
  unchanged: () => 'has nothing to take up',
  refused: ({ problem }: ShownRole) => `changed nothing: ${(problem ?? '').split('\n').map(printable).join('\n  ')}`,
  gone: () => 'ended meanwhile',
  silent: ({ generation }: ShownRole) =>
    generation === undefined ? 'is of a version that knows no reload; restart it' : 'has not answered in time; look at its log, and at `writ doctor`',
} satisfies Record<string, (role: ShownRole) => string>;

function shown({ role, pid, generation, answer }: RoleAnswer): ShownRole {
  const which = { role, pid, ...(generation === undefined ? {} : { generation }) };
  if (typeof answer === 'string') return { ...which, outcome: answer, changed: [], restart: [] };
  const { request: _request, problem, ...end } = answer;
  return { ...which, ...end, ...(problem === undefined ? {} : { problem }) };
}

function lineOf(role: ShownRole): string {
  const waits = role.restart.length === 0 ? '' : `; needs a restart: ${role.restart.join(', ')}`;
  return `${role.role} (process ${role.pid}) ${SENTENCES[role.outcome](role)}${waits}`;
}
