import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { indexRefusal } from '../../content-search/settings/refusals.ts';
import { sequential } from '../../core/lifecycle.ts';
import type { Places } from '../../data-dir/places.ts';
import { openServices } from '../cli/services.ts';
import { readSettings } from '../cli/settings.ts';
import { prepareFirstStart, WORKSPACE_SCOPE } from '../../data-dir/first-start.ts';
import { type BoardVisitor, visitBoard } from '../../surfaces/cli/tour/board.ts';
import { runPlans } from '../../surfaces/cli/tour/run-plan.ts';
import { giveTour } from '../../surfaces/cli/tour/tour.ts';
import type { UpContext } from './context.ts';
import { upParts } from './up-parts.ts';

/**
 * `writ up`: Redis, kernel, worker and API on this machine, kept running until asked to stop. The first start on an empty
 * data directory gives a tour; `once` gives it in any case and ends with its verdict. Resolves with the exit code.
 */
export async function runUp(context: UpContext, { once }: { readonly once: boolean }): Promise<number> {
  const { places } = context;
  const asked = stopAsked();
  await prepareFirstStart(places);
  await mkdir(places.logs, { recursive: true, mode: 0o700 });
  const parts = sequential(upParts(context));
  const host = indexRefusal(context.config) === undefined ? ', index host' : '';
  say(`Writ starts in ${places.dataDir}: Redis, kernel, worker, API${host}; logs in ${places.logs}`);
  await parts.start();
  try {
    const asPromised = once || !existsSync(places.tourGiven) ? await tour(context) : true;
    if (once) return asPromised ? 0 : 1;
    say(nextSteps(places, await apiUrl(places)));
    await asked;
    say('\nWrit stops: running tasks may end first');
    return 0;
  } finally {
    await parts.stop();
  }
}

async function tour({ options, places }: UpContext): Promise<boolean> {
  await using services = await openServices(options);
  const [tasks, kernel, signatures] = await Promise.all([services.tasks(), services.kernel(), services.signatures()]);
  const searchScope = services.scopes.capabilityOf(WORKSPACE_SCOPE) === 'SEARCH_FILES' ? WORKSPACE_SCOPE : undefined;
  const { tools, http } = readSettings(options).loaded.config;
  const certificate = http.tls.cert_file === '' ? undefined : await readFile(http.tls.cert_file, 'utf8');
  const searchesContents = tools.search.enabled && tools.sandbox.allowed_roots[0] === places.workspace;
  const asPromised = await giveTour(
    places.workspace,
    { tasks, kernel, signatures, searchScope, searchesContents, runPlan: runPlans(services), board: () => boardOf(places, certificate) },
    say,
  );
  if (asPromised) await writeFile(places.tourGiven, '');
  return asPromised;
}

/** The API of this data directory, as its role has announced it. */
async function apiUrl(places: Places): Promise<string> {
  return (await readFile(places.apiUrl, 'utf8')).trim();
}

async function boardOf(places: Places, certificate: string | undefined): Promise<BoardVisitor> {
  return visitBoard(await apiUrl(places), (await readFile(places.operatorKey, 'utf8')).trim(), certificate);
}

function nextSteps({ workspace, operatorKey }: Places, url: string): string {
  return [
    '',
    'Writ is up:',
    `  ${url}/docs      the API, for people`,
    `  ${url}/board     queues and failed jobs; \`npx writ login-link\` prints a link that logs a browser in`,
    `  ${url}/metrics   figures for Prometheus`,
    `  The operator's key lies in ${operatorKey}`,
    '',
    'In another terminal:',
    `  echo '{"task_id":"first","capability_id":"FILE_COPY","inputs":{"source_path":"${workspace}/hello.txt","destination_path":"${workspace}/copy.txt"},"constraints":{}}' > task.json`,
    `  echo hello > ${workspace}/hello.txt`,
    '  npx writ push task.json --sign --wait     sign it, push it, see the answer',
    '  npx writ find workspace hello             a search: names of files, in a signed answer',
    `  npx writ search hello ${workspace}     a search: what files say, with your own rights`,
    '  npx writ status                           queues, ages, workers',
    '  npx writ doctor                           settings and what this host can do',
    '',
    'Ctrl-C stops it.',
  ].join('\n');
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function stopAsked(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
}
