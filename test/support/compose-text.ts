import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../config/package.ts';

/** docker-compose.yml as Compose reads it: `${NAME:-default}` is replaced by its value of `env`. */
export function composeText(env: Readonly<Record<string, string>> = {}): string {
  const text = readFileSync(path.join(packageRoot(), 'docker-compose.yml'), 'utf8');
  return text.replace(/\$\{([A-Z_]+):-([^}]*)\}/g, (_, name: string, otherwise: string) => env[name] ?? otherwise);
}
