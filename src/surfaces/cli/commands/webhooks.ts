import { counted } from '../../../core/units.ts';
import { planIdOf } from '../../shared/plans/plan-id.ts';
import { KEY_OPTION, type KeyFlags, openApi } from '../api/api-door.ts';
import { type CommandContext, command, type Registrar } from '../command.ts';
import { table } from '../text/table.ts';

interface ListFlags extends KeyFlags {
  readonly dead?: true;
  readonly endpoint?: string;
  readonly task?: string;
  readonly plan?: string;
}

interface ResendFlags extends KeyFlags {
  readonly dead?: true;
}

export const register: Registrar = (program, deps, exit) => {
  const webhooks = program.command('webhooks').helpCommand(false).description('who is told of the ends of tasks and plans, and what was told');
  webhooks
    .command('endpoints')
    .description('the endpoints of the settings, their notices counted, and the public key that verifies notices')
    .option(...KEY_OPTION)
    .action(command<[], KeyFlags>(deps, exit, runEndpoints));
  webhooks
    .command('list')
    .description('the newest notices')
    .option('--dead', 'only those that were given up')
    .option('--endpoint <id>', 'of this endpoint')
    .option('--task <task_id>', 'about this task')
    .option('--plan <plan_id>', 'about this plan')
    .option(...KEY_OPTION)
    .action(command<[], ListFlags>(deps, exit, runList));
  webhooks
    .command('show <webhook_id>')
    .description('one notice with its text')
    .option(...KEY_OPTION)
    .action(command<[string], KeyFlags>(deps, exit, runShow));
  webhooks
    .command('resend <webhook_id_or_endpoint>')
    .description('send a dead notice again; with --dead all of an endpoint')
    .option('--dead', 'all dead notices of the endpoint that is named')
    .option(...KEY_OPTION)
    .action(command<[string], ResendFlags>(deps, exit, runResend));
  webhooks
    .command('test <endpoint>')
    .description('send one notice that only tries the endpoint')
    .option(...KEY_OPTION)
    .action(command<[string], KeyFlags>(deps, exit, runTest));
};

const ENDPOINTS = [
  { title: 'endpoint' },
  { title: 'url' },
  { title: 'pending', align: 'right' },
  { title: 'delivered', align: 'right' },
  { title: 'dead', align: 'right' },
] as const;

/** `writ webhooks endpoints`. */
async function runEndpoints(context: CommandContext, flags: KeyFlags): Promise<number> {
  const api = await openApi(context, flags);
  const found = await api.ask((client) => client.webhooks.list());
  await context.output.answer(found, () => {
    if (found.endpoints.length === 0) return 'nobody is told: the settings name no endpoint';
    const rows = found.endpoints.map(({ endpoint, url, pending, delivered, dead }) => [endpoint, url, `${pending}`, `${delivered}`, `${dead}`]);
    return `${table(ENDPOINTS, rows)}\npublic key: ${found.public_key}`;
  });
  return 0;
}

const NOTICES = [
  { title: 'webhook id' },
  { title: 'endpoint' },
  { title: 'about' },
  { title: 'state' },
  { title: 'failed', align: 'right' },
  { title: 'problem' },
] as const;

/** `writ webhooks list`. */
async function runList(context: CommandContext, { dead, endpoint, task, plan, ...flags }: ListFlags): Promise<number> {
  const api = await openApi(context, flags);
  const filter = {
    ...(dead ? { state: 'dead' as const } : {}),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(task === undefined ? {} : { task }),
    ...(plan === undefined ? {} : { plan: planIdOf(plan) }),
  };
  const found = await api.ask((client) => client.webhooks.notices(filter));
  await context.output.answer(found, () => {
    if (found.notices.length === 0) return 'no notices';
    const rows = found.notices.map((one) => [one.id, one.endpoint, one.task_id ?? `plan ${one.plan_id}`, one.state, `${one.attempts}`, one.problem ?? '']);
    return `${table(NOTICES, rows)}${found.next === undefined ? '' : '\nthere are more'}`;
  });
  return 0;
}

/** `writ webhooks show`. NOT_FOUND (exit 1) for one that is unknown or was forgotten. */
async function runShow(context: CommandContext, flags: KeyFlags, id: string): Promise<number> {
  const api = await openApi(context, flags);
  const notice = await api.ask((client) => client.webhooks.notice(id));
  await context.output.answer(notice, () => {
    const { body, ...line } = notice;
    return [...Object.entries(line).map(([name, value]) => `${name}: ${value}`), ...(body === undefined ? [] : [body])].join('\n');
  });
  return 0;
}

/** `writ webhooks resend`. WRONG_STATE (exit 1) for a notice that is not dead. */
async function runResend(context: CommandContext, { dead, ...flags }: ResendFlags, which: string): Promise<number> {
  const api = await openApi(context, flags);
  const done = await api.ask((client) => (dead ? client.webhooks.resendDead(which) : client.webhooks.resend(which)));
  await context.output.answer(done, () => `${counted(done.resent, 'notice')} due again${done.left === 0 ? '' : `, ${done.left} still dead`}`);
  return 0;
}

/** `writ webhooks test`. Exit 1 when the receiver did not take it. */
async function runTest(context: CommandContext, flags: KeyFlags, endpoint: string): Promise<number> {
  const api = await openApi(context, flags);
  const done = await api.ask((client) => client.webhooks.test(endpoint));
  await context.output.answer(done, () => (done.delivered ? `${endpoint} took it` : `${endpoint} did not take it: ${done.problem}`));
  return done.delivered ? 0 : 1;
}
