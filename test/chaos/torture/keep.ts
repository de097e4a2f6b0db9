import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Stage } from './stage.ts';
import type { World } from './world.ts';

/** What whoever looks for the cause of a violation needs: data directory, logs and files as they lay there, what was asked, and what was found, if it came to that. */
export function keepAll(directory: string, { site, model }: Stage, world: World | undefined): void {
  mkdirSync(directory, { recursive: true });
  cpSync(path.dirname(site.base), directory, { recursive: true, filter: (file) => !file.endsWith('.sock') });
  for (const [name, what] of Object.entries({ model, world })) writeFileSync(path.join(directory, `${name}.json`), JSON.stringify(what ?? null, asPlain, 1));
}

function asPlain(_name: string, value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries(value);
  return value instanceof Set ? [...value] : value;
}
