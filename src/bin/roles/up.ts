import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { packageRoot } from '../../../config/package.ts';
import { renderOwnToml } from '../../../config/render.ts';
import { indexRefusal } from '../../content-search/settings/refusals.ts';
import { sequential } from '../../core/lifecycle.ts';
import { prepareFirstStart, WORKSPACE_SCOPE } from '../../data-dir/first-start.ts';
import type { DataDirPaths } from '../../data-dir/paths.ts';
import { type BoardVisitor, visitBoard } from '../../surfaces/cli/tour/board.ts';
import { nextSteps } from '../../surfaces/cli/tour/next-steps.ts';
import { runPlans } from '../../surfaces/cli/tour/run-plan.ts';
import { giveTour } from '../../surfaces/cli/tour/tour.ts';
import { openServices } from '../cli/services.ts';
import { readSettings } from '../cli/settings.ts';
import type { UpContext } from './context.ts';
import { upParts } from './up-parts.ts';

/**
 * `writ up`: Redis, kernel, worker and API on this machine, kept running until asked to stop. The first start on an empty
 * data directory gives a tour; `once` gives it in any case and ends with its verdict. Resolves with the exit code.
 */
export async function runUp(context: UpContext, { once }: { readonly once: boolean }): Promise<number> {
  const { places } = context;
  const asked = stopAsked();
  await prepareFirstStart(places, renderOwnToml());
  await mkdir(places.logs, { recursive: true, mode: 0o700 });
  const parts = sequential(upParts(context));
  const host = indexRefusal(context.config) === undefined ? ', index host' : '';
  say(`Writ starts in ${places.dataDir}: Redis, kernel, worker, API${host}; logs in ${places.logs}`);
  await parts.start();
  try {
    const passed = once || !existsSync(places.tourGiven) ? await tour(context) : true;
    if (once) return passed ? 0 : 1;
    say(nextSteps(places.workspace, places.operatorKey, await apiUrl(places)));
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
  const passed = await giveTour(
    places.workspace,
    {
      packageRoot: packageRoot(),
      tasks,
      kernel,
      signatures,
      searchScope,
      searchesContents,
      runPlan: runPlans(services),
      board: () => boardOf(places, certificate),
    },
    say,
  );
  if (passed) await writeFile(places.tourGiven, '');
  return passed;
}

/** The API of this data directory, as its role has announced it. */
async function apiUrl(places: DataDirPaths): Promise<string> {
  return (await readFile(places.apiUrl, 'utf8')).trim();
}

async function boardOf(places: DataDirPaths, certificate: string | undefined): Promise<BoardVisitor> {
  return visitBoard(await apiUrl(places), (await readFile(places.operatorKey, 'utf8')).trim(), certificate);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function stopAsked(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
}
