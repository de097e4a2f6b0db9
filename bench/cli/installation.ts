import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { dataDirPaths } from '../../src/data-dir/paths.ts';
import { type Ran, runNode } from './command.ts';

const WRIT = fileURLToPath(new URL('../../src/bin/writ.js', import.meta.url));

/** A `writ up` with everything, whose index of one tree is built. */
export interface Installation {
  /** Runs one command as a process of its own, in the tree. */
  writ(args: readonly string[]): Promise<Ran>;
  /** A file with one task that nobody has pushed yet. */
  task(): string;
  close(): Promise<void>;
}

const LOOK_MS = 500;

export async function openInstallation(root: string): Promise<Installation> {
  const home = mkdtempSync(path.join(tmpdir(), 'writ-bench-cli-'));
  const places = dataDirPaths(path.join(home, 'data'));
  const base = path.join(home, 'base');
  const cache = path.join(home, 'cache');
  for (const directory of [places.dataDir, base, cache]) mkdirSync(directory, { mode: 0o700 });
  writeFileSync(places.configFile, settings(root, base, cache), { mode: 0o600 });
  const env = { ...process.env, WRIT_DATA_DIR: places.dataDir };
  const writ = (args: readonly string[]): Promise<Ran> => runNode([WRIT, ...args], root, env);
  const made = await writ(['init']);
  if (made.code !== 0) throw new Error(made.err);
  const up = spawn(process.execPath, [WRIT, 'up'], { cwd: home, env, stdio: 'ignore' });
  const close = async (): Promise<void> => {
    if (up.exitCode === null) {
      const exit = once(up, 'exit');
      up.kill('SIGTERM');
      await exit;
    }
    rmSync(home, { recursive: true, force: true });
  };
  try {
    for (;;) {
      if (up.exitCode !== null) throw new Error(`writ up ended with ${up.exitCode}`);
      // Not by a search: a build holds itself back while searches come.
      if (existsSync(places.apiUrl) && isServed(await writ(['index', 'status', '--json']))) break;
      await pause(LOOK_MS);
    }
  } catch (error) {
    await close();
    throw error;
  }
  let tasks = 0;
  return {
    writ,
    task() {
      tasks += 1;
      const file = path.join(home, `task-${tasks}.json`);
      const source_path = path.join(base, `file-${tasks}`);
      writeFileSync(source_path, 'x');
      const inputs = { source_path, destination_path: `${source_path}-moved` };
      writeFileSync(file, JSON.stringify({ task_id: `bench-${tasks}`, capability_id: 'FILE_MOVE', inputs, constraints: {} }));
      return file;
    },
    close,
  };
}

function settings(root: string, base: string, cache: string): string {
  const text = JSON.stringify;
  return `[log]
level = "silent"
[http]
port = 0
[file.base_directories]
bench = ${text(base)}
[tools.sandbox]
allowed_roots = [${text(root)}]
[tools.search]
enabled = true
binary = "rg"
emit_stats = true
index_mode = "on"
index_path = ${text(cache)}
index_roots = [${text(root)}]
index_max_tokenized_bytes = 67108864
index_idle_boost_ms = 0
index_build_timeout_ms = 3600000
`;
}

/** Whether the index answers. Throws Error when it never will. */
function isServed({ code, out, err }: Ran): boolean {
  if (code !== 0) throw new Error(err);
  const { indexes } = JSON.parse(out) as { readonly indexes: readonly { readonly serving: boolean; readonly state: string; readonly reason: string | null }[] };
  const [index] = indexes;
  if (index?.state === 'UNCERTAIN') throw new Error(`the index was not built: ${index.reason}`);
  return index?.serving === true;
}
