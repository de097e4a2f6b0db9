import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../../../config/package.ts';

/** The program that the inspector's own command starts; that command looks for a file of the inspector's checkout. */
const BUILD = path.join(packageRoot(), 'node_modules', '@modelcontextprotocol', 'inspector-cli', 'build');

/** What the command line of the MCP inspector prints. It looks for its `package.json` beside the working directory. */
export async function inspect(args: readonly string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(BUILD, 'index.js'), ...args], { cwd: BUILD });
  return JSON.parse(stdout) as unknown;
}
