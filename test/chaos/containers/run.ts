import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { evidencePath, minutesSince, revision, writeEvidence } from '../evidence.ts';
import { createApi } from './api.ts';
import { makeBaseImages } from './base-images.ts';
import { onceEach } from './counted-moves.ts';
import { removeHome, startEngine } from './engine.ts';
import { killEach } from './kills.ts';
import { lackingMeans } from './means.ts';
import { blocksOf, keyIn } from './page.ts';
import { pinnedImages } from './pinned.ts';
import { createProject, SERVICES } from './project.ts';
import { restart } from './restarts.ts';
import { giveTour, searchWithIndex, startPlan } from './tour.ts';
import { upgradeAndBack, upgradedWell } from './upgrade.ts';

/**
 * `npm run test:long -- containers [--before <commit>] [--cache <directory>]`: a container engine of its own builds the image
 * and runs docker-compose.yml by the commands of docs/monitoring.md; tour, plan, searches with the index; each service killed
 * under load; all of it restarted; an installation of an earlier commit upgraded with jobs in flight, and put back. What is
 * not committed is not in the image.
 */
const { values } = parseArgs({
  options: {
    // The last commit whose journals have the first schema: those of files, tools and plans all change on the way.
    before: { type: 'string', default: 'df40a16cc53769b8f62e606f904b09e372738d5c' },
    cache: { type: 'string' },
    evidence: { type: 'string', default: evidencePath('containers') },
  },
});
const lacking = lackingMeans();
if (lacking.length > 0) {
  process.stderr.write(`${lacking.join('\n')}\n`);
  process.exit(2);
}
const say = (text: string): void => void process.stderr.write(`${text}\n`);
const startedAt = new Date();
const commit = revision();
const home = mkdtempSync(path.join(tmpdir(), 'writ-containers-'));
const engine = await startEngine(path.join(home, 'engine'));
let ending: Promise<void> | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end().then(() => process.exit(130)));

try {
  say('base images: debootstrap, Node.js, Redis, Prometheus');
  const bases = await makeBaseImages(engine, home, pinnedImages(), values.cache);
  say('the commands of docs/monitoring.md: build, keys, up');
  const project = await createProject(engine, home, 'writ-now', 'HEAD');
  const { start, firstTask } = blocksOf(project.directory);
  const started = await project.shell(start);
  if (started.code !== 0) throw new Error(`the page's commands end with ${started.code}: ${started.out.slice(-4000)}${started.err.slice(-4000)}`);
  await project.healthy(SERVICES);
  const first = await project.shell(firstTask);
  const mebibytes = Math.round(Number(await engine.must('image', 'inspect', '--format', '{{.Size}}', 'writ:local')) / 2 ** 20);

  const api = createApi(project.ports.api, keyIn(first.err));
  const volume = await project.volume('files');
  say('tour, plan, searches with the index');
  const tour = await giveTour(api, volume);
  say(JSON.stringify(tour));
  const plan = await startPlan(api, volume, 'plan', 5);
  const searches = await searchWithIndex(api, project, volume, 'first');
  say('each service killed in turn, under load');
  const kills = await killEach(api, project, volume);
  say(JSON.stringify(kills));
  const searchesAfterKills = await searchWithIndex(api, project, volume, 'killed');
  say('three search services, restart, stop, down, up');
  const restarts = await restart(project);
  say(JSON.stringify(restarts));
  say('the image before, killed with jobs in flight; the image of now; back; and again');
  const upgraded = await upgradeAndBack(engine, home, values.before, project);

  const checks = {
    page: first.code === 0 && first.out.includes('"state":"success"'),
    tour: Object.values(tour).every(Boolean),
    plan,
    searches: [searches, searchesAfterKills].every((found) => Object.values(found).every(Boolean)),
    kills: onceEach(kills.counts) && kills.plan && kills.struck.length === SERVICES.length,
    restarts: Object.values(restarts.checks).every(Boolean),
    upgrade: upgradedWell(upgraded),
  };
  const passed = Object.values(checks).every(Boolean);
  const found = { bases, mebibytes, tour, searches, kills, searchesAfterKills, restarts, upgraded };
  writeEvidence(values.evidence, {
    suite: 'containers',
    passed,
    checks,
    ...found,
    startedAt: startedAt.toISOString(),
    minutes: minutesSince(startedAt.getTime()),
    commit,
  });
  process.stdout.write(`${JSON.stringify({ passed, checks, ...found }, null, 2)}\n${values.evidence}\n`);
  process.exitCode = passed ? 0 : 1;
} finally {
  await end();
}

/** Once, also when a signal comes while it is under way. */
function end(): Promise<void> {
  ending ??= engine.stop().then(() => removeHome(home));
  return ending;
}
