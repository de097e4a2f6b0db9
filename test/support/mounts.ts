import { spawn } from 'node:child_process';
import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { scriptArgs } from './compiled/script.ts';
import { asNobody } from './nobody.ts';

/** A new directory on another file system than `os.tmpdir()`. The caller removes it. */
export function makeOnSecondFilesystem(prefix: string): string {
  const directory = mkdtempSync(path.join('/dev/shm', prefix));
  if (statSync(directory).dev === statSync(tmpdir()).dev) {
    throw new Error('this test needs two file systems; run: mount -t tmpfs tmpfs /dev/shm (or set TMPDIR to a disk)');
  }
  return directory;
}

/**
 * Runs a TypeScript file in a process with mounts of its own, where it may mount at will: nothing of it is seen by
 * the host, and all of it is gone when the process ends, however it ends. Answers the JSON that it printed.
 */
export function inMountNamespace(script: URL, args: readonly string[]): Promise<unknown> {
  const flags = process.getuid?.() === 0 ? '-m' : '-Urm';
  return runScript('unshare', [flags, process.execPath, ...scriptArgs(script, args)]).catch((error: unknown) => {
    const command = `sudo unshare -m npx vitest run`;
    throw new Error(`mounts are needed and 'unshare ${flags}' does not give them; run the tests as: ${command}`, { cause: error });
  });
}

/**
 * Runs a TypeScript file as root of a user namespace of its own, with mounts and limits of its own (`/proc/sys/user`): nothing of
 * it is seen by the host. Answers the JSON that it printed.
 */
export function inUserNamespace(script: URL, args: readonly string[]): Promise<unknown> {
  return runScript('unshare', ['-Urm', process.execPath, ...scriptArgs(script, args)]).catch((error: unknown) => {
    throw new Error('user namespaces are needed, and this host does not give them; run: sysctl -w user.max_user_namespaces=1000', { cause: error });
  });
}

/** Runs a TypeScript file as the user `nobody` when this process is root, else as the user it is (unprivileged anyway). */
export function asUnprivileged(script: URL, args: readonly string[]): Promise<unknown> {
  const words = scriptArgs(script, args);
  const { program, args: all } = process.getuid?.() === 0 ? asNobody(words) : { program: process.execPath, args: words };
  return runScript(program, all);
}

function runScript(command: string, args: readonly string[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(JSON.parse(output.stdout));
      else reject(new Error(`${command} ended with ${code}: ${output.stderr}`));
    });
  });
}
