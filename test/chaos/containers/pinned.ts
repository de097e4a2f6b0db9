import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../../../config/package.ts';

/** What the Dockerfile and docker-compose.yml name; Grafana is in no package of Debian. */
export function pinnedImages(): readonly string[] {
  const read = (file: string): string => readFileSync(path.join(packageRoot(), file), 'utf8');
  const [, node = ''] = /^ARG NODE=(.+)$/m.exec(read('Dockerfile')) ?? [];
  const { services } = parse(read('docker-compose.yml'), { merge: true }) as { services: Record<string, { image: string }> };
  const foreign = Object.values(services).map(({ image }) => image);
  return [`node:${node}`, ...foreign.filter((image) => image !== 'writ:local' && !image.startsWith('grafana/'))];
}
