import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../config/package.ts';

/**
 * Draws docs/scaling.svg from docs/evidence/scale.json, the last line of `npm run bench -- scale --json`: jobs a second of
 * both sides of each comparison, on one Redis and on a cluster. Arguments: another file to read, another to write.
 */
const docs = path.join(packageRoot(), 'docs');
const [from = path.join(docs, 'evidence', 'scale.json'), to = path.join(docs, 'scaling.svg')] = process.argv.slice(2);
const { metrics } = JSON.parse(readFileSync(from, 'utf8')) as { readonly metrics: Readonly<Record<string, number>> };
writeFileSync(to, chart(barsOf(metrics)));

interface Bar {
  /** The comparison that it is a side of. */
  readonly pair: string;
  /** The smaller side comes first. */
  readonly order: number;
  readonly label: string;
  readonly jobs: number;
  readonly redisUs: number;
}

function barsOf(figures: Readonly<Record<string, number>>): readonly Bar[] {
  return Object.entries(figures).flatMap(([name, jobs]) => {
    const found = /^(.+)\.workers(\d+)\.shards(\d+)\.jobs_per_s$/.exec(name);
    if (found === null) return [];
    const [, pair = '', workers = '', shards = ''] = found;
    const on = pair.startsWith('cluster.') ? 'cluster of 3' : 'one Redis';
    const label = `${on}, ${counted(workers, 'worker')}, ${counted(shards, 'shard')}`;
    const redisUs = Math.round(figures[name.replace('jobs_per_s', 'redis_cpu_us_per_job')] ?? 0);
    return [{ pair, order: Number(workers) + Number(shards), label, jobs, redisUs }];
  });
}

function counted(number: string, what: string): string {
  return `${number} ${what}${number === '1' ? '' : 's'}`;
}

function chart(bars: readonly Bar[]): string {
  const [width, left, row, gap, top] = [800, 250, 28, 14, 40];
  const most = Math.max(1, ...bars.map(({ jobs }) => jobs));
  const pairs = [...new Set(bars.map(({ pair }) => pair))].map((pair) => bars.filter((bar) => bar.pair === pair).sort((a, b) => a.order - b.order));
  const sides = pairs.flatMap((pair, number) => pair.map((bar, side) => ({ ...bar, y: top + number * (2 * row + gap) + side * row, side })));
  const rows = sides.map(({ label, jobs, redisUs, y, side }) => {
    const length = Math.round((jobs / most) * (width - left - 240));
    return (
      `<text x="${left - 10}" y="${y + 16}" text-anchor="end">${label}</text>` +
      `<rect x="${left}" y="${y}" width="${length}" height="22" fill="${side === 0 ? '#94a3b8' : '#1d4ed8'}"/>` +
      `<text x="${left + length + 8}" y="${y + 16}">${jobs} jobs/s, Redis ${redisUs} µs a job</text>`
    );
  });
  const height = top + pairs.length * (2 * row + gap) + 10;
  const words = 'Jobs a second, executor that does nothing; two bars that stand together were measured in turn';
  const title = `<text x="10" y="22" font-weight="bold">${words}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13"><title>${words}</title><rect width="100%" height="100%" fill="#fff"/>${title}${rows.join('')}</svg>\n`;
}
