import { ROLES, Role } from '../../../contracts/index.ts';
import { messageOf, WritError } from '../../../core/errors.ts';
import type { McpCaller, McpServices } from '../../mcp/services.ts';
import { type CommandContext, command, type Registrar } from '../command.ts';
import { holderOfKey } from '../key-file.ts';
import type { CliServices } from '../services.ts';

const MORE = `
The client starts this command, writes to its stdin and reads its stdout. The tools work in your name; Search is confined to the
allowed roots of the settings. A client finds the same tools at http://127.0.0.1:8377/mcp, with an API key.

Roles: submit, search, read, ingest, operate, kernel. Without kernel, what is submitted must bring its lease.

Example, as most clients want it:
  {"mcpServers": {"writ": {"command": "npx", "args": ["writ", "mcp", "--roles", "search,read"]}}}`;

export const register: Registrar = (program, deps, exit) => {
  program
    .command('mcp')
    .description('serve the tools to a client of the Model Context Protocol, over stdin and stdout')
    .option('--roles <list>', 'what the client may do, separated by commas (submit,search,read,operate unless given)')
    .option('--key <file>', 'serve the holder of this API key: its roles, and what of the messages it is bound to')
    .addHelpText('after', MORE)
    .action(command<[], McpFlags>(deps, exit, runMcp));
};

interface McpFlags {
  readonly roles?: string;
  readonly key?: string;
}

const ROLES_UNLESS_GIVEN = 'submit,search,read,operate';

/** How long a call may wait for an outcome: a client gives up after a minute or so unless told otherwise. */
const MAX_WAIT_S = 600;

/** `writ mcp`: serves one client over stdin and stdout until it goes away. Everything for people goes to stderr. */
async function runMcp(context: CommandContext, flags: McpFlags): Promise<number> {
  const { serveStdio } = await import('../../mcp/stdio.ts');
  const { TOOLS } = await import('../../mcp/tools/table.ts');
  const services = await context.services();
  const caller = await callerOf(flags, services);
  const report = (error: unknown, tool: string): void => context.output.note(`writ: ${tool} failed: ${messageOf(error)}`);
  await serveStdio(context.io, { tools: TOOLS, services: servicesOf(context, services), caller, report }, context.interrupted());
  return 0;
}

/** The person who runs the command with the roles that are given, or the holder of a key with those of them that it has. */
async function callerOf({ roles, key }: McpFlags, services: CliServices): Promise<McpCaller> {
  const wanted = roles === undefined ? undefined : rolesOf(roles);
  if (key === undefined) return { name: services.who, roles: wanted ?? rolesOf(ROLES_UNLESS_GIVEN) };
  const holder = await holderOfKey(key, services);
  return { ...holder, roles: new Set([...holder.roles].filter((role) => wanted?.has(role) ?? true)) };
}

function rolesOf(list: string): ReadonlySet<Role> {
  const words = list
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const strange = words.find((word) => !Role.safeParse(word).success);
  if (strange !== undefined || words.length === 0)
    throw new WritError('INVALID_ARGUMENT', `--roles wants some of ${ROLES.join(', ')}, separated by commas`, { field: '--roles' });
  return new Set(words.map((word) => Role.parse(word)));
}

function servicesOf({ version, clock }: CommandContext, services: CliServices): McpServices {
  return {
    version,
    clock,
    maxWaitS: MAX_WAIT_S,
    regrantByDefault: services.regrantByDefault,
    tasks: services.tasks,
    plans: async () => ({ plans: await services.plans(), preview: await services.planPreview(), signatures: await services.planSignatures() }),
    queues: services.queues,
    contentSearch: services.serverSearch,
    contentIndex: services.contentIndex,
    messageSearch: services.messageSearch,
    kernel: services.kernel,
    signatures: services.signatures,
    audit: services.audit,
  };
}
