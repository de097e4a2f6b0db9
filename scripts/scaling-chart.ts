import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../config/places.ts';

/**
 * Draws docs/scaling.svg from docs/evidence/scale.json, the last line of `npm run bench -- scale --json`: jobs a second for
 * each number of workers and shards, on one Redis and on a cluster. Arguments: another file to read, another to write.
 */
const docs = path.join(packageRoot(), 'docs');
const [from = path.join(docs, 'evidence', 'scale.json'), to = path.join(docs, 'scaling.svg')] = process.argv.slice(2);
const { metrics } = JSON.parse(readFileSync(from, 'utf8')) as { readonly metrics: Readonly<Record<string, number>> };
writeFileSync(to, chart(barsOf(metrics)));

interface Bar {
  readonly label: string;
  readonly jobs: number;
  readonly redisUs: number;
}

function barsOf(figures: Readonly<Record<string, number>>): readonly Bar[] {
  return Object.entries(figures).flatMap(([name, jobs]) => {
    const found = /^(one|cluster)\.workers(\d+)\.shards(\d+)\.jobs_per_s$/.exec(name);
    if (found === null) return [];
    const [, on, workers, shards] = found;
    const label = `${on === 'one' ? 'one Redis' : 'cluster of 3'}, ${workers} worker${workers === '1' ? '' : 's'}, ${shards} shard${shards === '1' ? '' : 's'}`;
    return [{ label, jobs, redisUs: figures[name.replace('jobs_per_s', 'redis_cpu_us_per_job')] ?? 0 }];
  });
}

function chart(bars: readonly Bar[]): string {
  const [width, left, row, top] = [760, 250, 34, 40];
  const most = Math.max(1, ...bars.map(({ jobs }) => jobs));
  const rows = bars.map(({ label, jobs, redisUs }, at) => {
    const y = top + at * row;
    const length = Math.round((jobs / most) * (width - left - 220));
    return (
      `<text x="${left - 10}" y="${y + 17}" text-anchor="end">${label}</text><rect x="${left}" y="${y}" width="${length}" height="24" fill="#1d4ed8"/>` +
      `<text x="${left + length + 8}" y="${y + 17}">${jobs} jobs/s, Redis ${redisUs} µs a job</text>`
    );
  });
  const height = top + bars.length * row + 10;
  const title = '<text x="10" y="22" font-weight="bold">Jobs a second, executor that does nothing</text>';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13"><rect width="100%" height="100%" fill="#fff"/>${title}${rows.join('')}</svg>\n`;
}
