import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * Prints where the headers of this Node lie that came with it, for whoever compiles: then no server is asked for them.
 * Nothing where there are none, or those of another version. Argument: the place of the program, by default its own.
 * Plain JavaScript: it runs before anything is installed.
 */
const prefix = resolve(process.argv[2] ?? process.execPath, '../..');

function headersVersion() {
  try {
    const text = readFileSync(join(prefix, 'include/node/node_version.h'), 'utf8');
    return ['MAJOR', 'MINOR', 'PATCH'].map((part) => new RegExp(`^#define NODE_${part}_VERSION (\\d+)$`, 'm').exec(text)?.[1]).join('.');
  } catch {
    return undefined;
  }
}

if (headersVersion() === process.versions.node) process.stdout.write(prefix);
