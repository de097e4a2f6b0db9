import { listenedPorts } from '../../../config/listened-ports.ts';
import { commandDirectory } from '../../../config/package.ts';
import { renderOwnToml } from '../../../config/render.ts';
import { isThere } from '../../adapters/files/is-there.ts';
import { makeDirectory } from '../../adapters/files/make-directory.ts';
import { probePorts } from '../../adapters/processes/probe-ports.ts';
import { orphanPid } from '../../adapters/redis/embedded-orphan.ts';
import { shownAddress } from '../../adapters/redis/unreachable.ts';
import { tellWhileAway } from '../../adapters/redis/while-away.ts';
import { indexRefusal } from '../../content-search/settings/refusals.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import { prepareFirstStart } from '../../data-dir/first-start.ts';
import { lockUp } from '../../data-dir/up-lock.ts';
import { failureOf, failureText } from '../../surfaces/cli/failure.ts';
import { nextSteps } from '../../surfaces/cli/tour/next-steps.ts';
import { programWords, readSettings } from '../cli/settings.ts';
import { settingsProbes } from '../cli/settings-probes.ts';
import { redisTarget } from '../redis-target.ts';
import type { UpContext } from './context.ts';
import { upParts } from './up-parts.ts';
import { apiUrl, playgroundOf, tour } from './up-tour.ts';

/**
 * `writ up`: Redis, kernel, worker and API on this machine, kept running until asked to stop. The first start on an empty
 * data directory gives a tour in the directory that it made; `once` gives it in any case, in a base directory of the
 * settings, and ends with its verdict. A stop ends whatever is under way and drains everything, Redis last. Resolves with
 * the exit code.
 */
export async function runUp(context: UpContext, { once }: { readonly once: boolean }): Promise<number> {
  const asked = stopAsked();
  await Promise.all(settingsProbes(context.config).map(({ look }) => look()));
  // Another `writ up` of the directory says more than its ports do; a directory that is not there is not made in vain.
  const wasThere = isThere(context.places.dataDir);
  if (wasThere) lockUp(context.places);
  await Promise.race([probePorts(listenedPorts(context.config), { mayHold: (pid) => pid === orphanPid(context.places.redis) }), asked]);
  if (!wasThere) lockUp(context.places);
  await prepareFirstStart(context.places, renderOwnToml());
  makeDirectory(context.places.logs);
  const parts = upParts(context);
  try {
    const verdict = await Promise.race([begin(context, parts, once), asked]);
    if (typeof verdict === 'boolean' && once) return verdict ? 0 : 1;
    await asked;
    say('\nWrit stops: running tasks may end first');
    return once ? 1 : 0;
  } finally {
    await parts.stop();
  }
}

/** Starts everything and gives the tour, where there is one to give; whether it was as promised. */
async function begin(context: UpContext, parts: Lifecycle, once: boolean): Promise<boolean> {
  const { config, places, options } = context;
  const host = indexRefusal(config) === undefined ? ', index host' : '';
  const target = config.redis.url === '' ? undefined : redisTarget(config, places);
  // The first start has written settings.
  const settings = readSettings(options);
  const playground = playgroundOf(settings.loaded.config, places);
  const isMissed = once && playground === undefined;
  if (isMissed) say('There is no tour: no base directory is named');
  if (isMissed) return false;
  const server = target === undefined ? ['Redis, ', ''] : ['', `; Redis at ${shownAddress(config.redis.url)}`];
  say(`Writ starts in ${places.dataDir}: ${server[0]}kernel, worker, API${host}${server[1]}; logs in ${places.logs}`);
  await tellWhileAway(parts.start(), target, (why) => process.stderr.write(`${why === undefined ? 'Redis answers' : failureText(failureOf(why))}\n`));
  const wanted = once || (playground?.base === places.workspace && !isThere(places.tourGiven));
  const passed = wanted && playground !== undefined ? await tour(context, settings, playground, say) : !once;
  if (!once) say(nextSteps({ ...places, program: programWords(options, settings), playground, commands: commandDirectory(), url: await apiUrl(places) }));
  return passed;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A terminal that is closed (SIGHUP) asks for the same as Ctrl-C. */
function stopAsked(): Promise<'stop'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve('stop'));
  });
}
