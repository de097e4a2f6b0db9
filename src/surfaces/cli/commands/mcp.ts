import { act, type Registrar } from '../command.ts';
import type { McpFlags } from '../operations/mcp.ts';

const MORE = `
The client starts this command, writes to its stdin and reads its stdout. The tools work in your name; Search is confined to the
allowed roots of the settings. A client finds the same tools at http://127.0.0.1:8377/mcp, with an API key.

Roles: submit, search, read, ingest, operate, kernel. Without kernel, what is submitted must bring its lease.

Example, as most clients want it:
  {"mcpServers": {"writ": {"command": "npx", "args": ["writ", "mcp", "--roles", "search,read"]}}}`;

export const registerMcp: Registrar = (program, deps, exit) => {
  program
    .command('mcp')
    .description('serve the tools to a client of the Model Context Protocol, over stdin and stdout')
    .option('--roles <list>', 'what the client may do, separated by commas', 'submit,search,read,operate')
    .addHelpText('after', MORE)
    .action(act<[], McpFlags>(deps, exit, async () => (await import('../operations/mcp.ts')).runMcp));
};
