import { ROLES, Role } from '../../../contracts/index.ts';
import { messageOf, WritError } from '../../../core/errors.ts';
import type { McpServices } from '../../mcp/services.ts';
import { type CommandContext, command, type Registrar } from '../command.ts';
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
    .option('--roles <list>', 'what the client may do, separated by commas', 'submit,search,read,operate')
    .addHelpText('after', MORE)
    .action(command<[], McpFlags>(deps, exit, runMcp));
};

interface McpFlags {
  readonly roles: string;
}

/** How long a call may wait for an outcome: a client gives up after a minute or so unless told otherwise. */
const MAX_WAIT_S = 600;

/** `writ mcp`: serves one client over stdin and stdout until it goes away. Everything for people goes to stderr. */
async function runMcp(context: CommandContext, { roles }: McpFlags): Promise<number> {
  const { serveStdio } = await import('../../mcp/stdio.ts');
  const { TOOLS } = await import('../../mcp/tools/table.ts');
  const services = await context.services();
  const caller = { name: services.who, roles: rolesOf(roles) };
  const report = (error: unknown, tool: string): void => context.output.note(`writ: ${tool} failed: ${messageOf(error)}`);
  await serveStdio(context.io, { tools: TOOLS, services: servicesOf(context, services), caller, report }, context.interrupted());
  return 0;
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
